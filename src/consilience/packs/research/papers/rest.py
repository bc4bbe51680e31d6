"""How is reStructuredText read? By its headings and paragraphs; directives by what they say.

A directive that only steers Sphinx (a table of contents, a module to document) is left out with
its body; a note, a figure or a tab keeps its words, code stays code, and mathematics stands
between dollars. Items below a rubric "References" are entries of a list of references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from consilience.evidence.loaders.common import (
    Sections,
    is_ornament,
    one_line,
    plain,
    read_text,
    said,
    tidy,
    title_of,
)
from consilience.packs.research.papers.entries import NAMES as REFERENCES
from consilience.packs.research.papers.markup import spelt
from consilience.packs.research.papers.works import ENTRY
from consilience.types import Block, Document, Locator

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_DIRECTIVE = re.compile(
    r"(?P<indent>\s*)\.\. (?:\|[^|]+\|\s+)?(?P<name>[\w:.-]+?)::(?:\s+(?P<argument>.*))?"
)
_CITATION = re.compile(r"(?P<indent>\s*)\.\. \[(?P<label>#?[\w.:*-]*)\]\s+(?P<words>.*)")
_COMMENT = re.compile(r"(?P<indent>\s*)\.\.(?:\s+.*)?")
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s.*)?")
_SILENT_NAMES = """
toctree contents index image currentmodule module automodule autoclass autofunction autosummary
automethod autodata raw include literalinclude rst-class highlight bibliography footbibliography
inheritance-diagram graphviz nbgallery todolist plot meta default-role role testsetup
testcleanup ifconfig sectnum unicode replace date button-link button-ref tags program
py:currentmodule py:module grid-item-image
"""
_SILENT = frozenset(_SILENT_NAMES.split())
_CODE_NAMES = """
code code-block sourcecode prompt ipython jupyter-execute testcode parsed-literal highlight-
python doctest testoutput code-cell
"""
_CODE = frozenset(_CODE_NAMES.split())
_TITLED_NAMES = """
rubric topic admonition dropdown card grid-item-card tab-item centered sidebar note warning tip
important seealso hint caution danger versionadded versionchanged deprecated
"""
_TITLED = frozenset(_TITLED_NAMES.split())
_MARK = re.compile(r"\s*(?:[-*+•]|\(?(?:\d{1,3}|[a-z]|#)[.)])\s+")
_ROLE = re.compile(r":([a-z][a-z:+-]*):`([^`]+)`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]+>`__?|`([^`]+)`__?|(?<![\w`])([\w.-]+\w)_(?![\w`])")
_DEFAULT = re.compile(r"(?<![`:\w])`~?(?:\w+\.)*(\w+)`(?![`_\w])")
_LITERAL = re.compile(r"``(.+?)``")
_STRONG = re.compile(r"(?<![\w*\\])(\*{1,2})(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])")
_SUBSTITUTE = re.compile(r"(?<![\w|])\|([\w .-]+)\|_{0,2}(?![\w|])")
_FOOT = re.compile(r"\s*\[#?([\w.-]+)\]_")
_SHOWN = {"math": "${}$", "doi": "doi:{}", "arxiv": "arXiv:{}", "pr": "#{}", "issue": "#{}"}
_HIDDEN = frozenset(("octicon", "fas", "fab", "raw-html", "index"))


def load(path: Path) -> Document:
    """Read a file of a Sphinx site or any other reStructuredText."""
    text, notes = read_text(path)
    reader = _Reader()
    reader.read(plain(text).expandtabs(4).split("\n"))
    title, blocks = reader.done()
    return Document(
        title=title or title_of(path),
        kind="document",
        blocks=blocks,
        notes=(*notes, *said(path, blocks)),
    )


@dataclass(slots=True)
class _Reader:
    """Goes over the lines, and collects the paragraphs under their headings."""

    sections: Sections = field(default_factory=Sections)
    levels: dict[str, int] = field(default_factory=dict)
    found: list[tuple[tuple[str, ...], str, str | None]] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    listed: bool = False  # under a rubric of references

    def read(self, lines: list[str]) -> None:
        """Take lines that stand at one indent."""
        paragraph: list[str] = []
        at = 0
        while at < len(lines):
            line = lines[at]
            taken = self._heading(lines, at) if not line.startswith(" ") else 0
            directive, citation = _DIRECTIVE.fullmatch(line), _CITATION.fullmatch(line)
            if taken or not line.strip() or directive or citation or _COMMENT.fullmatch(line):
                self._add(paragraph)
                paragraph = []
            if taken:
                at += taken
            elif directive or citation or _COMMENT.fullmatch(line):
                end = _end(lines, at)
                if directive:
                    self._directive(directive, lines[at + 1 : end])
                elif citation:
                    words = " ".join([citation["words"], *lines[at + 1 : end]])
                    self._entry(citation["label"], one_line(words))
                at = end
            else:
                if line.strip():
                    paragraph.append(line)
                at += 1
        self._add(paragraph)

    def done(self) -> tuple[str, tuple[Block, ...]]:
        """The title, a lone heading of the first level, and the blocks."""
        tops = [words for level, words in self.headings if level == 1]
        title = tops[0] if len(tops) == 1 else ""
        blocks = tuple(
            Block(
                text=text,
                locator=Locator(section=path[1:] if title in path[:1] else path),
                kind=kind,
            )
            for path, text, kind in self.found
        )
        return title, blocks or tuple(Block(text=words) for _, words in self.headings)

    # --- parts --------------------------------------------------------------------------

    def _heading(self, lines: list[str], at: int) -> int:
        """Enter the heading at a line; how many lines it takes, 0 when there is none."""
        over = _RULE.fullmatch(lines[at])
        start = at + 1 if over else at
        if start + 1 >= len(lines):
            return 0
        words, rule = lines[start].strip(), _RULE.fullmatch(lines[start + 1])
        if not words or not rule or _RULE.fullmatch(lines[start]) or (over and over[1] != rule[1]):
            return 0
        if len(lines[start + 1].rstrip()) < min(len(words), 4):
            return 0
        mark = ("=" if over else "") + rule[1]
        level = self.levels.setdefault(mark, len(self.levels) + 1)
        self.listed = False
        self.headings.append((level, in_words(words)))
        self.sections.enter(level, in_words(words))
        return start + 2 - at

    def _directive(self, match: re.Match[str], body: list[str]) -> None:
        name, argument = match["name"].lower(), (match["argument"] or "").strip()
        if name in _SILENT or line_is_substitution(match[0]):
            return
        while body and _OPTION.fullmatch(body[0]):
            body = body[1:]
        inner = dedent("\n".join(body)).strip("\n")
        if name == "math":
            formula = "\n".join(part for part in (argument, inner) if part)
            self._emit(f"$$\n{_without_labels(formula)}\n$$" if formula else "")
        elif name in _CODE:
            self._emit("\n".join(line for line in inner.split("\n") if not _magic(line)))
        elif name == "rubric":
            self.listed = REFERENCES.fullmatch(argument) is not None
            self._emit("" if self.listed else in_words(argument))
        elif name in ("dropdown", "topic", "admonition") and REFERENCES.fullmatch(argument):
            before, self.listed = self.listed, True
            self.read(inner.split("\n"))
            self.listed = before
        else:
            said_too = argument if name in _TITLED else ""
            self.read([said_too, "", *inner.split("\n")] if said_too else inner.split("\n"))

    def _add(self, paragraph: list[str]) -> None:
        if not paragraph:
            return
        if self.listed and any(_MARK.match(line) for line in paragraph[:1]):
            self._items(paragraph)
            return
        literal = all(line.startswith("   ") for line in paragraph) or _is_table(paragraph)
        text = dedent("\n".join(paragraph))
        if literal or paragraph[0].lstrip().startswith(">>>"):
            self._emit("\n".join(_unruled(text)) if _is_table(paragraph) else text)
        else:
            self._emit(in_words("\n".join(_joined(text.split("\n")))))

    def _items(self, paragraph: list[str]) -> None:
        """The entries of a list of references."""
        for line in _joined(dedent("\n".join(paragraph)).split("\n")):
            self._entry("", _MARK.sub("", line, count=1))

    def _entry(self, label: str, words: str) -> None:
        self._emit(in_words(f"[{label}] {words}" if label.isdigit() else words), kind=ENTRY)

    def _emit(self, text: str, *, kind: str | None = None) -> None:
        if not is_ornament(text):
            self.found.append((self.sections.path, text, kind))


def line_is_substitution(line: str) -> bool:
    """Whether a line defines what `|name|` stands for."""
    return re.match(r"\s*\.\. \|", line) is not None


def _end(lines: list[str], at: int) -> int:
    """The line behind the body of a directive: the first that is not indented more than it."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    end = at + 1
    last = end
    while end < len(lines) and (
        not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
    ):
        end += 1
        last = end if lines[end - 1].strip() else last
    return last


