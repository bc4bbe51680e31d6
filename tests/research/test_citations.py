"""Works and citations: walked as a graph, shown, never searched as text, and missed by nobody."""

import asyncio
import json
import shutil
import sys
from dataclasses import replace

import pytest
from citations_shared import PAPERS, install, write_papers

from consilience.cli import main
from consilience.engine.refine import Refined, guarantee
from consilience.explain import why_not
from consilience.kinds import unsearched_kinds
from consilience.measure.derived_passages import edges_in
from consilience.measure.suggestions import generate_ideas
from consilience.open_stores import Stores
from consilience.protocols import StoreKind
from consilience.settings import build_settings
from consilience.stores.qdrant_edge import PASSAGES, EdgeStore
from consilience.stores.word_vectors import token_counts
from consilience.types import Hit, Locator, Query
from consilience.understand.names import names_of
from consilience.workspace import open_workspace

CITATIONS = 5


@pytest.fixture
def papers(tmp_path):
    return write_papers(tmp_path / "papers")


@pytest.fixture
def space(monkeypatch, opened, papers):
    install(monkeypatch)
    space = opened(pack="cited")
    space.add([papers])
    return space


def kinds(space):
    return {one.id: one.kind for one in space.catalogue.each("papers")}


def test_a_store_kind_says_what_it_takes():
    def opens(path, shelf):
        raise NotImplementedError

    rest = {"file": "f", "open": opens, "sources": lambda store, shelf: []}
    some = StoreKind(takes=lambda kind: kind == "a", **rest)
    assert (some.takes("a"), some.takes("b")) == (True, False)
    most = StoreKind(takes=lambda kind: kind != "b", **rest)
    assert (most.takes("a"), most.takes("b")) == (True, False)
    assert PASSAGES.takes("node")
    assert not PASSAGES.takes("citation")


def test_stores_are_asked_for_the_kinds_they_take_alone(tmp_path):
    stores = Stores(tmp_path, lambda name: None)
    assert stores.searched(["citation", "document", "work"]) == ["document"]
    assert dict(stores.absent("papers", ["work", "document", "citation"])) == {
        "passages": ["document"],
        "graph": ["citation", "work"],
    }
    assert [name for name, _ in stores.absent("papers", ["citation"])] == ["graph"]


def test_text_is_searched_and_citations_are_walked(space, embedder):
    known = kinds(space)
    texts = {key for key, kind in known.items() if kind == "document"}
    assert set(space.stores.passages("papers").ids()) == texts
    assert set(space.stores.store("papers", "graph").ids()) == known.keys() - texts
    assert sorted(known.values()).count("citation") == CITATIONS
    assert embedder.embedded == len(texts)
    found = space.search("a study of granite towers in the journal of towers").hits
    assert {hit.passage.kind for hit in found} == {"document"}


def test_only_what_is_searched_as_text_counts_as_searched(space):
    walked = [one for one in kinds(space).values() if one in unsearched_kinds()]
    assert walked
    assert space.engine.knowledge.sizes["papers"] == len(kinds(space)) - len(walked)


def test_nothing_is_reported_as_missing(space, papers, embedder):
    assert space.catalogue.pending_count() == 0
    assert space.remarks(space.search("granite").query) == []
    before = embedder.embedded
    again = space.add([papers])
    assert (again.unchanged, again.indexed) == (len(PAPERS), 0)
    assert embedder.embedded == before
    report = space.rebuild()
    assert (report.indexed, space.catalogue.pending_count()) == (len(kinds(space)), 0)
    test_text_is_searched_and_citations_are_walked(space, embedder=Embedded(3))


class Embedded:
    def __init__(self, embedded):
        self.embedded = embedded


@pytest.mark.parametrize("lost", ["passages", "graph.lbug"])
def test_a_lost_store_is_written_again_with_what_it_takes(space, opened, papers, embedder, lost):
    known = kinds(space)
    folder = space.folder
    space.close()
    for one in folder.rglob(lost):
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    before = embedder.embedded
    space = opened(pack="cited")
    report = space.add([papers])
    texts = {key for key, kind in known.items() if kind == "document"}
    missed = texts if lost == "passages" else known.keys() - texts
    assert report.indexed == len(missed)
    assert embedder.embedded - before == (len(texts) if lost == "passages" else 0)
    assert set(space.stores.passages("papers").ids()) == texts
    assert set(space.stores.store("papers", "graph").ids()) == known.keys() - texts
    assert space.add([papers]).indexed == 0


