"""In which order are cities visited? With the least travel; as asked, where that is hardly longer.

Exact for up to eight cities (a table over subsets), beyond that by insertion and by turning parts
of the way round until nothing gets shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from consilience.packs.travel.trips.composing.ways import LONGEST_MIN, Ways

EXACT = 8
APART = 20.0 * LONGEST_MIN
"""What a way counts that there is not."""
_ASKED = 1.15
"""The order asked for is kept where it is no longer than the best by more than this."""


def journey_weight(cities: Sequence[str], ways: Ways, start: str = "", end: str = "") -> float:
    """What a whole way costs in minutes, from the start to the end where there are such."""
    return sum(_leg(one, other, ways) for one, other in pairwise(_whole(cities, start, end)))


def journey_toil(cities: Sequence[str], ways: Ways, start: str = "", end: str = "") -> float:
    """The minutes of days that a whole way takes, whatever it costs."""
    toil = 0.0
    for one, other in pairwise(_whole(cities, start, end)):
        journey = ways.best(one, other) if one != other else None
        toil += journey.toil if journey else APART * (one != other)
    return toil


def in_order(
    cities: Sequence[str], ways: Ways, start: str = "", end: str = "", *, asked: Sequence[str] = ()
) -> tuple[str, ...]:
    """The cities in the order of the least travel."""
    free = list(dict.fromkeys(one for one in cities if one not in (start, end)))
    begins = [start] if start in cities else []
    ends = [end] if end in cities and (end != start or len(cities) > len(free) + 1) else []
    exact = len(free) <= EXACT
    inner = _exact(free, ways, start, end) if exact else _improved(free, ways, start, end)
    best = _towards_hub((*begins, *inner, *ends), ways, start, end)
    if len(asked) > 1 and set(asked) == set(best):
        wanted = tuple(dict.fromkeys(asked))
        weights = [journey_weight(one, ways, start, end) for one in (wanted, best)]
        if weights[0] <= weights[1] * _ASKED:
            return wanted
    return best


def _whole(cities: Sequence[str], start: str, end: str) -> list[str]:
    whole = list(cities)
    if start and (not whole or whole[0] != start):
        whole.insert(0, start)
    if end and (not whole or whole[-1] != end):
        whole.append(end)
    return whole


def _leg(one: str, other: str, ways: Ways) -> float:
    if one == other:
        return 0.0
    journey = ways.best(one, other)
    return journey.weight if journey else APART


def _exact(free: Sequence[str], ways: Ways, start: str, end: str) -> tuple[str, ...]:
    """The best order by a table: the least way over each subset that ends in each of its cities."""
    names = sorted(free)
    if len(names) <= 1:
        return tuple(names)
    table: dict[tuple[int, int], tuple[float, tuple[str, ...]]] = {
        (1 << place, place): (_leg(start, name, ways) if start else 0.0, (name,))
        for place, name in enumerate(names)
    }
    for subset in range(1, 1 << len(names)):
        for last in range(len(names)):
            if (subset, last) not in table:
                continue
            spent, path = table[subset, last]
            for place, name in enumerate(names):
                if subset >> place & 1:
                    continue
                key = (subset | 1 << place, place)
                found = (spent + _leg(names[last], name, ways), (*path, name))
                table[key] = min(table.get(key, found), found)
    full = (1 << len(names)) - 1
    ends = [table[full, last] for last in range(len(names))]
    whole = [(spent + (_leg(path[-1], end, ways) if end else 0.0), path) for spent, path in ends]
    return min(whole)[1]


def _improved(free: Sequence[str], ways: Ways, start: str, end: str) -> tuple[str, ...]:
    path: list[str] = []
    for name in sorted(free):
        tries = [[*path[:place], name, *path[place:]] for place in range(len(path) + 1)]
        path = min(tries, key=lambda one: journey_weight(one, ways, start, end))
    shorter = True
    while shorter:
        shorter = False
        least = journey_weight(path, ways, start, end)
        for first in range(len(path) - 1):
            for last in range(first + 2, len(path) + 1):
                turned = [*path[:first], *reversed(path[first:last]), *path[last:]]
                if journey_weight(turned, ways, start, end) < least - 1e-9:
                    path, shorter = turned, True
                    least = journey_weight(path, ways, start, end)
    return tuple(path)


def _towards_hub(cities: tuple[str, ...], ways: Ways, start: str, end: str) -> tuple[str, ...]:
    """The order or its reverse, whichever begins where more ways lead, if neither is longer."""
    turned = tuple(reversed(cities))
    if start or end or len(cities) < 2:
        return cities
    weights = [journey_weight(one, ways) for one in (cities, turned)]
    if abs(weights[0] - weights[1]) > 0.02 * (weights[0] or 1.0):
        return min(zip(weights, (cities, turned), strict=True))[1]
    return max(cities, turned, key=lambda one: (len(ways.reached(one[0])), one[0] == cities[0]))
