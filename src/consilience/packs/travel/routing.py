"""What kind of question is it: a way, a comparison, what is near, a time, places that suit, a fact?

The kind decides how much the graph weighs beside the texts and which passages are preferred. What
is understood comes from the names in the question and the terms of the pack's vocabulary.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest

from consilience.pack import Reading, Rule
from consilience.packs.travel.terms import find_terms, plain
from consilience.types import Boost, Filter

KIND = 0.25
"""What a place of a kind that is asked for gains."""
WHERE = 0.3
"""What a place gains that is in the city which the question names."""
REMARKED = 0.8
"""What a remark on the topic of the question gains."""
FOLLOWED, ASIDE, NEARBY = 2.6, 0.4, 6.0
"""The weight of the graph: for places that suit, beside a fact, and for what is near a place."""
PLACES = {"places": 2.0}
"""Where places are looked for, they themselves count more than what is written about them."""
_NO_PATHS = {"paths": "it asks for no connection"}
_TRAVELS = re.compile(
    r"\b(?:get|go|going|travel\w*|journey|ride|drive|transfer\w*|transport\w*|routes?|way|trains?|"
    r"bus|buses|coach|flights?|fly|ferr(?:y|ies)|boats?|taxi|car|motorbike|how (?:far|long)|"
    r"distance|hours?|minutes|connect\w*|reach|arriv\w+|depart\w*|leaves?|fastest|overnight)\b",
    re.IGNORECASE,
)
_TRAVELS_TO = re.compile(
    r"\b(?:get|getting|travel\w*|way|transport|trains?|bus|buses|flights?|fly|ferry|boat|drive|"
    r"transfer\w*|route|reach\w*) (?:to|from|there|into)\b|"
    r"\bhow \w+ (?:i|we|you|one) (?:get|reach)",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"\b(?:near|nearby|close (?:to|by)|next to|day ?-?trips?|excursions?|similar to|"
    r"alternatives? to|(?:somewhere|places?|towns?|city|cities) (?:else )?like)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:compar\w*|differ\w*|versus|vs\.?|better|worse|prefer\w*|or)\b", re.IGNORECASE
)
_TOPICS = {
    "season": r"\b(?:when (?:is|are|should|to|do|does|can|would|in)|best (?:time|months?|season)|"
    r"weather|climate|which months?|time of (?:the )?year|seasons?|monsoon|rain\w*)\b",
    "safety": r"\b(?:safe\w*|danger\w*|scams?|theft|steal\w*|pickpocket\w*|crime|risk\w*)\b",
    "getting_around": r"\b(?:get(?:ting)? around|local transport|taxis?|rent\w*|hire|hiring)\b",
    "booking": r"\b(?:book\w*|reserv\w+|in advance|tickets?)\b",
}


_ITINERARY = re.compile(
    r"\b(?:itinerary|plan (?:me|us|my|our|a|an)\b|[\w-]+[- ](?:days?|nights?|weeks?) "
    r"(?:in|around|through|trip|tour)\b)",
    re.IGNORECASE,
)


def asks_itinerary(text: str) -> bool:
    """Whether a question asks for a plan of days, which is the planner's business."""
    return bool(_ITINERARY.search(text))


def asks_near(text: str) -> bool:
    """Whether a question asks for what is near a place, or like it, rather than in it."""
    return bool(_NEAR.search(text))


def asked_kinds(text: str) -> list[tuple[str, str]]:
    """The kinds of places that a question speaks of, with types: a beach hotel is a hotel."""
    terms = [term for term in find_terms(text, ("kind",)) if not term.negated]
    heads = [term for term, after in zip_longest(terms, terms[1:])
             if after is None or term.start == after.start
             or text[term.end : after.start].strip(" -")]  # fmt: skip
    return [(kind, of_type) for kind, _, of_type in (t.name.partition("/") for t in heads)]


def _without_names(reading: Reading) -> str:
    """The question without the names of places: a "City" in one asks for no city."""
    text = reading.text
    for name in sorted({mention.surface for mention in reading.mentions}, key=len, reverse=True):
        form = r"\b" + r"\W+".join(map(re.escape, name.split())) + r"\b"
        for match in reversed([*re.finditer(form, plain(text))]):
            text = f"{text[: match.start()]}_{text[match.end() :]}"
    return text


def _kinds(reading: Reading) -> frozenset[str]:
    return frozenset(kind for kind, _ in asked_kinds(_without_names(reading)))


