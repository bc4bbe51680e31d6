"""Papers as they are printed: lines at places on pages, set by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

STEP = 12.0
TOP = 780.0


@dataclass
class Sheet:
    """A PDF in the making: each line goes below the one before it."""

    path: Path
    font: str = "Times-Roman"
    size: float = 10.0
    left: float = 72.0
    y: float = TOP
    canvas: Canvas = field(init=False)

    def __post_init__(self) -> None:
        """Open the file."""
        self.canvas = Canvas(str(self.path), pagesize=(595, 842), invariant=1)

    def line(
        self,
        text: str,
        *,
        x: float | None = None,
        font: str = "",
        size: float = 0.0,
        gap: float = 1.0,
    ) -> None:
        """Write a line, `gap` steps below the last one."""
        self.y -= gap * STEP
        self.canvas.setFont(font or self.font, size or self.size)
        self.canvas.drawString(self.left if x is None else x, self.y, text)

    def at(self, x: float, y: float, text: str, size: float = 0.0) -> None:
        """Write a line at a place."""
        self.canvas.setFont(self.font, size or self.size)
        self.canvas.drawString(x, y, text)

    def text(self, words: str, *, width: int = 88, x: float | None = None, hang: float = 0) -> None:
        """Write a paragraph, wrapped; with `hang` all lines but the first are indented."""
        left = self.left if x is None else x
        row = ""
        rows = []
        for word in words.split():
            if len(row) + len(word) > width:
                rows.append(row)
                row = ""
            row = f"{row} {word}".strip()
        for at, one in enumerate([*rows, row]):
            self.line(one, x=left + (hang if at else 0), gap=1.0)

    def turn(self) -> None:
        """Begin the next page."""
        self.canvas.showPage()
        self.y = TOP

    def done(self) -> Path:
        """Write the file."""
        self.canvas.save()
        return self.path
