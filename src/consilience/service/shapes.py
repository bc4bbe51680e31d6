"""What does the JSON of the main addresses hold? Described for those who read it.

Only for the description: what is sent is made elsewhere and is not held against this at run time,
but by tests. Fields may be added, so that each shape allows for more.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


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


class Trip(Shape):
    """A trip, day by day, checked and cited; amounts are strings, so that they stay exact."""

    status: str = Field(description="planned, negotiated (with compromises) or refused")
    refusal: str = Field(description="Why it is refused; empty where it is not")
    offers: list[str] = Field(description="What can be had instead of what is refused")
    wish: dict[str, Any] = Field(description="What was understood, and what was assumed")
    compromises: list[Any] = Field(description="What is otherwise than it was wanted, and why")
    itinerary: dict[str, Any] | None = Field(description="The days, in order")
    advice: dict[str, Any] | None = Field(description="What to know on the way, and the budget")
    rounds: list[Any] = Field(description="What each round of checking found")
    findings: list[Any] = Field(description="What could not be mended")
    citations: list[Any] = Field(description="The passages that it rests on, numbered")
    stages: list[Any] = Field(description="What each step said")


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