def test_a_passage_that_a_store_lost_is_all_that_is_written_again(space, papers):
    shard = space.stores.passages("papers")
    shard.remove([next(shard.ids())])
    assert space.add([papers]).indexed == 1
    assert space.add([papers]).indexed == 0


def test_counting_is_enough_where_nothing_was_lost(space, papers, monkeypatch):
    monkeypatch.setattr(EdgeStore, "ids", lambda _: pytest.fail("compared one by one"))
    assert space.add([papers]).indexed == 0


def test_each_store_is_handed_what_it_takes_with_its_vectors(monkeypatch, opened, papers):
    install(monkeypatch, stores=True)
    space = opened(pack="cited")
    space.add([papers])
    heard = space.stores.store("papers", "heard")
    assert {kind for kinds, _ in heard.calls for kind in kinds} == {"document", "citation"}
    assert sum(vectors for _, vectors in heard.calls) == len(PAPERS)
    assert all(vectors in (0, len(kinds)) for kinds, vectors in heard.calls)


class Reading:
    """A reranker that keeps what it has read, as `late` does."""

    name = "reading"

    async def rerank(self, text, passages):
        return [None for _ in passages]

    def ready(self, embedder):
        return True

    def prepare(self, texts, embedder):
        return embedder.embed(texts), [text.encode() for text in texts]

    def reads_from(self, kept):
        self.kept = kept


def test_only_what_is_searched_is_kept_for_a_reranker(space, papers, embedder):
    folder = space.folder
    space.close()
    settings = build_settings({"pack": "cited", "models.tokens": "keep"})
    with open_workspace(folder, settings=settings, embedder=embedder, reranker=Reading()) as again:
        assert again.add([papers]).indexed == len(PAPERS)
        texts = {key for key, kind in kinds(again).items() if kind == "document"}
        assert set(again.keeping.store.ids()) == texts
        assert again.add([papers]).indexed == 0


def test_words_of_references_do_not_count_for_the_average(space):
    texts = [one.indexed for one in space.catalogue.each("papers") if one.kind == "document"]
    mean = sum(token_counts(texts)) / len(texts)
    assert float(space.catalogue.fact("average:papers")) == pytest.approx(mean)
    assert space.catalogue.mean_words("papers") != pytest.approx(mean)


def test_a_collection_of_works_alone_has_no_store_of_text(monkeypatch, opened, tmp_path):
    install(monkeypatch)
    (tmp_path / "bare.md").write_text("WORK: bare 1999\n\nCITES: rubin 1974\n")
    space = opened(pack="cited")
    space.add([tmp_path / "bare.md"])
    assert set(kinds(space).values()) == {"work", "citation"}
    assert space.catalogue.pending_count() == 0
    assert sorted(space.engine.sources) == ["papers/graph", "papers/paths"]
    [chain] = space.paths("Bare (1999)", "Rubin 1974")
    assert chain.passage.kind == "citation"
    assert space.add([tmp_path / "bare.md"]).indexed == 0


def test_papers_that_go_take_their_citations_along(space, papers):
    space.remove([papers / "eskola.md"])
    left = kinds(space)
    assert sorted(left.values()).count("citation") == CITATIONS - 2
    held = {key for key, kind in left.items() if kind != "document"}
    assert set(space.stores.store("papers", "graph").ids()) == held


