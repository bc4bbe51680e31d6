"""Which times and bases does a text speak of, in its order?

A phrase that leaves its year open takes it from a year elsewhere in the text (`Q3 revenue in
2019`), else from `near`, the time that the report is for. A year behind another period stands for
the same part of that year: `Q3 2019 and 2018`. Of phrases that overlap, the longest counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Literal, cast

from consilience.packs.finance.data_model import Basis, Kind, Period
from consilience.packs.finance.notation.measures import measure_of, ways, words
from consilience.packs.finance.notation.periods import times
from consilience.packs.finance.notation.periods.phrases import Made, Phrase, month_in, phrases_in
from consilience.packs.finance.notation.values import plain

# --- which words say what a number tells: actual, planned, or a change? ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A phrase that names a basis; `short` ones count only where little else is said."""

    start: int
    end: int
    basis: Basis
    against: Basis | None = None
    short: bool = False


_VERSUS = (
    r"(?i:vs\.?|v\.|versus|against|compared?\s(?:to|with)|comparison\s(?:to|with)|relative\sto|"
    r"ggü\.?|gegenüber|gegen|zum|above|below|under|behind|ahead\sof|exceed(?:ed)?|miss(?:ed)?|gg\.|contre|contra|than|over|from|to)"
)
_THE = r"(?:(?i:the|that|those|of|in|its|our|dem|der|den|le|la|el)\s){0,3}"
_YEARLY = re.compile(
    r"(?<!\w)(?i:yoy|y-o-y|y/y|(?:year|yr\.?)[\s-](?:over|on|to)[\s-](?:year|yr)|im\sVorjahresvergleich)(?!\w)"
    r"(?:\s(?i:change|growth|variance|%))?"
)
_OTHERLY = re.compile(
    r"(?<!\w)(?i:qoq|q-o-q|q/q|mom|m/m|(?:quarter|month)[\s-](?:over|on)[\s-](?:quarter|month))(?!\w)"
)


@cache
def _short() -> Mapping[str, Any]:
    found: Mapping[str, Any] = words("bases")["short"]
    return found


@cache
def _long() -> Mapping[str, Any]:
    return {name: found for name, found in words("bases").items() if name != "short"}


def _word(table: Mapping[str, Any], group: str, *, but: str = "") -> str:
    found = [
        f"(?P<{group}_{name.replace(' ', '_')}>{ways(names, cased=3)})"
        for name, names in table.items()
        if name != but
    ]
    return rf"(?:{'|'.join(found)})\.?"


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    both = {name: [*_long()[name], *_short()[name]] for name in _long()}
    change = ways(both["change"], cased=3)
    one, other = _word(both, "one", but="change"), _word(both, "other", but="change")
    begin, end = r"(?<![\w&])", r"(?![\w&])"
    texts = [
        ("short pair", rf"{begin}{one}\s?(?:%\s?)?(?:{_VERSUS}\s|/)\s?{_THE}{other}{end}"),
        (
            "short change",
            rf"(?:{begin}|(?=[Δ∆±+])){change}\.?[\s%().,:-]{{0,4}}(?:{_VERSUS}\s)?{_THE}{other}{end}",
        ),
        ("short change", rf"{begin}{other}[\s%().,:-]{{1,4}}{change}(?!\w)"),
        ("change", rf"{begin}{_VERSUS}\s?{_THE}{other}{end}"),
        ("long", rf"(?:{begin}|(?=[Δ∆±+])){_word(_long(), 'other')}(?!\w)"),
        ("short", rf"{begin}{_word(_short(), 'other')}{end}"),
    ]
    return [(name, re.compile(text)) for name, text in texts]


def _named(match: re.Match[str], group: str) -> Basis | None:
    for name, found in match.groupdict().items():
        if found is not None and name.startswith(f"{group}_"):
            return cast("Basis", name.removeprefix(f"{group}_").replace("_", " "))
    return None


def told_in(text: str) -> Iterator[Told]:
    """Every phrase that names a basis, overlapping ones included."""
    for match in _YEARLY.finditer(text):
        yield Told(start=match.start(), end=match.end(), basis="change", against="last year")
    for match in _OTHERLY.finditer(text):
        yield Told(start=match.start(), end=match.end(), basis="change")
    for name, pattern in _patterns():
        for match in pattern.finditer(text):
            yield from _told(name, match)


def _told(name: str, match: re.Match[str]) -> Iterator[Told]:
    basis = _named(match, "other")
    if basis is None:
        return
    changed = name in {"short pair", "short change", "change"}
    yield Told(
        start=match.start(),
        end=match.end(),
        basis="change" if changed else basis,
        against=basis if changed else None,
        short=name.startswith("short"),
    )


