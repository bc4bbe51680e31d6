"""How do proposals reach a person? In a file of concepts where every entry has a status.

```yaml
concepts:
  - name: cross-fitting
    status: proposed            # or accepted, or rejected
    kind: method
    why: its abbreviation stands beside it
    relations:
      - {type: REQUIRES, to: sample splitting, status: proposed, quote: "…", …}
```

An entry that is `known` is in the graph already; only what stands below it is proposed.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from consilience.errors import LoadError, UsageError
from consilience.evidence.size_limits import HEADING
from consilience.packs.research.concept_proposals import (
    SYMMETRIC,
    TYPES,
    Concept,
    Proposals,
    Relation,
    Vocabulary,
)
from consilience.packs.research.entries import Entry, entries_of
from consilience.packs.research.relations import KINDS
from consilience.understand.names import surface

PROPOSED, ACCEPTED, REJECTED, KNOWN = "proposed", "accepted", "rejected", "known"
STATUSES = (PROPOSED, ACCEPTED, REJECTED, KNOWN)
ENDING = ".concepts.yaml"
REMEMBERED = "rejected_concepts.json"
"""The file in a workspace's store that has what a person rejected."""
_WIDTH = 96
_HEADER = """\
# Proposed from the texts of this workspace. Nothing here is used before it is accepted.
# Read each entry and each relation: change its `status` to `accepted` or `rejected`, mend what is
# nearly right, then run
#     consilience concepts accept {name}
# Types of relations: {types}.
# What is rejected is not proposed again.
"""
Keys = set[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation of an entry, as a person left it."""

    line: int
    source: str
    type: str
    target: str
    status: str
    confidence: Any
    document: str
    quote: str

    @property
    def key(self) -> tuple[str, ...]:
        """The relation, as what is rejected is remembered."""
        ends = [surface(self.source), surface(self.target)]
        first, last = sorted(ends) if self.type in SYMMETRIC or not self.type else ends
        return ("relation", first, self.type, last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A concept of a file of proposals, as a person left it."""

    line: int
    name: str
    kind: str
    aliases: tuple[str, ...]
    definition: str
    status: str
    known: bool
    quote: str
    links: tuple[Link, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The concept, as what is rejected is remembered."""
        names = self.aliases if self.known else ()
        return ("concept", surface(self.name), *sorted(map(surface, names)))


# --- writing ----------------------------------------------------------------------------------


def write_proposals(proposals: Proposals, path: Path, *, kinds: Mapping[str, str]) -> None:
    """Write proposals for a person to read; relations stand below the concept they start from.

    `kinds` are those of the concepts that the graph has.
    """
    below: dict[str, list[Relation]] = {}
    for one in proposals.relations:
        below.setdefault(one.source, []).append(one)
    entries = [_concept(one, below.pop(one.name, [])) for one in proposals.concepts]
    for name, relations in below.items():
        about = {"name": name, "status": KNOWN, "kind": kinds.get(name, "")}
        entries.append({**_given(about), "relations": list(map(_relation, relations))})
    header = _HEADER.format(name=path.name, types=", ".join(TYPES))
    write_text(path, header + dumped({"concepts": entries}))


def _concept(one: Concept, relations: Sequence[Relation]) -> dict[str, Any]:
    about = {
        "name": one.name,
        "status": PROPOSED,
        "known": one.known or None,
        "kind": one.kind,
        "aliases": list(one.aliases),
        "definition": one.definition,
        "confidence": one.confidence,
        "why": one.why,
        "document": one.evidence.document,
        "quote": one.evidence.quote,
    }
    return _given({**about, "relations": list(map(_relation, relations))})


def _relation(one: Relation) -> dict[str, Any]:
    return {
        "type": one.type or None,
        "to": one.target,
        "status": PROPOSED,
        "confidence": one.confidence,
        "why": one.why,
        "document": one.evidence.document,
        "quote": one.evidence.quote,
    }


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


class _Dumper(yaml.SafeDumper):
    """Blocks, with lists set in below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        super().increase_indent(flow=flow, indentless=False)


def dumped(value: Any) -> str:
    """A value as YAML that a person reads."""
    text: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)
    return text


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
    Path(name).replace(path)


# --- reading ----------------------------------------------------------------------------------


def read_proposals(path: Path) -> list[Entered]:
    """The entries of a file, with their status; one that is misspelt is refused with its line."""
    faults: list[str] = []
    tell = _teller(faults)
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = [_entered(one, path.name) for one in entries_of(text, path.name, tell=tell)]
    except FileNotFoundError as error:
        raise UsageError(
            f"no such file: {path}; `consilience concepts propose` writes one"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason}; save it as UTF-8") from error
    except LoadError as error:
        raise UsageError(str(error)) from error
    if faults:
        raise UsageError(f"{path.name}, {faults[0]}")
    return found


def _teller(faults: list[str]) -> Callable[[int, str], None]:
    return lambda line, told: faults.append(f"line {line}: {told}")


def _entered(entry: Entry, file: str) -> Entered:
    name = entry.text("name")
    links = entry.under("relations")
    if links is None:
        raise UsageError(f"{file}, line {entry.line}: relations are no list of entries")
    return Entered(
        line=entry.line,
        name=name,
        kind=entry.text("kind").casefold(),
        aliases=tuple(entry.texts("aliases")),
        definition=entry.text("definition"),
        status=_status(entry, file),
        known=entry.value("known") is True or entry.text("status").casefold() == KNOWN,
        quote=entry.text("quote"),
        links=tuple(_link(one, name, file) for one in links),
    )


def _link(entry: Entry, source: str, file: str) -> Link:
    return Link(
        line=entry.line,
        source=source,
        type=entry.text("type").upper().replace(" ", "_").replace("-", "_"),
        target=entry.text("to"),
        status=_status(entry, file),
        confidence=entry.value("confidence"),
        document=entry.text("document"),
        quote=" ".join(entry.text("quote").split()),
    )


def _status(entry: Entry, file: str) -> str:
    status = entry.text("status").casefold() or PROPOSED
    if status not in STATUSES:
        known = ", ".join((PROPOSED, ACCEPTED, REJECTED))
        raise UsageError(f"{file}, line {entry.line}: unknown status {status!r}; known: {known}")
    return status


# --- what was rejected ------------------------------------------------------------------------


def rejected_of(entries: Iterable[Entered]) -> Keys:
    """What a person rejected in a file."""
    concepts = {one.key for one in entries if one.status == REJECTED}
    return concepts | {link.key for one in entries for link in one.links if link.status == REJECTED}


def read_rejected(folder: Path) -> Keys:
    """What was rejected in a workspace before; `folder` is its store."""
    path = folder / REMEMBERED
    try:
        return {tuple(map(str, one)) for one in json.loads(path.read_text(encoding="utf-8"))}
    except FileNotFoundError:
        return set()
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read ({error}); delete it, and what was rejected is proposed again"
        ) from error


