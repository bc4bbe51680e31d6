"""Which hits are the same thing twice? By identity of their kind first, then by their words.

A pack says what makes two passages of a kind the same (a record by its key fields) and which copy
is worth more (the one with more notes): that one takes the place. Other texts are the same when
they differ in a few words only. A record (a node, an edge, a path, a row) says something with
every word, so only an exact copy is the same. Of copies worth the same the best-placed stays. The
hit that stays keeps the ids of the others.

For speed all pairs are compared at once by hashed words: a word is one of 1,024 bits. That is
enough to find pairs worth a closer look, and to spread hits (`refine.diversify`). The hash is
stable between processes, so the same hits give the same order everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from consilience.kinds import graph_kinds
from consilience.types import Change, Hit, Loss, Passage

Overlaps: TypeAlias = NDArray[np.float64]
SAME_TEXT = "the same text"
SIMILAR_TEXT = "nearly the same text"
_LOOKS = 100  # texts that are compared closely with one hit, at most
_SLACK = 0.05  # by which the overlap of hashed words may be too low
_BITS = 1024
_BLOCK = 32  # rows compared with all others at a time
_WORD = re.compile(rb"[0-9a-z_\x80-\xff]+")  # of a text in lower case, as UTF-8
# What must be the same to the letter: numbers with their signs and units, comparisons, arrows.
_EXACT = re.compile(r"\S*[\d<>=≤≥≠→←±$€£¥%]\S*")
_AROUND = ".,;:!?()[]{}\"'“”‘’*_|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """How copies are recognised, by kind of passage: the key two copies share, and their worth."""

    identities: Mapping[str, Callable[[Passage], str]] = field(default_factory=dict)
    worth: Mapping[str, Callable[[Passage], float]] = field(default_factory=dict)

    def better(self, passage: Passage, other: Passage) -> bool:
        """Whether a copy is worth more than the other."""
        worth = self.worth.get(passage.kind)
        return worth is not None and worth(passage) > worth(other)


@dataclass(slots=True)
class _Kept:
    """The hits kept so far, their places in the whole list, and the names of all seen so far."""

    hits: list[Hit] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    names: dict[tuple[str, ...], int] = field(default_factory=dict)


def merge_copies(
    hits: Sequence[Hit], copies: Copies, *, threshold: float
) -> tuple[list[Hit], list[Loss]]:
    """Merge copies into the best-placed one, or the one that is worth more in its place.

    Texts are merged from `threshold` of common words on, but never when a number differs or
    words have moved. At a threshold of 1 only the same text is merged, whatever its case and
    spacing. The identity that a pack defines for a kind holds at any threshold.
    """
    kept, losses = _Kept(), []
    shared = overlaps([hit.passage for hit in hits]) if threshold < 1 else None
    for place, hit in enumerate(hits):
        name, reason = _name(hit.passage, copies)
        twin = kept.names.get(name)
        if twin is None and shared is not None and reason == SAME_TEXT:
            twin, reason = _find_similar(place, hit, kept, shared, threshold), SIMILAR_TEXT
        kept.names[name] = len(kept.hits) if twin is None else twin
        if twin is None:
            kept.hits.append(hit)
            kept.places.append(place)
            continue
        best, rest = kept.hits[twin], hit
        if copies.better(hit.passage, best.passage):
            change = Change(
                step="dedupe",
                delta=best.score - hit.score,
                reason="the copy that tells more takes the place",
            )
            best, rest = replace(hit, score=best.score, changes=(*hit.changes, change)), best
        merged = (*best.merged, rest.passage.id, *rest.merged)
        kept.hits[twin] = replace(best, merged=tuple(dict.fromkeys(merged)))
        losses.append(Loss(id=rest.passage.id, step="dedupe", reason=reason, into=best.passage.id))
    into = {loss.id: loss.into for loss in losses}
    return kept.hits, [replace(loss, into=_last(loss.into, into)) for loss in losses]


def _last(key: str, into: Mapping[str, str]) -> str:
    """The hit that is kept in the end: a copy may itself be merged later."""
    while key in into:
        key = into[key]
    return key


def _name(passage: Passage, copies: Copies) -> tuple[tuple[str, ...], str]:
    """What exact copies have in common, and the reason to show when they are merged.

    The title of a record counts too: two edges may have the same text.
    """
    kind = passage.kind
    identify = copies.identities.get(kind)
    if identify is not None:
        return ("thing", kind, identify(passage)), f"the same {kind}"
    title = normalise(passage.title) if _is_record(kind) else ""
    return ("text", kind, title, normalise(passage.text)), SAME_TEXT


def _is_record(kind: str) -> bool:
    return kind in graph_kinds() | {"path", "row"}


def _find_similar(
    place: int, hit: Hit, kept: _Kept, shared: Overlaps, threshold: float
) -> int | None:
    """The best-placed hit of the same kind that differs in a few words only."""
    text, kind = hit.passage.text, hit.passage.kind
    if _is_record(kind):
        return None
    alike = shared[place, kept.places] >= threshold - _SLACK
    for twin in alike.nonzero()[0][:_LOOKS].tolist():
        best = kept.hits[twin].passage
        if best.kind == kind and is_near_copy(best.text, text, threshold=threshold):
            return int(twin)
    return None


# --- overlap of texts ---------------------------------------------------------------------


def overlaps(passages: Sequence[Passage]) -> Overlaps:
    """The share of common words of every pair: 0 none, 1 all (Jaccard, hashed)."""
    if not passages:
        return np.zeros((0, 0))
    rows = np.frombuffer(b"".join(_hashed(passage.text) for passage in passages), dtype=np.uint64)
    rows = rows.reshape(len(passages), -1)
    common = np.empty((len(rows), len(rows)))
    for start in range(0, len(rows), _BLOCK):  # all at once, a thousand would take 128 MB
        both = rows[start : start + _BLOCK, None, :] & rows[None, :, :]
        common[start : start + _BLOCK] = np.bitwise_count(both).sum(axis=2, dtype=np.uint16)
    sizes = common.diagonal()
    union = sizes[:, None] + sizes[None, :] - common
    shares: Overlaps = np.divide(common, union, out=np.ones_like(common), where=union > 0)
    return shares


def normalise(text: str) -> str:
    """A text for comparison: case, spacing and forms of the same letter do not count."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_near_copy(first: str, second: str, *, threshold: float) -> bool:
    """Whether two texts differ in a few words only.

    At least `threshold` of their words are common, no number, comparison or arrow differs, and
    no word has moved: "Anna beat Boris" is not "Boris beat Anna". So without the words that one
    has more often than the other, both are the same.
    """
    ours, theirs = _parse(first), _parse(second)
    if ours.exact != theirs.exact:
        return False
    common = len(ours.counts.keys() & theirs.counts.keys())
    if common < threshold * (len(ours.counts) + len(theirs.counts) - common):
        return False
    uneven = {word for word, _ in ours.counts.items() ^ theirs.counts.items()}
    return ours.without(uneven) == theirs.without(uneven)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text in order, their counts, and what must match exactly."""

    words: tuple[bytes, ...]
    counts: Counter[bytes]
    exact: frozenset[str]

    def without(self, excluded: set[bytes]) -> list[bytes]:
        return [word for word in self.words if word not in excluded]


@lru_cache(maxsize=5_000)
def _parse(text: str) -> _Words:
    words = _split(text)
    exact = frozenset(match.strip(_AROUND) for match in _EXACT.findall(normalise(text)))
    return _Words(tuple(words), Counter(words), exact)


def _split(text: str) -> list[bytes]:
    return _WORD.findall(text.casefold().encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=50_000)
def _hashed(text: str) -> bytes:
    flags = np.zeros(_BITS, dtype=np.uint8)
    words = _split(text)
    flags[np.fromiter(map(crc32, words), dtype=np.uint32, count=len(words)) % _BITS] = 1
    return np.packbits(flags).tobytes()
