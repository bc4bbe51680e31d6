"""Does any chain join the things that a question asks about? Where none does, that is said."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.plan import kind_of
from consilience.protocols import Lookup
from consilience.types import Ask, Note, Passage, Plan, Ranking

_PATH, _PATHS = "path", "paths"


def unjoined(rankings: Sequence[Ranking], todo: Plan, lookup: Lookup) -> list[Note]:
    """That no chain joins what a question names, where it asks how that connects."""
    if _PATH not in todo.cover:
        return []
    return [
        Note(ask.source, f"no chain of relations here joins {_names(ask)}")
        for ask in todo.asks
        if kind_of(ask.source) == _PATHS and not ask.skip and len(ask.request.seeds) > 1
        if not _joins(ask, rankings, lookup)
    ]


def _joins(ask: Ask, rankings: Sequence[Ranking], lookup: Lookup) -> bool:
    found = [one for ranking in rankings if ranking.source == ask.vote for one in ranking.found]
    known = lookup([one.id for one in found])
    told = (one.passage or known.get(one.id) for one in found)
    return any(_ends(one) <= {*ask.request.seeds} for one in told if one is not None)


def _ends(passage: Passage) -> set[str]:
    return {str(passage.metadata.get(end)) for end in ("source", "target")}


def _names(ask: Ask) -> str:
    return " and ".join(f"“{one}”" for one in ask.request.seeds)
