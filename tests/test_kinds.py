"""Kinds of passages are registered by whoever brings them."""

from importlib.metadata import EntryPoint

import pytest

from consilience import kinds
from consilience.kinds import Kind
from tests_shared import make_passage

KINDS = (
    Kind(name="reef", role="node", prose=True, hidden=frozenset({"key"}), locator=("chart",)),
    Kind(name="current", role="edge", searched=False),
)


@pytest.fixture
def registered(monkeypatch):
    """The kinds of this file alone, beside one plug-in that cannot be imported."""
    points = [
        EntryPoint("sea", "test_kinds:KINDS", kinds.GROUP),
        EntryPoint("lost", "no_such_module:KINDS", kinds.GROUP),
    ]
    cached = [value for value in vars(kinds).values() if hasattr(value, "cache_clear")]
    for function in cached:
        function.cache_clear()
    monkeypatch.setattr(kinds, "entry_points", lambda group: points)
    yield
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()


@pytest.mark.usefixtures("registered")
def test_roles_and_fields_come_from_plug_ins_and_a_broken_one_costs_itself():
    assert kinds.node_kinds() == {"reef"}
    assert kinds.edge_kinds() == {"current"}
    assert kinds.unsearched_kinds() == {"current"}
    assert kinds.record_kinds() == {"current", "row", "path"}
    assert kinds.locator_fields() == ("chart",)
    assert "chart" in kinds.filter_fields()
    passage = make_passage(kind="reef", metadata={"key": "x", "depth": 3})
    assert kinds.visible_metadata(passage) == {"depth": 3}


def test_the_kinds_that_ship_are_registered():
    assert kinds.node_kinds() >= {"node", "place", "work"}
    assert kinds.edge_kinds() >= {"edge", "tie", "citation"}
    assert kinds.unsearched_kinds() == {"work", "citation", "tie"}
    assert {"game", "ply"} <= set(kinds.filter_fields())
