"""Every engine agrees with the reference, on random corpora, requests and filters."""

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from engines_shared import PASSAGE_ENGINES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.filters import parse_filter, passes
from consilience.stores.duckdb import SqlRows, TableStore
from consilience.stores.ladybug import GraphNodes, GraphPaths, GraphStore
from consilience.stores.passage_sources import DenseSource, WordSource
from consilience.stores.word_vectors import token_counts
from consilience.types import (
    OPERATORS,
    Combined,
    Filter,
    Locator,
    Passage,
    Request,
    Term,
    passage_id,
)
from memory_shared import ByCriteria, ByMeaning, ByNodes, ByPaths, ByWords, Memory
from memory_shared import words as plain_words

FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
WORDS = ("fox", "hen", "corn", "whale", "barn", "lens", "pawn")
FIELDS = (
    "year",
    "Year",
    "a.b",
    "x y",
    'q"t',
    "b[0]",
    "é",
    "2020",
    "",
    "a~b",
    "'; DROP TABLE t; --",
)
TEXTS = ("Straße", "STRASSE", "rasse", "İ", "", "5", "true", "a\0b", "\ud800", "100%", "o'hara")
DATES = ("1811-02", "1811-02-01", "1811-02-28", "1811-02-01T10:00", "1811-12-31 09:30")
NUMBERS = (
    0,
    1,
    -1,
    5,
    5.0,
    5.5,
    -0.0,
    2**53 + 1,
    2.0**53,
    2**63,
    -(2**70),
    10**60,
    1e300,
    0.1 + 0.2,
    1 / 3,
)

SCALARS = (*TEXTS, *DATES, *NUMBERS, True, False, float("nan"))

scalars = st.sampled_from(SCALARS)
values = st.one_of(scalars, st.lists(scalars, max_size=2).map(tuple))
metadata = st.dictionaries(st.sampled_from(FIELDS), values, max_size=4)
single = st.builds(
    Filter,
    st.sampled_from((*FIELDS, "kind", "title", "section", "page", "row", "table", "text", "id")),
    st.sampled_from(OPERATORS),
    scalars,
)
filters = st.recursive(
    single,
    lambda parts: st.one_of(
        st.builds(
            Combined,
            st.sampled_from(("and", "or")),
            st.lists(parts, min_size=2, max_size=3).map(tuple),
        ),
        st.builds(Combined, st.just("not"), st.tuples(parts)),
    ),
    max_leaves=4,
)
phrases = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


def make(text, *, kind="text", title="Lens", locator=None, **fields):
    place = locator or Locator()
    key = passage_id("shelf", kind, title, place, text)
    return Passage(
        id=key, collection="shelf", document="d", kind=kind, title=title, text=text,
        locator=place, metadata=fields,
    )  # fmt: skip


def lookup_in(passages):
    known = {passage.id: passage for passage in passages}
    return lambda ids: {key: known[key] for key in ids if key in known}


def ask(source, request, limit=50):
    return asyncio.run(source.retrieve(request, limit=limit))


def scores(found):
    return {one.id: one.score for one in found}


class Questions:
    def __init__(self, vector):
        self.vector = vector

    async def get(self, text):
        return np.array(self.vector, dtype=np.float32)


@pytest.fixture(scope="module", params=PASSAGE_ENGINES)
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def store(engine, tmp_path_factory):
    store = engine(tmp_path_factory.mktemp("passages"), 3, average_length=4.0)
    yield store
    store.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    store = TableStore(tmp_path_factory.mktemp("table") / "t.duckdb")
    yield store
    store.close()


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    store = GraphStore(tmp_path_factory.mktemp("graph") / "g.lbug")
    yield store
    store.close()


def refill(store, passages, vectors=None):
    store.remove(list(store.ids()))
    store.write(passages, vectors)


places = st.builds(
    Locator,
    section=st.lists(st.sampled_from(("Part I", "part i", "")), max_size=2).map(tuple),
    page=st.none() | st.integers(0, 2),
)


