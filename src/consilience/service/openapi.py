"""What does the OpenAPI description contain? All that FastAPI knows, completed.

Every address lists each status that it can give, with the one shape of errors, the names of the
workspaces, and the fields of its JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

from consilience.service.service import Service


class Shape(BaseModel):
    """An object that may hold more than is told of it."""

    model_config = ConfigDict(extra="allow")


class Wrong(Shape):
    """What went wrong."""

    kind: str = Field(description="A name for programs", examples=["UsageError"])
    message: str = Field(description="What happened, the value, and what to do")


class Error(Shape):
    """Whatever goes wrong, it has this shape."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "error": {"kind": "InvalidRequest", "message": "`q` is missing; ask with ?q=…"}
            }
        },
    )

    error: Wrong


class Note(Shape):
    """Something a reader should know: a source left out, a filter dropped."""

    origin: str
    message: str


class Outcome(Shape):
    """How asking one source went."""

    status: str = Field(description="ok, empty, slow, failed or skipped")
    ms: float
    count: int
    reason: str
    query: str = Field("", description="What its engine was asked, where it says so")
    steps: list[str] = Field([], description="What it took the question for")
    missing: list[str] = Field([], description="What the question names and it does not have")


class PassageOf(Shape):
    """A passage: its id, what it is, where it stands."""

    passage: str = Field(description="Its id")
    kind: str
    collection: str
    document: str
    title: str
    where: str = Field(description="Its place in the document, in words")
    metadata: dict[str, Any]


class WholePassage(PassageOf):
    """A passage with its text."""

    text: str


class ResultOf(PassageOf):
    """A passage that was found, and what placed it there."""

    preview: str
    score: float
    relevance: float | None = Field(description="How likely it answers the question, 0 to 1")
    votes: list[Any]


class Plan(Shape):
    """What each source is asked, and by which rule."""

    intent: str
    rule: str
    sources: dict[str, Any]


class Results(Shape):
    """The results of a question, best first, and how they came about."""

    query: str
    results: list[ResultOf]
    outcomes: dict[str, Outcome] = Field(description="How asking each source went")
    plan: Plan
    abstained: bool = Field(description="Nothing here is likely to answer")
    answerable: float | None
    notes: list[Note]
    timing_ms: dict[str, float]


class Reasons(Results):
    """Results with the arithmetic of their ranks, in words."""

    told: dict[str, Any]


class Citation(PassageOf):
    """Where a mark in an answer leads."""

    mark: int
    label: str
    quote: str


class Answer(Results):
    """A written answer, every statement cited and checked."""

    text: str
    citations: list[Citation]
    writer: str = Field(description="`extractive`, or a model's name")
    length: str
    support: float | None = Field(description="The share of facts that what is cited bears out")


class Absence(Shape):
    """At which step a passage was lost, and what would have to change."""

    passage: PassageOf
    step: str
    reasons: list[str]
    remedy: str


class Paths(Shape):
    """How two things connect, the best ways first."""

    paths: list[Any]


class Workspace(Shape):
    """What a workspace is and holds."""

    name: str
    pack: str
    summary: str
    collections: dict[str, dict[str, int]] = Field(description="Passages of each kind")
    examples: list[str] = Field(description="Questions to begin with")
    jobs: int = Field(description="Jobs that are not done")


class Workspaces(Shape):
    """The workspaces that are served."""

    workspaces: list[Workspace]


class WorkspaceHealth(Shape):
    """How a workspace is, and each of its sources."""

    status: str = Field(description="ok, empty, degraded or failing")
    reason: str
    collections: dict[str, dict[str, int]]
    pending: int = Field(description="Passages that are not indexed yet")
    jobs: int
    sources: dict[str, Outcome]


class Health(Shape):
    """How all of it is; without a key only the status."""

    status: str = Field(description="ok, degraded or failing")
    version: str = ""
    workspaces: dict[str, WorkspaceHealth] = Field(default_factory=dict)


# --- completing the description ---------------------------------------------------------

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
_MODELS: Mapping[str, type[Shape]] = {
    "/": Workspaces,
    "/w/{name}": Workspace,
    "/w/{name}/search": Results,
    "/w/{name}/ask": Answer,
    "/w/{name}/why": Reasons,
    "/w/{name}/why-not": Absence,
    "/w/{name}/plan": Plan,
    "/w/{name}/path": Paths,
    "/w/{name}/passages/{key}": WholePassage,
    "/health": Health,
}
_METHODS = ("get", "put", "post", "delete", "patch")


def complete_openapi(app: FastAPI, service: Service) -> None:
    """Complete the description of an app, when somebody first asks for it."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _complete(made(), names=list(service.spaces), locked=bool(service.options.keys))
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(found: dict[str, Any], *, names: list[str], locked: bool) -> None:
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
    models: list[type[BaseModel]] = [*dict.fromkeys(_MODELS.values()), Error]
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
