"""Which questions are chosen on, and which are kept out? What was decided once is held to."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.errors import UsageError
from consilience.measure.golden.files import question_digest
from consilience.measure.scoring import splits
from consilience.measure.tune.replay import Replay

LEAST = 8
"""Fewer questions than this cannot be split into halves that say anything."""


def checked_share(keep_out: float) -> float:
    """The share to keep out, if it is one."""
    if not 0 <= keep_out < 1:
        raise UsageError(f"the part to keep out is {keep_out}; give a share from 0 up to below 1")
    return keep_out


def parts(replay: Replay, share: float, seed: int) -> tuple[list[int], list[int]]:
    """The places of the questions that are kept out, and of those that are tuned on.

    What is on record as kept out stays out, and what an order was chosen on is chosen on again;
    of the others this share is kept out.
    """
    kept, used, free = replay.before.parts(digests(replay, range(len(replay))))
    more, rest = parted(replay, free, share, seed)
    tuning = sorted([*used, *rest])
    if len(tuning) < LEAST:
        earlier = f" ({len(kept)} were kept out before: --forget forgets that)" if kept else ""
        raise UsageError(
            f"{len(tuning)} questions are left to tune on{earlier}, at least {LEAST} are needed; "
            "add questions, or keep fewer out"
        )
    return sorted([*kept, *more]), tuning


def parted(
    replay: Replay, which: Sequence[int], share: float, seed: int
) -> tuple[list[int], list[int]]:
    """Two parts of these questions, alike in their categories; no text is in both."""
    same: dict[str, list[int]] = {}
    for one, digest in zip(which, digests(replay, which), strict=True):
        same.setdefault(digest, []).append(one)
    texts = list(same.values())
    groups = [replay.cases[one[0]].question.category for one in texts]
    first, second = (
        sorted(one for place in part for one in texts[place])
        for part in splits.parted(groups, share, seed=seed)
    )
    return first, second


def digests(replay: Replay, which: Sequence[int]) -> tuple[str, ...]:
    """The digests of the questions at these places."""
    return tuple(question_digest(replay.cases[one].question) for one in which)
