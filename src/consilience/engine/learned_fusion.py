"""How do labels correct the order? A learned model adds deltas to the fused scores.

Each hit is described by its votes, its place among the others, its kind of passage, and the
question (`features`). A model of decision trees (LightGBM), trained as a correction to the fused
scores, gives each hit a value; that value, less the mean of these hits and in deviations of their
fused scores, is the delta. A higher score from a source, all else being the same, never makes a
hit worse. The reason names the features that counted most.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np

from consilience.errors import MissingExtra, StoreError
from consilience.kinds import graph_kinds
from consilience.types import SIGNAL_NAMES, Change, Hit, Note, Plan, Signal, Vote

MODEL, CARD = "learned.txt", "learned.json"
VERSION = 1
KINDS = ("dense", "bm25", "sql", "graph", "paths")
"""The kinds of sources with features of their own; all others count as agreement."""
PER_KIND = ("score", "share", "found", "place")
GENERAL = ("fused", "first", "agreement", "words asked", "row", "graph passage")
_SHOWN = 3  # features that a reason names
_FLAT = 1e-12
TRUST = 1.0
"""The value of one deviation of the fused score on the scale of the model."""


def feature_names(intents: Sequence[str]) -> list[str]:
    """The names of the columns of `features`, in order."""
    votes = [f"{kind} {part}" for kind in KINDS for part in PER_KIND]
    return [*votes, *GENERAL, *(f"intent {name}" for name in intents)]


def rising(intents: Sequence[str]) -> list[int]:
    """1 for features of which more can only help (LightGBM's monotone constraints), in order."""
    helps = {f"{kind} {part}" for kind in KINDS for part in ("score", "share")} | {"fused"}
    return [int(name in helps) for name in feature_names(intents)]


def features(hits: Sequence[Hit], plan: Plan, intents: Sequence[str]) -> list[list[float]]:
    """A row of numbers for each hit.

    For each kind of source: its score, that score between the lowest (0) and the highest (1) of
    these hits, whether it found the hit itself, and 1 / its rank. An unknown score counts as the
    lowest.
    """
    votes = [_votes_by_signal(hit) for hit in hits]
    columns = [
        column
        for kind in KINDS
        for column in _columns([by_signal.get(SIGNAL_NAMES[kind]) for by_signal in votes])
    ]
    words = float(len(plan.query.text.split()))
    intent = [float(plan.intent == name) for name in intents]
    fused = _shares([hit.score for hit in hits])
    return [
        [
            *(column[place] for column in columns),
            fused[place],
            1 / (place + 1),
            float(len(hit.sources)),
            words,
            float(hit.passage.kind == "row"),
            float(hit.passage.kind in graph_kinds() | {"path"}),
            *intent,
        ]
        for place, hit in enumerate(hits)
    ]


def start_of(hits: Sequence[Hit]) -> list[float]:
    """The initial score of each hit for training: its fused score, in deviations from the mean."""
    middle, spread = fmean(hit.score for hit in hits), _deviation(hits)
    return [TRUST * (hit.score - middle) / spread for hit in hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A model that reorders hits. `booster` is LightGBM's, `card` describes its training."""

    booster: Any
    intents: tuple[str, ...]
    card: Mapping[str, Any]

    def __call__(self, hits: Sequence[Hit], plan: Plan) -> list[Hit]:
        """The hits in the learned order, each with its delta and reason."""
        if len(hits) < 2:
            return list(hits)
        rows = features(hits, plan, self.intents)
        parts = self.booster.predict(np.array(rows), pred_contrib=True, num_threads=1).tolist()
        usual = [fmean(column) for column in zip(*parts, strict=True)]
        scale = _deviation(hits) / TRUST
        names = feature_names(self.intents)
        changes = [
            Change(
                step="learned",
                delta=scale * (sum(row) - sum(usual)),
                reason=_reason(names, row, usual, scale),
            )
            for row in parts
        ]
        moved = [
            replace(hit, score=hit.score + change.delta, changes=(*hit.changes, change))
            for hit, change in zip(hits, changes, strict=True)
        ]
        return sorted(moved, key=lambda hit: -round(hit.score, 12))


def open_learned(store: Path, model: str) -> tuple[Learned | None, tuple[Note, ...]]:
    """The learned model of a workspace for this embedder, and notes about it.

    A model that cannot be used (no LightGBM, another embedder, damage) costs a note and not the
    search.
    """
    if not (store / CARD).exists():
        return None, ()
    try:
        learned = read_learned(store)
    except (MissingExtra, StoreError) as error:
        return None, (Note("learned", f"{error}; until then the fused order is used"),)
    embedder = learned.card.get("model")
    if embedder != model:
        message = (
            f"the learned order was made with the embedder {embedder}, not with {model}, and is "
            "not used; run `consilience learn` again, or `consilience learn --forget`"
        )
        return None, (Note("learned", message),)
    return learned, ()


def read_learned(store: Path) -> Learned:
    """The learned model of a workspace; an error says what is wrong with it."""
    lightgbm = lightgbm_module()
    try:
        card = json.loads((store / CARD).read_text(encoding="utf-8"))
        text = (store / MODEL).read_text(encoding="utf-8")
        if card.get("version") != VERSION:
            raise ValueError(f"its version is {card.get('version')!r}, known is {VERSION}")
        intents = tuple(map(str, card["intents"]))
        booster = lightgbm.Booster(model_str=text)
        if booster.feature_name() != safe_names(intents):
            raise ValueError("it was made for other features")
    except (OSError, ValueError, KeyError, AttributeError, lightgbm.basic.LightGBMError) as error:
        raise StoreError(
            f"{store / MODEL} cannot be used: {error}; run `consilience learn` again, or "
            "`consilience learn --forget`"
        ) from error
    return Learned(booster=booster, intents=intents, card=card)


def lightgbm_module() -> Any:
    """LightGBM, or what to install."""
    try:
        import lightgbm  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise MissingExtra("learned fusion", "learned") from error
    return lightgbm


def safe_names(intents: Sequence[str]) -> list[str]:
    """The feature names as LightGBM stores them."""
    return [
        "".join(letter if letter.isalnum() else "_" for letter in name)
        for name in feature_names(intents)
    ]


def _deviation(hits: Sequence[Hit]) -> float:
    """The deviation of fused scores that are not all the same; else their size."""
    scores = [hit.score for hit in hits]
    spread = pstdev(scores)
    return spread if spread > _FLAT else max(abs(scores[0]), 1e-6)


def _votes_by_signal(hit: Hit) -> dict[Signal, Vote]:
    """The vote of the source of each signal; second votes left out."""
    votes = (part for vote in hit.votes for part in vote.parts or (vote,))
    return {vote.ranks_by: vote for vote in votes if not vote.is_repeated}


def _columns(votes: Sequence[Vote | None]) -> list[list[float]]:
    known = [vote.score for vote in votes if vote is not None]
    lowest = min(known, default=0.0)
    scores = [lowest if vote is None else vote.score for vote in votes]
    ranks = [vote.rank if vote is not None else None for vote in votes]
    return [
        scores,
        _shares(scores),
        [float(rank is not None) for rank in ranks],
        [1 / rank if rank else 0.0 for rank in ranks],
    ]


def _shares(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if high - low <= _FLAT:
        return [0.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def _reason(
    names: Sequence[str], parts: Sequence[float], usual: Sequence[float], scale: float
) -> str:
    """The features that lifted or lowered a hit most, against the mean of these hits."""
    effects = [
        (name, scale * (part - mean))
        for name, part, mean in zip(names, parts, usual, strict=False)  # the last part is the base
    ]
    most = sorted(effects, key=lambda one: -abs(one[1]))[:_SHOWN]
    return ", ".join(f"{name} {effect:+.3f}" for name, effect in most if effect)
