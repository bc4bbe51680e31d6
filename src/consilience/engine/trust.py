"""How far is each side trusted for this question? By signs that need no labels.

Long questions, questions whose best match by words is far ahead of the tenth, and questions whose
nearest passage is not near at all want another mixture of meaning and words than their opposites.
How the mixture follows these signs was learned on public collections and reported on held-out ones
(models/train_trust.py): three weights and nine slopes per embedder, in `trust.json`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from consilience.types import Ranking, Signal, Trust

SIGNS = ("similarity", "fall", "length")
SIDES = ("meaning", "words", "neighbours")
TENTH = 10
WIDEST = 2.5  # deviations beyond which a sign counts no more
LEAST = 0.05  # weight that every side keeps
MOST = 0.95  # share of a score that neighbours may have
NOTABLE = 0.02  # a change of share worth explaining
SHIPPED = Path(__file__).parent / "trust.json"
_ANY = "any"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustModel:
    """How weights follow signs: weight(side) = base + Σ slope · (sign - usual) / spread."""

    base: Mapping[str, float]
    slopes: Mapping[str, Mapping[str, float]]
    usual: Mapping[str, float]
    spread: Mapping[str, float]

    def shares(self, signs: Mapping[str, float]) -> dict[str, float]:
        """The share of each side, 1 in all. A sign that is not known counts as usual."""
        moved = {
            name: max(-WIDEST, min(WIDEST, (value - self.usual[name]) / self.spread[name]))
            for name, value in signs.items()
            if name in self.usual
        }
        weights = {
            side: max(
                LEAST,
                self.base[side] + sum(self.slopes[side][name] * by for name, by in moved.items()),
            )
            for side in SIDES
        }
        total = sum(weights.values())
        return {side: weight / total for side, weight in weights.items()}


@cache
def trust_model(embedder: str) -> TrustModel:
    """The model learned with this embedder; for an unknown one, the model that fits any: it
    ignores the similarity of the nearest passage, since scales differ.
    """
    models = json.loads(SHIPPED.read_text(encoding="utf-8"))["models"]
    return TrustModel(**models.get(embedder.partition(":")[0], models[_ANY]))


def compute_trusts(rankings: Sequence[Ranking], text: str, model: TrustModel) -> dict[str, Trust]:
    """For each collection that has something by meaning and by words, how far to trust each."""
    groups: dict[str, dict[Signal, Ranking]] = {}
    for ranking in rankings:
        if not ranking.is_repeated:
            groups.setdefault(ranking.collection, {})[ranking.ranks_by] = ranking
    trusts = {}
    for collection, group in groups.items():
        if Signal.MEANING in group and Signal.WORDS in group:
            signs = signs_of(group[Signal.MEANING], group[Signal.WORDS], text)
            shares = model.shares(signs)
            reasons = tuple(_reasons(signs, model, shares))
            trusts[collection] = Trust(collection=collection, reasons=reasons, **shares)
    return trusts


def adjust_trust(trust: Trust, *, alpha: float, neighbours: float) -> Trust:
    """A trust with the settings applied: alpha as odds of meaning against words, 0.5 for
    none; at its ends one side is all there is, and neighbours do not count.
    """
    meaning, words = trust.meaning * alpha, trust.words * (1 - alpha)
    share = min(MOST, trust.neighbours * neighbours) if meaning and words else 0.0
    factor = (1 - share) / (meaning + words)
    return replace(trust, meaning=meaning * factor, words=words * factor, neighbours=share)


def weigh_trust(trust: Trust, *, meaning: float, words: float) -> Trust:
    """A trust with the weights of settings and rules on each side applied."""
    sides = trust.meaning * meaning, trust.words * words
    factor = (1 - trust.neighbours) / sum(sides) if sum(sides) else 0.0
    return replace(trust, meaning=sides[0] * factor, words=sides[1] * factor)


def signs_of(dense: Ranking, words: Ranking, text: str) -> dict[str, float]:
    """The signs of a question: the best similarity, how far the tenth by words falls behind the
    first (1 where fewer than ten have any of them), and how long it is (log of its words).
    """
    first = words.found[0].score
    tenth = words.found[TENTH - 1].score if len(words.found) >= TENTH else 0.0
    return {
        "similarity": dense.found[0].score,
        "fall": 1 - tenth / first if first > 0 else 0.0,
        "length": math.log1p(len(_WORD.findall(text))),
    }


def _reasons(
    signs: Mapping[str, float], model: TrustModel, shares: Mapping[str, float]
) -> list[str]:
    """What each sign changed: the shares with it against those had it been as usual."""
    reasons = []
    for name, value in signs.items():
        if name not in model.usual:
            continue
        without = model.shares({**signs, name: model.usual[name]})
        changes = {side: shares[side] - without[side] for side in SIDES}
        notable = [f"{side} {by:+.2f}" for side, by in changes.items() if abs(by) >= NOTABLE]
        if notable:
            reasons.append(f"{_describe(name, value, model.usual[name])}: {', '.join(notable)}")
    return reasons


def _describe(name: str, value: float, usual: float) -> str:
    """`the question is longer than usual (23 words, usually 12)`."""
    more = value > usual
    if name == "length":
        which = "longer" if more else "shorter"
        words, usually = round(math.expm1(value)), round(math.expm1(usual))
        return f"the question is {which} than usual ({words} words, usually {usually})"
    if name == "fall":
        which = "ahead of" if more else "near to"
        return f"by words the first stands {which} the tenth ({value:.0%}, usually {usual:.0%})"
    which = "nearer" if more else "farther"
    return f"the nearest passage is {which} than usual ({value:.2f}, usually {usual:.2f})"
