"""What does the service say of itself? Its OpenAPI description, completed.

Every address tells each status that it can give, with the one shape of errors, which workspaces
there are, and what the JSON of the main addresses holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from consilience.service import shapes
from consilience.service.core import Service

_ERROR = {"$ref": "#/components/schemas/Error"}
_ALWAYS = {
    400: "It cannot be done as it was asked; the message says why",
    401: "A key is needed, or this one opens nothing",
    403: "Whoever asks may not do this",
    404: "There is no such thing here",
    414: "The address is too long",
    421: "The server is not called so",
    422: "A part of the request is missing or wrong; the message says which",
    429: "Too many wrong keys; come back later",
    500: "Something went wrong here; the server's log says what",
    503: "Too busy, or nothing there that answers; come back later",
    504: "It took too long",
}
_WITH_BODY = {
    408: "The request was not there in time",
    411: "The length of the request is not told",
    413: "The request is too large",
    415: "The request is no JSON, or is not declared as such",
}
_PAGE = {"schema": {"type": "string"}}
_MODELS: Mapping[str, type[shapes.Shape]] = {
    "/": shapes.Workspaces,
    "/w/{name}": shapes.Workspace,
    "/w/{name}/search": shapes.Results,
    "/w/{name}/ask": shapes.Answer,
    "/w/{name}/why": shapes.Reasons,
    "/w/{name}/why-not": shapes.Absence,
    "/w/{name}/plan": shapes.Plan,
    "/w/{name}/path": shapes.Paths,
    "/w/{name}/trip": shapes.Trip,
    "/w/{name}/passages/{key}": shapes.WholePassage,
    "/health": shapes.Health,
}
_METHODS = ("get", "put", "post", "delete", "patch")


def describe(app: FastAPI, service: Service) -> None:
    """Complete the description of an app, when somebody first asks for it."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            complete(made(), names=list(service.spaces), locked=bool(service.options.keys))
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]


def complete(found: dict[str, Any], *, names: list[str], locked: bool) -> None:
    """Add to a description what holds for every address."""
    components = found.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas.update(_schemas())
    for path, method, operation in _operations(found):
        _name_workspaces(operation, names)
        _shape(path, method, operation)
        _refusals(operation)
    if locked:
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"key": []}]
        found["paths"]["/health"]["get"]["security"] = []


def _operations(found: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in found["paths"].items():
        for method in _METHODS:
            if method in methods:
                yield path, method, methods[method]


def _schemas() -> dict[str, Any]:
    """What is in the JSON of the main addresses, and of errors."""
    models: list[type[BaseModel]] = [*dict.fromkeys(_MODELS.values()), shapes.Error]
    _, found = models_json_schema(
        [(one, "serialization") for one in models], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Any] = found["$defs"]
    return schemas


def _name_workspaces(operation: dict[str, Any], names: list[str]) -> None:
    for part in operation.get("parameters", ()):
        if part["in"] == "path" and part["name"] == "name":
            part["description"] = "The name of a workspace; GET / lists them"
            part["schema"] = {"type": "string", "enum": names}
        part.setdefault("description", "Its id or its name")


def _shape(path: str, method: str, operation: dict[str, Any]) -> None:
    """Say what the JSON of an address holds, and that browsers get a page instead."""
    good = operation["responses"].get("200", {})
    content = good.get("content", {})
    if "application/json" not in content:
        return
    good["description"] = operation.get("summary", "What was asked for")
    from_template = content["application/json"].get("schema") == {}
    if path in _MODELS:
        model = _MODELS[path].__name__
        content["application/json"]["schema"] = {"$ref": f"#/components/schemas/{model}"}
    if method == "get" and from_template and path != "/health":
        content["text/html"] = _PAGE
    if path == "/":
        operation["responses"]["307"] = {"description": "To the only workspace, for a browser"}
    if path == "/health":
        operation["responses"]["503"] = {"description": "Nothing answers", "content": content}


def _refusals(operation: dict[str, Any]) -> None:
    """Every refusal has the one shape; what an address says of its own is kept."""
    told = {**_ALWAYS, **(_WITH_BODY if "requestBody" in operation else {})}
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    for status, meaning in sorted(told.items()):
        one = responses.setdefault(str(status), {})
        one.setdefault("description", meaning)
        one.setdefault("content", {"application/json": {"schema": _ERROR}, "text/html": _PAGE})
