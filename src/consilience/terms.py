"""Which words are added to a question, and how many? Pure: terms in, terms out.

The words of the terms are no more than those of the question, so that it never more than doubles.
An abbreviation counts as the words that it stands for: `What is ATT?` says `What is the average
treatment effect on the treated?`, and has room for that name. A question of one word gets one term
whatever its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from consilience.names import other_number, surface
from consilience.types import Term


def chosen(
    told: Sequence[Term], aliases: Sequence[Term], near: Sequence[Term], question: str
) -> tuple[Term, ...]:
    """The terms that a question gets: what was told of it and other names of nodes in turn, by the
    names of the question they are for, then what is near.
    """
    spelt = told or [one for one in aliases if stands_for(one)][:1]
    room = _length(question) + _longer(spelt)
    names = _new((*told, *aliases), question)
    rest = _new((*names, *near), question)[len(names) :]
    return _fitting([*_in_turn(names), *_in_turn(rest)], room)


def stands_for(term: Term) -> bool:
    """Whether a term is what its origin abbreviates: a code, or letters of it in their order."""
    short, long = surface(term.origin), surface(term.text)
    if " " in short or term.replaces:
        return term.replaces
    letters = iter(long)
    begins = f" {short[:1]}" in f" {long}"
    return not short.isalpha() or (begins and all(letter in letters for letter in short))


def spelling(names: Sequence[Term]) -> list[Term]:
    """Names of one thing, the first of those that its origin abbreviates marked as such."""
    first = next((one for one in names if stands_for(one) and " " in surface(one.text)), None)
    return [replace(one, spells=True) if one is first else one for one in names]


def _new(terms: Iterable[Term], question: str) -> list[Term]:
    """Those that neither the question nor another term has, in singular or plural."""
    asked = f" {surface(question)} "
    found: dict[str, Term] = {}
    for term in terms:
        spelt = surface(term.text)
        forms = (spelt, *other_number(spelt))
        if not any(f" {form} " in asked or form in found for form in forms):
            found[spelt] = term
    return list(found.values())


def _in_turn(terms: Sequence[Term]) -> list[Term]:
    """The first term of each name of the question, then the second ones, and so on."""
    turns: Counter[str] = Counter()
    placed: list[tuple[int, Term]] = []
    for term in terms:
        placed.append((turns[surface(term.origin)], term))
        turns[surface(term.origin)] += 1
    return [term for _, term in sorted(placed, key=lambda pair: pair[0])]


def _fitting(terms: Iterable[Term], room: int) -> tuple[Term, ...]:
    """As many terms as have room, counted in words; one that is too long leaves it to others."""
    kept: list[Term] = []
    for term in terms:
        size = _length(term.text)
        if size <= room or (room == 1 and not kept):
            kept.append(term)
            room -= size
    return tuple(kept)


def _longer(terms: Sequence[Term]) -> int:
    """How many words a question is longer with its abbreviations spelt out."""
    most: dict[str, float] = {}
    for term in terms:
        most[term.origin] = max(most.get(term.origin, 0.0), term.weight)
    best = [one for one in terms if one.weight == most[one.origin] and stands_for(one)]
    return sum(_length(one.text) for one in best) - len({one.origin for one in best})


def _length(text: str) -> int:
    return len(surface(text).split())
