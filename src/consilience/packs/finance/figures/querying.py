"""Which numbers meet what a question names? One SELECT, and a ladder where it finds nothing.

All that is named has to be met, and the score says how well: by the name, by the time, by how much
else a number is of. Where no number meets it all, other names for the same are tried, then the
nearest time, then one condition is let go of, the least telling first. Each such step is told, and
what was let go of is `missing`: what is found then is near the question, and no answer to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from consilience.packs.finance.data_model import Period
from consilience.packs.finance.figures.bounding import bounded, of_parts
from consilience.packs.finance.figures.conditions import (
    ENTITY,
    Criterion,
    criteria_of,
    finer_times,
    together,
)
from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.dropping import fewer, refusable, shorter
from consilience.packs.finance.figures.joining import apart, compared_pair, side_by_side
from consilience.packs.finance.figures.owning import equally, for_company
from consilience.packs.finance.figures.selecting import (
    Fact,
    facts_of,
    source,
    statement,
    total_below,
)
from consilience.packs.finance.figures.wholes import DISTINCT, PATHS, Wholes
from consilience.packs.finance.notation.periods import told
from consilience.packs.finance.questions.asking import Wanted
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

Allowed = Callable[[Collection[str]], Collection[str]]
"""Which of these passages the filters of a request let through."""
CELLS = 4
"""Numbers looked at for each passage that is asked for: a row has several that fit."""
MOST_CELLS = 20_000
MOST_TOGETHER = 4
"""Entities of a question that are tried together; of more, each stands alone."""
_AMONG = frozenset({"trend", "highest", "lowest", "average", "sum", "count"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The numbers that were found, best first, the statement, and what there is to tell of it.

    `whole` says that they meet all that the question names; `met` is what they meet, with the
    names that were taken for those of the question.
    """

    rows: tuple[Fact, ...] = ()
    sql: str = ""
    parameters: tuple[Any, ...] = ()
    steps: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    whole: bool = False
    met: Wanted | None = None


def find(
    asked: Asked,
    wanted: Wanted,
    vocabulary: Vocabulary,
    limit: int,
    *,
    allowed: Allowed | None = None,
) -> Answered:
    """The numbers that meet what is wanted, or are nearest to it (see `Search.find`)."""
    return Search(asked, vocabulary, limit, allowed).find(wanted)


