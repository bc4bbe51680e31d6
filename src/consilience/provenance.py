"""Where does a passage come from? Its table, and its page with the cell outlined.

The cells of a row and the operands of a calculation are JSON in a passage's metadata; they are
decoded here. Pages are drawn from files that have not changed since they were read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.pack import Pack, Printed
from consilience.page_pictures import printed_pages
from consilience.types import Passage

Json = Mapping[str, Any]
_LISTED = 12
"""Cells of a row, and operands of a calculation, that a list shows."""
_ENCODED = ("cells", "operands")
"""Metadata fields that are JSON themselves."""
_JSON_START = "[{"  # a list of objects; a table may have a column called `cells` as well
_IMAGE_VERSION = 2  # part of an image's key: raise it when pages are drawn differently


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of a table; `here` marks the row of the passage."""

    passage: str
    row: int | None
    texts: tuple[str, ...]
    here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageTable:
    """The table that a passage is a row of; `meant` is the position of the chosen cell."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[TableRow, ...]
    meant: int | None = None


def decode_field(passage: Passage, name: str) -> list[dict[str, Any]]:
    """The objects of a metadata field that is JSON; empty if it is something else."""
    text = passage.metadata.get(name)
    if not isinstance(text, str) or not text.startswith(_JSON_START):
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [item for item in found if isinstance(item, dict)]


def without_encoded(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without the fields that are JSON themselves."""
    return {
        name: value
        for name, value in metadata.items()
        if name not in _ENCODED or not str(value).startswith(_JSON_START)
    }


def join_headings(headings: object) -> str:
    """Headings from the outermost inwards, as one text: `Portugal › Cement`."""
    if isinstance(headings, list | tuple):
        return " › ".join(map(str, headings))
    return str(headings or "")


def summarize_cells(text: str, cells: Sequence[Json], operands: Sequence[Json]) -> dict[str, Any]:
    """The first cells of a row, or operands of a calculation, for a list of results."""
    listed = [_cell_json(cell) for cell in (cells or operands)[:_LISTED]]
    if not listed:
        return {}
    more = len(cells or operands) - len(listed)
    if cells:
        return {"label": listed[0]["label"], "cells": listed, "more": more}
    label, _, formula = text.partition("\n")[0].partition(": ")
    return {"label": label, "formula": formula, "operands": listed, "more": more}


def _cell_json(cell: Json) -> dict[str, Any]:
    """A cell with its row label, its column heading, and where it is."""
    place = {part: cell[part] for part in ("passage", "document", "page") if cell.get(part)}
    stated = cell.get("stated")
    time = stated if isinstance(stated, dict) else cell
    return {
        "label": join_headings(cell.get("label")),
        "heading": join_headings(cell.get("header")),
        "text": str(cell.get("text", "")),
        "column": cell.get("column"),
        "basis": str(cell.get("basis", "actual")),
        "period": str(time.get("period", "")),
        **place,
    }


class Provenance:
    """Where a passage comes from; `column` chooses a cell of a row."""

    def __init__(
        self,
        passage: Passage,
        *,
        folder: Path,
        catalogue: Catalogue,
        pack: Pack,
        column: int | None = None,
    ) -> None:
        self.passage = passage
        self.column = column
        self._folder = folder
        self._catalogue = catalogue
        self._pack = pack

    @cached_property
    def cells(self) -> list[dict[str, Any]]:
        """The numbers of a row, each with its headings and place."""
        return decode_field(self.passage, "cells")

    @cached_property
    def operands(self) -> list[dict[str, Any]]:
        """The cells that a calculation is made of."""
        return decode_field(self.passage, "operands")

    @cached_property
    def table(self) -> PassageTable | None:
        """The table of a row; None for other passages, or where the pack cannot build it."""
        if self._pack.answers.table is None or not self.cells:
            return None
        self._pack.ready()
        passages = self._catalogue.table_of(self.passage)
        headings, texts = self._pack.answers.table(passages)
        rows: dict[int | None, Passage] = {}
        for passage in passages:
            rows.setdefault(passage.locator.row, passage)  # several passages may be of one row
        if len(texts) != len(rows):
            return None
        locator = self.passage.locator
        table = PassageTable(
            caption=locator.section[-1] if locator.section else f"Table {locator.table}",
            headings=tuple(headings),
            rows=tuple(
                TableRow(passage=row.id, row=number, texts=tuple(cells), here=self._is_here(row))
                for (number, row), cells in zip(rows.items(), texts, strict=True)
            ),
        )
        return replace(table, meant=self._chosen_cell(table))

    @cached_property
    def pages(self) -> Sequence[Printed]:
        """The pages on which it is printed, ready to be drawn; empty if there are none."""
        if self._pack.answers.pages is None:
            return printed_pages(self._folder, self.passage)
        self._pack.ready()
        return self._pack.answers.pages(
            self._folder, self.passage, self._catalogue.get, self.column
        )

    def page(self, number: int) -> Printed:
        """One of its pages, counted from 1; refused if the file has changed since."""
        if not self.pages:
            raise UsageError(
                f"the passage {self.passage.id} stands on no page that can be drawn; "
                "only passages from a PDF or an image do"
            )
        if not 1 <= number <= len(self.pages):
            raise UsageError(f"the passage has {len(self.pages)} page(s), and no number {number}")
        page = self.pages[number - 1]
        self._check_unchanged(page.document)
        return page

    def image_key(self, number: int, *more: object) -> str:
        """A key that is different for every image: passage, files as read, page, cell."""
        documents = sorted({page.document for page in self.pages})
        records = [self._catalogue.document(document) for document in documents]
        files = [record.sha256 for record in records if record is not None]
        key = [_IMAGE_VERSION, self.passage.id, files, number, self.column, *more]
        return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]

    def _chosen_cell(self, table: PassageTable) -> int | None:
        """The position of the chosen cell in its row, by its heading or else by its text."""
        cell = next((cell for cell in self.cells if cell.get("column") == self.column), None)
        here = next((row for row in table.rows if row.here), None)
        if cell is None or here is None:
            return None
        text, heading = str(cell.get("text", "")), join_headings(cell.get("header"))
        same = [at for at, other in enumerate(here.texts) if f"{other} ".startswith(f"{text} ")]
        under = [at for at in same if table.headings[at] == heading]
        found = under or same
        return found[0] if len(found) == 1 else None

    def _is_here(self, row: Passage) -> bool:
        same = row.locator.row == self.passage.locator.row
        return row.id == self.passage.id or (same and row.locator.row is not None)

    def _check_unchanged(self, document: str) -> None:
        """Refuse a file that is gone, or has changed since it was read."""
        record, path = self._catalogue.document(document), self._folder / document
        try:
            state = path.stat()
        except OSError as error:
            raise UsageError(
                f"{path.name} is not there any more, so its page cannot be drawn; put it back, "
                "or run `consilience add`"
            ) from error
        if record is None or (record.size, record.mtime_ns) == (state.st_size, state.st_mtime_ns):
            return
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise UsageError(f"{path.name} cannot be read: {error.strerror or error}") from error
        if digest != record.sha256:
            raise UsageError(
                f"{path.name} has changed since it was read, so the place may be another; "
                "run `consilience add`, then search again"
            )
