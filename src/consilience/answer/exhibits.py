"""Which passages is an answer written from, how are they named, and how do they fit a budget?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from consilience.answer.quotations import terms
from consilience.answer.table_rows import first_cell
from consilience.pack import PassageWriter
from consilience.settings import Answering
from consilience.text_markup import neutralize
from consilience.types import Emphasis, Exhibit, Hit, Length, Note, Passage
from consilience.understand.sentences import sentences
from consilience.understand.words import beginnings

# --- How is a passage named to a writer and a reader? -------------------------------------


LONGEST = 160
"""Letters of a label; the rest is left out."""

_WORDS = {"row": "Table", "edge": "Link"}
_BRACKETS = str.maketrans({"[": "(", "]": ")", "【": "(", "】": ")", "<": "‹", ">": "›"})
_FULL_STOP = re.compile(r"(?<!\b\w)(?<!\bSt)(?<!\bMt)(?<!\bDr)\.(?:\s|$)")


def label(passage: Passage, labels: Mapping[str, Callable[[Passage], str]] | None = None) -> str:
    """The label of a passage, by the pack's table or by its kind."""
    own = (labels or {}).get(passage.kind) or _FORMS.get(passage.kind, _prose)
    return _tidy(own(passage))


def _tidy(text: str) -> str:
    line = " ".join(text.translate(_BRACKETS).replace("`", "'").split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def _named(passage: Passage) -> str:
    return _WORDS.get(passage.kind, passage.kind.capitalize())


def _prose(passage: Passage) -> str:
    title = passage.title.replace('"', "'")
    return ", ".join(filter(None, (f'{_named(passage)} - "{title}"', _place(passage))))


def _place(passage: Passage) -> str:
    """Where it stands, without the number of the piece that it was split into."""
    return re.sub(r"(?:, )?passage \d+$", "", str(passage.locator))


def _row(passage: Passage) -> str:
    at = passage.locator
    name = passage.title or at.table or "table"
    parts = [f"{_named(passage)} - {name}"]
    if at.page is not None:
        parts.append(f"page {at.page}")
    if at.table and at.table != name:
        parts.append(f"table {at.table}")
    if at.row is not None:
        parts.append(f"row {at.row}")
    return ", ".join(parts)


def _chain(passage: Passage) -> str:
    """The arrows that a path's or link's text begins with."""
    first = passage.text.split("\n", 1)[0]
    arrows = first.rfind("→") if "→" in first else first.rfind("←")
    stop = _FULL_STOP.search(first, arrows)
    return f"{_named(passage)} - {first[: stop.start()] if stop else first}"


def _node(passage: Passage) -> str:
    name = passage.metadata.get("name") or passage.locator.node or passage.title
    return f"{_named(passage)} - {name}"


_FORMS: Mapping[str, Callable[[Passage], str]] = {
    "row": _row,
    "path": _chain,
    "edge": _chain,
    "node": _node,
}


# --- How does all the evidence fit into what a writer can read? ---------------------------


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
            text=neutralize(hit.passage.text),
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


# --- Which of what was found is an answer written from? -----------------------------------


_SHARES: Mapping[Length, Fraction] = {
    "concise": Fraction(2, 3),
    "balanced": Fraction(1),
    "in-depth": Fraction(5, 3),
}
_ROW = "row"
_LEADING = 3  # hits at the top that tell whether a list is asked for
_SIDE = 2  # hits of each of two things that are compared
_LISTED = 20  # rows of a list
_NEAR = 0.5  # the share of the best row's relevance from which others belong to its list
_FIRST = 10  # places in which the best of a kind is taken whatever its relevance


def choose(
    hits: Sequence[Hit],
    settings: Answering,
    *,
    length: Length,
    question: str = "",
    sure: Collection[str] = (),
    writers: Mapping[str, PassageWriter] | None = None,
) -> tuple[Hit, ...]:
    """The first so many that are relevant, and of every kind at least `each`; in their order.

    A hit whose relevance is not known counts as relevant, and so does the best of its kind among
    the first: kinds are found by different signs, and their relevances compare badly. So do rows
    whose names the `question` says. Where rows lead, all that are nearly as relevant are taken,
    since a list is asked for. What a source is `sure` of is always taken. Where two things are
    compared, a few are taken of each. Of a whole that the question is about, as one of the
    `writers` finds it, all pieces are taken.
    """
    wanted = max(1, round(settings.passages * _SHARES[length]))
    compared = _completing(hits, question) | _pieces(hits, question, writers or {}) | {*sure}
    taken = _best_of_each_kind(hits[:_FIRST]) | _choosing_named(hits, question) | compared
    relevant = [hit for hit in hits if hit.passage.id in taken or _relevant(hit, settings)]
    listed = _listed(relevant) | compared
    kinds: Counter[str] = Counter()
    chosen = []
    for place, hit in enumerate(relevant):
        kinds[hit.passage.kind] += 1
        each = kinds[hit.passage.kind] <= settings.each
        if place < wanted or each or hit.passage.id in listed:
            chosen.append(hit)
    return tuple(chosen)


def _choosing_named(hits: Sequence[Hit], question: str) -> set[str]:
    """The rows whose first cell the question names; a few, since many may share a name."""
    asked = set(terms(question))
    named = [
        row.passage.id
        for row in exhibits_of([hit for hit in hits if hit.passage.kind == _ROW])
        if (name := set(terms(first_cell(row)))) and name <= asked
    ]
    return set(named) if len(named) <= _LISTED else set()


def find_piece(
    hits: Sequence[Hit], question: str, writers: Mapping[str, PassageWriter]
) -> Passage | None:
    """A piece of the one whole that a question is about, if it is about one."""
    exhibits = exhibits_of(hits) if writers else ()
    for writer in writers.values():
        if pieces := writer.find_whole(exhibits, question):
            return pieces[0].passage
    return None


def _pieces(hits: Sequence[Hit], question: str, writers: Mapping[str, PassageWriter]) -> set[str]:
    """The ids of the pieces of the one whole that a question is about."""
    exhibits = exhibits_of(hits) if writers and question else ()
    return {
        exhibit.passage.id
        for writer in writers.values()
        for exhibit in writer.find_whole(exhibits, question)
    }


def _completing(hits: Sequence[Hit], question: str) -> set[str]:
    """The first few that have a word of the question which most of the first ones have not."""
    have = {hit.passage.id: set(terms(hit.passage.text)) for hit in hits}
    first = [have[hit.passage.id] for hit in hits[:_LEADING]]
    found: set[str] = set()
    for term in set(terms(question)):
        if 2 * sum(term in words for words in first) < len(first):
            found.update([key for key, words in have.items() if term in words][:_SIDE])
    return found


def _listed(hits: Sequence[Hit]) -> set[str]:
    """The rows that a list consists of, where most of the first hits are rows."""
    first = hits[:_LEADING]
    rows = [hit for hit in hits if hit.passage.kind == _ROW]
    if 2 * sum(hit.passage.kind == _ROW for hit in first) <= len(first):
        return set()
    best = max((hit.relevance or 0.0 for hit in rows), default=0.0)
    near = [hit for hit in rows if (hit.relevance or 0.0) >= _NEAR * best]
    return {hit.passage.id for hit in near[:_LISTED]}


def emphasis(
    exhibits: Sequence[Exhibit],
    wanted: Emphasis | None = None,
    writers: Mapping[str, PassageWriter] | None = None,
) -> Emphasis:
    """What the question calls for; else lines first where passages with a writer of their own are
    more than half of the evidence, each whole counted once, and ideas where they are not.
    """
    if wanted is not None:
        return wanted
    kinds = writers or {}
    passages = [exhibit.passage for exhibit in exhibits if exhibit.passage.kind in kinds]
    wholes = len({kinds[passage.kind].identity(passage) for passage in passages})
    return "lines" if wholes > len(exhibits) - len(passages) else "ideas"


def _best_of_each_kind(hits: Sequence[Hit]) -> set[str]:
    best: dict[str, str] = {}
    for hit in hits:
        best.setdefault(hit.passage.kind, hit.passage.id)
    return set(best.values())


def _relevant(hit: Hit, settings: Answering) -> bool:
    return hit.relevance is None or hit.relevance >= settings.relevant
