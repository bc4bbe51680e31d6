"""What stands over the columns of a grid? Its headings, from the outermost inwards.

The first rows are headings up to the first row with numbers; years there are periods, not
numbers. A heading over several columns is known by its span, or else by what stands below it: in
`2019 | 2018 | Amount | Percentage` the years belong together, and so do the other two. Further
down a row of periods begins a new band of the table, with its own headings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from consilience.packs.finance.tables.lattice import Lattice, is_basis, is_period, sort_of

_OPEN = re.compile(
    r"\b(?:on|than|of|and|to|in|per|the|for|before|after|von|und|vor|nach|de|et)$|[-–&/]$"
)
_PARTS = re.compile(r"(?i)(?:of which|thereof|davon|dont|di cui|de los cuales)[:.]?")
_TOTAL = re.compile(r"(?i)(?:grand |sub-?)?total|summe|insgesamt|gesamt|group\b|konzern")
_NUMBERS = ("number", "none")
_TIMES = ("year", "period")
_ASIDE = re.compile(
    r"(?:foot)?notes?(?: no\.?| ref\w*)?|refs?\.?|references?|anhang(?:angabe)?|anm(?:erkung)?\.?|"
    r"#|no\.?|nr\.?|pos\.?|ziffer|tz\.?|lfd\.? ?nr\.?|line(?: item)?(?: no\.?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Rows under the same headings: from `start`, without the heading rows, to before `end`.

    `title` stands over all of them, `corner` over the columns of labels, `columns` over the rest.
    """

    start: int
    end: int
    title: tuple[str, ...]
    corner: Mapping[int, str]
    columns: Mapping[int, tuple[str, ...]]


# --- which rows are headings ------------------------------------------------------------


def heading_rows(lattice: Lattice, known: int | None) -> int:
    """How many first rows are headings: as many as are `known` to be, else those that look so.

    The last ones are none where they only label the rows that follow.
    """
    first = next((row for row in range(lattice.rows) if _has_numbers(lattice, row)), None)
    if known is not None:
        first = min(max(known, 0), lattice.rows)
    elif first is None:
        return 1 if lattice.rows > 1 and lattice.columns > 1 else 0
    while first > (0 if known is None else 1) and _is_section(lattice, first - 1):
        first -= 1
    return first


def _has_numbers(lattice: Lattice, row: int) -> bool:
    places = range(1 if lattice.columns > 1 else 0, lattice.columns)
    sorts = {column: lattice.sort(row, column) for column in places}
    found = set(sorts.values())
    if "number" in found:
        return True
    named = lattice.sort(row, 0) == "words"
    if "none" in found:
        return named
    years = [column for column, sort in sorts.items() if sort == "year"]
    above = any(lattice.sort(r, column) in _TIMES for r in range(row) for column in years)
    return bool(years) and found <= {"year", "nothing"} and named and above


def _is_section(lattice: Lattice, row: int) -> bool:
    """Whether a row above the first numbers is a label of what follows rather than a heading."""
    found = lone_text(lattice, row)
    if found is None:
        return not any(lattice.text(row, column) for column in range(lattice.columns))
    column, text = found
    sort = sort_of(text, lattice.style)
    if sort in _TIMES:
        return column == 0 and row > 0
    return sort != "unit" and (column == 0 or text.endswith(":"))


def lone_text(lattice: Lattice, row: int) -> tuple[int, str] | None:
    """The one text of a row that has no other, and where it begins."""
    found = {id(cell): cell for c in range(lattice.columns) if (cell := lattice.cell(row, c))}
    if len(found) != 1:
        return None
    column = next(c for c in range(lattice.columns) if lattice.cell(row, c))
    return column, lattice.text(row, column)


# --- which columns are labels -----------------------------------------------------------


