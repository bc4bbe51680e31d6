"""How is a web page read? By its headings and paragraphs, without menus and scripts.

`read_blocks` walks the tree of a page once; books and HTML in Markdown use it too. Headings are the
section path. A paragraph, a list, a preformatted text, a quotation and a table are a block each;
items and rows stand on lines of their own. Text outside of these is a block too, so that nothing
that a reader sees is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from consilience.errors import LoadError
from consilience.evidence.loaders.common import (
    Sections,
    caption,
    decode,
    is_ornament,
    is_title,
    one_line,
    plain,
    read_bytes,
    said,
    tidy,
    title_of,
)
from consilience.evidence.loaders.table import table_lines
from consilience.evidence.size_limits import HEADING, short
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""")
_META = {
    **dict.fromkeys(("date", "dcterms.date", "article:published_time"), "date"),
    **dict.fromkeys(("author", "dc.creator"), "author"),
    "consilience-address": "address",
}
"""Fields by the names that pages give them; `consilience-address` is that of a fetched page."""
_HEAD = 4096


def load(path: Path) -> Document:
    """Read a page; its title is its only h1, else its `<title>`, else the name of the file."""
    return read(path)


def read(path: Path, *, tables: TableReader | None = None) -> Document:
    """Read a page, with tables read by one who knows them better."""
    text, notes = decode_page(read_bytes(path), path.name)
    return read_page(text, path, notes=notes, tables=tables)


def read_page(
    text: str, path: Path, *, notes: Sequence[str] = (), tables: TableReader | None = None
) -> Document:
    """Read the text of a page; `path` gives a title to one without."""
    tree = parse(text)
    tops = headings(tree, 1)
    lone = tops[0] if len(tops) == 1 and len(tops[0]) <= HEADING else ""
    blocks = read_blocks(text, dropped=PAGE_FURNITURE, title=lone, tables=tables)
    if not blocks:  # some pages put all they say in an `aside`
        blocks = read_blocks(text, title=lone, tables=tables)
    blocks = blocks or [Block(text=words) for words in tops]
    return Document(
        title=lone or _title(tree) or title_of(path),
        kind="document",
        blocks=tuple(blocks),
        metadata=_metadata(tree),
        notes=(*notes, *said(path, blocks)),
    )


