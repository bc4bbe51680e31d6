"""How does a person with a browser show a key? Once, on a page; a cookie says so from then on."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from consilience.errors import ConsilienceError
from consilience.service.keys import COOKIE, VISIT_S, Door, TooMany, Unknown
from consilience.service.pages import reply, wants_page

_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_FIELDS = 10


def router(door: Door) -> APIRouter:
    """The page on which a key is shown, and the way out."""
    router = APIRouter(include_in_schema=False)

    @router.get("/login")
    async def ask(request: Request) -> Response:
        onwards = local(request.query_params.get("next", ""))
        if not door.locked:
            return RedirectResponse(onwards, 303)
        return _page(request, onwards)

    @router.post("/login")
    async def enter(request: Request) -> Response:
        given = _form(await request.body())
        onwards = local(given.get("next", ""))
        if not door.locked:
            return RedirectResponse(onwards, 303)
        address = request.client.host if request.client else ""
        try:
            visit = door.enter(given.get("key", "").strip(), address=address)
        except (Unknown, TooMany) as error:
            return _page(request, onwards, error)
        found = RedirectResponse(onwards, 303)
        found.set_cookie(
            COOKIE,
            visit,
            max_age=int(VISIT_S),
            secure=_is_private(request),
            httponly=True,
            samesite="strict",
        )
        return found

    @router.post("/logout")
    async def leave(request: Request) -> Response:
        door.leave(request.cookies.get(COOKIE, ""))
        found = RedirectResponse("/login" if door.locked else "/", 303)
        found.delete_cookie(COOKIE, secure=_is_private(request), httponly=True, samesite="strict")
        return found

    return router


def local(address: str) -> str:
    """An address of this server, to go on to; anything else is the first page."""
    return address if _LOCAL.fullmatch(address) else "/"


def _page(request: Request, onwards: str, error: ConsilienceError | None = None) -> Response:
    """The page, with what was wrong with the last key; a program is told as everywhere."""
    if error and not wants_page(request):
        raise error
    status = {Unknown: 401, TooMany: 429}.get(type(error), 200) if error else 200
    found = reply(
        request, {"next": onwards, "wrong": str(error or "")}, "login.html", status=status
    )
    if isinstance(error, TooMany):
        found.headers["Retry-After"] = str(max(1, round(error.wait_s)))
    return found


def _form(body: bytes) -> dict[str, str]:
    """The fields of a form as a browser sends it; what is no form has none."""
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def _is_private(request: Request) -> bool:
    """Whether the browser speaks TLS: with us, or with a proxy before us that says so."""
    said = request.headers.get("x-forwarded-proto", request.url.scheme)
    return said.partition(",")[0].strip().casefold() == "https"
