"""What tests of the graph of places share: a small coast, and a source that walks it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from atlas_shared import place_passage, tie_passage, way_passage

from consilience.packs.travel.graph import PlaceGraph, PlaceStore
from consilience.types import Filter, Passage, Request, SourceReply
from consilience.understand.names import Mention, find_mentions, names_of


def suits(place: str, theme: str, strength: float, why: str = "") -> Passage:
    """A place that suits a theme."""
    return tie_passage(place, "SUITS", f"theme:{theme}", weight=strength, why=why)


def lies_in(place: str, whole: str) -> Passage:
    """A place that is in another."""
    return tie_passage(place, "LOCATED_IN", whole, weight=0.8)


def near(place: str, other: str, km: float) -> Passage:
    """Two places close to one another."""
    return tie_passage(place, "NEAR", other, weight=0.6, km=km)


def coast() -> list[Passage]:
    """Two towns with a beach, a temple, a trail, a restaurant and a hotel."""
    return [
        place_passage("lumen", "Lumen", "city", type="town"),
        place_passage("barrow", "Barrow", "city", type="town"),
        place_passage("strand", "Amber Strand", "attraction", type="beach", city="lumen",
                      slots=("morning", "afternoon")),
        place_passage("shrine", "Hill Shrine", "attraction", type="temple", city="barrow",
                      features=("stairs", "temple")),
        place_passage("ridge", "Long Ridge", "activity", type="trek", city="lumen",
                      features=("steep",)),
        place_passage("table", "Fig Table", "food", type="restaurant", city="lumen",
                      features=("vegetarian",), level="mid-range"),
        place_passage("inn", "Harbour Inn", "stay", type="hotel", city="barrow", level="budget"),
        suits("lumen", "romance", 0.9, "lamps along the quay"),
        suits("barrow", "romance", 0.5),
        suits("barrow", "history", 0.8),
        suits("strand", "beach", 0.9),
        suits("ridge", "hiking", 0.9),
        suits("ridge", "romance", 0.6),
        suits("table", "food", 0.8),
        suits("table", "romance", 0.7),
        suits("shrine", "spirituality", 0.9),
        lies_in("strand", "lumen"),
        lies_in("ridge", "lumen"),
        lies_in("table", "lumen"),
        lies_in("shrine", "barrow"),
        lies_in("inn", "barrow"),
        near("lumen", "strand", 5.2),
        tie_passage("table", "SERVES", "dish:fig tart", weight=0.9),
        tie_passage("lumen", "BEST_IN", "month:5", weight=0.7),
        tie_passage("lumen", "SIMILAR_TO", "barrow", weight=0.6),
        way_passage("lumen", "barrow", "train", 50, 8.0, weight=0.5),
    ]  # fmt: skip


class Walked:
    """The graph of some passages, and what a question finds in it."""

    def __init__(self, folder: Path, passages: Sequence[Passage]) -> None:
        self.passages = {one.id: one for one in passages}
        self.store = PlaceStore(folder / "graph.lbug")
        self.store.write(list(passages))
        self.source = PlaceGraph(self.store, "places/graph", lookup=self.known)

    def known(self, ids: Sequence[str]) -> dict[str, Passage]:
        return {key: self.passages[key] for key in ids if key in self.passages}

    def seeds(self, text: str) -> tuple[str, ...]:
        """The places that a text names, as the catalogue would find them."""
        table: dict[str, list[Mention]] = {}
        for passage in self.passages.values():
            for name in names_of(passage):
                if name.role == "node":
                    one = Mention(name.surface, "places", "node", "", name.value)
                    table.setdefault(name.surface, []).append(one)
        found = find_mentions(
            text, lambda runs: [one for run in runs for one in table.get(run, ())]
        )
        return tuple(dict.fromkeys(one.value for one in found))

    def tell(self, text: str, *, filters: tuple[Filter, ...] = (), limit: int = 20) -> SourceReply:
        request = Request(text=text, seeds=self.seeds(text), filters=filters)
        return asyncio.run(self.source.tell(request, limit=limit))

    def scores(self, text: str) -> dict[str, float]:
        """The places that a question finds, best first, with their scores."""
        return {one.id.removeprefix("p:"): one.score for one in self.tell(text).found}

    def reason(self, text: str, place: str) -> str:
        return dict(self.tell(text).reasons)[f"p:{place}"]
