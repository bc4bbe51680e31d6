"""Which settings suit these documents? Chosen on some questions, reported on others.

A part of the questions is kept out until the end. On the rest, settings are chosen on one half and
scored on the other, again and again over random halves: only what those other halves show counts
as a gain. The choice itself is then made on the whole tuning part and scored once on what was
kept out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consilience.ingest.progress import Progress, Silent
from consilience.measure import rules
from consilience.measure.scoring.measures import PRIMARY
from consilience.measure.scoring.statistics import compare, corrected, interval
from consilience.measure.tune.choosing import descend, intent_alphas
from consilience.measure.tune.parameters import (
    Parameter,
    current,
    likely_reason,
    parameters_of,
    untried,
)
from consilience.measure.tune.parting import checked_share, digests, parted, parts
from consilience.measure.tune.replay import Changes, Replay, Values
from consilience.measure.values import Comparison, Interval

SPLITS = 5
KEEP_OUT = 0.5
CURRENT, CHOSEN, PER_INTENT = "current", "tuned", "tuned per intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one value of a parameter gives, all else as it is: a mean with its interval.

    `gain` is its difference from the settings as they are, question by question. The value is not
    chosen, so both are as honest over the tuning part as on questions held out.
    """

    value: str | float
    gives: Interval
    gain: Interval
    now: bool
    chosen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A parameter over its range, how often each value was chosen, and whether it does anything."""

    parameter: Parameter
    points: tuple[Point, ...]
    connected: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Several ways on the same questions: each with its interval, and what was compared."""

    means: Mapping[str, Interval]
    comparisons: tuple[Comparison, ...]

    def compared(self, ours: str, theirs: str) -> Comparison | None:
        """The comparison of two ways, if it was made."""
        made = (one for one in self.comparisons if (one.ours, one.theirs) == (ours, theirs))
        return next(made, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What tuning found: surfaces, what halves held out show, the choice, and what to do.

    `used` and `kept` are digests of the questions that were chosen on, and of those kept out.
    `kept_out` is None when nothing was kept out. `intents` counts the tuning questions by intent.
    `untried` are parameters that cannot be tried here, with the reason.
    """

    surfaces: tuple[Surface, ...]
    held_out: Report
    kept_out: Report | None
    choice: Changes
    recommended: bool
    verdict: str
    splits: int
    seed: int
    intents: Mapping[str, int]
    used: tuple[str, ...]
    kept: tuple[str, ...]
    trouble: tuple[str, ...] = ()
    untried: Mapping[str, str] = field(default_factory=dict)

    @property
    def unconnected(self) -> list[Surface]:
        """The parameters whose whole range changes no ranking."""
        return [one for one in self.surfaces if not one.connected]


@dataclass(slots=True)
class _Held:
    """Scores of questions by way, gathered from the halves in which they were held out."""

    scores: dict[str, dict[int, list[float]]] = field(default_factory=dict)

    def add(self, way: str, which: Sequence[int], values: Values) -> None:
        by_question = self.scores.setdefault(way, {})
        for one, value in zip(which, values, strict=True):
            by_question.setdefault(one, []).append(float(value))

    def means(self) -> dict[str, dict[str, float]]:
        return {
            way: {str(one): float(np.mean(values)) for one, values in found.items()}
            for way, found in self.scores.items()
        }


def tune(
    replay: Replay,
    *,
    splits: int = SPLITS,
    keep_out: float = KEEP_OUT,
    seed: int = 5,
    skip: Sequence[str] = (),
    progress: Progress | None = None,
) -> Tuning:
    """Choose settings on some of the questions, and say what the others show of them.

    What was kept out before is kept out again, and what was chosen on is chosen on again.
    """
    watched = progress or Silent()
    kept, tuning = parts(replay, checked_share(keep_out), seed)
    parameters = parameters_of(replay.engine, skip=skip)
    tried = _try_all(replay, parameters, tuning, watched)
    usable = [one for one in parameters if tried[one.title]]
    held, states = _halves(replay, usable, tuning, (splits, seed), watched)
    held_out = _report(held.means())
    choice = descend(replay, usable, tuning)
    alphas = intent_alphas(replay, choice, tuning)
    if alphas and _shown(held_out.compared(PER_INTENT, CHOSEN)):
        choice = {**choice, "fusion.alphas": alphas}
    kept_out = _report(_scored(replay, choice, kept)) if kept else None
    recommended, verdict = _verdict(choice, held_out, kept_out)
    return Tuning(
        surfaces=_surfaces(replay, parameters, tuning, (tried, states)),
        held_out=held_out,
        kept_out=kept_out,
        choice=choice,
        recommended=recommended,
        verdict=verdict,
        splits=splits,
        seed=seed,
        intents=dict(Counter(replay.intents[one] for one in tuning)),
        used=digests(replay, tuning),
        kept=digests(replay, kept),
        trouble=tuple(replay.trouble),
        untried=untried(replay.engine),
    )


# --- trying and choosing ----------------------------------------------------------------


def _try_all(
    replay: Replay, parameters: Sequence[Parameter], which: Sequence[int], progress: Progress
) -> dict[str, bool]:
    """Every value of every parameter once; by title, whether its range changes any ranking.

    One that changes nothing as things are is tried again with the best of all moves made: a
    weight does nothing as long as alpha gives all the say to the other side.
    """
    total = sum(len(one.moves) for one in parameters)
    progress.stage("trying", total=total, unit="settings")
    connected: dict[str, bool] = {}
    best: tuple[float, Changes] = (float(replay.scores({}, which).mean()), {})
    for parameter in parameters:
        for move in parameter.moves:
            mean = float(replay.scores(move.changes, which).mean())
            best = max(best, (mean, move.changes), key=lambda one: one[0])
            progress.advance()
        connected[parameter.title] = _differs(replay, parameter, which, {})
    for parameter in parameters:
        if not connected[parameter.title]:
            connected[parameter.title] = _differs(replay, parameter, which, best[1])
    return connected


def _differs(replay: Replay, parameter: Parameter, which: Sequence[int], state: Changes) -> bool:
    """Whether two values of a parameter give any question another ranking.

    Of a parameter of fusing the fused order must differ too: other scores in the same order may
    move what diversity makes of them, and yet nothing was fused.
    """
    fusing = parameter.name.startswith("fusion.")
    orders = (replay.rankings, replay.fused) if fusing else (replay.rankings,)
    return all(
        len({tuple(order({**state, **one.changes}, which)) for one in parameter.moves}) > 1
        for order in orders
    )


def _halves(
    replay: Replay,
    parameters: Sequence[Parameter],
    tuning: Sequence[int],
    how: tuple[int, int],
    progress: Progress,
) -> tuple[_Held, list[Changes]]:
    """Choose on each half, score on the other; the scores, and what was chosen."""
    splits, seed = how
    held, states = _Held(), []
    steps_each = len({one.group for one in parameters})
    progress.stage("choosing", total=2 * splits * steps_each, unit="steps")
    for split in range(splits):
        first, second = parted(replay, tuning, 0.5, seed + 1 + split)
        for chosen_on, reported_on in ((first, second), (second, first)):
            steps = _Steps(progress, steps_each)
            state = descend(replay, parameters, chosen_on, step=steps)
            alphas = intent_alphas(replay, state, chosen_on)
            states.append(state)
            held.add(CHOSEN, reported_on, replay.scores(state, reported_on))
            own = {**state, "fusion.alphas": alphas} if alphas else state
            held.add(PER_INTENT, reported_on, replay.scores(own, reported_on))
    if held.scores.get(PER_INTENT) == held.scores.get(CHOSEN):
        held.scores.pop(PER_INTENT, None)
    held.add(CURRENT, tuning, replay.scores({}, tuning))
    for source in sorted(replay.engine.sources):
        held.add(source, tuning, replay.single(source, tuning))
    return held, states


class _Steps:
    """Moves a bar on by one a parameter, as far as was announced: later passes come for free."""

    def __init__(self, progress: Progress, announced: int) -> None:
        self._progress, self._left = progress, announced

    def __call__(self) -> None:
        if self._left:
            self._left -= 1
            self._progress.advance()


# --- telling ----------------------------------------------------------------------------


def _scored(replay: Replay, choice: Changes, which: Sequence[int]) -> dict[str, dict[str, float]]:
    ways = {CURRENT: replay.scores({}, which), CHOSEN: replay.scores(choice, which)}
    ways |= {name: replay.single(name, which) for name in sorted(replay.engine.sources)}
    return {
        way: {str(one): float(value) for one, value in zip(which, values, strict=True)}
        for way, values in ways.items()
    }


def _report(scores: Mapping[str, Mapping[str, float]]) -> Report:
    others = [way for way in scores if way not in (CHOSEN, PER_INTENT)]
    pairs = [(CHOSEN, other) for other in others]
    if PER_INTENT in scores:
        pairs += [(PER_INTENT, CHOSEN), (PER_INTENT, CURRENT)]
    made = [
        compare(scores[ours], scores[theirs], names=(ours, theirs), measure=PRIMARY)
        for ours, theirs in pairs
    ]
    first = [CURRENT, CHOSEN, PER_INTENT]
    order = [way for way in first if way in scores] + [way for way in others if way not in first]
    return Report(
        means={way: interval(list(scores[way].values())) for way in order},
        comparisons=tuple(corrected(made)),
    )


def _surfaces(
    replay: Replay,
    parameters: Sequence[Parameter],
    which: Sequence[int],
    found: tuple[Mapping[str, bool], Sequence[Changes]],
) -> tuple[Surface, ...]:
    connected, states = found
    base = replay.scores({}, which)
    made = []
    for one in parameters:
        now = _value(replay, one, {})
        chosen = Counter(_value(replay, one, state) for state in states)
        points = tuple(
            Point(
                value=move.value,
                gives=interval(replay.scores(move.changes, which).tolist()),
                gain=interval((replay.scores(move.changes, which) - base).tolist()),
                now=move.value == now,
                chosen=chosen[move.value],
            )
            for move in one.moves
        )
        ok = connected[one.title]
        reason = "" if ok else likely_reason(one, replay.engine)
        made.append(Surface(parameter=one, points=points, connected=ok, reason=reason))
    return tuple(made)


def _value(replay: Replay, parameter: Parameter, state: Changes) -> Any:
    """The value that a parameter has in a state; None where its fuser is not the one in use."""
    settings = replay.engine.settings
    method = state.get("fusion.method", settings.fusion.method)
    if parameter.under and method != parameter.under:
        return None
    return state.get(parameter.name, current(settings, parameter.name))


def _verdict(choice: Changes, held: Report, kept: Report | None) -> tuple[bool, str]:
    """Whether the choice is recommended, and why (not)."""
    keep = "keep what you have"
    better = _better_alone(kept or held)
    if better:
        return False, (
            f"do not fuse: {better.theirs} alone is better than the tuned settings by "
            f"{rules.told(better, sign=-1)} on questions that were not chosen on"
        )
    if not choice:
        return False, f"{keep}: no other setting was clearly better on the tuning questions"
    gain = held.compared(PER_INTENT if "fusion.alphas" in choice else CHOSEN, CURRENT)
    if gain is None or not _shown(gain):
        told = rules.told(gain) if gain else "none"
        return False, f"{keep}: a gain is not shown on the held-out halves ({told})"
    final = kept.compared(CHOSEN, CURRENT) if kept else None
    if final is not None and final.gain.mean <= 0:
        return False, (
            f"{keep}: the held-out halves show {rules.told(gain)}, but the part that was kept out "
            f"does not ({rules.told(final)})"
        )
    told = f"; on the part that was kept out {rules.told(final)}" if final else ""
    return True, f"change: the held-out halves show {rules.told(gain)}{told}"


def _shown(found: Comparison | None) -> bool:
    return found is not None and rules.pays(found)[0]


def _better_alone(report: Report) -> Comparison | None:
    """A single source that is surely better than the tuned settings; the best of them."""
    worse = [
        one
        for one in report.comparisons
        if one.ours == CHOSEN and one.theirs != CURRENT and rules.harms(one)
    ]
    return min(worse, key=lambda one: one.gain.mean, default=None)
