"""What does a question ask of the figures? Which of them, and what is to be done with them.

Nothing is guessed by a language model: metrics, entities and companies are those of the
workspace's own vocabulary, times and bases are read by their words, and what is to be computed
by how the question is put. What nothing is known of is said, too (`unknown`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from consilience.packs.finance.data_model import Basis, Period
from consilience.packs.finance.notation.periods import Spoken, year_of
from consilience.packs.finance.questions.absent import absent_in
from consilience.packs.finance.questions.aliases import says_little
from consilience.packs.finance.questions.bases import Bases, bases_in, is_basis
from consilience.packs.finance.questions.counting import Unit, unit_alone, unit_in
from consilience.packs.finance.questions.implying import (
    counted,
    implied,
    meant,
    shared,
    spent,
    without_verb,
)
from consilience.packs.finance.questions.mentions import Mentions, mentions_in
from consilience.packs.finance.questions.operations import (
    Bound,
    Operation,
    bound_of,
    named_at,
    number_of,
    operation_of,
    spelt_at,
    whole_behind,
)
from consilience.packs.finance.questions.prose import asks_figure
from consilience.packs.finance.questions.spelling import words_of
from consilience.packs.finance.questions.templates import Template, template_of
from consilience.packs.finance.questions.timing import (
    due_in,
    is_range,
    is_run,
    is_stretch,
    parted,
    periods_of,
    times_and_reports,
)
from consilience.packs.finance.questions.vocabulary import READ, Match, Vocabulary
from consilience.packs.finance.tables.wording import has_measure
from consilience.understand.amounts import is_unit

_SURE, _TAKEN = 0.8, 0.6
_OTHER = re.compile(
    r"\bthan\b|(?:ahead of|behind|above|below) (?:the )?ENTITY.*ENTITY|\bbetween ENTITY|"
    r"ENTITY (?:and|vs\.?|versus|or) ENTITY|ENTITY.*\b(?:differ\w* from|"
    r"exceed\w*|outperform\w*|above|below|ahead of|behind|beat|trail\w*|minus|less|against|versus|"
    r"vs\.?|compar\w+ (?:to|with)) (?:that of |those of |the )*ENTITY"
)


_DUE = re.compile(r"(?i)\b(?:due|maturing|expiring)(?: by| in| on| until)?\s+$")
_ALL_OF = re.compile(
    r"ENTITY(?:['’]s?)?(?:,|,? (?:and|plus|und|as well as)) (?:(?:in|of|for|the|from|at) )*ENTITY"
)
_HOW = re.compile(r"(?i)\b(?:how|by (?:what|which))\s+$")  # how deep, how seasonal
_SHARE = re.compile(r"(?i)share|%|per ?cent|proportion|anteil")
_TOTAL = re.compile(r"(?i)(?:total|overall|combined|aggregate|sum|summe)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a question asks of the figures.

    `metrics`, `entities`, `companies` and `places` (captions and sections) are the spans that
    mean something. `spoken` are the times as said, `periods` the same as periods; with
    `is_range` all that lies between the first and the last is meant. `reports` are the times of
    the reports that it is to be looked up in, where they are said beside those, and `due` the
    years in which something is to be paid. `bases` are which
    numbers of a time are meant, empty where nothing is said, and `against` what they are compared
    with.
    `whole` is what a share is to be taken of, where it is named.
    `unit` is the quantity that is counted in, where it is said: `m³`.
    `number` is how many are to be picked by `highest` and `lowest`, 0 for all in order.
    `unknown` are telling words that nothing is known of, `absent` those of them that name a
    country, a company or a measure for sure. `asks_figure` is False for a question
    that prose answers, whatever it names.
    """

    question: str
    metrics: tuple[Match, ...] = ()
    entities: tuple[Match, ...] = ()
    companies: tuple[Match, ...] = ()
    places: tuple[Match, ...] = ()
    spoken: tuple[Spoken, ...] = ()
    periods: tuple[Period, ...] = ()
    reports: tuple[Period, ...] = ()
    due: tuple[int, ...] = ()
    is_range: bool = False
    bases: tuple[Basis, ...] = ()
    against: Basis | None = None
    operation: Operation | None = None
    whole: Match | None = None
    unit: str = ""
    number: int = 1
    bound: Bound | None = None
    unknown: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    asks_figure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What a question says besides how it is put: names, times of three kinds, a bound, a unit."""

    mentions: Mentions
    spoken: tuple[Spoken, ...]
    reports: tuple[Spoken, ...]
    due: tuple[Spoken, ...]
    bound: Bound | None
    unit: Unit | None

    @property
    def times(self) -> tuple[Spoken, ...]:
        """All times, whatever is asked of them."""
        return (*self.spoken, *self.reports, *self.due)


def read(question: str, vocabulary: Vocabulary) -> Wanted:
    """What a question asks of the figures that a vocabulary knows."""
    text = question[:READ]
    said = _said(text, vocabulary)
    spoken, unit = said.spoken, said.unit
    template = template_of(text, said.mentions, spoken, said.bound)
    mentions = _from(template.place(spelt_at(template.text)), said.mentions)
    basis = bases_in(template.text, [one.basis for one in spoken if one.basis])
    periods = periods_of(text, spoken, vocabulary.near)
    periods, basis = _last_year(basis, periods, vocabulary.near)
    operation, periods = _computed(text, said, basis, mentions, periods)
    bases, against = _compared(operation, basis, periods, mentions)
    figure = asks_figure(
        basis.told,
        names=bool(mentions.metrics or (mentions.entities and (periods or operation))),
        measures=_names_measure(text, vocabulary),
        computes=operation is not None,
        dated=bool(periods),
    )
    unknown = _unheard(text, vocabulary, mentions, said, template)
    return Wanted(
        question=question,
        metrics=mentions.metrics,
        entities=_added(operation, mentions.entities),
        companies=mentions.companies,
        places=mentions.places,
        spoken=spoken,
        periods=periods,
        reports=tuple(dict.fromkeys(one.period for one in said.reports if one.period)),
        due=tuple(dict.fromkeys(one.period.year for one in said.due if one.period)),
        is_range=is_range(text, spoken, periods, operation),
        bases=bases,
        against=against,
        operation=operation if figure else None,
        whole=_whole(operation, template, mentions),
        unit=unit.name if unit else "",
        number=number_of(basis.told),
        bound=said.bound,
        unknown=tuple(dict.fromkeys(text[start:end] for start, end in unknown)),
        absent=absent_in(
            text, unknown, vocabulary, mentions, [(one.start, one.end) for one in said.times]
        ),
        asks_figure=figure,
    )


def _last_year(
    basis: Bases, periods: tuple[Period, ...], near: Period | None
) -> tuple[tuple[Period, ...], Bases]:
    """Last year as a time, where no other is named or the others are parts of it."""
    if basis.bases != ("last year",) or near is None:
        return periods, basis
    if any(one.year != near.year - 1 for one in periods):
        return periods, basis
    return periods or (year_of(near.year - 1),), replace(basis, bases=())


def _said(text: str, vocabulary: Vocabulary) -> _Said:
    """What a question says. A time inside a name is part of it."""
    bound = bound_of(text)
    times, reports = times_and_reports(text, vocabulary.near, bound)
    mentions, unit = _named(text, vocabulary, [*times, *reports])
    own = [one for one in times if not _is_named(text, one, mentions)]
    due = due_in(text, own)
    return _Said(
        mentions=mentions,
        spoken=tuple(one for one in own if one not in due),
        reports=tuple(reports),
        due=tuple(due),
        bound=bound,
        unit=unit,
    )


def _computed(
    text: str, said: _Said, basis: Bases, mentions: Mentions, periods: tuple[Period, ...]
) -> tuple[Operation | None, tuple[Period, ...]]:
    """What is to be computed, and of which times."""
    operation = _operation(basis, mentions, periods)
    if operation is None and is_stretch(text, said.spoken, periods):
        operation = "trend"
    if operation and not basis.against:
        periods = parted(text, said.spoken, periods)
    if operation is None and is_run(text, said.spoken, periods):
        operation = "trend"
    if said.due and operation == "share" and not _SHARE.search(text):
        operation = "sum" if len(said.due) > 1 else None  # how much of it falls due
    return operation, periods


def _unheard(
    text: str, vocabulary: Vocabulary, mentions: Mentions, said: _Said, template: Template
) -> list[tuple[int, int]]:
    """Telling words that nothing matched, without names for what the question spells out."""
    spelt = template.place(spelt_at(template.text))
    others = (*said.times, said.bound, said.unit)
    after, until = map(template.place, named_at(template.text))
    unknown = _unknown(text, vocabulary, mentions, others, spelt)
    return [span for span in unknown if span[0] < after or until < span[1]]


def _named(
    text: str, vocabulary: Vocabulary, spoken: Sequence[Spoken]
) -> tuple[Mentions, Unit | None]:
    """The names and the unit of a question beside its times."""
    taken, named = [(one.start, one.end) for one in spoken], without_verb(text)
    mentions = _unbased(mentions_in(named, vocabulary, taken))
    unit = unit_in(text)
    if unit and any(one.start < unit.end and unit.start < one.end for one in mentions.metrics):
        unit = None  # employees are counted in employees
    if unit:
        mentions = _unbased(mentions_in(named, vocabulary, [*taken, (unit.start, unit.end)]))
    mentions, unit = shared(text, meant(text, mentions, vocabulary), unit, vocabulary)
    unit = unit or (None if mentions.metrics else unit_alone(text))
    if not mentions.metrics and unit:
        mentions = replace(mentions, metrics=counted(text, unit, vocabulary))
    if not mentions.metrics:
        mentions = replace(mentions, metrics=implied(text, vocabulary) or spent(text, vocabulary))
    return mentions, unit


def _from(start: int, mentions: Mentions) -> Mentions:
    """Without metrics that are named before a place: there they are spelt out."""
    kept = tuple(one for one in mentions.metrics if one.start >= start)
    return replace(mentions, metrics=kept)


def _unbased(mentions: Mentions) -> Mentions:
    """Without columns that are named by their basis alone: `Plan`, `Vorjahr`."""
    return replace(
        mentions,
        metrics=tuple(one for one in mentions.metrics if not _is_basis(one)),
        entities=tuple(one for one in mentions.entities if not _is_basis(one)),
    )


def _is_basis(match: Match) -> bool:
    return match.field in ("header", "label") and is_basis(match.said.lower())


def _operation(basis: Bases, mentions: Mentions, periods: Sequence[Period]) -> Operation | None:
    """What is to be computed: said by the question, or a difference to what it is set against."""
    many = max(len(mentions.metrics), len(periods)) > 1 or bool(_ALL_OF.search(basis.told))
    found = operation_of(basis.told, many=many)
    if found == "average" and len(periods) <= 1 and _are_averages(mentions.metrics):
        return None  # what is printed is one already
    named = (*mentions.metrics, *mentions.entities)
    if found is None and _ALL_OF.search(basis.told) and _are_totals(named):
        return "sum"
    if found == "trend" and basis.against and len(periods) <= 1:
        return "difference"  # how it developed against the plan
    return found or ("difference" if basis.against else None)


def _added(operation: Operation | None, entities: tuple[Match, ...]) -> tuple[Match, ...]:
    """Entities without a row that is called a sum, where others are to be added up."""
    others = tuple(one for one in entities if not _TOTAL.fullmatch(one.said))
    return others if operation == "sum" and len(others) > 1 else entities


def _are_totals(named: Sequence[Match]) -> bool:
    """Whether a total is said of what has none in its name, the total net sales of two regions; or
    of the first of two entities, the total of Spain and Portugal.
    """
    return any(
        _TOTAL.match(one.said) and (one.field != "metric" or not any(map(_TOTAL.match, one.values)))
        for one in named
    )


def _are_averages(metrics: Sequence[Match]) -> bool:
    """Whether what is asked for is an average by its name: the average price."""
    names = [value for one in metrics for value in one.values]
    return bool(names) and all(re.search(r"(?i)average|durchschnitt", one) for one in names)


def _is_named(text: str, one: Spoken, mentions: Mentions) -> bool:
    """Whether a time is part of a name: the notes due on 1 May 2025."""
    year = one.period is not None and one.period.kind == "year"
    if mentions.metrics and not year and _DUE.search(text[: one.start]):
        return True
    return any(
        match.start <= one.start and one.end <= match.end and match.score >= _SURE
        for match in (*mentions.metrics, *mentions.entities)
    )


def _compared(
    operation: Operation | None, basis: Bases, periods: Sequence[Period], mentions: Mentions
) -> tuple[tuple[Basis, ...], Basis | None]:
    """The bases of a question. A change of one thing in one time is counted from a year before."""
    before = basis.bases == ("last year",) and len(periods) == 1
    lone = len(periods) <= 1 and len(mentions.metrics) <= 1 and (not basis.bases or before)
    if operation in ("difference", "growth") and lone and not _OTHER.search(basis.told):
        return ("actual", "last year"), "last year"
    return basis.bases, basis.against


def _whole(operation: Operation | None, template: Template, mentions: Mentions) -> Match | None:
    """What a share is taken of: the metric, else the entity, said behind `of`."""
    if operation != "share":
        return None
    at = whole_behind(template.text)
    start = template.place(at) if at is not None else None
    if start is None:
        return None
    behind = [one for one in mentions.metrics if one.start >= start]
    others = [one for one in mentions.entities if one.start >= start]
    return next(iter((*behind, *others)), None)


def _names_measure(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a question has a word for something counted, whoever counts it."""
    aliases = vocabulary.aliases
    return has_measure(text) or any(
        name in aliases.measures for name, _, _ in aliases.told(words_of(text))
    )