@FEW
@given(
    rows=st.lists(st.tuples(metadata, places), max_size=6),
    asked=st.lists(filters, min_size=1, max_size=2),
)
def test_filters_of_passages_mean_what_filters_mean(store, rows, asked):
    passages = [
        make(f"fox {at}", locator=place, **fields) for at, (fields, place) in enumerate(rows)
    ]
    refill(store, passages, np.ones((len(passages), 3), dtype=np.float32))
    source = DenseSource(
        store, "shelf/dense", vectors=Questions([1, 1, 1]), lookup=lookup_in(passages)
    )
    request = Request(text="fox", filters=tuple(asked))
    expected = {passage.id for passage in passages if passes(passage, asked)}
    assert scores(ask(source, request)).keys() == expected
    everything = [passage.id for passage in passages]
    assert asyncio.run(source.score(request, everything)).keys() == expected
    words = WordSource(store, "shelf/bm25", lookup=lookup_in(passages))
    assert asyncio.run(words.score(request, everything)).keys() == expected


@FEW
@given(
    rows=st.lists(
        st.tuples(metadata, st.sampled_from((None, "T", "t", 'x"; --', "\0"))), max_size=6
    ),
    criteria=st.lists(single, max_size=3),
    asked=st.lists(filters, max_size=1),
    limit=st.integers(1, 6),
)
def test_duckdb_ranks_rows_as_the_reference_does(table, rows, criteria, asked, limit):
    passages = [
        make(f"row {at}", kind="row", locator=Locator(table=name, row=at), **fields)
        for at, (fields, name) in enumerate(rows)
    ]
    refill(table, passages)
    request = Request(text="", criteria=tuple(criteria), filters=tuple(asked))
    reference = Memory("shelf/sql", "shelf", passages=passages, rank=ByCriteria())
    source = SqlRows(table, "shelf/sql", lookup=lookup_in(passages))
    assert list(ask(source, request, limit)) == list(ask(reference, request, limit))


EVERY = [Filter("x", operator, value) for operator in OPERATORS for value in SCALARS]
ALL = [
    make(f"row {at}", kind="row", locator=Locator(table="t", row=at), x=value)
    for at, value in enumerate((*SCALARS, (), ("a", 5), (True, "Rasse")))
] + [make("has no x", kind="row", locator=Locator(table="t"))]


def expected_by(condition):
    return {passage.id for passage in ALL if passes(passage, [condition])}


def test_passages_agree_on_every_operator_and_value(store):
    refill(store, ALL, np.ones((len(ALL), 3), dtype=np.float32))
    lookup = lookup_in(ALL)
    source = DenseSource(store, "shelf/dense", vectors=Questions([1, 1, 1]), lookup=lookup)
    for condition in EVERY:
        found = ask(source, Request(text="", filters=(condition,)))
        assert scores(found).keys() == expected_by(condition), condition


def test_duckdb_agrees_on_every_operator_and_value(table):
    simple = [one for one in ALL if one.value("x") in (None, *SCALARS) and one.value("x") != 10**60]
    # A value that no column takes changes how the field is asked.
    for rows, conditions in ((simple, EVERY), (ALL, EVERY[::3])):
        refill(table, rows)
        source = SqlRows(table, "shelf/sql", lookup=lookup_in(rows))
        for condition in conditions:
            found = ask(source, Request(text="", criteria=(condition,)))
            ids = {one.id for one in rows}
            assert scores(found).keys() == expected_by(condition) & ids, condition


