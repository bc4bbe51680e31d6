"""Which part does each name of a question play: metric, entity, company or place?

One span may be several things in the data; the rest of the question decides. A name inside a
longer one that is found as a whole is not meant by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

_SURE = 0.8
_SHARE = re.compile(r"(?i)(?:share|percentage|per ?cent|proportion|portion|part|%) of\b")
_OF_IT = re.compile(r"(?i)(?:['’]s?)?\s+(?:(?:total|overall|consolidated|whole|entire|own)\s+)*")
_PLACES = frozenset(("caption", "section"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """What a question names, each in the order of the question."""

    metrics: tuple[Match, ...] = ()
    entities: tuple[Match, ...] = ()
    companies: tuple[Match, ...] = ()
    places: tuple[Match, ...] = ()

    @property
    def who(self) -> tuple[Match, ...]:
        """The entities and companies that are named."""
        return (*self.entities, *self.companies)

    @property
    def all(self) -> tuple[Match, ...]:
        """Everything that is named."""
        return (*self.metrics, *self.entities, *self.companies, *self.places)


def mentions_in(
    question: str, vocabulary: Vocabulary, taken: Sequence[tuple[int, int]] = ()
) -> Mentions:
    """What a question names; `taken` are spans that mean something else, such as times."""
    found = [one for one in vocabulary.matches(question) if not _is_taken(one, taken)]
    named = [one for one in found if one.field not in _PLACES]
    kept = _without_shares(question, _whole(named))
    companies = [one for one in kept if one.field == "company" and not _is_else(one, kept)]
    rest = [one for one in kept if one.field != "company" and not _touches(one, companies)]
    metrics, entities = _told_apart(rest, vocabulary)
    places = [
        one
        for one in found
        if one.field in _PLACES and not any(_covers(other, one) for other in (*metrics, *entities))
    ]
    return Mentions(
        metrics=_in_order(metrics),
        entities=_in_order(entities),
        companies=_in_order(companies),
        places=_in_order(places),
    )


def _is_else(company: Match, found: Iterable[Match]) -> bool:
    """Whether what may be the short name of a company is the whole name of something else."""
    return any(
        other.field in ("metric", "entity")
        and _covers(other, company)
        and other.score > company.score
        for other in found
    )


def _without_shares(question: str, found: list[Match]) -> list[Match]:
    """Without rows that are called a share of something, where the share of a metric is asked for:
    the share of the group's net sales.
    """
    metrics = [one for one in found if one.field == "metric"]
    return [
        one
        for one in found
        if not _SHARE.match(one.said)
        or not any(_OF_IT.fullmatch(question, one.end, other.start) for other in metrics)
    ]


def _whole(found: list[Match]) -> list[Match]:
    """Without names inside longer ones, and without guesses that surer names make up."""
    sure = [one for one in found if one.score >= _SURE]
    kept = []
    for one in found:
        inside = any(_covers(other, one) and _length(other) > _length(one) for other in sure)
        parts = [other for other in sure if other is not one and _covers(one, other)]
        guessed = one.score < _SURE and any(_length(other) < _length(one) for other in parts)
        if not inside and not guessed:
            kept.append(one)
    return kept


def _told_apart(found: list[Match], vocabulary: Vocabulary) -> tuple[list[Match], list[Match]]:
    """Metrics and entities. Labels and headers are looked at where nothing else has the name."""
    metrics = [one for one in found if one.field == "metric"]
    entities = [one for one in found if one.field == "entity"]
    surely = [one for one in metrics if not _touches(one, entities)]
    whose = [one for one in entities if not _touches(one, metrics)]
    for one in [one for one in metrics if _touches(one, entities)]:
        rivals = [other for other in entities if _touches(other, [one])]
        if _is_metric(one, rivals, surely, whose, vocabulary):
            surely.append(one)
        else:
            whose.extend(other for other in rivals if other not in whose)
    for field in ("label", "header"):
        for one in [one for one in found if one.field == field]:
            if not _touches(one, (*surely, *whose)):
                (surely if not surely or _is_measure(one, vocabulary) else whose).append(one)
    return surely, whose


def _is_metric(
    one: Match,
    rivals: Sequence[Match],
    metrics: Sequence[Match],
    entities: Sequence[Match],
    vocabulary: Vocabulary,
) -> bool:
    """Whether a span that may be either is the metric of the question."""
    best = max(other.score for other in rivals)
    if abs(one.score - best) > 0.05:
        return one.score > best
    if _is_measure(one, vocabulary):
        return True
    if metrics:
        return False
    if entities:
        return True
    return _count(one, vocabulary) >= max(_count(other, vocabulary) for other in rivals)


def _is_measure(one: Match, vocabulary: Vocabulary) -> bool:
    """Whether what was said is a measure everywhere: revenue, headcount."""
    return vocabulary.aliases.is_measure(one.said)


def _count(one: Match, vocabulary: Vocabulary) -> int:
    return vocabulary.count(one)


def _is_taken(one: Match, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start <= one.start and one.end <= end for start, end in taken)


def _touches(one: Match, others: Iterable[Match]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)


def _covers(one: Match, other: Match) -> bool:
    return one.start <= other.start and other.end <= one.end


def _length(one: Match) -> int:
    return one.end - one.start


def _in_order(found: list[Match]) -> tuple[Match, ...]:
    return tuple(sorted(found, key=lambda one: (one.start, -one.end)))
