"""What kind of question is it: for places that suit, the way to one, a time, a bed, a meal, a fact?

The kind decides how much a vote of the graph weighs, whether the connections between two places
belong among the first, and which remarks are preferred. What has nothing to do with travel is told
apart, so that it can be refused (`refusing`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from consilience.pack import Reading, Rule
from consilience.packs.travel.answering.wanting import subjects_in
from consilience.packs.travel.reading import asked_kinds
from consilience.packs.travel.vocabulary import (
    features_in,
    is_travel,
    themes_in,
)
from consilience.packs.travel.wording import plain
from consilience.types import Boost, Filter

KIND = 0.25
"""What a place of a kind that is asked for gains."""
WHERE = 0.3
"""What a place gains that is in the city which the question names."""
REMARKED = 0.8
"""What a remark on the subject of the question gains."""
WALKED, ASIDE = 2.6, 0.4
"""What a vote of the graph weighs: where places are looked for that suit, and beside a fact."""
NEARBY = 6.0
"""The same where it is asked what is near a place or like it: texts hardly say that.
"""
PLACES = {"places": 2.0}
"""Whose voice counts more where places are looked for: those themselves, not what is written."""
_PATHS = {"paths": "it asks for no connection"}
WAY = re.compile(
    r"\b(?:get|getting|got|go|going|travel\w*|journey|ride|drive|driving|transfer\w*|transport\w*|"
    r"route|routes|way|trains?|railway|bus|buses|coach|flights?|fly|flying|ferr(?:y|ies)|boats?|"
    r"taxi|car|motorbike|how far|how long|distance|hours?|minutes|connect\w*|reach|arriv\w+|"
    r"departures?|depart\w*|leaves?|fastest|cheapest way|quickest|overnight|overland)\b",
    re.IGNORECASE,
)
TO_ONE = re.compile(
    r"\b(?:(?:get|getting|travel\w*|way|transport|trains?|bus|buses|flights?|fly|ferry|boat|drive|"
    r"transfer\w*|route|reach\w*) (?:to|from|there|into)|"
    r"how (?:do|can|could|should|would) (?:i|we|you|one) (?:get|reach)|reach(?:ed|ing)?\b)",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"\b(?:near|nearby|close (?:to|by)|next to|day ?-?trips?|excursions?|similar to|"
    r"alternatives? to|(?:somewhere|place|places|town|towns|city|cities) (?:else )?like)\b",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"\b(?:compar\w*|differ\w*|versus|vs\.?|better|worse|prefer\w*|rather than|instead of|or)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:when (?:is|are|should|to|do|does|can|would|in)|best (?:time|months?|season)|"
    r"weather|climate|which months?|what months?|time of (?:the )?year|rainy seasons?|monsoon|"
    r"seasons?)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=128)
def _kinds(text: str) -> frozenset[str]:
    return frozenset(kind for kind, _ in asked_kinds(text))


def _is_elsewhere(reading: Reading) -> bool:
    """Whether it has words that no guide answers, whatever else it has."""
    return not is_travel(f"trip {reading.text}")


def _suits(reading: Reading) -> bool:
    themes, features = themes_in(reading.text), features_in(reading.text)
    negated = [one.negated for one in themes] + [one.negated for one in features]
    return not all(negated) or bool(_kinds(reading.text))


def _is_advice(reading: Reading) -> bool:
    """Whether it asks for the weather, dangers, booking or local transport of a place it names."""
    text = _unnamed(reading)
    return bool(reading.nodes and subjects_in(text)) and not asked_kinds(text)


def _unnamed(reading: Reading) -> str:
    """The question without the names of places: a "City" in one asks for no city."""
    text = reading.text
    for one in sorted({one.surface for one in reading.mentions}, key=len, reverse=True):
        form = r"\b" + r"\W+".join(map(re.escape, one.split())) + r"\b"
        for match in reversed([*re.finditer(form, plain(text))]):
            text = f"{text[: match.start()]}_{text[match.end() :]}"
    return text


RULES = (
    Rule(
        name="nothing in it is about travel",
        intent="elsewhere",
        fires=_is_elsewhere,
        exact=True,
        skips={**_PATHS, "graph": "nothing in it is about travel"},
        expands=False,
    ),
    Rule(
        name="two places and a word of going",
        intent="way",
        fires=lambda reading: reading.nodes >= 2 and bool(WAY.search(reading.text)),
        weights={"paths": 3.0, "graph": ASIDE},
        cover={"edge": 2},
        relations=("CONNECTED_TO",),
    ),
    Rule(
        name="the way to a place",
        intent="way",
        fires=lambda reading: reading.nodes == 1 and bool(TO_ONE.search(reading.text)),
        weights={"paths": 1.0, "graph": ASIDE},
        cover={"edge": 3},
        relations=("CONNECTED_TO",),
    ),
    Rule(
        name="two places to compare",
        intent="comparison",
        fires=lambda reading: reading.nodes >= 2 and bool(_COMPARE.search(reading.text)),
        weights={"graph": ASIDE},
        skips=_PATHS,
    ),
    Rule(
        name="what is near a place, or like it",
        intent="near",
        fires=lambda reading: reading.nodes >= 1 and bool(_NEAR.search(reading.text)),
        weights={"graph": NEARBY},
        shares=PLACES,
        skips=_PATHS,
        reranks=False,
    ),
    Rule(
        name="it asks when to go",
        intent="season",
        fires=lambda reading: bool(_WHEN.search(reading.text)),
        weights={"graph": ASIDE},
        skips=_PATHS,
    ),
    Rule(
        name="it asks what to know of a place",
        intent="advice",
        fires=_is_advice,
        weights={"graph": ASIDE},
        skips=_PATHS,
    ),
    Rule(
        name="it asks for a place to stay",
        intent="stay",
        fires=lambda reading: "stay" in _kinds(_unnamed(reading)),
        weights={"graph": WALKED},
        shares=PLACES,
        skips=_PATHS,
    ),
    Rule(
        name="it asks for a place to eat",
        intent="food",
        fires=lambda reading: "food" in _kinds(_unnamed(reading)),
        weights={"graph": WALKED},
        shares=PLACES,
        skips=_PATHS,
    ),
    Rule(
        name="it asks what suits",
        intent="theme",
        fires=_suits,
        weights={"graph": WALKED},
        shares=PLACES,
        skips=_PATHS,
    ),
    Rule(
        name="it asks for a fact",
        intent="fact",
        fires=lambda reading: True,
        weights={"graph": ASIDE},
        skips=_PATHS,
    ),
)


def route(reading: Reading) -> Rule | None:
    """The first rule that fires; where it is asked what to know of a place, what is remarked on it
    is looked at apart.
    """
    rule = next((one for one in RULES if one.fires(reading)), None)
    if rule is None or rule.intent not in ("advice", "season") or not _is_advice(reading):
        return rule
    named = {one.value for one in reading.mentions if one.role == "node"}
    again = Filter("about", "=", named.pop()) if len(named) == 1 else None
    return replace(rule, cover={"text": 2}, window=3, again=again)


def boosts(reading: Reading) -> tuple[Boost, ...]:
    """Soft preferences: the kind of place asked for, the city named, remarks on the subject."""
    found = [
        Boost(
            condition=Filter("node_kind", "=", kind),
            factor=KIND,
            reason=f"the question asks for places of the kind {kind}",
        )
        for kind in sorted(_kinds(_unnamed(reading)))
    ]
    found += [
        Boost(
            condition=Filter("topic", "=", topic),
            factor=REMARKED,
            reason=f"the question asks about {topic.replace('_', ' ')}",
        )
        for topic in subjects_in(_unnamed(reading))
    ]
    named = dict.fromkeys(one.value for one in reading.mentions if one.role == "node")
    found += [
        Boost(condition=Filter(field, "=", node), factor=WHERE, reason=f"it {said} {node}")
        for node in named
        for field, said in _preferred(reading)
    ]
    return tuple(found)


def _preferred(reading: Reading) -> list[tuple[str, str]]:
    """Of places that are named, what is preferred: what is in them and about them, and they
    themselves where they are compared or nothing in them is looked for.
    """
    if _NEAR.search(reading.text):
        return [("about", "is about")]
    compared = reading.nodes >= 2 and bool(_COMPARE.search(reading.text))
    own = [("node", "is")] if compared or not _suits(reading) else []
    return [*own, ("city", "is in"), ("about", "is about")]
