"""How does a table become passages? One a row, each with its label and the headings of its cells.

`Item: Portugal › EBITDA margin; August 2025 › Actual: 23.4 %; August 2025 › Budget: 24.1 %`: what
a person reads is what is searched, and what the answer quotes. The unit is said once, at the end,
where the cells do not show it. A row that is too long for the encoder becomes several passages,
each with the label, and with some of the cells in its text and in its metadata.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from consilience.evidence.loaders.table import line_of
from consilience.packs.finance.data_model import BETWEEN, About, Datum, Row, Table
from consilience.packs.finance.tables.encoding import dumped, loaded
from consilience.packs.finance.tables.structure import header_text
from consilience.packs.finance.tables.wording import is_only_unit
from consilience.protocols import Room
from consilience.types import Block, Document, Locator, Passage, Value

ITEM, UNIT = "Item", "Unit"
_SCALES = {10**3: "thousand", 10**5: "lakh", 10**6: "million", 10**7: "crore", 10**9: "billion"}
_SCALES[10**12] = "trillion"
_CAPTION = 200  # letters of a caption that are kept with each of its rows
_SIGNED = re.compile(r"[%$€£¥₹]|[^\W\d_]{2,}")

_WORD = re.compile(r"\w+")

Pair = tuple[str, str]


def blocks_of(table: Table, about: About) -> list[Block]:
    """The rows of a table as blocks, each with its numbers in its metadata."""
    section = _section(table)
    return [
        Block(
            text=text,
            locator=Locator(
                section=section, page=row.page or table.page, table=table.name, row=row.number
            ),
            kind="row",
            whole=True,
            metadata=_metadata(row.data, about),
        )
        for row in table.rows
        if (text := line_of(_pairs(row, section)))
    ]


def _section(table: Table) -> tuple[str, ...]:
    parts = [*table.section, shortened(table.caption, _CAPTION)]
    kept = [one for one in parts if one]
    return tuple(one for at, one in enumerate(kept) if one not in kept[:at])


def shortened(text: str, most: int) -> str:
    """A text of at most so many letters, cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 2].rsplit(" ", 1)[0][: most - 2] + " …"


def _metadata(data: Sequence[Datum], about: About) -> dict[str, Value]:
    found: dict[str, Value] = {
        "metric": _one_or_more(one.metric for one in data),
        "entity": _one_or_more(BETWEEN.join(one.entity) for one in data),
        "unit": _one_or_more(unit_text(one.unit, one.scale) for one in data),
        "company": about.company,
        "ticker": about.ticker,
        "period": about.period.key if about.period else "",
        "cells": dumped(data) if data else "",
    }
    return {name: value for name, value in found.items() if value}


def _one_or_more(texts: Iterable[str]) -> Value:
    found = tuple(dict.fromkeys(text for text in texts if text))
    return found[0] if len(found) == 1 else found


def unit_text(unit: str, scale: int) -> str:
    """A unit with its scale for people: `EUR million`, `thousand t`, `%`."""
    words = _SCALES.get(scale, f"{scale:,}" if scale not in (0, 1) else "")
    if unit.isupper() and len(unit) == 3:
        return f"{unit} {words}".strip()
    return f"{words} {unit}".strip()


# --- the text of a row ------------------------------------------------------------------


def _pairs(row: Row, section: Sequence[str] = ()) -> list[Pair]:
    """The cells of a row with their names: its label, its values, and the unit they share.

    What is counted stands behind the label where neither the row nor its `section` says it: it is
    the heading over the labels, as `Revenue` is over the countries.
    """
    shared = _shared_unit(row.data)
    label = [*row.label, *_unsaid(row, section)]
    pairs = [(ITEM, _plain(BETWEEN.join(label)))] if label else []
    data = list(row.data)
    for at, (heading, text) in enumerate(row.texts):
        datum = None
        if data and data[0].text == text and _is_under(data[0], heading):
            datum = data.pop(0)
        pairs.append((_name(heading, at), _plain(_with_unit(text, datum, shared))))
    if shared:
        pairs.append((UNIT, shared))
    return _told_apart(pairs)


