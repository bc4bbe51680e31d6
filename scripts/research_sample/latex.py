"""How does a text become LaTeX? Sections, equations, tables, citations, a bibliography."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator

from research_sample.reading import Part, Text

_MATHS = re.compile(r"(\$\$.+?\$\$|\$[^$]+\$)", re.DOTALL)
_CITED = re.compile(r"\[(\d+(?:, \d+)*)\]")
_ESCAPED = re.compile(r"([%&#_])")
_QUOTED = re.compile(r'"([^"]+)"')
_WORK = re.compile(r"([^\W\d_]+).*?\((\d{4})\)")
_HEAD = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\usepackage{booktabs}
"""
_SECTIONS = {1: "section", 2: "subsection", 3: "subsubsection"}


def source(text: Text) -> str:
    """The LaTeX source of a text."""
    parts = list(text.parts())
    keys = _keys(parts)
    set_words = _setter(keys)
    lines = [
        _HEAD,
        f"\\title{{{set_words(text.title)}}}",
        "\\author{" + " \\and ".join(text.authors) + "}",
        f"\\date{{{text.year}}}",
        "",
        "\\begin{document}",
        "\\maketitle",
        "",
        *_body(parts, set_words),
        *_bibliography(parts, keys),
        "\\end{document}",
        "",
    ]
    return "\n".join(lines)


def _keys(parts: list[Part]) -> dict[str, str]:
    """The key of each reference by its number: surname and year."""
    keys: dict[str, str] = {}
    for part in parts:
        if part.kind == "reference":
            surname, year = _WORK.findall(part.text)[0]
            key = _unaccented(surname.lower()) + year
            while key in keys.values():
                key = key[:-1] + chr(ord(key[-1]) + 1) if key[-1].isalpha() else key + "b"
            keys[str(part.level)] = key
    return keys


def _unaccented(word: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", word) if one.isascii())


def _body(parts: list[Part], set_words: Callable[[str], str]) -> Iterator[str]:
    for part in parts:
        if part.kind == "heading" and part.text != "References":
            yield f"\\{_SECTIONS[part.level]}{{{set_words(part.text)}}}\n"
        elif part.kind == "paragraph":
            yield "\n".join(map(_lines, set_words(part.text).split("\n"))) + "\n"
        elif part.kind in ("bullets", "numbers"):
            name = "itemize" if part.kind == "bullets" else "enumerate"
            items = (f"  \\item {set_words(one)}" for one in part.items)
            yield "\n".join([f"\\begin{{{name}}}", *items, f"\\end{{{name}}}", ""])
        elif part.kind == "table":
            yield _table(part.rows, set_words)


def _lines(text: str) -> str:
    return textwrap.fill(text, 96, break_long_words=False, break_on_hyphens=False)


def _table(rows: tuple[tuple[str, ...], ...], set_words: Callable[[str], str]) -> str:
    lines = [" & ".join(map(set_words, row)) + " \\\\" for row in rows]
    return "\n".join([
        "\\begin{center}",
        f"\\begin{{tabular}}{{{'l' * len(rows[0])}}}",
        "\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule",
        "\\end{tabular}",
        "\\end{center}",
        "",
    ])  # fmt: skip


def _bibliography(parts: list[Part], keys: dict[str, str]) -> Iterator[str]:
    if keys:
        yield "\\begin{thebibliography}{99}"
        for part in parts:
            if part.kind == "reference":
                yield f"\\bibitem{{{keys[str(part.level)]}}} {_words(part.text)}"
        yield "\\end{thebibliography}\n"


def _setter(keys: dict[str, str]) -> Callable[[str], str]:
    """What sets a run of words: maths as it is, citations by key."""

    def cited(found: re.Match[str]) -> str:
        numbers = found[1].split(", ")
        if not all(one in keys for one in numbers):
            return found[0]
        return "\\cite{" + ",".join(keys[one] for one in numbers) + "}"

    def set_words(text: str) -> str:
        pieces = _MATHS.split(text)
        for at, piece in enumerate(pieces):
            if piece.startswith("$$"):
                inner = piece.strip("$").strip()
                pieces[at] = f"\\begin{{equation}}\n{inner}\n\\end{{equation}}"
            elif not piece.startswith("$"):
                pieces[at] = _CITED.sub(cited, _words(piece)).replace(" \\cite", "~\\cite")
        return "".join(pieces)

    return set_words


def _words(text: str) -> str:
    text = _ESCAPED.sub(r"\\\1", text)
    text = _QUOTED.sub(r"``\1''", text)
    return text.replace("–", "--").replace("−", "$-$")
