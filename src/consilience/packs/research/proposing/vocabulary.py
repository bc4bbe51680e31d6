"""Which concepts does a sentence name? Those that the graph has, and those that are proposed.

Names are found across hyphens, in singular and plural, the longest first, and never inside other
words. An abbreviation whose letters are also a word (`DiD`, `ATE`) counts only in capitals.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import cast

from consilience.packs.research.proposing.values import SYMMETRIC
from consilience.types import Passage
from consilience.understand.names import singular_or_plural, surface

LONGEST = 8
CASED = 5
"""Letters up to which an abbreviation counts only in capitals."""
_WORD = re.compile(r"[^\W_]+")
_TYPE = re.compile(r"[^A-Z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A concept that a text names, and where."""

    name: str
    start: int
    end: int


@dataclass(slots=True)
class Vocabulary:
    """Names of concepts, by how they are spelt. `kinds` has every concept with its kind."""

    kinds: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    relations: set[tuple[str, str, str]] = field(default_factory=set)
    _spelt: dict[str, dict[str, str]] = field(default_factory=dict)
    _longest: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, *, kind: str = "", aliases: Sequence[str] = ()) -> None:
        """Know a concept under a name and others; a spelling keeps its first meaning."""
        self.kinds[name] = self.kinds.get(name) or kind
        self.aliases[name] = tuple(dict.fromkeys((*self.aliases.get(name, ()), *aliases)))
        for spelling in (name, *aliases):
            plain = surface(spelling)
            for form in (plain, *singular_or_plural(plain)) if plain else ():
                self._spelt.setdefault(form, {}).setdefault(_letters(spelling), name)
                words = form.split()
                self._longest[words[0]] = max(self._longest.get(words[0], 0), len(words))

    def meaning(self, text: str) -> str:
        """The concept that a name stands for, or nothing."""
        found = self._spelt.get(surface(text), {})
        return found.get("") or next(iter(found.values()), "")

    def mentions(self, text: str) -> list[Mention]:
        """The concepts that a text names, in order; none inside another."""
        words = list(_WORD.finditer(text))
        plain = [_bare(word[0]) for word in words]
        found: list[Mention] = []
        place = 0
        while place < len(words):
            here = self._at(text, words[place : place + LONGEST], plain[place : place + LONGEST])
            length, name = here if here else (1, "")
            if name:
                span = words[place].start(), words[place + length - 1].end()
                found.append(Mention(name=name, start=span[0], end=span[1]))
            place += length
        return found

    def _at(
        self, text: str, words: Sequence[re.Match[str]], plain: Sequence[str]
    ) -> tuple[int, str] | None:
        """The longest name that begins here: how many words it has, and its concept."""
        most = min(self._longest.get(plain[0], 0), len(words))
        if most == 0 or _joined(text, words[0].start() - 1, -1):
            return None
        for length in range(most, 0, -1):
            meant = self._spelt.get(" ".join(plain[:length]))
            end = words[length - 1].end()
            if not meant or _joined(text, end, 1) or _stopped(text, words[:length]):
                continue
            name = _meant(meant, text[words[0].start() : end])
            if name:
                return length, name
        return None


def read_vocabulary(passages: Iterable[Passage]) -> Vocabulary:
    """The concepts and relations that the nodes and edges of a graph hold."""
    known = Vocabulary()
    named: dict[str, str] = {}
    edges: list[Mapping[str, object]] = []
    for one in passages:
        if one.kind == "node":
            name = str(one.metadata.get("name", ""))
            named[str(one.metadata.get("node", ""))] = name
            aliases = cast("tuple[str, ...]", one.metadata.get("aliases", ()))
            known.add(name, kind=str(one.metadata.get("node_kind", "")), aliases=aliases)
            known.definitions[name] = known.definitions.get(name) or _definition(one, aliases)
        elif one.kind == "edge":
            edges.append(one.metadata)
    for edge in edges:
        ends = [
            named.get(str(edge.get(side)), str(edge.get(side))) for side in ("source", "target")
        ]
        relation = _TYPE.sub("_", str(edge.get("relation", "")).upper())
        first, last = sorted(ends) if relation in SYMMETRIC else ends
        known.relations.add((first, relation, last))
    return known


def _definition(node: Passage, aliases: Sequence[str]) -> str:
    """What stands behind a node's names."""
    name = str(node.metadata.get("name", ""))
    called = f"{name} ({', '.join(aliases)})" if aliases else name
    return node.text.removeprefix(f"{called}. ") if node.text != called else ""


def _letters(spelling: str) -> str:
    """The spelling itself for an abbreviation, which only counts so; nothing for a name."""
    short = len(spelling) <= CASED and " " not in spelling
    return spelling if short and sum(map(str.isupper, spelling)) > 1 else ""


def _meant(meant: Mapping[str, str], written: str) -> str:
    """The concept whose spelling this is: an abbreviation must be written as one."""
    if "" in meant:
        return meant[""]
    capitals = sum(map(str.isupper, written))
    return next(iter(meant.values())) if capitals > 1 else ""


@lru_cache(maxsize=100_000)
def _bare(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _joined(text: str, place: int, step: int) -> bool:
    """Whether a hyphen at this place ties a name to a further word: `non-compliance`."""
    if not 0 <= place < len(text) or text[place] not in "-‐‑/_":
        return False
    beyond = place + step
    return beyond < 0 or (beyond < len(text) and text[beyond].isalnum())


def _stopped(text: str, words: Sequence[re.Match[str]]) -> bool:
    """Whether more than a space or a hyphen stands between the words of a name."""
    gaps = (text[one.end() : two.start()] for one, two in pairwise(words))
    return any(set(gap) - set(" -‐‑–/'’") for gap in gaps)
