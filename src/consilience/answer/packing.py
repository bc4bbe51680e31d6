"""How does all the evidence fit into what a writer can read? Each passage gets a fair share.

A budget of tokens is shared like water: passages that need less than an equal share take what
they need, and what they leave is shared among the others. A passage that is too long for its
share keeps the sentences that have most of the question's words, in their order. None is left
out unnoticed: where the budget cannot give each a few lines, fewer are taken, with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from consilience.answer.labels import label
from consilience.answer.markup import harmless
from consilience.answer.sentences import sentences
from consilience.names import surface
from consilience.types import Exhibit, Hit, Note, Passage

LEAST = 40
"""Tokens that every passage gets, its label included."""
_GAP = " … "
_SHORT = 4  # letters of words that tell little

Count = Callable[[Sequence[str]], Sequence[int]]
"""Tokens of each text."""


def exhibits_of(
    hits: Sequence[Hit], labels: Mapping[str, Callable[[Passage], str]] | None = None
) -> tuple[Exhibit, ...]:
    """The evidence with its marks, whole."""
    return tuple(
        Exhibit(
            mark=mark,
            passage=hit.passage,
            label=label(hit.passage, labels),
            text=harmless(hit.passage.text),
            relevance=hit.relevance,
        )
        for mark, hit in enumerate(hits, start=1)
    )


def pack(
    exhibits: Sequence[Exhibit], question: str, *, budget: int, count: Count
) -> tuple[tuple[Exhibit, ...], tuple[Note, ...]]:
    """The evidence cut to a budget of tokens, and what had to be left out for it."""
    kept = tuple(exhibits[: max(1, budget // LEAST)])
    labels = count([one.introduced for one in kept])
    needs = [a + b for a, b in zip(labels, count([one.text for one in kept]), strict=True)]
    packed = tuple(
        one if need <= share else replace(one, text=_cut(one.text, question, share - own, count))
        for one, need, share, own in zip(kept, needs, shares(needs, budget), labels, strict=True)
    )
    if len(kept) == len(exhibits):
        return packed, ()
    told = (
        f"{len(exhibits) - len(kept)} of {len(exhibits)} passages were not given to the model: "
        f"answer.tokens = {budget} has no room for them"
    )
    return packed, (Note("answer", told),)


def shares(needs: Sequence[int], budget: int) -> list[int]:
    """How many tokens each gets: what it needs, or an equal part of what the others leave."""
    given = [0] * len(needs)
    left = budget
    for done, place in enumerate(sorted(range(len(needs)), key=lambda one: needs[one])):
        given[place] = min(needs[place], left // (len(needs) - done))
        left -= given[place]
    return given


def _cut(text: str, question: str, budget: int, count: Count) -> str:
    """The sentences of a text that matter most to a question, in order, within a budget."""
    parts = [one.text for one in sentences(text)] or [text]
    sizes = [size + 1 for size in count(parts)]
    wanted = _words(question)
    order = sorted(range(len(parts)), key=lambda one: (-len(wanted & _words(parts[one])), one))
    kept: set[int] = set()
    for place in order:
        if sum(sizes[one] for one in kept) + sizes[place] <= budget:
            kept.add(place)
    if not kept:
        return _beginning(parts[order[0]], budget, count)
    return _joined(parts, kept)


def _joined(parts: Sequence[str], kept: set[int]) -> str:
    text = ""
    for place in sorted(kept):
        follows = place - 1 in kept
        text += (" " if follows else _GAP) + parts[place]
    ending = "" if len(parts) - 1 in kept else _GAP.rstrip()
    return (text.strip() if 0 not in kept else text.removeprefix(_GAP)) + ending


def _beginning(text: str, budget: int, count: Count) -> str:
    """As many words of a long sentence as fit."""
    words = text.split()
    low, high = 1, max(1, len(words))
    while low < high:
        middle = (low + high + 1) // 2
        fits = count([" ".join(words[:middle])])[0] < budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(words[:low]) + _GAP.rstrip()


def _words(text: str) -> set[str]:
    """The beginnings of the longer words of a text."""
    return {word[:6] for word in surface(text).split() if len(word) >= _SHORT}
