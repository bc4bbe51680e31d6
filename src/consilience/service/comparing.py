"""How do two ways of asking compare on one question? Settings, or collections, side by side.

Whoever may ask may compare, so what a side can change is bounded: nothing that needs another
index, a download, another address, or much more work than a question takes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from consilience.errors import UsageError
from consilience.fuse import FUSERS
from consilience.service.buckets import Asking
from consilience.service.core import Space
from consilience.service.views import how
from consilience.settings import TABLE, Settings
from consilience.types import Hit, Query, Result
from consilience.workspace.varying import Variant, differences, varied

OWN, OTHER, WITHIN = "settings", "other", "in:"
FIRST = 10
"""Places that are compared."""
_KEPT = 8  # ways of asking that are kept ready, of each workspace
_FREE = frozenset(row.name for row in TABLE if row.name.startswith(("fusion.", "refine."))) - {
    "refine.rerank_ms"
}
_BOUNDED: Mapping[str, int] = {
    "retrieve.depth": 500,
    "refine.window": 200,
    "refine.rerank": 200,
    "answer.passages": 50,
    "answer.each": 50,
}
_LARGEST = 1_000_000  # of any number: far beyond what makes a difference
_OPEN = _FREE | set(_BOUNDED) | {"answer.length", "answer.relevant", "answer.unsupported"}
_TRIED = (
    ("fusion.method=rrf", "fused by ranks alone (rrf)"),
    ("fusion.alpha=1", "meaning before words"),
    ("fusion.alpha=0", "words before meaning"),
    ("models.rerank=none", "without the reranker"),
    ("refine.mmr=1", "without diversity"),
)
_DEFAULTS = {row.name: row.default for row in TABLE}
_RERANKERS = ("none", "late", "auto")
_MEANT = (
    f"`{OWN}` (the workspace's own), `{OTHER}` (those of `serve.other`), a collection "
    "(`in:books`), or changed settings (`fusion.method=rrf,refine.mmr=1`)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One way of asking: as it was named, what answers, and where."""

    named: str
    asking: Asking
    settings: Settings
    changes: Mapping[str, Any]
    collections: tuple[str, ...] = ()

    def query(self, query: Query) -> Query:
        """A query as this side asks it."""
        return replace(query, collections=self.collections) if self.collections else query


class Sides:
    """Ways of asking by name; the last few are kept ready."""

    def __init__(self) -> None:
        self._ready: OrderedDict[tuple[str, str], Variant] = OrderedDict()
        self._lock = Lock()

    def side(self, space: Space, named: str) -> Side:
        """The way of asking that a text names: `settings`, `other`, `in:books`, `fusion.k=10` or
        several of these with commas between.
        """
        base, collections, changes = _read(named)
        _check_collections(space, collections)
        own, other = space.workspace.settings, space.buckets.other
        if base == OTHER and other is None:
            raise UsageError(f"{OTHER!r}: the setting `serve.other` names no second settings here")
        start = other.settings if base == OTHER and other is not None else own
        settings = _changed(start, changes) if changes else start
        return Side(
            named=named,
            asking=self._asking(space, settings),
            settings=settings,
            changes=differences(own, settings),
            collections=collections,
        )

    def _asking(self, space: Space, settings: Settings) -> Asking:
        other = space.buckets.other
        if settings == space.workspace.settings:
            return space.workspace
        if other is not None and settings == other.settings:
            return other
        key = (space.name, repr(settings))
        with self._lock:
            found = self._ready.pop(key, None) or Variant(space.workspace, settings)
            self._ready[key] = found
            while len(self._ready) > _KEPT:
                self._ready.popitem(last=False)
            return found


def second(space: Space) -> str:
    """The other side where nobody names one: the second settings, else what differs the most."""
    if space.buckets.other is not None:
        return OTHER
    own = space.workspace.settings
    changes = ((named, dict([named.split("=")])) for named, _ in _TRIED)
    return next((named for named, change in changes if varied(own, change) != own), OWN)


