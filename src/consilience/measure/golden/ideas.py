"""What could be asked of this corpus? Questions made by rule from what its passages say.

A definition gives "What is X?", a heading "What is said about X?", a row "What is the height of
X?", an edge "How is X connected with Y?". They are a beginning: they use the words of the text,
so that a search by words has it easy. Questions that a person writes down are better.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from consilience.kinds import unsearched_kinds
from consilience.measure.golden.files import question_digest
from consilience.measure.values import Fact, Question
from consilience.types import Passage, Value

TERM, CONCEPT, LOOKUP, RELATION = "term", "concept", "lookup", "relation"
_NAME = r"((?:[A-Z][\w'’-]*)(?: [\w'’-]+){0,3}?)"
_THING = r"(An? [\w'’-]+(?: [\w'’-]+){0,2}?)"
_BEGINS = r"(?:^|(?<=[.!?] ))"
_DEFINED = re.compile(rf"{_BEGINS}(?:{_THING}|{_NAME}) (is|are) (?:an?|the|one of|called) ")
_ENTRY = re.compile(rf"^{_NAME}[.:] [A-Z]")
_POINTING_WORDS = """
a an the it this that these those there he she they we you i one what which who such its his her
their some many most each every here then another other both in on at of for to by from after
"""
_POINTING = frozenset(_POINTING_WORDS.split())  # a name does not begin with one of them
_ASKING = frozenset(("who", "what", "why", "when", "where", "which", "how"))
_BARE_WORDS = "summary introduction conclusions conclusion contents notes references appendix"
_BARE = frozenset(_BARE_WORDS.split())
_NUMBERING = re.compile(r"^[\d.]+\s+")
_LONG = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """A question that may be asked, the kind it is of, and the passage that gave the idea."""

    text: str
    category: str
    passage: str = ""
    facts: tuple[Fact, ...] = ()


def ideas(
    passages: Iterable[Passage], *, count: int, seed: int, known: Collection[str] = ()
) -> list[Idea]:
    """So many questions, of each kind about as many; those whose digests are known are left out.

    The same passages and seed give the same questions.
    """
    ordered = sorted(passages, key=lambda one: one.id)
    names = _node_names(ordered)
    kinds: dict[str, dict[str, Idea]] = {}
    for passage in ordered:
        for one in _of(passage, names):
            digest = question_digest(Question(id="", text=one.text))
            if digest not in known:
                kinds.setdefault(one.category, {}).setdefault(digest, one)
    draw = random.Random(seed)  # noqa: S311 (a choice that can be repeated)
    piles = [list(found.values()) for _, found in sorted(kinds.items())]
    for pile in piles:
        draw.shuffle(pile)
    turns = max(map(len, piles), default=0)
    rounds = (pile[turn] for turn in range(turns) for pile in piles if turn < len(pile))
    return [one for one, _ in zip(rounds, range(count), strict=False)]


def _of(passage: Passage, names: Mapping[str, str]) -> Iterator[Idea]:
    if passage.kind == "row":
        yield from _of_row(passage)
    elif passage.kind == "edge":
        yield from _of_edge(passage, names)
    elif passage.kind == "node":
        name = str(passage.metadata.get("name", ""))
        yield from _made(f"What is known about {name}?" if name else "", TERM, passage)
    elif passage.kind not in unsearched_kinds():
        yield from _of_prose(passage)


def _of_prose(passage: Passage) -> Iterator[Idea]:
    text = " ".join(passage.text.split())
    entry = _ENTRY.match(text)
    if entry and _telling(entry[1]):
        yield from _made(f"What is meant by {entry[1]}?", TERM, passage)
    for match in _DEFINED.finditer(text):
        thing = match[1][0].lower() + match[1][1:] if match[1] else match[2]
        if match[1] or _telling(thing):
            yield from _made(f"What {match[3]} {thing}?", TERM, passage)
    if heading := _heading(passage):
        yield from _made(f"What is said about {heading}?", CONCEPT, passage)


def _heading(passage: Passage) -> str:
    """A passage's last heading as it reads in a question; empty if it says little, or asks."""
    last = passage.locator.section[-1] if passage.locator.section else ""
    first, _, rest = _NUMBERING.sub("", last).strip(" .:;,-–—").partition(" ")
    if not rest or first.casefold() in _ASKING or first.casefold() in _BARE:
        return ""
    return f"{first.lower() if first.casefold() in _POINTING else first} {rest}"


def _of_row(passage: Passage) -> Iterator[Idea]:
    """A question for every cell beside the row's name, its first text."""
    found = naming_field(passage)
    if found is None:
        return
    field, name = found
    for column, value in passage.metadata.items():
        if column != field and not isinstance(value, tuple | bool) and str(value):
            said = column.replace("_", " ").strip()
            facts = (Fact(value=_shown(value), document=passage.document),)
            yield from _made(f"What is the {said} of {name}?", LOOKUP, passage, facts)


def _of_edge(passage: Passage, names: Mapping[str, str]) -> Iterator[Idea]:
    ends = [str(passage.metadata.get(end, "")) for end in ("source", "target")]
    told = [names.get(end, "") for end in ends]
    if all(told):
        yield from _made(f"How is {told[0]} connected with {told[1]}?", RELATION, passage)


def naming_field(passage: Passage) -> tuple[str, str] | None:
    """The field by which a row is called: its first text."""
    texts = ((name, value) for name, value in passage.metadata.items() if isinstance(value, str))
    return next((pair for pair in texts if pair[1].strip()), None)


def _node_names(passages: Iterable[Passage]) -> dict[str, str]:
    return {
        str(one.metadata.get("node")): str(one.metadata.get("name"))
        for one in passages
        if one.kind == "node" and one.metadata.get("name")
    }


def _made(
    text: str, category: str, passage: Passage, facts: tuple[Fact, ...] = ()
) -> Iterator[Idea]:
    if 0 < len(text) <= 2 * _LONG:
        yield Idea(text=text, category=category, passage=passage.id, facts=facts)


def _telling(name: str) -> bool:
    words = name.casefold().split()
    return len(name) > 2 and words[0] not in _POINTING | _ASKING


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)