def label_columns(lattice: Lattice, start: int) -> tuple[tuple[int, ...], frozenset[int]]:
    """The columns that name the rows from `start` on, and those that only refer to notes."""
    rows = range(start, lattice.rows)
    aside = frozenset(c for c in range(lattice.columns) if _is_aside(lattice, c, start))
    columns = [c for c in range(lattice.columns) if c not in aside]
    found: list[int] = []
    for column in columns:
        if not _names_rows(lattice, column, rows):
            break
        found.append(column)
    if not found:  # labels stand somewhere else, or nowhere
        words = [c for c in columns if _share(lattice, c, rows, ("words",)) > 0.7]
        return tuple(words[:1]), aside
    if len(found) == len(columns) and len(found) > 1:
        return tuple(found[:1]), aside
    return _filled(lattice, found, rows), aside


def _is_aside(lattice: Lattice, column: int, start: int) -> bool:
    """Whether a column holds numbers of notes or lines rather than values."""
    heads = {lattice.text(row, column) for row in range(start)} - {""}
    if not heads or lattice.columns < 3:
        return False
    return all(_ASIDE.fullmatch(one.strip(" .:()")) for one in heads)


def _names_rows(lattice: Lattice, column: int, rows: Sequence[int]) -> bool:
    """Whether a column holds words, or periods with something beside them, rather than numbers."""
    numbers = _share(lattice, column, rows, _NUMBERS)
    times = _share(lattice, column, rows, _TIMES)
    if column == 0:
        return numbers < 0.5
    return numbers + (times if times < 1 or len(rows) < 2 else 0) < 0.3


def _share(lattice: Lattice, column: int, rows: Sequence[int], sorts: Sequence[str]) -> float:
    """How many of the texts of a column are of these kinds; lone texts of a row do not count."""
    found = [
        sort
        for row in rows
        if (sort := lattice.sort(row, column)) != "nothing" and lone_text(lattice, row) is None
    ]
    return sum(sort in sorts for sort in found) / len(found) if found else 0.0


def _filled(lattice: Lattice, found: Sequence[int], rows: Sequence[int]) -> tuple[int, ...]:
    """Without columns of remarks: those with gaps to the right of one without."""
    kept: list[int] = []
    complete = False
    for column in found:
        texts = [lattice.text(row, column) for row in rows if lone_text(lattice, row) is None]
        filled = sum(map(bool, texts)) / len(texts) if texts else 0.0
        if kept and (not filled or (complete and filled < 0.5)):
            continue
        kept.append(column)
        complete = complete or filled > 0.9
    return tuple(kept)


# --- what the headings are --------------------------------------------------------------


def bands(lattice: Lattice, count: int, labels: Sequence[int]) -> list[Band]:
    """The parts of a table under their headings; the first has the first rows as headings."""
    places = [column for column in range(lattice.columns) if column not in labels]
    starts = [(0, count)]
    row = count
    while row < lattice.rows:
        until = row
        while until < lattice.rows and _heads_anew(lattice, until, places, (count, until > row)):
            until += 1
        if until > row:
            starts.append((row, until))
        row = max(until, row + 1)
    found: list[Band] = []
    for at, (first, start) in enumerate(starts):
        end = starts[at + 1][0] if at + 1 < len(starts) else lattice.rows
        found.append(_band(lattice, range(first, start), end, (labels, places), found[:1]))
    return found


def _heads_anew(lattice: Lattice, row: int, places: Sequence[int], state: tuple[int, bool]) -> bool:
    """Whether a row under the first headings, `count` rows, holds headings again."""
    count, after = state
    found = {column: text for column in places if (text := lattice.text(row, column))}
    sorts = [lattice.sort(row, column) for column in found]
    if not found or any(sort in _NUMBERS for sort in sorts):
        return False
    alone = lone_text(lattice, row)
    if alone is not None:
        return len(places) > 1 and alone[0] in places and sorts[0] in _TIMES
    if set(sorts) == {"unit"}:
        return after
    again = {(column, lattice.text(r, column)) for r in range(count) for column in found}
    return found.items() <= again or _names_times(lattice, row, found, {text for _, text in again})