@settings(FEW, max_examples=15)
@given(
    texts=st.lists(phrases, min_size=1, max_size=6),
    question=phrases,
    terms=st.lists(st.tuples(phrases, st.sampled_from((0.0, 0.3, 2.0))), max_size=2),
)
def test_bm25_is_the_reference_s(engine, texts, question, terms):
    passages = [make(f"{text} n{at}", title="Lens") for at, text in enumerate(texts)]
    counts = token_counts([passage.indexed for passage in passages])
    assert counts == [len(plain_words(passage.indexed)) for passage in passages]
    added = tuple(Term(text=text, weight=weight, origin="test") for text, weight in terms)
    request = Request(text=question, terms=added)
    reference = Memory("shelf/bm25", "shelf", passages=passages, rank=ByWords())
    with tempfile.TemporaryDirectory() as folder:
        store = engine(Path(folder), 1, average_length=sum(counts) / len(counts))
        store.write(passages, None)
        found = ask(WordSource(store, "shelf/bm25"), request)
        named = asyncio.run(
            WordSource(store, "shelf/bm25").score(request, [one.id for one in passages])
        )
        store.close()
    assert scores(found) == pytest.approx(scores(ask(reference, request)), rel=1e-5)
    assert named == pytest.approx(
        asyncio.run(reference.score(request, [one.id for one in passages])), rel=1e-5
    )


coordinates = st.tuples(*[st.integers(-3, 3)] * 3)


@FEW
@given(vectors=st.lists(coordinates, max_size=8), question=coordinates, limit=st.integers(1, 8))
def test_cosine_is_the_reference_s(store, vectors, question, limit):
    passages = [make(f"passage {at}") for at in range(len(vectors))]
    refill(store, passages, np.array(vectors, dtype=np.float32).reshape(-1, 3))
    rank = ByMeaning(
        dict(zip([one.id for one in passages], vectors, strict=True)), lambda _: question
    )
    reference = Memory("shelf/dense", "shelf", passages=passages, rank=rank)
    source = DenseSource(store, "shelf/dense", vectors=Questions(question))
    request = Request(text="q")
    found, expected = ask(source, request, limit), ask(reference, request, limit)
    assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-5)
    everything = scores(ask(reference, request))
    assert scores(found) == pytest.approx({one.id: everything[one.id] for one in found}, abs=1e-5)


NAMES = ("a", "b", "c", "d", "o'e", "f")
edges = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(("needs", "Uses")),
    st.sampled_from(NAMES),
    st.sampled_from((0.25, 0.5, 1.0, 2.0)),
)


@FEW
@given(
    nodes=st.sets(st.sampled_from(NAMES)),
    links=st.lists(edges, max_size=8),
    seeds=st.lists(st.sampled_from(NAMES), max_size=3),
    intents=st.sampled_from(((), ("NEEDS",), ("eats",))),
    asked=st.lists(
        st.sampled_from(
            (
                Filter("length", ">", 1),
                Filter("node", "!=", "A"),
                parse_filter("not length > 1 or node = A"),
            )
        ),
        max_size=1,
    ),
)
def test_ladybug_ranks_nodes_and_paths_as_the_reference_does(
    graph, nodes, links, seeds, intents, asked
):
    passages = [
        make(f"{at} {source} {relation} {target}", kind="edge", title=relation,
             source=source, relation=relation, target=target, weight=weight)
        for at, (source, relation, target, weight) in enumerate(links)
    ]  # fmt: skip
    passages += [make(f"about {key}", kind="node", node=key, name=key.upper()) for key in nodes]
    refill(graph, passages)
    request = Request(text="", seeds=tuple(seeds), intents=intents, filters=tuple(asked))
    lookup = lookup_in(passages)
    for rank, source in (
        (ByNodes(), GraphNodes(graph, "shelf/graph", lookup=lookup)),
        (ByPaths(), GraphPaths(graph, "shelf/paths", lookup=lookup)),
    ):
        reference = Memory(source.name, "shelf", passages=passages, rank=rank)
        assert list(ask(source, request, 200)) == list(ask(reference, request, 200))
        assert list(ask(source, request, 3)) == list(ask(reference, request, 3))


def test_a_filter_on_a_text_needs_a_lookup(store):
    passages = [make("fox one"), make("fox two")]
    refill(store, passages, np.ones((2, 3), dtype=np.float32))
    request = Request(text="fox", filters=(Filter("text", "contains", "TWO"),))
    found = ask(WordSource(store, "shelf/bm25", lookup=lookup_in(passages)), request)
    assert [one.id for one in found] == [passages[1].id]
    with pytest.raises(Exception, match="give the source a lookup"):
        ask(WordSource(store, "shelf/bm25"), replace(request, text="fox"))
