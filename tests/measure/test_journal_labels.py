"""A journal proposes labels from what people read or praised, and nothing more than proposes."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.journal import JOURNAL, Entry, Journal, Reacted, Shown
from consilience.measure.golden import read_golden
from consilience.measure.golden_health import find_problems
from consilience.measure.suggestions import propose_labels
from consilience.settings import FILE
from consilience.types import Query
from consilience.workspace import STORE, init_workspace, open_workspace

TEXTS = ("Lamps", "Oil"), ("Lenses", "Glass"), ("Fog", "Horns")


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A workspace whose journal holds what people did with three questions."""
    folder = init_workspace(tmp_path_factory.mktemp("logged") / "lights")
    (folder / FILE).write_text('pack = "general"\n[models]\nembed = "fast"\nrerank = "none"\n')
    sections = [
        f"## {name}\n\n{name} of the lighthouse are made of {of.lower()}, and tended every night."
        for name, of in TEXTS
    ]
    (folder / "book.md").write_text("# The keeper\n\n" + "\n\n".join(sections) + "\n")
    with open_workspace(folder) as space:
        space.add([folder / "book.md"])
        found = {name: space.find(Query(text=f"{name} of what?")) for name, _ in TEXTS}
    journal = Journal(folder / STORE / JOURNAL)
    result = found["Lamps"]
    first, second = (hit.passage.id for hit in result.hits[:2])
    key = journal.asked(result, ms=5)
    journal.reacted(key, "click", passage=first)
    journal.reacted(key, "dwell", passage=first, value=45)
    journal.reacted(key, "down", passage=second)
    key = journal.asked(found["Fog"], ms=5)
    journal.reacted(key, "up", passage=found["Fog"].hits[0].passage.id)
    key = journal.asked(found["Lenses"], ms=5)
    journal.reacted(key, "click", passage=found["Lenses"].hits[0].passage.id)
    yield folder, found
    journal.close()


def run(folder, *arguments):
    return CliRunner().invoke(app, ["golden", "from-journal", "-w", str(folder), *arguments])


def test_what_was_read_or_praised_is_proposed_and_not_believed(logged, tmp_path):
    folder, found = logged
    target = tmp_path / "proposed.yaml"
    result = run(folder, str(target))
    assert result.exit_code == 0, result.output
    assert "2 proposals" in result.stdout
    assert target.read_text().startswith("# Proposals")
    golden = read_golden(target)
    by_text = {one.text: one for one in golden.questions}
    assert set(by_text) == {"Lamps of what?", "Fog of what?"}  # a click alone is no hint
    grades = [one.grade for one in by_text["Lamps of what?"].judgements]
    assert grades == [1, 0]
    (praised,) = by_text["Fog of what?"].judgements
    assert praised.grade == 2
    assert praised.document == "book.md"
    text = " ".join(found["Fog"].hits[0].passage.text.split())
    assert praised.quote
    assert praised.quote in text
    assert all(one.pool == ("journal",) for one in golden.questions)
    with open_workspace(folder) as space:
        told = [one for one in find_problems(golden, space.catalogue) if one.level == "error"]
    assert any("judged on the results of journal only" in one.message for one in told)
    assert "is there already" in str(run(folder, str(target)).exception)


def test_passages_that_are_gone_are_counted(logged):
    folder, found = logged
    key = found["Fog"].hits[0].passage.id
    reactions = (Reacted("up", key, 1.0, 1.0), Reacted("kept", "00", 1.0, 2.0))
    asked = Entry(
        key="1", time=1.0, text="Fog?", filters=(), collections=(), kept=(), abstained=False,
        ms=1.0,
        shown=(Shown(key, "document", "documents"),), reactions=reactions,
    )  # fmt: skip
    with open_workspace(folder) as space:
        golden, gone = propose_labels([asked], space.catalogue, name="x")
    assert gone == 1
    assert len(golden.questions[0].judgements) == 1