def _unknown(
    text: str,
    vocabulary: Vocabulary,
    mentions: Mentions,
    others: Sequence[Spoken | Bound | Unit | None],
    behind: int = 0,
) -> list[tuple[int, int]]:
    """Telling words and names that nothing matched; words that stand together are one.

    `others` are what else has a meaning: times, a bound, a unit. What stands before `behind` is
    spelt out there.
    """
    spans = [(one.start, one.end) for one in mentions.all if one.score >= _TAKEN]
    spans = [one for one in spans if not any(_is_loose(place, one) for place in mentions.places)]
    spans += [(one.start, one.end) for one in others if one]
    words, aliases = words_of(text), vocabulary.aliases
    parts = _parts_of(mentions)
    found: list[tuple[int, int]] = []
    for name, first, last in aliases.told(words):
        start, end = words[first].start, words[last - 1].end
        known = any(low < end and start < high for low, high in spans)
        plain = name not in aliases.measures and all(
            says_little(word.key, aliases) or word.key in parts for word in words[first:last]
        )
        if (
            known
            or plain
            or start < behind
            or _HOW.search(text, 0, start)
            or is_unit(text[start:end])
            or not any(letter.isalpha() for letter in text[start:end])
        ):
            continue
        if found and not text[found[-1][1] : start].strip(" -"):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _is_loose(place: Match, span: tuple[int, int]) -> bool:
    """Whether a span is that of a table or section of which only a part was said."""
    return place.how == "partial" and (place.start, place.end) == span


def _parts_of(mentions: Mentions) -> set[str]:
    """The words of the names that are meant, also those that were said apart from the rest."""
    named = (value for one in mentions.companies for value in one.values)
    return {word.key for name in named for word in words_of(name)}
