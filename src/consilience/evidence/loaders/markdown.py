"""How is Markdown read? By its own structure: headings are the path, blocks are the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from consilience.evidence.loaders import html
from consilience.evidence.loaders.common import (
    Sections,
    caption,
    is_ornament,
    one_line,
    plain,
    read_text,
    said,
    tidy,
)
from consilience.evidence.loaders.common import title_of as name_of
from consilience.evidence.loaders.table import table_lines, typed
from consilience.evidence.size_limits import HEADING, short
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

_FENCE = re.compile(r"---[^\S\n]*\n(.*?\n)??(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z][\w .-]*?)[^\S\n]*:(?:[^\S\n]+(.*))?")
_ITEM = re.compile(r"\s*-\s+(.*)")
_MATH = re.compile(r"(\${1,2})(?!\s*\$)(?:\\.|[^\\$])+?\1(?!\d)", re.DOTALL)
_ANCHOR = re.compile(r"\s*\{[#.:][^{}]*\}$")
_ROLE = re.compile(r":([a-z]+):$")
_SILENT_ROLES = {"label", "eqlabel", "width", "height"}  # they name things, they say nothing
_BREAK = re.compile(r"<\s*br\b", re.IGNORECASE)
_INLINE = """a abbr acronym audio b bdi bdo big br button canvas cite code data datalist del dfn em
embed font i img input ins kbd label map mark meter object output picture pre progress q rp rt ruby
s samp script select small span strike strong style sub sup svg template textarea time tt u var
video wbr"""
_ELEMENTS = "|".join(sorted({*block_names, *_INLINE.split()}, key=len, reverse=True))
_FLAGS = "allowfullscreen|async|autoplay|checked|controls|default|defer|disabled|hidden|loop|muted|"
_FLAGS += "multiple|nowrap|open|readonly|required|reversed|selected"
_ATTRIBUTE = rf"(?:[\w:@.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+)|(?:{_FLAGS})(?=[\s/>]))"
_TAG = re.compile(rf"</?(?:{_ELEMENTS})(?:\s+{_ATTRIBUTE})*\s*/?>", re.IGNORECASE)
_ANGLES = re.compile(r"<(?=/?[A-Za-z])([^<>]*)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Who reads tables better: those of Markdown by their rows, those of HTML by their nodes.

    Each gives the block that stands in the place of the table, or None to have it read as text.
    """

    rows: Callable[[list[list[str]]], Block | None]
    nodes: html.TableReader


def load(path: Path) -> Document:
    """Read a Markdown file; front matter becomes metadata, its title or a lone h1 the title."""
    return read(path)


def read(path: Path, *, tables: Tables | None = None) -> Document:
    """Read a Markdown file, with tables read by one who knows them better."""
    text, notes = read_text(path)
    metadata, body = front_matter(plain(text))
    lone, blocks = read_body(body, tables=tables)
    title = short(str(metadata.pop("title", ""))) or lone or name_of(path)
    return Document(
        title=title,
        kind="document",
        blocks=tuple(blocks),
        metadata=metadata,
        notes=(*notes, *said(path, blocks)),
    )


def read_body(body: str, *, tables: Tables | None = None) -> tuple[str, list[Block]]:
    """The only heading of the first level, if there is one, and the blocks under all the others."""
    tokens = _parser().parse(body)
    headings = _headings_of(tokens)
    lone = _lone(headings)
    return lone, _Reader(lone, tables).read(tokens) or _only_headings(headings)


def read_cells(cells: Sequence[str]) -> tuple[str, list[list[Block]]]:
    """The only heading of the first level in all cells, and the blocks of each cell; headings go on
    from one cell to the next.
    """
    parsed = [_parser().parse(cell) for cell in cells]
    lone = _lone([heading for tokens in parsed for heading in _headings_of(tokens)])
    reader, found = _Reader(lone), list[list[Block]]()
    for tokens in parsed:
        before = len(reader.read([]))
        found.append(reader.read(tokens)[before:])
    return lone, found


