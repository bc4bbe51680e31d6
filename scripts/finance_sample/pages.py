"""How does a report become a PDF? Markdown with figures and tables in it, set on pages.

A line `{{name}}` puts a table, `{{page}}` begins a page, `{{landscape}}` and `{{portrait}}` turn
it.
Nothing is compressed and no clock is read: the same sources give the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import reportlab
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
)

from finance_sample.drawing import Drawn, look
from finance_sample.grids import Sheet

LEFT, TOP, BOTTOM = 46, 62, 54
_TABLE = re.compile(r"\{\{([a-z -]+)\}\}")


@dataclass(slots=True, kw_only=True)
class Setting:
    """What a report is and how it looks."""

    slug: str
    title: str
    subtitle: str
    legal: str
    outline: bool = True
    language: str = "en"
    serif: bool = False
    sheets: list[Sheet] = field(default_factory=list)
    contents: list[tuple[int, str, int]] = field(default_factory=list)


class _Report(BaseDocTemplate):  # type: ignore[misc]
    """A document that notes its headings, and enters them in the outline where that is wanted."""

    setting: Setting

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - reportlab calls it so
        level = getattr(flowable, "heading_level", None)
        if level is None:
            return
        text, page = flowable.getPlainText(), self.canv.getPageNumber()
        self.setting.contents.append((level, text, page))
        if self.setting.outline:
            mark = f"h{len(self.setting.contents)}"
            self.canv.bookmarkPage(mark)
            self.canv.addOutlineEntry(text, mark, level)


def fonts() -> None:
    """Make the embedded fonts known."""
    folder = Path(reportlab.__file__).parent / "fonts"
    for name in ("Vera", "VeraBd", "VeraIt", "VeraBI"):
        pdfmetrics.registerFont(TTFont(name, str(folder / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(
        "Vera", normal="Vera", bold="VeraBd", italic="VeraIt", boldItalic="VeraBI"
    )


def printed(setting: Setting, text: str, table: Callable[[str], Sheet]) -> bytes:
    """The PDF of a text; its tables are made by `table` and kept in the setting."""
    fonts()
    stream = io.BytesIO()
    document = _Report(
        stream,
        pagesize=A4,
        title=setting.title,
        author=setting.legal,
        subject=setting.subtitle,
        lang=setting.language,
        invariant=1,
        pageCompression=0,
    )
    document.setting = setting
    document.addPageTemplates([_template("portrait", A4), _template("landscape", landscape(A4))])
    document.build(_story(setting, text, table))
    return stream.getvalue().replace(b"D:20000101", b"D:20260101")


def _template(name: str, size: tuple[float, float]) -> PageTemplate:
    width, height = size
    frame = Frame(
        LEFT, BOTTOM, width - 2 * LEFT, height - TOP - BOTTOM,
        leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0,
    )  # fmt: skip
    return PageTemplate(name, [frame], onPage=_running_lines, pagesize=size)


def _running_lines(canvas: Any, document: Any) -> None:
    setting: Setting = document.setting
    colours = look(setting.slug)
    width, height = canvas._pagesize
    canvas.setFillColor(colours["ink"])
    canvas.setFont(colours["font"], 7.5)
    canvas.drawString(LEFT, 30, setting.legal)
    word = "Seite" if setting.language == "de" else "Page"
    canvas.drawRightString(width - LEFT, 30, f"{word} {document.page}")
    if document.page > 1:
        canvas.drawString(LEFT, height - 40, setting.title)
        canvas.drawRightString(width - LEFT, height - 40, setting.subtitle)
        canvas.setStrokeColor(colours["accent"])
        canvas.setLineWidth(0.8)
        canvas.line(LEFT, height - 46, width - LEFT, height - 46)
    else:
        canvas.setFillColor(colours["accent"])
        canvas.rect(0, height - 26, width, 26, stroke=0, fill=1)


def _styles(setting: Setting) -> dict[str, ParagraphStyle]:
    colours = look(setting.slug)
    font = "Times-Roman" if setting.serif else colours["font"]
    size = 10.4 if setting.serif else (9.3 if font == "Helvetica" else 8.3)
    body = ParagraphStyle("p", fontName=font, fontSize=size, leading=size * 1.38, spaceAfter=6)
    bold = {"fontName": colours["bold"], "keepWithNext": 1, "textColor": colours["ink"]}
    looks: dict[str, dict[str, Any]] = {
        "p": {},
        "li": {"leftIndent": 12, "bulletIndent": 2, "spaceAfter": 3},
        "note": {"fontSize": 7, "leading": 8.6, "spaceAfter": 2, "fontName": colours["font"]},
        "toc": {"spaceAfter": 3, "fontName": colours["font"], "fontSize": 9},
        "h1": {**bold, "fontSize": 21, "leading": 26, "spaceAfter": 2, "spaceBefore": 6},
        "sub": {"fontName": colours["italic"], "fontSize": 10.5, "leading": 14, "spaceAfter": 12},
        "h2": {**bold, "fontSize": 13, "leading": 17, "spaceBefore": 10, "spaceAfter": 5},
        "h3": {**bold, "fontSize": 10, "leading": 13, "spaceBefore": 6, "spaceAfter": 3},
    }
    return {name: ParagraphStyle(name, parent=body, **one) for name, one in looks.items()}


def _story(setting: Setting, text: str, table: Callable[[str], Sheet]) -> list[Any]:
    styles = _styles(setting)
    story: list[Any] = []
    for block in (one.strip() for one in re.split(r"\n\s*\n", text.strip())):
        found = _TABLE.fullmatch(block)
        if found:
            heads: list[Any] = []
            while story and hasattr(story[-1], "heading_level"):
                heads.insert(0, story.pop())
            story += _placed(found[1], heads, (setting, styles), table)
        elif block.startswith("#"):
            marks, _, words = block.partition(" ")
            story.append(Paragraph(_marked(words), styles[f"h{len(marks)}"]))
            if len(marks) == 1:
                story.append(Paragraph(escape(setting.subtitle), styles["sub"]))
            else:
                story[-1].heading_level = len(marks) - 2
        elif block.startswith("~ "):
            _, page, words = block.split(" ", 2)
            story.append(Paragraph(f"{escape(words)} <font size=8>· {page}</font>", styles["toc"]))
        elif block.startswith("- "):
            for line in re.split(r"\n- ", block[2:]):
                story.append(Paragraph(_marked(line), styles["li"], bulletText="•"))
            story.append(Spacer(1, 4))
        else:
            story.append(Paragraph(_marked(block), styles["p"]))
    return story


def _marked(text: str) -> str:
    text = escape(" ".join(text.split()), quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"(?<!\w)_(.+?)_(?!\w)", r"<i>\1</i>", text)


def _placed(
    name: str,
    heads: list[Any],
    how: tuple[Setting, dict[str, ParagraphStyle]],
    table: Callable[[str], Sheet],
) -> Sequence[Any]:
    """A table with the headings right above it, or a break."""
    setting, styles = how
    if name == "page":
        return [*heads, PageBreak()]
    if name in ("landscape", "portrait"):
        return [*heads, NextPageTemplate(name), PageBreak()]
    sheet = table(name)
    setting.sheets.append(sheet)
    notes = [Paragraph(escape(one), styles["note"]) for one in sheet.notes]
    drawn = Drawn(sheet, look(setting.slug))
    if len(sheet.lines) > 26:
        return [CondPageBreak(180), *heads, drawn, *notes, Spacer(1, 6)]
    return [KeepTogether([*heads, drawn, *notes]), Spacer(1, 6)]