# --- which periods does a text name? ---

LONGEST = 2000
"""Letters of a text that are read."""
Role = Literal["", "from", "to"]
"""Which end of a range a time is; neither where it stands for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A time or a basis that a text speaks of, and where: `text[start:end]`.

    `stated` is the time that is named where it is not the one that is meant: `last year` beside
    August 2025 means August 2024. `against` is what a change is counted from. Both ends of a
    range have a `role`.
    """

    period: Period | None = None
    basis: Basis | None = None
    against: Basis | None = None
    start: int = 0
    end: int = 0
    stated: Period | None = None
    role: Role = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A phrase that was read: a time, a basis, or a word that has a meaning only near a time."""

    start: int
    end: int
    phrase: Phrase | None = None
    told: Told | None = None
    word: str = ""


_WORDS = re.compile(
    r"(?<![\w-])(?:(?P<ytd>(?i:YTD|year[\s-]to[\s-]date|cumulative|kumuliert|cumulé|acumulado))"
    r"|(?P<step>(?i:last|previous|prior|preceding|this|current|next|same|reporting))\s"
    r"(?:(?i:fiscal|calendar|reporting)\s)?"
    r"(?P<unit>(?i:month|quarter|half(?:[\s-]year)?|year))"
    r"|(?P<whole>(?i:full[\s-]year|whole[\s-]year|FY|entire\syear|Gesamtjahr))"
    r"|(?P<alone>(?i:month|quarter|half[\s-]year|year|Monat|Quartal|mois|mes|mês|trimestre|Jahr))"
    r"|(?P<late>(?i:year[\s-]end)))(?![\w-])"
)
_YTD = re.compile(r"(?i)YTD|year[\s-]to[\s-]date|cumulative|kumuliert|cumulé|acumulado")
_STEPS = {"last": -1, "previous": -1, "prior": -1, "preceding": -1, "next": 1}
_KINDS: dict[str, Kind] = {"m": "month", "q": "quarter", "t": "quarter", "h": "half"}
_MONTH_ALONE = re.compile(r"(?<![\w'-])(?P<month>[^\W\d_]{3,10})\.?(?![\w'])")
_LIST_BEFORE = re.compile(r"(?P<word>[^\W\d_]{3,10})\.?(?:,|\s?/|,?\s(?:and|und|or|to))\s?$")
_LIST_BEHIND = re.compile(r"(?:,|\s?/|,?\s(?:and|und|or|to))\s?(?P<word>[^\W\d_]{3,10})\b")
_NO_MONTHS = frozenset(words("plain")["months"].split())
_IN = re.compile(
    r"(?i)(?:\b(?:in|of|for|to|until|since|during|through|by|end|and|between|from|vs\.?|im|en|em)|"
    r"\w['’]s?)\s$"
)
_AND = re.compile(
    r"(?i)\s*(?:,?\s?(?:and|und|et|y|e|or)\s|&|,|/|vs\.?|versus|against|compared\s(?:to|with)|"
    r"(?:,\s?)?(?:and\s)?(?:in|to|from|than|over)\s)\s*"
)
_RANGE = re.compile(r"(?i)\s*(?:-|to|and|until|through|till|bis|à|and\s(?:the\s)?)\s*")
_LATE = re.compile(
    r"(?i)(?<!\w)(?:(?:at|by)\s)?(?:the\s)?(?:end\s(?:of|in)|year[\s-]end|close\sof|ende|fin\sde)\s"
    r"(?:the\s)?$"
)
_FILLERS = frozenset(words("plain")["fillers"].split())


def read_periods(text: str, *, near: Period | None = None) -> tuple[Spoken, ...]:
    """The times and bases that a text speaks of, in its order.

    `near` is the time that the report, or the question's context, is for.
    """
    return _read(text[:LONGEST], near)


@lru_cache(maxsize=20_000)
def _read(text: str, near: Period | None) -> tuple[Spoken, ...]:
    return spoken(text, parts_of(text), near)


def flat(text: str) -> str:
    """A text of the same length with plain digits, spaces and hyphens."""
    return plain(text, same_length=True)


def parts_of(text: str) -> tuple[Part, ...]:
    """The phrases of a text that count, in its order, none over another."""
    text = flat(text)
    found = [Part(start=one.start, end=one.end, phrase=one) for one in phrases_in(text)]
    found += [Part(start=one.start, end=one.end, told=one) for one in told_in(text)]
    found += _words(text)
    found += _lone_months(text)
    kept = _longest(found)
    if any(one.told and one.told.short for one in kept) and not _terse(text, kept):
        kept = _longest(one for one in found if not (one.told and one.told.short))
    return tuple(one for one in kept if not _is_noise(text, one, kept))


def _words(text: str) -> list[Part]:
    return [Part(start=one.start(), end=one.end(), word=one[0]) for one in _WORDS.finditer(text)]


def _lone_months(text: str) -> list[Part]:
    """Months without a year; those that are common words, too, only where they must be months."""
    found = []
    for match in _MONTH_ALONE.finditer(text):
        number = month_in(match["month"])
        if not number:
            continue
        alone = match[0] == text.strip()
        named = match["month"][0].isupper() and (
            _IN.search(text[: match.start()]) or _is_listed(text, match)
        )
        if alone or named or match["month"].casefold() not in _NO_MONTHS:
            phrase = Phrase(start=match.start(), end=match.end(), made=_in_month(number))
            found.append(Part(start=match.start(), end=match.end(), phrase=phrase))
    return found


def _is_listed(text: str, match: re.Match[str]) -> bool:
    """Whether a word stands in a list of months: April, May and June."""
    before, behind = (
        _LIST_BEFORE.search(text[: match.start()]),
        _LIST_BEHIND.match(text[match.end() :]),
    )
    return any(one and month_in(one["word"]) for one in (before, behind))


def _in_month(number: int) -> Made:
    return lambda year: times.month(year, number)


def _longest(parts: Iterable[Part]) -> list[Part]:
    """Parts in their order, of those that overlap the one that begins first and is longest."""
    kept: list[Part] = []
    for one in sorted(parts, key=lambda part: (part.start, -part.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _terse(text: str, parts: Sequence[Part]) -> bool:
    """Whether a text says little beside its times and bases, as a heading does."""
    rest = list(text)
    for one in parts:
        rest[one.start : one.end] = " " * (one.end - one.start)
    left = re.findall(r"[^\W\d_]{3,}", "".join(rest))
    return all(
        word.casefold() in _FILLERS or measure_of(word).unit or measure_of(word).scale
        for word in left
    )


def _is_noise(text: str, part: Part, parts: Sequence[Part]) -> bool:
    """Whether a word like `month` stands in a sentence, where it means nothing by itself."""
    match = _WORDS.fullmatch(part.word) if part.word else None
    return bool(match and match["alone"]) and not _terse(text, parts)


def spoken(text: str, parts: Sequence[Part], near: Period | None) -> tuple[Spoken, ...]:
    """What parts of a text mean, near a time."""
    text = flat(text)
    years = [one for one in parts if one.phrase and one.phrase.bare]
    opened = [one for one in parts if one.phrase and one.phrase.made]
    named = _named_by_others(parts) or near
    timed = [_timed(one.phrase, years, opened, named) if one.phrase else None for one in parts]
    found: list[Spoken] = []
    for at, one in enumerate(parts):
        read = timed[at]
        if one.told:
            read = _based(one.told, _beside(timed, at, near, change=one.told.basis == "change"))
        elif one.word:
            read = _worded(one, _beside(timed, at, near, change=False))
        if read is not None:
            found.append(replace(read, start=one.start, end=one.end))
    bare = {one.start for one in years}
    joined = _merged(text, _followed(text, _late(text, found), bare))
    return _ranged(text, _up_to_date(text, joined, near))


def _up_to_date(text: str, found: Sequence[Spoken], near: Period | None) -> list[Spoken]:
    """`YTD revenue, August 2025`: the year up to the months that are named, or to `near`'s."""
    words = [one for one in found if _YTD.fullmatch(text, one.start, one.end)]
    if not words or len(words) == len(found):
        return list(found)
    read = []
    for one in found:
        period = one.period
        if period and period.kind == "year" and near and near.kind in {"month", "ytd"}:
            period = times.to_date(period.year, near.end.month)
        elif period and period.kind == "month":
            period = times.to_date(period.year, period.end.month)
        if one not in words:
            read.append(replace(one, period=period))
    return read if any(one.period for one in read) else list(found)