def _unsaid(row: Row, section: Sequence[str]) -> tuple[str, ...]:
    """What all numbers of a row count, where some word of it stands nowhere around them."""
    metrics = {one.metric for one in row.data}
    metric = metrics.pop() if len(metrics) == 1 else ""
    texts = (*section, *row.label, *(part for pair in row.texts for part in pair))
    said = {word for text in texts for word in _WORD.findall(text.casefold())}
    return () if said.issuperset(_WORD.findall(metric.casefold())) else (metric,)


def _is_under(datum: Datum, heading: str) -> bool:
    """Whether a heading is that of a datum, with or without its unit."""
    parts = [part for part in datum.header if not is_only_unit(part)]
    return heading in (header_text(datum.header), header_text(parts))


def _shared_unit(data: Iterable[Datum]) -> str:
    """The unit that most of the cells are in that do not show one."""
    found = Counter(unit_text(one.unit, one.scale) for one in data if not _shows(one))
    del found[""]
    return found.most_common(1)[0][0] if found else ""


def _shows(datum: Datum) -> bool:
    """Whether a cell says its unit itself; a currency sign leaves its scale open."""
    return bool(_SIGNED.search(datum.text)) and datum.scale == 1


def _with_unit(text: str, datum: Datum | None, shared: str) -> str:
    if datum is None or _shows(datum):
        return text
    own = unit_text(datum.unit, datum.scale)
    return text if own in ("", shared) else f"{text} {own}"


def _name(heading: str, at: int) -> str:
    return _plain(heading).replace(": ", " ").rstrip(" :") or f"column {at + 1}"


def _plain(text: str) -> str:
    """A text without what parts cells."""
    return " ".join(text.split()).replace("; ", ", ").rstrip(" ;")


