"""How are the book and the report of the `general` sample made? From Markdown, byte for byte.

Run `python scripts/build_general_sample.py` after editing `scripts/general_sample/`. It needs
reportlab (BSD) beside the package. Nothing is compressed and no clock is read, so the same
sources give the same bytes on every machine that has the same version of reportlab.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from epubs import About, build_book
from markdown_it import MarkdownIt
from markdown_it.token import Token

SOURCES = Path(__file__).parent / "general_sample"
SAMPLE = Path(__file__).parents[1] / "src/consilience/packs/general/sample"
BOOK = "the-keepers-handbook.epub"
REPORT = "bell-rock-and-after.pdf"

BOOK_TITLE = "The Keeper's Handbook"
REPORT_TITLE = "Bell Rock and After"
REPORT_SUBTITLE = "How towers were made to stand in the sea"
AUTHOR, DATE = About(title="").author, About(title="").date


def main() -> None:
    """Write both files into the sample folder."""
    SAMPLE.mkdir(parents=True, exist_ok=True)
    (SAMPLE / BOOK).write_bytes(build_book(SOURCES / "handbook", About(title=BOOK_TITLE)))
    (SAMPLE / REPORT).write_bytes(build_report(SOURCES / "report.md"))


# --- the report -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of the report: `h1`, `h2`, `h3` or `p` with marked-up text, or `table` rows."""

    tag: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def build_report(path: Path) -> bytes:
    """The PDF of one Markdown file, with running lines, page numbers and an outline."""
    from reportlab.lib.pagesizes import A4  # noqa: PLC0415 - the book needs no reportlab
    from reportlab.platypus import SimpleDocTemplate  # noqa: PLC0415

    class Report(SimpleDocTemplate):
        """A document that enters its headings in the outline as they are placed."""

        def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - reportlab calls it so
            level = getattr(flowable, "outline_level", None)
            if level is not None:
                mark = f"section-{self.canv.getPageNumber()}-{flowable.getPlainText()}"
                self.canv.bookmarkPage(mark)
                self.canv.addOutlineEntry(flowable.getPlainText(), mark, level)

    stream = io.BytesIO()
    document = Report(
        stream,
        pagesize=A4,
        topMargin=82,
        bottomMargin=76,
        title=REPORT_TITLE,
        author=AUTHOR,
        subject=REPORT_SUBTITLE,
        lang="en",
        invariant=1,
        pageCompression=0,
    )
    parts = read_parts(path.read_text(encoding="utf-8"))
    document.build(_flowables(parts), onFirstPage=_footer, onLaterPages=_running_lines)
    # reportlab dates what must not vary to the year 2000; the length stays, so offsets hold.
    return stream.getvalue().replace(b"D:20000101", b"D:20260101")


def read_parts(text: str) -> Iterator[Part]:
    """The headings, paragraphs and tables of a Markdown text, in order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    for before, token in pairwise(tokens):
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            yield Part(tag="table", rows=tuple(tuple(row) for row in rows))
        elif token.type == "inline" and before.tag in ("td", "th"):
            rows[-1].append(_marked_up(token))
        elif token.type == "inline":
            yield Part(tag=before.tag, text=_marked_up(token))


def _marked_up(inline: Token) -> str:
    tags = {"em_open": "<i>", "em_close": "</i>", "softbreak": " "}
    return "".join(tags.get(one.type, escape(one.content)) for one in inline.children or ())


def _flowables(parts: Iterator[Part]) -> list[Any]:
    from reportlab.platypus import KeepTogether, Paragraph, Spacer  # noqa: PLC0415

    styles = _styles()
    story: list[Any] = []
    for part in parts:
        if part.tag == "table":
            story.append(KeepTogether([_table(part, styles), Spacer(1, 6)]))
            continue
        caption = re.match(r"Table \d+\.", part.text)
        paragraph = Paragraph(part.text, styles["caption" if caption else part.tag])
        paragraph.outline_level = {"h2": 0, "h3": 1}.get(part.tag)
        story.append(paragraph)
        if part.tag == "h1":
            story.append(Paragraph(f"{REPORT_SUBTITLE}. {AUTHOR}, {DATE[:4]}", styles["caption"]))
    return story


def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle  # noqa: PLC0415

    body = ParagraphStyle("p", fontName="Times-Roman", fontSize=12, leading=18, spaceAfter=9)
    bold = {"fontName": "Helvetica-Bold", "keepWithNext": 1}
    looks: dict[str, dict[str, Any]] = {
        "p": {},
        "cell": {"fontSize": 10, "leading": 13, "spaceAfter": 0},
        "caption": {"fontName": "Times-Italic", "fontSize": 9.5, "leading": 12, "spaceAfter": 14},
        "h1": {**bold, "fontSize": 24, "leading": 30},
        "h2": {**bold, "fontSize": 15, "leading": 19, "spaceBefore": 14},
        "h3": {**bold, "fontSize": 11.5, "leading": 15, "spaceBefore": 8},
    }
    return {name: ParagraphStyle(name, parent=body, **look) for name, look in looks.items()}


def _table(part: Part, styles: dict[str, Any]) -> Any:
    from reportlab.lib.colors import black, lightgrey  # noqa: PLC0415
    from reportlab.platypus import Paragraph, Table  # noqa: PLC0415

    head, *body = part.rows
    cells = [[Paragraph(f"<b>{cell}</b>", styles["cell"]) for cell in head]]
    cells += [[Paragraph(cell, styles["cell"]) for cell in row] for row in body]
    widths = [450 * share for share in _SHARES[len(head)]]
    ruled = [("GRID", (0, 0), (-1, -1), 0.4, black), ("BACKGROUND", (0, 0), (-1, 0), lightgrey)]
    return Table(cells, colWidths=widths, style=ruled, repeatRows=1)


_SHARES = {5: (0.25, 0.18, 0.14, 0.16, 0.27), 3: (0.42, 0.36, 0.22)}


def _footer(canvas: Any, document: Any) -> None:
    canvas.setFont("Helvetica", 8.5)
    canvas.drawString(72, 44, AUTHOR)
    canvas.drawRightString(document.pagesize[0] - 72, 44, f"Page {document.page}")


def _running_lines(canvas: Any, document: Any) -> None:
    _footer(canvas, document)
    canvas.drawString(72, document.pagesize[1] - 52, REPORT_TITLE)
    canvas.drawRightString(document.pagesize[0] - 72, document.pagesize[1] - 52, REPORT_SUBTITLE)


if __name__ == "__main__":
    main()
