"""What does a grid of texts say? Rows with labels, and numbers with all that says what they are.

`understand` puts the parts together: headings over the columns (`headings`), labels of the rows
(`labels`), what is counted and of whom (`roles`), in which unit (`measuring`), and when
(`dating`). A band is a part of a table under headings of its own; most tables have one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from consilience.packs.finance.data_model import (
    BETWEEN,
    About,
    Basis,
    Box,
    Cell,
    Datum,
    Grid,
    Period,
    Row,
    Table,
)
from consilience.packs.finance.notation.measures import CURRENCIES
from consilience.packs.finance.notation.periods import joined_header, read_periods, times
from consilience.packs.finance.notation.periods.parser import Spoken
from consilience.packs.finance.notation.values import (
    Measure,
    Style,
    Value,
    measure_of,
    narrowed,
    read_value,
)
from consilience.packs.finance.tables.headings import Band, bands, heading_rows, label_columns
from consilience.packs.finance.tables.labels import (
    Part,
    is_balance,
    is_total,
    is_whole,
    label_paths,
    sections_of,
    total_of,
)
from consilience.packs.finance.tables.lattice import (
    SOME,
    Lattice,
    is_basis,
    is_period,
    is_unit,
    lattice_of,
    tidy,
    without_periods,
)
from consilience.packs.finance.tables.lists import listed
from consilience.packs.finance.tables.wording import (
    cleaned,
    evidence,
    is_amount,
    is_generic,
    is_only_unit,
    is_plain,
    parted,
    place_in,
    unmarked,
    words_of,
)

# --- what is counted, and of whom? ---

Axis = Literal["rows", "columns", "caption"]
_BY = re.compile(
    r"\s+(?:by|per|nach|pro|je|par|por|per)\s+(?!share\b|aktie\b|action\b|acción\b|ação\b)", re.I
)

_AT_END = re.compile(
    r"(?i),?\s+(?:(?:as )?(?:at|of) )?(?:the )?(?:end of (?:the )?(?:period|month|quarter|year)|"
    r"(?:month|year|quarter|period)[\s-]end)$|\s+(?:am|zum) (?:monats|jahres|quartals)ende$"
)
_PIECES = re.compile(r"\s+[–—|-]\s+|\s*:\s+")
_AND = re.compile(r"\s+(?:and|und|et|y|e)\s+|\s*[&,]\s+")
_NUMBERED = re.compile(
    r"(?i)^(?:(?:table|tabelle|tab\.?|figure|note|exhibit|schedule|tableau|tabla|tabela|cuadro|"
    r"quadro)\s*[\dA-Z]+(?:\.\d+)*\s*[.:–-]?|\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}[.)]|\([a-z\d]\))\s+"
)


_LEADS = re.compile(
    r"(?i)^(?:the )?(?:following|below|above) (?:(?:table|schedule|chart|summary)s?(?: below)? )?"
    r"(?:also )?(?:shows?|presents?|summari[sz]es?|provides?|sets? (?:forth|out)|details?|"
    r"reflects?|represents?|discloses?|lists?|gives?|is|are|contains?) "
    r"(?:information (?:about|on|regarding) )?"
)
_OF = re.compile(
    r"(?i)^(?:the |our |its |an? )?(?:(?:components|summary|breakdown|details|reconciliation) of )*"
    r"(?:the |our |its |an? )?(?=\w{3})"
)
_FOLLOWS = re.compile(
    r"(?i)(?: for the (?:periods|years) (?:indicated|presented)| as of the dates? indicated)|"
    r"(?:,| (?:is|are|was|were|consists?|consisted|comprises?|comprised|include[sd]?))*"
    r"(?: (?:as follows?|follows?|summari[sz]ed (?:below|as follows)|(?:of )?the following|"
    r"shown below|presented below))\b(?=[\s:(*.]*(?:\(|$|:))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """How a table is to be read: where its measures stand, and what its caption names.

    `named` are labels that stand under several sections: of such and the sections over them, one
    is what is counted and the other one of whom.
    """

    axis: Axis
    subject: str
    place: tuple[str, ...]
    named: frozenset[str]
    names: frozenset[int]


def roles_of(
    paths: Mapping[int, Sequence[Part]],
    columns: Iterable[Sequence[str]],
    corner: Mapping[int, str],
    around: tuple[Sequence[str], Sequence[str]],
) -> Roles:
    """How the table with these labels and headings is read; `around` it stand its titles and
    caption, and the headings of its sections, the nearest first.
    """
    context = (*around[0], *around[1])
    paths = {row: [one for one in path if cleaned(one.text)] for row, path in paths.items()}
    inner = [cleaned(path[-1].text) for path in paths.values() if path]
    said = [evidence(text) for text in inner if text and not is_total(text)]
    heads = [parts for path in columns if (parts := _told(path))]
    rows = _share([one == "metric" for one in said])
    tops = _share([any(evidence(part) == "metric" for part in parts) for parts in heads])
    names = frozenset(c for c, text in corner.items() if _role_heads(text, "entity_headings"))
    measures = any(_role_heads(text, "metric_headings") for text in corner.values())
    places = _share([one == "name" for one in said]) > 0.5
    subject = _subject((*corner.values(), *context), set(inner))
    sections = sections_of(paths)
    return Roles(
        axis=_axis(rows, tops, measures=measures, names=bool(names) or places, subject=subject),
        subject=subject or _title(around[0]),
        place=_place(context),
        named=frozenset(text for text, outer in sections.items() if len(outer) > 1),
        names=names,
    )


def _axis(rows: float, tops: float, *, measures: bool, names: bool, subject: str) -> Axis:
    if measures or (rows >= 0.5 and not names):
        return "rows"
    if tops > 0 and tops >= rows:
        return "columns"
    if names or (subject and rows < 0.34):
        return "caption"
    return "rows"


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0


def _role_heads(text: str, name: str) -> bool:
    words = words_of(text)
    return 0 < len(words) <= 3 and words[-1] in listed(name)


def _told(path: Iterable[str]) -> list[str]:
    return [
        piece for text in path if (bare := cleaned(text, heading=True)) for piece in parted(bare)
    ]


def _subject(context: Iterable[str], rows: Collection[str]) -> str:
    """What a caption says is counted: `Revenue` of `Revenue by segment (in EUR million)`.

    Of two measures, one that has rows of its own is not that of the others.
    """
    for text in context:
        before = _AT_END.sub("", _BY.split(_numberless(text))[0])
        pieces = [cleaned(one, heading=True) for one in _PIECES.split(before)]
        for piece in (*pieces, *re.split(r",\s+", before)):
            both = [one for one in _AND.split(piece) if one]
            if len(both) > 1 and all(evidence(one) == "metric" for one in both):
                piece = next((one for one in both if one not in rows), piece)  # noqa: PLW2901
            found = [one for one in parted(piece) if evidence(one) == "metric"]
            if found and len(words_of(found[0])) <= 6:
                return found[0]
    return ""


def _numberless(text: str) -> str:
    """A caption without its number, and without the words that lead to what it names."""
    bare = _FOLLOWS.sub("", _OF.sub("", _LEADS.sub("", _NUMBERED.sub("", text))))
    return cleaned(bare)


def _title(context: Iterable[str]) -> str:
    """What a table is called where that says more than what kind of table it is."""
    for text in context:
        bare = _BY.split(_numberless(text))[0]
        if evidence(bare) == "open" and len(words_of(bare)) <= 6:
            return bare
    return ""


def _place(context: Iterable[str]) -> tuple[str, ...]:
    for text in context:
        if found := place_in(_NUMBERED.sub("", text)):
            return tuple(found.split(BETWEEN))
    return ()


def told_apart(
    roles: Roles, label: Sequence[Part], header: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """What the number under this label and heading counts, and of whom or what."""
    left = [
        (piece, part) for part in label if (bare := _named(part.text)) for piece in parted(bare)
    ]
    top = _told(header)
    if roles.axis == "columns" or not left:
        found = _from_columns(left, top, roles)
    elif roles.axis == "caption" and _innermost([text for text, _ in left]) is None:
        found = roles.subject, [text for text, _ in left] + top
    else:
        found = _from_rows(left, top, roles)
    metric, entity = found
    return metric or _counted(header), _entity(entity, roles.place, metric)


def _named(text: str) -> str:
    """A part of a label without what is no name; a change alone is one: `Growth (%)`."""
    return cleaned(text) or (re.sub(r"\s*\(.*\)", "", unmarked(text)) if is_basis(text) else "")


def _counted(header: Sequence[str]) -> str:
    """What a column counts that is headed by a unit alone: `FTE`, `Tonnes`."""
    for text in reversed(header):
        bare = without_periods(tidy(text), bases=True)
        if bare and is_unit(bare) and (unit := measure_of(bare).unit):
            return "" if unit in CURRENCIES or unit == "%" else bare
    return ""


def _entity(parts: Iterable[str], place: Sequence[str], metric: str) -> tuple[str, ...]:
    told = list(parts)
    for at, one in enumerate(told):
        if is_whole(one) and not is_total(one):  # that of the group, whatever it stands under
            told = told[at + 1 :]
            break
    kept = [
        one
        for one in told
        if evidence(one) not in ("formal", "")
        and not is_amount(one)
        and not is_whole(one)
        and not (total_of(one) and total_of(one) in told)
    ]
    kept = list(dict.fromkeys(one for one in kept if one.casefold() != metric.casefold()))
    if place and not any(evidence(one) == "name" for one in kept):
        kept = [*(one for one in place if one not in kept), *kept]
    return tuple(kept)


def _from_columns(
    left: Sequence[tuple[str, Part]], top: Sequence[str], roles: Roles
) -> tuple[str, list[str]]:
    texts = [text for text, _ in left]
    at = _innermost(top)
    if at is None:
        said = _innermost(texts)
        if said is not None:
            return texts[said], [*texts[:said], *texts[said + 1 :], *top]
        if roles.subject:
            return roles.subject, [*texts, *top]
        if top and roles.axis == "columns":
            return top[-1], [*texts, *top[:-1]]
        return (texts[-1], [*texts[:-1], *top]) if texts else (_joined(top), [])
    metric = _joined(top[at:]) if at < len(top) - 1 else _full(top, at)
    return metric, [*texts, *(one for one in top[:at] if evidence(one) != "metric")]


def _from_rows(
    left: Sequence[tuple[str, Part]], top: Sequence[str], roles: Roles
) -> tuple[str, list[str]]:
    texts = [text for text, _ in left]
    at = _innermost(texts)
    if at is None:
        return _from_open_rows(left, top, roles)
    inner = texts[at + 1 :]
    if inner and is_generic(inner[-1]) and not is_total(inner[-1]):
        metric, rest = _joined([texts[at], inner[-1]]), inner[:-1]
    else:
        metric, rest = _full(texts, at), list(inner)
    outer = [text for text in texts[:at] if not is_plain(text) and text not in metric]
    return metric, [*outer, *rest, *top]


def _from_open_rows(
    left: Sequence[tuple[str, Part]], top: Sequence[str], roles: Roles
) -> tuple[str, list[str]]:
    """Where no part of the label has a word of a measure: the innermost that is no known name,
    with the section over it, unless it comes again under others: then those are the names.
    """
    texts = [text for text, _ in left]
    open_ones = [
        at
        for at, (text, part) in enumerate(left)
        if part.column not in roles.names and evidence(text) == "open" and not is_total(text)
    ]
    if not open_ones:
        return roles.subject or ("" if any(map(_is_place, texts)) else texts[-1]), [*texts, *top]
    at = open_ones[-1]
    rest = [*texts[:at], *texts[at + 1 :]]
    over = at - 1 if at - 1 in open_ones and left[at - 1][1].column is None else None
    if over is not None and left[at][1].text not in roles.named:
        return _joined(texts[over : at + 1]), [*texts[:over], *texts[at + 1 :], *top]
    return texts[at], [*rest, *top]


def _is_place(text: str) -> bool:
    return evidence(text) == "name"


def _innermost(texts: Sequence[str]) -> int | None:
    return next((at for at in reversed(range(len(texts))) if evidence(texts[at]) == "metric"), None)


def _full(texts: Sequence[str], at: int) -> str:
    """A part with the one over it where it says too little alone: `Earnings per share › Basic`."""
    if at > 0 and is_generic(texts[at]) and evidence(texts[at - 1]) == "metric":
        return _joined(texts[at - 1 : at + 1])
    return texts[at]


def _joined(parts: Sequence[str]) -> str:
    return BETWEEN.join(parts)


# --- in which unit, and in how many of it, is a number of a table? ---

_SHARES = re.compile(
    r"(?i)\b(?:margins?|percentages?|per ?cent|yield|"
    r"(?:tax|interest|growth|discount|churn|occupancy) rates?|"
    r"roce|roe|roi|roic|marge|margem|margen|margine|\w*marge|\w*quote|\w*rendite|utili[sz]ation|"
    r"volatility|auslastung)\b"
)
_RATIOS = re.compile(
    r"(?i)\b(?:ratio|leverage|gearing|multiple|verschuldungsgrad|"
    r"(?:debt|liabilities|borrowings|loans?|equity|capital|expenditure|capex)\s?(?:to|/)\s?"
    r"(?:ebitda|equity|assets|capital|sales|revenue))\b"
)
_COUNTS = re.compile(
    r"(?i)\b(?:headcount|employees|ftes?|workforce|mitarbeiter\w*|beschäftigte|effectifs?|plantilla|"
    r"number of (?!shares|options|ordinary|common)\w+|anzahl|stores|customers|subscribers)\b"
    r"(?!\s+(?:cost|expense|benefit|compensation|payable|contribution)s?)"
)
_TOWARDS = re.compile(r"(?i)\b(?:to|from|with|for)(?: \w+){0,2} $")
_NUMBER_OF = re.compile(r"(?i)\b(?:number|count|anzahl|nombre|número) (?:of|der|de|an) ")
_QUANTITIES = re.compile(
    r"(?i)\b(?:\w*volumes?|tonnage|\w*mengen?|\w*absatz|capacity|production|output)\b"
)
_PRICES = re.compile(
    r"(?i)\b(?:(?:average|exercise|unit|selling|market|closing|share) prices?|\w*preise?)\b"
)
_NO_MONEY = re.compile(
    r"(?i)\b(?:shares?|options?|factors?|members(?:hips?)?|memberships?|users|visitors|aircraft|"
    r"vehicles|rooms|restaurants|warehouses|square f(?:ee|oo)t|hours|"
    r"(?:remaining|expected|contractual|useful|average) (?:\w+ ){0,2}(?:terms?|life|lives|age))\b|"
    r"^(?:years?|dates?|number) (?:of|that|in)\b"
)
_RATES = ("%", "pp", "bps", "x")


def around(texts: Iterable[str]) -> Measure:
    """What the numbers of a table are in, said by the first of these texts that says it."""
    unit, scale = "", 0
    exceptions: tuple[str, ...] = ()
    for text in texts:
        found = measure_of(text)
        if not scale and (found.scale or found.unit) and found.unit not in _RATES:
            unit, scale, exceptions = unit or found.unit, found.scale, found.exceptions
        if unit and scale:
            break
    return Measure(unit=unit, scale=scale, exceptions=exceptions)


def measured(
    value: Value,
    table: Measure,
    header: Sequence[str],
    label: Sequence[str],
    more: tuple[str, str],
) -> tuple[str, int]:
    """The unit of a number and its scale, by all that is said of it.

    `more` are what is counted, and the currency of amounts of which nobody says it.
    """
    metric, currency = more
    if any(way(one) for one in label[-1:] for way in (_SHARES.search, _RATIOS.search, _counts)):
        label = label[-1:]
    top = narrowed(Measure(), *header)
    side = narrowed(Measure(), *label)
    if top.unit in _RATES or (top.unit and not side.unit):
        texts = (*label, *header)
    else:
        texts = (*header, *label)
    outer = narrowed(_meant(table, label, (*header, metric)), *texts)
    unit, scale = _with_cell(value, outer, table)
    if not unit and currency and _is_money(label, (*header, metric), table):
        unit = currency
    return unit, scale or 1


def _meant(table: Measure, label: Sequence[str], header: Sequence[str]) -> Measure:
    """What the table is in, as far as it holds for a row with this label."""
    said = " ".join((*label[-2:], *header))
    if _SHARES.search(said):
        return replace(table, unit="%", scale=1)
    counted = table.unit in CURRENCIES and _NUMBER_OF.search(said)
    if _counts(said) and table.unit and table.unit not in CURRENCIES:
        return table
    if counted or _RATIOS.search(said) or _counts(said):
        return replace(table, unit="", scale=1)
    if table.unit in CURRENCIES and _QUANTITIES.search(said) and not _has_money(said):
        return replace(table, unit="", scale=1)
    if _PRICES.search(said):
        return replace(table, scale=1)
    return table


def _counts(text: str) -> bool:
    """Whether a text counts people or things; in `Sales to wholesale customers` it does not."""
    return any(not _TOWARDS.search(text, 0, one.start()) for one in _COUNTS.finditer(text))


def _has_money(text: str) -> bool:
    return measure_of(text).unit in CURRENCIES


def _with_cell(value: Value, outer: Measure, table: Measure) -> tuple[str, int]:
    if not value.unit:
        return outer.unit, value.scale or outer.scale
    if value.unit not in CURRENCIES:
        return value.unit, value.scale or 1
    if "/" in outer.unit:
        return f"{value.unit}/{outer.unit.partition('/')[2]}", value.scale or 1
    if value.scale or outer.unit in CURRENCIES or not outer.unit:
        return value.unit, value.scale or outer.scale
    return value.unit, table.scale if outer.unit in _RATES and table.scale else 1


def _is_money(label: Sequence[str], header: Sequence[str], table: Measure) -> bool:
    """Whether a number without any unit is an amount of money, as far as its words tell."""
    said = " ".join((*label, *header))
    others = (_SHARES, _RATIOS, _QUANTITIES, _NO_MONEY)
    if _counts(said) or any(way.search(said) for way in others):
        return False
    return not table.unit


# --- when is a number about? ---

_DUE = re.compile(
    r"(?i)\b(?:due (?:in|by|within|after|during)|(?:amounts?|payments?) due|matur(?:ity|ities|ing)|"
    r"fällig\w*|restlaufzeit\w*|échéances?|vencimientos?|vencimentos?|scadenz[ae])\b"
)
_WHOLE_YEAR = re.compile(
    r"(?i)\b(?:(?:full|whole|entire)[\s-]year|FY|gesamtjahr|año completo|année complète)\b"
)
_QUARTERLY = re.compile(r"(?i)\bquarterly (?:financial|results|data|information|operating)")
_BALANCES = re.compile(r"(?i)balance sheet|financial position|dividend")
_YEAR = (330, 400)  # days
_PARTS = ("month", "quarter", "half", "ytd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """What the columns of a table say together.

    `latest` are the last time that they name, and the one before; `only` is the one day that some
    of them name where the others name no time. `expects` is whether one of them is a forecast.
    `alike` are the headings that several columns have and that name no time: nothing tells which
    of these columns is about the time of the report.
    """

    latest: tuple[Period, ...] = ()
    only: Period | None = None
    expects: bool = False
    alike: frozenset[tuple[str, ...]] = frozenset()


ALONE = Among()
"""Of columns that say nothing together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The time of a number, the one its column names, and what it tells of it."""

    period: Period | None = None
    stated: Period | None = None
    basis: Basis = "actual"
    against: Basis | None = None


@lru_cache(maxsize=20_000)
def when_of(
    header: tuple[str, ...],
    label: tuple[str, ...],
    context: tuple[str, ...],
    near: Period | None,
    among: Among = ALONE,
) -> When:
    """What is said of the time of a number; `context` are the texts around its table.

    A column of changes that names no time tells of the last one `among` the columns. A column
    of what is due in a year tells of the balance, and its time is not that year. Of columns with
    one heading or none, only what stands in the row itself says when.
    """
    if any(map(_DUE.search, header)):
        return When()
    if header in among.alike:
        return _in_row(label, near)
    told, latest = timely_parts(header), among.latest
    timely = tuple(part for part in label if is_period(part))
    opened = tuple(text for text in context if is_period(text) and not _named_period((text,)))
    around = _of_context(context)
    own = _in_rows(opened, timely, around or near) if timely else Spoken()
    if own.period is None and not _named_period((*opened, *told)):
        own = _in_label(label) or own
    found = joined_header((*opened, *told), near=own.period or around or near)
    if (
        found.basis == "change"
        and latest
        and not _named_period((*opened, *told))
        and not own.period
    ):
        found = replace(found, period=latest[0])
        if found.against is None and [one.year for one in latest[1:]] == [latest[0].year - 1]:
            found = replace(found, against="last year")
    period = found.period or own.period or around or among.only or near
    if period and period.kind == "day" and found.period and _is_quarterly(context):
        period = times.months(3, period.end)
    basis = found.basis or own.basis
    if basis is None and period and near and _is_open(period, near, header, expects=among.expects):
        basis = "forecast"
    stated = found.stated if found.period else own.stated
    return When(
        period=period,
        stated=stated or period,
        basis=basis or "actual",
        against=found.against or own.against,
    )


def _in_row(label: Sequence[str], near: Period | None) -> When:
    """What the label of a row says of the time: parts that are times, or its innermost part."""
    timely = tuple(part for part in label if is_period(part))
    found = _in_rows((), timely, near) if timely else _in_label(label[-1:]) or Spoken()
    return When(
        period=found.period,
        stated=found.stated or found.period,
        basis=found.basis or "actual",
        against=found.against,
    )


def _is_quarterly(context: Sequence[str]) -> bool:
    """Whether the text nearest to a table says that its columns are quarters."""
    nearest = " ".join([text for text in context if text][:3])
    return bool(_QUARTERLY.search(nearest)) and not _BALANCES.search(nearest)


def _is_open(period: Period, near: Period, header: Sequence[str], *, expects: bool) -> bool:
    """Whether a year goes on after the month, quarter or half that a report is for.

    Then its number is not yet what was: where other columns are forecasts, or where it is said
    to be of the full year.
    """
    if period.kind != "year" or near.kind not in _PARTS:
        return False
    around = period.start <= near.start and near.end < period.end
    return around and (expects or any(map(_WHOLE_YEAR.search, header)))


def _in_rows(opened: Sequence[str], timely: Sequence[str], near: Period | None) -> Spoken:
    """What the parts of a label say together: `First quarter` in `2019` is a quarter of that."""
    found = joined_header((*opened, *timely), near=near)
    for at in range(1, len(timely)):
        outer = joined_header((*opened, *timely[:at]), near=near).period
        inner = joined_header(timely[at:], near=outer)
        if (
            outer
            and inner.period
            and outer.start <= inner.period.start < inner.period.end <= outer.end
        ):
            return inner
    return found


def between_days(labels: Mapping[int, str]) -> dict[int, str]:
    """When rows are about that stand between what there was on one day and on another.

    `labels` are those of all rows by their numbers: `Balance at May 31, 2014`, what was added
    and taken, `Balance at May 31, 2015`: the rows between are about the year that ended then.
    """
    days = [
        (row, found[0].period)
        for row, text in labels.items()
        if is_balance(text) and len(found := [one for one in read_periods(text) if one.period]) == 1
    ]
    said: dict[int, str] = {}
    for (first, one), (last, two) in pairwise(days):
        if (
            one
            and two
            and one.kind == two.kind == "day"
            and _YEAR[0] < (two.end - one.end).days < _YEAR[1]
        ):
            text = f"Year ended {times.told_day(two.end)}"
            said |= dict.fromkeys(range(first + 1, last), text)
    return said


def _named_period(parts: Sequence[str]) -> Period | None:
    """The time that headings name without any help."""
    return joined_header(parts).period


def _of_context(context: Sequence[str]) -> Period | None:
    """The one time that the text nearest to the table names; one that names two names none."""
    for text in context:
        found = {one.period for one in read_periods(text) if one.period}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _in_label(label: Sequence[str]) -> Spoken | None:
    """The time inside of a label: `Balance as of June 30, 2017`."""
    for part in reversed(label):
        found = [one for one in read_periods(part) if one.period and one.basis is None]
        if len(found) == 1:
            return found[0]
    return None


def timely_parts(path: Sequence[str]) -> tuple[str, ...]:
    """The headings of a path that say when or on which basis."""
    return tuple(part for part in path if read_periods(part, near=SOME))


def among_of(paths: Iterable[Sequence[str]], filled: Iterable[tuple[str, ...]] = ()) -> Among:
    """What columns say together: the last two times that they name, the last first.

    `filled` are the headings of those columns that have numbers.
    """
    counts = Counter(filled)
    found = [joined_header(timely_parts(path)) for path in paths]
    named = {one.period for one in found if one.period and one.basis != "change"}
    only = next(iter(named)) if len(named) == 1 else None
    return Among(
        only=only if only and only.kind == "day" else None,
        latest=tuple(sorted(named, key=lambda one: one.end, reverse=True)[:2]),
        expects=any(one.basis == "forecast" for one in found),
        alike=frozenset(
            path for path, count in counts.items() if count > 1 and not timely_parts(path)
        ),
    )


# --- the table ---

_THINGS = re.compile(
    r"(?i)\b(?:unit counts?|(?:number|count) of|employee count|square feet|warehouses|patents)\b"
)
Paths = Mapping[int, tuple[Part, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What is known of a band, and of the table around it, when its numbers are read.

    `names` are the headings of its columns as they are printed, `money` the currencies that some
    cells of its columns show, `currency` that of other amounts, `among` what its columns say
    together of times, and `between` when rows are about that stand between two balances.
    """

    lattice: Lattice
    about: About
    labels: tuple[int, ...]
    aside: frozenset[int]
    roles: Roles
    measure: Measure
    context: tuple[str, ...]
    band: Band
    names: Mapping[int, str]
    money: Mapping[int, str]
    currency: str
    among: Among
    between: Mapping[int, str]


