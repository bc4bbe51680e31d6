"""What does an owner see of a workspace? What it holds, what is wrong, how it is set."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from consilience.errors import ConsilienceError
from consilience.measure.evaluate.shelf import kept
from consilience.service.core import Space
from consilience.service.hiding import hidden
from consilience.settings import FILE, SECTIONS
from consilience.settings.telling import REBUILT, told
from consilience.workspace.telling import status_of

FILES = 200
"""Files on one page."""
_GENERAL = "In general."


def status_view(space: Space, *, find: str = "", number: int = 1) -> dict[str, Any]:
    """What a workspace holds, a page of its files at a time, with models, problems and jobs.

    With `find` only files whose path, title or collection has all of its words.
    """
    whole = hidden(status_of(space.workspace.folder, space.workspace.catalogue))
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
        for one in told(space.workspace.settings)
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
    return {"reports": [asdict(one) for one in kept(space.workspace.folder)]}


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