def _named_by_others(parts: Sequence[Part]) -> Period | None:
    """The time whose year a phrase without one takes: `June 30 and December 31, 2019`."""
    whole = [one.phrase.period for one in parts if one.phrase and one.phrase.period]
    return whole[0] if whole else None


def _beside(
    timed: Sequence[Spoken | None], at: int, near: Period | None, *, change: bool
) -> Period | None:
    """The time that a basis is said of: the one before it in the text, else behind it, else `near`.

    A change in a text of several times is none of any one.
    """
    periods = [(place, one.period) for place, one in enumerate(timed) if one and one.period]
    if change and len(periods) > 1:
        return None
    before = [period for place, period in periods if place < at]
    return before[-1] if before else periods[0][1] if periods else near


_OF = re.compile(r"(?i)\s*(?:(?:of|in|the)\s){0,2}")


def _merged(text: str, found: Sequence[Spoken]) -> list[Spoken]:
    """`August last year` is one time."""
    read: list[Spoken] = []
    for one in found:
        last = read[-1] if read else None
        if (
            last and one.basis == "last year" and last.period and last.basis is None
            and one.stated == last.period and _OF.fullmatch(text, last.end, one.start)
        ):  # fmt: skip
            one = replace(one, start=last.start)  # noqa: PLW2901
            read.pop()
        read.append(one)
    return read