def _suits(reading: Reading) -> bool:
    terms = find_terms(reading.text, ("theme", "attribute"))
    return any(not term.negated for term in terms) or bool(_kinds(reading))


def _topics(reading: Reading) -> list[str]:
    text = _without_names(reading)
    return [topic for topic, words in _TOPICS.items() if re.search(words, text, re.IGNORECASE)]


def _asks_topic(reading: Reading) -> bool:
    return bool(reading.nodes and _topics(reading)) and not _kinds(reading)


RULES = (
    Rule(
        name="two places and a word of going",
        intent="way",
        fires=lambda reading: reading.nodes >= 2 and bool(_TRAVELS.search(reading.text)),
        weights={"paths": 3.0, "graph": ASIDE},
        cover={"edge": 2},
        relations=("CONNECTED_TO",),
    ),
    Rule(
        name="the way to a place",
        intent="way",
        fires=lambda reading: reading.nodes == 1 and bool(_TRAVELS_TO.search(reading.text)),
        weights={"paths": 1.0, "graph": ASIDE},
        cover={"edge": 3},
        relations=("CONNECTED_TO",),
    ),
    Rule(
        name="two places to compare",
        intent="comparison",
        fires=lambda reading: reading.nodes >= 2 and bool(_COMPARES.search(reading.text)),
        weights={"graph": ASIDE},
        skips=_NO_PATHS,
    ),
    Rule(
        name="what is near a place, or like it",
        intent="near",
        fires=lambda reading: reading.nodes >= 1 and bool(_NEAR.search(reading.text)),
        weights={"graph": NEARBY},
        shares=PLACES,
        skips=_NO_PATHS,
        reranks=False,
    ),
    Rule(
        name="it asks when to go",
        intent="season",
        fires=lambda reading: "season" in _topics(reading),
        weights={"graph": ASIDE},
        skips=_NO_PATHS,
    ),
    Rule(
        name="it asks what to know of a place",
        intent="advice",
        fires=_asks_topic,
        weights={"graph": ASIDE},
        skips=_NO_PATHS,
    ),
    *(
        Rule(
            name=f"it asks for a place to {verb}",
            intent=kind,
            fires=lambda reading, kind=kind: kind in _kinds(reading),  # type: ignore[misc]
            weights={"graph": FOLLOWED},
            shares=PLACES,
            skips=_NO_PATHS,
        )
        for kind, verb in (("stay", "stay"), ("food", "eat"))
    ),
    Rule(
        name="it asks what suits",
        intent="theme",
        fires=_suits,
        weights={"graph": FOLLOWED},
        shares=PLACES,
        skips=_NO_PATHS,
    ),
    Rule(
        name="it asks for a fact",
        intent="fact",
        fires=lambda reading: True,
        weights={"graph": ASIDE},
        skips=_NO_PATHS,
    ),
)


def route(reading: Reading) -> Rule | None:
    """The first rule that fires; what is remarked on a named place is searched a second time."""
    rule = next((rule for rule in RULES if rule.fires(reading)), None)
    if rule is None or rule.intent not in ("advice", "season") or not _asks_topic(reading):
        return rule
    named = {mention.value for mention in reading.mentions if mention.role == "node"}
    again = Filter("about", "=", named.pop()) if len(named) == 1 else None
    return replace(rule, cover={"text": 2}, window=3, again=again)


def boosts(reading: Reading) -> tuple[Boost, ...]:
    """Soft preferences: the kind of place asked for, the place named, remarks on the topic."""
    preferred = [
        ("node_kind", kind, KIND, f"the question asks for places of the kind {kind}")
        for kind in sorted(_kinds(reading))
    ]
    preferred += [
        ("topic", topic, REMARKED, f"the question asks about {topic.replace('_', ' ')}")
        for topic in _topics(reading)
    ]
    fields = ["about"] if _NEAR.search(reading.text) else ["city", "about"]
    compares = reading.nodes >= 2 and bool(_COMPARES.search(reading.text))
    if "city" in fields and (compares or not _suits(reading)):
        fields.insert(0, "node")
    named = dict.fromkeys(mention.value for mention in reading.mentions if mention.role == "node")
    reasons = {"node": "it is", "city": "it is in", "about": "it is about"}
    preferred += [
        (field, node, WHERE, f"{reasons[field]} {node}") for node in named for field in fields
    ]
    return tuple(
        Boost(condition=Filter(field, "=", value), factor=factor, reason=reason)
        for field, value, factor, reason in preferred
    )
