"""Of which kind is a question: for a figure, or for words? And what of the evidence does it prefer?

A figure is looked up in the tables by SQL; a question for words is not, since no number answers
it. What a question says of company, time and section is a soft preference for what stands in such
reports: nothing is left out by it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consilience.pack import Reading, Rule, has_words
from consilience.packs.finance.data_model import BETWEEN
from consilience.packs.finance.notation.periods import read_periods
from consilience.packs.finance.questions.asking import Wanted, read
from consilience.packs.finance.questions.spelling import is_light, words_of
from consilience.packs.finance.questions.topics import topics_of
from consilience.packs.finance.questions.vocabulary import Vocabulary
from consilience.types import Boost, Filter, Passage, Topic

PREFERRED = 0.3
"""What a passage gains by standing in a report of the company, time or section that is named."""
LOOKED_UP, MEANING = 3.0, 0.5
"""What a vote of SQL and one of meaning weigh. Rows of tables are alike in meaning and differ in
names and times; both were chosen on questions to choose with (`benchmarks/finance_real.py`).
"""
WORDS = 0.3
"""What a paragraph gains where a question asks for words."""
WIDER = 3
"""How many times as many passages are looked at for words: rows of tables crowd them out."""
DEFINED = 0.5
"""What it gains where something is to be defined and it stands among definitions."""
Names = tuple[str, ...]
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n")
_FILLING = frozenset({"amount", "cost", "expense", "figure", "level", "number", "value"})
"""Words of names that prose leaves out: energy is hedged, and not its cost."""
_KNOWN = ("metric", "entity", "company")
_SECTIONS = """
accounting policies, accounting principles, accounting standards, acquisitions, auditor's report,
balance sheet, basis of preparation, cash flow statement, contingencies, corporate governance,
critical accounting estimates, definitions, glossary, going concern, governance report, highlights,
income statement, key audit matters, legal proceedings, letter to shareholders, liquidity,
management's discussion, off-balance-sheet arrangements, outlook, related parties,
remuneration report, risk factors, risk management, risks, strategy, subsequent events
"""
_SECTION = re.compile(
    r"\b(?:" + "|".join(" ".join(one.split()) for one in _SECTIONS.split(",")) + r")\b",
    re.IGNORECASE,
)

_TEXT = Boost(
    condition=Filter("kind", "=", "report"), factor=WORDS, reason="the question asks for words"
)
_DEFINED = re.compile(
    r"\b(?:defin\w+|meaning of|meant by|means?\b(?!\s+of)|stands? for|counts? (?:as|towards?)|"
    r"included? in|worked out|"
    r"consists? of|comprises?|calculated|computed|depreciated|amorti[sz]ed|written off|"
    r"recogni[sz]ed|accounted for|measured|valued|translated|treated|useful li(?:fe|ves)|"
    r"books? \w+(?: \w+)? as|definiert|bedeutet|versteht|berechnet|abgeschrieben|bewertet)\b",
    re.IGNORECASE,
)
_DEFINING = (
    *("definition", "glossar", "polic", "principles", "basis of", "notes to"),
    *("hinweise", "bilanzierung", "grundsätze"),
)
_FIGURE = Rule(
    name="it asks for a figure",
    intent="figure",
    fires=lambda reading: _wanted(reading).asks_figure,
    weights={"sql": LOOKED_UP, "dense": MEANING},
)
_DEFINITION = Rule(
    name="it asks what something means, or how it is counted",
    intent="definition",
    fires=lambda reading: bool(_DEFINED.search(reading.text)),
    weights={"dense": MEANING},
    skips={"sql": "the question asks for no figure"},
    prefers=(
        _TEXT,
        *(
            Boost(
                condition=Filter("section", "contains", name),
                factor=DEFINED,
                reason="definitions and policies stand there",
            )
            for name in _DEFINING
        ),
    ),
    again=_TEXT.condition,
    window=WIDER,
)
_WORDS = Rule(
    name="it asks for words, not for a figure",
    intent="prose",
    fires=lambda reading: True,
    weights={"dense": MEANING},
    skips={"sql": "the question asks for no figure"},
    prefers=(_TEXT,),
    again=_TEXT.condition,
    window=WIDER,
)


def route(reading: Reading) -> Rule:
    """What kind of question it is, by how it is put and what it names."""
    return next(rule for rule in (_FIGURE, _DEFINITION, _WORDS) if rule.fires(reading))


def boosts(reading: Reading) -> tuple[Boost, ...]:
    """That reports of the company, time and section that a question names come before others."""
    named = (
        Boost(
            condition=Filter(field, "contains" if field == "section" else "=", value),
            factor=PREFERRED,
            reason=f"the question names the {field} {value}",
        )
        for field, values in about(reading).items()
        for value in values
    )
    return tuple(named)


def about(reading: Reading) -> dict[str, tuple[str, ...]]:
    """What a question says of itself: which company, which one time, which section.

    Of several times none is the one that the report must be for.
    """
    wanted = _wanted(reading)
    company = dict.fromkeys(name for one in wanted.companies for name in one.values[:1])
    periods = dict.fromkeys(one.key for one in wanted.periods)
    one_time = tuple(periods) if len(periods) == 1 else ()
    section = dict.fromkeys(one[0] for one in _SECTION.finditer(reading.text))
    return {"company": tuple(company), "period": one_time, "section": tuple(section)}


def absent(reading: Reading) -> tuple[str, ...]:
    """What a question for words names that no report is known to be about; for a figure the source
    of figures says so itself.
    """
    wanted = _wanted(reading)
    return () if wanted.asks_figure else wanted.absent


def topics(reading: Reading) -> tuple[Topic, ...]:
    """What evidence must speak of to answer a question."""
    return topics_of(_wanted(reading))


def has(passage: Passage, identifier: str) -> bool:
    """Whether a passage speaks of something: a time in any spelling, else the very words, or a
    sentence with all of them that tell something.
    """
    if has_words(passage, identifier) or _in_one_sentence(passage, identifier):
        return True
    wanted = {one.period.key for one in read_periods(identifier) if one.period}
    if not wanted:
        return False
    told = (passage.title, *passage.locator.section, passage.text)
    return wanted <= {one.period.key for text in told for one in read_periods(text) if one.period}


def _in_one_sentence(passage: Passage, name: str) -> bool:
    """Whether a sentence has the telling words of a longer name: a dividend of 0.8 per share."""
    keys = {word.key for word in words_of(name)}
    telling = {key for key in keys if not (is_light(key) or key in _FILLING)}
    if len(keys) < 2 or not telling or any(letter.isdigit() for letter in name):
        return False
    for sentence in _SENTENCE.split(passage.text):
        told = {word.key for word in words_of(sentence)}
        if all(any(_alike(one, other) for other in told) for one in telling):
            return True
    return False


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: grazing cows, and cows that graze."""
    least = max(4, min(len(one), len(other)) - 2)
    return one == other or (len(one) >= least and one[:least] == other[:least])


def _wanted(reading: Reading) -> Wanted:
    return _read(reading.text, *(tuple(reading.known(field)) for field in _KNOWN))


@lru_cache(maxsize=64)
def _read(text: str, *known: Names) -> Wanted:
    return read(text, _vocabulary(*known))


@lru_cache(maxsize=4)
def _vocabulary(metrics: Names, entities: Names, companies: Names) -> Vocabulary:
    """The names that rows are known by."""
    parts = {part for one in entities for part in one.split(BETWEEN)}
    values = {"metric": metrics, "entity": sorted(parts), "company": companies}
    return Vocabulary.of(
        {field: dict.fromkeys(names, 1) for field, names in values.items()}, periods={}
    )
