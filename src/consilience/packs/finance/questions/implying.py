"""Which measure does a question mean without naming it? By its verb, its unit, or several words.

"Who sold more" means revenue, "how many tonnes" the volume, and "the cash that operations
generated" no cash at all.
"""

from __future__ import annotations

import re
from dataclasses import replace

from consilience.packs.finance.questions.counting import Unit, counted_in, unit_alone
from consilience.packs.finance.questions.mentions import Mentions
from consilience.packs.finance.questions.patterns import LONGEST, names_in, pattern
from consilience.packs.finance.questions.vocabulary import Match, Vocabulary

_COSTS = re.compile(
    r"(?i)\s(?:costs?|expenses?|expenditures?|charges?|spending|outlays?|bill|kosten|aufwand)\b"
)
_TOTAL = re.compile(
    r"(?i)^\W*(?:(?:please|can|could|you|and|now)\W+)*(?P<verb>total)(?=\s(?:up|the|its|their|all)\b)"
)
_A_WORD = re.compile(r"\S+")
_EACH = re.compile(
    r"(?i)\b(?:per|each|every|(?:did|does|has|by) (?:an?|one)|je|pro|jede[rns]?|auf einen?)\s+"
    r"(?:\S+\s+){0,2}$"
)


def without_verb(text: str) -> str:
    """A question without the word that tells to add up, where that is elsewhere part of a name:
    total the sales of Spain. As long as before.
    """
    said = _TOTAL.match(text)
    return text[: said.start("verb")] + " " * 5 + text[said.end("verb") :] if said else text


def meant(text: str, mentions: Mentions, vocabulary: Vocabulary) -> Mentions:
    """With a measure that several words mean in place of what one of them names: the cash that
    operations generated.
    """
    small = text.lower()
    for name in names_in("meant"):
        said = pattern("meant", name).search(small, 0, LONGEST)
        found = _standing(name, vocabulary)
        if said and found and len(small) == len(text):
            start, end = said.span(said.lastgroup or 0)
            whole = any(one.start <= start and end <= one.end for one in mentions.metrics)
            if not whole:
                match = replace(found, said=text[start:end], start=start, end=end, how="alias")
                others = [one for one in mentions.metrics if one.end <= start or end <= one.start]
                return replace(mentions, metrics=(match, *others))
    return mentions


def implied(text: str, vocabulary: Vocabulary) -> tuple[Match, ...]:
    """A measure that a question means by its verb: "how many people", "who sold more".

    A verb may mean several: who earns has a net income, and a country of it only an EBITDA.
    """
    small = text.lower()
    for names in names_in("implied"):
        said = pattern("implied", names).search(small, 0, LONGEST)
        if not said or len(small) != len(text):
            continue
        start, end = said.span(str(said.lastgroup))
        found = [_standing(name, vocabulary) for name in names.split("|")]
        known = [one for one in found if one]
        if known:
            worth = [round(one.score * 0.9 - 0.1 * at, 3) for at, one in enumerate(known)]
            return tuple(
                replace(one, said=text[start:end], start=start, end=end, score=score, how="alias")
                for one, score in zip(known, worth, strict=True)
            )
    return ()


def spent(text: str, vocabulary: Vocabulary) -> tuple[Match, ...]:
    """What a question says the costs of, where reports name it by itself: energy costs."""
    for said in _COSTS.finditer(text[:LONGEST]):
        words = [one.span() for one in _A_WORD.finditer(text, 0, said.start())]
        for start, _ in words[-3:]:
            name = text[start : said.start()].strip()
            for one in vocabulary.matches(name):
                if one.field == "metric" and one.how != "partial" and one.said == name:
                    end = said.end()
                    return (replace(one, said=text[start:end], start=start, end=end, how="alias"),)
    return ()


def _standing(name: str, vocabulary: Vocabulary) -> Match | None:
    """A measure by a name known everywhere, with all names of equal standing that figures have."""
    found = [
        one
        for one in vocabulary.matches(name)
        if one.field == "metric" and one.how != "partial" and one.said == name
    ]
    if not found:
        return None
    others = [one for one in vocabulary.wider(found[0]) if one.how != "partial"]
    values = dict.fromkeys(value for one in (found[0], *others) for value in one.values)
    return replace(found[0], values=tuple(values))


def shared(
    text: str, mentions: Mentions, unit: Unit | None, vocabulary: Vocabulary
) -> tuple[Mentions, Unit | None]:
    """With what is counted in a unit as what is divided, where only that which it is divided by
    is named: tonnes sold per employee.
    """
    metrics = mentions.metrics
    if not metrics or not all(_EACH.search(text, 0, one.start) for one in metrics):
        return mentions, unit
    said = unit or unit_alone(text)
    over = counted(text, said, vocabulary) if said else ()
    return (replace(mentions, metrics=(*over, *metrics)), None) if over else (mentions, unit)


def counted(text: str, unit: Unit, vocabulary: Vocabulary) -> tuple[Match, ...]:
    """What is counted in a unit, where only that is said: the m³ that were sold."""
    values = counted_in(text, unit, vocabulary.units)
    said = text[unit.start : unit.end]
    match = Match(
        said=said,
        start=unit.start,
        end=unit.end,
        field="metric",
        values=values,
        how="alias",
        score=0.9,
    )
    return (match,) if values else ()
