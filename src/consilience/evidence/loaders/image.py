"""How is an image read? By OCR, as the page of a scan is; what it says of itself are its fields."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from consilience.errors import LoadError, MissingExtra
from consilience.evidence.loaders import ocr, pdf
from consilience.evidence.loaders.common import said, title_of
from consilience.protocols import Format
from consilience.types import Block, Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIXELS = 100_000_000
MOST_FRAMES = 200  # pages of a TIFF
ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif")


def load(path: Path) -> Document:
    """Read what is printed on an image; each picture of a TIFF is a page."""
    blocks: list[Block] = []
    sure: list[ocr.OcrLine] = []
    for page, pixels in enumerate(frames(path), start=1):
        lines = ocr.read_lines(pixels)
        blocks += pdf.scanned_blocks(lines, page=page, height=pixels.shape[0])
        sure += lines
    notes = (f"read by OCR, certainty {ocr.certainty(sure)}",) if sure else said(path, blocks)
    return Document(title=title_of(path), kind="document", blocks=tuple(blocks), notes=notes)


def frames(path: Path) -> list[NDArray[np.uint8]]:
    """The pictures in a file as pixels, upright; those after `MOST_FRAMES` are refused."""
    if not ocr.is_installed():
        raise MissingExtra("reading scans and images", "ocr")
    import numpy as np  # noqa: PLC0415
    from PIL import Image, ImageOps, ImageSequence  # noqa: PLC0415

    found: list[NDArray[np.uint8]] = []
    try:
        with Image.open(path) as image:
            count = getattr(image, "n_frames", 1) if path.suffix.lower() != ".gif" else 1
            if count > MOST_FRAMES or image.width * image.height > MOST_PIXELS:
                raise LoadError(
                    f"{path.name} is too large: {count} pictures of {image.width} × "
                    f"{image.height} pixels; save it smaller, or in parts"
                )
            for frame in list(ImageSequence.Iterator(image)) if count > 1 else [image]:
                upright = ImageOps.exif_transpose(frame.convert("RGBA" if _clear(frame) else "RGB"))
                flat = Image.new("RGB", upright.size, "white")
                flat.paste(
                    upright, mask=upright.getchannel("A") if upright.mode == "RGBA" else None
                )
                found.append(np.asarray(flat))
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise LoadError(f"{path.name} is not a readable image: {error}; save it again") from error
    return found


def _clear(frame: object) -> bool:
    """Whether a picture has see-through parts, which are read as white."""
    return getattr(frame, "mode", "") in ("RGBA", "LA", "PA") or "transparency" in getattr(
        frame, "info", {}
    )


LOADER = Format(endings=ENDINGS, version=1, load=load)
