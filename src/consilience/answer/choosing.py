"""Which of what was found is an answer written from? The best, and enough of every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from consilience.settings import Answering
from consilience.types import Emphasis, Exhibit, Hit, Length

_SHARES: Mapping[Length, Fraction] = {
    "concise": Fraction(2, 3),
    "balanced": Fraction(1),
    "in-depth": Fraction(5, 3),
}
_GAMES = "game"
_FIRST = 10  # places in which the best of a kind is taken whatever its relevance


def choose(hits: Sequence[Hit], settings: Answering, *, length: Length) -> tuple[Hit, ...]:
    """The first so many that are relevant, and of every kind at least `each`; in their order.

    A hit whose relevance is not known counts as relevant, and so does the best of its kind among
    the first: kinds are found by different signs, and their relevances compare badly.
    """
    wanted = max(1, round(settings.passages * _SHARES[length]))
    best = _best_of_each_kind(hits[:_FIRST])
    relevant = [hit for hit in hits if hit.passage.id in best or _relevant(hit, settings)]
    kinds: Counter[str] = Counter()
    chosen = []
    for place, hit in enumerate(relevant):
        kinds[hit.passage.kind] += 1
        if place < wanted or kinds[hit.passage.kind] <= settings.each:
            chosen.append(hit)
    return tuple(chosen)


def emphasis(exhibits: Sequence[Exhibit]) -> Emphasis:
    """Lines of moves first where games are more than half of the evidence, else ideas."""
    games = sum(one.passage.kind == _GAMES for one in exhibits)
    return "lines" if 2 * games > len(exhibits) else "ideas"


def _best_of_each_kind(hits: Sequence[Hit]) -> set[str]:
    best: dict[str, str] = {}
    for hit in hits:
        best.setdefault(hit.passage.kind, hit.passage.id)
    return set(best.values())


def _relevant(hit: Hit, settings: Answering) -> bool:
    return hit.relevance is None or hit.relevance >= settings.relevant
