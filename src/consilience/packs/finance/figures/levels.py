"""Which entities compete when a question asks for the highest? Countries, where one is asked for.

In a table of countries and their divisions, "which country" is answered by a country and not by
a division in it. What is a country is known by its name; divisions are what is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.packs.finance.figures.rows import compared, is_total
from consilience.packs.finance.figures.selecting import Fact
from consilience.packs.finance.questions.aliases import country_names
from consilience.packs.finance.questions.spelling import joined, words_of

_ASKED = {
    "country": re.compile(r"(?i)\b(?:countr(?:y|ies)|nations?|länder[ns]?)\b|\bwelche[sm] land\b"),
    "division": re.compile(
        r"(?i)\b(?:divisions?|segments?|business(?:es)?(?: (?:units?|lines?|areas?))?|products?|"
        r"product lines?|brands?|categor(?:y|ies)|units?|sparten?|segmente|geschäftsbereiche?)\b"
    ),
}


def level_asked(question: str) -> str:
    """The kind of entity that a question asks for, empty where it says none or both."""
    said = [name for name, form in _ASKED.items() if form.search(question)]
    return said[0] if len(said) == 1 else ""


def is_of_level(fact: Fact, asked: str) -> bool:
    """Whether a number is of one entity of the kind that is asked for: a country may stand within
    its region.
    """
    own = _own(fact)
    if not own:
        return False
    country = joined(words_of(own[-1])) in country_names()
    return country if asked == "country" else len(own) == 1 and not country


def of_level(facts: Sequence[Fact], asked: str) -> tuple[Fact, ...]:
    """One number for each entity: of the kind that is asked for, else of the outermost level.

    What is a total is left out.
    """
    single = [one for one in facts if one.parts and not is_total(compared(one.parts[-1]))]
    chosen = _each([one for one in single if is_of_level(one, asked)]) if asked else ()
    if len({_own(one)[-1] for one in chosen}) < len(chosen):  # a country within its divisions
        chosen = tuple(one for one in chosen if len(_own(one)) == 1)
    if len(chosen) > 1:
        return chosen
    least = min((len(one.parts) for one in single), default=0)
    return _each([one for one in single if len(one.parts) == least])


def _own(fact: Fact) -> list[str]:
    """The parts of its entity that are no totals."""
    return [part for part in map(compared, fact.parts) if not is_total(part)]


def _each(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    found: dict[tuple[str, ...], Fact] = {}
    for one in facts:
        found.setdefault(tuple(map(compared, one.parts)), one)
    return tuple(found.values())
