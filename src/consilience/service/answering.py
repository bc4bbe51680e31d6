"""What does an address of the service answer? The JSON of an answer, with how it came about."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from consilience import render
from consilience.errors import UsageError
from consilience.filters import parse_filter
from consilience.packs import Endpoint
from consilience.types import Answer, Exhibit, Figure, Length, Passage, Query, Result
from consilience.workspace import Workspace

LONGEST = 8000
"""Letters of a question at most."""


class Asked(BaseModel):
    """What is asked of an address."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[
        str,
        Field(
            description="The question, in words, moves, a FEN or an ECO code",
            examples=["What is White's plan against the isolated pawn?"],
        ),
    ]
    limit: Annotated[
        int,
        Field(
            ge=1,
            le=100,
            description="Results at most, also called `top_k`",
            validation_alias=AliasChoices("limit", "top_k"),
        ),
    ] = 10
    length: Annotated[Length | None, Field(description="How long the answer is")] = None
    merge: Annotated[
        bool, Field(description="Ask the other collections of this address as well")
    ] = False
    filters: Annotated[
        tuple[str, ...],
        Field(max_length=20, description="Conditions such as `eco=B90` or `year>=1960`"),
    ] = ()
    model: Annotated[bool, Field(description="Let the language model of the settings write")] = True


def answer(workspace: Workspace, endpoint: Endpoint, asked: Asked) -> dict[str, Any]:
    """The answer to a request, or only the results where the address writes none."""
    if len(asked.query) > LONGEST:
        raise UsageError(
            f"a question has at most {LONGEST} letters, this one has {len(asked.query)}; "
            "ask for less"
        )
    query = Query(
        text=asked.query,
        limit=asked.limit,
        filters=tuple(map(parse_filter, asked.filters)),
        collections=collections_of(workspace, endpoint, merge=asked.merge),
    )
    if not endpoint.answers:
        result = workspace.find(query)
        boards = [_position(workspace, *one) for one in _of_hits(workspace, result)]
        return {**render.result_json(result), **_how(workspace, result), "positions": boards}
    told = workspace.answer(query, length=asked.length, model=asked.model)
    return _told(workspace, told)


def collections_of(workspace: Workspace, endpoint: Endpoint, *, merge: bool) -> tuple[str, ...]:
    """The collections that are asked: those of the address that the workspace holds."""
    wanted = (*endpoint.collections, *(endpoint.merge if merge else ()))
    held = workspace.catalogue.counts()
    found = tuple(name for name in wanted if name in held)
    if not found:
        raise UsageError(
            f"this workspace holds no {' or '.join(wanted)} yet; add files with `consilience add`"
        )
    return found


def _told(workspace: Workspace, told: Answer) -> dict[str, Any]:
    found = render.answer_json(told)
    cited = {one.mark: one.passage.id for one in told.exhibits}
    return {
        **found,
        **_how(workspace, told.result),
        "answer": found["text"],
        "sources": found["citations"],
        "positions": [_position(workspace, one, cited[one.mark]) for one in told.figures],
    }


def _of_hits(workspace: Workspace, result: Result) -> list[tuple[Figure, str]]:
    """A figure for each hit that can be drawn: what the question names, what the hit speaks of
    first, or what it comes to.
    """
    drawing = workspace.pack.drawing
    if drawing is None:
        return []
    found = []
    for mark, hit in enumerate(result.hits, start=1):
        passage = hit.passage
        exhibit = Exhibit(mark=mark, passage=passage, label=passage.title, text=passage.text)
        wanted = (*result.trace.plan.identifiers, *_spoken_of(passage))
        drawn = (drawing.draw(what, [exhibit]) for what in wanted)
        figure = next((one for one in drawn if isinstance(one, Figure)), None)
        if figure is not None:
            found.append((replace(figure, number=mark), passage.id))
    return found


def _spoken_of(passage: Passage) -> tuple[str, ...]:
    """What to draw of a passage: the position that it first speaks of, else what it comes to.

    The position in which every game begins is neither.
    """
    known = passage.metadata
    focus, positions = (known.get(name) for name in ("focus", "positions"))
    if not isinstance(focus, tuple) or not isinstance(positions, tuple):
        return ("",)
    begins = known.get("ply_first") == 1 and not known.get("start")
    if begins and len(positions) == 1:
        return ()
    told = [str(one) for one in focus if not (begins and one == positions[0])]
    return (*told[:1], "")


def _position(workspace: Workspace, figure: Figure, passage: str) -> dict[str, Any]:
    drawing = workspace.pack.drawing
    return {
        "number": figure.number,
        "fen": figure.data,
        "caption": figure.caption,
        "mark": figure.mark,
        "passage": passage,
        "steps": [{"move": name, "fen": data} for name, data in figure.steps],
        "svg": drawing.picture(figure) if drawing else "",
    }


def _how(workspace: Workspace, result: Result) -> dict[str, Any]:
    """How the ranking came about: the intent, the weights, who brought how many, what merged."""
    plan, trace, fusion = result.trace.plan, result.trace, workspace.settings.fusion
    candidates: dict[str, set[str]] = {}
    for ranking in trace.rankings:
        ids = candidates.setdefault(ranking.collection, set())
        ids.update(one.id for one in ranking.found)
    return {
        "fusion": {
            "intent": plan.intent,
            "rule": plan.rule,
            "method": fusion.method,
            "across": fusion.across,
            "weights": {ask.vote: ask.weight for ask in plan.asks},
            "shares": render.shares_asked(trace),
            "candidates": {name: len(ids) for name, ids in sorted(candidates.items())},
            "merged": sum(bool(loss.into) for loss in trace.losses),
            "kinds": dict(Counter(hit.passage.kind for hit in result.hits)),
        }
    }