def understand(grid: Grid, about: About, name: str, said: Sequence[str] = ()) -> Table:
    """The table that a grid is, under a name that tells it from the others of its document.

    `said` are texts of its page that say what all numbers there are in.
    """
    lattice = lattice_of(grid)
    count = heading_rows(lattice, grid.header)
    labels, aside = label_columns(lattice, count)
    parts = bands(lattice, count, labels)
    paths = label_paths(lattice, range(count, lattice.rows), labels, _heads(parts))
    first = parts[0]
    outer = around((*_said_around(grid, first), *said))
    shared = (lattice, about, labels, aside, _roles(grid, parts, paths, aside))
    moved = between_days({row: path[-1].text for row, path in sorted(paths.items()) if path})
    readings = [replace(_reading(grid, band, outer, shared), between=moved) for band in parts]
    rows = [row for reading in readings for row in _rows(reading, paths)]
    return Table(
        name=name,
        caption=tidy(grid.caption) or tidy(" ".join(first.title)),
        rows=tuple(rows),
        section=grid.section,
        page=grid.page,
        unit=outer.unit,
        scale=outer.scale or 1,
        notes=grid.notes,
    )


def _heads(parts: Sequence[Band]) -> set[int]:
    """The rows of headings between bands."""
    return {row for one, two in pairwise(parts) for row in range(one.end, two.start)}


