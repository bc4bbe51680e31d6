"""What answers a question for a figure at once? The number with whose it is, and what and when.

`Veldmark, Portugal › Cement, Revenue, August 2025, Actual: **21.8 USD million** [1]`: which
cells of which rows answer is what the source of figures says it is sure of; where it is not,
nothing is stated here. A calculation has its formula, and cites the rows that it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from consilience.packs.finance.data_model import BETWEEN, Datum
from consilience.packs.finance.tables.encoding import loaded
from consilience.packs.finance.tables.items import unit_text
from consilience.text_markup import escape_markdown, neutralize
from consilience.types import Exhibit, Passage, Statement
from consilience.understand.names import surface

MOST = 8
"""Figures that are told at once."""
_OPERANDS = 24  # of a calculation that are listed

Cells = Mapping[str, Sequence[int]]


@dataclass(slots=True)
class _Line:
    """A figure to be told, and the marks of all that print it."""

    datum: Datum
    company: str = ""
    marks: list[int] = field(default_factory=list)


def opens(question: str, exhibits: Sequence[Exhibit], cells: Cells) -> list[Statement]:
    """What answers at once, or nothing: then the engine's own opening is used."""
    first = next(iter(exhibits), None)
    if first is not None and first.passage.kind == "calculation":
        return _calculation(first, exhibits)
    del question
    lines = _lines(exhibits, cells)
    return [_told(line) for line in lines[:MOST]]


def label(passage: Passage) -> str:
    """`Table - "Veldmark, monthly report", page 3, EBITDA by country`."""
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
        cells = [_shown(one[name] or "").replace("|", "/") for name in ("label", "header", "text")]
        lines.append(f"| {' | '.join(cells)} [{marks.get(one['passage'], own)}] |")
    return Statement(text="\n".join(lines), form="table", opens=True)


# --- cells of rows ----------------------------------------------------------------------


def _lines(exhibits: Sequence[Exhibit], cells: Cells) -> list[_Line]:
    """The figures that answer, each once, with every place that prints it."""
    found: dict[tuple[object, ...], _Line] = {}
    for exhibit in exhibits:
        company = str(exhibit.passage.metadata.get("company", ""))
        for datum in _meant(exhibit.passage, cells):
            when = datum.period.year if datum.period else None
            key = (company, when, datum.basis, datum.against, datum.number, datum.unit)
            line = found.setdefault(key, _Line(datum, company))
            if exhibit.mark not in line.marks:
                line.marks.append(exhibit.mark)
    return list(found.values())


def _meant(passage: Passage, cells: Cells) -> list[Datum]:
    columns = cells.get(passage.id, ())
    data = loaded(str(passage.metadata.get("cells", ""))) if columns else ()
    return [one for column in columns for one in data if one.column == column]


def _told(line: _Line) -> Statement:
    """What a cell says, under the headings that it stands under."""
    datum = line.datum
    label, header = (BETWEEN.join(path) for path in (datum.label, datum.header))
    metric = datum.metric if surface(datum.metric) not in surface(f"{label} {header}") else ""
    parts = (line.company, label, metric, ", ".join(datum.header))
    subject = ", ".join(_shown(one) for one in parts if one)
    marks = "".join(f" [{mark}]" for mark in line.marks[:3])
    return Statement(text=f"{subject}: {_value(datum)}{marks}", opens=True)


def _value(datum: Datum) -> str:
    """The cell as printed, with the unit that stands elsewhere in its table."""
    unit = unit_text(datum.unit, datum.scale)
    if not unit or datum.text.rstrip(") ").endswith(unit):
        return f"**{_shown(datum.text)}**"
    if datum.scale == 1 or _is_money(datum.unit):
        return f"**{_shown(f'{datum.text} {unit}')}**"
    return f"**{_shown(datum.text)}** (in {_shown(unit)})"


def _is_money(unit: str) -> bool:
    return len(unit) == 3 and unit.isupper()


def _shown(text: str) -> str:
    return escape_markdown(neutralize(" ".join(text.split())))
