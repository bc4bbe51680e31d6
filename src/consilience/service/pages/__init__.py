"""How is a page rendered? A Jinja2 template, filled with what the same address gives as JSON.

Templates escape everything that comes from outside, and `static` holds all that a page loads. A
pack brings templates of its own; they are found under its name, as `<pack>/page.html`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    PrefixLoader,
    StrictUndefined,
)
from pydantic import BaseModel

from consilience import __version__
from consilience.errors import ConsilienceError
from consilience.kinds import graph_kinds
from consilience.pack import Pack
from consilience.service.pages import explanations, prose, words
from consilience.service.pages.cards import Cards, KindViews
from consilience.service.pages.mathematics import render_mathematics

NOWHERE: Mapping[str, Any] = {
    "here": "",
    "page": "",
    "json": "",
    "within": (),
    "spaces": (),
    "menu": (),
    "stylesheet": "",
    "missed": "",
    "writes": False,
    "upload_bytes": 0,
}
"""The location of a page that belongs to no workspace."""
MAX_QUESTION = 2000
"""The most characters of a question that a page puts into its links."""
MAX_HISTORY = 6
"""Earlier questions that a follow-up carries along."""
_MENU = (("compare", "Compare"), ("path", "Paths"), ("status", "Status"))
_MENU_END = (("settings", "Settings"), ("reports", "Reports"))
# The fields of a question by their names in an address, with their defaults.
_FIELDS: Mapping[str, tuple[str, Any]] = {
    "query": ("q", ""),
    "collections": ("in", ()),
    "filters": ("where", ()),
    "limit": ("limit", 10),
    "offset": ("offset", 0),
    "per": ("per", "passage"),
    "alpha": ("alpha", None),
    "expand": ("expand", True),
    "rerank": ("rerank", True),
    "length": ("length", None),
    "model": ("model", True),
    "history": ("history", ()),
}


class Renderer:
    """Renders templates for the workspaces of one pack; without a pack, for all other pages."""

    def __init__(self, pack: Pack | None = None) -> None:
        loaders: list[Any] = [PackageLoader("consilience.service")]
        if pack is not None and pack.web.templates is not None:
            loaders.append(PrefixLoader({pack.name: FileSystemLoader(pack.web.templates)}))
        kinds = KindViews(pack.web.kinds if pack else {})
        self._environment = Environment(
            loader=ChoiceLoader(loaders),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            address=address,
            whole=passage_address,
            missed=encode_question,
            why_missing=why_not_address,
            question_of=decode_question,
            earlier_questions=earlier_questions,
            cards=Cards(kinds, pack.web if pack else None),
            explain=explanations,
            kind_views=kinds,
            pieces=partial(prose.split_answer, kinds=kinds),
            sentence=partial(prose.render_sentence, kinds=kinds),
            words=words,
            formulas=render_mathematics,
        )

    def render(self, template: str, **context: Any) -> str:
        """Fill in a template."""
        values = {"version": __version__, "at": NOWHERE, **context}
        return self._environment.get_template(template).render(values)


def wants_page(request: Request) -> bool:
    """Whether the client prefers a page: a browser says so, a program does not."""
    accepted = request.headers.get("accept", "")
    return "text/html" in accepted and request.query_params.get("format") != "json"


def reply(
    request: Request, data: dict[str, Any], template: str, *, status: int = 200, **context: Any
) -> Response:
    """The data as a page for people and as JSON for programs."""
    headers = {"Vary": "Accept"}
    if wants_page(request):
        text = render_page(request, template, found=data, **context)
        return HTMLResponse(text, status_code=status, headers=headers)
    return JSONResponse(data, status_code=status, headers=headers)


def render_page(request: Request, template: str, **context: Any) -> str:
    """A whole page, with the menu of the workspace that the request is for."""
    at = locate(request)
    service = request.app.state.service
    renderer = service.spaces[at["here"]].renderer if at["here"] else service.renderer
    text: str = renderer.render(template, at=at, **context)
    return text


def locate(request: Request) -> dict[str, Any]:
    """Where a page is: its workspace, its entry in the menu, the other workspaces, its JSON."""
    spaces = request.app.state.service.spaces
    path = request.url.path.strip("/")
    parts = path.split("/")
    name = parts[1] if parts[0] == "w" and len(parts) > 1 and parts[1] in spaces else ""
    page = parts[2] if name and len(parts) > 2 else ""
    page = "" if page in ("ask", "search") else page
    params = [
        param for param in request.query_params.multi_items() if param[0] not in ("format", "whole")
    ]
    pack = spaces[name].workspace.pack if name else None
    return {
        "here": name,
        "page": page,
        "within": request.query_params.getlist("in"),
        "json": f"/{path}?{urlencode([*params, ('format', 'json')])}",
        "spaces": tuple(spaces),
        "menu": _menu(spaces[name].workspace, page) if name else (),
        "stylesheet": f"/static/{pack.name}/{pack.web.css}" if pack and pack.web.css else "",
        "missed": request.query_params.get("for", "")[:MAX_QUESTION],
        "writes": getattr(request.state, "right", "") == "write",
        "upload_bytes": request.app.state.service.options.upload_bytes,
    }


def _menu(workspace: Any, page: str) -> list[tuple[str, str]]:
    """The pages of a workspace; paths only where it holds a graph."""
    try:
        counts = workspace.catalogue.counts()
    except ConsilienceError:  # an error page is shown without it
        counts = {}
    has_graph = any(graph_kinds() & kinds.keys() for kinds in counts.values())
    entries = (*workspace.pack.web.menu, *_MENU, *_MENU_END)
    shown = [entry for entry in entries if entry[0] != "path" or has_graph or page == "path"]
    return [("", "Ask"), *shown]


# --- addresses --------------------------------------------------------------------------


def address(space: str, what: str, asked: object = None, **changes: Any) -> str:
    """An address below a workspace, with a question and what changes in it.

    An empty change leaves its field out: `collections=()` searches all of them.
    """
    params = _params({**_question_fields(asked), **changes})
    path = "/".join(quote(part, safe="") for part in ("w", space, *filter(None, what.split("/"))))
    return f"/{path}?{urlencode(params)}" if params else f"/{path}"


def passage_address(space: str, passage: Mapping[str, Any], column: int | None = None) -> str:
    """The page of a passage; for a path, which is stored nowhere, the page of its two ends.

    `column` selects a cell of a row.
    """
    start, arrow, end = str(passage["title"]).partition(" → ")
    if passage["kind"] == "path" and arrow:
        return address(space, "path", start=start, end=end)
    return address(space, f"passages/{passage['passage']}", column=column)


def encode_question(asked: object) -> str:
    """A question with its filters as a query string, for links to why something is missing."""
    return urlencode(
        _params({**_question_fields(asked), "length": None, "model": True, "history": ()})
    )


def earlier_questions(asked: object, question: str) -> list[str]:
    """The questions before a follow-up to this one, which was understood so, oldest first."""
    return [*_question_fields(asked).get("history", ()), question][-MAX_HISTORY:]


def decode_question(text: str) -> str:
    """The words of a question from `encode_question`."""
    return dict(parse_qsl(text)).get("q", "")


def why_not_address(space: str, question: str, passage: str) -> str:
    """The page that says why a question from `encode_question` did not find a passage."""
    known = {name for name, _ in _FIELDS.values()}
    params = [(name, value) for name, value in parse_qsl(question) if name in known]
    return f"{address(space, 'why-not')}?{urlencode([*params, ('passage', passage)])}"


def _question_fields(asked: object) -> dict[str, Any]:
    if isinstance(asked, BaseModel):
        asked = asked.model_dump()
    known = asked if isinstance(asked, Mapping) else {}
    return {field: known[field] for field in _FIELDS if field in known}


def _params(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parameters of an address, without those that have their default."""
    params: list[tuple[str, str]] = []
    for field, value in fields.items():
        name, default = _FIELDS.get(field, (field, ""))
        if value is None or value == default:
            continue
        values = value if isinstance(value, (tuple, list)) else (value,)
        params += [(name, str(v).lower() if isinstance(v, bool) else str(v)) for v in values]
    return params
