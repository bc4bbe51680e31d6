"""Which places have all that a question asks for, what is near a place, and how do two compare?

Lists have only places that meet every condition (see `meeting`), each with its type, its price and
the reason to go; where two places are compared, each is told with its own reasons, months and way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from consilience.packs.travel.answering import facts
from consilience.packs.travel.answering.facts import name_of
from consilience.packs.travel.answering.scene import Scene, node_of
from consilience.packs.travel.answering.ways import fastest, told
from consilience.packs.travel.meeting import (
    CONTAINERS,
    is_in,
    is_theme,
    kind_of,
    loosened,
    meets,
    order,
    price_of,
)
from consilience.packs.travel.wording import plain
from consilience.types import Exhibit, Statement

PLACES = 6
"""Places that an answer begins with."""
_CHEAP = re.compile(
    r"\b(?:cheap\w*|budget|inexpensive|affordable|low-cost|least expensive)\b", re.I
)
_COMPARE = re.compile(
    r"\b(?:compar\w*|differ\w*|versus|vs\.?|better|worse|prefer\w*|rather than|nicer|quieter|"
    r"cheaper|prettier|or(?! (?:should|shall|is|are|do|does|can|must|will|would|have|not)\b))\b",
    re.IGNORECASE,
)


def is_comparison(scene: Scene) -> bool:
    """Whether a question names two places to hold against one another."""
    nodes = [node for node in scene.names if scene.place(node) is not None]
    return len(nodes) > 1 and bool(_COMPARE.search(scene.rest))


def compared(scene: Scene) -> list[Statement]:
    """Two or more places that are named, each with its reasons, its months and a way to it."""
    if not is_comparison(scene):
        return []
    nodes = [node for node in scene.names if scene.place(node) is not None]
    themes = _themes(scene)
    places = [place for node in nodes if (place := scene.place(node)) is not None]
    if themes and not any(facts.reasons(one, themes) for one in places):
        return []
    found: list[Statement] = []
    told_ways: set[int] = set()
    for node, place in zip(nodes, places, strict=True):
        suits = _suits(place, themes)
        if suits == facts.type_of(place):
            return []  # nothing is known of one of them
        found.append(_stated(place, f"{name_of(place)}{suits}", opens=True))
        found += _besides(place)
        way = next((one for one in _ways(scene, node) if one.mark not in told_ways), None)
        if way is not None and not told_ways & {one.mark for one in _ways(scene, node)}:
            told_ways.add(way.mark)
            found.append(_stated(way, told(way)))
    return found


def _suits(place: Exhibit, themes: tuple[str, ...]) -> str:
    """` suits beach: clean sand`; of the themes asked for, else of those it suits best."""
    why = facts.reasons(place, themes) or facts.reasons(place)
    if not why:
        return facts.described(place, themes, with_hours=False)
    return " suits " + "; ".join(f"{theme.replace('-', ' ')}: {said}" for theme, said in why)


def _besides(place: Exhibit) -> list[Statement]:
    """The months of a place and how long to stay."""
    months, days, price = facts.months(place), facts.days(place), facts.price(place)
    parts = [f"best in {months}" if months else "", f"stay {days}" if days else "", price]
    line = "; ".join(filter(None, parts))
    return [_stated(place, f"{line[:1].upper()}{line[1:]}")] if line else []


def _ways(scene: Scene, node: str) -> list[Exhibit]:
    """The connections of a place, the fastest first."""
    edges = [
        one
        for one in scene.exhibits
        if one.passage.metadata.get("relation") == "CONNECTED_TO"
        and node in (one.passage.metadata.get("source"), one.passage.metadata.get("target"))
    ]
    return fastest(edges)


def near(scene: Scene) -> list[Statement]:
    """The places near one that is named, the nearest first, with how far they are; or the day
    trips from it.
    """
    nodes = scene.of_role("near") or (scene.of_role("in") if scene.asked.kinds else [])
    if "DAY_TRIP_FROM" in scene.asked.relations and (trips := _trips(scene, nodes)):
        return trips
    ties = [
        (float(km), one)
        for one in scene.exhibits
        if one.passage.metadata.get("relation") == "NEAR"
        and isinstance(km := one.passage.metadata.get("km"), int | float)
    ]
    found: dict[str, Statement] = {}
    asks = bool(_themes(scene))
    for _, one in sorted(ties, key=lambda pair: (pair[0], pair[1].mark)):
        fields = one.passage.metadata
        ends = [str(fields.get("source")), str(fields.get("target"))]
        if not {*ends} & {*nodes} or {*ends} <= {*nodes}:
            continue
        at = 1 if ends[0] in nodes else 0
        place = scene.place(ends[at])
        if place is None or not meets(place.passage, scene.asked, scene.limits):
            continue
        far = one.text.rpartition(": ")[2].strip().rstrip(".")
        other = str(fields.get("target_name" if at == 0 else "source_name", ""))
        what = facts.type_of(place)
        line = f"{name_of(place)}{what} is {far} from {other}"
        marks = f"[{one.mark}] [{place.mark}]" if what else f"[{one.mark}]"
        if why := "; ".join(said for _, said in facts.reasons(place, _themes(scene)) if asks):
            marks = f"[{one.mark}]: {why} [{place.mark}]"
        found.setdefault(ends[at], Statement(text=f"{line} {marks}.", opens=not found))
    return list(found.values())[:PLACES]


def _trips(scene: Scene, nodes: Sequence[str]) -> list[Statement]:
    """The places that are a day trip from one of these."""
    found: list[Statement] = []
    for one in scene.exhibits:
        fields = one.passage.metadata
        if fields.get("relation") != "DAY_TRIP_FROM" or fields.get("target") not in nodes:
            continue
        place = scene.place(str(fields.get("source")))
        if place is not None:
            why = "; ".join(said for _, said in facts.reasons(place, _themes(scene)))
            line = f"{name_of(place)}{facts.type_of(place)} is a day trip from "
            line += (
                f"{fields.get('target_name') or scene.names[str(fields['target'])]} [{one.mark}]"
            )
            line += f": {why} [{place.mark}]" if why else ""
            found.append(Statement(text=f"{line}.", opens=not found))
    return found[:PLACES]


def listed(scene: Scene) -> list[Statement]:
    """The places that meet all of it, where the question asks for places with conditions."""
    limits = scene.limits
    timed = bool(limits.closed or limits.opened or limits.clock is not None)
    return _all(scene, _meeting(scene), with_hours=timed or scene.wanted.hours)


def meeting(scene: Scene) -> list[str]:
    """The nodes of the places that meet all of it."""
    return [node_of(one) for one in _meeting(scene)]


def own_reasons(scene: Scene) -> list[Statement]:
    """Why the city that is named suits the themes of the question."""
    themes = _themes(scene)
    places = [place for node in scene.of_role("in") if (place := scene.place(node)) is not None]
    return [
        _stated(one, f"{name_of(one)}{_suits(one, themes)}", opens=True)
        for one in places
        if facts.reasons(one, themes)
    ]


def _meeting(scene: Scene) -> list[Exhibit]:
    named = [*scene.of_role("in"), *scene.of_role("near")]
    where = [node for node in named if _is_whole(scene, node)]
    asked, limits = scene.asked, scene.limits
    if len(where) < len(named):
        return []
    if not where and not (limits or asked.interests):
        return []
    if not (asked.kinds or asked.interests or limits):
        return []
    inside = [
        one
        for one in scene.places
        if (not where or is_in(one.passage, where)) and node_of(one) not in where
    ]
    found = [one for one in inside if meets(one.passage, asked, limits)]
    return found or [one for one in inside if meets(one.passage, loosened(asked), limits)]


def suiting(scene: Scene) -> list[Statement]:
    """The first places that suit the themes of a question, with the reason their passages give."""
    themes = _themes(scene)
    named = [*scene.of_role("in"), *scene.of_role("near")]
    where = [node for node in named if _is_whole(scene, node)]
    if not themes or len(where) < len(named):
        return []
    others = tuple(one for one in scene.asked.interests if not is_theme(one))
    asked = replace(scene.asked, interests=others)
    found = [
        one
        for one in _ordered(scene, scene.places)
        if facts.reasons(one, themes)
        and meets(one.passage, asked, scene.limits)
        and (not where or is_in(one.passage, where) or node_of(one) in where)
    ]
    return [
        _stated(one, f"{name_of(one)}{_suits(one, themes)}", opens=not place)
        for place, one in enumerate(found[:PLACES])
    ]


def _all(scene: Scene, found: Sequence[Exhibit], *, with_hours: bool) -> list[Statement]:
    found = sorted(_ordered(scene, found), key=lambda one: not _is_just_that(one, scene))
    if _CHEAP.search(scene.rest) or scene.limits.most is not None:
        dear = float("inf")
        found = sorted(
            found, key=lambda one: dear if (cost := price_of(one.passage)) is None else float(cost)
        )
    themes = _themes(scene)
    if scene.wanted.dishes:
        found = [one for one in found if kind_of(one.passage) == "food"] or found
    return [
        _stated(
            one,
            f"{name_of(one)}{_told(one, themes, with_hours=with_hours)}",
            opens=not place,
        )
        for place, one in enumerate(found[:PLACES])
    ]


def _told(exhibit: Exhibit, themes: tuple[str, ...], *, with_hours: bool) -> str:
    """What a place is; where several themes are asked for, the reason for each of them."""
    line = facts.described(exhibit, themes, with_hours=with_hours)
    if with_hours or len(themes) < 2:
        return line
    head = facts.type_of(exhibit)
    if facts.reasons(exhibit, themes):
        return f"{head}{_suits(exhibit, themes)}"
    said = plain(exhibit.text)
    if not all(plain(one) in said for one in themes):
        return line
    suited = " and ".join(one.replace("-", " ") for one in themes)
    return f"{head} suits {suited}{line.removeprefix(head)}"


def _ordered(scene: Scene, found: Sequence[Exhibit]) -> list[Exhibit]:
    """The places that suit the themes of a question best first."""
    known = {one.passage.id: one for one in found}
    best = order([one.passage for one in found], scene.asked, scene.rest)
    return [known[one.id] for one in best]


def _is_just_that(exhibit: Exhibit, scene: Scene) -> bool:
    """Whether the type of a place says a type or feature that is asked for: a vegetarian
    restaurant.
    """
    nodes = (node for one in scene.asked.interests for node in one.nodes)
    wanted = [node.partition(":")[2] for node in nodes if node.startswith("feature:")]
    wanted += [one for _, one in scene.asked.kinds if one]
    spelt = str(exhibit.passage.metadata.get("type", "")).casefold()
    return any(one in spelt for one in wanted)


def _is_whole(scene: Scene, node: str) -> bool:
    """Whether others are in a place; so it is where only their passages tell of it."""
    place = scene.place(node)
    return place is None or kind_of(place.passage) in CONTAINERS


def _themes(scene: Scene) -> tuple[str, ...]:
    nodes = [node for one in scene.asked.interests for node in one.nodes]
    nodes += ["theme:budget"] if _CHEAP.search(scene.rest) else []
    found = (node.removeprefix("theme:") for node in nodes if node.startswith("theme:"))
    return tuple(dict.fromkeys(found))


def _stated(exhibit: Exhibit, line: str, *, opens: bool = False) -> Statement:
    return Statement(text=f"{line} [{exhibit.mark}].", opens=opens)
