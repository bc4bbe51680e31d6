"""Plug-ins as a third party writes them: found, switched on, replaced, broken. Docs code runs."""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qs, urlsplit

import pytest

import plugin_example
from consilience import explain, kinds, plugins
from consilience.errors import MissingExtra, StoreError, UsageError
from consilience.evidence.ingest import formats
from consilience.open_stores import Stores
from consilience.pack import Drawing, Pack
from consilience.protocols import Format, StoreKind
from consilience.settings import Settings, build_settings
from consilience.testing import FederatedContract
from consilience.workspace import init_workspace

PAGE = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")


def code_below(heading: str) -> ModuleType:
    """The module that the Python blocks of a section of the docs are, as `my_package`."""
    section = re.split(rf"^#+ {heading}$", PAGE, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", re.sub(r"^(\s*)# ", r"\1", section), flags=re.MULTILINE)[0]
    module = ModuleType("my_package")
    sys.modules["my_package"] = module
    for block in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL):
        exec(compile(block, "docs/plugins.md", "exec"), module.__dict__)
    return module


@pytest.fixture
def install(monkeypatch):
    """Install plug-ins as if they came from other distributions."""
    points, real = [], plugins.entry_points
    monkeypatch.setattr(
        plugins,
        "entry_points",
        lambda group: [*real(group=group), *(one for one in points if one.group == group)],
    )

    def add(group, name, value):
        points.append(EntryPoint(name, value, plugins.GROUPS[group]))

    yield add
    sys.modules.pop("my_package", None)


# --- which are active -------------------------------------------------------------------


@pytest.mark.parametrize("group", plugins.GROUPS)
def test_every_built_in_loads(group):
    for name in plugins.find(group):
        assert plugins.load(group, name) is not None
    assert group in ("federated", "servers") or plugins.find(group)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown pack 'cooking'; known: .*general"):
        plugins.load("packs", "cooking")


def test_a_clash_is_refused_naming_both():
    mine = EntryPoint("general", "mine:PACK", "consilience.packs")
    yours = EntryPoint("general", "yours:PACK", "consilience.packs")
    with pytest.raises(UsageError, match=r"'general'.*mine:PACK.*yours:PACK.*uninstall one"):
        plugins.by_name("packs", [mine, yours])
    assert plugins.by_name("packs", [mine, mine]) == {"general": mine}


def test_a_third_party_plug_in_is_active_only_where_the_settings_enable_it(install):
    install("stores", "shouts", "plugin_example:SHOUTS")
    assert "shouts" not in plugins.active("stores", Settings())
    enabled = build_settings({"plugins": {"shouts": {"volume": 3}}})
    assert plugins.load_active("stores", enabled).found["shouts"] is plugin_example.SHOUTS
    assert enabled.plugin("shouts") == {"volume": 3}


@pytest.mark.parametrize(
    ("value", "key"), [({"shouts": 3}, "plugins.shouts"), ({"a": {"b": [1]}}, "plugins.a.b")]
)
def test_a_wrong_table_of_a_plug_in_is_refused_by_its_key(value, key):
    with pytest.raises(UsageError, match=f"'{key}'"):
        build_settings({"plugins": value})


def test_a_pack_s_own_loader_and_store_take_precedence_in_its_workspaces_only(tmp_path):
    general, own = formats("general"), formats("finance")
    assert (general[".pdf"][0], own[".pdf"][0]) == ("pdf", "reports")
    assert own[".epub"] == general[".epub"]

    def names(pack):
        return set(Stores(tmp_path, lambda name: None, settings=Settings(pack=pack))._kinds)

    assert {"tables", "figures"} & names("general") == {"tables"}
    assert {"tables", "figures"} & names("finance") == {"figures"}


def test_the_settings_switch_a_loader_and_hand_it_its_table(install, tmp_path):
    code_below("A loader")
    install("loaders", "log", "my_package:open_loader")
    (tmp_path / "a.trace").write_text("INFO first\nDEBUG second\n")
    assert ".trace" not in formats("general")
    for table, rows in (({}, [1, 2]), ({"skip": "DEBUG"}, [1])):
        name, loader = formats("general", {"log": table})[".trace"]
        assert name == "log"
        blocks = loader.load(tmp_path / "a.trace").blocks
        assert [block.locator.row for block in blocks] == rows


