"""What does a person see? Pages made of what the same address gives as JSON.

Templates escape whatever comes from outside; `static` holds all that a page loads.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from consilience import __version__


def wants_page(request: Request) -> bool:
    """Whether whoever asks would rather read a page: a browser says so, a program does not."""
    accepted = request.headers.get("accept", "")
    return "text/html" in accepted and request.query_params.get("format") != "json"


def reply(request: Request, found: dict[str, Any], template: str, **more: Any) -> Response:
    """What was found, as a page for people and as JSON for programs."""
    headers = {"Vary": "Accept"}
    if wants_page(request):
        return HTMLResponse(page(template, found=found, **more), headers=headers)
    return JSONResponse(found, headers=headers)


def page(template: str, **context: Any) -> str:
    """A template with its values filled in."""
    return _templates().get_template(template).render(version=__version__, **context)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("consilience.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
