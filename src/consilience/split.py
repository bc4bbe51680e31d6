"""How does a document become passages? Neighbouring blocks are merged, long ones are cut.

A passage never crosses a section, a page or a kind. Within one run of blocks the cuts are
chosen by dynamic programming: least is the sum over passages of (size - target)², plus
(level · target / 10)² for each cut inside a block, where the level is 1 at a line, 2 at a
sentence, 3 at a clause, 4 at a word, 5 at a character. So pieces come out even and no tiny
tail is left; of equal sums the one with the longer last piece wins. A passage of several
pieces may pass the target by a fifth, never the limit.

What counts is `Passage.indexed`, measured in the encoder's tokens: nothing is ever cut
silently, so every passage fits its limit. Nothing is dropped, doubled or put in another order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from consilience.errors import UsageError
from consilience.types import Block, Document, Passage, passage_id

Count = Callable[[Sequence[str]], Sequence[int]]

_STRETCH = 1.2
_BETWEEN = "\n\n"
_SHORTER = (400, 200, 100, 50, 25, 12, 6, 3, 1)
_LEVELS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*\n",
        r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+(?![a-z])|(?<=[。！？])(?=\S)",
        r"(?<=[,;:—–])\s+|(?<=[，；、：])(?=\S)",
        r"\s+",
    )
)


@dataclass(frozen=True, slots=True)
class _Atom:
    """A piece that stays whole: its text, what followed it in its block, and its size.

    A piece of a cut search text may have no shown text. `cut` is the level of the boundary
    behind it, 0 where its block ended; `tried` is the first level not yet tried on it.
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
    """Atoms that may share a passage, the block that speaks for them, and the room they have."""

    block: Block
    title: str
    atoms: tuple[_Atom, ...]
    room: int
    target: int

    @property
    def text(self) -> str:
        shown = _joined((atom.text, atom.after) for atom in self.atoms if atom.text)
        return shown or self.search

    @property
    def search(self) -> str:
        if not any(atom.search for atom in self.atoms):
            return ""
        return _joined((atom.measured, atom.after) for atom in self.atoms)


def split(
    document: Document, *, collection: str, path: str, count: Count, limit: int, target: int
) -> list[Passage]:
    """The passages of a document, in order, each within `limit` tokens of `count`.

    `path` is the name that the passages keep of their document. Passages of the same id (the
    same text in the same place) are kept once. A limit that has no room for a single character
    under its heading is refused with `UsageError`.
    """
    runs = _runs(document, count=count, limit=limit, target=target)
    pieces = [piece for run in _fitted(runs, count) for piece in _partition(run)]
    unique: dict[str, Passage] = {}
    for piece in _settled(pieces, count, limit=limit):
        passage = _passage(document, piece, collection=collection, path=path)
        unique.setdefault(passage.id, passage)
    return _numbered(list(unique.values()))


# --- runs of blocks ---------------------------------------------------------------------


def _runs(document: Document, *, count: Count, limit: int, target: int) -> list[_Run]:
    blocks = [block for block in document.blocks if block.text.strip() or block.search.strip()]
    headings = _headings(document.title, blocks, count=count, limit=limit)
    groups: list[list[tuple[Block, _Atom]]] = []
    for block, atom in zip(blocks, _atoms(blocks, count), strict=True):
        if groups and _may_join(groups[-1][-1][0], block):
            groups[-1].append((block, atom))
        else:
            groups.append([(block, atom)])
    return [
        _run(
            group[0][0], [atom for _, atom in group], headings=headings, limit=limit, target=target
        )
        for group in groups
    ]