# --- stores -----------------------------------------------------------------------------


def test_a_store_of_a_third_party_is_written_asked_and_cleaned(install, opened, evidence):
    install("stores", "shouts", "plugin_example:SHOUTS")
    (evidence / "storm.txt").write_text("Storms\n\nBreakers ahead! All hands!")
    space = opened(plugins={"shouts": {}})
    space.add([evidence])
    hit = space.search("anything to shout!", collections=["documents"]).hits[0]
    assert "Breakers" in hit.passage.text
    assert "documents/loud" in {vote.source for vote in hit.votes}
    space.remove([evidence / "storm.txt"])
    assert space.stores.store("documents", "shouts").ids == []


def test_another_store_really_replaces_the_one_for_passages(install, opened, evidence):
    code_below("Another store for passages")
    install("stores", "words", "my_package:WORDS")
    space = opened(plugins={"words": {}})
    space.add([evidence])
    result = space.search("who built a tower on a reef?")
    assert "Stevenson" in result.hits[0].passage.text
    sources = {outcome.source for outcome in result.trace.outcomes}
    assert "documents/shared" in sources
    assert not {"documents/dense", "documents/bm25"} & sources
    assert not list(space.folder.rglob("collections/*/passages"))
    space.remove([evidence / "towers.md"])
    assert all("reef" not in hit.passage.text for hit in space.search("tower reef").hits)
    space.close()
    again = opened(plugins={"words": {}})
    assert again.search("prisms in rings around a lamp").hits
    again.close()
    embedded = opened()  # back to the one that ships: what it lacks is written
    embedded.add([])
    assert embedded.stores.passages("documents").count() == 1
    assert "Fresnel" in embedded.search("prisms around a lamp").hits[0].passage.text


class Frail(plugin_example.Shouts):
    """Fails at what it is told to."""

    broken = frozenset()

    def __init__(self, path):
        if "open" in self.broken:
            raise OSError("the disk is gone")
        super().__init__(path)

    def write(self, passages, vectors):
        if "write" in self.broken:
            raise OSError("the disk is gone")
        super().write(passages, vectors)

    def remove(self, ids):
        if "write" in self.broken:
            raise OSError("the disk is gone")
        super().remove(ids)


FRAIL = StoreKind(
    takes=lambda kind: kind == "document",
    file="frail.json",
    open=lambda path, shelf: Frail(path),
    sources=lambda store, shelf: [plugin_example.Loud(store, shelf)],
)


@pytest.mark.parametrize("fault", ["open", "write"])
def test_a_store_that_breaks_blocks_no_other_and_catches_up(
    fault, install, opened, evidence, monkeypatch
):
    install("stores", "frail", "test_plugins:FRAIL")
    (evidence / "storm.txt").write_text("Storms\n\nBreakers ahead!")
    monkeypatch.setattr(Frail, "broken", {fault})
    space = opened(plugins={"frail": {}})
    report = space.add([evidence])
    assert any("'documents/frail'" in text and "disk" in text for _, text in report.notes)
    result = space.search("tower on a reef")
    assert "Stevenson" in result.hits[0].passage.text
    state = "is left out" if fault == "open" else "is not complete"
    assert any(f"'documents/frail' {state}" in note.message for note in result.notes)
    assert not space.catalogue.pending_count()
    (evidence / "storm.txt").unlink()
    (evidence / "gale.txt").write_text("Gales\n\nLand ahoy!")
    space.add([])
    space.close()
    monkeypatch.setattr(Frail, "broken", set())
    again = opened(plugins={"frail": {}})
    if fault == "write":  # it opens, and lacks what came meanwhile
        notes = again.search("land!").notes
        assert any("'documents/frail' is not complete" in note.message for note in notes)
    assert not again.add([]).notes
    assert "ahoy" in again.search("shout!", collections=["documents"]).hits[0].passage.text
    assert len(again.stores.store("documents", "frail").ids) == 1


