"""In which words do texts state a relation? Verbs and set phrases, and how sure each is.

Every form stands between what relates and what it relates to; with `reverse` it is the other way
round, as in the passive: `⟦1⟧ is required by ⟦0⟧`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_BE = r"(?:is|are|was|were|be|being|been)"
_HOW = (
    r"(?:\s+(?:also|often|usually|then|therefore|thus|only|commonly|typically|sometimes|itself))*"
)
_A = r"(?:\s+(?:an?|the|one|another|two|its|their))?(?:\s+[\w-]+){0,2}?"
_OBJECT = r"(?:(?:the|an?|standard|usual|both)\s+)*"
_ONE = r"⟦\d+⟧"
_GROUP = rf"{_ONE}(?:(?:,\s*{_OBJECT}{_ONE})*,?\s+(?:and|or)\s+{_OBJECT}{_ONE})?"


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of words, the relation that it states, and how sure that is."""

    type: str
    words: str
    confidence: float
    told: str
    reverse: bool = False

    @property
    def form(self) -> re.Pattern[str]:
        """The form as it stands in a sentence."""
        return _compiled(rf"(?<![\w-])(?:{self.words})(?![\w-])")


@cache
def _compiled(words: str) -> re.Pattern[str]:
    """A pattern, made when it is first needed: few commands need any."""
    return re.compile(words)


def _passive(words: str) -> str:
    return rf"(?:{_BE}|can be|may be|must be){_HOW}\s+(?:{words})"


