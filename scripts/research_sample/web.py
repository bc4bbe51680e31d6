"""How does a text become a web page? A head, a menu, headings, paragraphs, tables, references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from research_sample.reading import JOURNAL, Part, Text

_CITED = re.compile(r"\[(\d+)\]")
_STYLE = """body { max-width: 42rem; margin: 2rem auto; font-family: Georgia, serif; }
table { border-collapse: collapse; } th, td { padding: 0.2rem 0.8rem; text-align: left; }
nav, footer { font-size: 0.85rem; }"""


def page(text: Text) -> str:
    """The web page of a text."""
    title, parts = escape(text.title, quote=False), list(text.parts())
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f'<meta name="author" content="{escape(text.byline)}">',
        f'<meta name="date" content="{text.date}">',
        f"<style>\n{_STYLE}\n</style>",
        "</head>",
        "<body>",
        '<nav><a href="/">Home</a> · <a href="/notes/">Notes</a></nav>',
        "<main>",
        f"<h1>{title}</h1>",
        f'<p class="byline">{escape(text.byline)}, {text.year}</p>',
        *_body(parts),
        "</main>",
        f"<footer>{JOURNAL}, notes for teaching</footer>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines)


def _body(parts: list[Part]) -> Iterator[str]:
    for part in parts:
        if part.kind == "heading":
            mark = f"h{part.level + 1}"
            yield f'<{mark} id="{_anchor(part.text)}">{_marked(part.text)}</{mark}>'
        elif part.kind == "paragraph":
            yield f"<p>{_marked(part.text)}</p>"
        elif part.kind in ("bullets", "numbers"):
            mark = "ul" if part.kind == "bullets" else "ol"
            yield from (f"<{mark}>", *(f"<li>{_marked(one)}</li>" for one in part.items))
            yield f"</{mark}>"
        elif part.kind == "table":
            yield from _table(part.rows)
        else:
            yield f'<p class="reference" id="r{part.level}">[{part.level}] {escape(part.text)}</p>'


def _table(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    yield "<table>"
    yield "<thead><tr>" + "".join(f"<th>{_marked(one)}</th>" for one in rows[0]) + "</tr></thead>"
    yield "<tbody>"
    for row in rows[1:]:
        yield "<tr>" + "".join(f"<td>{_marked(one)}</td>" for one in row) + "</tr>"
    yield "</tbody>"
    yield "</table>"


def _marked(text: str) -> str:
    text = escape(" ".join(text.split()), quote=False)
    return _CITED.sub(r'<a href="#r\1">[\1]</a>', text)


def _anchor(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower()).strip("-")