def _magic(line: str) -> bool:
    """Lines that only a shell of IPython reads."""
    return re.match(r"\s*@\w+$|\s*%\w+", line) is not None


def _without_labels(formula: str) -> str:
    kept = (line for line in formula.split("\n") if line.strip() and not _OPTION.fullmatch(line))
    return "\n".join(line.rstrip() for line in kept)


def _is_table(lines: list[str]) -> bool:
    return (
        sum(bool(re.fullmatch(r"\s*(?:=+(?:\s+=+)+|\+[-=+]+\+)\s*", line)) for line in lines) >= 2
    )


def _unruled(text: str) -> Iterator[str]:
    """The rows of a table: its cells, parted by bars."""
    for line in text.split("\n"):
        if not re.fullmatch(r"\s*[=+\s-]+\s*", line):
            cells = re.split(r"\s{2,}|\s*\|\s*", line.strip().strip("|").strip())
            yield in_words(" | ".join(cell.strip() for cell in cells if cell.strip()))


def _joined(lines: list[str]) -> list[str]:
    """Wrapped lines as one; items of a list on lines of their own."""
    found: list[str] = []
    for line in lines:
        if not found or _MARK.match(line):
            found.append(re.sub(r"^(\s*)[*+•](?=\s)", r"\1-", line.rstrip()))
        else:
            found[-1] = f"{found[-1]} {line.strip()}"
    return found


