"""On which questions is chosen, and on which is it reported? Parts that are alike, by a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence


def parted(groups: Sequence[str], share: float, *, seed: int) -> tuple[list[int], list[int]]:
    """Two parts of the places of `groups`: this share of every group, and the rest.

    Inside a group chance decides, by the seed. What does not divide evenly is carried over to the
    next group, so that the whole has the share too.
    """
    chance = random.Random(seed)  # noqa: S311 - the same every time is what is wanted
    by_group: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        by_group.setdefault(group, []).append(place)
    order: list[int] = []
    for _, places in sorted(by_group.items()):
        chance.shuffle(places)
        order.extend(places)
    start = chance.random()  # else what is left over would always fall to the same part
    part = {
        place
        for number, place in enumerate(order)
        if int((number + 1) * share + start) > int(number * share + start)
    }
    return sorted(part), [place for place in range(len(groups)) if place not in part]
