"""Where does a passage stand? In its table, and on its page, with the cell outlined.

A row's cells, and the operands of a calculation, are JSON in a passage's metadata; here they are
read. Pages are drawn by the pack, of files that are still as they were when they were read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from consilience.catalogue import Catalogue
from consilience.errors import UsageError
from consilience.pack import Pack, Printed
from consilience.types import Passage

Json = Mapping[str, Any]
SHOWN = 12
"""Cells of a row, and operands of a calculation, that a list shows."""
ENCODED = ("cells", "operands")
"""Fields of metadata that are JSON themselves."""
_BEGINS = "[{"  # a list of objects; a table may well have a column called `cells`


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row of a table as it is read; `here` is the one that is asked about."""

    passage: str
    row: int | None
    texts: tuple[str, ...]
    here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """The table that a passage is a row of; `meant` is the place of the cell that is meant."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[Line, ...]
    meant: int | None = None


def decoded(passage: Passage, name: str) -> list[dict[str, Any]]:
    """The objects of a field that is JSON; none where it is something else."""
    text = passage.metadata.get(name)
    if not isinstance(text, str) or not text.startswith(_BEGINS):
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [one for one in found if isinstance(one, dict)]


def joined(told: object) -> str:
    """Headings from the outermost inwards, as one text: `Portugal › Cement`."""
    return " › ".join(map(str, told)) if isinstance(told, list | tuple) else str(told or "")


def short(text: str, cells: Sequence[Json], operands: Sequence[Json]) -> dict[str, Any]:
    """The cells of a row, or what a calculation is made of, as a list shows them."""
    shown = [_named(one) for one in cells[:SHOWN]]
    if shown:
        return {"label": shown[0]["label"], "cells": shown, "more": len(cells) - len(shown)}
    made = [_named(one) for one in operands[:SHOWN]]
    label, _, formula = text.partition("\n")[0].partition(": ")
    told = {"label": label, "formula": formula, "operands": made}
    return {**told, "more": len(operands) - len(made)} if made else {}


def _named(cell: Json) -> dict[str, Any]:
    """A cell as one would read it: what stands before it, above it, in it; and where it is."""
    place = {part: cell[part] for part in ("passage", "document", "page") if cell.get(part)}
    stated = cell.get("stated")
    time = stated if isinstance(stated, dict) else cell
    return {
        "label": joined(cell.get("label")),
        "heading": joined(cell.get("header")),
        "text": str(cell.get("text", "")),
        "column": cell.get("column"),
        "basis": str(cell.get("basis", "actual")),
        "period": str(time.get("period", "")),
        **place,
    }


class Attribution:
    """Where one passage stands: `column` is that of the cell which is meant, of a row."""

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
        """The numbers of a row, each with all that says what it is."""
        return decoded(self.passage, "cells")

    @cached_property
    def operands(self) -> list[dict[str, Any]]:
        """The cells that a calculation is made of."""
        return decoded(self.passage, "operands")

    @cached_property
    def table(self) -> Whole | None:
        """The table that a row stands in; None for what is no row, or where nobody can tell."""
        if self._pack.answers.table is None or not self.cells:
            return None
        self._pack.ready()
        every = self._catalogue.table_of(self.passage)
        headings, texts = self._pack.answers.table(every)
        rows = {one.locator.row: one for one in reversed(every)}  # pieces of a row are one
        rows = {number: rows[number] for number in dict.fromkeys(one.locator.row for one in every)}
        if len(texts) != len(rows):
            return None
        lines = tuple(
            Line(passage=row.id, row=row.locator.row, texts=tuple(told), here=self._is_here(row))
            for row, told in zip(rows.values(), texts, strict=True)
        )
        at = self.passage.locator
        caption = at.section[-1:] or (f"Table {at.table}",)
        found = Whole(caption=caption[0], headings=tuple(headings), rows=lines)
        return replace(found, meant=self._place(found))

    @cached_property
    def pages(self) -> Sequence[Printed]:
        """The pages on which it stands in print, to be drawn; none where there are none."""
        if self._pack.answers.pages is None:
            return ()
        self._pack.ready()
        return self._pack.answers.pages(
            self._folder, self.passage, self._catalogue.get, self.column
        )

    def page(self, number: int) -> Printed:
        """One of its pages, counted from 1, of a file that is still as it was read."""
        if not self.pages:
            raise UsageError(
                f"the passage {self.passage.id} stands on no page that can be drawn; "
                "only what was read from a PDF by a pack that draws pages does"
            )
        if not 1 <= number <= len(self.pages):
            raise UsageError(f"the passage has {len(self.pages)} page(s), and no number {number}")
        found = self.pages[number - 1]
        self._same(found.document)
        return found

    def mark(self, number: int, *more: object) -> str:
        """What tells a picture from every other: the passage, its files as read, which page."""
        documents = sorted({one.document for one in self.pages})
        records = [self._catalogue.document(one) for one in documents]
        files = [one.sha256 for one in records if one is not None]
        told = json.dumps([_VERSION, self.passage.id, files, number, self.column, *more])
        return hashlib.sha256(told.encode()).hexdigest()[:32]

    def _place(self, table: Whole) -> int | None:
        """Where in its row the cell stands that is meant: under its heading, or by what it says."""
        cell = next((one for one in self.cells if one.get("column") == self.column), None)
        here = next((one for one in table.rows if one.here), None)
        if cell is None or here is None:
            return None
        told, above = str(cell.get("text", "")), joined(cell.get("header"))
        same = [at for at, text in enumerate(here.texts) if f"{text} ".startswith(f"{told} ")]
        under = [at for at in same if table.headings[at] == above]
        found = under or same
        return found[0] if len(found) == 1 else None

    def _is_here(self, row: Passage) -> bool:
        same = row.locator.row == self.passage.locator.row
        return row.id == self.passage.id or (same and row.locator.row is not None)

    def _same(self, document: str) -> None:
        """Refuse a file that is gone, or is no longer what was read from it."""
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
        if _digest(path) == record.sha256:
            return
        raise UsageError(
            f"{path.name} has changed since it was read, so the place may be another; "
            "run `consilience add`, then search again"
        )


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path.name} cannot be read: {error.strerror or error}") from error


_VERSION = 1  # of how pages are drawn


def facts_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without what is JSON itself: that is for who looks closer."""
    return {
        name: value
        for name, value in found.items()
        if name not in ENCODED or not str(value).startswith(_BEGINS)
    }
