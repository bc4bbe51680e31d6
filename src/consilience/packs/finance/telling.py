"""What answers a question for a figure at once? The number with all that says what it is.

`EBITDA margin of Portugal, August 2025: **23.4 %** (budget 24.1 %) [1]`: the cell is chosen among
those of the rows that were found first, by the time, the basis and the heading that are asked for.
A calculation is told with its formula, and cites the rows that it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from consilience.markup import harmless, literal
from consilience.packs.finance.notation.periods import closeness, told
from consilience.packs.finance.questions.asking import Wanted, read
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.packs.finance.shapes import Datum
from consilience.packs.finance.tables.encoding import loaded
from consilience.packs.finance.tables.items import BETWEEN, unit_text
from consilience.types import Exhibit, Passage, Statement

FIRST = 3
"""Rows at the top that may hold the answer."""
NEAR = 0.5
"""How close a cell's time must be to the one that is asked for."""
_CELLS = 6  # of one row that are told
_OPERANDS = 24  # of a calculation that are listed


@dataclass(frozen=True, slots=True)
class _Choice:
    """A row that answers, with the cells that do."""

    exhibit: Exhibit
    data: tuple[Datum, ...]


def opens(question: str, exhibits: Sequence[Exhibit]) -> list[Statement]:
    """What answers at once, or nothing: then the engine's own opening is used."""
    first = next(iter(exhibits), None)
    if first is None:
        return []
    if first.passage.kind == "calculation":
        return _calculation(first, exhibits)
    rows = [one for one in exhibits[:FIRST] if one.passage.kind == "row"]
    if first not in rows:
        return []
    wanted = read(question, _vocabulary(rows))
    if not wanted.asks_figure:
        return []
    choices = [one for row in rows if (one := _choice(row, wanted))]
    return [_told(choice) for choice in choices[:1]]


def label(passage: Passage) -> str:
    """`Table - Veldmark, monthly report, page 3, "EBITDA by country": Portugal › Cement`."""
    place = passage.locator
    kind = "Calculation" if passage.kind == "calculation" else "Table"
    parts = [f'"{passage.title}"']
    parts += [f"page {place.page}"] if place.page else []
    parts += [" ".join(place.section[-1:])] if place.section else []
    return f"{kind} - {', '.join(parts)}"


# --- a calculation ----------------------------------------------------------------------


def _calculation(exhibit: Exhibit, exhibits: Sequence[Exhibit]) -> list[Statement]:
    """The formula with its result, and a table of the numbers it was made of."""
    known = exhibit.passage.metadata
    operands = json.loads(str(known.get("operands", "[]")))
    marks = {one.passage.id: one.mark for one in exhibits}
    used = [marks[key] for key in dict.fromkeys(one["passage"] for one in operands) if key in marks]
    cited = "".join(f" [{mark}]" for mark in (exhibit.mark, *used))
    headline = exhibit.passage.text.partition("\n")[0]
    subject, parts, formula = headline.partition(": ")
    before, equals, result = formula.rpartition(" = ")
    told = f"{_shown(before)}{equals}**{_shown(result)}**" if equals else f"**{_shown(formula)}**"
    said = f"{_shown(subject)}{parts}{told}" if parts else f"**{_shown(headline)}**"
    return [
        Statement(text=f"{said}{cited}", opens=True),
        _operands(operands, marks, exhibit.mark),
    ]


def _operands(operands: Sequence[dict[str, str]], marks: dict[str, int], own: int) -> Statement:
    """Where the numbers of a calculation stand: a row for each, with its mark."""
    lines = ["| Figure | Column | Value |", "| --- | --- | --- |"]
    for one in operands[:_OPERANDS]:
        cells = [_shown(one[name]).replace("|", "/") for name in ("label", "header", "text")]
        lines.append(f"| {' | '.join(cells)} [{marks.get(one['passage'], own)}] |")
    return Statement(text="\n".join(lines), form="table", opens=True)


# --- cells of rows ----------------------------------------------------------------------


@lru_cache(maxsize=16)
def _names(cells: tuple[str, ...], companies: tuple[str, ...]) -> Vocabulary:
    data = [one for text in cells for one in loaded(text)]
    values = {
        "metric": [one.metric for one in data],
        "entity": [part for one in data for part in one.entity],
        "label": [" ".join(one.label) for one in data],
        "header": [" ".join(one.header) for one in data],
        "company": companies,
    }
    periods = {one.period.key: one.period for one in data if one.period}
    counted = {field: dict.fromkeys(filter(None, names), 1) for field, names in values.items()}
    return Vocabulary.of(counted, periods)


def _vocabulary(rows: Sequence[Exhibit]) -> Vocabulary:
    """The names that the rows themselves have."""
    known = [one.passage.metadata for one in rows]
    return _names(
        tuple(str(one.get("cells", "")) for one in known),
        tuple(str(one["company"]) for one in known if one.get("company")),
    )


def _choice(exhibit: Exhibit, wanted: Wanted) -> _Choice | None:
    """The cells of a row that are of the times and bases asked for."""
    data = loaded(str(exhibit.passage.metadata.get("cells", "")))
    timed = [one for one in data if _is_of_time(one, wanted)]
    kept = [one for one in timed if not wanted.bases or one.basis in wanted.bases] or timed
    if not wanted.bases:
        kept = [one for one in kept if one.basis == "actual"] or kept
    headed = [one for one in kept if _is_of_heading(one, wanted)] or kept
    return _Choice(exhibit, tuple(headed[:_CELLS])) if headed else None


def _is_of_time(datum: Datum, wanted: Wanted) -> bool:
    if not wanted.periods:
        return True
    held = [one for one in (datum.period, datum.stated) if one is not None]
    if wanted.is_range:
        first, last = min(wanted.periods), max(wanted.periods)
        return any(first.start <= one.start and one.end <= last.end for one in held)
    return any(closeness(asked, one) >= NEAR for asked in wanted.periods for one in held)


def _is_of_heading(datum: Datum, wanted: Wanted) -> bool:
    """Whether a metric or an entity that is asked for names the cell's column."""
    names = {name for one in (*wanted.metrics, *wanted.entities) for name in one.values}
    own = {datum.metric, *datum.entity, *datum.header, " ".join(datum.header)}
    return bool(names & own)


def _told(choice: _Choice) -> Statement:
    """What the cells say, with what they are the values of."""
    first = choice.data[0]
    subject = _subject(first)
    cells = [f"{_when(one)}: **{_value(one)}**" for one in choice.data]
    where = f"{_shown(subject)}, " if subject else ""
    text = f"{where}{'; '.join(cells)} [{choice.exhibit.mark}]"
    return Statement(text=text, opens=True)


def _subject(datum: Datum) -> str:
    label = BETWEEN.join(datum.label)
    extra = [datum.metric] if datum.metric and datum.metric not in label else []
    return ", ".join([*([label] if label else []), *extra])


def _when(datum: Datum) -> str:
    if datum.period is None:
        return _shown(" ".join(datum.header)) or "value"
    basis = f" ({datum.basis})" if datum.basis not in ("actual",) else ""
    return f"{told(datum.period)}{basis}"


def _value(datum: Datum) -> str:
    unit = unit_text(datum.unit, datum.scale)
    has_unit = not unit or datum.text.rstrip(") ").endswith(unit)
    return _shown(datum.text if has_unit else f"{datum.text} {unit}")


def _shown(text: str) -> str:
    return literal(harmless(" ".join(text.split())))