def _run(
    block: Block,
    atoms: Sequence[_Atom],
    *,
    headings: Mapping[tuple[str, ...], tuple[str, tuple[str, ...], int]],
    limit: int,
    target: int,
) -> _Run:
    title, section, used = headings[block.locator.section]
    place = replace(block.locator, section=section, part=None)
    return _Run(
        block=replace(block, locator=place),
        title=title,
        atoms=tuple(atoms),
        room=max(1, limit - used),
        target=max(1, target - used, target // 2),
    )


def _atoms(blocks: Sequence[Block], count: Count) -> Iterator[_Atom]:
    atoms = [_Atom(_trimmed(block.text) or block.search, block.search.strip()) for block in blocks]
    return _sized(atoms, count)


def _sized(atoms: Sequence[_Atom], count: Count) -> Iterator[_Atom]:
    """The atoms with their sizes, without the tokens that an encoder adds to every text."""
    if not atoms:
        return
    empty, *sizes = count(["", *(atom.measured for atom in atoms)])
    for atom, size in zip(atoms, sizes, strict=True):
        yield replace(atom, size=max(1, size - empty))


def _may_join(one: Block, other: Block) -> bool:
    return (
        not (one.whole or other.whole)
        and one.locator == other.locator
        and one.kind == other.kind
        and one.metadata == other.metadata
    )


def _headings(
    title: str, blocks: Sequence[Block], *, count: Count, limit: int
) -> dict[tuple[str, ...], tuple[str, tuple[str, ...], int]]:
    """Title, path and tokens used, by section; absurdly long ones are shortened to half of the
    limit: the path to its last section first, then the words.
    """
    sections = list(dict.fromkeys(block.locator.section for block in blocks))
    sizes = count([_heading(title, section) for section in sections]) if sections else []
    found = {}
    for section, size in zip(sections, sizes, strict=True):
        found[section] = (title, section, size)
        if size > limit // 2:
            forms = [(_short(title, n), _short_path(section, n)) for n in (10**6, *_SHORTER)]
            measured = count([_heading(*form) for form in forms])
            fits = [(*f, n) for f, n in zip(forms, measured, strict=True) if n <= limit // 2]
            found[section] = fits[0] if fits else (*forms[-1], measured[-1])
    return found


def _heading(title: str, section: tuple[str, ...]) -> str:
    return " › ".join((title, *section)) + "\n"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


def _short_path(section: tuple[str, ...], length: int) -> tuple[str, ...]:
    last = tuple(_short(text, length) for text in section[-1:])
    return ("…", *last) if len(section) > 1 else last


# --- cutting ----------------------------------------------------------------------------


def _fitted(runs: Sequence[_Run], count: Count) -> list[_Run]:
    """The runs with every atom cut until it fits; all are measured together, level by level."""
    done = list(runs)
    while over := [at for at, run in enumerate(done) if any(a.size > run.room for a in run.atoms)]:
        cut = [
            [_cut(atom) if atom.size > done[at].room else [atom] for atom in done[at].atoms]
            for at in over
        ]
        fresh = [part for run in cut for parts in run if len(parts) > 1 for part in parts]
        sized = _sized(fresh, count)
        for at, run in zip(over, cut, strict=True):
            atoms = [
                atom
                for parts in run
                for atom in (parts if len(parts) == 1 else (next(sized) for _ in parts))
            ]
            done[at] = replace(done[at], atoms=tuple(atoms))
    return done


def _cut(atom: _Atom) -> list[_Atom]:
    """An atom cut at the first level that cuts it: lines, sentences, clauses, words, halves."""
    text = atom.measured
    for level in range(atom.tried, len(_LEVELS)):
        spans = list(_spans(text, _LEVELS[level]))
        if len(spans) > 1:
            return _pieces(atom, spans, level=level + 1)
    if len(text) < 2:
        raise UsageError(
            f"no room for even {text!r} under its title within the encoder's limit; "
            "use an encoder that reads more tokens"
        )
    half = len(text) // 2
    return _pieces(atom, [(text[:half], ""), (text[half:], "")], level=len(_LEVELS) + 1)


def _spans(text: str, boundary: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    start = 0
    for match in boundary.finditer(text):
        if match.start() > start:
            yield text[start : match.start()], match[0]
            start = match.end()
    if start < len(text):
        yield text[start:], ""


def _pieces(atom: _Atom, spans: Sequence[tuple[str, str]], *, level: int) -> list[_Atom]:
    """Atoms of the spans. Where a search text was cut, the shown text is shared out alike."""
    shares = _shares(atom.text, len(spans)) if atom.search else [text for text, _ in spans]
    pieces = [
        _Atom(share, span if atom.search else "", 1, after, level, min(level, len(_LEVELS)))
        for share, (span, after) in zip(shares, spans, strict=True)
    ]
    pieces[-1] = replace(pieces[-1], after=atom.after, cut=atom.cut)
    return pieces


def _shares(text: str, number: int) -> list[str]:
    words = re.findall(r"\S+\s*", text)
    cuts = [len(words) * at // number for at in range(number + 1)]
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


def _settled(pieces: Sequence[_Run], count: Count, *, limit: int) -> list[_Run]:
    """The pieces, made smaller until each is measured to be within the limit."""
    found = [(piece, False) for piece in pieces]
    while waiting := [piece for piece, fits in found if not fits]:
        sizes = iter(count([_draft(piece).indexed for piece in waiting]))
        after: list[tuple[_Run, bool]] = []
        for piece, fits in found:
            size = limit if fits else next(sizes)
            if size <= limit:
                after.append((piece, True))
            else:
                smaller = _smaller(piece, count, limit=limit, size=size)
                after.extend((part, False) for part in smaller)
        found = after
    return [piece for piece, _ in found]


def _smaller(run: _Run, count: Count, *, limit: int, size: int) -> list[_Run]:
    """A piece that is over the limit after all, in smaller ones: joined texts may take more
    tokens than their parts.
    """
    atoms = run.atoms if len(run.atoms) > 1 else tuple(_sized(_cut(run.atoms[0]), count))
    total = sum(atom.size for atom in atoms)
    room = max(1, min(total - 1, total * limit // size))
    return _partition(replace(run, atoms=atoms, room=room, target=max(1, min(run.target, room))))


def _joined(parts: Iterator[tuple[str, str]]) -> str:
    pieces = [piece for part in parts for piece in part]
    return _trimmed("".join(pieces[:-1]))


def _trimmed(text: str) -> str:
    """Text without blank lines at its ends; the first line keeps its indent."""
    return re.sub(r"\A\s*\n", "", text).rstrip()


# --- passages ---------------------------------------------------------------------------


def _draft(run: _Run) -> Passage:
    """A passage with what is indexed and nothing else, to be measured."""
    return Passage(
        id="",
        collection="",
        document="",
        kind="",
        title=run.title,
        text=run.text,
        locator=run.block.locator,
        search=run.search,
    )


def _passage(document: Document, run: _Run, *, collection: str, path: str) -> Passage:
    kind = run.block.kind or document.kind
    place, text = run.block.locator, run.text
    metadata = {**document.metadata, **run.block.metadata}
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


def _numbered(passages: Sequence[Passage]) -> list[Passage]:
    """Parts are counted where one place has more than one passage."""
    totals = Counter(passage.locator for passage in passages)
    seen: Counter[object] = Counter()
    numbered = []
    for passage in passages:
        seen[passage.locator] += 1
        if totals[passage.locator] > 1:
            place = replace(passage.locator, part=seen[passage.locator])
            passage = replace(passage, locator=place)  # noqa: PLW2901 - the same, numbered
        numbered.append(passage)
    return numbered