def _told_apart(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs of which no two have one name: the second `Change` is `Change (2)`."""
    counts: Counter[str] = Counter()
    taken = {name for name, _ in pairs}
    found = []
    for given, text in pairs:
        counts[given] += 1
        name = given
        while counts[given] > 1 and name in taken:
            name = f"{given} ({counts[given]})"
            counts[given] += name in taken
        taken.add(name)
        found.append((name, text))
    return found


def pairs_of(text: str) -> list[Pair]:
    """The cells of a row with their names, from its text."""
    found: list[Pair] = []
    for part in text.split("; "):
        name, sign, value = part.partition(": ")
        found.append((name, value) if sign else ("", part))
    return found


# --- rows that are too long -------------------------------------------------------------


def cut(document: Document, room: Room) -> Document:
    """The document with each row that does not fit the room in several that do."""
    sizes = room.sizes(document.title, document.blocks)
    blocks: list[Block] = []
    for block, size in zip(document.blocks, sizes, strict=True):
        if block.kind == "row" and size > room.limit:
            blocks.extend(_pieces(document.title, block, room))
        else:
            blocks.append(block)
    return replace(document, blocks=tuple(blocks))


def _pieces(title: str, block: Block, room: Room) -> list[Block]:
    """A row by its columns, with ever less around the cells until the pieces fit."""
    pairs = pairs_of(block.text)
    fixed = [one for one in pairs if one[0] in (ITEM, UNIT)]
    cells = [one for one in pairs if one[0] not in (ITEM, UNIT)] or fixed
    data = loaded(str(block.metadata.get("cells", "")))
    pieces: list[Block] = []
    for section, label in _forms(block.locator.section, fixed if cells is not fixed else []):
        whole = replace(block, locator=replace(block.locator, section=section))
        pieces = _filled(title, whole, room, (label, cells, data))
        if all(size <= room.limit for size in room.sizes(title, pieces)):
            break
    return pieces


def _forms(
    section: tuple[str, ...], fixed: Sequence[Pair]
) -> Iterable[tuple[tuple[str, ...], list[Pair]]]:
    """Ever less of what stands around the cells: the headings above, then the label."""
    yield section, list(fixed)
    short = tuple(shortened(one, 60) for one in section[-2:])
    yield short, list(fixed)
    for most in (80, 30):
        yield (), [(name, shortened(text, most)) for name, text in fixed]
    yield (), []


def _filled(
    title: str,
    block: Block,
    room: Room,
    parts: tuple[list[Pair], Sequence[Pair], Sequence[Datum]],
) -> list[Block]:
    """As many cells in each piece as fit; a cell that fits nowhere is cut between words."""
    label, cells, data = parts

    def made(some: Sequence[Pair]) -> Block:
        item = [one for one in label if one[0] == ITEM]
        unit = [one for one in label if one[0] == UNIT]
        return replace(block, text=line_of([*item, *some, *unit]))

    def fits(some: Sequence[Pair]) -> bool:
        return room.sizes(title, [made(some)])[0] <= room.limit

    pieces: list[list[Pair]] = []
    for cell in cells:
        for portion in [cell] if fits([cell]) else _portions(cell, fits):
            if pieces and fits([*pieces[-1], portion]):
                pieces[-1].append(portion)
            else:
                pieces.append([portion])
    shared = _data_of(pieces, data)
    return [
        replace(made(some), metadata=_part_metadata(block, own, at + 1, len(pieces)))
        for at, (some, own) in enumerate(zip(pieces, shared, strict=True))
    ]


def _portions(cell: Pair, fits: Callable[[Sequence[Pair]], bool]) -> list[Pair]:
    """A cell that is too long alone, cut between words; one word is left to the splitter."""
    name, text = cell
    words = text.split(" ")
    if len(words) < 2 or fits([cell]):
        return [cell]
    half = len(words) // 2
    first, last = (name, " ".join(words[:half])), (name, " ".join(words[half:]))
    return [*_portions(first, fits), *_portions(last, fits)]


def _data_of(pieces: Sequence[Sequence[Pair]], data: Sequence[Datum]) -> list[list[Datum]]:
    """The data of each piece: those whose cells it has; both stand in the order of columns."""
    left = list(data)
    found: list[list[Datum]] = []
    for piece in pieces:
        own: list[Datum] = []
        for name, text in piece:
            if left and _holds(name, text, left[0]):
                own.append(left.pop(0))
        found.append(own)
    if found:
        found[-1].extend(left)
    return found


def _holds(name: str, text: str, datum: Datum) -> bool:
    parts = [part for part in datum.header if not is_only_unit(part)]
    named = not parts or name.startswith(_name(header_text(parts), 0))
    return named and text.startswith(_plain(datum.text))


def _part_metadata(block: Block, data: Sequence[Datum], part: int, parts: int) -> dict[str, Value]:
    found = dict(block.metadata) | {"part": part, "parts": parts}
    found.pop("cells", None)
    if data:
        found["cells"] = dumped(data)
    return found


# --- the table that rows are of ---------------------------------------------------------


def whole_table(rows: Sequence[Passage]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and the rows of the table that these passages are rows of, in its order.

    Pieces of one row are put together; a row that has no cell in a column is empty there.
    """
    lines: dict[int, dict[str, str]] = {}
    for passage in sorted(rows, key=_place):
        line = lines.setdefault(passage.locator.row or 0, {})
        for name, text in pairs_of(passage.text):
            if name not in (ITEM, UNIT) and line.get(name):
                text = f"{line[name]} {text}"  # noqa: PLW2901 - a cell that was cut
            line[name] = text
    headings = _in_order([list(line) for line in lines.values()])
    return tuple(headings), [
        tuple(line.get(name, "") for name in headings) for line in lines.values()
    ]


def _place(passage: Passage) -> tuple[int, int]:
    part = passage.metadata.get("part")
    return passage.locator.row or 0, part if isinstance(part, int) else 0


def _in_order(lines: Iterable[Sequence[str]]) -> list[str]:
    """All names of some lines, each behind the one that it follows where it first comes."""
    found: list[str] = []
    for line in lines:
        at = 0
        for name in line:
            if name in found:
                at = max(at, found.index(name) + 1)
            else:
                found.insert(at, name)
                at += 1
    for name, place in ((ITEM, 0), (UNIT, len(found))):
        if name in found:
            found.remove(name)
            found.insert(place, name)
    return found
