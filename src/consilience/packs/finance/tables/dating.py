"""When is a number about? Its column says so, or its row, or what stands over the table.

What is said nearest to the number counts; what is said further away completes it: `2019` under
`Year ended May 31,` is a business year, and `Budget` in the row `August 2025` is that of the month.
Where nobody says anything, the time is that of the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from consilience.packs.finance.notation.periods import joined_header, read_periods
from consilience.packs.finance.notation.periods.reading import Spoken
from consilience.packs.finance.shapes import Basis, Period
from consilience.packs.finance.tables.lattice import SOME, is_period


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
    latest: tuple[Period, ...] = (),
) -> When:
    """What is said of the time of a number; `context` are the texts around its table.

    `latest` are the last time that other columns name, and the one before: a column of changes
    that names none tells of the last.
    """
    told = timely_parts(header)
    timely = tuple(part for part in label if is_period(part))
    opened = tuple(text for text in context if is_period(text) and not _named((text,)))
    around = _of_context(context, near)
    own = _in_rows(opened, timely, around or near) if timely else Spoken()
    if own.period is None and not _named((*opened, *told)):
        own = _in_label(label, around or near) or own
    found = joined_header((*opened, *told), near=own.period or around or near)
    if found.basis == "change" and latest and not _named((*opened, *told)) and not own.period:
        found = replace(found, period=latest[0])
        if found.against is None and [one.year for one in latest[1:]] == [latest[0].year - 1]:
            found = replace(found, against="last year")
    period = found.period or own.period or around or near
    basis = found.basis or own.basis or "actual"
    stated = found.stated if found.period else own.stated
    return When(
        period=period,
        stated=stated or period,
        basis=basis,
        against=found.against or own.against,
    )


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


def _named(parts: Sequence[str]) -> Period | None:
    """The time that headings name without any help."""
    return joined_header(parts).period


def _of_context(context: Sequence[str], near: Period | None) -> Period | None:
    """The one time that the text nearest to the table names; one that names two names none."""
    for text in context:
        found = {one.period for one in read_periods(text) if one.period}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _in_label(label: Sequence[str], near: Period | None) -> Spoken | None:
    """The time inside of a label: `Balance as of June 30, 2017`."""
    for part in reversed(label):
        found = [one for one in read_periods(part) if one.period and one.basis is None]
        if len(found) == 1:
            return found[0]
    return None


def timely_parts(path: Sequence[str]) -> tuple[str, ...]:
    """The headings of a path that say when or on which basis."""
    return tuple(part for part in path if read_periods(part, near=SOME))


def latest_of(paths: Iterable[Sequence[str]]) -> tuple[Period, ...]:
    """The last two times that columns name, the last first."""
    found = [joined_header(timely_parts(path)) for path in paths]
    named = {one.period for one in found if one.period and one.basis != "change"}
    return tuple(sorted(named, key=lambda one: one.end, reverse=True)[:2])