class Search:
    """One question's way down the ladder."""

    def __init__(
        self,
        asked: Asked,
        vocabulary: Vocabulary,
        limit: int,
        allowed: Allowed | None = None,
        wholes: Wholes | None = None,
    ) -> None:
        self._asked = asked
        self._vocabulary = vocabulary
        self._limit = limit
        self._allowed = allowed
        self._known: dict[tuple[Match, ...], list[tuple[Match, ...]]] = {}
        self._wholes = wholes

    def find(self, wanted: Wanted) -> Answered:
        """The numbers that meet what is wanted, or are nearest to it; a question that names
        neither a metric nor an entity finds none.
        """
        if not (wanted.metrics or wanted.entities):
            return Answered(missing=wanted.absent)
        wanted = for_company(
            self._asked, bounded(of_parts(wanted), self._vocabulary), self._vocabulary
        )
        if wanted.due and not (self.all_of(wanted).rows or self.other_names(wanted).rows):
            wanted = replace(wanted, due=())  # no table says what falls due when
        if wanted.operation == "trend":
            wanted = self.in_all_names(wanted)
        answered = self.all_of(wanted)
        if answered.rows and not answered.whole:
            answered = self.equally(wanted, answered)
        if answered.rows and not answered.whole:
            other = self.all_of(self.in_all_names(wanted))
            answered = other if other.whole else answered
        if not answered.whole and wanted.against == "last year":
            answered = self.by_years(wanted, answered)
        for step in (self.finer, self.other_names, self.nearest, self.without_one):
            if answered.rows:
                break
            answered = step(wanted)
        missing = tuple(dict.fromkeys((*wanted.absent, *answered.missing)))
        whole = answered.whole and not missing and not wanted.unknown
        return replace(answered, missing=missing, whole=whole)

    def all_of(self, wanted: Wanted) -> Answered:
        """Numbers that meet everything; what no number has together with the rest is missing."""
        criteria = criteria_of(wanted, self.groups(wanted), self._wholes)
        sql, parameters = statement(criteria, _words(wanted))
        rows = self._fetch(sql, parameters, self._limit)
        if not rows:
            return Answered(sql=sql, parameters=tuple(parameters))
        uncovered = self._uncovered(criteria)
        steps = [f"no figure has {one} together with the rest" for one in uncovered]
        return Answered(
            rows=rows,
            sql=sql,
            parameters=tuple(parameters),
            steps=(*_taken(wanted, rows), *steps),
            missing=self._lacking(wanted, uncovered),
            whole=not uncovered,
            met=wanted,
        )

    def _lacking(self, wanted: Wanted, uncovered: Sequence[str]) -> tuple[str, ...]:
        """What of this no figure has; one of several times may be an empty cell in the row."""
        surely = refusable(wanted)
        for one in wanted.periods if len(wanted.periods) > 1 else ():
            if one.key in self._vocabulary.periods:
                surely.discard(told(one))
        return tuple(one for one in uncovered if one in surely)

    def facts(self, wanted: Wanted, limit: int) -> tuple[Fact, ...]:
        """The numbers of so many rows that meet everything, best first; none where none does."""
        sql, parameters = statement(
            criteria_of(wanted, self.groups(wanted), self._wholes), _words(wanted)
        )
        return self._fetch(sql, parameters, limit)

    def total_of(self, fact: Fact) -> tuple[Fact, ...]:
        """The total below a number in its table, if the filters let it through."""
        return tuple(_kept(facts_of(self._asked.rows(*total_below(fact))), self._allowed))

    def other_names(self, wanted: Wanted) -> Answered:
        """Synonyms and wider names of the metrics, then those of the entities, then both."""
        metrics = self._wider(wanted.metrics)
        entities = tuple(_merged(one, self._vocabulary.wider(one)) for one in wanted.entities)
        for other in (
            replace(wanted, metrics=metrics),
            replace(wanted, entities=entities),
            replace(wanted, metrics=metrics, entities=entities),
        ):
            if other != wanted:
                answered = self.all_of(other)
                if answered.rows:
                    return answered
        return Answered()

    def equally(self, wanted: Wanted, found: Answered) -> Answered:
        """The same with names of equal standing for the metrics that nothing has with the rest."""
        criteria = criteria_of(wanted, self.groups(wanted), self._wholes)
        lacking = set(self._uncovered(criteria))
        metrics = tuple(self.alike(one) if one.said in lacking else one for one in wanted.metrics)
        if metrics == wanted.metrics:
            return found
        answered = self.all_of(replace(wanted, metrics=metrics))
        return answered if answered.whole else found

    def in_all_names(self, wanted: Wanted) -> Wanted:
        """The same with all names of equal standing: what one report calls Germany and dairy is
        something else in the next, in another language.
        """
        return replace(
            wanted,
            metrics=tuple(map(self.alike, wanted.metrics)),
            entities=tuple(_merged(one, self._same(one)) for one in wanted.entities),
        )

    def _same(self, match: Match) -> list[Match]:
        return [one for one in self._vocabulary.wider(match) if one.how == "alias"]

    def alike(self, match: Match) -> Match:
        """A metric with all names of equal standing that are counted in the same."""
        return equally(self._asked, match, self._vocabulary)

    def by_years(self, wanted: Wanted, found: Answered) -> Answered:
        """The figures of two years, where none stands beside another as that of the year before."""
        others = tuple(one for one in wanted.bases if one != "last year")
        answered = self.all_of(replace(wanted, bases=others, against=None))
        return answered if answered.whole else found

    def finer(self, wanted: Wanted) -> Answered:
        """The months or quarters of a time, where something is picked or counted among them."""
        if wanted.operation in _AMONG:
            for less in finer_times(wanted):
                answered = self.all_of(less)
                if answered.rows:
                    return answered
        return Answered()

    def nearest(self, wanted: Wanted) -> Answered:
        """The figures for the times that are nearest to those that are named.

        Where the figures say no time at all, it is not known whether they are of another.
        """
        if not wanted.periods:
            return Answered()
        criteria = criteria_of(replace(wanted, periods=()), self.groups(wanted), self._wholes)
        near = [(one, self._near(criteria, one)) for one in wanted.periods]
        there = tuple(dict.fromkeys(other for _, other in near if other is not None))
        timeless = replace(wanted, periods=(), bases=(), against=None)
        if not there and self.all_of(replace(wanted, bases=(), against=None)).rows:
            return Answered()  # it is the basis that no figure has
        answered = self.all_of(replace(wanted, periods=there) if there else timeless)
        if not answered.rows:
            return Answered()
        gone = [(one, other) for one, other in near if other is not None and one.key != other.key]
        steps = [f"no figure for {told(one)}; the nearest is {told(other)}" for one, other in gone]
        steps += [] if there else ["the figures that have this do not say for which time"]
        return replace(
            answered,
            steps=(*steps, *answered.steps),
            missing=(*(told(one) for one, _ in gone), *answered.missing),
            whole=False,
        )

    def without_one(self, wanted: Wanted) -> Answered:
        """Numbers that meet all but one condition: first the basis, then as `_DROPPED` says."""
        surely = refusable(wanted)
        wider = replace(wanted, metrics=self._wider(wanted.metrics))
        for less, gone in (*fewer(wanted), *(fewer(wider) if wider != wanted else ())):
            if less.metrics or less.entities:
                answered = self.all_of(less)
                if answered.rows:
                    named = " and ".join(gone)
                    step = f"no figure has all that is named; without “{named}” there are some"
                    lost = tuple(one for one in gone if one in surely)
                    return replace(
                        answered,
                        steps=(step, *answered.steps),
                        missing=(*lost, *answered.missing),
                        whole=False,
                    )
        return Answered(steps=("no figure has what the question names",))

    def _wider(self, matches: Sequence[Match]) -> tuple[Match, ...]:
        """The same with the other names that each may stand for."""
        found = []
        for one in matches:
            found += [one, *self._vocabulary.wider(one), *shorter(one, self._vocabulary)]
        return tuple(found)

    def _near(self, criteria: Sequence[Criterion], period: Period) -> Period | None:
        rows, parameters = source(criteria)
        found = self._asked.rows(
            f"SELECT kind, starts, ends, year FROM {rows} AND ends IS NOT NULL "  # noqa: S608
            "AND basis <> 'change' ORDER BY kind <> ?, "
            "abs(datediff('day', ends, ?::DATE)), ends DESC LIMIT 1",
            [*parameters, period.kind, period.end],
        )
        for kind, starts, ends, year in found:
            return Period(kind=kind, start=starts, end=ends, year=year)
        return None

    def _uncovered(self, criteria: Sequence[Criterion]) -> tuple[str, ...]:
        """What no number has together with the rest, though others of its kind do."""
        several = [one for one in criteria if len({choice.said for choice in one.choices}) > 1]
        choices = [choice for one in several for choice in one.choices]
        if not choices:
            return ()
        rows, parameters = source(criteria)
        listed = ", ".join(f"max({one.sql})" for one in choices)
        values = [value for one in choices for value in one.parameters]
        sql = f"SELECT {listed} FROM {rows}"  # noqa: S608 - values are parameters
        best = self._asked.rows(sql, [*values, *parameters])[0]
        met = {one.said for one, fits in zip(choices, best, strict=True) if fits}
        return tuple(dict.fromkeys(one.said for one in choices if one.said not in met))

    def groups(self, wanted: Wanted) -> list[tuple[Match, ...]]:
        """The entities that are meant at once: the largest sets that some number is of.

        "Cement in Portugal and Spain" is cement in Portugal, and cement in Spain. Names without
        a word between them that sets them side by side are meant at once, even if no number is.
        """
        if wanted.entities not in self._known:
            self._known[wanted.entities] = self._grouped(wanted)
        return self._known[wanted.entities]

    def _grouped(self, wanted: Wanted) -> list[tuple[Match, ...]]:
        entities = wanted.entities
        if len(entities) > MOST_TOGETHER:
            return [(one,) for one in entities]
        found: list[tuple[Match, ...]] = []
        for size in range(len(entities), 1, -1):
            for group in combinations(entities, size):
                inside = any(set(group) <= set(other) for other in found)
                if not inside and apart(group) and self._meet(group, wanted.question):
                    found.append(group)
        if not found and apart(entities) and not side_by_side(wanted):
            return [entities] if entities else []
        return [*found, *((one,) for one in entities if not any(one in group for group in found))]

    def _meet(self, group: Sequence[Match], question: str) -> bool:
        """Whether any number is of all these at once: by its entity, its company, its headings.

        A heading that lists two things which are set against each other is of neither alone.
        """
        if any(one.field in PATHS for one in group):
            rows, parameters = source([Criterion(name=ENTITY, choices=(together(group),))])
            sql = f"SELECT 1 FROM {rows} LIMIT 1"  # noqa: S608 - values are parameters
            return bool(self._asked.rows(sql, parameters))
        if self._wholes is None:
            self._wholes = Wholes(self._asked.rows(DISTINCT))
        return self._wholes.meet(group, headed=not compared_pair(group, question))

    def _fetch(self, sql: str, parameters: Sequence[Any], limit: int) -> tuple[Fact, ...]:
        """The numbers of as many passages as are asked for, those that the filters let through."""
        most = CELLS * limit
        while True:
            found = facts_of(self._asked.rows(f"{sql} LIMIT ?", [*parameters, most]))
            kept = _kept(found, self._allowed)
            enough = len({one.passage for one in kept}) >= limit
            if enough or len(found) < most or most >= MOST_CELLS:
                return tuple(kept)
            most *= 4


