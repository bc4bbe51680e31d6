"""Every source keeps the same contract; the reference first."""

import numpy as np
import pytest
from engines_shared import PASSAGE_ENGINES

from consilience.stores.duckdb import SqlRows, TableStore
from consilience.stores.ladybug import GraphNodes, GraphPaths, GraphStore
from consilience.stores.passage_sources import DenseSource, WordSource
from consilience.stores.word_vectors import token_counts
from consilience.testing import (
    MEANING,
    NODES,
    PATHS,
    ROWS,
    VECTORS,
    WORDS,
    RetrieverContract,
)
from memory_shared import ByCriteria, ByMeaning, ByNodes, ByPaths, ByWords, Memory


class Questions:
    async def get(self, text):
        return np.array(VECTORS[text], dtype=np.float32)


@pytest.fixture(scope="module", params=PASSAGE_ENGINES)
def passages(request, tmp_path_factory):
    corpus = MEANING.corpus
    lengths = token_counts([passage.indexed for passage in corpus])
    store = request.param(
        tmp_path_factory.mktemp("passages"), 2, average_length=sum(lengths) / len(lengths)
    )
    store.write(corpus, np.array([VECTORS[one.id] for one in corpus], dtype=np.float32))
    yield store
    store.close()


class TestMemoryByMeaning(RetrieverContract):
    case = MEANING

    @pytest.fixture
    def retriever(self):
        rank = ByMeaning(VECTORS, VECTORS.__getitem__)
        return Memory("shelf/dense", "shelf", passages=MEANING.corpus, rank=rank)


class TestMemoryByWords(RetrieverContract):
    case = WORDS

    @pytest.fixture
    def retriever(self):
        return Memory("shelf/bm25", "shelf", passages=WORDS.corpus, rank=ByWords())


class TestMemoryByCriteria(RetrieverContract):
    case = ROWS

    @pytest.fixture
    def retriever(self):
        return Memory("shelf/sql", "shelf", passages=ROWS.corpus, rank=ByCriteria())


class TestMemoryByNodes(RetrieverContract):
    case = NODES

    @pytest.fixture
    def retriever(self):
        return Memory("shelf/graph", "shelf", passages=NODES.corpus, rank=ByNodes())


class TestMemoryByPaths(RetrieverContract):
    case = PATHS

    @pytest.fixture
    def retriever(self):
        return Memory("shelf/paths", "shelf", passages=PATHS.corpus, rank=ByPaths())


class TestByMeaning(RetrieverContract):
    case = MEANING

    @pytest.fixture
    def retriever(self, passages):
        return DenseSource(passages, "shelf/dense", vectors=Questions())


class TestByWords(RetrieverContract):
    case = WORDS

    @pytest.fixture
    def retriever(self, passages):
        return WordSource(passages, "shelf/bm25")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    store = TableStore(tmp_path_factory.mktemp("table") / "tables.duckdb")
    store.write(ROWS.corpus, None)
    yield store
    store.close()


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    store = GraphStore(tmp_path_factory.mktemp("graph") / "graph.lbug")
    store.write(NODES.corpus, None)
    yield store
    store.close()


def lookup_in(corpus):
    known = {passage.id: passage for passage in corpus}
    return lambda ids: {key: known[key] for key in ids if key in known}


class TestSqlRows(RetrieverContract):
    case = ROWS

    @pytest.fixture
    def retriever(self, table):
        return SqlRows(table, "shelf/sql")


class TestGraphNodes(RetrieverContract):
    case = NODES

    @pytest.fixture
    def retriever(self, graph):
        return GraphNodes(graph, "shelf/graph", lookup=lookup_in(NODES.corpus))


class TestGraphPaths(RetrieverContract):
    case = PATHS

    @pytest.fixture
    def retriever(self, graph):
        return GraphPaths(graph, "shelf/paths", lookup=lookup_in(PATHS.corpus))
