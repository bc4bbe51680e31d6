"""Where on its page does a passage stand? The page as it is printed, with the place outlined.

The lines of a passage are found again in the page's own text; of a scan OCR finds them. Packs that
know more, such as the cells of a table, give boxes of their own to `page_image`.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2

from consilience.errors import LoadError, UsageError
from consilience.evidence.loaders import image, ocr, pdf
from consilience.pack import Printed
from consilience.types import Passage

if TYPE_CHECKING:  # numpy costs more at import than all of this package
    import numpy as np
    from numpy.typing import NDArray

LONGEST, MOST = 4000, 12_000_000
"""Pixels of a picture: of its longer side, and in all."""
_PAD = 1.5  # points between a place and its outline
_AROUND = 90.0  # points that are left above and below what is outlined
_SCALE = 2.0  # pixels to a point
_LEAST = 4  # letters of a line that can be recognised


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle on a page, in points from the page's upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """How a place is outlined: the colour and width of the line, and the wash inside it."""

    line: tuple[int, int, int]
    wash: tuple[int, int, int]
    width: float


LIGHT = Pen(line=(222, 160, 60), wash=(255, 249, 228), width=0.6)
STRONG = Pen(line=(196, 24, 32), wash=(255, 236, 170), width=1.5)


def printed_pages(folder: Path, passage: Passage) -> list[Printed]:
    """The page of a PDF, or the image, on which a passage stands; none for other files."""
    page, ending = passage.locator.page, Path(passage.document).suffix.lower()
    if page is None or not (ending == ".pdf" or ending in image.ENDINGS):
        return []
    return [
        Printed(
            document=passage.document,
            page=page,
            caption=f"page {page}" if ending == ".pdf" else Path(passage.document).name,
            draw=partial(_draw, folder / passage.document, page, passage.text, crop=False),
            strip=partial(_draw, folder / passage.document, page, passage.text, crop=True),
        )
    ]


def _draw(path: Path, page: int, text: str, *, crop: bool) -> bytes:
    """A page with the lines of a text washed."""
    if path.suffix.lower() == ".pdf":
        pixels, scale = _rendered(path, page, _SCALE)
        boxes = _printed_lines(path, page, text)
    else:
        pixels, scale = _image_pixels(path, page), 1.0
        boxes = []
    if not boxes and ocr.is_installed() and not _has_text(path, page):
        boxes = [
            Box(
                left=line.left / scale,
                top=line.top / scale,
                right=line.right / scale,
                bottom=line.bottom / scale,
            )
            for line in ocr.read_lines(pixels)
            if _is_part(line.text, text)
        ]
    for box in boxes:
        _outline(pixels, box, LIGHT, scale)
    return _png(_cut(pixels, boxes, scale) if crop else pixels)


def page_image(
    path: Path,
    page: int,
    boxes: Sequence[Box],
    *,
    strong: Sequence[Box] = (),
    scale: float = _SCALE,
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


# --- which lines ------------------------------------------------------------------------


def _printed_lines(path: Path, page: int, text: str) -> list[Box]:
    """Where the lines of a text stand on a page, as it is seen; none on a page that is turned."""
    with pdf.LOCK, closing(pypdfium2.PdfDocument(path)) as document:
        with closing(document[page - 1]) as found:
            left, _, _, top = found.get_cropbox()
            if found.get_rotation():
                return []
        lines = pdf.printed_lines(document, page - 1)
    return [
        Box(
            left=line.left - left,
            top=top - line.top,
            right=line.right - left,
            bottom=top - line.bottom,
        )
        for line in lines
        if _is_part(line.text, text)
    ]


def _has_text(path: Path, page: int) -> bool:
    if path.suffix.lower() != ".pdf":
        return False
    with pdf.LOCK, closing(pypdfium2.PdfDocument(path)) as document:
        return bool(pdf.printed_lines(document, page - 1))


def _is_part(line: str, text: str) -> bool:
    """Whether a text has a line in it, whatever its spaces, hyphens and marks."""
    some = _letters(line)
    return len(some) >= _LEAST and some in _letters(text)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


# --- drawing ----------------------------------------------------------------------------


def _image_pixels(path: Path, page: int) -> NDArray[np.uint8]:
    try:
        frames = image.frames(path)
    except LoadError as error:
        raise UsageError(str(error)) from error
    if not 1 <= page <= len(frames):
        raise UsageError(f"{path.name} has {len(frames)} pictures, and no number {page}")
    return frames[page - 1].copy()


def _rendered(path: Path, page: int, scale: float) -> tuple[NDArray[np.uint8], float]:
    """The pixels of a page, and how many there are to a point: no more than is bearable."""
    with pdf.LOCK:  # PDFium is not safe to call from two threads at once
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


def _outline(pixels: NDArray[np.uint8], box: Box, pen: Pen, scale: float) -> None:
    """Wash the inside of a box, so that print stays readable, and draw a line around it."""
    height, width = pixels.shape[:2]
    pad = _PAD + pen.width
    left, right = (_within(at * scale, width) for at in (box.left - pad, box.right + pad))
    top, bottom = (_within(at * scale, height) for at in (box.top - pad, box.bottom + pad))
    if left >= right or top >= bottom:
        return
    inside = pixels[top:bottom, left:right]
    for at, shade in enumerate(pen.wash):
        inside[..., at] = (inside[..., at].astype("uint16") * shade // 255).astype("uint8")
    thick = max(1, round(pen.width * scale))
    for edge in (inside[:thick], inside[-thick:], inside[:, :thick], inside[:, -thick:]):
        edge[:] = pen.line


def _within(at: float, most: int) -> int:
    return min(max(round(at), 0), most)


def _cut(pixels: NDArray[np.uint8], boxes: Iterable[Box], scale: float) -> NDArray[np.uint8]:
    """The strip of a page that its boxes stand on; all of it where there are none."""
    edges = [edge for box in boxes for edge in (box.top, box.bottom)]
    if not edges:
        return pixels
    first = _within((min(edges) - _AROUND) * scale, pixels.shape[0])
    last = _within((max(edges) + _AROUND) * scale, pixels.shape[0])
    return pixels[first:last] if last > first else pixels


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """NDArray[np.uint8] as a PNG: a row is a zero, for no filter, and its colours."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
