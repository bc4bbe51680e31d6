"""How does all the evidence fit into what a writer can read? Each passage gets a fair share.

Labels are given whole. What they leave of a budget of tokens is shared like water: passages that
need less than an equal share take what they need, and what they leave is shared among the others.
A passage that is too long for its share keeps the sentences that have most of the question's
words, in their order; a sentence that is too long, its beginning. None is left out unnoticed:
where the budget cannot give each a few lines, fewer are taken, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from consilience.answer.labels import label
from consilience.answer.sentences import sentences
from consilience.answer.words import beginnings
from consilience.markup import harmless
from consilience.types import Exhibit, Hit, Note, Passage

LEAST = 40
"""Tokens that every passage gets, its label included."""
FEW = 20
"""Tokens that every passage gets, however long its label is."""
LONG = 30
"""Letters from which a word is more than one token, even where a tokenizer does not know it."""
_GAP = " … "
_WIDE = re.compile("[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")

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
    measure = _measure(count)
    kept, room = _with_room(exhibits, budget, measure)
    needs = measure([one.text for one in kept])
    packed = tuple(
        one if need <= share else replace(one, text=_cut(one.text, question, share, measure))
        for one, need, share in zip(kept, needs, shares(needs, room), strict=True)
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


def _with_room(
    exhibits: Sequence[Exhibit], budget: int, count: Count
) -> tuple[tuple[Exhibit, ...], int]:
    """As many as have room for their labels and a few lines, and the room that labels leave."""
    labels = count([one.introduced for one in exhibits])
    kept, taken = 0, 0
    for label_size in labels:
        taken += max(LEAST, label_size + FEW)
        if taken > budget:
            break
        kept += 1
    kept = max(1, kept)
    return tuple(exhibits[:kept]), max(0, budget - sum(labels[:kept]))


def _measure(count: Count) -> Count:
    """A count that no text deceives: to some tokenizers a word of 4,000 letters is one token."""

    def counted(texts: Sequence[str]) -> list[int]:
        return [max(size, _least(text)) for size, text in zip(count(texts), texts, strict=True)]

    return counted


def _least(text: str) -> int:
    """Tokens that a text has at least: a word, a third of a long word's letters, a wide letter."""
    words = sum(1 if len(word) < LONG else len(word) // 3 for word in text.split())
    return max(words, len(_WIDE.findall(text)))


def _cut(text: str, question: str, budget: int, count: Count) -> str:
    """The sentences of a text that matter most to a question, in order, within a budget."""
    parts = [one.text for one in sentences(text)] or [text]
    sizes = [size + 1 for size in count(parts)]
    wanted = beginnings(question)
    order = sorted(range(len(parts)), key=lambda one: (-len(wanted & beginnings(parts[one])), one))
    kept: list[int] = []
    left = budget
    for place in order:
        if sizes[place] <= left:
            kept.append(place)
            left -= sizes[place]
    while kept:
        found = _joined(parts, set(kept))
        if count([found])[0] <= budget:
            return found
        kept.pop()  # the signs for what is left out need room as well
    return _beginning(parts[order[0]], budget, count)


def _joined(parts: Sequence[str], kept: set[int]) -> str:
    text = ""
    for place in sorted(kept):
        follows = place - 1 in kept
        text += (" " if follows else _GAP) + parts[place]
    ending = "" if len(parts) - 1 in kept else _GAP.rstrip()
    return (text.strip() if 0 not in kept else text.removeprefix(_GAP)) + ending


def _beginning(text: str, budget: int, count: Count) -> str:
    """As many words of a long sentence as fit; of a word that alone is too long, the letters."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count([text[:middle] + _GAP.rstrip()])[0] <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    whole = re.match(r".*(?=\s)", text[: low + 1], re.DOTALL)
    begun = whole[0] if whole and 2 * len(whole[0]) > low else text[:low]
    while begun and count([begun.rstrip() + _GAP.rstrip()])[0] > budget:
        begun = begun[:-1]  # fewer letters are rarely more tokens, but they can be
    return begun.rstrip() + _GAP.rstrip() if begun.strip() else ""
