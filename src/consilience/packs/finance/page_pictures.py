"""Where on its page does a number stand? The page as it is printed, with the cell outlined.

All cells of a row are outlined lightly, the one that answers strongly. A calculation has a picture
of each page that its operands stand on. What has no page, such as a spreadsheet, has no picture.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image

from consilience.errors import UsageError
from consilience.evidence.loaders.pdf import LOCK
from consilience.pack import Known, Printed
from consilience.packs.finance.data_model import Box
from consilience.packs.finance.tables.encoding import loaded
from consilience.types import Passage

Pixels = NDArray[np.uint8]
LONGEST, MOST = 4000, 12_000_000
"""Pixels of a picture: of its longer side, and in all."""
MOST_PAGES = 24
"""Pictures of one passage: a sum may have operands on any number of pages."""
_PAD = 1.5  # points between a cell and its outline
_AROUND = 90.0  # points that are left above and below what is outlined
_BLANK = 0.5  # points: a box that is smaller is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """How a cell is outlined: the colour and width of the line, and the wash inside it."""

    line: tuple[int, int, int]
    wash: tuple[int, int, int]
    width: float


LIGHT = Pen(line=(222, 160, 60), wash=(255, 249, 228), width=0.6)
STRONG = Pen(line=(196, 24, 32), wash=(255, 236, 170), width=1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A cell where it stands in print; `meant` is the one that answers."""

    document: str
    page: int
    box: Box | None
    text: str
    told: str = ""
    meant: bool = False


def page_image(
    path: Path,
    page: int,
    boxes: Sequence[Box],
    *,
    strong: Sequence[Box] = (),
    scale: float = 2.0,
    crop: bool = False,
) -> bytes:
    """A page of a PDF as a PNG, with boxes outlined lightly and `strong` ones strongly.

    Boxes count from the upper left corner of the page as it is seen: turned if it is turned, and
    cut where its crop box cuts it. With `crop` only what is around them is given.
    """
    pixels, scale = _rendered(path, page, scale)
    for pen, some in ((LIGHT, boxes), (STRONG, strong)):
        for box in some:
            _outline(pixels, box, pen, scale)
    return _png(_cut(pixels, (*boxes, *strong), scale) if crop else pixels)


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
    if not spots and passage.locator.page:
        page = passage.locator.page
        spots = [Spot(document=passage.document, page=page, box=None, text="")]
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


# --- drawing ----------------------------------------------------------------------------


def _rendered(path: Path, page: int, scale: float) -> tuple[Pixels, float]:
    """The pixels of a page, and how many there are to a point: no more than is bearable."""
    with LOCK:  # PDFium is not safe to call from two threads at once
        try:
            with closing(pypdfium2.PdfDocument(path)) as document:
                if not 1 <= page <= len(document):
                    raise UsageError(
                        f"{path.name} has {len(document)} pages, and no page {page}; "
                        "read it again with `consilience add`"
                    )
                with closing(document[page - 1]) as found:
                    width, height = found.get_size()
                    scale = _bearable(width, height, scale)
                    with closing(found.render(scale=scale, rev_byteorder=True)) as bitmap:
                        return bitmap.to_numpy()[:, :, :3].copy(), scale
        except (pypdfium2.PdfiumError, OSError) as error:
            raise UsageError(f"page {page} of {path.name} cannot be drawn: {error}") from error


def _bearable(width: float, height: float, scale: float) -> float:
    if not (width > 0 and height > 0 and scale > 0):
        raise UsageError("a page without a size cannot be drawn")
    return min(scale, LONGEST / max(width, height), math.sqrt(MOST / (width * height)))


def _outline(pixels: Pixels, box: Box, pen: Pen, scale: float) -> None:
    """Wash the inside of a box, so that print stays readable, and draw a line around it."""
    height, width = pixels.shape[:2]
    pad = _PAD + pen.width
    left, right = (_within(at * scale, width) for at in (box.left - pad, box.right + pad))
    top, bottom = (_within(at * scale, height) for at in (box.top - pad, box.bottom + pad))
    if left >= right or top >= bottom:
        return
    inside = pixels[top:bottom, left:right]
    inside[:] = (inside.astype(np.uint16) * np.array(pen.wash, dtype=np.uint16) // 255).astype(
        np.uint8
    )
    thick = max(1, round(pen.width * scale))
    for edge in (inside[:thick], inside[-thick:], inside[:, :thick], inside[:, -thick:]):
        edge[:] = pen.line


def _within(at: float, most: int) -> int:
    return min(max(round(at), 0), most)


def _cut(pixels: Pixels, boxes: Iterable[Box], scale: float) -> Pixels:
    """The strip of a page that its boxes stand on; all of it where there are none."""
    edges = [edge for one in boxes for edge in (one.top, one.bottom)]
    if not edges:
        return pixels
    first = _within((min(edges) - _AROUND) * scale, pixels.shape[0])
    last = _within((max(edges) + _AROUND) * scale, pixels.shape[0])
    return pixels[first:last] if last > first else pixels


def _png(pixels: Pixels) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format="PNG", compress_level=6)
    return stream.getvalue()
