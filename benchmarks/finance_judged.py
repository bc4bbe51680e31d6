"""Is a number found, on the right page, and calculated right? How one question is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from consilience.measure.data_model import Fact, Question
from consilience.measure.metrics import fact_numbers, group_facts, same_document, states
from consilience.text_markup import find_marks
from consilience.types import Answer, Passage, Result
from consilience.understand.amounts import find_numbers, unit_pattern

TOP, FIRST = 5, 10
Order = tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that was seen of one question: the orders of every way, the answer, and the times."""

    question: Question
    orders: Mapping[str, Order]
    result: Result
    answer: Answer
    search_ms: float
    ask_ms: float
    sweep: Mapping[tuple[str, float], Order] = field(default_factory=dict)
    ends: tuple[bool, ...] = ()


def hits_of(result: Result) -> Order:
    """What stands in the first ten places."""
    return tuple(hit.passage for hit in result.hits[:FIRST])


def has_values(question: Question, order: Sequence[Passage], *, paged: bool) -> bool | None:
    """Whether each printed value is stated in the first places; None where there is none."""
    groups = [group for group in group_facts(question.facts) if group[0].document]
    if not groups:
        return None
    wanted = [[one if paged else replace(one, page=None) for one in group] for group in groups]
    first = order[:TOP]
    return all(any(states(fact, one) for fact in group for one in first) for group in wanted)


def has_page(question: Question, order: Sequence[Passage], places: int = TOP) -> bool | None:
    """Whether one of the first places is of a right page; None for a question without any."""
    judged = [(one.document, one.locator.page) for one in question.judgements if one.grade > 0]
    homes = judged or [(one.document, one.page) for one in question.facts if one.document]
    if not homes:
        return None
    return any(
        same_document(document, one.document) and page in (None, one.locator.page)
        for one in order[:places]
        for document, page in homes
    )


def computes(seen: Seen) -> bool | None:
    """Whether what is to be calculated stands in the beginning of the answer or a calculation.

    Exactly, or with more digits that round to those of the golden set; None where there is nothing
    to calculate.
    """
    facts = [one for one in seen.question.facts if not one.document]
    if not facts:
        return None
    opening = seen.answer.text.split("\n\n", 1)[0] if not seen.answer.abstained else ""
    hits = [hit.passage for hit in seen.result.hits[:TOP]]
    told = [opening, *(one.text for one in hits if one.kind == "calculation")]
    return all(any(_is_told(fact, text) for text in told) for fact in facts)


def _is_told(fact: Fact, text: str) -> bool:
    wanted = {abs(one) for one in fact_numbers(fact) if isinstance(one, Decimal)}
    said = {abs(one) for one in find_numbers(text) if isinstance(one, Decimal)}
    right = any(_rounds(value, to) for to in wanted for value in said)
    return right and (not fact.unit or bool(unit_pattern(fact.unit).search(text)))


def _rounds(value: Decimal, to: Decimal) -> bool:
    """Whether a number is another, or has more digits and rounds to it."""
    exponent, own = to.as_tuple().exponent, value.as_tuple().exponent
    if value == to:
        return True
    if not isinstance(exponent, int) or not isinstance(own, int) or own >= exponent:
        return False
    return any(value.quantize(to, rounding=rule) == to for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP))


def cites_page(seen: Seen) -> bool | None:
    """Whether the first citation of an answer leads to a right page; None where none is given."""
    if seen.answer.abstained or seen.question.unanswerable:
        return None
    cited = {one.mark: one.passage for one in seen.answer.citations}
    first = next((cited[mark] for mark in find_marks(seen.answer.text) if mark in cited), None)
    return has_page(seen.question, [first] if first else [])


def wrong(seen: Seen) -> list[str]:
    """What went wrong with a question, in a few words each; nothing where all is right."""
    one, hits = seen.question, hits_of(seen.result)
    if one.unanswerable:
        return [] if seen.answer.abstained else ["not refused"]
    checks = {
        "value not in 5": has_values(one, hits, paged=False),
        "page of value not in 5": has_values(one, hits, paged=True),
        "page not in 5": has_page(one, hits),
        "not computed": computes(seen),
        "first citation elsewhere": cites_page(seen),
        "refused": not seen.answer.abstained,
    }
    return [name for name, right in checks.items() if right is False]
