"""How does an answer begin? With what the question asks for, from the passages that have it.

A way, a comparison, a fact of a place that is named, what is near it, a remark on it, the places
that meet all conditions, or those that suit a theme: the first of these that the question asks for
and the evidence knows. Where it knows nothing of that, the answer begins with no other thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consilience.packs.travel.answering.listing import (
    compared,
    is_comparison,
    listed,
    meeting,
    near,
    own_reasons,
    suiting,
)
from consilience.packs.travel.answering.scene import Scene, scene_of
from consilience.packs.travel.answering.telling import remarks, told_facts
from consilience.packs.travel.answering.ways import ways
from consilience.packs.travel.refusing.strangers import strangers
from consilience.types import Exhibit, Statement
from consilience.understand.names import surface


def opens(
    question: str, exhibits: Sequence[Exhibit], cells: Mapping[str, Sequence[int]]
) -> list[Statement]:
    """What answers at once; nothing where that is not known."""
    del cells  # of tables
    scene = scene_of(question, exhibits)
    if _is_elsewhere(scene):
        return []
    if found := ways(scene):
        return found
    if is_comparison(scene):
        return compared(scene)
    beside = near(scene) if scene.of_role("near") else []
    return beside or _of_places(scene)


def _is_elsewhere(scene: Scene) -> bool:
    """Whether a question names a place that nothing of the evidence speaks of."""
    known = {surface(one) for one in scene.names.values()}
    texts = [f" {surface(one.text)} " for one in scene.exhibits]
    return any(
        not any(f" {surface(name)} " in text for text in texts)
        for name in strangers(scene.rest, known)
    )


def _of_places(scene: Scene) -> list[Statement]:
    """What is wanted of a place that is named, or of those that a question looks for."""
    wanted = scene.wanted
    if scene.asked.kinds:
        return _of_a_kind(scene)
    if wanted.dishes:
        return told_facts(scene) or [*own_reasons(scene), *listed(scene)]
    if scene.of_role("in"):
        found = told_facts(scene)
        said = remarks(scene) if wanted.subjects else []
        if found or said:
            return [*found, *said]
        if wanted.subjects or (wanted.facts and not scene.limits):
            return []
    return listed(scene) or suiting(scene)


def _of_a_kind(scene: Scene) -> list[Statement]:
    """What is wanted of places of a kind: what is remarked on them, or which they are."""
    wanted = scene.wanted
    if wanted.subjects and (said := remarks(scene, meeting(scene))):
        return [*told_facts(scene), *said] if wanted.months else said
    if (wanted.price or wanted.hours) and not scene.names and not scene.limits:
        return []  # of one place in particular, which is not here
    return listed(scene) or told_facts(scene) or near(scene) or suiting(scene)
