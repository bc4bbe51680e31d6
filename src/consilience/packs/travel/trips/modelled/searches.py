"""What is searched for a wish, as a language model puts it? Its words, within the reckoned bounds.

The reckoned plan says for which purposes, where, how deep and with which weight; the model says in
which words. It can neither lift a filter or an exclusion nor leave a purpose out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.modelled.asking import Asker, Task, Verdict
from consilience.packs.travel.trips.modelled.evidence import cut
from consilience.packs.travel.trips.steps import PlanRetrieval
from consilience.packs.travel.trips.types import RetrievalPlan, Search, Wish

STEP = "plan"
MOST_A_PURPOSE = 3
"""Searches that a model may have for one purpose."""
MOST_SEARCHES = 48
"""Searches of a whole plan, wherever the reckoned one has fewer."""
MOST_LETTERS = 200
LEAST_DEPTH, MOST_DEPTH = 5, 80
_LEAST_WEIGHT = 0.2
_KEPT = "must"  # what has to be found is searched as reckoned
_TASK = f"""
Plan what is searched for a trip, before anything is searched. For each purpose in `purposes` write
one to {MOST_A_PURPOSE} searches: a few words that describe the places wanted, as a guide would
describe them. `weight` tells how much a search counts beside the others of its purpose, `depth`
how many places are wanted, from {LEAST_DEPTH} to {MOST_DEPTH}.
"""


class SearchRead(BaseModel):
    """One search."""

    purpose: str = Field(max_length=60)
    text: str = Field(max_length=400)
    weight: float = Field(default=1.0, ge=0)
    depth: int = Field(default=30, ge=1)


class PlanRead(BaseModel):
    """The searches."""

    searches: list[SearchRead] = Field(max_length=MOST_SEARCHES)


class ModelledPlan:
    """The step `plan` by a language model."""

    def __init__(self, asker: Asker, reckoned: PlanRetrieval) -> None:
        self._asker = asker
        self._reckoned = reckoned

    async def __call__(self, wish: Wish, atlas: Atlas) -> RetrievalPlan:
        """What is searched."""
        plan = await self._reckoned(wish, atlas)
        purposes = purposes_of(plan)
        if not purposes:
            return plan
        task = Task(
            step=STEP,
            form=PlanRead,
            instructions=_TASK,
            wish=wish.text,
            data={
                "purposes": list(purposes),
                "themes_in_per_cent": dict(wish.themes),
                "not_wanted": list(wish.avoid.said),
                "cities": [atlas.name_of(one) for one in plan.cities or wish.cities],
            },
            judge=lambda reply: judged(reply, plan),
            atlas=atlas,
        )
        return await self._asker.ask(task) or plan


def purposes_of(plan: RetrievalPlan) -> dict[str, list[Search]]:
    """The searches of a plan that a model may word, by what they are for: `food (food)`."""
    found: dict[str, list[Search]] = {}
    for one in plan.searches:
        if one.purpose != _KEPT:
            found.setdefault(_purpose(one), []).append(one)
    return found


def _purpose(search: Search) -> str:
    """What a search is for; the food that one eats is not the theme of that name."""
    kinds = [str(one.value) for one in search.filters if one.field == "node_kind"]
    return f"{search.purpose} ({', '.join(kinds)})" if kinds else search.purpose


def judged(reply: PlanRead, plan: RetrievalPlan) -> Verdict[RetrievalPlan]:
    """The plan in the model's words, and what of the reply is set aside."""
    faults: list[str] = []
    worded: dict[str, list[SearchRead]] = {}
    purposes = purposes_of(plan)
    for one in reply.searches:
        if one.purpose not in purposes:
            known = ", ".join(purposes)
            faults.append(f"{cut(one.purpose, 40)!r} is none of the purposes {known}")
        elif not one.text.strip():
            faults.append(f"a search for {one.purpose} has no words")
        elif len(worded.setdefault(one.purpose, [])) >= _most(plan):
            faults.append(f"there are more than {_most(plan)} searches for {one.purpose}")
        else:
            worded[one.purpose].append(one)
    if not worded:
        return Verdict(None, (*faults, "no search in it is for a purpose that is wanted"))
    searches: list[Search] = []
    for search in plan.searches:
        texts = worded.get(_purpose(search)) if search.purpose != _KEPT else None
        searches += _in_words(search, texts) if texts else [search]
    return Verdict(replace(plan, searches=tuple(searches)), tuple(faults))


def _most(plan: RetrievalPlan) -> int:
    """How many searches there may be for a purpose, so that all of them stay within bounds."""
    return max(1, min(MOST_A_PURPOSE, MOST_SEARCHES // len(plan.searches)))


def _in_words(search: Search, texts: Sequence[SearchRead]) -> list[Search]:
    """A reckoned search in the model's words: its filters stay, and its weight is shared out."""
    weights = [max(_LEAST_WEIGHT, one.weight) for one in texts]
    return [
        replace(
            search,
            text=cut(one.text, MOST_LETTERS),
            weight=search.weight * weight / sum(weights),
            depth=min(max(one.depth, LEAST_DEPTH), MOST_DEPTH),
        )
        for one, weight in zip(texts, weights, strict=True)
    ]
