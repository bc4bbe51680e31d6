"""Which settings does one set of questions call for? One parameter after the other is moved along.

Whether the choice holds on other questions is not asked here: see `tuning`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from consilience.measure.tune.parameters import ALPHAS, Parameter, current, reads
from consilience.measure.tune.replay import WEIGHTS, Changes, Replay, Values
from consilience.settings import TABLE, Settings

ENOUGH = 20
"""So many questions of an intent are wanted for an alpha of its own."""
MARGIN = 0.001
"""A smaller gain on the questions that are chosen on is not worth another setting."""
_PASSES = 2


def descend(
    replay: Replay,
    parameters: Sequence[Parameter],
    which: Sequence[int],
    *,
    step: Callable[[], None] = lambda: None,
) -> Changes:
    """The best settings found by moving along one parameter after the other.

    It starts from the current settings, or from the shipped ones where those are better; what
    gains most from there is moved first, for a small move may shut out a large one. Of the moves
    along a parameter the best is made, the first of equal ones, if it is `worth` it.
    Fusers and their constants are one parameter: else the first fuser that helps would stand in
    the way of a better one. Changes that turn out to do nothing are dropped again.
    """
    groups: dict[str, list[Changes]] = {}
    for one in parameters:
        groups.setdefault(one.group, []).extend(move.changes for move in one.moves)
    state = _start(replay, parameters, which)
    first = {name: _best(replay, state, moves, which)[0].mean() for name, moves in groups.items()}
    ordered = sorted(groups, key=lambda name: -float(first[name]))
    for _ in range(_PASSES):
        before = state
        for name in ordered:
            gains, changes = _best(replay, state, groups[name], which)
            if worth(gains):
                state = {**state, **changes}
            step()
        if state == before:
            break
    return _needed(replay, state, which)


def shipped(replay: Replay, parameters: Sequence[Parameter]) -> Changes:
    """What would have to change for the parameters to stand as they are shipped."""
    engine, plain = replay.engine, Settings()
    names = {name for one in parameters for move in one.moves for name in move.changes}
    wanted: dict[str, Any] = {}
    for name in names:
        value = current(plain, name)
        if value is None:  # a weight: what its kind has by itself
            value = engine.knowledge.trust if name == f"{WEIGHTS}dense" else 1.0
        if current(engine.settings, name) not in (value, None):
            wanted[name] = value
    if engine.reranker is None:
        wanted.pop("models.rerank", None)
    return wanted


def _start(replay: Replay, parameters: Sequence[Parameter], which: Sequence[int]) -> Changes:
    state = shipped(replay, parameters)
    if not state:
        return {}
    gains = replay.scores(state, which) - replay.scores({}, which)
    return state if worth(gains) else {}


def _best(
    replay: Replay, state: Changes, moves: Sequence[Changes], which: Sequence[int]
) -> tuple[Values, Changes]:
    """The move that gains most from a state, the first of equal ones, and its gains."""
    now = replay.scores(state, which)
    found = [(replay.scores({**state, **changes}, which) - now, changes) for changes in moves]
    return max(found, key=lambda one: float(one[0].mean()))


def worth(gains: Values) -> bool:
    """Whether a move is made: its mean gain is `MARGIN` or more, and above its standard error.

    Many moves are tried, and on few questions some of them gain by chance.
    """
    mean = float(gains.mean())
    error = float(gains.std(ddof=1)) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
    return mean >= MARGIN and mean > error


def intent_alphas(replay: Replay, state: Changes, which: Sequence[int]) -> dict[str, float]:
    """An alpha for each intent that has enough questions and gains by it; the rest back off."""
    method = state.get("fusion.method", replay.engine.settings.fusion.method)
    if not reads(method, "alpha") or not any(row.name == "fusion.alphas" for row in TABLE):
        return {}
    counts = Counter(replay.intents[one] for one in which)
    many = [intent for intent, number in sorted(counts.items()) if intent and number >= ENOUGH]
    if len(counts) < 2 or not many:
        return {}
    found: dict[str, float] = {}
    for intent in many:
        own = [one for one in which if replay.intents[one] == intent]
        now = replay.scores(state, own)
        tried = {
            alpha: replay.scores({**state, "fusion.alpha": alpha}, own) - now for alpha in ALPHAS
        }
        best = max(tried, key=lambda alpha: float(tried[alpha].mean()))
        if worth(tried[best]):
            found[intent] = best
    return found


def _needed(replay: Replay, state: Changes, which: Sequence[int]) -> Changes:
    """The changes without those that are as it is, or do nothing beside the others."""
    settings = replay.engine.settings
    kept = {name: value for name, value in state.items() if current(settings, name) != value}
    wanted = replay.rankings(kept, which)
    for name in list(kept):
        without = {other: value for other, value in kept.items() if other != name}
        if replay.rankings(without, which) == wanted:
            kept = without
    return kept