def ways(space: Space) -> list[dict[str, str]]:
    """Ways of asking to choose from, each as it is named and in words."""
    own = [{"named": OWN, "words": "the settings of the workspace"}]
    if space.buckets.other is not None:
        other = space.workspace.settings.serve.other
        own.append({"named": OTHER, "words": f"the settings of {other}"})
    within = [
        {"named": f"{WITHIN}{name}", "words": f"the collection {name} alone"}
        for name in sorted(space.workspace.catalogue.counts())
    ]
    return [*own, *within, *({"named": named, "words": words} for named, words in _TRIED)]


def told(
    query: Query, a: tuple[Side, dict[str, Any], Result], b: tuple[Side, dict[str, Any], Result]
) -> dict[str, Any]:
    """Both sides as JSON: what each found, how many of the first ten they share, who moved."""
    ours, theirs = (one[2].hits for one in (a, b))
    first = [{hit.passage.id for hit in hits[:FIRST]} for hits in (ours, theirs)]
    return {
        "query": query.text,
        "a": _view(*a),
        "b": _view(*b),
        "same": len(first[0] & first[1]),
        "moved": _moved(ours, theirs),
    }


def _view(side: Side, found: dict[str, Any], result: Result) -> dict[str, Any]:
    """What a side found, with what it did otherwise than the workspace by itself."""
    return {
        "named": side.named,
        "settings": dict(side.changes),
        "collections": list(side.collections),
        **found,
        "fusion": how(side.settings.fusion, result),
    }


def _moved(ours: Sequence[Hit], theirs: Sequence[Hit]) -> list[dict[str, Any]]:
    """Every passage with its place on either side, None where it is not shown there."""
    places = [
        {hit.passage.id: place for place, hit in enumerate(hits, start=1)}
        for hits in (ours, theirs)
    ]
    titles = {hit.passage.id: hit.passage.title for hit in (*theirs, *ours)}
    keys = dict.fromkeys(hit.passage.id for hit in (*ours, *theirs))
    return [
        {"passage": key, "title": titles[key], "a": places[0].get(key), "b": places[1].get(key)}
        for key in keys
    ]


# --- reading what a side is -------------------------------------------------------------


def _read(named: str) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """`in:books,fusion.k=10` in its parts; weights have commas of their own."""
    base, collections, changes, last = OWN, list[str](), dict[str, str](), ""
    for part in filter(None, (one.strip() for one in named.split(","))):
        name, equals, value = (one.strip() for one in part.partition("="))
        if part in (OWN, OTHER):
            base = part
        elif part.startswith(WITHIN):
            collections.append(part.removeprefix(WITHIN).strip())
        elif equals and "." in name:
            last, changes[name] = name, value
        elif equals and isinstance(_DEFAULTS.get(last), dict):
            changes[last] += f",{part}"
        else:
            raise UsageError(f"{part[:100]!r} is no way of asking; name {_MEANT}")
    return base, tuple(collections), changes


def _changed(settings: Settings, changes: Mapping[str, str]) -> Settings:
    """Settings with changes that anybody may make for one question."""
    for name, value in changes.items():
        if name not in _DEFAULTS:
            raise UsageError(f"unknown setting {name[:60]!r}; `consilience settings` lists them")
        if name == "models.rerank":
            if value not in _RERANKERS:
                raise UsageError(f"{name} can be compared with {', '.join(_RERANKERS)} here")
        elif name not in _OPEN:
            raise UsageError(
                f"{name} cannot be changed for one question: it decides what is built, reached or "
                "spent. Whoever runs the server can, in the file of `serve.other`"
            )
    changed = varied(settings, changes)
    for name in changes:
        section, _, last = name.partition(".")
        value, most = getattr(getattr(changed, section), last), _BOUNDED.get(name, _LARGEST)
        if isinstance(value, (int, float)) and value > most:
            raise UsageError(f"{name} is {changes[name]}; for one question it is {most:,} at most")
    for fuser in (changed.fusion.method, changed.fusion.across):
        if fuser not in FUSERS:
            raise UsageError(f"unknown fusion method {fuser[:60]!r}; known: {', '.join(FUSERS)}")
    return changed


def _check_collections(space: Space, wanted: Sequence[str]) -> None:
    known = space.workspace.catalogue.counts()
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"there is no collection {name[:60]!r}; there are {', '.join(sorted(known))}"
            )