def test_a_damaged_table_file_costs_its_own_source(opened, evidence):
    space = opened()
    space.add([evidence])
    space.close()
    path = space.folder / ".consilience" / "collections" / "tables" / "tables.duckdb"
    path.write_bytes(b"\x00" * 9000)
    result = opened().search("how tall is Bell Rock in Scotland")
    assert result.hits
    message = next(note.message for note in result.notes if "'tables/tables'" in note.message)
    assert "if it is damaged, delete it" in message


def test_a_store_for_passages_that_breaks_keeps_its_queue(opened, evidence):
    space = opened()
    space.stores._kinds["passages"] = StoreKind(
        takes=lambda kind: True, file="p", open=lambda path, shelf: 1 / 0, sources=lambda *_: []
    )
    with pytest.raises(StoreError, match=r"/passages' cannot be used: ZeroDivisionError"):
        space.add([evidence])
    assert space.catalogue.pending_count()
    assert len(list(space.stores.store("tables", "tables").ids())) == 3
    assert list(space.stores.store("graph", "graph").ids())


# --- federated sources ------------------------------------------------------------------

PAGES = [
    {"title": "Bell Rock", "url": "https://wiki.example/bell", "text": "Bell Rock stands on a "
     "reef called Inchcape, eleven miles off Angus; its tower was first lit in 1811."},
    {"title": "Skerryvore", "url": "https://wiki.example/skerry", "text": "Skerryvore is a "
     "granite tower that Alan Stevenson built on a remote reef in 1844."},
]  # fmt: skip


