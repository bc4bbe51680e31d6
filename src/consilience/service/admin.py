"""What does the owner of a workspace see? Its files and problems, settings, and evaluations."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi import Query as Param
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import AfterValidator, BaseModel, Field

from consilience.errors import ConsilienceError, UsageError
from consilience.measure.golden import write_atomically
from consilience.measure.report import list_reports, read_report_json, read_report_page
from consilience.measure.tuning import rewrite_settings
from consilience.service.pages import reply, wants_page
from consilience.service.redaction import redact
from consilience.service.service import Missing, Service, Space, may_write
from consilience.settings import (
    FILE,
    REBUILT,
    SECTIONS,
    Settings,
    build_settings,
    describe_settings,
    dotted,
    is_address,
    parse_toml,
    read_settings,
)
from consilience.workspace.layout import workspace_status

FILES = 200
"""Files on one page."""


def _check_text(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a character that text cannot have")
    return text


Words = Annotated[
    str,
    Param(max_length=200, description="Only files with these words in path, title or collection"),
    AfterValidator(_check_text),
]
Number = Annotated[int, Param(ge=1, le=1_000_000, description="Which page of the files")]


def router(service: Service) -> APIRouter:
    """The addresses below a workspace that are for its owner."""
    router, run = APIRouter(tags=["own"]), service.searching.run

    @router.get("/w/{name}/status", summary="What a workspace holds, and what is wrong")
    async def status(request: Request, name: str, find: Words = "", page: Number = 1) -> Response:
        space = service.space(name)
        found = await run(lambda: status_json(space, find=find, number=page))
        writes, most = request.state.right == "write", service.options.upload_bytes
        return reply(request, found, "status.html", space=name, writes=writes, most=most)

    @router.get("/w/{name}/settings", summary="Every setting, its value and its meaning")
    async def settings(request: Request, name: str) -> Response:
        writes = request.state.right == "write"
        found = settings_json(service.space(name))
        return reply(request, found, "settings.html", space=name, writes=writes)

    @router.put(
        "/w/{name}/settings",
        summary="Change a setting in the workspace's file; it is used after a restart",
        dependencies=[Depends(may_write)],
    )
    async def change(name: str, change: SettingChange) -> Response:
        folder = service.space(name).workspace.folder
        return JSONResponse(await run(lambda: change_setting(folder, change)))

    @router.get("/w/{name}/reports", summary="The evaluations of this workspace, the newest first")
    async def reports(request: Request, name: str) -> Response:
        folder = service.space(name).workspace.folder
        found = await run(lambda: [asdict(report) for report in list_reports(folder)])
        lines = timelines(found)
        return reply(request, {"reports": found}, "reports.html", space=name, lines=lines)

    @router.get(
        "/w/{name}/reports/{key}",
        summary="One evaluation: a page, or what `consilience evaluate --json` gives",
    )
    async def report(request: Request, name: str, key: str) -> Response:
        folder, headers = service.space(name).workspace.folder, {"Vary": "Accept"}
        try:
            if not wants_page(request):
                found = await run(lambda: read_report_json(folder, key))
                return JSONResponse(found, headers=headers)
            text = await run(lambda: read_report_page(folder, key))
        except UsageError as error:
            raise Missing(str(error)) from error
        headers["Content-Security-Policy"] = report_policy(text)
        return HTMLResponse(text, headers=headers)

    return router


class SettingChange(BaseModel):
    """A setting and its new value, as text or as TOML has it."""

    name: str = Field(max_length=100, examples=["answer.length"])
    value: str | int | float | bool = Field(examples=["concise"])


def is_editable(name: str) -> bool:
    """Whether a setting may be changed over HTTP: not those that lead to other servers, hold keys,
    or say who is served what.
    """
    return (
        name != "pack"
        and not (name.endswith("_key") or is_address(name))
        and not name.startswith("serve.")
    )


def change_setting(folder: Path, change: SettingChange) -> dict[str, Any]:
    """Write a setting to the file of a workspace, if its value is one that the setting takes."""
    if not is_editable(change.name):
        raise UsageError(f"{change.name!r} can only be changed in {FILE}")
    file = folder / FILE
    values = dotted(parse_toml(file)) if file.exists() else {}
    checked = build_settings({**values, change.name: change.value})
    value = checked.value(change.name)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    write_atomically(file, rewrite_settings(text, {change.name: value}))
    return {"name": change.name, "value": value, "rebuild": change.name in REBUILT}


def _saved_settings(space: Space) -> Settings:
    """The settings as they are in the file now, which a restart will use."""
    try:
        return read_settings(space.workspace.folder)
    except ConsilienceError:
        return space.workspace.settings


def status_json(space: Space, *, find: str = "", number: int = 1) -> dict[str, Any]:
    """What a workspace holds, a page of its files at a time, with models, problems and jobs.

    With `find` only files whose path, title or collection has all of its words.
    """
    whole = redact(workspace_status(space.workspace.folder, space.workspace.catalogue))
    files: list[dict[str, Any]] = whole["documents"]
    matching = [file for file in files if _matches(file, find.casefold().split())]
    pages = max(1, -(-len(matching) // FILES))
    page = min(number, pages)
    return {
        **whole,
        "documents": [
            {**file, "changed": f"{datetime.fromtimestamp(file['mtime_ns'] / 1e9, UTC):%Y-%m-%d}"}
            for file in matching[(page - 1) * FILES : page * FILES]
        ],
        "files": len(files),
        "passages": sum(sum(kinds.values()) for kinds in whole["collections"].values()),
        "find": find,
        "found": len(matching),
        "page": page,
        "pages": pages,
        "problems": [
            {"path": file["path"], "reason": file["reason"]}
            for file in files
            if file["status"] != "ok"
        ],
        "models": {name: _model_json(space, name) for name in _MODELS},
        "jobs": [job.view() for job in space.jobs.all()],
    }


def settings_json(space: Space) -> dict[str, Any]:
    """Every setting by section: its value here, whether it was changed, what it means."""
    saved = {row["name"]: row["value"] for row in describe_settings(_saved_settings(space))}
    rows = [
        {
            **row,
            "changed": row["value"] != row["default"],
            "rebuild": row["name"] in REBUILT,
            "saved": saved[row["name"]],
            "editable": is_editable(row["name"]) and not isinstance(row["value"], Mapping),
        }
        for row in describe_settings(space.workspace.settings)
    ]
    meanings = {
        "": "In general.",
        **{name: (owner.__doc__ or "").partition("\n")[0] for name, owner in SECTIONS.items()},
    }
    return {
        "file": FILE,
        "changed": sum(row["changed"] for row in rows),
        "sections": [
            {
                "name": name,
                "meaning": meaning,
                "settings": [row for row in rows if row["name"].rpartition(".")[0] == name],
            }
            for name, meaning in meanings.items()
        ],
    }


def report_policy(report: str) -> str:
    """What a browser may do with a report: use its own first style and last script, by their
    digests, and nothing else.
    """
    style = report.partition("<style>")[2].partition("</style>")[0]
    script = report.rpartition("<script>")[2].rpartition("</script>")[0]
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _matches(file: Mapping[str, Any], words: Sequence[str]) -> bool:
    text = f"{file['path']} {file['title']} {file['collection']}".casefold()
    return all(word in text for word in words)


_MODELS = {"embed": "embedder", "rerank": "reranker", "generate": "generator"}


def _model_json(space: Space, setting: str) -> dict[str, str]:
    """A model as it was opened: what is set, which one that is, or why there is none."""
    found = {
        "setting": getattr(space.workspace.settings.models, setting),
        "name": "",
        "problem": "",
    }
    try:
        model = getattr(space.workspace, _MODELS[setting])
        return {**found, "name": str(model.name) if model is not None else ""}
    except ConsilienceError as error:
        return {**found, "problem": str(error)}


def timelines(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A plot for each golden set and measure that was measured more than once, oldest first.

    Its vertical axis goes from `low` to `high`, in tenths around the values.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for report in reversed(reports):
        groups.setdefault((report["golden"], report["measure"]), []).append(report)
    plots = []
    for (golden, measure), points in sorted(groups.items()):
        if len(points) < 2:
            continue
        names = ("merged", "low", "high", "single")
        values = [point[name] for point in points for name in names if point[name] is not None]
        low = math.floor(min(values) * 10 + 1e-9)
        high = max(math.ceil(max(values) * 10 - 1e-9), low + 1)
        ticks = range(low, high + 1, 1 if high - low <= 5 else 2)
        plots.append(
            {
                "golden": golden,
                "measure": measure,
                "points": points,
                "low": low / 10,
                "high": high / 10,
                "ticks": [tick / 10 for tick in ticks],
            }
        )
    return plots
