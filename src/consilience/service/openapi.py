"""What does the OpenAPI description contain? All that FastAPI knows, completed.

Every address lists each status that it can give, with the one shape of errors, the names of the
workspaces, and the main fields of its JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from consilience.service.service import Service

Schema = dict[str, Any]


class Shape(BaseModel):
    """An object that may have more fields than are described."""

    model_config = ConfigDict(extra="allow")


def _object(meaning: str, **fields: Schema) -> Schema:
    """An object with these fields, and perhaps more."""
    return {
        "type": "object",
        "description": meaning,
        "properties": fields,
        "required": list(fields),
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _map(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


_TEXT: Schema = {"type": "string"}
_BOOLEAN: Schema = {"type": "boolean"}
_WHOLE: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_OPTIONAL: Schema = {"type": ["number", "null"]}
_PASSAGE = {
    **dict.fromkeys(("passage", "kind", "collection", "document", "title", "where"), _TEXT),
    "metadata": _map({}),
}
_RESULTS = {
    "query": _TEXT,
    "results": _list(_ref("Result")),
    "outcomes": _map(_ref("Outcome")),
    "plan": _ref("Plan"),
    "abstained": _BOOLEAN,
    "answerable": _OPTIONAL,
    "notes": _list(_ref("Note")),
    "timing_ms": _map(_NUMBER),
}
_SCHEMAS: Mapping[str, Schema] = {
    "Error": _object(
        "Whatever goes wrong, it has this shape",
        error=_object("A name for programs, and what happened", kind=_TEXT, message=_TEXT),
    ),
    "Passage": _object("A passage: its id, what it is, where it stands", **_PASSAGE),
    "WholePassage": _object("A passage with its text", **_PASSAGE, text=_TEXT),
    "Result": _object(
        "A passage that was found, its relevance (0 to 1), and the votes that placed it",
        **_PASSAGE,
        preview=_TEXT,
        score=_NUMBER,
        relevance=_OPTIONAL,
        votes=_list({}),
    ),
    "Citation": _object(
        "Where a mark in an answer leads", **_PASSAGE, mark=_WHOLE, label=_TEXT, quote=_TEXT
    ),
    "Outcome": _object(
        "How asking one source went: ok, empty, slow, failed or skipped",
        status=_TEXT,
        ms=_NUMBER,
        count=_WHOLE,
        reason=_TEXT,
    ),
    "Note": _object("Something a reader should know", origin=_TEXT, message=_TEXT),
    "Plan": _object(
        "What each source is asked, by which rule", intent=_TEXT, rule=_TEXT, sources=_map({})
    ),
    "Results": _object("The results of a question, best first", **_RESULTS),
    "Answer": _object(
        "A written answer; `support` is the share of facts that its citations bear out",
        **_RESULTS,
        **dict.fromkeys(("text", "writer", "length"), _TEXT),
        citations=_list(_ref("Citation")),
        support=_OPTIONAL,
    ),
    "Absence": _object(
        "At which step a passage was lost, and what would have to change",
        passage=_ref("Passage"),
        step=_TEXT,
        reasons=_list(_TEXT),
        remedy=_TEXT,
    ),
    "Workspace": _object(
        "What a workspace is and holds, with questions to begin with and unfinished jobs",
        **dict.fromkeys(("name", "pack", "summary"), _TEXT),
        collections=_map(_map(_WHOLE)),
        examples=_list(_TEXT),
        jobs=_WHOLE,
    ),
    "Workspaces": _object("The workspaces that are served", workspaces=_list(_ref("Workspace"))),
    "Health": _object("ok, degraded or failing; without a key no more", status=_TEXT),
}
_ANSWERED_WITH: Mapping[str, str] = {
    "/": "Workspaces",
    "/w/{name}": "Workspace",
    "/w/{name}/search": "Results",
    "/w/{name}/ask": "Answer",
    "/w/{name}/why": "Results",
    "/w/{name}/why-not": "Absence",
    "/w/{name}/plan": "Plan",
    "/w/{name}/passages/{key}": "WholePassage",
    "/health": "Health",
}
_ERROR_CONTENT = {
    "application/json": {"schema": _ref("Error")},
    "text/html": {"schema": _TEXT},
}


# --- completing the description ---------------------------------------------------------

_ALWAYS = {
    400: "It cannot be done as it was asked; the message says why",
    401: "A key is needed, or this one opens nothing",
    403: "The sender of the request may not do this",
    404: "Not found",
    414: "The address is too long",
    421: "The server has another name",
    422: "A part of the request is missing or wrong; the message says which",
    429: "Too many wrong keys; come back later",
    500: "Something went wrong here; the server's log says what",
    503: "Too busy, or nothing there that answers; come back later",
    504: "It took too long",
}
_WITH_BODY = {
    408: "The request was not there in time",
    411: "The request does not say how long it is",
    413: "The request is too large",
    415: "The request is not JSON, or is not declared as such",
}


def complete_openapi(app: FastAPI, service: Service) -> None:
    """Complete the description of an app, when somebody first asks for it."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _complete(generate(), names=list(service.spaces), locked=bool(service.options.keys))
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(description: dict[str, Any], *, names: list[str], locked: bool) -> None:
    """Add what holds for every address."""
    components = description.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas.update(_SCHEMAS)
    for path, method, operation in _operations(description):
        for part in operation.get("parameters", ()):
            if part["in"] == "path" and part["name"] == "name":
                part["description"] = "The name of a workspace; GET / lists them"
                part["schema"] = {"type": "string", "enum": names}
            part.setdefault("description", "Its id or its name")
        _add_shape(path, method, operation)
        _add_errors(operation)
    if locked:
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        description["security"] = [{"key": []}]
        description["paths"]["/health"]["get"]["security"] = []


def _operations(description: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in description["paths"].items():
        for method in ("get", "put", "post", "delete", "patch"):
            if method in methods:
                yield path, method, methods[method]


def _add_shape(path: str, method: str, operation: dict[str, Any]) -> None:
    """Say what the JSON of an address holds, and that browsers get a page instead."""
    responses = operation["responses"]
    success = responses.get("200", {})
    content = success.get("content", {})
    if "application/json" not in content:
        return
    success["description"] = operation.get("summary", "What was asked for")
    from_template = content["application/json"].get("schema") == {}
    if path in _ANSWERED_WITH:
        content["application/json"]["schema"] = _ref(_ANSWERED_WITH[path])
    if method == "get" and from_template and path != "/health":
        content["text/html"] = _ERROR_CONTENT["text/html"]
    if path == "/":
        responses["307"] = {"description": "To the only workspace, for a browser"}
    if path == "/health":
        responses["503"] = {"description": "Nothing answers", "content": content}


def _add_errors(operation: dict[str, Any]) -> None:
    """Every error has the one shape; what an address says of its own is kept."""
    errors = {**_ALWAYS, **(_WITH_BODY if "requestBody" in operation else {})}
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    for status, meaning in sorted(errors.items()):
        response = responses.setdefault(str(status), {})
        response.setdefault("description", meaning)
        response.setdefault("content", _ERROR_CONTENT)
