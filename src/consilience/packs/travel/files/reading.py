"""How does a file of places become records? By its ending, and by what it holds.

A file that lists no places is read as what it is: a table, or a document of sections.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from consilience.evidence.loaders import table
from consilience.evidence.loaders.common import plain, title_of
from consilience.evidence.loaders.json_records import Json, Lines, flatten, shown, unpacked
from consilience.evidence.loaders.table import line_of, read_rows
from consilience.packs.travel.files.adding import told_by_relations
from consilience.packs.travel.files.drafts import Draft, draft_of
from consilience.packs.travel.files.gazetteer import identified
from consilience.packs.travel.files.headless import Layout, layout_of
from consilience.packs.travel.files.locating import placed_by_relations
from consilience.packs.travel.files.naming import named_by_parts
from consilience.packs.travel.files.nested import sections_of
from consilience.packs.travel.files.raw import read_json
from consilience.packs.travel.files.records import Content, Record
from consilience.packs.travel.files.shapes import LOOKED_AT, add_record, content_of, is_listed
from consilience.packs.travel.files.wikivoyage import article_of, is_article
from consilience.types import Block, Locator

ENDINGS = (".json", ".geojson", ".csv", ".tsv", ".dat", ".jsonl", ".ndjson", ".jsonl.gz",
           ".ndjson.gz")  # fmt: skip
_LINES = (".jsonl", ".ndjson")


def read_content(path: Path) -> Content:
    """What a file holds; raises `LoadError` for one that cannot be read."""
    ending = unpacked(path).suffix.lower()
    if ending in _LINES:
        return _of_lines(path)
    if ending in (".csv", ".tsv", ".dat"):
        return _of_rows(path)
    value, notes = read_json(path)
    content = _of_json(value, path)
    content.notes[:0] = notes
    return content


def drafts_of(content: Content) -> list[Draft]:
    """The places that the records of a file tell of, each with an id of its own."""
    found = (draft_of(one, content.tally) for one in content.records if one.role == "place")
    drafts = identified((one for one in found if one is not None), content.tally)
    ids = {one.number: one.id for one in drafts}
    for draft in drafts:
        if draft.within is not None and not draft.city:
            draft.city = ids.get(draft.within, "")
    placed_by_relations(drafts, content.records)
    told_by_relations(drafts, content.records)
    named_by_parts(drafts)
    return drafts


def _hint(path: Path) -> str:
    return title_of(unpacked(path))


# --- JSON -----------------------------------------------------------------------------------


def _of_json(value: Json, path: Path) -> Content:
    if value is None:
        return Content(kind="document")
    if isinstance(value, dict) and is_article(value):
        return article_of(value, _hint(path))
    content = content_of(value, _hint(path))
    if content is not None:
        return content
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return _of_objects(value, path)
    return sections_of(value, _hint(path))


def _of_objects(value: Sequence[Json], path: Path) -> Content:
    """A list of objects that are no places: rows of a table."""
    content = Content(kind="table")
    for number, record in enumerate(value, start=1):
        content.tally.records += 1
        fields = flatten(record) if isinstance(record, dict) else {}
        text = line_of((name, shown(one)) for name, one in fields.items())
        if not text:
            content.tally.leave_out(f"record {number:,}", "it has no values")
            continue
        place = Locator(table=plain(path.stem), row=number)
        block = Block(text=text, locator=place, kind="row", whole=True, metadata=fields)
        content.blocks.append(block)
        content.tally.rows += 1
    return content


def _of_lines(path: Path) -> Content:
    """Lines of JSON, one after the other; a table where they tell of no places."""
    lines = Lines(path)
    records = iter(lines)
    first = list(islice(records, LOOKED_AT))
    if not is_listed([record for _, record in first], _hint(path)):
        return _of_table(path)
    content = Content()
    for number, record in chain(first, records):
        add_record(content, record, f"line {number:,}", hint=_hint(path), row=number)
    _tell_faults(content, lines)
    return content


def _tell_faults(content: Content, lines: Lines) -> None:
    content.notes += lines.notes
    for number, reason in lines.faults:
        content.tally.records += 1
        content.tally.leave_out(f"line {number:,}", "no JSON object", f" ({reason})")


# --- tables ---------------------------------------------------------------------------------


def _of_table(path: Path) -> Content:
    """A table as the general loader reads it."""
    read = table.load(path)
    content = Content(kind="table" if read.kind == "table" else "document", title=read.title)
    content.blocks = list(read.blocks)
    content.notes = list(read.notes)
    tally = content.tally
    tally.records = len(read.blocks)
    if read.kind == "table":
        tally.rows = tally.records
    else:
        tally.texts = tally.records
    return content


def _of_rows(path: Path) -> Content:
    rows, _, notes = read_rows(path)
    layout = layout_of(rows)
    if layout is not None:
        content = _laid_out(rows, layout, path)
        content.notes[:0] = notes
        return content
    as_table = _of_table(path)
    records: list[Json] = [dict(_plain(block)) for block in as_table.blocks]
    if not is_listed(records, _hint(path)):
        return as_table
    content = Content(notes=as_table.notes)
    for block in as_table.blocks:
        number = block.locator.row or 0
        values = dict(_plain(block))
        add_record(content, values, f"row {number:,}", hint=_hint(path), row=number)
    return content


def _plain(block: Block) -> Iterator[tuple[str, Json]]:
    for name, value in block.metadata.items():
        yield name, list(value) if isinstance(value, tuple) else value


def _laid_out(rows: Sequence[Sequence[str]], layout: Layout, path: Path) -> Content:
    """The rows of a table without a header whose columns are known."""
    content = Content(kind="table" if layout.role == "row" else "places")
    for number, row in enumerate(rows, start=1):
        if not any(cell.strip() for cell in row):
            continue
        where = f"row {number:,}"
        if not layout.fits(row):
            content.tally.records += 1
            told = (
                f" ({len(row)} cells, and {layout.hint} have {len(layout.columns)} of their kinds)"
            )
            content.tally.leave_out(where, "its cells do not fit the columns", told)
        elif layout.role == "row":
            _add_row(content, layout.record(row), number, path)
        else:
            content.tally.records += 1
            content.records.append(
                Record(
                    number=len(content.records),
                    where=where,
                    values=layout.record(row),
                    role=layout.role,
                    hint=layout.hint,
                    row=number,
                )
            )
    return content


def _add_row(content: Content, values: dict[str, Json], number: int, path: Path) -> None:
    fields = flatten(values)
    content.tally.records += 1
    content.tally.rows += 1
    block = Block(
        text=line_of((name, shown(one)) for name, one in fields.items()),
        locator=Locator(table=plain(path.stem), row=number),
        kind="row",
        whole=True,
        metadata=fields,
    )
    content.blocks.append(block)
