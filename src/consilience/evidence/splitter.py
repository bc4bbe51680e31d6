"""How does a document become passages? Neighbouring blocks are merged, long ones are cut.

A passage never crosses a section, a page or a kind. Within one run of blocks the cuts are chosen by
dynamic programming. They minimise the sum over passages of (size - target)², plus
(level · target / 10)² for each cut inside a block, where the level is 1 at a line, 2 at a sentence,
3 at a clause, 4 at a word, 5 at a character. So pieces come out even and no tiny tail is left; of
equal sums the one with the longer last piece wins. A passage of several pieces may exceed the
target by a fifth, never the limit.

The size is that of `Passage.indexed` in the encoder's tokens. Every passage fits the limit, and
that of `size_limits` in letters, so nothing is ever truncated silently. Nothing is dropped, doubled
or reordered.

A large document is split part by part, to bound memory. A block that stands alone is measured once,
as it will be indexed; most fit as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from consilience.errors import UsageError
from consilience.evidence.size_limits import (
    LETTERS,
    Count,
    least_tokens,
    limit_blocks,
    limit_count,
    limit_fields,
    short,
)
from consilience.protocols import Room
from consilience.types import Block, Document, Locator, Passage, indexed, passage_id

_WORD = re.compile(r"\S{1,64}\s*")  # a longer word is shared out in pieces
_BOUNDARIES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\s)\s*\n",
        r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+(?![a-z])|(?<=[。！？])(?=\S)",
        r"(?<=[,;:—–])\s+|(?<=[，；、：])(?=\S)",
        r"\s+",
    )
)
"""Where a text may be cut, the best first: lines, sentences, clauses, words. Each pattern reads a
run of spaces once, however long it is.
"""
_STRETCH = 1.2
_GROUPS_AT_A_TIME = 2000  # bounds memory
_BETWEEN = "\n\n"
_BLANK = re.compile(r"\A\s*\n")
_SHORTER = (400, 200, 100, 50, 25, 12, 6, 3, 1)


@dataclass(frozen=True, slots=True)
class _Atom:
    """A piece that stays whole: its text, what followed it in its block, and its size.

    A piece of a cut search text may have no shown text. `cut` is the level of the boundary behind
    it, 0 where its block ended; `tried` is the first level not yet tried on it.
    """

    text: str
    search: str = ""
    size: int = 1
    after: str = _BETWEEN
    cut: int = 0
    tried: int = 0

    @property
    def measured(self) -> str:
        return self.search or self.text


@dataclass(frozen=True, slots=True)
class _Run:
    """Atoms that may share a passage, the block that stands for them, and the room they have."""

    block: Block
    title: str
    atoms: tuple[_Atom, ...]
    room: int
    target: int

    @property
    def text(self) -> str:
        if len(self.atoms) == 1:
            return _trimmed(self.atoms[0].text) or self.search
        shown = _join_parts((atom.text, atom.after) for atom in self.atoms if atom.text)
        return shown or self.search

    @property
    def search(self) -> str:
        if not any(atom.search for atom in self.atoms):
            return ""
        return _join_parts((atom.measured, atom.after) for atom in self.atoms)


def split(document: Document, *, collection: str, path: str, room: Room) -> list[Passage]:
    """The passages of a document, in order, each within `room`.

    `path` is the document that the passages name. Passages of the same id (the same text in the
    same place) are kept once. A limit without room for a single character under its heading is
    refused with `UsageError`.
    """
    unique: dict[str, Passage] = {}
    room = replace(room, count=limit_count(room.count, limit=room.limit))
    document = replace(
        document, title=short(document.title), metadata=limit_fields(document.metadata)
    )
    for groups in _group_blocks(limit_blocks(document.blocks)):
        for run in _split_groups(document, groups, room):
            passage = _make_passage(document, run, collection=collection, path=path)
            unique.setdefault(passage.id, passage)
    return _number_parts(list(unique.values()))


# --- runs of blocks ---------------------------------------------------------------------


def _group_blocks(blocks: Iterable[Block]) -> Iterator[list[list[Block]]]:
    """Groups of blocks that may share a passage, many groups at a time."""
    groups: list[list[Block]] = []
    for block in blocks:
        if not (block.text.strip() or block.search.strip()):
            continue
        if groups and _may_join(groups[-1][-1], block):
            groups[-1].append(block)
            continue
        if len(groups) >= _GROUPS_AT_A_TIME:
            yield groups
            groups = []
        groups.append([block])
    if groups:
        yield groups


def _split_groups(document: Document, groups: Sequence[list[Block]], room: Room) -> list[_Run]:
    """One run of atoms for each passage of these groups, in order."""
    whole = _fit_whole(document.title, groups, room.count, limit=room.limit)
    rest = [group for at, group in enumerate(groups) if at not in whole]
    fitted = iter(_cut_to_fit(_make_runs(document.title, rest, room), room.count))
    pieces = [
        (piece, at in whole)
        for at in range(len(groups))
        for piece in ([whole[at]] if at in whole else _partition(next(fitted)))
    ]
    return _shrink_to_fit(pieces, room.count, limit=room.limit)


def _fit_whole(
    title: str, groups: Sequence[list[Block]], count: Count, *, limit: int
) -> dict[int, _Run]:
    """The groups of a single block that is within the limit as it stands."""
    alone = {
        at: _Run(_unnumbered(group[0]), title, (_atom(group[0]),), room=limit, target=limit)
        for at, group in enumerate(groups)
        if len(group) == 1
    }
    sizes = _measure_runs(list(alone.values()), count)
    return {at: run for (at, run), size in zip(alone.items(), sizes, strict=True) if size <= limit}


def _make_runs(title: str, groups: Sequence[list[Block]], room: Room) -> list[_Run]:
    blocks = [block for group in groups for block in group]
    headings = _headings(title, blocks, count=room.count, limit=room.limit)
    atoms = _measure_atoms([_atom(block) for block in blocks], room.count)
    runs = []
    for group in groups:
        name, section, used = headings[group[0].locator.section]
        place = replace(group[0].locator, section=section, part=None)
        block, parts = replace(group[0], locator=place), tuple(next(atoms) for _ in group)
        aim = max(1, room.target - used, room.target // 2)
        runs.append(_Run(block, name, parts, room=max(1, room.limit - used), target=aim))
    return runs


def _unnumbered(block: Block) -> Block:
    """The block without the number of its part, which is given at the end."""
    place = block.locator
    return block if place.part is None else replace(block, locator=replace(place, part=None))


def _atom(block: Block) -> _Atom:
    return _Atom(_trimmed(block.text) or block.search, block.search.strip())


def _measure_atoms(atoms: Sequence[_Atom], count: Count) -> Iterator[_Atom]:
    """The atoms with their sizes, without the tokens that an encoder adds to every text."""
    if not atoms:
        return
    empty, *sizes = count(["", *(atom.measured for atom in atoms)])
    for atom, size in zip(atoms, sizes, strict=True):
        own = max(1, size - empty, least_tokens(atom.text) if atom.search else 0)
        yield _Atom(atom.text, atom.search, own, atom.after, atom.cut, atom.tried)


def _may_join(before: Block, block: Block) -> bool:
    return (
        not (before.whole or block.whole)
        and before.locator == block.locator
        and before.kind == block.kind
        and before.metadata == block.metadata
    )


def _headings(
    title: str, blocks: Sequence[Block], *, count: Count, limit: int
) -> dict[tuple[str, ...], tuple[str, tuple[str, ...], int]]:
    """Title, path and tokens used, by section; very long ones are shortened to half of the limit:
    the path to its last section first, then the words.
    """
    sections = list(dict.fromkeys(block.locator.section for block in blocks))
    sizes = count([_heading(title, section) for section in sections]) if sections else []
    found = {}
    for section, size in zip(sections, sizes, strict=True):
        found[section] = (title, section, max(size, least_tokens(_heading(title, section))))
        if size > limit // 2:
            forms = [(short(title, n), _short_path(section, n)) for n in (10**6, *_SHORTER)]
            measured = count([_heading(*form) for form in forms])
            fits = [(*f, n) for f, n in zip(forms, measured, strict=True) if n <= limit // 2]
            found[section] = fits[0] if fits else (*forms[-1], measured[-1])
    return found


def _heading(title: str, section: tuple[str, ...]) -> str:
    return indexed(title, section, "")


def _short_path(section: tuple[str, ...], length: int) -> tuple[str, ...]:
    last = tuple(short(text, length) for text in section[-1:])
    return ("…", *last) if len(section) > 1 else last


# --- cutting ----------------------------------------------------------------------------


def _cut_to_fit(runs: Sequence[_Run], count: Count) -> list[_Run]:
    """The runs with every atom cut until it fits; all are measured together, level by level."""
    done = list(runs)
    while over := [at for at, run in enumerate(done) if any(a.size > run.room for a in run.atoms)]:
        cut = [
            [
                _cut(atom, done[at].room) if atom.size > done[at].room else [atom]
                for atom in done[at].atoms
            ]
            for at in over
        ]
        fresh = [part for run in cut for parts in run if len(parts) > 1 for part in parts]
        sized = _measure_atoms(fresh, count)
        for at, run in zip(over, cut, strict=True):
            atoms = [
                atom
                for parts in run
                for atom in (parts if len(parts) == 1 else (next(sized) for _ in parts))
            ]
            done[at] = replace(done[at], atoms=tuple(atoms))
    return done


def _cut(atom: _Atom, room: int) -> list[_Atom]:
    """An atom cut at the first level that cuts it: lines, sentences, clauses, words, letters.

    Letters are cut in halves, or at once in as many pieces as a text of that length must have.
    """
    if least_tokens(atom.text) > max(room, least_tokens(atom.measured)):
        swapped = _cut(replace(atom, text=atom.search, search=atom.text), room)
        return [replace(piece, text=piece.measured, search=piece.text) for piece in swapped]
    text = atom.measured
    for level in range(atom.tried, len(_BOUNDARIES)):
        spans = list(_split_spans(text, _BOUNDARIES[level]))
        if len(spans) > 1:
            return _make_atoms(atom, spans, level=level + 1)
    if len(text) < 2:
        raise UsageError(
            f"no room for even {text!r} under its title within the encoder's limit; "
            "use an encoder that reads more tokens"
        )
    half, most = len(text) // 2, room * LETTERS
    ends = [half, len(text)] if half <= most else [*range(most, len(text), most), len(text)]
    spans = [(text[start:end], "") for start, end in pairwise([0, *ends])]
    return _make_atoms(atom, spans, level=len(_BOUNDARIES) + 1)


def _make_atoms(atom: _Atom, spans: Sequence[tuple[str, str]], *, level: int) -> list[_Atom]:
    """Atoms of the spans. Where a search text was cut, the shown text is divided alike."""
    shown = _share_text(atom.text, spans) if atom.search else [text for text, _ in spans]
    pieces = [
        _Atom(share, span if atom.search else "", 1, after, level, min(level, len(_BOUNDARIES)))
        for share, (span, after) in zip(shown, spans, strict=True)
    ]
    pieces[-1] = replace(pieces[-1], after=atom.after, cut=atom.cut)
    return pieces


def _split_spans(text: str, boundary: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The pieces of a text between boundaries, each with the boundary behind it."""
    start = 0
    for match in boundary.finditer(text):
        if match.start() > start:
            yield text[start : match.start()], match[0]
            start = match.end()
    if start < len(text):
        yield text[start:], ""


