"""How is a file of concepts read? As a graph: concepts to name, relations with words behind them.

```yaml
concepts:
  - name: double machine learning
    kind: method
    aliases: [DML]
    definition: Estimates an effect with …
    relations:
      - {type: REQUIRES, to: cross-fitting, confidence: 0.95, document: eskola2018, quote: "…"}
```

A concept is known by its name as `surface` spells it, so that one concept may be told of in
several files. Nothing is left out without a note that says where and why. A fault costs the
relation or the alias that has it, never the whole file, unless the file is no YAML at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from consilience.evidence.loaders.common import one_line, read_text, said, tidy, title_of
from consilience.evidence.size_limits import HEADING, short
from consilience.packs.research.entries import Entry, entries_of
from consilience.packs.research.relations import KINDS, RELATIONS, Relation, relation_named
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value
from consilience.understand.names import surface

ENDINGS = (".concepts.yaml", ".concepts.yml")
USED = "accepted"
_FIELDS = frozenset(("name", "kind", "aliases", "definition", "relations", "status"))
_MOST_NOTES = 20
_EXAMPLES = 3
_SURE = 1.0


@dataclass(slots=True)
class _Concept:
    """What all entries of one name say together."""

    name: str
    line: int
    kind: str = ""
    aliases: list[str] = field(default_factory=list)
    definition: str = ""
    relations: list[Entry] = field(default_factory=list)
    others: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True)
class _File:
    """What was read so far: concepts by id, other names of them, and what is to be told."""

    concepts: dict[str, _Concept] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    waiting: int = 0

    def tell(self, line: int, fault: str) -> None:
        self.notes.append(f"line {line}: {fault}")


def load(path: Path) -> Document:
    """Read a file of concepts; what is wrong in it is told, by line, and the rest is given."""
    text, notes = read_text(path)
    file = _File()
    for entry in entries_of(text, path.name, tell=file.tell):
        _add(file, entry)
    _name(file)
    edges = [edge for key in list(file.concepts) for edge in _edges(file, key)]
    nodes = [_node(key, one) for key, one in file.concepts.items()]
    blocks = (*nodes, *edges)
    return Document(
        title=_title(path),
        kind="graph",
        blocks=blocks,
        notes=(*notes, *_told(file), *said(path, blocks)),
    )


def _told(file: _File) -> list[str]:
    rest = len(file.notes) - _MOST_NOTES
    notes = [*file.notes[:_MOST_NOTES], *([f"{rest} more such notes"] if rest > 0 else [])]
    if file.waiting:
        notes.append(
            f"{file.waiting} proposals are not used; take them in with "
            "`consilience concepts accept`"
        )
    return notes


def _add(file: _File, entry: Entry) -> None:
    """Take an entry in; several of one name are one concept, and the first says what it is."""
    if _waits(file, entry):
        file.waiting += len(_relations(file, entry, quiet=True))
        return
    name, relations = entry.text("name"), _relations(file, entry)
    key = surface(name)
    if not key:
        told = f"the name {short(name, 40)!r} has no letters" if name else "a concept has no name"
        if isinstance(entry.value("name"), bool):
            told = "the name is one of YAML's words for yes and no, put it in quotation marks"
        file.tell(entry.line, f"{told}; it is left out, with {len(relations)} relations")
        return
    if len(name) > HEADING:
        file.tell(entry.line, f"a name of {len(name):,} letters was cut; give it at most {HEADING}")
        name, key = short(name), surface(short(name))
    known = file.concepts.setdefault(key, _Concept(name=name, line=entry.line))
    _describe(file, known, entry)
    known.relations.extend(relations)


def _waits(file: _File, entry: Entry) -> bool:
    """Whether an entry or a relation is a proposal that nobody has accepted; it is counted."""
    waits = entry.text("status").casefold() not in ("", USED)
    file.waiting += waits
    return waits


def _relations(file: _File, entry: Entry, *, quiet: bool = False) -> list[Entry]:
    given = entry.under("relations")
    if given is None:
        if not quiet:
            file.tell(entry.line, "relations are no list of entries in braces; they are left out")
        return []
    return given


def _describe(file: _File, known: _Concept, entry: Entry) -> None:
    kind = entry.text("kind").casefold()
    if kind and kind not in KINDS:
        file.tell(entry.line, f"the kind {short(kind, 40)!r} is none of {', '.join(KINDS)}")
    elif kind and known.kind and kind != known.kind:
        told = f"{known.name!r} is of kind {known.kind} since line {known.line}, not {kind}"
        file.tell(entry.line, told)
    elif kind:
        known.kind = kind
    if isinstance(entry.value("aliases"), dict | bool):
        file.tell(entry.line, "aliases are no list of names; they are left out")
    for alias in entry.texts("aliases"):
        if not surface(alias) or len(alias) > HEADING:
            file.tell(entry.line, f"the alias {short(alias, 40)!r} is not a name; it is left out")
        elif surface(alias) != surface(known.name) and alias not in known.aliases:
            known.aliases.append(alias)
    definition = tidy(entry.text("definition"))
    if definition and known.definition and definition != known.definition:
        known.definition = f"{known.definition}\n{definition}"
    known.definition = known.definition or definition
    known.others |= entry.others(_FIELDS)


def _name(file: _File) -> None:
    """Under which other names concepts are meant; a name goes before an alias."""
    file.named = {key: key for key in file.concepts}
    shared: list[str] = []
    for key, one in file.concepts.items():
        for alias in one.aliases:
            owner = file.named.setdefault(surface(alias), key)
            if owner != key:
                shared.append(f"{alias!r} ({file.concepts[owner].name}, {one.name})")
    if shared:
        some = "; ".join([*shared[:_EXAMPLES], *(["…"] if len(shared) > _EXAMPLES else [])])
        file.notes.append(f"{len(shared)} names are those of several concepts: {some}")


def _edges(file: _File, key: str) -> Iterable[Block]:
    """The relations of a concept as blocks; two that say the same with the same words are one."""
    found: dict[tuple[str, str, str], Block] = {}
    for entry in file.concepts[key].relations:
        if _waits(file, entry):
            continue
        edge = _edge(file, key, entry)
        if edge is not None:
            relation, target, quote = (
                str(edge.metadata[name]) for name in ("relation", "target", "quote")
            )
            found.setdefault((relation, target, quote), edge)
    return found.values()


def _edge(file: _File, key: str, entry: Entry) -> Block | None:
    spelt, to = entry.text("type"), entry.text("to")
    relation = relation_named(spelt)
    named = f"{file.concepts[key].name!r} {spelt or 'without a type'} {to!r}"
    if relation is None:
        known = ", ".join(RELATIONS)
        file.tell(entry.line, f"{short(named, 120)} is left out: the type is none of {known}")
        return None
    target = _target(file, to, entry)
    if target is None or target == key:
        fault = "relates a concept to itself" if target else "names no concept to relate to"
        file.tell(entry.line, f"{short(named, 120)} is left out: it {fault}")
        return None
    return _block(file, (key, target), relation, entry=entry)


def _target(file: _File, to: str, entry: Entry) -> str | None:
    """The concept that a relation leads to; one that is not told of here is known by name alone."""
    key = surface(short(to))
    if not key:
        return None
    if key in file.named:
        return file.named[key]
    file.tell(
        entry.line, f"no entry here tells of {short(to, 60)!r}; it is known by its name alone"
    )
    file.concepts[key] = _Concept(name=short(to), line=entry.line)
    file.named[key] = key
    return key


def _block(file: _File, ends: tuple[str, str], relation: Relation, *, entry: Entry) -> Block:
    source, target = (file.concepts[end].name for end in ends)
    quote, document = one_line(entry.text("quote")), one_line(entry.text("document"))
    confidence = _confidence(file, entry)
    fields: dict[str, Value] = {
        **entry.others(frozenset(("type", "to", "status"))),
        "source": ends[0],
        "relation": relation.name,
        "target": ends[1],
        "weight": relation.weight * confidence,
        "confidence": confidence,
        "evidence": document,
        "quote": quote,
    }
    if relation.has_direction:
        fields["inverse"] = relation.backwards
    fields.pop("document", None)
    words = relation.name.replace("_", " ").lower()
    text = f"{source} → ({words}) → {target}."
    behind = [f"“{quote}”"] * bool(quote) + [f"({document})"] * bool(document)
    return Block(
        text=" ".join((text, *behind)),
        locator=Locator(node=f"{source} → {target}"),
        kind="edge",
        whole=True,
        metadata=fields,
    )


def _confidence(file: _File, entry: Entry) -> float:
    given = entry.value("confidence")
    if given is None:
        return _SURE
    usable = isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1
    if not usable or not isinstance(given, int | float):
        told = f"the confidence {short(repr(given), 40)} is not a number from 0 to 1; 0.5 is taken"
        file.tell(entry.line, told)
        return 0.5
    return float(given)


def _node(key: str, concept: _Concept) -> Block:
    known = f"{concept.name} ({', '.join(concept.aliases)})" if concept.aliases else concept.name
    fields: dict[str, Value] = {**concept.others, "node": key, "name": concept.name}
    if concept.aliases:
        fields["aliases"] = tuple(concept.aliases)
    if concept.kind:
        fields["node_kind"] = concept.kind
    return Block(
        text=f"{known}. {concept.definition}" if concept.definition else known,
        locator=Locator(node=concept.name),
        kind="node",
        whole=True,
        metadata=fields,
    )


def _title(path: Path) -> str:
    """`causal concepts` of `causal.concepts.yaml`."""
    ending = next((one for one in ENDINGS if path.name.lower().endswith(one)), path.suffix)
    return title_of(path.with_name(path.name[: -len(ending)] + " concepts" + path.suffix))


LOADER = Format(endings=ENDINGS, version=1, load=load)
