"""Which number is meant by a count in words: "four", "a couple of", "half a dozen"?"""

from __future__ import annotations

from decimal import Decimal

from consilience.understand.amounts import find_number_words

_PHRASES = {
    "a": 1,
    "an": 1,
    "a single": 1,
    "single": 1,
    "a couple of": 2,
    "a couple": 2,
    "couple of": 2,
    "a few": 3,
    "few": 3,
    "several": 4,
    "half a dozen": 6,
    "a dozen": 12,
    "dozen": 12,
    "no": 0,
}
SMALL = "one|two|three|four|five|six|seven|eight|nine"
"""The numbers below ten in words."""
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|zero"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMBER = rf"(?:\d{{1,4}}|(?:{_TENS})(?:[ -](?:{SMALL}))?|{_TEENS}|{SMALL}|(?:a )?hundred)"
"""A whole number in digits or words."""
VAGUE = r"(?:a couple of|couple of|a few|few|several|half a dozen|a dozen)"
"""Words for a number that is not told exactly."""
COUNT = rf"(?:{NUMBER}|{VAGUE})"


def value(said: str) -> int:
    """What a text that `COUNT` or `a` matches stands for."""
    spelt = " ".join(said.casefold().split())
    if spelt.isdigit():
        return int(spelt)
    if spelt in _PHRASES:
        return _PHRASES[spelt]
    found = [number for _, _, number, ordinal in find_number_words(spelt) if not ordinal]
    return sum(found) if found else 1


def amount(said: str) -> Decimal:
    """An amount as people write it: `1,500`, `1.500`, `1.5`, `2 000`."""
    body = said.strip().replace(" ", "").replace("'", "")
    head, _, tail = body.replace(",", ".").rpartition(".")
    if head and len(tail) == 3 and not head.startswith("0"):
        return Decimal(body.replace(",", "").replace(".", ""))
    if head:
        return Decimal(f"{head.replace('.', '')}.{tail}")
    return Decimal(body)
