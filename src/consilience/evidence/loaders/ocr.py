"""What is printed on a picture? The lines that OCR reads, each with its place and certainty.

RapidOCR brings its models in its wheel and runs on the same engine as the embedder; nothing is
downloaded. It comes with the `ocr` extra.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from consilience.errors import MissingExtra
from consilience.evidence.loaders.common import tidy

if TYPE_CHECKING:  # numpy costs more at import than all of this package
    import numpy as np
    from numpy.typing import NDArray

INSTALL = "pip install 'consilience[ocr]'"
_LOCK = threading.Lock()  # one picture at a time: each run uses all cores
_LABEL = 0.35  # of the width: a shorter piece joins its neighbour on the same line


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrLine:
    """A line that OCR read: its box in pixels from the upper left, and how certain it is."""

    text: str
    certainty: float
    left: float
    top: float
    right: float
    bottom: float


def is_installed() -> bool:
    """Whether there is what reads pictures."""
    return find_spec("rapidocr") is not None


def read_lines(pixels: NDArray[np.uint8]) -> list[OcrLine]:
    """The lines on a picture (rows of RGB pixels), from top to bottom."""
    with _LOCK:
        found = _engine()(pixels)
    if found.boxes is None or not found.txts:
        return []
    lines = [
        OcrLine(
            text=words,
            certainty=float(score),
            left=float(min(x for x, _ in box)),
            top=float(min(y for _, y in box)),
            right=float(max(x for x, _ in box)),
            bottom=float(max(y for _, y in box)),
        )
        for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if (words := tidy(text))
    ]
    return _joined(lines, width=pixels.shape[1])


@cache
def _engine() -> Any:
    if not is_installed():
        raise MissingExtra("reading scans and images", "ocr")
    from rapidocr import RapidOCR  # noqa: PLC0415 - loads OpenCV

    return RapidOCR(params={"Global.log_level": "error"})


def certainty(lines: Sequence[OcrLine]) -> float:
    """How certain a reading is: the mean of its letters."""
    letters = sum(len(line.text) for line in lines)
    return round(sum(len(line.text) * line.certainty for line in lines) / max(1, letters), 2)


def _joined(lines: Sequence[OcrLine], *, width: int) -> list[OcrLine]:
    """Pieces that stand on one line put together, unless both are as wide as columns."""
    joined: list[OcrLine] = []
    for line in lines:
        before = joined[-1] if joined else None
        if before is None or not _on_one_line(before, line, most=_LABEL * width):
            joined.append(line)
            continue
        letters = len(before.text), len(line.text)
        sure = letters[0] * before.certainty + letters[1] * line.certainty
        joined[-1] = OcrLine(
            text=f"{before.text} {line.text}",
            certainty=sure / sum(letters),
            left=before.left,
            top=min(before.top, line.top),
            right=line.right,
            bottom=max(before.bottom, line.bottom),
        )
    return joined


def _on_one_line(before: OcrLine, line: OcrLine, *, most: float) -> bool:
    shared = min(before.bottom, line.bottom) - max(before.top, line.top)
    height = min(before.bottom - before.top, line.bottom - line.top)
    narrow = min(before.right - before.left, line.right - line.left) < most
    return shared > 0.5 * height and line.left >= before.right and narrow
