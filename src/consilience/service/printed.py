"""Where does a passage stand, for whoever looks from outside? Its table, its cells, its pages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from fastapi.responses import Response

from consilience.attribution import Attribution, decoded, short
from consilience.errors import MissingExtra, UsageError
from consilience.service.core import Missing, Space
from consilience.types import Passage, Result

MOST = 24
"""The highest number of a page that can be asked for."""
_KEPT = "private, max-age=3600"
# A picture that is opened by itself: browsers show it on a page of their own, which has a style.
_ALONE = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"


class Png(Response):
    """A page as it is printed."""

    media_type = "image/png"


SAME: dict[int | str, dict[str, Any]] = {
    304: {"description": "It is the same that whoever asks has already"}
}


def found_passage(space: Space, key: str) -> Passage:
    """The passage of an id, or of its first letters."""
    try:
        return space.workspace.catalogue.resolve(key)
    except UsageError as error:
        raise Missing(str(error)) from error


def page_image(
    space: Space, key: str, number: int, *, column: int | None, strip: bool, seen: str
) -> Response:
    """A page of a passage with its cells outlined, or only the strip around them; nothing where
    `seen` names the same picture.
    """
    standing = _standing(space, found_passage(space, key), column)
    try:
        page = standing.page(number)
        mark = f'"{standing.mark(number, strip)}"'
        headers = {"ETag": mark, "Cache-Control": _KEPT}
        if _has(seen, mark):
            return Response(status_code=304, headers=headers)
        drawn = page.strip() if strip else page.draw()
        return Png(drawn, headers={**headers, "Content-Security-Policy": _ALONE})
    except MissingExtra:
        raise
    except UsageError as error:
        raise Missing(str(error)) from error


def standing_view(space: Space, passage: Passage, column: int | None) -> dict[str, Any]:
    """What a passage stands on: cells, operands, the whole table, and pages as pictures.

    Fields that have nothing to tell are left out.
    """
    standing = _standing(space, passage, column)
    try:
        table, pages = standing.table, _pages(space, standing)
    except MissingExtra:  # the passage itself can be read without
        table, pages = None, []
    told = {
        "cells": standing.cells,
        "operands": standing.operands,
        "table": asdict(table) if table else None,
        "printed": pages,
        "column": column if standing.cells else None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def cells_view(result: Result) -> dict[str, dict[str, Any]]:
    """Of each row that was found its label and cells, of a calculation its operands, in short.

    The cells that a source is sure of are marked as such.
    """
    sure = {cell for one in result.trace.outcomes for cell in one.cells}
    found = {}
    for passage in (hit.passage for hit in result.hits):
        told = short(passage.text, decoded(passage, "cells"), decoded(passage, "operands"))
        for cell in told.get("cells", ()):
            cell["sure"] = (passage.id, cell["column"]) in sure
        if told:
            found[passage.id] = told
    return found


def _standing(space: Space, passage: Passage, column: int | None) -> Attribution:
    workspace = space.workspace
    return Attribution(
        passage,
        folder=workspace.folder,
        catalogue=workspace.catalogue,
        pack=workspace.pack,
        column=column,
    )


def _pages(space: Space, standing: Attribution) -> list[dict[str, Any]]:
    """The pages of a passage, each with the address of its picture."""
    base = f"/w/{quote(space.name, safe='')}/passages/{standing.passage.id}/page.png"
    meant = f"&column={standing.column}" if standing.column is not None else ""
    return [
        {
            "document": one.document,
            "page": one.page,
            "caption": one.caption,
            "image": f"{base}?n={number}{meant}",
        }
        for number, one in enumerate(standing.pages, start=1)
    ]


def _has(seen: str, mark: str) -> bool:
    """Whether an `If-None-Match` names a mark."""
    named = {one.strip().removeprefix("W/") for one in seen.split(",")}
    return "*" in named or mark in named
