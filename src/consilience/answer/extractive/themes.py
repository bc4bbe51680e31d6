"""What parts does an answer have? Passages of one section or of like content go together.

Rows of one table, links of a graph and games are parts of their own. There are at most so many
parts as the length of the answer bears: the most alike are joined until that is so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.scoring import LINKS
from consilience.answer.extractive.wording import said, telling_heading, titled
from consilience.types import Exhibit, Length

PARTS: Mapping[Length, int] = {"concise": 3, "balanced": 4, "in-depth": 7}
"""Parts of prose in an answer."""
ALIKE = 0.6
"""The share of words from which passages of two documents are one part."""
SAME_DOCUMENT = 0.3
SAME_CHAPTER = 0.3


@dataclass(frozen=True, slots=True)
class Theme:
    """A part of an answer: what kind it is, its heading, and its exhibits in order."""

    kind: str
    heading: str
    exhibits: tuple[Exhibit, ...]

    @property
    def marks(self) -> tuple[int, ...]:
        """The marks of its exhibits."""
        return tuple(one.mark for one in self.exhibits)


def themes(exhibits: Sequence[Exhibit], length: Length) -> list[Theme]:
    """The parts, in the order of their best passages; every exhibit is in one of them."""
    prose = [one for one in exhibits if kind_of(one) == "prose"]
    found = [*_joined(_prose(prose, PARTS[length])), *_others(exhibits)]
    return sorted(found, key=lambda theme: theme.marks)


def kind_of(exhibit: Exhibit) -> str:
    """`prose`, `rows`, `links` or `games`."""
    kind = exhibit.passage.kind
    if kind in LINKS:
        return "links"
    return {"row": "rows", "game": "games"}.get(kind, "prose")


def _others(exhibits: Sequence[Exhibit]) -> list[Theme]:
    groups: dict[tuple[str, str], list[Exhibit]] = {}
    for one in exhibits:
        kind = kind_of(one)
        if kind == "rows":
            table = one.passage.locator.table or one.passage.title
            groups.setdefault((kind, table), []).append(one)
        elif kind != "prose":
            groups.setdefault((kind, ""), []).append(one)
    names = {"links": "Connections", "games": "Games"}
    return [
        Theme(kind, names.get(kind) or f"In the table “{said(table)}”", tuple(group))
        for (kind, table), group in groups.items()
    ]


def _prose(exhibits: Sequence[Exhibit], most: int) -> list[Theme]:
    groups: dict[tuple[str, ...], list[Exhibit]] = {}
    for one in exhibits:
        passage = one.passage
        key = (passage.collection, passage.document, *passage.locator.section)
        groups.setdefault(key, []).append(one)
    parts = [tuple(group) for group in groups.values()]
    words = {one.mark: _words(one) for one in exhibits}
    while len(parts) > 1:
        score, first, second = max(
            (_likeness(parts[a], parts[b], words), -a, -b)
            for a in range(len(parts))
            for b in range(a + 1, len(parts))
        )
        if len(parts) <= most and score < ALIKE + SAME_DOCUMENT:
            break
        joined = sorted((*parts[-first], *parts[-second]), key=lambda one: one.mark)
        parts = [part for at, part in enumerate(parts) if at not in (-first, -second)]
        parts.append(tuple(joined))
    return [Theme("prose", _named(part), part) for part in parts]


def _words(exhibit: Exhibit) -> frozenset[str]:
    return frozenset(term for term in terms(exhibit.passage.text) if len(term) > 3)


def _likeness(
    one: Sequence[Exhibit], other: Sequence[Exhibit], held: Mapping[int, frozenset[str]]
) -> float:
    first, second = (
        frozenset().union(*(held[exhibit.mark] for exhibit in group)) for group in (one, other)
    )
    words = len(first & second) / max(1, min(len(first), len(second)))
    a, b = one[0].passage, other[0].passage
    if a.document != b.document:
        return words
    chapter = a.locator.section[:1] == b.locator.section[:1] and bool(a.locator.section)
    return words + SAME_DOCUMENT + (SAME_CHAPTER if chapter else 0.0)


def _named(part: Sequence[Exhibit]) -> str:
    """The heading that all passages share, else the document's, else that of the best."""
    places = [one.passage.locator.section for one in part]
    shared = places[0]
    for place in places[1:]:
        while place[: len(shared)] != shared:
            shared = shared[:-1]
    passage = part[0].passage
    if len({one.passage.document for one in part}) == 1:
        passage = replace(passage, locator=replace(passage.locator, section=shared))
    return telling_heading(passage) or titled(passage.title)


def _joined(found: Sequence[Theme]) -> list[Theme]:
    """Parts with one heading are one part."""
    groups: dict[str, list[Exhibit]] = {}
    for theme in found:
        groups.setdefault(theme.heading.casefold(), []).extend(theme.exhibits)
    names = {theme.heading.casefold(): theme.heading for theme in reversed(found)}
    return [
        Theme("prose", names[key], tuple(sorted(group, key=lambda one: one.mark)))
        for key, group in groups.items()
    ]
