"""Where on its page does a number stand? The page as it is printed, with the cell outlined.

All cells of a row are outlined lightly, the one that answers strongly. A calculation has a picture
of each page that its operands stand on. What has no page, such as a spreadsheet, has no picture.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from consilience.pack import Known, Printed
from consilience.packs.finance.data_model import Box
from consilience.packs.finance.tables.encoding import loaded
from consilience.page_pictures import page_image, printed_pages
from consilience.types import Passage

MOST_PAGES = 24
"""Pictures of one passage: a sum may have operands on any number of pages."""
_BLANK = 0.5  # points: a box that is smaller is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A cell where it stands in print; `meant` is the one that answers."""

    document: str
    page: int
    box: Box | None
    text: str
    told: str = ""
    meant: bool = False


def boxes_of(passage: Passage) -> list[tuple[int, Box, str]]:
    """The cells of a row that stand on pages: the page, where on it, and what is printed there."""
    return [(one.page, one.box, one.text) for one in _cells(passage, None) if one.page and one.box]


def pages(
    folder: Path, passage: Passage, known: Known, column: int | None = None
) -> Sequence[Printed]:
    """The pages on which a passage stands, each with its cells outlined; none where it has none.

    Of a row, `column` is the cell that is meant. `known` gives the rows of operands.
    """
    spots = _operands(passage, known) or _cells(passage, column)
    if not spots:
        return printed_pages(folder, passage)
    groups: dict[tuple[str, int], list[Spot]] = {}
    for spot in spots:
        if Path(spot.document).suffix.lower() == ".pdf":
            groups.setdefault((spot.document, spot.page), []).append(spot)
    return [
        Printed(
            document=document,
            page=page,
            caption=_caption(page, some),
            draw=partial(_drawn, folder / document, page, some, crop=False),
            strip=partial(_drawn, folder / document, page, some, crop=True),
        )
        for (document, page), some in list(groups.items())[:MOST_PAGES]
    ]


def _drawn(path: Path, page: int, spots: Sequence[Spot], *, crop: bool) -> bytes:
    meant = dict.fromkeys(one.box for one in spots if one.box and one.meant)
    others = dict.fromkeys(one.box for one in spots if one.box and one.box not in meant)
    return page_image(path, page, tuple(others), strong=tuple(meant), crop=crop)


def _caption(page: int, spots: Sequence[Spot]) -> str:
    """`page 7, outlined: Revenue, 2025 (1,204)`."""
    meant = [one for one in spots if one.meant and one.box]
    told = [f"{one.told} ({one.text})" if one.told else one.text for one in meant]
    if not told and any(one.box for one in spots):
        told = [next((one.told for one in spots if one.told), "") or "the row"]
    return f"page {page}, outlined: {'; '.join(dict.fromkeys(told))}" if told else f"page {page}"


# --- which cells ------------------------------------------------------------------------


def _cells(passage: Passage, column: int | None) -> list[Spot]:
    """The cells of a row; where a column is meant, that one's headings are told as well."""
    found: list[Spot] = []
    if passage.kind != "row":
        return found
    for one in loaded(str(passage.metadata.get("cells", ""))):
        page = one.page or passage.locator.page
        meant = one.column == column
        if page is not None:
            told = (" › ".join(one.label), " › ".join(one.header) if meant else "")
            found.append(
                Spot(
                    document=passage.document,
                    page=page,
                    box=one.box if one.box and _has_room(one.box) else None,
                    text=one.text,
                    told=", ".join(filter(None, told)),
                    meant=meant,
                )
            )
    return found


def _operands(passage: Passage, known: Known) -> list[Spot]:
    """The cells that a calculation is made of, each strongly outlined in its row."""
    if passage.kind != "calculation":
        return []
    operands = json.loads(str(passage.metadata.get("operands", "[]")))
    rows = known([one["passage"] for one in operands])
    return [
        spot
        for one in operands
        if one["passage"] in rows
        for spot in _cells(rows[one["passage"]], one["column"])
    ]


def _has_room(box: Box) -> bool:
    return box.right - box.left >= _BLANK and box.bottom - box.top >= _BLANK
