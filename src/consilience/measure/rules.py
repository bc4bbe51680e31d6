"""When does a change pay? One rule for tuning, learning and the gate: it must be shown.

A gain counts if it is above 0 and chance would hardly give as much, on questions that it was not
chosen on. A loss counts by the same measure.
"""

from __future__ import annotations

from consilience.measure.values import Comparison

SURE = 0.05
"""What chance gives less often than this, corrected for the number of comparisons, is shown."""


def shown(found: Comparison) -> bool:
    """Whether a difference is more than chance."""
    return found.p_corrected < SURE


def pays(found: Comparison) -> tuple[bool, str]:
    """Whether ours is shown to be better than theirs, and the reason in words."""
    if found.gain.mean > 0 and shown(found):
        return True, f"it wins: {told(found)}"
    if harms(found):
        return False, f"it loses: {told(found)}"
    return False, f"no gain is shown: {told(found)}"


def harms(found: Comparison) -> bool:
    """Whether ours is shown to be worse than theirs."""
    return found.gain.mean < 0 and shown(found)


def told(found: Comparison, *, sign: int = 1) -> str:
    """`+0.0120 [+0.0030, +0.0210], p = 0.0040`; with sign -1 as seen from the other side."""
    ends = sorted((sign * found.gain.low, sign * found.gain.high))
    gain = f"{sign * found.gain.mean:+.4f} [{ends[0]:+.4f}, {ends[1]:+.4f}]"
    return f"{gain}, p = {found.p_corrected:.4f}"
