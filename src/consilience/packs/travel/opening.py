"""How does an answer begin? With what the question asks for, from the passages that have it.

A way, a comparison, a fact of a place that is named, what is near it, a remark on it, the places
that meet all conditions, or those that suit a theme: the first of these that the question asks for
and the evidence knows. Where it knows nothing of that, the answer begins with no other thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consilience.packs.travel.answering.listing import (
    compared,
    listed,
    meeting,
    near,
    own_reasons,
    suiting,
)
from consilience.packs.travel.answering.scene import Scene, scene_of
from consilience.packs.travel.answering.telling import remarks, told_facts
from consilience.packs.travel.answering.ways import ways
from consilience.types import Exhibit, Statement


def opens(
    question: str, exhibits: Sequence[Exhibit], cells: Mapping[str, Sequence[int]]
) -> list[Statement]:
    """What answers at once; nothing where that is not known."""
    del cells  # of tables
    scene = scene_of(question, exhibits)
    return ways(scene) or compared(scene) or near(scene) or _of_places(scene)


def _of_places(scene: Scene) -> list[Statement]:
    """What is wanted of a place that is named, or of those that a question looks for."""
    wanted = scene.wanted
    if scene.asked.kinds:
        said = remarks(scene, meeting(scene)) if wanted.subjects else []
        return said or listed(scene) or told_facts(scene) or suiting(scene)
    if wanted.dishes:
        return told_facts(scene) or [*own_reasons(scene), *listed(scene)]
    if wanted.facts or wanted.subjects:
        found = told_facts(scene)
        said = remarks(scene) if wanted.subjects else []
        if found or said:
            return [*found, *said]
        if wanted.subjects or not scene.limits:
            return []
    return listed(scene) or suiting(scene)
