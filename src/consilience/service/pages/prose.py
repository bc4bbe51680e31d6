"""How is an answer read on a page? Its Markdown as HTML, marks that lead to what they cite.

No HTML of others gets through, links only lead to the web, to a mailbox or to this server, and
pictures from elsewhere are not loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from consilience.service.pages.words import kind_class

_MARK = re.compile(r"\[(\d{1,4})\](?![\(\[])")
_DIAGRAM = re.compile(r"\[DIAGRAM (\d{1,4})\](?: ?\[\d{1,4}\])*")
_ALONE = re.compile(rf"(?m)^{_DIAGRAM.pattern}[ \t]*$")
_SAFE = re.compile(r"(?:https?://|mailto:|/(?![/\\])|#)", re.IGNORECASE)
_LOWEST = 6  # of the headings that HTML has


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of an answer: text as HTML, or a figure that stands between."""

    html: str = ""
    figure: Mapping[str, Any] | None = None


def pieces(
    text: str, citations: Sequence[Mapping[str, Any]], figures: Sequence[Mapping[str, Any]]
) -> list[Piece]:
    """An answer in its order: text whose marks are links, and figures where they stand."""
    drawn = {one["number"]: one for one in figures}
    cited = {one["mark"]: one for one in citations}
    return [
        Piece(figure=drawn[part]) if isinstance(part, int) else Piece(html=_html(part, cited))
        for part in _parted(text, drawn)
    ]


def sentence(text: str, citations: Sequence[Mapping[str, Any]]) -> Markup:
    """A text that goes on in a paragraph, as HTML without a paragraph of its own."""
    cited = {one["mark"]: one for one in citations}
    return Markup(_markdown().renderInline(text, {"cited": cited}))  # noqa: S704 - HTML is off


def _parted(text: str, drawn: Mapping[int, object]) -> Iterator[str | int]:
    """Text, the numbers of figures that stand alone on a line, text."""
    last = 0
    for match in _ALONE.finditer(text):
        if int(match[1]) not in drawn:
            continue
        if text[last : match.start()].strip():
            yield text[last : match.start()]
        yield int(match[1])
        last = match.end()
    if text[last:].strip():
        yield text[last:]


def _html(text: str, cited: Mapping[int, Mapping[str, Any]]) -> Markup:
    return Markup(_markdown().render(text, {"cited": cited}))  # noqa: S704 - HTML is off


@cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    made.validateLink = _is_safe  # type: ignore[method-assign,assignment]
    made.inline.ruler.before("link", "citation", _citation)
    made.add_render_rule("citation", _cite)
    made.add_render_rule("link_open", _link)
    made.add_render_rule("table_open", _table_begins)
    made.add_render_rule("table_close", _table_ends)
    for rule in ("heading_open", "heading_close"):
        made.add_render_rule(rule, _heading)
    return made


def _is_safe(address: str) -> bool:
    return _SAFE.match(address) is not None


def _citation(state: StateInline, silent: bool) -> bool:
    """A mark such as `[3]` that leads somewhere; every other bracket is left to others."""
    match = _MARK.match(state.src, state.pos)
    if match is None or int(match[1]) not in state.env.get("cited", {}):
        return False
    if not silent:
        token = state.push("citation", "a", 0)
        token.meta = {"mark": int(match[1])}
    state.pos = match.end()
    return True


def _cite(
    _self: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, env: EnvType
) -> str:
    mark = tokens[at].meta["mark"]
    cited = env["cited"][mark]
    return Markup(
        '<a class="cite {}" href="#source-{}" data-cite="{}" data-passage="{}" '
        'aria-label="Source {}: {}">{}</a>'
    ).format(kind_class(cited["kind"]), mark, mark, cited["passage"], mark, cited["label"], mark)


def _link(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, at, options, env)


def _heading(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    """Headings of an answer stand below those of the page."""
    level = max(int(tokens[at].tag[1:]), 2) + 1
    tokens[at].tag = f"h{min(level, _LOWEST)}"
    return renderer.renderToken(tokens, at, options, env)


def _table_begins(*_: object) -> str:
    return '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n'


def _table_ends(*_: object) -> str:
    return "</table></div>\n"
