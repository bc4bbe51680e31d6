"""How far is each side trusted for this question? By signs that need no labels.

A question of many words, or one whose best match by words stands far ahead of the tenth, or
whose nearest passage is not near at all, wants another mixture of meaning and words than its
opposite. How the mixture follows these signs was learned on public collections and reported on
collections left out (models/train_trust.py); it is three weights and nine slopes, in `trust.json`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from consilience.types import Ranking, Trust

SIGNS = ("similarity", "fall", "length")
SIDES = ("meaning", "words", "neighbours")
TENTH = 10
WIDEST = 2.5  # deviations beyond which a sign says no more
LEAST = 0.05  # of weight that every side keeps
MOST = 0.95  # of a score that neighbours may have: a passage keeps a say of its own
TELLING = 0.02  # a change of share worth telling
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
    """What was learned with this embedder; for one that it was not learned with, what holds of
    any: how similar the nearest passage is says nothing there, since scales differ.
    """
    table = json.loads(files("consilience").joinpath("trust.json").read_text(encoding="utf-8"))
    return TrustModel(**table["models"].get(embedder.partition(":")[0], table["models"][_ANY]))


def trusts(rankings: Sequence[Ranking], text: str, model: TrustModel) -> dict[str, Trust]:
    """For each collection that has something by meaning and by words, how far to trust each."""
    groups: dict[str, dict[str, Ranking]] = {}
    for one in rankings:
        groups.setdefault(one.collection, {})[one.source.rpartition("/")[2]] = one
    return {
        collection: _trust(collection, signs_of(group["dense"], group["bm25"], text), model)
        for collection, group in groups.items()
        if "dense" in group and "bm25" in group
    }


def wished(trust: Trust, *, alpha: float, neighbours: float) -> Trust:
    """A trust with what the settings wish on top: alpha as odds of meaning against words, 0.5 for
    none; at its ends one side is all there is, and neighbours are not heard.
    """
    meaning, words = trust.meaning * alpha, trust.words * (1 - alpha)
    share = min(MOST, trust.neighbours * neighbours) if meaning and words else 0.0
    factor = (1 - share) / (meaning + words)
    return replace(trust, meaning=meaning * factor, words=words * factor, neighbours=share)


def weighed(trust: Trust, *, meaning: float, words: float) -> Trust:
    """What a trust comes to when settings or rules give the sides weights."""
    sides = trust.meaning * meaning, trust.words * words
    factor = (1 - trust.neighbours) / sum(sides) if sum(sides) else 0.0
    return replace(trust, meaning=sides[0] * factor, words=sides[1] * factor)


def signs_of(dense: Ranking, words: Ranking, text: str) -> dict[str, float]:
    """What a question shows: the best similarity, how far the tenth by words falls behind the
    first (all the way where fewer have any of them), and how long it is (log of its words).
    """
    first = words.found[0].score
    tenth = words.found[TENTH - 1].score if len(words.found) >= TENTH else 0.0
    return {
        "similarity": dense.found[0].score,
        "fall": 1 - tenth / first if first > 0 else 0.0,
        "length": math.log1p(len(_WORD.findall(text))),
    }


def _trust(collection: str, signs: Mapping[str, float], model: TrustModel) -> Trust:
    shares = model.shares(signs)
    return Trust(collection=collection, reasons=tuple(_reasons(signs, model, shares)), **shares)


def _reasons(
    signs: Mapping[str, float], model: TrustModel, shares: Mapping[str, float]
) -> list[str]:
    """What each sign changed: the shares with it against those had it been as usual."""
    told = []
    for name, value in signs.items():
        if name not in model.usual:
            continue
        without = model.shares({**signs, name: model.usual[name]})
        changes = {side: shares[side] - without[side] for side in SIDES}
        if max(map(abs, changes.values())) >= TELLING:
            moves = ", ".join(
                f"{side} {change:+.2f}"
                for side, change in changes.items()
                if abs(change) >= TELLING
            )
            told.append(f"{_sentence(name, value, model.usual[name])}: {moves}")
    return told


def _sentence(name: str, value: float, usual: float) -> str:
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