# --- words ------------------------------------------------------------------------------


def in_words(text: str) -> str:
    """Text with roles, links and emphasis in words."""
    kept: list[str] = []

    def keep(words: str) -> str:
        kept.append(words)
        return f"\x01{len(kept) - 1}\x02"

    text = _LITERAL.sub(lambda match: keep(match[1]), text)
    text = _ROLE.sub(lambda match: keep(_said(match[1], match[2])), text)
    text = _DEFAULT.sub(r"\1", text)
    text = _FOOT.sub(lambda match: f" [{match[1]}]", text)
    text = _LINK.sub(lambda match: match[1] or match[2] or match[3], text)
    text = _STRONG.sub(r"\2", _SUBSTITUTE.sub(r"\1", text))
    text = text.replace("::\n", ":\n").replace("\\ ", "").replace("\\*", "*").replace("`", "")
    text = re.sub("\x01(\\d+)\x02", lambda match: kept[int(match[1])], text)
    return tidy(re.sub(r"::$", ":", text))


def _said(role: str, words: str) -> str:
    role = role.rsplit(":", 1)[-1] if role.startswith("py:") else role
    if role in _HIDDEN:
        return ""
    target = re.search(r"\s*<([^<>]*)>$", words)
    if target and role != "math":
        return words[: target.start()]
    if role in _SHOWN:
        return _SHOWN[role].format(words)
    if role.startswith(("ref", "cite", "footcite", "doc", "numref", "eq")):
        return ", ".join(spelt(one) for one in words.split(","))
    return words.rsplit(".", 1)[-1] if words.startswith("~") else words
