"""What does the owner of a workspace see? Its files and problems, settings, and evaluations."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Query as Param
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import AfterValidator

from consilience.errors import ConsilienceError, UsageError
from consilience.measure.report_archive import list_reports, read_report_json, read_report_page
from consilience.service.pages import reply, wants_page
from consilience.service.redaction import redact
from consilience.service.service import Missing, Service, Space
from consilience.settings import FILE, REBUILT, SECTIONS, describe_settings
from consilience.workspace.layout import workspace_status


def _without_zero(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a sign that no text has")
    return text


Words = Annotated[
    str,
    Param(max_length=200, description="Only files with these words in path, title or collection"),
    AfterValidator(_without_zero),
]
Number = Annotated[int, Param(ge=1, le=1_000_000, description="Which page of the files")]


def router(service: Service) -> APIRouter:
    """The addresses below a workspace that are for its owner."""
    router = APIRouter(tags=["own"])
    _status(router, service)
    _settings(router, service)
    _reports(router, service)
    return router


def _status(router: APIRouter, service: Service) -> None:
    @router.get("/w/{name}/status", summary="What a workspace holds, and what is wrong")
    async def status(request: Request, name: str, find: Words = "", page: Number = 1) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: status_view(space, find=find, number=page))
        writes = request.state.right == "write"
        most = service.options.upload_bytes
        return reply(request, found, "status.html", space=name, writes=writes, most=most)


def _settings(router: APIRouter, service: Service) -> None:
    @router.get("/w/{name}/settings", summary="Every setting, its value and its meaning")
    async def settings(request: Request, name: str) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: settings_view(space))
        return reply(request, found, "settings.html", space=name)


def _reports(router: APIRouter, service: Service) -> None:
    @router.get("/w/{name}/reports", summary="The evaluations that were made here")
    async def reports(request: Request, name: str) -> Response:
        space = service.space(name)
        found = await service.searching.run(lambda: reports_view(space))
        lines = timelines(found["reports"])
        return reply(request, found, "reports.html", space=name, lines=lines)

    @router.get(
        "/w/{name}/reports/{key}",
        summary="One evaluation: a page, or what `consilience evaluate --json` gives",
    )
    async def report(request: Request, name: str, key: str) -> Response:
        folder, headers = service.space(name).workspace.folder, {"Vary": "Accept"}
        try:
            if not wants_page(request):
                found = await service.searching.run(lambda: read_report_json(folder, key))
                return JSONResponse(found, headers=headers)
            text = await service.searching.run(lambda: read_report_page(folder, key))
        except UsageError as error:
            raise Missing(str(error)) from error
        policy = {"Content-Security-Policy": policy_of(text)}
        return HTMLResponse(text, headers={**headers, **policy})


# --- what the pages show ------------------------------------------------------------


FILES = 200
"""Files on one page."""
_GENERAL = "In general."


def status_view(space: Space, *, find: str = "", number: int = 1) -> dict[str, Any]:
    """What a workspace holds, a page of its files at a time, with models, problems and jobs.

    With `find` only files whose path, title or collection has all of its words.
    """
    whole = redact(workspace_status(space.workspace.folder, space.workspace.catalogue))
    every: list[dict[str, Any]] = whole["documents"]
    fitting = [one for one in every if _fits(one, find.casefold().split())]
    pages = max(1, -(-len(fitting) // FILES))
    at = min(number, pages)
    return {
        **whole,
        "documents": [_dated(one) for one in fitting[(at - 1) * FILES : at * FILES]],
        "files": len(every),
        "passages": sum(sum(kinds.values()) for kinds in whole["collections"].values()),
        "find": find,
        "found": len(fitting),
        "page": at,
        "pages": pages,
        "problems": [
            {"path": one["path"], "reason": one["reason"]}
            for one in every
            if one["status"] == "failed"
        ],
        "models": _models(space),
        "jobs": [one.view() for one in space.jobs.all()],
    }


def settings_view(space: Space) -> dict[str, Any]:
    """Every setting by section: its value here, whether it was changed, what it means."""
    rows = [
        {**one, "changed": one["value"] != one["default"], "rebuild": one["name"] in REBUILT}
        for one in describe_settings(space.workspace.settings)
    ]
    meanings = {"": _GENERAL, **{name: _first(owner) for name, owner in SECTIONS.items()}}
    return {
        "file": FILE,
        "changed": sum(one["changed"] for one in rows),
        "sections": [
            {
                "name": name,
                "meaning": meaning,
                "settings": [one for one in rows if one["name"].rpartition(".")[0] == name],
            }
            for name, meaning in meanings.items()
        ],
    }


def reports_view(space: Space) -> dict[str, Any]:
    """The evaluations that are kept, the newest first."""
    return {"reports": [asdict(one) for one in list_reports(space.workspace.folder)]}


def policy_of(report: str) -> str:
    """What a browser may do with a report: run the script and use the style that it ends and
    begins with, by their digests, and nothing else.
    """
    style = report.partition("<style>")[2].partition("</style>")[0]
    script = report.rpartition("<script>")[2].rpartition("</script>")[0]
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    found = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(found).decode()}"


def _fits(record: Mapping[str, Any], words: Sequence[str]) -> bool:
    known = f"{record['path']} {record['title']} {record['collection']}".casefold()
    return all(word in known for word in words)


def _dated(record: Mapping[str, Any]) -> dict[str, Any]:
    """A file with the day on which it was last changed, as far as we know."""
    changed = datetime.fromtimestamp(record["mtime_ns"] / 1e9, tz=UTC)
    return {**record, "changed": f"{changed:%Y-%m-%d}"}


def _first(owner: type) -> str:
    return (owner.__doc__ or "").partition("\n")[0]


def _models(space: Space) -> dict[str, dict[str, str]]:
    """The models as they were opened: what is set, which one that is, or why there is none."""
    workspace, wanted = space.workspace, space.workspace.settings.models
    return {
        "embed": _opened(wanted.embed, lambda: workspace.embedder.name),
        "rerank": _opened(wanted.rerank, lambda: _name(workspace.reranker)),
        "generate": _opened(wanted.generate, lambda: _name(workspace.generator)),
    }


def _opened(setting: str, name: Callable[[], str]) -> dict[str, str]:
    try:
        return {"setting": setting, "name": name(), "problem": ""}
    except ConsilienceError as error:
        return {"setting": setting, "name": "", "problem": str(error)}


def _name(model: Any) -> str:
    return str(model.name) if model is not None else ""


# --- how a measure changed ----------------------------------------------------------


WIDTH, HEIGHT = 400, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 14, 14, 30


def timelines(cards: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A plot for each golden set and measure that was measured more than once, oldest first."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for card in reversed(cards):
        groups.setdefault((card["golden"], card["measure"]), []).append(card)
    return [_plot(*key, some) for key, some in sorted(groups.items()) if len(some) > 1]


def _plot(golden: str, measure: str, cards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    up, ticks = _upwards(cards)
    step = (WIDTH - _LEFT - _RIGHT) / (len(cards) - 1)
    dots = [
        {
            "x": _rounded(_LEFT + number * step),
            "y": up(card["merged"]),
            "low": up(card["low"]),
            "high": up(card["high"]),
            "id": card["id"],
            "date": card["date"][:10],
            "value": card["merged"],
            "sound": card["passed"] == card["controls"],
        }
        for number, card in enumerate(cards)
    ]
    single = [
        (dot["x"], up(card["single"]))
        for dot, card in zip(dots, cards, strict=True)
        if card["single"] is not None
    ]
    return {
        "golden": golden,
        "measure": measure,
        "width": WIDTH,
        "height": HEIGHT,
        "left": _LEFT,
        "right": WIDTH - _RIGHT,
        "ticks": [{"y": up(tick), "told": f"{tick:.1f}"} for tick in ticks],
        "dots": dots,
        "merged": " ".join(f"{dot['x']},{dot['y']}" for dot in dots),
        "single": " ".join(f"{x},{y}" for x, y in single) if len(single) > 1 else "",
        "told": "; ".join(f"{dot['date']}: {dot['value']:.3f}" for dot in dots),
    }


def _upwards(cards: Sequence[Mapping[str, Any]]) -> tuple[Callable[[float], float], list[float]]:
    """Where a value stands, and the values at which a line is drawn: tenths around them."""
    known = [card[name] for card in cards for name in ("merged", "low", "high", "single")]
    values = [float(one) for one in known if one is not None]
    first = math.floor(min(values) * 10 + 1e-9)
    last = max(math.ceil(max(values) * 10 - 1e-9), first + 1)

    def up(value: float) -> float:
        share = (value * 10 - first) / (last - first)
        return _rounded(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM))

    each = 1 if last - first <= 5 else 2
    return up, [number / 10 for number in range(first, last + 1, each)]


def _rounded(value: float) -> float:
    return round(value, 1)