def _said_around(grid: Grid, first: Band) -> tuple[str, ...]:
    """The texts around a table that may say what its numbers are in, the nearest first."""
    return (*first.corner.values(), *first.title, grid.caption, *grid.notes, *grid.section[::-1])


def _roles(grid: Grid, parts: Sequence[Band], paths: Paths, aside: frozenset[int]) -> Roles:
    columns = [path for band in parts for c, path in band.columns.items() if c not in aside]
    near = (*parts[0].title, grid.caption)
    return roles_of(paths, columns, parts[0].corner, (near, grid.section[::-1]))


def _reading(
    grid: Grid,
    band: Band,
    outer: Measure,
    shared: tuple[Lattice, About, tuple[int, ...], frozenset[int], Roles],
) -> _Reading:
    lattice, about, labels, aside, roles = shared
    own = around(band.corner.values())
    return _Reading(
        lattice=lattice,
        about=about,
        labels=labels,
        aside=aside,
        roles=roles,
        measure=own if own.unit or own.scale else outer,
        context=(*band.corner.values(), *band.title, grid.caption, *grid.section[::-1]),
        band=band,
        names=header_names(band.columns),
        money=_money(lattice, band, labels),
        currency="" if _counts_things((*band.title, grid.caption)) else about.currency,
        between={},
        among=among_of(
            (path for column, path in band.columns.items() if column not in aside),
            (band.columns.get(column, ()) for column in _filled(lattice, band, labels, aside)),
        ),
    )


