"""Is a passage where a judgement says? Headings, pages, rows, nodes and fields compared."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from consilience.filters import holds
from consilience.measure.golden.quoting import letters
from consilience.measure.values import Judgement
from consilience.types import Filter, Locator, Passage, Value

PLACES = ("row", "node", "page", "table")
"""The parts of a place that are a single name or number, the most telling first."""
Checks = dict[str, Callable[[Passage], bool]]
"""What a judgement asks of a passage, each by the words for it."""
_CUT = "…"  # what a heading ends in that was too long for its passages


def place_of(locator: Locator) -> Hashable:
    """The place that a passage shares with others when one is lenient."""
    if locator.row is not None or locator.node is not None or locator.extra:
        return ("whole", locator.table, locator.row, locator.node, locator.extra[:1])
    if locator.page is not None:
        return ("page", locator.page)
    return ("section", locator.section)


def fits(passage: Passage, checks: Checks) -> bool:
    """Whether a passage is where a judgement says, and has the fields that it names."""
    return all(check(passage) for check in checks.values())


def checks_of(judgement: Judgement) -> Checks:
    """What a judgement asks of a passage beside its quotation."""
    place = judgement.locator
    checks: Checks = {}
    if place.section:
        told = f"under the heading {' › '.join(place.section)!r}"
        checks[told] = partial(_under, wanted=place.section)
    for name in (*PLACES, *(name for name, _ in place.extra)):
        value = place.get(name)
        if value is not None:
            checks[f"at {name} {value}"] = partial(_is_at, name=name, value=value)
    for name, wanted in judgement.fields.items():
        checks[f"with {name} = {wanted}"] = partial(_has, name=name, wanted=wanted)
    return checks


def _is_at(passage: Passage, name: str, value: object) -> bool:
    found = passage.locator.get(name)
    return bool(found == value or (isinstance(value, str) and str(found) == value))


def _has(passage: Passage, name: str, wanted: Value) -> bool:
    """Whether a field has this value; of several values, each of them."""
    every = wanted if isinstance(wanted, tuple) else (wanted,)
    found = passage.value(name)
    return all(holds(Filter(name, "=", one), found) or str(found) == str(one) for one in every)


def _under(passage: Passage, wanted: Sequence[str]) -> bool:
    """Whether the headings stand in a row in a passage's path; long ones may have been cut."""
    path = passage.locator.section
    if len(wanted) > 1 and path[:1] == (_CUT,):
        return _same_heading(path[-1], wanted[-1])
    return any(
        all(map(_same_heading, path[at:], wanted)) for at in range(len(path) - len(wanted) + 1)
    )


def _same_heading(heading: str, wanted: str) -> bool:
    ours, theirs = letters(heading).row, letters(wanted).row
    return theirs.startswith(ours) if heading.endswith(_CUT) else ours == theirs


def keys_of(value: Value) -> list[Hashable]:
    """What equal values have in common, however they are written."""
    every = value if isinstance(value, tuple) else (value,)
    keys: list[Hashable] = [str(one).casefold() for one in every]
    return [*keys, *(("number", float(one)) for one in every if isinstance(one, int | float))]
