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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from consilience.errors import LoadError, UsageError
from consilience.packs.research.entries import Entry, entries_of
from consilience.packs.research.proposing.values import (
    SYMMETRIC,
    TYPES,
    Concept,
    Proposals,
    Relation,
)
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
# A relation without a type stands for two concepts that often stand together; give it one of
#     {types}
# or leave it. What is rejected is not proposed again.
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
