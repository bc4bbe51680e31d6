"""What does a chain weigh, step by step, and by what did the others lose?

The factors that are told multiply to the chain's own score: they are those that it was found by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.sources._paths import DECAY, Path, Step, read_edge
from consilience.types import Chain, Passage

_SAME = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """What a step weighs: its kind of relation, how sure it is, and how far along it stands.

    `turns` says how many steps more it counts for, since the chain changes its sense there.
    """

    kind: float = 1.0
    confidence: float = 1.0
    decay: float = 1.0
    turns: int = 0

    @property
    def product(self) -> float:
        """All of it together."""
        return self.kind * self.confidence * self.decay


def factors(chain: Chain) -> tuple[Factors, ...]:
    """The factors of each step of a chain; their product is its score."""
    path = Path.start("", ())
    found: list[Factors] = []
    for link in chain.links:
        edge = read_edge(link.passage)
        if edge is None:  # only edges join things
            found.append(Factors())
            continue
        before, path = path.length, path.then(Step(edge, forward=link.forward))
        more = path.length - before
        confidence = _confidence(link.passage)
        found.append(
            Factors(
                kind=edge.weight / confidence,
                confidence=confidence,
                decay=DECAY**more if before else 1.0,
                turns=more - 1,
            )
        )
    return tuple(found)


def _confidence(passage: Passage) -> float:
    """How sure a relation is; 1 where its weight is all that is known."""
    given = passage.metadata.get("confidence")
    usable = isinstance(given, int | float) and not isinstance(given, bool) and 0 < given <= 1
    return float(given) if usable and isinstance(given, int | float) else 1.0


def told(chain: Chain) -> str:
    """`requires 1 × 0.95, then uses 0.6 × 0.98 × 0.5 = 0.279`, the last factor by distance."""
    parts = [
        " × ".join([f"{link.relation} {_number(one.kind)}", *_rest(one)])
        for link, one in zip(chain.links, factors(chain), strict=True)
    ]
    return f"{', then '.join(parts)} = {_number(chain.score)}"


def _rest(one: Factors) -> list[str]:
    sure = [_number(one.confidence)] if one.confidence != 1 else []
    turn = " for the turn" if one.turns == 1 else " for the turn to the same" if one.turns else ""
    return [*sure, *([f"{_number(one.decay)}{turn}"] if one.decay != 1 else [])]


def why_first(chains: Sequence[Chain]) -> str:
    """By what the second chain lost to the first, in factors that multiply to its share."""
    if len(chains) < 2 or not chains[0].score:
        return "" if not chains else "no other chain was found"
    first, second = factors(chains[0]), factors(chains[1])
    share = chains[1].score / chains[0].score
    named = {
        "kinds of relation": _ratio(first, second, "kind"),
        "confidence": _ratio(first, second, "confidence"),
        "length and turns": _ratio(first, second, "decay"),
    }
    parts = [f"× {_number(one)} by {name}" for name, one in named.items() if abs(one - 1) > _SAME]
    if not parts:
        return "the second weighs the same; ties go by name"
    return f"the second weighs {share:.0%} of the first: {', '.join(parts)}"


def _ratio(first: Sequence[Factors], second: Sequence[Factors], name: str) -> float:
    one, other = (math.prod(getattr(each, name) for each in every) for every in (first, second))
    return other / one if one else 1.0


def _number(value: float) -> str:
    return f"{value:.3g}"
