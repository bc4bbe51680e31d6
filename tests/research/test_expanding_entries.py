"""Every entry of the table finds what could not be found without it, with the real BM25.

For each name of each entry there are two passages of invented words: one that has the name, and a
decoy that has in its place only the words it shares with the question. Asked by another name, the
passage is found above its decoy with expansion, and not without.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import pytest

from consilience.engine.plan import Knowledge, plan
from consilience.packs.research import PACK
from consilience.packs.research.expanding import TABLE
from consilience.packs.research.table import read_table
from consilience.settings import build_settings
from consilience.stores.passage_sources import SPARSE
from consilience.stores.qdrant_edge import EdgeStore
from consilience.types import ID_LENGTH, Query
from consilience.understand.names import surface
from tests_shared import make_passage

ENTRIES = read_table(TABLE).entries
ASKED = (
    "kindly gloam wend brisk plume tarry hollow sprig furl thatch quell nimble crag lull {} dusk"
)
"""A question that has room for all names of an entry; its words are in no passage."""
KNOWLEDGE = Knowledge(
    sources={"papers/bm25": "papers"},
    sizes={"papers": 1},
    pack=PACK,
    settings=build_settings({}),
    mentions=lambda surfaces: (),
    aliases=lambda node, collection: (),
    synonyms={},
)


@dataclass(frozen=True)
class Case:
    """A passage that has one name of an entry only, asked for by another one."""

    asked: str
    name: str

    def key(self, kind):
        return hashlib.sha256(f"{kind} {self.asked} {self.name}".encode()).hexdigest()[:ID_LENGTH]

    def passages(self, stems):
        shared = stems(self.asked)
        decoy = [word if stems(word) <= shared else "zorbel" for word in surface(self.name).split()]
        told = {"target": self.name, "decoy": " ".join(decoy)}
        return [
            make_passage(self.key(kind), f"Vexil {text} ormand.", title="Quathe")
            for kind, text in told.items()
        ]


def cases_of(entry, stems):
    """Each name is asked for by the first name that has other words, and finds it in turn."""
    found = {}
    for name in entry.names:
        others = [one for one in entry.names if not stems(one) <= stems(name)]
        back = [one for one in entry.names if not stems(name) <= stems(one)]
        found.update((Case(asked=name, name=one), None) for one in others[:1])
        found.update((Case(asked=one, name=name), None) for one in back[:1])
    return list(found)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = EdgeStore(tmp_path_factory.mktemp("entries"), 1, average_length=4.0)
    yield store
    store.close()


@pytest.fixture(scope="module")
def stems(store):
    """The words of a text as the engine counts them: without stop words and endings."""
    return cache(lambda text: frozenset(store.words(text, ()).indices))


@pytest.fixture(scope="module")
def cases(store, stems):
    """All cases, and their passages written to the store."""
    of = {entry.names: cases_of(entry, stems) for entry in ENTRIES}
    passages = [one for found in of.values() for case in found for one in case.passages(stems)]
    store.write(list({one.id: one for one in passages}.values()), None)
    return of


def lead_over_decoy(case, store, *, expand):
    """By how much the passage's score is above its decoy's; what is not found scores 0."""
    query = Query(text=ASKED.format(case.asked), expand=expand)
    request = plan(query, KNOWLEDGE).asks[0].request
    vector = store.words(request.text, request.terms)
    found = {
        one.id: one.score for one in store.search(vector, SPARSE, only=None, limit=5000, exact=True)
    }
    return found.get(case.key("target"), 0.0) - found.get(case.key("decoy"), 0.0)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.names[0])
def test_every_name_finds_a_passage_that_has_only_another_one(entry, store, cases):
    proven = {name for case in cases[entry.names] for name in (case.asked, case.name)}
    assert proven == {*entry.names}
    for case in cases[entry.names]:
        assert lead_over_decoy(case, store, expand=True) > 1e-6, case
        assert lead_over_decoy(case, store, expand=False) <= 1e-6, case


def test_there_are_entries_enough():
    assert len(ENTRIES) >= 120
