"""When is a number about? Its column says so, or its row, or what stands over the table.

What is said nearest to the number counts; what is said further away completes it: `2019` under
`Year ended May 31,` is a business year, and `Budget` in the row `August 2025` is that of the month.
Where nobody says anything, the time is that of the report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from consilience.packs.finance.notation.periods import joined_header, read_periods, times
from consilience.packs.finance.notation.periods.reading import Spoken
from consilience.packs.finance.shapes import Basis, Period
from consilience.packs.finance.tables.labels import is_balance
from consilience.packs.finance.tables.lattice import SOME, is_period

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
    opened = tuple(text for text in context if is_period(text) and not _named((text,)))
    around = _of_context(context)
    own = _in_rows(opened, timely, around or near) if timely else Spoken()
    if own.period is None and not _named((*opened, *told)):
        own = _in_label(label) or own
    found = joined_header((*opened, *told), near=own.period or around or near)
    if found.basis == "change" and latest and not _named((*opened, *told)) and not own.period:
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


def _named(parts: Sequence[str]) -> Period | None:
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
