"""Which of what was found is an answer written from? The best, and enough of every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from consilience.answer.extractive import cells, matching, which_games
from consilience.answer.extractive.comparing import sides
from consilience.answer.packing import exhibits_of
from consilience.settings import Answering
from consilience.types import Emphasis, Exhibit, Hit, Length, Passage

_SHARES: Mapping[Length, Fraction] = {
    "concise": Fraction(2, 3),
    "balanced": Fraction(1),
    "in-depth": Fraction(5, 3),
}
_GAMES = "game"
_ROW = "row"
_LEADING = 3  # hits at the top that tell whether a list is asked for
_SIDE = 4  # hits of each of two things that are compared
_LISTED = 20  # rows of a list
_NEAR = 0.5  # the share of the best row's relevance from which others belong to its list
_FIRST = 10  # places in which the best of a kind is taken whatever its relevance


def choose(
    hits: Sequence[Hit],
    settings: Answering,
    *,
    length: Length,
    question: str = "",
    sure: Collection[str] = (),
) -> tuple[Hit, ...]:
    """The first so many that are relevant, and of every kind at least `each`; in their order.

    A hit whose relevance is not known counts as relevant, and so does the best of its kind among
    the first: kinds are found by different signs, and their relevances compare badly. So do rows
    whose names the `question` says. Where rows lead, all that are nearly as relevant are taken,
    since a list is asked for. What a source is `sure` of is always taken. Where two things are
    compared, a few are taken of each. Of a game that the question is about all pieces are taken.
    """
    wanted = max(1, round(settings.passages * _SHARES[length]))
    compared = _of_each_side(hits, question) | _pieces(hits, question) | {*sure}
    taken = _best_of_each_kind(hits[:_FIRST]) | _named(hits, question) | compared
    relevant = [hit for hit in hits if hit.passage.id in taken or _relevant(hit, settings)]
    listed = _listed(relevant) | compared
    kinds: Counter[str] = Counter()
    chosen = []
    for place, hit in enumerate(relevant):
        kinds[hit.passage.kind] += 1
        each = kinds[hit.passage.kind] <= settings.each
        if place < wanted or each or hit.passage.id in listed:
            chosen.append(hit)
    return tuple(chosen)


def _named(hits: Sequence[Hit], question: str) -> set[str]:
    """The rows whose names a question says; a few, since a name may be that of many."""
    if not question:
        return set()
    exhibits = exhibits_of([hit for hit in hits if hit.passage.kind == _ROW])
    found = [row for table in cells.tables(exhibits) for row in matching.named(table, question)]
    return {row.exhibit.passage.id for row in found[:_LISTED]} if len(found) <= _LISTED else set()


def game_of(hits: Sequence[Hit], question: str) -> Passage | None:
    """A piece of the one game that a question is about, if it is about one."""
    found = which_games.asked_game(exhibits_of(hits), question)
    return found[0].passage if found else None


def _pieces(hits: Sequence[Hit], question: str) -> set[str]:
    """The pieces of the one game that a question is about."""
    found = which_games.asked_game(exhibits_of(hits), question) if question else []
    return {one.passage.id for one in found}


def _of_each_side(hits: Sequence[Hit], question: str) -> set[str]:
    """The first few that speak of either of two things and not of the other."""
    pair = sides(question)
    if pair is None:
        return set()
    found: set[str] = set()
    for side, other in (pair, pair[::-1]):
        own = [
            hit.passage.id
            for hit in hits
            if side.within(_headed(hit)) and not other.within(_headed(hit))
        ]
        found.update(own[:_SIDE])
    return found


def _headed(hit: Hit) -> str:
    return " ".join((hit.passage.title, *hit.passage.locator.section, hit.passage.text))


def _listed(hits: Sequence[Hit]) -> set[str]:
    """The rows that a list consists of, where most of the first hits are rows."""
    first = hits[:_LEADING]
    rows = [hit for hit in hits if hit.passage.kind == _ROW]
    if 2 * sum(hit.passage.kind == _ROW for hit in first) <= len(first):
        return set()
    best = max((hit.relevance or 0.0 for hit in rows), default=0.0)
    near = [hit for hit in rows if (hit.relevance or 0.0) >= _NEAR * best]
    return {hit.passage.id for hit in near[:_LISTED]}


def emphasis(exhibits: Sequence[Exhibit], wanted: Emphasis | None = None) -> Emphasis:
    """What the question calls for; else lines of moves first where games are more than half of the
    evidence, each counted once however many of its pieces there are, and ideas where they are not.
    """
    if wanted is not None:
        return wanted
    played = [one.passage for one in exhibits if one.passage.kind == _GAMES]
    games = len({(one.document, one.locator.get("game")) for one in played})
    return "lines" if games > len(exhibits) - len(played) else "ideas"


def _best_of_each_kind(hits: Sequence[Hit]) -> set[str]:
    best: dict[str, str] = {}
    for hit in hits:
        best.setdefault(hit.passage.kind, hit.passage.id)
    return set(best.values())


def _relevant(hit: Hit, settings: Answering) -> bool:
    return hit.relevance is None or hit.relevance >= settings.relevant
