"""Which places does a question name, among those that were found, and what else does it ask?

Names are those that passages give: of a place its own and its other names, of what it is in the
names that its first line tells. The rest of the question is read without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consilience.packs.travel.answering.facts import name_of, where
from consilience.packs.travel.answering.wanting import Wanted, wanted_in
from consilience.packs.travel.meeting import Limits, limits_in, texts
from consilience.packs.travel.reading import Asked, Role, named, read
from consilience.packs.travel.wording import Table, plain
from consilience.types import Exhibit
from consilience.understand.names import surface

_AND = re.compile(r"\s+(?:and|&|/)\s+(?:the\s+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A question with the exhibits it is answered from.

    `names` are those of the places it names, by node, in the order of the question, and `rest` is
    the question without them.
    """

    question: str
    rest: str
    exhibits: Sequence[Exhibit]
    names: dict[str, str]
    asked: Asked
    limits: Limits
    wanted: Wanted

    @property
    def places(self) -> list[Exhibit]:
        """The places among the exhibits."""
        return [one for one in self.exhibits if one.passage.kind == "place"]

    def of_role(self, role: Role) -> list[str]:
        """The nodes of the places that are named in this role."""
        return [node for node in self.names if self.asked.places.get(node) == role]

    def place(self, node: str) -> Exhibit | None:
        """The passage of a place, if it was found."""
        return next((one for one in self.places if node_of(one) == node), None)


def node_of(exhibit: Exhibit) -> str:
    """The node that a place is."""
    return str(exhibit.passage.metadata.get("node", ""))


def scene_of(question: str, exhibits: Sequence[Exhibit]) -> Scene:
    """What a question is about."""
    spelt: dict[str, list[str]] = {}
    for node, name in _names(exhibits):
        if surface(name) and name not in spelt.setdefault(node, []):
            spelt[node].append(name)
    met = Table({node: names for node, names in spelt.items() if names}).met(question)
    own = {one.start for one in met if plain(spelt[one.name][0]) == plain(one.word)}
    known = {
        one.name: spelt[one.name]
        for one in met
        if one.start not in own or plain(spelt[one.name][0]) == plain(one.word)
    }
    rest = named(question, known)[1] if known else question
    asked = read(question, known, list(_things(exhibits)))
    return Scene(
        question=question,
        rest=rest,
        exhibits=exhibits,
        names={node: names[0] for node, names in known.items()},
        asked=asked,
        limits=limits_in(rest, asked),
        wanted=wanted_in(rest),
    )


def _names(exhibits: Sequence[Exhibit]) -> Iterator[tuple[str, str]]:
    for one in exhibits:
        fields = one.passage.metadata
        for end in ("source", "target"):
            if fields.get(f"{end}_name"):
                node, name = str(fields.get(end)), str(fields[f"{end}_name"])
                yield from ((node, spelt) for spelt in (name, *_parts(name)))
        if one.passage.kind != "place":
            continue
        node = node_of(one)
        yield node, name_of(one)
        yield from ((node, alias) for alias in texts(fields.get("aliases")))
        yield from ((node, part) for part in _parts(name_of(one)))
        over = [str(fields[name]) for name in ("city", "region", "country") if fields.get(name)]
        told = where(one).split(", ")
        if len(over) == len(told):
            yield from zip(over, told, strict=True)


def _parts(name: str) -> list[str]:
    """The parts of `Old Lake and Hill Temple` that are names themselves."""
    parts = _AND.split(name)
    return [one for one in parts if len(parts) > 1 and " " in one]


def _things(exhibits: Sequence[Exhibit]) -> Iterator[str]:
    """What the places among the exhibits serve, offer and are known for, as nodes."""
    for prefix, field in (("dish", "serves"), ("offer", "offers")):
        found = {plainly for one in exhibits for plainly in texts(one.passage.metadata.get(field))}
        yield from sorted(f"{prefix}:{one.casefold()}" for one in found if surface(one))
