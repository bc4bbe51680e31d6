"""What becomes of accepted proposals? They are checked, and merged into a file of concepts.

Whatever is wrong is told with its line, all of it, and then nothing is written. A quotation must
still stand in the texts, letter by letter: nobody can accept words that are in no passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from consilience.errors import UsageError
from consilience.evidence.size_limits import HEADING
from consilience.packs.research.proposing.files import (
    ACCEPTED,
    ENDING,
    PROPOSED,
    Entered,
    Keys,
    Link,
    dumped,
    read_proposals,
    rejected_of,
    write_text,
)
from consilience.packs.research.proposing.values import KINDS, TYPES, spread
from consilience.packs.research.proposing.vocabulary import Vocabulary
from consilience.understand.names import surface

_TOLD = 8
_HEADER = "# Concepts that were proposed from texts and accepted by a person.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What is taken in: new concepts, further names of known ones, relations; and what is left."""

    concepts: tuple[Entered, ...] = ()
    relations: tuple[Link, ...] = ()
    untyped: int = 0


def accepted(entries: Sequence[Entered], *, everything: bool = False) -> Accepted:
    """What a person accepted; with `everything`, also what is still proposed.

    Relations without a type are then left, for only a person knows it.
    """
    wanted = {ACCEPTED, PROPOSED} if everything else {ACCEPTED}
    links = [link for one in entries for link in one.links if link.status in wanted]
    untyped = [one for one in links if not one.type and one.status != ACCEPTED]
    return Accepted(
        concepts=tuple(replace(one, links=()) for one in entries if one.status in wanted),
        relations=tuple(one for one in links if one not in untyped),
        untyped=len(untyped),
    )


def check(taken: Accepted, known: Vocabulary, stands: Callable[[str], bool], *, file: str) -> None:
    """Refuse what cannot be taken in, with reasons; `stands` says if words are in a passage."""
    faults = [
        f"{file}, line {one.line}: {fault}"
        for one in taken.concepts
        if (fault := _concept_fault(one, known, stands))
    ]
    new = {surface(name) for one in taken.concepts for name in (one.name, *one.aliases)}
    faults += [
        f"{file}, line {one.line}: {fault}"
        for one in taken.relations
        if (fault := _link_fault(one, known, new) or _quote_fault(one.quote, stands))
    ]
    if faults:
        more = len(faults) - _TOLD
        told = "\n  ".join((*faults[:_TOLD], *((f"and {more} more",) if more > 0 else ())))
        raise UsageError(f"nothing was taken in:\n  {told}")


def _concept_fault(one: Entered, known: Vocabulary, stands: Callable[[str], bool]) -> str:
    if not surface(one.name) or len(one.name) > HEADING:
        return f"a concept needs a name of 1 to {HEADING} letters"
    if one.known and not known.meaning(one.name):
        return f"{one.name!r} is marked as known, but the graph has no such concept"
    if not one.known and one.kind not in KINDS:
        return f"{one.name!r} is of kind {one.kind!r}; known: {', '.join(KINDS)}"
    return _quote_fault(one.quote, stands) if one.quote else ""


def _link_fault(one: Link, known: Vocabulary, new: Iterable[str]) -> str:
    told = f"{one.source!r} {one.type or 'without a type'} {one.target!r}"
    if one.type not in TYPES:
        return f"{told}: give it a type, one of {', '.join(TYPES)}"
    if surface(one.source) == surface(one.target):
        return f"{told} relates a concept to itself"
    for end in (one.source, one.target):
        if not known.meaning(end) and surface(end) not in new:
            return f"{told}: {end!r} is no concept of the graph; accept that entry as well"
    number = one.confidence
    usable = isinstance(number, int | float) and not isinstance(number, bool)
    if number is not None and not (usable and 0 <= number <= 1):
        return f"{told}: the confidence {number!r} is no number from 0 to 1"
    return ""


def _quote_fault(quote: str, stands: Callable[[str], bool]) -> str:
    if not quote:
        return "the relation has no quote; copy the words of a passage that say it"
    if not stands(quote):
        return f"the quote {quote[:60]!r} stands in no passage of this workspace, letter by letter"
    return ""


