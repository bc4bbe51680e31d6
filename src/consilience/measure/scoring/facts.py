"""Does a passage state a fact? The value itself, its unit, the right document and page.

How numbers are read stands in `consilience.numbers`. A value without digits must stand there as
a whole phrase; a unit alone (`EUR/ton`) is no value and is stated nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import lru_cache

from consilience.measure.values import Fact
from consilience.names import surface
from consilience.numbers import Number, is_unit, number_of, numbers_in, unit_pattern
from consilience.types import Passage

__all__ = ["has_value", "numbers_in", "numbers_of", "places_of", "same_document", "states"]

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # scripts without spaces
_number_of = lru_cache(maxsize=5_000)(number_of)


def states(fact: Fact, passage: Passage) -> bool:
    """Whether the text of a passage states a fact, in the right place where that is known.

    The unit may stand in the text, its headings or its fields, as in a table.
    """
    if fact.page not in (None, passage.locator.page):
        return False
    if fact.document and not same_document(fact.document, passage.document):
        return False
    number = _number_of(fact.value)
    if number is None:
        if not has_value(fact) or not _has_phrase(passage.text, fact.value):
            return False
        return _has_units(passage, (fact.unit,))
    spelt, unit = number
    said = numbers_in(passage.text)
    right = not spelt.isdisjoint(said)
    if not right and not fact.document and "operands" in passage.metadata:
        right = _rounds(spelt, said)  # what was calculated may have more digits than its fact
    return right and _has_units(passage, (fact.unit, unit))


def has_value(fact: Fact) -> bool:
    """Whether a fact has a value to look for at all: a number or a phrase, not a unit alone."""
    value = fact.value.strip()
    if any(letter.isdigit() for letter in value):
        return True
    known = is_unit(value) or value.casefold() == fact.unit.casefold()
    return bool(surface(value)) and not known


def numbers_of(fact: Fact) -> frozenset[Number]:
    """The number that a fact states, as `numbers_in` gives them; empty for a phrase."""
    number = _number_of(fact.value)
    return number[0] if number else frozenset()


def places_of(facts: Sequence[Fact]) -> list[tuple[Fact, ...]]:
    """Facts of one value together: the same number printed in several places is stated by one.

    A fact without a document may stand anywhere, so it is not taken for one with a place.
    """
    groups: list[list[Fact]] = []
    for fact in facts:
        own = next((group for group in groups if _is_same(group[0], fact)), None)
        if own is None:
            groups.append([fact])
        else:
            own.append(fact)
    return [tuple(group) for group in groups]


def _is_same(one: Fact, other: Fact) -> bool:
    """Whether two facts have one value, each in a place of its own."""
    if not (one.document and other.document):
        return False
    if one.unit and other.unit and one.unit.casefold() != other.unit.casefold():
        return False
    first, second = numbers_of(one), numbers_of(other)
    if first or second:
        return not first.isdisjoint(second)
    return surface(one.value) == surface(other.value)


def same_document(wanted: str, path: str) -> bool:
    """Whether a document's path is the one wanted, or ends in it: `a/b.pdf` is `b.pdf`."""
    wanted, path = wanted.replace("\\", "/").removeprefix("./"), path.replace("\\", "/")
    return path == wanted or path.endswith("/" + wanted)


def _rounds(wanted: Iterable[Number], said: Iterable[Number]) -> bool:
    """Whether a number that is said has more digits than one that is wanted, and rounds to it."""
    exact = [one for one in wanted if isinstance(one, Decimal)]
    return any(
        isinstance(one, Decimal)
        and one.as_tuple().exponent < to.as_tuple().exponent  # type: ignore[operator]
        and to in {one.quantize(to, rounding=rule) for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP)}
        for to in exact
        for one in said
    )


def _has_phrase(text: str, phrase: str) -> bool:
    wanted, said = surface(phrase), surface(text)
    if _UNSPACED.search(wanted):
        return wanted in said
    return bool(wanted) and f" {wanted} " in f" {said} "


def _has_units(passage: Passage, units: Iterable[str]) -> bool:
    wanted = [unit for unit in units if unit.strip()]
    if not wanted:
        return True
    fields = (str(part) for field in passage.metadata.items() for part in field)
    around = "\n".join((passage.text, passage.title, *passage.locator.section, *fields))
    return all(unit_pattern(unit).search(around) for unit in wanted)
