from importlib.metadata import EntryPoint

import pytest

from consilience import plugins
from consilience.errors import UsageError


def test_built_ins_come_through_the_same_door():
    assert set(plugins.find("loaders")) >= {"text", "markdown", "html", "epub", "pdf", "table"}
    assert "general" in plugins.find("packs")
    assert set(plugins.find("embedders")) >= {"fine", "fastembed", "openai"}


@pytest.mark.parametrize("group", plugins.GROUPS)
def test_every_built_in_loads(group):
    for name in plugins.find(group):
        assert plugins.load(group, name) is not None


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown pack 'cooking'; known: .*general"):
        plugins.load("packs", "cooking")


def test_a_clash_is_refused_naming_both():
    mine = EntryPoint("general", "mine:PACK", "consilience.packs")
    yours = EntryPoint("general", "yours:PACK", "consilience.packs")
    with pytest.raises(UsageError, match=r"'general'.*mine:PACK.*yours:PACK.*uninstall one"):
        plugins.by_name("packs", [mine, yours])
    assert plugins.by_name("packs", [mine, mine]) == {"general": mine}