@pytest.fixture(scope="module")
def wiki_address():
    """A wiki with its own search: pages by how many words of the question they have."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = {name: value[0] for name, value in parse_qs(urlsplit(self.path).query).items()}
            wanted = set(re.findall(r"\w+", asked["q"].lower()))
            scored = [
                {**page, "score": len(wanted & set(re.findall(r"\w+", page["text"].lower())))}
                for page in PAGES
            ]
            found = sorted((page for page in scored if page["score"]), key=lambda p: -p["score"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"pages": found[: int(asked["limit"])]}).encode())

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/search"
    server.shutdown()
    server.server_close()


class TestWiki(FederatedContract):
    question = "reef tower"
    nothing = "zebra"

    @pytest.fixture
    def federated(self, wiki_address):
        return code_below("A federated source").Wiki(wiki_address)


def test_a_federated_source_is_fused_cited_and_explained(install, opened, evidence, wiki_address):
    code_below("A federated source")
    install("federated", "wiki", "my_package:open_wiki")
    space = opened(plugins={"wiki": {"address": wiki_address}})
    space.add([evidence])
    question = "When was the tower on the reef Inchcape first lit?"
    result = space.search(question)
    collections = {hit.passage.collection for hit in result.hits}
    assert {"wiki", "documents"} <= collections
    hit = next(hit for hit in result.hits if hit.passage.title == "Bell Rock")
    assert hit.passage.document == hit.passage.metadata["link"] == "https://wiki.example/bell"
    total = sum(vote.contribution for vote in hit.votes) + sum(one.delta for one in hit.changes)
    assert total == pytest.approx(hit.score)
    explained = explain.explain_result(result, space.engine, hit.passage.id)
    assert any("wiki/federated" in line for line in explained.hits[0].lines)
    answer = space.ask(question)
    cited = [exhibit.passage.document for exhibit in answer.exhibits]
    assert "https://wiki.example/bell" in cited
    assert [hit.passage.collection for hit in space.search("reef", collections=["wiki"]).hits] == [
        "wiki",
        "wiki",
    ]
    with pytest.raises(UsageError):  # nothing of it was copied
        space.catalogue.resolve(hit.passage.id)
    assert "wiki" not in space.catalogue.counts()


def test_a_federated_source_that_is_gone_costs_a_note(install, opened, evidence):
    code_below("A federated source")
    install("federated", "wiki", "my_package:open_wiki")
    install("federated", "lost", "no_such_module:open")
    space = opened(plugins={"wiki": {"address": "http://127.0.0.1:9/"}, "lost": {}})
    space.add([evidence])
    result = space.search("tower on a reef")
    assert "Stevenson" in result.hits[0].passage.text
    assert [note for note in result.notes if note.origin == "wiki/federated"]
    assert any("'lost' is left out" in note.message for note in result.notes)


# --- models, and what is broken ---------------------------------------------------------


def test_a_reranker_by_name_is_used(install, opened, evidence):
    install("rerankers", "shortest", "plugin_example:open_shortest")
    wanted = {"models.rerank": "shortest", "refine.blend": 1, "refine.mmr": 1, "refine.share": 1}
    space = opened(**wanted)
    space.add([evidence])
    lengths = [len(hit.passage.text) for hit in space.search("tower on a reef").hits]
    assert lengths == sorted(lengths)
    space.close()
    with pytest.raises(UsageError, match=r"unknown reranker 'nobody'; known: .*shortest"):
        opened(**{"models.rerank": "nobody"}).search("tower")


WRONG = "no Format"


def test_broken_plug_ins_cost_themselves_and_doctor_names_them(install, opened, evidence, run):
    install("loaders", "lost", "no_such_module:LOADER")
    install("loaders", "wrong", "test_plugins:WRONG")
    install("stores", "broken", "no_such_module:KIND")
    install("rerankers", "gone", "no_such_module:open")
    tables = {"lost": {}, "wrong": {}, "broken": {}}
    space = opened(plugins=tables)
    space.add([evidence])
    result = space.search("tower on a reef")
    assert result.hits
    assert [note for note in result.notes if "'broken' is left out" in note.message]
    space.close()
    (space.folder / "consilience.toml").write_text(
        'pack = "general"\nmodels.embed = "fast"\nmodels.rerank = "none"\n'
        + "".join(f"[plugins.{name}]\n" for name in tables)
    )
    status, out, _ = run("doctor", "-w", space.folder)
    assert status == 1
    assert re.search(r"loaders lost: cannot be loaded: ModuleNotFoundError.*uninstall", out)
    assert "loaders wrong: cannot be loaded: TypeError: it is a str and not a Format" in out
    assert "stores broken: cannot be loaded" in out
    with pytest.raises(UsageError, match=r"reranker 'gone' cannot be loaded: .*no_such_module"):
        opened(**{"models.rerank": "gone"}).search("tower")


def test_a_pack_without_its_extra_is_absent_and_breaks_no_other(
    install, opened, evidence, monkeypatch, tmp_path
):
    for name in [name for name in sys.modules if name.startswith("consilience.packs.travel")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opening_hours", None)
    space = opened()
    assert space.add([evidence]).read
    assert space.search("tower on a reef").hits
    assert not any("travel" in name for name in space.stores.failed)
    assert ".md" in formats("general")
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[travel\]'"):
        init_workspace(tmp_path / "trips", pack="travel")


def test_a_broken_kind_is_named(monkeypatch):
    lost = EntryPoint("lost", "no_such_module:KINDS", kinds.GROUP)
    kinds.load_kinds.cache_clear()
    monkeypatch.setattr(kinds, "entry_points", lambda group: [lost])
    assert "no_such_module" in kinds.load_kinds()[1]["lost"]
    kinds.load_kinds.cache_clear()


@pytest.mark.parametrize(
    ("heading", "name", "kind"),
    [
        ("A loader", "LOADER", Format),
        ("A kind of passage", "KINDS", tuple),
        ("An embedder", "Letters", type),
        ("A reranker", "Shortest", type),
        ("A language model", "Echo", type),
        ("A store and its sources", "CODES", StoreKind),
        ("Questions", "PACK", Pack),
        ("Answers", "DRAWING", Drawing),
    ],
)
def test_every_example_of_the_docs_runs(heading, name, kind):
    assert isinstance(getattr(code_below(heading), name), kind)