def _names_times(
    lattice: Lattice, row: int, found: Mapping[int, str], known: Collection[str]
) -> bool:
    """Whether the texts of a row are times, beside units and headings that are known."""
    sorts = {column: lattice.sort(row, column) for column in found}
    fits = [sorts[c] in (*_TIMES, "unit") or text in known for c, text in found.items()]
    if len(found) < 2 or not all(fits):
        return False
    if set(sorts.values()) == {"year"} and lattice.sort(row, 0) == "words":
        years = [int(text) for text in found.values()]
        return len(set(years)) == len(years) and max(years) - min(years) == len(years) - 1
    return any(sort in _TIMES for sort in sorts.values())


def _band(
    lattice: Lattice,
    rows: range,
    end: int,
    columns: tuple[Sequence[int], Sequence[int]],
    first: Sequence[Band],
) -> Band:
    labels, places = columns
    title: list[str] = []
    corner: dict[int, list[str]] = {}
    paths: dict[int, list[str]] = {column: [] for column in places}
    alone_above: set[int] = set()
    for row in rows:
        alone = lone_text(lattice, row)
        if alone and (
            alone[0] in labels
            or _reaches_over(lattice, row, places)
            or _holds_for_all(lattice, range(rows.start, row), alone, places)
        ):
            title.append(alone[1])
            continue
        for column in labels:
            if text := lattice.text(row, column):
                corner.setdefault(column, []).append(text)
        last = row == rows[-1]
        spread = _row_headings(lattice, row, rows, places, last=last)
        for column, text in spread.items():
            narrow = list(spread.values()).count(text) == 1
            _append(paths[column], text, wrapped=column in alone_above and narrow, lattice=lattice)
        alone_above = {c for c, text in spread.items() if list(spread.values()).count(text) == 1}
    kept = {column: first[0].columns.get(column, ()) for column in places} if first else {}
    return Band(
        start=rows.stop,
        end=end,
        title=tuple(title) or (first[0].title if first else ()),
        corner={column: " ".join(dict.fromkeys(texts)) for column, texts in corner.items()},
        columns={
            column: (*kept.get(column, ())[: -len(rows)], *path) for column, path in paths.items()
        },
    )


def _append(path: list[str], text: str, *, wrapped: bool, lattice: Lattice) -> None:
    """Put a heading under another; one that only goes on in the next line is one with it."""
    if path and path[-1] == text:
        return
    both = path and {sort_of(path[-1], lattice.style), sort_of(text, lattice.style)} == {"words"}
    if wrapped and both:
        path[-1] += f" {text}"
    else:
        path.append(text)


def _reaches_over(lattice: Lattice, row: int, places: Sequence[int]) -> bool:
    """Whether the one text of a row is marked as standing over all columns."""
    return len(places) > 1 and all(lattice.cell(row, column) for column in places)


def _holds_for_all(
    lattice: Lattice, above: range, alone: tuple[int, str], places: Sequence[int]
) -> bool:
    """Whether the one text of a row is a unit that is set in the middle of the columns."""
    column, text = alone
    if sort_of(text, lattice.style) != "unit":
        return False
    cell = lattice.cell(above.stop, column)
    wide = bool(cell and cell.columns > 1) or "except" in text.casefold()
    return wide or (column in places and _is_wide(lattice, {column: text}, above, places))


def _row_headings(
    lattice: Lattice, row: int, rows: range, places: Sequence[int], *, last: bool
) -> dict[int, str]:
    """The headings of one row by the columns they stand over."""
    found = {column: text for column in places if (text := lattice.text(row, column))}
    spans = any(
        (cell := lattice.cell(r, column)) and cell.columns > 1 for r in rows for column in places
    )
    if not found or spans or len(found) == len(places):
        return found
    if last:
        wide = _is_wide(lattice, found, range(rows.start, row), places)
        return dict.fromkeys(places, next(iter(found.values()))) if wide else found
    below = {column: _below(lattice, range(row + 1, rows.stop), column) for column in places}
    return _stretched(found, below, lattice)