def test_works_are_named_by_key_title_and_aliases_and_citations_by_what_they_cite(passage):
    fields = {"node": "eskola 2018", "name": "How towers stand in waves", "aliases": ("Eskola",)}
    work = passage("w", kind="work", metadata=fields)
    assert {(one.surface, one.role, one.value) for one in names_of(work)} == {
        ("eskola 2018", "node", "eskola 2018"),
        ("how towers stand in waves", "node", "eskola 2018"),
        ("eskola", "node", "eskola 2018"),
    }
    edge = {"source": "a 1", "relation": "CITES", "target": "rubin 1974", "aliases": "Rubin et al."}
    names = names_of(passage("c", kind="citation", metadata=edge))
    assert {(one.surface, one.role) for one in names} == {
        ("cites", "relation"),
        ("rubin 1974", "node"),
        ("rubin et al", "node"),
    }


def test_a_title_that_may_be_the_name_of_a_thing_names_no_paper(passage):
    fields = {"node": "matching", "name": "Matching", "aliases": ("Moran (2001)", "matching")}
    names = names_of(passage("w", kind="work", metadata=fields))
    assert [one.surface for one in names] == ["moran 2001"]


def test_citations_are_walked_both_ways_by_any_name(space):
    best, *others = space.paths("Eskola 2018", "Rubin 1974")
    assert [(one.start, one.relation, one.end) for one in best.links] == [
        ("How granite towers stand against waves", "cites", "rubin 1974")
    ]
    assert best.passage.kind == "citation"
    assert [len(one.links) for one in others] == [2]
    [chain] = space.paths("Lund et al. (2020)", "Noor 1960")
    assert [one.end for one in chain.links] == ["Granite", "noor 1960"]
    back, *_ = space.paths("noor 1960", "How granite towers stand against waves")
    assert [one.forward for one in back.links] == [False, False]


def test_a_question_that_names_a_paper_finds_what_it_cites(space):
    found = space.search("Which works does Eskola (2018) cite?")
    assert {"work", "citation"} <= {hit.passage.kind for hit in found.hits}
    seeds = {one.source: one.request.seeds for one in found.trace.plan.asks}
    assert seeds["papers/paths"] == ("eskola 2018",)


def test_the_commands_show_and_walk_them(space, monkeypatch, capsys):
    key = next(key for key, kind in kinds(space).items() if kind == "citation")
    folder = space.folder
    (folder / "consilience.toml").write_text('pack = "cited"\n')
    space.close()

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["consilience", *words, "-w", str(folder)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().out

    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: space.embedder)
    code, out = run("show", key)
    assert (code, "Journal of Towers" in out) == (0, True)
    code, out = run("path", "Eskola 2018", "Rubin 1974")
    assert (code, "→ (cites) → rubin 1974" in out) == (0, True)
    code, out = run("status", "--json")
    status = json.loads(out)
    assert status["collections"]["papers"] == {"citation": CITATIONS, "document": 3, "work": 3}


def test_why_not_says_that_they_are_found_by_name(space):
    passages = {one.kind: one for one in space.catalogue.each("papers")}
    query = Query(text="how are lamps kept burning")
    for kind in ("work", "citation"):
        absence = asyncio.run(why_not(query, passages[kind], space.engine))
        assert f"papers/bm25: a {kind} has no text to search" in absence.reasons
        assert absence.remedy.startswith(f"name it in the question ({passages[kind].title})")


def test_no_question_is_made_of_a_reference(passage):
    made = {
        kind: passage(kind, kind=kind, locator=Locator(section=(f"Towers in a {kind}",)))
        for kind in ("document", "work", "citation")
    }
    found = generate_ideas(made.values(), count=50, seed=0)
    assert [one.text for one in found] == ["What is said about Towers in a document?"]


def test_a_path_of_citations_is_judged_by_them(space):
    known = {one.id for one in space.catalogue.each("papers") if one.kind == "citation"}
    assert set(edges_in(space.catalogue).values()) == known


def test_a_citation_that_joins_two_named_papers_has_its_place(space):
    query = Query(text="How is Eskola 2018 connected with Rubin 1974?")
    [chain, *_] = space.paths("Eskola 2018", "Rubin 1974")
    todo = replace(space.plan(query), cover={"path": 1})
    hits = tuple(Hit(passage=one, score=1.0) for one in space.catalogue.each("papers"))
    after = guarantee(Refined(hits=hits), todo, pinned=3, has=lambda *_: False)
    assert after.hits[0].passage == chain.passage