RULES = (
    # --- requires
    Rule("REQUIRES", r"requires?|presupposes?|presume", 0.95, "A requires B"),
    Rule("REQUIRES", r"needs?|calls? for|demands?", 0.85, "A needs B"),
    Rule("REQUIRES", r"assumes?|takes? for granted", 0.9, "A assumes B"),
    Rule(
        "REQUIRES",
        r"(?:relies|rely|rests?|hinges?)(?:\s+\w+ly)?\s+(?:on|upon)",
        0.85,
        "A relies on B",
    ),
    Rule("REQUIRES", r"depends?(?:\s+\w+ly)?\s+(?:on|upon)", 0.6, "A depends on B"),
    Rule(
        "REQUIRES",
        rf"{_BE}\s+(?:only\s+)?(?:valid|unbiased|consistent|identified|justified|credible)"
        r"(?:\s+only)?\s+(?:under|if|when|given)",
        0.7,
        "A is valid under B",
    ),
    Rule(
        "REQUIRES",
        _passive(r"(?:required|needed|assumed|demanded)\s+(?:by|for|in)"),
        0.85,
        "B is required by A",
        reverse=True,
    ),
    Rule(
        "REQUIRES",
        rf"{_BE}{_A}\s+(?:assumption|(?<!sufficient )condition|requirement|prerequisite)s?\s+"
        r"(?:of|for|behind|in|underlying)|underl(?:ies|ie)",
        0.8,
        "B is an assumption of A",
        reverse=True,
    ),
    # --- tests
    Rule("TESTS", r"tests?(?:\s+for|\s+whether)?|checks?(?:\s+for)?", 0.8, "A tests B"),
    Rule("TESTS", r"diagnoses?|detects?|probes?|assess(?:es)?|verif(?:y|ies)", 0.7, "A detects B"),
    Rule(
        "TESTS",
        rf"{_BE}{_A}\s+(?:test|check|diagnostic)s?\s+(?:of|for|on)",
        0.9,
        "A is a test of B",
    ),
    Rule(
        "TESTS",
        _passive(
            r"(?:tested|checked|assessed|detected|diagnosed|probed|verified)\s+(?:by|with|using|through)"
        ),
        0.8,
        "B is tested by A",
        reverse=True,
    ),
    # --- addresses
    Rule("ADDRESSES", r"address(?:es)?|tackles?|solves?|remed(?:y|ies)", 0.9, "A addresses B"),
    Rule(
        "ADDRESSES",
        r"corrects?(?:\s+for)?|adjusts?\s+for|accounts?\s+for|deals?\s+with|handles?|copes?\s+with|"
        r"(?:guards?|protects?)\s+against|controls?(?:\s+for)?",
        0.8,
        "A corrects for B",
    ),
    Rule(
        "ADDRESSES",
        r"removes?|reduces?(?!\s+to)|mitigates?|avoids?|eliminates?|prevents?|alleviates?|repairs?|"
        r"limits?|attenuates?",
        0.7,
        "A reduces B",
    ),
    Rule("ADDRESSES", rf"{_BE}\s+robust\s+(?:to|against)", 0.7, "A is robust to B"),
    Rule(
        "ADDRESSES",
        rf"{_BE}{_A}\s+(?:remedy|remedies|solutions?|cures?|fix|fixes|corrections?|answers?)\s+(?:for|to)",
        0.85,
        "A is a remedy for B",
    ),
    Rule(
        "ADDRESSES",
        _passive(
            r"(?:addressed|handled|removed|corrected|reduced|mitigated|avoided|eliminated|prevented|"
            r"solved|tackled)\s+(?:for\s+)?(?:by|with|using|through)"
        ),
        0.8,
        "B is addressed by A",
        reverse=True,
    ),
    # --- generalizes
    Rule("GENERALIZES", r"generali[sz]es?|nests?|subsumes?", 0.9, "A generalizes B"),
    Rule(
        "GENERALIZES", rf"{_BE}{_A}\s+generali[sz]ations?\s+of", 0.9, "A is a generalization of B"
    ),
    Rule("GENERALIZES", r"(?:reduces?|collapses?|simplif(?:y|ies))\s+to", 0.65, "A reduces to B"),
    Rule(
        "GENERALIZES",
        rf"{_BE}{_A}\s+(?:special|limiting|particular|simplest)\s+cases?\s+of",
        0.9,
        "B is a special case of A",
        reverse=True,
    ),
    Rule(
        "GENERALIZES",
        rf"{_BE}{_A}\s+(?:instance|form|type|kind|variety)s?\s+of",
        0.65,
        "B is a form of A",
        reverse=True,
    ),
    Rule(
        "GENERALIZES", _passive(r"generali[sz]ed\s+by"), 0.85, "B is generalized by A", reverse=True
    ),
    # --- extends
    Rule("EXTENDS", r"extends?|augments?|refines?|builds?\s+(?:up)?on", 0.85, "A extends B"),
    Rule(
        "EXTENDS",
        rf"{_BE}{_A}\s+(?:extension|refinement|variant|version|modification)s?\s+of",
        0.8,
        "A is an extension of B",
    ),
    Rule("EXTENDS", _passive(r"extended\s+by"), 0.8, "B is extended by A", reverse=True),
    # --- alternatives
    Rule(
        "ALTERNATIVE_TO",
        rf"(?:{_BE}{_A}|(?:as|,)\s+(?:an?|the)(?:\s+[\w-]+){{0,2}}?)\s+alternatives?\s+to",
        0.95,
        "A is an alternative to B",
    ),
    Rule(
        "ALTERNATIVE_TO",
        rf"{_BE}{_A}\s+(?:substitutes?|replacements?|rivals?|competitors?|counterparts?)\s+(?:for|to|of)|"
        r"competes?\s+with|(?:can|may)\s+replace",
        0.75,
        "A can replace B",
    ),
    # --- uses
    Rule("USES", r"uses?|employs?|exploits?|utili[sz]es?|appl(?:y|ies)|combines?", 0.8, "A uses B"),
    Rule("USES", rf"(?:{_BE}{_HOW}|,)\s+(?:based|built)\s+(?:up)?on", 0.75, "A is based on B"),
    Rule(
        "USES",
        _passive(
            r"(?:estimated|computed|fitted|obtained|calculated|implemented|constructed)\s+"
            r"(?:by|with|using|from|through)"
        ),
        0.65,
        "A is estimated by B",
    ),
    Rule(
        "USES",
        _passive(r"(?:used|employed|exploited)\s+(?:by|in)"),
        0.75,
        "B is used by A",
        reverse=True,
    ),
)

WHOLE = (
    Rule(
        "REQUIRES",
        rf"assumptions?\s+(?:of|behind|for|underlying)\s+{_OBJECT}(?P<first>{_GROUP})(?:\s+\w+)?\s+"
        rf"(?:is|are)\s+{_OBJECT}(?P<last>{_GROUP})",
        0.85,
        "the assumption of A is B",
    ),
    Rule(
        "REQUIRES",
        rf"(?:[Uu]nder|[Gg]iven)\s+{_OBJECT}(?P<last>{_GROUP}),\s+{_OBJECT}(?P<first>{_GROUP})"
        r"(?:\s+\w+)?\s+(?:is|are)\s+(?:valid|unbiased|consistent|identified)",
        0.7,
        "under B, A is valid",
    ),
    Rule(
        "ALTERNATIVE_TO",
        rf"alternatives?\s+to\s+{_OBJECT}(?P<first>{_GROUP})\s+(?:is|are)\s+{_OBJECT}(?P<last>{_GROUP})",
        0.85,
        "an alternative to A is B",
    ),
)


@cache
def any_form() -> str:
    """All forms of words that stand between two ends, as one."""
    return "|".join(one.words for one in RULES)