def _filled(
    lattice: Lattice, band: Band, labels: Sequence[int], aside: frozenset[int]
) -> frozenset[int]:
    """The columns of a band that have numbers."""
    return frozenset(
        cell.column
        for row in range(band.start, band.end)
        for cell in lattice.lines.get(row, ())
        if cell.column not in labels
        and cell.column not in aside
        and read_value(cell.text, lattice.style) is not None
    )


def _counts_things(texts: Iterable[str]) -> bool:
    """Whether a table is said to count things: then numbers without a sign are no money."""
    return any(map(_THINGS.search, texts))


def _money(lattice: Lattice, band: Band, labels: Sequence[int]) -> dict[int, str]:
    """The currency of each column where some of its cells show one: often the first and last."""
    found: dict[int, Counter[str]] = {}
    for row in range(band.start, band.end):
        for cell in lattice.lines.get(row, ()):
            value = read_value(cell.text, lattice.style) if cell.column not in labels else None
            if value is not None and len(value.unit) == 3 and value.unit.isupper():
                found.setdefault(cell.column, Counter())[value.unit] += 1
    return {column: units.most_common(1)[0][0] for column, units in found.items()}


# --- rows and numbers -------------------------------------------------------------------


def _rows(reading: _Reading, paths: Paths) -> Iterable[Row]:
    for at in range(reading.band.start, reading.band.end):
        if at in paths and (row := _row(reading, at, paths[at])) is not None:
            yield row


