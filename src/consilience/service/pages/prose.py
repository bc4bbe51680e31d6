"""How is a written answer rendered? Markdown as HTML, with citations that link to their sources.

HTML in the text is escaped, links lead only to the web, to a mailbox or to this server, and no
picture is loaded.
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

from consilience.service.pages.cards import KindViews
from consilience.service.pages.mathematics import FORMULA, render_formula

Citations = Sequence[Mapping[str, Any]]
_MARK = re.compile(r"\[(\d{1,4})\](?![\(\[])")
_FIGURE_LINE = re.compile(r"(?m)^\[DIAGRAM (\d{1,4})\](?: ?\[\d{1,4}\])*[ \t]*$")
_SAFE_LINK = re.compile(r"(?:https?://|mailto:|/(?![/\\])|#)", re.IGNORECASE)
_LOWEST = 6  # the lowest level of headings in HTML


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of an answer: text as HTML, or a figure between two texts."""

    html: str = ""
    figure: Mapping[str, Any] | None = None


def split_answer(
    text: str, citations: Citations, figures: Sequence[Mapping[str, Any]], *, kinds: KindViews
) -> list[Piece]:
    """An answer in order: text with linked citations, and figures where the text has them."""
    drawn = {figure["number"]: figure for figure in figures}
    env = _env(citations, kinds)
    return [
        Piece(figure=drawn[part])
        if isinstance(part, int)
        else Piece(html=Markup(_markdown().render(part, env)))  # noqa: S704 - HTML is off
        for part in _split(text, drawn)
    ]


def render_sentence(text: str, citations: Citations, *, kinds: KindViews) -> Markup:
    """A text that continues a paragraph, as HTML without a paragraph of its own."""
    return Markup(_markdown().renderInline(text, _env(citations, kinds)))  # noqa: S704 - HTML is off


def number_marks(found: Mapping[str, Any], numbers: dict[int, int]) -> dict[str, Any]:
    """An answer, or a part of it, whose marks are numbered in the order in which they appear.

    `numbers` has the numbers of the parts before, and gets those of this one.
    """
    cited = {citation["mark"] for citation in found.get("citations", ())}
    marks = [int(mark) for mark in _MARK.findall(found["text"])]
    for mark in (*marks, *sorted(cited)):
        if mark in cited:
            numbers.setdefault(mark, len(numbers) + 1)

    def renumber(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [{**item, "mark": numbers.get(item["mark"], item["mark"])} for item in items]

    def replaced(match: re.Match[str]) -> str:
        mark = int(match[1])
        return f"[{numbers[mark]}]" if mark in cited else match[0]

    return {
        **found,
        "text": _MARK.sub(replaced, found["text"]),
        "citations": renumber(found.get("citations", ())),
        "figures": renumber(found.get("figures", ())),
    }


def _env(citations: Citations, kinds: KindViews) -> dict[str, Any]:
    return {"cited": {citation["mark"]: citation for citation in citations}, "kinds": kinds}


def _split(text: str, drawn: Mapping[int, object]) -> Iterator[str | int]:
    """Texts, and between them the numbers of figures that have a line for themselves."""
    last = 0
    for match in _FIGURE_LINE.finditer(text):
        if int(match[1]) not in drawn:
            continue
        if text[last : match.start()].strip():
            yield text[last : match.start()]
        yield int(match[1])
        last = match.end()
    if text[last:].strip():
        yield text[last:]


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.validateLink = _is_safe  # type: ignore[method-assign,assignment]
    parser.inline.ruler.before("link", "citation", _parse_citation)
    parser.add_render_rule("citation", _render_citation)
    parser.inline.ruler.before("escape", "mathematics", _parse_formula)
    parser.add_render_rule("mathematics", _render_formula)
    parser.add_render_rule("link_open", _render_link)
    parser.add_render_rule("table_open", _open_table)
    parser.add_render_rule("table_close", _close_table)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _render_heading)
    return parser


def _is_safe(link: str) -> bool:
    return _SAFE_LINK.match(link) is not None


def _parse_citation(state: StateInline, silent: bool) -> bool:
    """A mark such as `[3]` of a known source; other brackets are left to other rules."""
    match = _MARK.match(state.src, state.pos)
    if match is None or int(match[1]) not in state.env.get("cited", {}):
        return False
    if not silent:
        token = state.push("citation", "a", 0)
        token.meta = {"mark": int(match[1])}
    state.pos = match.end()
    return True


def _parse_formula(state: StateInline, silent: bool) -> bool:
    """TeX is no Markdown: it is taken as it stands and shown as MathML."""
    if state.src[state.pos] not in "$\\":
        return False
    match = FORMULA.match(state.src, state.pos)
    formula = render_formula(match) if match else None
    if match is None or formula is None:
        return False
    if not silent:
        state.push("mathematics", "math", 0).content = formula
    state.pos = match.end()
    return True


def _render_formula(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: object) -> str:
    return tokens[at].content


def _render_citation(
    _self: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, env: EnvType
) -> str:
    mark = tokens[at].meta["mark"]
    cited = env["cited"][mark]
    return Markup(
        '<a class="cite {}" href="#source-{}" data-cite="{}" data-passage="{}" '
        'aria-label="Source {}: {}">{}</a>'
    ).format(
        env["kinds"].css(cited["kind"]), mark, mark, cited["passage"], mark, cited["label"], mark
    )


def _render_link(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, at, options, env)


def _render_heading(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    """Headings of an answer are below those of the page."""
    level = max(int(tokens[at].tag[1:]), 2) + 1
    tokens[at].tag = f"h{min(level, _LOWEST)}"
    return renderer.renderToken(tokens, at, options, env)


def _open_table(*_: object) -> str:
    return '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n'


def _close_table(*_: object) -> str:
    return "</table></div>\n"