def undone(entries: Sequence[Entered], known: Vocabulary, rejected: Keys) -> int:
    """How many decisions of a file were not taken in: the graph lacks them, nobody forgot them."""
    taken = accepted(entries)
    held = {(surface(first), kind, surface(last)) for first, kind, last in known.relations}
    lacking = [
        one
        for one in taken.concepts
        if not all(known.meaning(name) for name in (one.name, *one.aliases))
    ]
    links = [one for one in taken.relations if one.key[1:] not in held]
    return len(lacking) + len(links) + len(rejected_of(entries) - rejected)


# --- merging ----------------------------------------------------------------------------------


Fields = dict[str, Any]


class _Merged:
    """The entries of the file that is written; those it has keep whatever else they say."""

    def __init__(self, entries: Iterable[Fields]) -> None:
        self.entries = list(entries)
        self._by_name: dict[str, Fields] = {}
        for entry in self.entries:
            aliases = entry.get("aliases") or ()
            for name in (
                entry.get("name"),
                *(aliases if isinstance(aliases, list) else (aliases,)),
            ):
                self._by_name.setdefault(surface(str(name)), entry)

    def called(self, name: str) -> str:
        """What the file calls a concept, or nothing."""
        entry = self._by_name.get(surface(name))
        return str(entry["name"]) if entry else ""

    def entry(self, name: str) -> Fields:
        """The entry of a concept; it is made where there is none."""
        if surface(name) not in self._by_name:
            self._by_name[surface(name)] = {"name": name}
            self.entries.append(self._by_name[surface(name)])
        return self._by_name[surface(name)]

    def put(self, one: Entered, name: str) -> None:
        """Add what is accepted of a concept; what the file says already stays."""
        entry = self.entry(name)
        if one.kind in KINDS:
            entry.setdefault("kind", one.kind)
        if one.definition:
            entry.setdefault("definition", one.definition)
        held = entry.get("aliases") or []
        aliases = spread(held if isinstance(held, list) else [str(held)], one.aliases)
        if aliases:
            entry["aliases"] = list(aliases)
        for alias in aliases:
            self._by_name.setdefault(surface(str(alias)), entry)

    def repeat(self, name: str, known: Vocabulary) -> None:
        """Say of a concept of the graph what the graph says, so that the file stands alone."""
        entry, meant = self.entry(name), known.meaning(name)
        about = {
            "kind": known.kinds.get(meant, ""),
            "aliases": list(known.aliases.get(meant, ())),
            "definition": known.definitions.get(meant, ""),
        }
        for field, value in about.items():
            if value and (field != "kind" or value in KINDS):
                entry.setdefault(field, value)

    def relate(self, link: Link, source: str, target: str) -> None:
        """Add a relation, unless the file has it with the same words."""
        relations = self.entry(source).setdefault("relations", [])
        told = {"type": link.type, "to": target, "confidence": link.confidence}
        told |= {"document": link.document, "quote": link.quote}
        same = [
            one
            for one in relations
            if (one.get("type"), surface(str(one.get("to"))), one.get("quote"))
            == (link.type, surface(target), link.quote)
        ]
        if not same:
            relations.append({key: value for key, value in told.items() if value not in ("", None)})


def merge(taken: Accepted, path: Path, known: Vocabulary) -> None:
    """Write what is taken in to a file of concepts, with what the file has already.

    The file as it was before stays beside it, under the ending `.bak`: comments are not kept.
    """
    if not path.name.lower().endswith(ENDING):
        raise UsageError(f"{path} is no file of concepts; give it a name that ends in {ENDING}")
    held = _Merged(_entries(path) if path.exists() else ())
    if path.exists():
        write_text(path.with_name(path.name + ".bak"), path.read_text(encoding="utf-8-sig"))
    for one in taken.concepts:
        name = held.called(one.name) or (known.meaning(one.name) if one.known else one.name)
        held.put(one, name)
        held.repeat(name, known)
    for link in taken.relations:
        ends = [
            held.called(name) or known.meaning(name) or name for name in (link.source, link.target)
        ]
        for end in ends:
            held.repeat(end, known)
        held.relate(link, ends[0], ends[1])
    write_text(path, _HEADER + dumped({"concepts": held.entries}))


def _entries(path: Path) -> list[Fields]:
    """The entries of a file of concepts, as they are."""
    read_proposals(path)  # refuses what is no such file, with its line
    value = yaml.safe_load(path.read_text(encoding="utf-8-sig")) or []
    listed = value.get("concepts") or [] if isinstance(value, dict) else value
    return [one for one in listed if isinstance(one, dict)]
