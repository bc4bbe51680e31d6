"""Does fusing help here? What the comparisons show, in one plain sentence, and what they do not."""

from __future__ import annotations

from consilience.measure.evaluate.evaluating import Evaluation
from consilience.measure.evaluate.running import MERGED
from consilience.measure.rules import SURE
from consilience.measure.scoring.statistics import needed
from consilience.measure.values import Comparison


def verdict(evaluation: Evaluation) -> str:
    """Whether merged beats each single source, and against which that is not shown."""
    singles = evaluation.singles
    if len(singles) < 2:
        only = singles[0] if singles else "none"
        return f"Nothing is fused here: there is one source ({only})."
    found = {one.theirs: one for one in evaluation.comparisons if one.theirs in singles}
    better = [one for one in found.values() if _shown(one) and one.gain.mean > 0]
    worse = [one for one in found.values() if _shown(one) and one.gain.mean < 0]
    open_ones = [one for one in found.values() if not _shown(one)]
    if worse:
        most = min(worse, key=lambda one: one.gain.mean)
        return (
            f"Fusing does not help here: {most.theirs} alone is better than merged "
            f"({_told(most)}). `consilience tune` may find weights that help."
        )
    if not open_ones:
        least = min(better, key=lambda one: one.gain.mean)
        return (
            "Fusing helps here: merged is better than every single source; the nearest is "
            f"{least.theirs} ({_told(least)})."
        )
    unsure = "; ".join(f"{one.theirs} ({_told(one)})" for one in open_ones)
    seen = max(_smallest(evaluation, one.theirs) for one in open_ones)
    count = open_ones[0].gain.count
    small = f" With {count} questions a difference below {seen:.3f} can hardly be seen."
    if better:
        names = ", ".join(one.theirs for one in better)
        return f"Merged is better than {names}; that is not shown against {unsure}.{small}"
    return f"It is not shown that fusing helps here: not against {unsure}.{small}"


def chance(p: float) -> str:
    """`p = 0.012`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _shown(one: Comparison) -> bool:
    return one.p_corrected < SURE


def _told(one: Comparison) -> str:
    return f"{one.gain.mean:+.3f} {one.measure}, {chance(one.p_corrected)}"


def _smallest(evaluation: Evaluation, other: str) -> float:
    measure = evaluation.primary
    ours, theirs = (evaluation.ways[name].strict[measure] for name in (MERGED, other))
    return needed([ours[key] - theirs[key] for key in ours])