def _merged(match: Match, others: Sequence[Match]) -> Match:
    """A name with the others that it may stand for as one: all of them are the same entity."""
    if not others:
        return match
    values = dict.fromkeys((*match.values, *(value for one in others for value in one.values)))
    return replace(match, values=tuple(values), how=others[0].how, score=match.score * 0.8)


def _kept(found: Sequence[Fact], allowed: Allowed | None) -> list[Fact]:
    if allowed is None or not found:
        return list(found)
    passed = allowed(list(dict.fromkeys(one.passage for one in found)))
    return [one for one in found if one.passage in passed]


def _taken(wanted: Wanted, rows: Sequence[Fact]) -> Iterator[str]:
    """What was taken for something that is not spelt like it, as far as it was found."""
    there = {one.metric for one in rows} | {one.entity for one in rows}
    there |= {part for one in rows for part in one.entity.split(" › ")}
    for match in (*wanted.metrics, *wanted.entities, *wanted.companies):
        values = [one for one in match.values if one in there]
        if match.how != "exact" and values:
            more = f" and {len(values) - 3} more" if len(values) > 3 else ""
            yield f"“{match.said}” is taken as {', '.join(values[:3])}{more}"


def _words(wanted: Wanted) -> list[str]:
    """Words of the headings that the question names."""
    names = [name for one in wanted.places for name in one.values[:3]]
    return sorted({word.casefold() for name in names for word in name.split()})[:50]