def _is_wide(
    lattice: Lattice, found: Mapping[int, str], above: range, places: Sequence[int]
) -> bool:
    """Whether the one text of the last row of headings, a unit or a time, holds for all columns."""
    if len(found) != 1:
        return False
    ((column, text),) = found.items()
    if sort_of(text, lattice.style) not in (*_TIMES, "unit"):
        return False
    heads = [lattice.sort(row, place) for row in above[-1:] for place in places]
    middle = len(places) > 2 and places.index(column) in (len(places) // 2, (len(places) - 1) // 2)
    return middle or all(sort in (*_TIMES, "nothing") for sort in heads)


def _below(lattice: Lattice, rows: range, column: int) -> str:
    return next((text for row in rows if (text := lattice.text(row, column))), "")


def _stretched(
    found: Mapping[int, str], below: Mapping[int, str], lattice: Lattice
) -> dict[int, str]:
    """Headings without a span, over the columns that belong together."""
    columns = list(below)
    groups = _groups(below, lattice)
    if len(found) == 1:
        ((column, text),) = found.items()
        if _goes_on(text):
            return dict(found)
        if sort_of(text, lattice.style) in (*_TIMES, "unit"):
            return dict.fromkeys(_timed(below, lattice) or columns, text)
        own = next(group for group in groups if column in group)
        if _PARTS.fullmatch(text):  # of the total beside them
            own = [c for c in own if not _TOTAL.match(below[c])]
        return dict(found) if column in own[-1:] else dict.fromkeys(own, text)
    if any(map(_goes_on, found.values())):
        return dict(found)
    for parts in (groups, _equal(columns, len(found))):
        if len(parts) == len(found) and all(len(found.keys() & set(part)) == 1 for part in parts):
            return {
                column: found[next(iter(found.keys() & set(part)))]
                for part in parts
                for column in part
            }
    return _rightwards(found, columns)


def _goes_on(text: str) -> bool:
    """Whether a heading is only the first line of one: `Change on`, but not `As of`."""
    return bool(_OPEN.search(text)) and (not is_period(text) or is_basis(text))


def _timed(below: Mapping[int, str], lattice: Lattice) -> list[int]:
    """The columns that name a time themselves; a column of changes beside them does not."""
    found = [c for c, text in below.items() if sort_of(text, lattice.style) in _TIMES]
    return [c for c in found if not is_basis(below[c])]


def _rightwards(found: Mapping[int, str], columns: Sequence[int]) -> dict[int, str]:
    """Each heading up to the next one; columns before the first have none."""
    spread: dict[int, str] = {}
    text = ""
    for column in columns:
        text = found.get(column, text)
        if text:
            spread[column] = text
    return spread


def _groups(below: Mapping[int, str], lattice: Lattice) -> list[list[int]]:
    """Columns that belong together: of one kind, up to where a text comes again."""
    groups: list[list[int]] = []
    kind, seen = "", set[str]()
    for column, text in below.items():
        sort = sort_of(text, lattice.style)
        now = (
            "time"
            if sort in _TIMES and not is_basis(text)
            else "nothing"
            if sort == "nothing"
            else "words"
        )
        if not groups or now not in (kind, "nothing") or (text and text in seen):
            groups.append([])
            seen = set()
        groups[-1].append(column)
        seen.add(text)
        kind = now if now != "nothing" else kind
    return groups


def _equal(columns: Sequence[int], count: int) -> list[list[int]]:
    size, rest = divmod(len(columns), count)
    if rest:
        return []
    return [list(columns[at : at + size]) for at in range(0, len(columns), size)]
