from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from consilience import plugins
from consilience.errors import UsageError
from consilience.evidence.ingest import formats
from consilience.open_stores import Stores
from consilience.settings import Settings, build_settings


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


@pytest.fixture
def installed(monkeypatch):
    """As if the package of `plugin_example` were installed."""
    more = {
        "consilience.stores": EntryPoint("shouts", "plugin_example:SHOUTS", "consilience.stores"),
        "consilience.rerankers": EntryPoint(
            "shortest", "plugin_example:open_shortest", "consilience.rerankers"
        ),
    }
    real = plugins.entry_points
    monkeypatch.setattr(
        plugins,
        "entry_points",
        lambda group: [*real(group=group), *([more[group]] if group in more else [])],
    )


def test_a_store_of_a_third_party_is_written_asked_and_cleaned(installed, opened, evidence):
    (evidence / "storm.txt").write_text("Storms\n\nBreakers ahead! All hands!")
    space = opened(plugins={"shouts": {}})
    space.add([evidence])
    hit = space.search("anything to shout!", collections=["documents"]).hits[0]
    assert "Breakers" in hit.passage.text
    assert "documents/loud" in {vote.source for vote in hit.votes}
    assert not [
        one
        for one in space.search("nothing to shout").trace.outcomes
        if one.source == "documents/loud" and one.count
    ]
    space.remove([evidence / "storm.txt"])
    assert space.stores.store("documents", "shouts").ids == []


def test_a_reranker_by_name_is_used(installed, opened, evidence):
    wanted = {"models.rerank": "shortest", "refine.blend": 1, "refine.mmr": 1, "refine.share": 1}
    space = opened(**wanted)
    space.add([evidence])
    lengths = [len(hit.passage.text) for hit in space.search("tower on a reef").hits]
    assert lengths == sorted(lengths)
    space.close()
    with pytest.raises(UsageError, match=r"unknown reranker 'nobody'; known: .*shortest"):
        opened(**{"models.rerank": "nobody"}).search("tower")


def test_the_loader_in_the_docs_works(tmp_path):
    page = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    (tmp_path / "a.log").write_text("first\nsecond\n")
    document = names["LOADER"].load(tmp_path / "a.log")
    assert [(one.text, one.locator.row) for one in document.blocks] == [("first", 1), ("second", 2)]


def test_a_pack_s_own_loader_reads_in_its_workspaces_only():
    general, own = formats("general"), formats("finance")
    assert general[".pdf"][0] == "pdf"
    assert own[".pdf"][0] == "reports"
    assert own[".epub"] == general[".epub"]


def test_a_pack_s_own_store_stands_in_for_the_general_one(tmp_path):
    def names(pack):
        return set(Stores(tmp_path, lambda name: None, settings=Settings(pack=pack))._kinds)

    assert {"tables", "figures"} & names("general") == {"tables"}
    assert {"tables", "figures"} & names("finance") == {"figures"}


def test_a_third_party_plug_in_is_active_only_where_the_settings_enable_it(installed):
    assert "shouts" not in plugins.active("stores", Settings())
    enabled = build_settings({"plugins": {"shouts": {"volume": 3}}})
    assert "shouts" in plugins.active("stores", enabled)
    assert enabled.plugin("shouts") == {"volume": 3}
    assert set(plugins.active("stores", Settings())) < set(plugins.find("stores"))


@pytest.mark.parametrize(
    ("value", "key"), [({"shouts": 3}, "plugins.shouts"), ({"a": {"b": [1]}}, "plugins.a.b")]
)
def test_a_wrong_table_of_a_plug_in_is_refused_by_its_key(value, key):
    with pytest.raises(UsageError, match=f"'{key}'"):
        build_settings({"plugins": value})


def test_a_store_that_cannot_be_imported_is_left_out_with_a_note(monkeypatch, opened, evidence):
    broken = EntryPoint("broken", "no_such_module:KIND", "consilience.stores")
    real = plugins.entry_points
    monkeypatch.setattr(
        plugins,
        "entry_points",
        lambda group: [*real(group=group), *([broken] if group == broken.group else [])],
    )
    space = opened(plugins={"broken": {}})
    space.add([evidence])
    result = space.search("tower on a reef")
    assert result.hits
    assert [note for note in result.notes if "'broken' is left out" in note.message]
