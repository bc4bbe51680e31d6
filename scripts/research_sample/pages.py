"""How does a text become a PDF? As a paper: title, authors, abstract, one or two columns.

Nothing is compressed and no clock is read: the same sources give the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from reportlab.lib.colors import black
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from research_sample.reading import JOURNAL, Part, Text

FONTS = Path(__file__).parent / "fonts"
SERIF, BOLD, ITALIC = (
    "DejaVuSerifCondensed",
    "DejaVuSerifCondensed-Bold",
    "DejaVuSerifCondensed-Italic",
)
WIDTH, HEIGHT = A4
TOP, BOTTOM, GAP = 66.0, 60.0, 18.0
SIDES = {1: 88.0, 2: 50.0}
Styles = dict[str, ParagraphStyle]


class _Paper(BaseDocTemplate):  # type: ignore[misc]
    """A document that enters its headings in the outline where that is wanted."""

    text: Text

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - reportlab calls it so
        level = getattr(flowable, "heading_level", None)
        if level and self.text.columns == 1:
            words = flowable.getPlainText()
            mark = f"{self.canv.getPageNumber()}-{words}"
            self.canv.bookmarkPage(mark)
            self.canv.addOutlineEntry(words, mark, level - 1)


def paper(text: Text) -> bytes:
    """The PDF of a text; only those in one column say in the file who wrote them."""
    for name in (SERIF, BOLD, ITALIC):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{name}.ttf")))
    told = {"title": text.title, "author": text.byline} if text.columns == 1 else {}
    stream = io.BytesIO()
    document = _Paper(stream, pagesize=A4, lang="en", invariant=1, pageCompression=0, **told)
    document.text = text
    styles = _styles(text.columns)
    parts = list(text.parts())
    head = list(_head(text, parts, styles))
    document.addPageTemplates(_templates(text, _height(head, WIDTH - 2 * SIDES[text.columns])))
    document.build([NextPageTemplate("later"), *head, FrameBreak(), *_story(parts, styles, text)])
    day = text.date.replace("-", "").encode()
    return stream.getvalue().replace(b"D:20000101", b"D:" + day)


def _styles(columns: int) -> Styles:
    size = 9.6 if columns == 1 else 8.8
    body = ParagraphStyle(
        "p", fontName=SERIF, fontSize=size, leading=size * 1.36, spaceAfter=size * 0.55,
        alignment=TA_JUSTIFY, embeddedHyphenation=1,
    )  # fmt: skip
    middle = {"alignment": TA_CENTER}
    bold = {"fontName": BOLD, "alignment": 0}
    looks: dict[str, dict[str, Any]] = {
        "p": {},
        "title": {**middle, "fontName": BOLD, "fontSize": 16, "leading": 20, "spaceAfter": 8},
        "authors": {**middle, "fontSize": 10.5, "leading": 14, "spaceAfter": 14},
        "abstract": {"leftIndent": 24, "rightIndent": 24, "spaceAfter": 12},
        "over": {**middle, **bold, "alignment": TA_CENTER, "spaceAfter": 4},
        "h1": {**bold, "fontSize": size + 2.4, "leading": size + 6, "spaceBefore": 9},
        "h2": {**bold, "fontSize": size + 0.6, "leading": size + 4, "spaceBefore": 5},
        "li": {"leftIndent": 12, "bulletIndent": 2, "spaceAfter": 3},
        "ref": {"fontSize": size - 1, "leading": size * 1.2, "leftIndent": 18,
                "firstLineIndent": -18, "alignment": 0, "spaceAfter": 3},
        "cell": {"fontSize": size - 1.2, "leading": size * 1.1, "alignment": 0, "spaceAfter": 0},
        "top": {"fontSize": size - 1.2, "leading": size * 1.1, "fontName": BOLD, "alignment": 0,
                "spaceAfter": 0},
    }  # fmt: skip
    return {name: ParagraphStyle(name, parent=body, **one) for name, one in looks.items()}


# --- pages --------------------------------------------------------------------------------


def _templates(text: Text, head: float) -> list[PageTemplate]:
    side, columns = SIDES[text.columns], text.columns
    room = HEIGHT - TOP - BOTTOM
    top = Frame(side, HEIGHT - TOP - head, WIDTH - 2 * side, head, **_tight("head"))
    first = [top, *_columns(columns, room - head)]
    return [
        PageTemplate("first", first, onPage=_first_lines),
        PageTemplate("later", _columns(columns, room), onPage=_running_lines),
    ]


def _columns(columns: int, height: float) -> list[Frame]:
    side = SIDES[columns]
    wide = (WIDTH - 2 * side - GAP * (columns - 1)) / columns
    lefts = [side + at * (wide + GAP) for at in range(columns)]
    return [Frame(left, BOTTOM, wide, height, **_tight(f"c{left:.0f}")) for left in lefts]


def _tight(name: str) -> dict[str, Any]:
    return {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0, "id": name}


def _height(flowables: list[Any], width: float) -> float:
    """The room that the head of the first page takes."""
    found = 6.0
    for one in flowables:
        found += one.wrap(width, HEIGHT)[1] + one.getSpaceBefore() + one.getSpaceAfter()
    return found


def _first_lines(canvas: Any, document: Any) -> None:
    text: Text = document.text
    canvas.setFont(ITALIC, 8)
    line = f"{JOURNAL} {text.volume} ({text.year}), {text.pages}"
    canvas.drawString(SIDES[text.columns], HEIGHT - 40, line)
    canvas.setFont(SERIF, 8)
    canvas.drawCentredString(WIDTH / 2, 34, str(text.first_page))


def _running_lines(canvas: Any, document: Any) -> None:
    text: Text = document.text
    side, page = SIDES[text.columns], str(text.first_page + document.page - 1)
    canvas.setFont(ITALIC, 8)
    names = [name.split()[-1] for name in text.authors]
    short = names[0] + (
        " et al." if len(names) > 2 else "".join(f" and {one}" for one in names[1:])
    )
    words = short if document.page % 2 == 0 else text.title
    if text.columns == 1:
        canvas.drawCentredString(WIDTH / 2, HEIGHT - 44, words)
        canvas.setFont(SERIF, 8)
        canvas.drawCentredString(WIDTH / 2, 34, page)
    else:
        canvas.drawString(side, HEIGHT - 44, words)
        canvas.setFont(SERIF, 8)
        canvas.drawRightString(WIDTH - side, HEIGHT - 44, page)


# --- what stands on them --------------------------------------------------------------------


def _head(text: Text, parts: list[Part], styles: Styles) -> Iterator[Any]:
    yield Paragraph(escape(text.title, quote=False), styles["title"])
    yield Paragraph(escape(text.byline, quote=False), styles["authors"])
    yield Paragraph("Abstract", styles["over"])
    yield Paragraph(_marked(parts[1].text), styles["abstract"])


def _story(parts: list[Part], styles: Styles, text: Text) -> list[Any]:
    side = SIDES[text.columns]
    wide = (WIDTH - 2 * side - GAP * (text.columns - 1)) / text.columns
    story: list[Any] = []
    for part in parts[2:]:
        if part.kind == "heading":
            if not (story and hasattr(story[-1], "heading_level")):
                story.append(CondPageBreak(64))
            story.append(Paragraph(_marked(part.text), styles[f"h{part.level}"]))
            story[-1].heading_level = part.level
        elif part.kind == "paragraph":
            story.append(Paragraph(_marked(part.text), styles["p"]))
        elif part.kind in ("bullets", "numbers"):
            for number, item in enumerate(part.items, start=1):
                mark = "•" if part.kind == "bullets" else f"{number}."
                story.append(Paragraph(_marked(item), styles["li"], bulletText=mark))
            story.append(Spacer(1, 4))
        elif part.kind == "table":
            story.append(KeepTogether([_table(part.rows, styles, wide)]))
        else:
            words = f"[{part.level}] {_marked(part.text)}"
            story.append(Paragraph(words, styles["ref"]))
    return story


def _table(rows: tuple[tuple[str, ...], ...], styles: Styles, wide: float) -> Table:
    cells = [
        [Paragraph(_marked(one), styles["top" if at == 0 else "cell"]) for one in row]
        for at, row in enumerate(rows)
    ]
    longest = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    shares = [min(max(one, 7), 30) for one in longest]
    unit = min(wide / sum(shares), 6.2)
    return Table(
        cells,
        colWidths=[unit * one for one in shares],
        spaceBefore=5,
        spaceAfter=9,
        style=TableStyle([
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, black),
            ("LINEBELOW", (0, 0), (-1, 0), 0.5, black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, black),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 3),
            ("RIGHTPADDING", (0, 0), (-1, -1), 3),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
        ]),
    )  # fmt: skip


def _marked(text: str) -> str:
    text = escape(" ".join(text.split()), quote=False)
    return re.sub(r"\*([^*\s][^*]*)\*", r"<i>\1</i>", text)
