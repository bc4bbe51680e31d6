"""Of which kind is a question: for a figure, or for words? And what of the evidence does it prefer?

Every question is put to every source. One for a figure is looked up in the tables, one for words
prefers paragraphs, and the company, time and section that a question names come before others:
nothing is left out by it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consilience.pack import Reading, Rule, has_words
from consilience.packs.finance.figures.companies import Companies
from consilience.packs.finance.figures.lexicon import Lexicon
from consilience.packs.finance.figures.query import FigureQuery, parse_query
from consilience.packs.finance.figures.vocabulary import Vocabulary
from consilience.packs.finance.notation.periods import read_periods
from consilience.types import Boost, Filter, Passage

COMPANY, PREFERRED = 1.0, 0.3
"""What a passage gains by standing in a report of the company, time or section that is named."""
LOOKED_UP = 2.0
"""What a vote of SQL weighs where a figure is asked for."""
WORDS = 0.3
"""What a paragraph gains where a question asks for words."""
_SECTIONS = re.compile(
    r"\b(?:accounting policies|glossary|definitions|risk factors|outlook|strategy|"
    r"legal proceedings|liquidity|subsequent events|governance report|risk report)\b",
    re.IGNORECASE,
)
_TEXT = Boost(
    condition=Filter("kind", "=", "report"), factor=WORDS, reason="the question asks for words"
)
_FIGURE = Rule(
    name="it asks for a figure",
    intent="figure",
    fires=lambda reading: parsed(reading).asks_figure,
    weights={"sql": LOOKED_UP},
)
_DEFINITION = Rule(
    name="it asks what something means, or how it is counted",
    intent="definition",
    fires=lambda reading: parsed(reading).wants_definition,
    prefers=(_TEXT,),
    again=_TEXT.condition,
    window=3,
)
_WORDS = Rule(
    name="it asks for words, not for a figure",
    intent="prose",
    fires=lambda reading: True,
    prefers=(_TEXT,),
    again=_TEXT.condition,
    window=3,
)


def route(reading: Reading) -> Rule:
    """What kind of question it is, by how it is put and what it names."""
    return next(rule for rule in (_FIGURE, _DEFINITION, _WORDS) if rule.fires(reading))


def boosts(reading: Reading) -> tuple[Boost, ...]:
    """That reports of the company, time and section that a question names come before others."""
    return tuple(
        Boost(
            condition=Filter(field, "contains" if field == "section" else "=", value),
            factor=COMPANY if field == "company" else PREFERRED,
            reason=f"the question names the {field} {value}",
        )
        for field, values in about(reading).items()
        for value in values
    )


def about(reading: Reading) -> dict[str, tuple[str, ...]]:
    """What a question says of itself: which company, which one time, which section.

    Of several times none is the one that the report must be for.
    """
    query = parsed(reading)
    periods = tuple(dict.fromkeys(one.key for one in query.periods))
    section = dict.fromkeys(one[0] for one in _SECTIONS.finditer(reading.text))
    return {
        "company": query.companies,
        "period": periods if len(periods) == 1 else (),
        "section": tuple(section),
    }


def absent(reading: Reading) -> tuple[str, ...]:
    """Names in a question for words that no report is known to be about; of a question for a
    figure the source of figures says so itself.
    """
    query = parsed(reading)
    return () if query.asks_figure else query.unknown


def has(passage: Passage, identifier: str) -> bool:
    """Whether a passage has something: the very words, or a time in any spelling."""
    if has_words(passage, identifier):
        return True
    wanted = {one.period.key for one in read_periods(identifier) if one.period}
    texts = (passage.title, *passage.locator.section, passage.text)
    said = {one.period.key for text in texts for one in read_periods(text) if one.period}
    return bool(wanted) and wanted <= said


def parsed(reading: Reading) -> FigureQuery:
    """The question as a typed query, by the names that rows are known by."""
    known = (tuple(reading.known(field)) for field in ("metric", "entity", "company"))
    return _parsed(reading.text, *known)


@lru_cache(maxsize=64)
def _parsed(
    text: str, metrics: tuple[str, ...], entities: tuple[str, ...], companies: tuple[str, ...]
) -> FigureQuery:
    return parse_query(text, _lexicon(metrics, entities, companies))


@lru_cache(maxsize=4)
def _lexicon(
    metrics: tuple[str, ...], entities: tuple[str, ...], companies: tuple[str, ...]
) -> Lexicon:
    names = (*metrics, *entities)
    return Lexicon.of_names(names, Companies(companies), Vocabulary())
