"""What does a person see? Pages made of what the same address gives as JSON.

Templates escape whatever comes from outside; `static` holds all that a page loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from consilience import __version__
from consilience.errors import ConsilienceError
from consilience.service.pages import bars, cards, figures, links, notes, prose, words

NOWHERE: Mapping[str, Any] = {
    "here": "",
    "page": "",
    "json": "",
    "within": (),
    "spaces": (),
    "graph": False,
    "trips": False,
    "missed": "",
}
"""Where a page stands that belongs to no workspace."""
LONGEST = 2000
"""Letters of a question that a page hands on in its addresses."""


def wants_page(request: Request) -> bool:
    """Whether whoever asks would rather read a page: a browser says so, a program does not."""
    accepted = request.headers.get("accept", "")
    return "text/html" in accepted and request.query_params.get("format") != "json"


def reply(
    request: Request, found: dict[str, Any], template: str, *, status: int = 200, **more: Any
) -> Response:
    """What was found, as a page for people and as JSON for programs."""
    headers = {"Vary": "Accept"}
    if wants_page(request):
        text = page(template, found=found, at=where(request), **more)
        return HTMLResponse(text, status_code=status, headers=headers)
    return JSONResponse(found, status_code=status, headers=headers)


def page(template: str, **context: Any) -> str:
    """A template with its values filled in."""
    told = {"version": __version__, "at": NOWHERE, **context}
    return _templates().get_template(template).render(told)


def where(request: Request) -> dict[str, Any]:
    """Where a page stands: its workspace, which page of it, the others, and the JSON of it."""
    spaces = tuple(getattr(request.app.state, "spaces", ()))
    path = request.url.path.strip("/")
    parts = path.split("/")
    inside = parts[0] == "w" and len(parts) > 1 and (not spaces or parts[1] in spaces)
    name = parts[1] if inside else ""
    asked = [one for one in request.query_params.multi_items() if one[0] not in ("format", "whole")]
    return {
        "here": name,
        "page": _page(parts[2:]) if name else "",
        "within": request.query_params.getlist("in"),
        "json": f"/{path}?{urlencode([*asked, ('format', 'json')])}",
        "spaces": spaces,
        "graph": bool(name) and _has("graph", request, name),
        "trips": bool(name) and _has("trips", request, name),
        "missed": request.query_params.get("for", "")[:LONGEST],
    }


def _has(what: str, request: Request, name: str) -> bool:
    """Whether there is a graph, or trips, in a workspace; a page that cannot know says no."""
    known = getattr(request.app.state, f"has_{what}", None)
    try:
        return known is not None and known(name)
    except ConsilienceError:
        return False


def _page(parts: list[str]) -> str:
    """The name of a page among the links of its workspace; asking is the first of them."""
    name = parts[0] if parts else ""
    return "" if name in ("ask", "search") else name


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("consilience.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        address=links.address,
        whole=links.whole,
        missed=links.missed,
        why_missing=links.why_missing,
        question_of=links.question_of,
        bars=bars,
        cards=cards,
        figures=figures,
        notes=notes,
        prose=prose,
        words=words,
    )
    return made