def _timed(
    phrase: Phrase, years: Sequence[Part], opened: Sequence[Part], near: Period | None
) -> Spoken | None:
    """A phrase that names a time: with its own year, one of the text, or that of `near`."""
    if phrase.made:
        if len(years) > 1 and len(opened) == 1:
            return None
        named = years[0].phrase.period if years and years[0].phrase else near
        period = phrase.made(named.year) if named else None
        basis = years[0].phrase.basis if years and years[0].phrase else None
        return Spoken(period=period, basis=basis) if period else None
    period = phrase.period
    if phrase.bare and opened and period:
        made = opened[0].phrase.made if opened[0].phrase else None
        if len(years) == 1 or made is None or len(opened) > 1:
            return None
        period = made(period.year)
    return Spoken(period=period, basis=phrase.basis) if period else None


def _based(told: Told, near: Period | None) -> Spoken:
    """A basis, of the time that the report is for; the year before is a year before that."""
    if told.basis == "last year" and near is not None:
        return Spoken(period=times.shifted(near, -1), basis="last year", stated=near)
    return Spoken(period=near, basis=told.basis, against=told.against)


def _worded(part: Part, near: Period | None) -> Spoken | None:
    """`Month`, `YTD`, `previous quarter`: what they are near a time."""
    match = _WORDS.fullmatch(part.word)
    if match is None or near is None:
        return None
    if match["ytd"] or match["late"]:
        return Spoken(period=_to_date_or_end(near, late=bool(match["late"])))
    word = (match["unit"] or match["alone"] or "year").casefold()
    kind = "month" if word == "mes" else _KINDS.get(word[0], "year")
    period = times.inside(kind, near)
    for_step = _STEPS.get((match["step"] or "").casefold(), 0)
    if period and for_step:
        period = times.before(period) if for_step < 0 else times.after(period)
    return Spoken(period=period) if period else None


def _to_date_or_end(near: Period, *, late: bool) -> Period | None:
    if not late:
        return times.inside("ytd", near)
    year = times.inside("year", near)
    return times.day(year.end) if year else None


def _late(text: str, found: Sequence[Spoken]) -> list[Spoken]:
    """`end of 2019`, `year-end 2019`: the last day of it."""
    read = []
    for one in found:
        before = _LATE.search(text, max(0, one.start - 24), one.start)
        if before and one.period and one.period.kind != "day":
            one = replace(one, period=times.day(one.period.end), start=before.start())  # noqa: PLW2901
        read.append(one)
    kept: list[Spoken] = []
    for one in read:
        while kept and kept[-1].end > one.start:
            kept.pop()
        kept.append(one)
    return kept


def _followed(text: str, found: Sequence[Spoken], bare: set[int]) -> list[Spoken]:
    """`Q3 2019 and 2018`: the year stands for the same part of it."""
    read: list[Spoken] = []
    for one in found:
        last = read[-1] if read else None
        if (
            last and one.start in bare and one.period and last.period
            and last.period.kind not in {"year", "span"} and last.period.year != one.period.year
            and _AND.fullmatch(text, last.end, one.start)
        ):  # fmt: skip
            moved = times.shifted(last.period, one.period.year - last.period.year)
            one = replace(one, period=moved)  # noqa: PLW2901
        read.append(one)
    return read


_FROM = re.compile(
    r"(?i)\b(?:between|from|since|zwischen|von|vom|entre|de|desde|dal|tra)\s(?:the\s)?$"
)


def _ranged(text: str, found: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """Times with `from` and `to`, where two of them are the ends of a range."""
    read = list(found)
    for at, (one, two) in enumerate(pairwise(found)):
        if (
            one.period is None
            or two.period is None
            or one.period == two.period
            or one.basis == "change"
            or two.basis == "change"
        ):
            continue
        between = text[one.end : two.start]
        opened = bool(_FROM.search(text[max(0, one.start - 16) : one.start]))
        dash = between.strip() in {"-", "through", "until", "till", "bis", "to"}
        if _RANGE.fullmatch(between) and (opened or dash) and one.period.kind == two.period.kind:
            read[at] = replace(read[at], role=read[at].role or "from")
            read[at + 1] = replace(read[at + 1], role="to")
    return tuple(read)
