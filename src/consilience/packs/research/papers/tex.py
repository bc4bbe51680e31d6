r"""How is a LaTeX source read? By its own structure; formulas stay as they are written.

Headings are the path, `\title`, `\author` and `\date` what the paper says of itself, and the
entries of `thebibliography` (of the file or of its `.bbl`) are references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

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
from consilience.evidence.size_limits import short
from consilience.packs.research.papers import latex
from consilience.packs.research.papers.markup import spelt
from consilience.packs.research.papers.people import people
from consilience.packs.research.papers.works import ENTRY
from consilience.types import Block, Document, Locator, Value

_YEAR = re.compile(r"(1[6-9]\d\d|20[0-4]\d)")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_IDENTIFIER = re.compile(
    r"\s*(?:[\d.,-]+\s*(?:cm|mm|pt|em|ex|in)?|[\w-]*[_:/][\w:./-]*|[a-z]+[A-Z]\w*)\s*"
)
_HEADLINE = re.compile(r"(?m)^[^%\n]*\\(?:chapter|part|section)?title\*?\{([^{}\\]+)\}")
_LONGEST_NAME = 80
_BIBITEM = re.compile(r"\\bibitem\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")
_LABEL = re.compile(r"\\(?:label|nonumber|notag)\b(?:\{[^{}]*\})?")
_SPECIALS = {
    "~": " ",
    "``": "“",
    "''": "”",
    "--": "–",
    "---": "—",
    "\n\n": "\n\n",
    "?`": "¿",
    "!`": "¡",
}
_THANKS = re.compile(
    r"\\(?:thanks|footnote|inst|affil|email|orcid|footnotemark)\b\s*(?:\[[^\]]*\])?"
    r"\{(?:[^{}]|\{[^{}]*\})*\}"
)
_SAID_BY_LABEL = frozenset(["ref", "eqref", "autoref", "cref", "Cref", "subref", "nameref", "vref"])


def load(path: Path) -> Document:
    """Read a LaTeX file, whole or a chapter of a book."""
    text, notes = read_text(path)
    beside = path.with_suffix(".bbl")
    listed = read_text(beside)[0] if "\\bibliography" in text and beside.is_file() else ""
    reader = _Reader(_BIBITEM.findall(text + listed))
    reader.walk(_body(latex.parse(plain(text), path.name), reader))
    reader.flush()
    if listed:
        reader.walk(latex.parse(plain(listed), beside.name))
        reader.flush()
    tops = [words for level, words in reader.headings if level == 1]
    title = reader.title or (tops[0] if len(tops) == 1 else _headline(text))
    return Document(
        title=short(title) or title_of(path),
        kind="document",
        blocks=tuple(reader.blocks),
        metadata=reader.metadata,
        notes=(*notes, *said(path, reader.blocks)),
    )


def _headline(text: str) -> str:
    """The title of a chapter that a book gives by a command of its own."""
    match = _HEADLINE.search(text)
    return one_line(match[1]) if match else ""


def _body(nodes: Sequence[Any], reader: _Reader) -> Sequence[Any]:
    """The nodes of the document; of what stands before it only title, authors and date."""
    for at, node in enumerate(nodes):
        if getattr(node, "environmentname", "") == "document":
            for one in nodes[:at]:
                reader.front(one)
            return list(node.nodelist or ())
    return nodes


class _Reader:
    """Walks over nodes, and collects paragraphs under their headings."""

    def __init__(self, works: Sequence[str] = ()) -> None:
        self._works = [key.strip() for key in works]
        self.title = ""
        self.metadata: dict[str, Value] = {}
        self.headings: list[tuple[int, str]] = []
        self.blocks: list[Block] = []
        self._sections = Sections()
        self._buffer: list[str] = []
        self._lists: list[int | None] = []
        self._kind: str | None = None
        self._unknown = False  # the node before was a command that nobody knows

    # --- paragraphs ---------------------------------------------------------------------

    def flush(self) -> None:
        """End the paragraph that is being read."""
        text = "".join(self._buffer)
        self._buffer.clear()
        for part in _PARAGRAPH.split(text):
            words = _tidied(part)
            if not is_ornament(words) and re.search(r"\w", words):
                place = Locator(section=self._sections.path)
                self.blocks.append(Block(text=words, locator=place, kind=self._kind))

    def words(self, nodes: Sequence[Any]) -> str:
        """The text of nodes on one line: a heading, a caption, a cell."""
        inner = _Reader(self._works)
        inner.walk(nodes)
        inner.flush()
        return one_line(" ".join(block.text for block in inner.blocks))

    # --- nodes --------------------------------------------------------------------------

    def walk(self, nodes: Sequence[Any]) -> None:
        """Take nodes one after the other."""
        for node in nodes:
            if node is None:
                continue
            kind = type(node).__name__
            _ACTS.get(kind, _Reader._other)(self, node)
            self._unknown = (kind == "LatexMacroNode" and self._is_unknown(node)) or (
                self._unknown and kind == "LatexGroupNode"
            )

    def _other(self, node: Any) -> None:
        self._buffer.append(str(node.latex_verbatim()))

    def _comment(self, node: Any) -> None:
        self._buffer.append(node.comment_post_space if "\n\n" in node.comment_post_space else "")

    def _chars(self, node: Any) -> None:
        shown = bool(self._buffer) and self._buffer[-1].endswith("$$\n")
        again = shown and re.match(r"\n(?![^\S\n]*\n)", node.chars)  # a formula ends no paragraph
        self._buffer.append(node.chars[1:] if again else node.chars)

    def _special(self, node: Any) -> None:
        self._buffer.append(_SPECIALS.get(node.specials_chars, node.specials_chars))

    def _group(self, node: Any) -> None:
        inner = node.latex_verbatim()[1:-1]
        if self._unknown and _is_name(inner):
            return
        last = next((part for part in reversed(self._buffer) if part), "")
        if self._unknown and last[-1:].isalnum():
            self._buffer.append(" ")
        self.walk(node.nodelist or ())

    def _math(self, node: Any) -> None:
        inner = _LABEL.sub("", "".join(one.latex_verbatim() for one in node.nodelist)).strip()
        if node.displaytype == "display":
            self._buffer.append(f"\n$${inner}$$\n")
        else:
            self._buffer.append(f"${inner}$")

    def _command(self, node: Any) -> None:
        name = node.macroname
        if name in latex.LEVELS:
            self._heading(latex.LEVELS[name], node)
        elif name in latex.DROPPED:
            return
        elif name in ("title", "author", "date"):
            self.front(node)
        elif name in ("\\", "newline", "par", "bigskip", "medskip"):
            self._buffer.append("\n\n" if name == "par" else "\n")
        elif name == "item":
            self._item(node)
        elif name == "bibitem":
            self.flush()
            self._kind = ENTRY
        elif name == "caption":
            self._buffer.append(f"\n\n{self.words(_arguments(node))}\n\n")
        elif "cite" in name.lower() or name in _SAID_BY_LABEL:
            self._cited(node)
        elif name in ("footnote", "footnotetext"):
            self._buffer.append(f" ({self.words(_arguments(node))})")
        else:
            self._macro(node)

    def _macro(self, node: Any) -> None:
        """Any other command: the sign that it stands for, or what stands in its braces."""
        arguments = _arguments(node)
        if arguments and node.macroname not in "'`^\"~=.uvHtcdbkr":
            self.walk(arguments[-1:] if node.macroname in ("href", "textcolor") else arguments)
        else:
            self._buffer.append(latex.symbol(node))
        self._buffer.append(node.macro_post_space)

    def _is_unknown(self, node: Any) -> bool:
        return not _arguments(node) and not latex.symbol(node)

    def _block(self, node: Any) -> None:
        name = node.environmentname.rstrip("*")
        if name in latex.FORMULAS:
            self._buffer.append(f"\n$${_formula(node)}$$\n")
        elif name in latex.SKIPPED:
            return
        elif name in latex.VERBATIM:
            self.flush()
            inner = re.sub(
                r"^\\begin\{[^}]*\}(?:\[[^\]]*\]|\{[^}]*\})*|\\end\{[^}]*\}$",
                "",
                node.latex_verbatim(),
            )
            self._emit_raw(inner)
        elif name in latex.TABLES:
            self._table(node)
        elif name == "thebibliography":
            self._references(node)
        elif name == "abstract":
            self._under("Abstract", node)
        else:
            self._environment(name, node)

    def _environment(self, name: str, node: Any) -> None:
        """Any other environment: a list where it has items, else its text by itself."""
        self._buffer.append("\n\n" if not self._lists else "\n")
        if name in latex.STATEMENTS:
            self._buffer.append(f"{latex.STATEMENTS[name]}. ")
        inner = [one for one in node.nodelist or () if one is not None]
        listed = any(getattr(one, "macroname", "") == "item" for one in inner)
        if listed:
            self._lists.append(0 if name in latex.NUMBERED else None)
        first = inner[0] if inner else node
        if type(first).__name__ == "LatexGroupNode" and _is_name(first.latex_verbatim()[1:-1]):
            inner = inner[1:]
        self.walk(inner)
        if listed:
            self._lists.pop()
        self._buffer.append("\n\n" if not self._lists else "\n")

    # --- parts --------------------------------------------------------------------------

    def front(self, node: Any) -> None:
        """What a paper says of itself."""
        name = getattr(node, "macroname", "")
        if name == "title":
            self.title = self.words(_arguments(node))
        elif name == "author":
            told = tuple(self._authors(_arguments(node)))
            known = self.metadata.get("authors", ())
            self.metadata["authors"] = (*(known if isinstance(known, tuple) else ()), *told)
        elif name == "date" and (year := _YEAR.search(self.words(_arguments(node)))):
            self.metadata["year"] = int(year[1])

    def _authors(self, nodes: Sequence[Any]) -> Iterator[str]:
        r"""The names in `\author`, parted by `\and`; below a line break is where they work."""
        raw = "".join(node.latex_verbatim() for node in nodes).strip("{}")
        for part in re.split(r"\\and\b|\\And\b|\\AND\b", raw):
            line = re.split(r"\\\\|\\newline", _THANKS.sub("", part).strip())[0]
            yield from people(self.words(latex.parse(line, "author")))

    def _heading(self, level: int, node: Any) -> None:
        self.flush()
        words = self.words(_arguments(node))
        if words:
            self._kind = None
            self.headings.append((level, words))
            self._sections.enter(level, words)

    def _item(self, node: Any) -> None:
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        label = self.words(_arguments(node))
        mark = f"{number + 1}. " if number is not None else "- "
        indent = "  " * (len(self._lists) - 1)
        self._buffer.append(f"\n{indent}{mark}{label + ': ' if label else ''}")

    def _cited(self, node: Any) -> None:
        """A citation as print has it, `[3]`, where the list is here; else its key in words."""
        found = re.findall(r"\{([^{}]*)\}", node.latex_verbatim())
        keys = [key.strip() for one in found[-1:] for key in one.split(",")]
        known = [self._works.index(key) + 1 for key in keys if key in self._works]
        if known and len(known) == len(keys):
            self._buffer.append(f"[{', '.join(map(str, known))}]")
        else:
            self._buffer.append(", ".join(spelt(key) for key in keys))

    def _under(self, heading: str, node: Any) -> None:
        self.flush()
        before = self._sections
        self._sections = Sections()
        self._sections.enter(1, heading)
        self.walk(node.nodelist or ())
        self.flush()
        self._sections = before

    def _references(self, node: Any) -> None:
        self._under("References", node)
        self._kind = None

    def _emit_raw(self, text: str) -> None:
        if text.strip():
            place = Locator(section=self._sections.path)
            self.blocks.append(Block(text=text.strip("\n"), locator=place))

    def _table(self, node: Any) -> None:
        """The rows of a table on lines of their own, its cells parted by bars."""
        rows: list[list[list[Any]]] = [[[]]]
        for one in node.nodelist or ():
            name = getattr(one, "macroname", "")
            if name == "\\":
                rows.append([[]])
            elif getattr(one, "specials_chars", "") == "&":
                rows[-1].append([])
            elif name not in ("hline", "cline", "toprule", "midrule", "bottomrule"):
                rows[-1][-1].append(one)
        lines = [" | ".join(filter(None, (self.words(cell) for cell in row))) for row in rows]
        self._buffer.append("\n\n" + "\n".join(line for line in lines if line) + "\n\n")


_ACTS: Mapping[str, Callable[[_Reader, Any], None]] = {
    "LatexCommentNode": _Reader._comment,
    "LatexCharsNode": _Reader._chars,
    "LatexSpecialsNode": _Reader._special,
    "LatexGroupNode": _Reader._group,
    "LatexMathNode": _Reader._math,
    "LatexMacroNode": _Reader._command,
    "LatexEnvironmentNode": _Reader._block,
}


def _arguments(node: Any) -> list[Any]:
    """What was given to a command, without stars."""
    given = node.nodeargd.argnlist if getattr(node, "nodeargd", None) else None
    return [one for one in given or () if one is not None and one.latex_verbatim() != "*"]


def _is_name(text: str) -> bool:
    """Whether what stands in braces is a name, a number or a length rather than words."""
    return len(text) < _LONGEST_NAME and _IDENTIFIER.fullmatch(text) is not None


def _formula(node: Any) -> str:
    """A displayed formula as it is written, without labels."""
    whole = _LABEL.sub("", node.latex_verbatim())
    if node.environmentname.rstrip("*") in ("equation", "displaymath", "math"):
        whole = re.sub(r"^\\begin\{[^}]*\}|\\end\{[^}]*\}$", "", whole)
    return "\n".join(line.strip() for line in whole.split("\n") if line.strip())


def _tidied(text: str) -> str:
    """A paragraph of the source: wrapped lines as one, formulas and items on lines of their own."""
    lines: list[str] = []
    for line in tidy(text).split("\n"):
        apart = re.match(r"\$\$|- |\d+\. |.* \| ", line) or (lines and lines[-1].endswith("$$"))
        inside = lines and lines[-1].count("$$") % 2 == 1
        if lines and inside:
            lines[-1] = f"{lines[-1]}\n{line}"
        elif lines and lines[-1] and line and not apart and " | " not in lines[-1]:
            lines[-1] = f"{lines[-1]} {line}"
        else:
            lines.append(line)
    return "\n".join(line for line in lines if line.strip())
