"""What does the outside see beyond a result? How it came about, and what can be looked at."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from consilience import render
from consilience.errors import UsageError
from consilience.explain import shares_asked
from consilience.service.core import Space
from consilience.service.hiding import hidden
from consilience.service.printed import cells_view
from consilience.settings import Fusion
from consilience.types import Answer, Exhibit, Figure, Passage, Result
from consilience.workspace import SAMPLE, Workspace

_LOOKED_AT, _EXAMPLES = 400, 4  # passages, and headings of them, for questions to begin with
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBERED = re.compile(r"^(?:\d{1,2}\.)*\d{1,2}\.?\s+(?=[^\W\d_])|^[A-Z]\.\s+(?=\S)")  # 2.1 Results


def result_view(space: Space, result: Result, *, bucket: str = "a") -> dict[str, Any]:
    """A list of results with how it came about, and a figure for each that can be drawn."""
    figures = [drawn(space, *one) for one in _of_hits(space.workspace, result)]
    fusion = how(space.buckets.settings[bucket].fusion, result)
    cells = hidden(cells_view(result))
    found = hidden(render.result_json(result))
    return {**found, "fusion": fusion, "drawn": figures, "cells": cells}


def answer_view(space: Space, told: Answer, *, bucket: str = "a") -> dict[str, Any]:
    """A written answer with how it came about, its figures drawn, and those of its results."""
    cited = {one.mark: one.passage.id for one in told.exhibits}
    own = [drawn(space, one, cited[one.mark]) for one in told.figures]
    return {
        **hidden(render.answer_json(told)),
        "fusion": how(space.buckets.settings[bucket].fusion, told.result),
        "figures": own,
        "drawn": [drawn(space, *one) for one in _of_hits(space.workspace, told.result)],
        "cells": hidden(cells_view(told.result)),
    }


def _of_hits(workspace: Workspace, result: Result) -> list[tuple[Figure, str]]:
    """A figure for each hit that can be drawn: what the question names, what the hit speaks of
    first, or what it comes to.
    """
    drawing = workspace.pack.answers.drawing
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


def drawn(space: Space, figure: Figure, passage: str = "") -> dict[str, Any]:
    """A figure with the addresses of its pictures: of a board, and of the moves that lead there."""
    before = ("", *(data for _, data in figure.steps))
    steps = [
        {"name": name, "data": data, "image": _image(space, figure.kind, data, name, last)}
        for (name, data), last in zip(figure.steps, before, strict=False)
    ]
    drawing = space.workspace.pack.answers.drawing
    arrived = steps and steps[-1]["data"] == figure.data
    return {
        "number": figure.number,
        "kind": figure.kind,
        "data": figure.data,
        "caption": figure.caption,
        "mark": figure.mark,
        "passage": passage,
        "image": steps[-1]["image"] if arrived else _image(space, figure.kind, figure.data),
        "steps": steps,
        "turns": drawing is not None and drawing.turned is not None,
    }


def _image(space: Space, kind: str, data: str, name: str = "", before: str = "") -> str:
    """Where the picture of a step is: what it holds, its name and what was there before."""
    parts = {"kind": kind, "data": data, "name": name, "before": before}
    told = urlencode({key: value for key, value in parts.items() if value})
    return f"/w/{space.name}/figures?{told}"


def picture(
    workspace: Workspace,
    kind: str,
    data: str,
    *,
    name: str = "",
    before: str = "",
    turned: bool = False,
) -> str:
    """The picture of what a step of a figure holds, as SVG, or as the other side sees it."""
    drawing = workspace.pack.answers.drawing
    if drawing is None:
        raise UsageError(f"the pack {workspace.pack.name!r} draws no figures")
    steps = ((("", before),) if before else ()) + (((name, data),) if name else ())
    draw = (drawing.turned if turned else None) or drawing.picture
    try:
        return draw(Figure(kind=kind, mark=0, data=data, caption="", steps=steps))
    except ValueError as error:
        raise UsageError(f"{data[:100]!r} cannot be drawn: {error}") from error


def space_view(space: Space) -> dict[str, Any]:
    """What a workspace is and holds, and questions to begin with."""
    workspace = space.workspace
    pack = workspace.pack
    return {
        "name": space.name,
        "pack": pack.name,
        "summary": pack.summary,
        "collections": workspace.catalogue.counts(),
        "examples": _examples(workspace),
        "length": workspace.settings.answer.length,
        "model": workspace.settings.models.generate,
        "jobs": space.jobs.going_on(),
    }


def _examples(workspace: Workspace) -> list[str]:
    """Questions to begin with: those of the sample where it is there, else what is written about.

    A question about lighthouses is no example to somebody who has brought other files.
    """
    if SAMPLE in workspace.catalogue.roots():
        return list(workspace.pack.examples)
    headings = workspace.catalogue.headings(_LOOKED_AT)
    titles = [one.title for one in workspace.catalogue.documents()[:_LOOKED_AT]]
    told = (_NUMBERED.sub("", " ".join(one.split())) for one in (*headings, *titles))
    fit = (one for one in told if 2 <= len(_WORD.findall(one)) <= 7)
    return list(dict.fromkeys(fit))[:_EXAMPLES]


def how(fusion: Fusion, result: Result) -> dict[str, Any]:
    """How the ranking came about: the intent, the weights, who brought how many, what merged."""
    plan, trace = result.trace.plan, result.trace
    candidates: dict[str, set[str]] = {}
    for ranking in trace.rankings:
        ids = candidates.setdefault(ranking.collection, set())
        ids.update(one.id for one in ranking.found)
    return {
        "intent": plan.intent,
        "rule": plan.rule,
        "method": fusion.method,
        "across": fusion.across,
        "weights": {ask.vote: ask.weight for ask in plan.asks},
        "shares": shares_asked(trace),
        "candidates": {name: len(ids) for name, ids in sorted(candidates.items())},
        "merged": sum(bool(loss.into) for loss in trace.losses),
        "kinds": dict(Counter(hit.passage.kind for hit in result.hits)),
    }