def _headings_of(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    return [
        (int(token.tag[1]), heading_text(tokens[at + 1]))
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def _lone(headings: Sequence[tuple[int, str]]) -> str:
    tops = [words for level, words in headings if level == 1]
    return tops[0] if len(tops) == 1 and len(tops[0]) <= HEADING else ""


def _only_headings(headings: list[tuple[int, str]]) -> list[Block]:
    """An outline without text is read by its headings."""
    return [Block(text=words) for _, words in headings if words]


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 50}).enable("table")
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    """Formulas between dollars are copied as they are: a backslash in them is no escape."""
    match = _MATH.match(state.src, state.pos) if state.src[state.pos] == "$" else None
    if match is None:
        return False
    if not silent:
        state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True


# --- front matter -----------------------------------------------------------------------


def front_matter(text: str) -> tuple[dict[str, Value], str]:
    """`key: value` lines between `---` at the top, and the rest of the text.

    Lists are read as `[a, b]` or as `- a` lines; anything deeper is left out. A first line
    that is no field makes it text between two rules.
    """
    match = _FENCE.match(text)
    lines = match[1].split("\n") if match and match[1] else [""]
    if not match or not _FIELD.fullmatch(lines[0]) or not all(map(_belongs, lines)):
        return {}, text
    fields: dict[str, Value] = {}
    name = ""
    for line in lines:
        field, item = _FIELD.fullmatch(line), _ITEM.fullmatch(line)
        if field:
            name = field[1].strip().lower()
            _store(fields, name, value=(field[2] or "").strip())
        elif item and name and isinstance(held := fields.get(name, ()), tuple):
            fields[name] = (*held, _unquoted(item[1]))
    return fields, text[match.end() :]


def _belongs(line: str) -> bool:
    """Between two rules may stand text; then every line of it is kept."""
    return not line or line[0] in " \t#-" or _FIELD.fullmatch(line) is not None


def _store(fields: dict[str, Value], name: str, *, value: str) -> None:
    if value.startswith("[") and value.endswith("]"):
        fields[name] = tuple(_unquoted(part) for part in value[1:-1].split(",") if part.strip())
    elif value and value not in ("|", ">"):
        words = _unquoted(value)
        fields[name] = words if name == "title" or words != value else typed(words)
    else:
        fields.pop(name, None)


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


# --- blocks -----------------------------------------------------------------------------


class _Reader:
    """Turns the tokens of a document into blocks."""

    def __init__(self, title: str, tables: Tables | None = None) -> None:
        self._title = title
        self._tables = tables
        self._sections = Sections()
        self._blocks: list[Block] = []

    def read(self, tokens: Sequence[Token]) -> list[Block]:
        at = 0
        while at < len(tokens):
            end = _end(tokens, at)
            self._one(tokens[at : end + 1])
            at = end + 1
        return self._blocks

    def _one(self, tokens: Sequence[Token]) -> None:
        kind = tokens[0].type
        if kind == "heading_open":
            words = heading_text(tokens[1])
            level = int(tokens[0].tag[1])
            if level > 1 or words != self._title:
                self._sections.enter(level, words)
            return
        if self._tables and kind == "table_open":
            self._place(self._tables.rows(_rows(tokens)), tokens)
        elif self._tables and kind == "html_block":
            for block in _html_blocks(tokens, self._tables.nodes):
                self._place(block, tokens)
        else:
            self._add(_TEXTS.get(kind, _lines)(tokens))

    def _place(self, block: Block | None, tokens: Sequence[Token]) -> None:
        """Put a block where it stands; without one, the text of the tokens."""
        if block is None:
            self._add(_TEXTS[tokens[0].type](tokens))
        elif block.metadata or not is_ornament(block.text):
            path = self._sections.path
            section = (*path, *block.locator.section)
            self._blocks.append(replace(block, locator=replace(block.locator, section=section)))

    def _add(self, text: str) -> None:
        if not is_ornament(text):
            place = Locator(section=self._sections.path)
            self._blocks.append(Block(text=text.strip("\n"), locator=place))