def _row(reading: _Reading, at: int, path: tuple[Part, ...]) -> Row | None:
    cells = reading.lattice.lines.get(at, [])
    values = [one for one in cells if one.column not in reading.labels]
    if not path and not values:
        return None
    data = tuple(
        _datum(reading, path, one, value)
        for one in values
        if one.column not in reading.aside
        and (value := _value(one, reading.lattice.style)) is not None
    )
    page = next((one.page for one in cells if one.page is not None), None)
    label = tuple(one.text for one in path)
    return Row(
        number=at + 1,
        label=(reading.between[at], *label) if at in reading.between else label,
        texts=_texts(reading, values, label),
        data=data,
        page=page,
        box=_around(one.box for one in cells if one.page == page),
    )


def _value(cell: Cell, style: Style) -> Value | None:
    """The number that a cell says, with all its digits where the file has them beside its text."""
    found = read_value(cell.text, style)
    if found is None or not cell.exact:
        return found
    return replace(found, value=Decimal(cell.exact))


def _texts(
    reading: _Reading, values: Sequence[Cell], label: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The cells of a row with their headings; a label that stands elsewhere is no cell."""
    return tuple(
        (reading.names.get(one.column, ""), tidy(one.text))
        for one in values
        if not (len(values) == 1 and label == (tidy(one.text).rstrip(" :"),))
    )


def _datum(reading: _Reading, path: tuple[Part, ...], cell: Cell, value: Value) -> Datum:
    header = reading.band.columns.get(cell.column, ())
    label = tuple(one.text for one in path)
    metric, entity = told_apart(reading.roles, path, header)
    letter = _letter(path)
    money = reading.money.get(cell.column) or reading.currency
    heads = [one if measure_of(one).unit else without_periods(one, bases=True) for one in header]
    named = label[:-1] if letter else label
    unit, scale = measured(value, reading.measure, heads, named, (metric, money))
    spoken = (*label, reading.between[cell.row]) if cell.row in reading.between else label
    when = when_of(header, spoken, reading.context, reading.about.period, reading.among)
    return Datum(
        row=cell.row + 1,
        column=cell.column,
        text=tidy(cell.text),
        value=value.value,
        number=value.value * scale,
        unit=unit,
        scale=scale,
        metric=metric or letter,
        entity=entity,
        header=header,
        label=label,
        period=when.period,
        stated=when.stated,
        basis=when.basis,
        against=when.against,
        page=cell.page,
        box=cell.box,
    )


def _letter(path: Sequence[Part]) -> str:
    """The label of a row that is one letter and no more: a name, and not a unit such as x or t."""
    own = [one for one in path if one.column is not None]
    alone = len(own) == 1 and own[0] == path[-1] and len(own[0].text) == 1
    return own[0].text if alone and own[0].text.isalpha() else ""


# --- headings for people ----------------------------------------------------------------


def header_names(columns: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Each column's headings as one, without units where columns differ without them."""
    short = {
        c: header_text([p for p in path if not is_only_unit(p)]) for c, path in columns.items()
    }
    counts = Counter(short.values())
    return {
        column: short[column] if short[column] and counts[short[column]] == 1 else header_text(path)
        for column, path in columns.items()
    }


def header_text(path: Sequence[str]) -> str:
    """Headings as one: `Year ended December 31, 2018`, `Change › Amount`."""
    text = ""
    for part in path:
        if not text:
            text = part
        else:
            text += (" " if text.endswith((",", "-", "–")) else BETWEEN) + part
    return text


def _around(boxes: Iterable[Box | None]) -> Box | None:
    """The smallest box that holds all of these."""
    found = [one for one in boxes if one is not None]
    if not found:
        return None
    return Box(
        left=min(one.left for one in found),
        top=min(one.top for one in found),
        right=max(one.right for one in found),
        bottom=max(one.bottom for one in found),
    )
