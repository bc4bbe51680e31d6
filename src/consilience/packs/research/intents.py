"""What kind of question is it: how things connect, what they assume, differ in, or are?

The kind decides how much a vote of the graph weighs, and whether a chain of relations belongs
among the first: who asks how two concepts connect is shown how.
"""

from __future__ import annotations

import re

from consilience.pack import Reading, Rule

# Words that ask how two things are connected, but for terms of statistics that have such words:
# relative risk, link function, dependent variable, Markov chain, back-door path.
_CONNECTING = (
    r"relat(?:e[sd]?|ing|ions?|ionships?)|connect\w*|tie[sd]?|"
    r"link(?:s|ed|ing|age)?(?![- ]function)|"
    r"(?<!markov )(?<!markov-)chains?|"
    r"(?<!door )(?<!sample )(?<!causal )paths?(?![- ](?:analy|specific|coefficient))|"
    r"depend(?:s|ed|ing)?|dependent (?:up)?on|go(?:es)? back to|lead(?:s|ing)? (?:from|to)|"
    r"comes? from"
)
CONNECTION = re.compile(rf"\b(?:{_CONNECTING}|to do with)\b", re.IGNORECASE)
"""Words of a question that asks how things are connected."""
_CONNECT = re.compile(
    rf"\b(?:{_CONNECTING}|gets? from|what (?:has|have|does|do) .+ to do with|have in common|"
    r"role (?:of|does|do)|why (?:does|do|is|are) .+ (?:need|require|use|matter))\b",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"\b(?:compar\w*|differ\w*|versus|vs\.?|better|worse|prefer\w*|rather than|instead of|"
    r"alternative\w*|trade-?offs?|distinguish\w*|contrast\w*|as opposed to|or)\b",
    re.IGNORECASE,
)
ASSUMPTION = re.compile(
    r"\b(?:assum\w*|requir\w*|condition\w*|presuppos\w*|hinge\w*|rel(?:y|ies) on|valid\w*|"
    r"hold\w*|violat\w*|fail\w*|break\w*|identif\w*|credible|justif\w*|need\w* for)\b",
    re.IGNORECASE,
)
REMEDY = re.compile(
    r"\b(?:fail\w*|violat\w*|break\w* down|(?:not|n['’]t) hold|in doubt|implausible|instead(?! of)|"
    r"alternatives? to|what (?:else|to (?:do|use)))\b",
    re.IGNORECASE,
)
REMEDIES = ("ALTERNATIVE_TO", "GENERALIZES", "ADDRESSES")
DEFINITION = re.compile(
    r"^\W*(?:what(?:'s| is| are| was)|define|definition|meaning|explain|describe|tell me)\b|"
    r"\b(?:mean(?:s|t)?|stand(?:s)? for|definition|defined|called)\b",
    re.IGNORECASE,
)
_DO = re.compile(
    r"^\W*how (?:do|does|can|could|should|would|to|many|much|large|long)\b|"
    r"\b(?:steps?|procedure|recipe|in practice|implement\w*|estimat\w+ it|comput\w*|choos\w*|"
    r"check\w*|diagnos\w*|test\w* (?:for|whether))\b",
    re.IGNORECASE,
)


def _connects(reading: Reading) -> bool:
    return reading.nodes >= 2 and bool(_CONNECT.search(reading.text))


def _compares(reading: Reading) -> bool:
    return reading.nodes >= 2 and bool(_COMPARE.search(reading.text))


RULES = (
    Rule(
        name="two concepts and a word of connection",
        intent="connection",
        fires=_connects,
        weights={"paths": 3.0, "graph": 1.0, "chains": 0.5},
        cover={"path": 3},
        reranks=False,
    ),
    Rule(
        name="a word of connection",
        intent="connection",
        fires=lambda reading: bool(CONNECTION.search(reading.text)),
        weights={"chains": 3.0},
        cover={"path": 3},
    ),
    Rule(name="two concepts to compare", intent="comparison", fires=_compares),
    Rule(
        name="it asks what to do where something fails",
        intent="remedy",
        relations=REMEDIES,
        fires=lambda reading: reading.nodes > 0 and bool(REMEDY.search(reading.text)),
    ),
    Rule(
        name="it asks what must hold",
        intent="assumption",
        relations=("REQUIRES",),
        fires=lambda reading: bool(ASSUMPTION.search(reading.text)),
    ),
    Rule(
        name="it asks how something is done",
        intent="how-to",
        fires=lambda reading: bool(_DO.search(reading.text)),
    ),
    Rule(
        name="it asks what something is",
        intent="definition",
        fires=lambda reading: bool(DEFINITION.search(reading.text)),
    ),
)