def _end(tokens: Sequence[Token], start: int) -> int:
    """Where the token that closes the one at `start` stands."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].nesting
        if depth <= 0:
            return at
    return len(tokens) - 1


def _code(tokens: Sequence[Token]) -> str:
    return plain(tokens[0].content).rstrip()


def _html_text(tokens: Sequence[Token]) -> str:
    return "\n".join(block.text for block in _html_blocks(tokens))


def _html_blocks(tokens: Sequence[Token], tables: html.TableReader | None = None) -> list[Block]:
    text = _ANGLES.sub(
        lambda match: match[0] if _TAG.fullmatch(match[0]) else f"&lt;{match[1]}&gt;",
        tokens[0].content,
    )
    return html.read_blocks(text, dropped=html.PAGE_FURNITURE, tables=tables)


def _table(tokens: Sequence[Token]) -> str:
    return "\n".join(table_lines(_rows(tokens)))


def _rows(tokens: Sequence[Token]) -> list[list[str]]:
    """The cells of a table, row by row; the first row is its header."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(one_line(inline_text(token)))
    return rows


def _lines(tokens: Sequence[Token]) -> str:
    """Paragraphs, quotes and lists: a line for each inline run, list items marked."""
    lines: list[str] = []
    counters: list[int | None] = []
    mark = ""
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            ordered = token.type == "ordered_list_open"
            counters.append(int(token.attrGet("start") or 1) if ordered else None)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            counters.pop()
        elif token.type == "list_item_open":
            mark = _mark(counters)
        elif words := _words(token):
            lines.append(mark + words)
            mark = ""
    return "\n".join(lines)


def _words(token: Token) -> str:
    if token.type == "inline":
        return tidy(inline_text(token))
    if token.type in ("fence", "code_block"):
        return _code([token])
    return _html_text([token]) if token.type == "html_block" else ""


def _mark(counters: list[int | None]) -> str:
    indent = "  " * (len(counters) - 1)
    number = counters[-1]
    if number is None:
        return f"{indent}- "
    counters[-1] = number + 1
    return f"{indent}{number}. "


_TEXTS = {"fence": _code, "code_block": _code, "html_block": _html_text, "table_open": _table}


def heading_text(token: Token) -> str:
    """The words of a heading, without an anchor such as `{#sec-lenses}` behind them."""
    return _ANCHOR.sub("", one_line(inline_text(token)))


def inline_text(token: Token) -> str:
    """The words of an inline run: no markup, links by their words, images by their captions."""
    parts: list[str] = []
    for child in token.children or ():
        if child.type == "code_inline":
            _add_code(parts, child.content)
        elif child.type in ("text", "text_special"):
            parts.append(child.content)
        elif child.type == "image":
            parts.append(caption(child.content))
        elif child.type == "hardbreak" or (
            child.type == "html_inline" and _BREAK.match(child.content)
        ):
            parts.append("\n")
        elif child.type == "html_inline" and _is_text(child.content):
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append(" ")
    return "".join(parts)


def _is_text(angles: str) -> bool:
    """Whether what stands between `<` and `>` is no markup: `List<String>`, `a <b and c> d`."""
    return bool(_ANGLES.fullmatch(angles)) and not _TAG.fullmatch(angles)


def _add_code(parts: list[str], content: str) -> None:
    """Code, or the words of a role such as :cite:`Name`, without the name of the role."""
    role = _ROLE.search(parts[-1]) if parts else None
    if role:
        parts[-1] = parts[-1][: role.start()]
    if not role or role[1] not in _SILENT_ROLES:
        parts.append(content)


LOADER = Format(endings=(".md", ".markdown"), version=2, load=load)
