"""What does a question ask of the figures? Which of them, and what is to be done with them.

Nothing is guessed by a language model: metrics, entities and companies are those of the
workspace's own vocabulary, times and bases are read by their words, and what is to be computed
by how the question is put. What nothing is known of is said, too (`unknown`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from consilience.numbers import is_unit
from consilience.packs.finance.notation.periods import Spoken, year_of
from consilience.packs.finance.questions.absent import absent_in
from consilience.packs.finance.questions.aliases import says_little
from consilience.packs.finance.questions.bases import Bases, bases_in, is_basis
from consilience.packs.finance.questions.counting import Unit, counted_in, unit_in
from consilience.packs.finance.questions.mentions import Mentions, mentions_in
from consilience.packs.finance.questions.operations import (
    Bound,
    Operation,
    bound_of,
    number_of,
    operation_of,
    spelt_at,
    whole_behind,
)
from consilience.packs.finance.questions.patterns import LONGEST, names_in, pattern
from consilience.packs.finance.questions.prose import asks_figure
from consilience.packs.finance.questions.spelling import words_of
from consilience.packs.finance.questions.templates import Template, template_of
from consilience.packs.finance.questions.timing import (
    is_range,
    is_run,
    parted,
    periods_of,
    times_in,
)
from consilience.packs.finance.questions.vocabulary import READ, Match, Vocabulary
from consilience.packs.finance.shapes import Basis, Period
from consilience.packs.finance.tables.wording import has_measure

_SURE = 0.8
_DUE = re.compile(r"(?i)\b(?:due|maturing|expiring)(?: by| in| on| until)?\s+$")
_OTHER = re.compile(
    r"\bthan\b|(?:ahead of|behind|above|below) (?:the )?ENTITY.*ENTITY|\bbetween ENTITY|"
    r"ENTITY (?:and|vs\.?|versus|or) ENTITY|ENTITY.*\b(?:differ\w* from|"
    r"exceed\w*|outperform\w*|above|below|ahead of|behind|beat|trail\w*|minus|less|against|versus|"
    r"vs\.?|compar\w+ (?:to|with)) (?:that of |those of |the )*ENTITY"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a question asks of the figures.

    `metrics`, `entities`, `companies` and `places` (captions and sections) are the spans that
    mean something. `spoken` are the times as said, `periods` the same as periods; with
    `is_range` all that lies between the first and the last is meant. `bases` are which numbers
    of a time are meant, empty where nothing is said, and `against` what they are compared with.
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


def read(question: str, vocabulary: Vocabulary) -> Wanted:
    """What a question asks of the figures that a vocabulary knows."""
    text = question[:READ]
    bound = bound_of(text)
    spoken, mentions, unit = _named(text, vocabulary, bound)
    template = template_of(text, mentions, spoken, bound)
    mentions = _from(spelt := template.place(spelt_at(template.text)), mentions)
    basis = bases_in(template.text, [one.basis for one in spoken if one.basis])
    periods = periods_of(text, spoken, vocabulary.near)
    if basis.bases == ("last year",) and not periods and vocabulary.near:
        periods, basis = (year_of(vocabulary.near.year - 1),), replace(basis, bases=())
    operation = _operation(basis, mentions, periods)
    periods = parted(text, spoken, periods) if operation else periods
    if operation is None and is_run(text, spoken, periods):
        operation = "trend"
    bases, against = _compared(operation, basis, periods, mentions)
    figure = asks_figure(
        basis.told,
        names=bool(mentions.metrics or (mentions.entities and (periods or operation))),
        measures=_names_measure(text, vocabulary),
        computes=operation is not None,
        dated=bool(periods),
    )
    times = [(one.start, one.end) for one in spoken]
    unknown = _unknown(text, vocabulary, mentions, (*spoken, bound, unit), spelt)
    return Wanted(
        question=question,
        metrics=mentions.metrics,
        entities=mentions.entities,
        companies=mentions.companies,
        places=mentions.places,
        spoken=tuple(spoken),
        periods=periods,
        is_range=is_range(text, spoken, periods, operation),
        bases=bases,
        against=against,
        operation=operation if figure else None,
        whole=_whole(operation, template, mentions),
        unit=unit.name if unit else "",
        number=number_of(basis.told),
        bound=bound,
        unknown=tuple(dict.fromkeys(text[start:end] for start, end in unknown)),
        absent=absent_in(text, unknown, vocabulary, mentions, times),
        asks_figure=figure,
    )


def _named(
    text: str, vocabulary: Vocabulary, bound: Bound | None
) -> tuple[list[Spoken], Mentions, Unit | None]:
    """The times, the names and the unit of a question. A time inside a name is part of it."""
    spoken = times_in(text, vocabulary.near, bound)
    taken = [(one.start, one.end) for one in spoken]
    mentions = _unbased(mentions_in(text, vocabulary, taken))
    unit = unit_in(text)
    if unit and any(one.start < unit.end and unit.start < one.end for one in mentions.metrics):
        unit = None  # employees are counted in employees
    if unit:
        mentions = _unbased(mentions_in(text, vocabulary, [*taken, (unit.start, unit.end)]))
    mentions = _meant(text, mentions, vocabulary)
    if not mentions.metrics and unit:
        mentions = replace(mentions, metrics=_counted(text, unit, vocabulary))
    if not mentions.metrics:
        mentions = replace(mentions, metrics=_implied(text, vocabulary))
    return [one for one in spoken if not _is_named(text, one, mentions)], mentions, unit


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


def _meant(text: str, mentions: Mentions, vocabulary: Vocabulary) -> Mentions:
    """With a measure that several words mean in place of what one of them names: the cash that
    operations generated.
    """
    small = text.lower()
    for name in names_in("meant"):
        said = pattern("meant", name).search(small, 0, LONGEST)
        found = [one for one in vocabulary.matches(name) if one.field == "metric"]
        if said and found and len(small) == len(text):
            start, end = said.span()
            whole = any(one.start <= start and end <= one.end for one in mentions.metrics)
            if not whole:
                others = [one for one in vocabulary.wider(found[0]) if one.how != "partial"]
                values = dict.fromkeys(value for one in (found[0], *others) for value in one.values)
                match = replace(found[0], said=text[start:end], start=start, end=end, how="alias")
                match = replace(match, values=tuple(values))
                others = [one for one in mentions.metrics if one.end <= start or end <= one.start]
                return replace(mentions, metrics=(match, *others))
    return mentions


def _implied(text: str, vocabulary: Vocabulary) -> tuple[Match, ...]:
    """A measure that a question means without naming it: "how many people", "how much … sell"."""
    small = text.lower()
    for name in names_in("implied"):
        said = pattern("implied", name).search(small, 0, LONGEST)
        found = [one for one in vocabulary.matches(name) if one.field == "metric"]
        if said and found and len(small) == len(text):
            start, end = said.span("verb")
            score = round(found[0].score * 0.9, 3)
            match = replace(found[0], said=text[start:end], start=start, end=end, score=score)
            return (replace(match, how="alias"),)
    return ()


def _counted(text: str, unit: Unit, vocabulary: Vocabulary) -> tuple[Match, ...]:
    """What is counted in a unit, where only that is said: the m³ that were sold."""
    values = counted_in(text, unit, vocabulary.units)
    said = text[unit.start : unit.end]
    match = Match(
        said=said,
        start=unit.start,
        end=unit.end,
        field="metric",
        values=values,
        how="alias",
        score=0.9,
    )
    return (match,) if values else ()


def _operation(basis: Bases, mentions: Mentions, periods: Sequence[Period]) -> Operation | None:
    """What is to be computed: said by the question, or a difference to what it is set against."""
    many = max(len(mentions.metrics), len(mentions.entities), len(periods)) > 1
    found = operation_of(basis.told, many=many)
    if found == "trend" and basis.against and len(periods) <= 1:
        return "difference"  # how it developed against the plan
    return found or ("difference" if basis.against else None)


def _is_named(text: str, one: Spoken, mentions: Mentions) -> bool:
    """Whether a time is part of a name: the notes due 2025."""
    if mentions.metrics and _DUE.search(text[: one.start]):
        return True
    return any(
        match.start <= one.start and one.end <= match.end and match.score >= _SURE
        for match in (*mentions.metrics, *mentions.entities)
    )


def _compared(
    operation: Operation | None, basis: Bases, periods: Sequence[Period], mentions: Mentions
) -> tuple[tuple[Basis, ...], Basis | None]:
    """The bases of a question. A change of one thing in one time is counted from a year before."""
    lone = len(periods) <= 1 and len(mentions.metrics) <= 1 and not basis.bases
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
    spans = [(one.start, one.end) for one in mentions.all if one.score >= 0.6]
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
            or is_unit(text[start:end])
            or not any(letter.isalpha() for letter in text[start:end])
        ):
            continue
        if found and not text[found[-1][1] : start].strip(" -"):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _parts_of(mentions: Mentions) -> set[str]:
    """The words of the names that are meant, also those that were said apart from the rest."""
    named = (value for one in mentions.companies for value in one.values)
    return {word.key for name in named for word in words_of(name)}