def _share_text(text: str, pieces: Sequence[tuple[str, str]]) -> list[str]:
    """A shown text in pieces that go with those of its search text, by their words."""
    words = _WORD.findall(text)
    counts = [len(_WORD.findall(span)) for span, _ in pieces]
    sums = [0, *accumulate(counts)]
    cuts = [len(words) * at // (sums[-1] or 1) for at in sums]
    return ["".join(words[a:b]).strip() for a, b in pairwise(cuts)]


# --- merging ----------------------------------------------------------------------------


def _partition(run: _Run) -> list[_Run]:
    """The run in pieces of about its target; see the formula at the top of the module."""
    atoms, target = run.atoms, run.target
    most = min(run.room, _STRETCH * target)
    costs: list[float] = [0.0]
    begins: list[int] = []
    for end in range(1, len(atoms) + 1):
        best, begin, size = float("inf"), end - 1, 0
        for start in range(end - 1, -1, -1):
            size += atoms[start].size
            if size > most and start < end - 1:
                break
            cost = costs[start] + (size - target) ** 2
            if cost <= best:
                best, begin = cost, start
        costs.append(best + (atoms[end - 1].cut * target / 10) ** 2)
        begins.append(begin)
    pieces: list[_Run] = []
    end = len(atoms)
    while end:
        begin = begins[end - 1]
        pieces.append(replace(run, atoms=atoms[begin:end]))
        end = begin
    return pieces[::-1]


def _shrink_to_fit(pieces: list[tuple[_Run, bool]], count: Count, *, limit: int) -> list[_Run]:
    """The pieces, those not known to fit split further until each measures within the limit."""
    while waiting := [piece for piece, fits in pieces if not fits]:
        sizes = iter(_measure_runs(waiting, count))
        after: list[tuple[_Run, bool]] = []
        for piece, fits in pieces:
            size = limit if fits else next(sizes)
            if size <= limit:
                after.append((piece, True))
            else:
                smaller = _split_again(piece, count, limit=limit, size=size)
                after.extend((part, False) for part in smaller)
        pieces = after
    return [piece for piece, _ in pieces]


def _split_again(run: _Run, count: Count, *, limit: int, size: int) -> list[_Run]:
    """A piece that is over the limit after all, in smaller ones: joined texts may take more
    tokens than their parts.
    """
    atoms = (
        run.atoms
        if len(run.atoms) > 1
        else tuple(_measure_atoms(_cut(run.atoms[0], run.room), count))
    )
    total = sum(atom.size for atom in atoms)
    room = max(1, min(total - 1, total * limit // size))
    return _partition(replace(run, atoms=atoms, room=room, target=max(1, min(run.target, room))))


def _join_parts(parts: Iterator[tuple[str, str]]) -> str:
    pieces = [piece for part in parts for piece in part]
    return _trimmed("".join(pieces[:-1]))


def _trimmed(text: str) -> str:
    """Text without blank lines at its ends; the first line keeps its indent."""
    return _BLANK.sub("", text).rstrip()


# --- passages ---------------------------------------------------------------------------


def _indexed(run: _Run) -> str:
    """What `Passage.indexed` will be."""
    return indexed(run.title, run.block.locator.section, run.search or run.text)


def _measure_runs(runs: Sequence[_Run], count: Count) -> list[int]:
    """The sizes of future passages; a text that is shown and not searched is limited as well."""
    sizes = count([_indexed(run) for run in runs]) if runs else ()
    return [
        max(size, least_tokens(run.text)) if run.search else size
        for size, run in zip(sizes, runs, strict=True)
    ]


def _make_passage(document: Document, run: _Run, *, collection: str, path: str) -> Passage:
    kind = run.block.kind or document.kind
    place, text = run.block.locator, run.text
    metadata = run.block.metadata
    if document.metadata:
        metadata = {**document.metadata, **metadata}
    return Passage(
        id=passage_id(collection, kind, run.title, place, text, metadata),
        collection=collection,
        document=path,
        kind=kind,
        title=run.title,
        text=text,
        locator=place,
        metadata=metadata,
        search=run.search,
    )


def _number_parts(passages: Sequence[Passage]) -> list[Passage]:
    """Parts are counted where one place has more than one passage."""
    places: dict[Locator, list[int]] = {}
    for at, passage in enumerate(passages):
        places.setdefault(passage.locator, []).append(at)
    numbered = list(passages)
    for place, same_place in places.items():
        if len(same_place) > 1:
            for part, at in enumerate(same_place, start=1):
                numbered[at] = replace(passages[at], locator=replace(place, part=part))
    return numbered
