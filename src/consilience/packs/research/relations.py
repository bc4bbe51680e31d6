"""Which relations do concepts have, what does each weigh, and how does it read both ways?

A weight says how far one step of a chain carries: what a method requires, it cannot do without;
what it uses, it could replace. `ALTERNATIVE_TO` says the same from either end. All others are
statements with a direction, and read differently backwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A kind of relation: its weight, and the words between its two ends.

    `forwards` reads from the first to the second, `backwards` from the second to the first; where
    the two are the same, the relation has no direction.
    """

    name: str
    weight: float
    forwards: str
    backwards: str

    @property
    def has_direction(self) -> bool:
        """Whether it says something else when it is read backwards."""
        return self.forwards != self.backwards


def _relation(name: str, weight: float, forwards: str, backwards: str) -> Relation:
    return Relation(name=name, weight=weight, forwards=forwards, backwards=backwards)


RELATIONS: Mapping[str, Relation] = {
    one.name: one
    for one in (
        _relation("REQUIRES", 1.0, "requires", "is required by"),
        _relation("TESTS", 0.9, "tests", "is tested by"),
        _relation("ADDRESSES", 0.85, "addresses", "is addressed by"),
        _relation("EXTENDS", 0.8, "extends", "is extended by"),
        _relation("GENERALIZES", 0.8, "generalizes", "is a special case of"),
        _relation("ALTERNATIVE_TO", 0.7, "is an alternative to", "is an alternative to"),
        _relation("USES", 0.6, "uses", "is used by"),
        _relation("CITES", 0.4, "cites", "is cited by"),
    )
}
"""All relations, the strongest first."""
WEIGHTS: Mapping[str, float] = {one.name: one.weight for one in RELATIONS.values()}
KINDS = ("method", "assumption", "estimand", "problem", "test", "dataset")
"""What a concept can be."""


def relation_named(text: str) -> Relation | None:
    """The relation that a text names: `REQUIRES`, `requires`, `alternative to`; None for others."""
    spelt = "_".join(text.upper().replace("-", " ").replace("_", " ").split())
    spelt = spelt.replace("GENERALISES", "GENERALIZES")
    return RELATIONS.get(spelt)


def read_out(name: str, *, forward: bool = True) -> str:
    """A relation in words, from either end; one that is not known, as it is spelt, with an arrow
    where it is read backwards.
    """
    known = RELATIONS.get(name)
    if known is not None:
        return known.forwards if forward else known.backwards
    words = name.replace("_", " ").lower()
    return words if forward else f"← {words}"