def decode_page(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text of a page in the encoding that it declares."""
    match = _CHARSET.search(data[:_HEAD])
    declared = match[1].decode("ascii") if match else ""
    if declared.lower() in ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"):
        declared = "cp1252"  # what browsers do: pages say Latin-1 and mean Windows-1252
    return decode(data, name, declared=declared if _is_text(declared) else "")


def _is_text(encoding: str) -> bool:
    """Codecs such as `hex` exist too, and are not encodings of text; nor is UTF-16 unmarked."""
    try:
        return bool("<p>".encode(encoding).decode("ascii") == "<p>")
    except (LookupError, UnicodeError, ValueError):
        return False


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return short(one_line(node.text())) if node else ""


def _metadata(tree: LexborHTMLParser) -> dict[str, Value]:
    found: dict[str, Value] = {}
    root = tree.css_first("html")
    language = one_line(root.attributes.get("lang") or "") if root else ""
    if language:
        found["language"] = language
    fetched = ""
    for node in tree.css("meta"):
        named = (node.attributes.get("name") or node.attributes.get("property") or "").lower()
        words = one_line(node.attributes.get("content") or "")
        if named == "consilience-date":
            fetched = words
        elif words and named in _META:
            found.setdefault(_META[named], words)
    if fetched:
        found.setdefault("date", fetched)
    return found


LOADER = Format(endings=(".html", ".htm", ".xhtml"), version=1, load=load)


_INVISIBLE = (
    "head script style template noscript svg iframe object select button textarea "
    "input canvas audio video map ix:header"
)
INVISIBLE = frozenset(_INVISIBLE.split())
PAGE_FURNITURE = INVISIBLE | frozenset(("nav", "footer", "aside", "form", "dialog"))
_FURNITURE_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search"}
_PAGE_MARKS = {"pagenum", "pageno", "page-number", "pagebreak", "doc-pagebreak"}
_INDENTED = 20  # levels of lists that are shown by spaces; deeper ones stand below the last
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = (
    "address article aside blockquote body caption center dd details div dl dt fieldset "
    "figcaption figure footer form header hgroup hr html legend main nav p section summary"
)
_BREAKS = frozenset(_BLOCKS.split())
_LAYOUT = "td table, td h1, td h2, td h3, td h4, th table"
_VOID = "area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr"
_CLOSED_BY_OTHERS = "p|li|td|th|tr|tbody|thead|tfoot|dt|dd|option|optgroup|colgroup|body|html|head"
_TAG = re.compile(rf"<(/?)(?!(?:{_VOID}|{_CLOSED_BY_OTHERS})\b)[A-Za-z][^<>]*?(/?)>", re.IGNORECASE)
_DEEPEST = 5000  # parsing costs the square of the depth
TableReader = Callable[[LexborNode], Block | Sequence[Block] | None]
"""Reads a table of data, whole or row by row; None leaves it to be read as text."""
_SELF_CLOSED = re.compile(rf"<(?!(?:{_VOID})\b)([A-Za-z][\w:-]*)(\s[^<>]*?)?/>", re.IGNORECASE)


def parse(text: str) -> LexborHTMLParser:
    """The tree of a page. XHTML may close any element in its own tag; HTML does not know that
    and would take all that follows `<title/>` for the title.
    """
    if "http://www.w3.org/1999/xhtml" in text[:2000] or text.lstrip()[:5] == "<?xml":
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    if _depth(text) > _DEEPEST:
        raise LoadError(f"the HTML is nested more than {_DEEPEST} deep; it is broken or hostile")
    try:
        return LexborHTMLParser(text)
    except (SelectolaxError, ValueError, RuntimeError, MemoryError) as error:
        raise LoadError(f"the HTML cannot be parsed: {error}; save the page again") from error


def _depth(text: str) -> int:
    depth = deepest = 0
    for tag in _TAG.finditer(text):
        depth = max(0, depth + (-1 if tag[1] else not tag[2]))
        deepest = max(deepest, depth)
    return deepest


def read_blocks(
    text: str,
    *,
    dropped: frozenset[str] = INVISIBLE,
    base: tuple[str, ...] = (),
    marks: Mapping[str, tuple[str, ...]] | None = None,
    title: str = "",
    tables: TableReader | None = None,
) -> list[Block]:
    """The blocks of a page, under the headings `base`.

    `marks` are section paths by element id, for a table of contents that points into a page.
    A top heading equal to `title` is not repeated in section paths. What `tables` makes of a
    table stands in its place.
    """
    tree = parse(text)
    root = tree.body or tree.root
    if root is None:
        return []
    walk = _Walk(base, marks or {}, title=title, tables=tables)
    for node, entering in _events(root, dropped):
        walk.step(node, entering=entering)
    walk.flush()
    return walk.blocks


def headings(tree: LexborHTMLParser, level: int) -> list[str]:
    """The words of all headings of one level."""
    return [words for node in tree.css(f"h{level}") if (words := one_line(node.text()))]


def _events(root: LexborNode, dropped: frozenset[str]) -> Iterator[tuple[LexborNode, bool]]:
    """Every visible node on the way in, and again on the way out; without recursion."""
    node = root
    while True:
        yield node, True
        child = node.first_child
        if child is not None and not _hidden(node, dropped):
            node = child
            continue
        yield node, False
        while node.next is None or node.mem_id == root.mem_id:
            if node.mem_id == root.mem_id or node.parent is None:
                return
            node = node.parent
            yield node, False
        node = node.next


def _hidden(node: LexborNode, dropped: frozenset[str]) -> bool:
    if node.tag in dropped:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    if "nav" in dropped and attributes.get("role") in _FURNITURE_ROLES:
        return True
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    kinds = f"{attributes.get('class')} {attributes.get('epub:type')} {attributes.get('role')}"
    return not _PAGE_MARKS.isdisjoint(kinds.split())


class _Walk:
    """Collects text between the tags that break it."""

    def __init__(
        self,
        base: tuple[str, ...],
        marks: Mapping[str, tuple[str, ...]],
        *,
        title: str,
        tables: TableReader | None = None,
    ) -> None:
        self.blocks: list[Block] = []
        self._sections = Sections()
        self._sections.base(base)
        self._marks = marks
        self._title = title
        self._buffer: list[str] = []
        self._lines: list[str] = []
        self._lists: list[int | None] = []
        self._mark = ""
        self._rows: list[list[str]] = []
        self._named = False
        self._tables = 0
        self._pre = 0
        self._reader = tables
        self._passed: int | None = None  # the table that was read, until the walk leaves it

    def step(self, node: LexborNode, *, entering: bool) -> None:
        """Take one node, on the way in or out."""
        if self._passed is not None:
            if not entering and node.mem_id == self._passed:
                self._passed = None
            return
        tag = node.tag or ""
        if tag == "-text":
            if entering:
                self._buffer.append(_content(node, pre=bool(self._pre)))
            return
        if entering and self._marks:
            self._enter_mark(node)
        act = _ACTS.get(tag)
        if act:
            act(self, node, entering)
        elif tag in _BREAKS:
            self._line_break()

    def flush(self) -> None:
        """End the block that was being read."""
        self._end_line()
        if self._lines and not self._lists:
            self._emit("\n".join(self._lines))
            self._lines = []

    def _emit(self, text: str) -> None:
        if not is_ornament(text):
            place = Locator(section=self._sections.path)
            self.blocks.append(Block(text=text, locator=place))

    def _end_line(self) -> None:
        text = "".join(self._buffer)
        self._buffer.clear()
        words = dedent(plain(text)).strip("\n").rstrip() if self._pre else tidy(_folded(text))
        if words.strip():
            self._lines.append(self._mark + words)
            self._mark = ""

    def _line_break(self) -> None:
        """A block element begins or ends; in a cell it is a space, in a list a new line."""
        if self._tables:
            self._buffer.append(" ")
        elif self._lists:
            self._end_line()
        else:
            self.flush()

    def _enter_mark(self, node: LexborNode) -> None:
        name = node.attributes.get("id") or (
            node.attributes.get("name") if node.tag == "a" else None
        )
        path = self._marks.get(name or "")
        if path is not None and path[-1:] != self._sections.path[-1:]:
            self._lists.clear()
            self.flush()
            self._sections.base(path)

    # --- what each tag does -------------------------------------------------------------

    def _heading(self, node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        if entering or self._tables:
            self._line_break()
            return
        words = one_line("".join(self._buffer))
        self._buffer.clear()
        level = _HEADINGS[node.tag or "h6"]
        self._lists.clear()
        self.flush()
        if level > 2 or not is_title(words, self._title):
            self._sections.enter(level, words)

    def _list(self, node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        if self._tables:
            return
        if not entering:
            self._end_line()
            if self._lists:
                self._lists.pop()
            self._line_break()
            return
        if not self._lists:
            self.flush()
        self._end_line()
        self._lists.append(1 if node.tag == "ol" else None)

    def _item(self, _node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        self._line_break()
        if not entering or not self._lists or self._tables:
            return
        number = self._lists[-1]
        indent = "  " * min(len(self._lists) - 1, _INDENTED)
        self._mark = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _table(self, node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        """A table of data is a block with a line for each row; one for layout is but a frame."""
        if entering and not self._tables and node.css_first(_LAYOUT) is None:
            self._line_break()
            if self._read_table(node):
                return
            self._tables = 1
            self._rows = []
            self._named = False
        elif not entering and self._tables:
            self._end_cell()
            self._tables = 0
            rows = [row for row in self._rows if any(row)]
            self._lines.extend(table_lines(rows, header=self._named))
            self._line_break()
        elif not self._tables:
            self._line_break()

    def _read_table(self, node: LexborNode) -> bool:
        """Whether the reader of tables took this one; its blocks are put in their place."""
        found = self._reader(node) if self._reader and not self._lists else None
        if not found:
            return False
        for block in [found] if isinstance(found, Block) else found:
            place = replace(block.locator, section=self._sections.path)
            self.blocks.append(replace(block, locator=place))
        self._passed = node.mem_id
        return True

    def _row(self, _node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        if not self._tables:
            self._line_break()
        elif entering:
            self._rows.append([])

    def _cell(self, node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        if not self._tables:
            self._line_break()
        elif not entering:
            if len(self._rows) == 1:  # names only if every cell of the first row is one
                self._named = node.tag == "th" and (self._named or not self._rows[0])
            self._end_cell()

    def _end_cell(self) -> None:
        words = one_line("".join(self._buffer))
        self._buffer.clear()
        if self._rows:
            self._rows[-1].append(words)
        elif words:  # a caption stands above the rows
            self._lines.append(words)

    def _pre_text(self, _node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        self._line_break() if entering else None
        self._pre += 1 if entering else 0
        if not entering:
            self._line_break()
            self._pre = max(0, self._pre - 1)

    def _break(self, _node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        if entering:
            self._buffer.append(" " if self._tables else "\v")

    def _image(self, node: LexborNode, entering: bool) -> None:  # noqa: FBT001
        if entering:
            self._buffer.append(caption(node.attributes.get("alt") or ""))


_Act = Callable[[_Walk, LexborNode, bool], None]
_ACTS: Mapping[str, _Act] = {
    **dict.fromkeys(_HEADINGS, _Walk._heading),
    **dict.fromkeys(("ul", "ol"), _Walk._list),
    **dict.fromkeys(("td", "th"), _Walk._cell),
    "li": _Walk._item,
    "table": _Walk._table,
    "tr": _Walk._row,
    "pre": _Walk._pre_text,
    "br": _Walk._break,
    "img": _Walk._image,
}


def _content(node: LexborNode, *, pre: bool) -> str:
    text: str = node.text_content or ""
    return text if pre else text.replace("\v", " ")


def _folded(text: str) -> str:
    """White space as a browser shows it: line breaks of the source are spaces, `<br>` is one."""
    return "\n".join(" ".join(line.split()) for line in text.split("\v"))