def remember(folder: Path, keys: Keys) -> None:
    """Remember what was rejected, so that it is not proposed again."""
    write_text(
        folder / REMEMBERED,
        json.dumps(sorted(map(list, keys)), ensure_ascii=False, indent=1) + "\n",
    )


# --- accepting ----------------------------------------------------------------------------


_TOLD = 8
_MERGED_HEADER = "# Concepts that were proposed from texts and accepted by a person.\n"


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
        raise UsageError(f"nothing was accepted:\n  {told}")


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
            return f"{told}: {end!r} is not a concept of the graph; accept that entry as well"
    number = one.confidence
    usable = isinstance(number, int | float) and not isinstance(number, bool)
    if number is not None and not (usable and 0 <= number <= 1):
        return f"{told}: the confidence {number!r} is not a number from 0 to 1"
    return ""


def _quote_fault(quote: str, stands: Callable[[str], bool]) -> str:
    if not quote:
        return "the relation has no quote; copy the words of a passage that say it"
    if not stands(quote):
        return f"the quote {quote[:60]!r} is in no passage of this workspace, letter by letter"
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
        aliases = dict.fromkeys((*(held if isinstance(held, list) else [str(held)]), *one.aliases))
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
        raise UsageError(f"{path} is not a file of concepts; give it a name that ends in {ENDING}")
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
    write_text(path, _MERGED_HEADER + dumped({"concepts": held.entries}))


def _entries(path: Path) -> list[Fields]:
    """The entries of a file of concepts, as they are."""
    read_proposals(path)  # refuses what is no such file, with its line
    value = yaml.safe_load(path.read_text(encoding="utf-8-sig")) or []
    listed = value.get("concepts") or [] if isinstance(value, dict) else value
    return [one for one in listed if isinstance(one, dict)]
