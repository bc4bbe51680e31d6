"""How does one get from one place to another? The connections that passages tell, as sentences.

A way that is asked for by name ("the train") is told alone; else all of them, the fastest first,
those in the direction asked for before those that are only told the other way round. Where no
passage joins the two, two that do are told, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from consilience.packs.travel.answering.scene import Scene
from consilience.packs.travel.places import in_money, in_time
from consilience.packs.travel.refusing.strangers import strangers
from consilience.packs.travel.routing import TO_ONE, WAY
from consilience.types import Exhibit, Statement
from consilience.understand.names import surface

WAYS = 4
"""Connections that an answer begins with."""
NOTED = 2
"""Up to how many connections are told with what is remarked on them."""
_MODES = {
    ("train", "rail"): re.compile(r"\b(?:trains?|rail\w*)\b", re.IGNORECASE),
    ("bus", "coach"): re.compile(r"\b(?:bus|buses|coach|coaches)\b", re.IGNORECASE),
    ("flight", "plane", "air"): re.compile(
        r"\b(?:flights?|fly|flying|flies|planes?|by air)\b", re.IGNORECASE
    ),
    ("ferry", "boat", "ship", "hydrofoil"): re.compile(
        r"\b(?:ferr(?:y|ies)|\w*boats?|ships?|by sea|hydrofoil)\b", re.IGNORECASE
    ),
    ("car", "taxi", "drive"): re.compile(
        r"\b(?:by car|cars?|driv(?:e|ing)|taxis?|cab)\b", re.IGNORECASE
    ),
    ("van", "minibus"): re.compile(r"\b(?:\w*vans?|minibus\w*|shuttles?)\b", re.IGNORECASE),
    ("motorbike", "motorcycle", "scooter"): re.compile(
        r"\b(?:motorbikes?|motorcycles?|scooters?)\b", re.IGNORECASE
    ),
}
_HOURS = re.compile(r"\b(?:opening|business|visiting) hours\b|\bhours? of\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:without|no|not|avoid\w*|except|other than|instead of)\s+(?:taking |by |an? |the )*$",
    re.IGNORECASE,
)
_CHEAP = re.compile(r"\b(?:cheap\w*|least expensive|lowest|budget|save money)\b", re.IGNORECASE)
_NIGHT = re.compile(
    r"\b(?:overnight|night (?:train|bus|boat|ferry)|sleeper|at night)\b", re.IGNORECASE
)


def ways(scene: Scene) -> list[Statement]:
    """The ways that a question asks for; nothing where it asks for none."""
    known = {surface(one) for one in scene.names.values()}
    if not WAY.search(_HOURS.sub("", scene.rest)) or strangers(scene.rest, known):
        return []
    ends = [node for node in scene.names if scene.asked.places.get(node) != "not"]
    edges = [one for one in scene.exhibits if _value(one, "relation") == "CONNECTED_TO"]
    if len(ends) > 1:
        ends = _in_order(scene, ends, edges)
        direct = [one for one in edges if {*_ends(one)} == {*ends}]
        return _all_told(scene, direct, ends) or _by_way_of(scene, ends, edges)
    if ends and TO_ONE.search(scene.rest):
        return _all_told(scene, [one for one in edges if ends[0] in _ends(one)], ends)
    return []


def fastest(edges: Sequence[Exhibit]) -> list[Exhibit]:
    """The fastest first."""
    return sorted(edges, key=lambda one: (_minutes(one), one.mark))


def told(exhibit: Exhibit, start_at: str = "") -> str:
    """`The train from Hue to Da Nang takes 3 h 10 min and costs 150,000 VND; departures …`."""
    fields, text = exhibit.passage.metadata, exhibit.text
    start, end = (str(fields.get(f"{one}_name") or fields.get(one)) for one in ("source", "target"))
    mode = str(fields.get("mode") or "way")
    minutes, price = fields.get("minutes"), fields.get("price")
    facts = []
    if isinstance(minutes, int | float) and not fields.get("computed"):
        spelt = (in_time(int(minutes)), f"{int(minutes)} min")
        facts += [f"takes {one}" for one in spelt if one in text][:1]
    if isinstance(price, int | float) and price > 0:
        money = in_money(price, str(fields.get("currency") or ""))
        facts += [f"costs {money}"] if money in text else []
    goes = f"from {start} to {end}"
    if start_at and start_at == fields.get("target"):
        goes = f"between {end} and {start}"
    line = f"The {mode} {goes} {' and '.join(facts)}" if facts else f"There is a {mode} {goes}"
    if not facts or not facts[0].startswith("takes"):
        line += "; how long it takes is not told"
    if fields.get("overnight"):
        line += ", overnight"
    departures = str(fields.get("departures") or "")
    line += f"; departures: {departures}" if departures and departures in text else ""
    return line


def _note(exhibit: Exhibit) -> str:
    """What is remarked on a connection, where its text has it."""
    note = str(exhibit.passage.metadata.get("note") or "").rstrip(".")
    return f"{note[:1].upper()}{note[1:]}" if note in exhibit.text else ""


def _all_told(scene: Scene, found: Sequence[Exhibit], ends: Sequence[str]) -> list[Statement]:
    """These connections, those that go the way asked for first, each mode and pair once."""
    goal = ends[-1]
    from_it = len(ends) == 1 and re.search(r"\b(?:from|leav\w+|out of)\s+_", scene.rest)
    some = _asked_modes(scene, found)
    if not some:
        return []
    if _NIGHT.search(scene.rest):
        some = [one for one in some if _value(one, "overnight")] or some
    right = [one for one in some if (_ends(one)[0 if from_it else 1] == goal)]
    known = {(frozenset(_ends(one)), _value(one, "mode")) for one in right}
    right += [one for one in some if (frozenset(_ends(one)), _value(one, "mode")) not in known]
    key = _price if _CHEAP.search(scene.rest) else _minutes
    chosen = sorted(right, key=lambda one: (key(one), one.mark))[:WAYS]
    return _stated(chosen, ends[:1] if len(ends) > 1 else ())


def _stated(
    chosen: Sequence[Exhibit], starts: Sequence[str] = (), before: str = ""
) -> list[Statement]:
    """Each connection as a sentence; `starts` are where one comes from, in their order."""
    found = []
    for place, one in enumerate(chosen):
        line = told(one, starts[min(place, len(starts) - 1)] if starts else "")
        line = f"{before}{line[:1].lower()}{line[1:]}" if before and not place else line
        found.append(Statement(text=f"{line} [{one.mark}].", opens=not place))
        if len(chosen) <= NOTED and (note := _note(one)):
            found.append(Statement(text=f"{note} [{one.mark}]."))
    return found


def _by_way_of(scene: Scene, ends: Sequence[str], edges: Sequence[Exhibit]) -> list[Statement]:
    """Two connections with the shortest time together, where none joins the two."""
    start, goal = ends[0], ends[-1]
    edges = _asked_modes(scene, edges)
    first = [one for one in edges if start in _ends(one)]
    second = [one for one in edges if goal in _ends(one)]
    pairs = [
        (one, other) for one, other in product(first, second)
        if _other(one, start) == _other(other, goal)
    ]  # fmt: skip
    if not pairs:
        return []
    chosen = min(pairs, key=lambda pair: (sum(map(_minutes, pair)), pair[0].mark, pair[1].mark))
    return _stated(chosen, (start, _other(chosen[0], start)), "With a change: ")


def _in_order(scene: Scene, ends: Sequence[str], edges: Sequence[Exhibit]) -> list[str]:
    """Start and goal of the places that are named: those that connections have, the first two;
    "to A from B" turns them round.
    """
    joined = {end for one in edges for end in _ends(one)}
    found = [one for one in ends if one in joined][:2] or list(ends[:2])
    turned = re.search(r"\bto\s+(?:the\s+)?_+[^_]*\bfrom\s+(?:the\s+)?_", scene.rest)
    return found[::-1] if turned else found


def _asked_modes(scene: Scene, found: Sequence[Exhibit]) -> list[Exhibit]:
    """The connections by what the question names; all where it names nothing."""
    named = [(words, form.search(scene.rest)) for words, form in _MODES.items()]
    met = [(words, bool(_NOT.search(scene.rest[: one.start()]))) for words, one in named if one]
    wanted = [word for words, negated in met if not negated for word in words]
    unwanted = [word for words, negated in met if negated for word in words]
    return [
        one
        for one in found
        if (not wanted or _goes_by(one, wanted)) and not _goes_by(one, unwanted)
    ]


def _goes_by(exhibit: Exhibit, words: Sequence[str]) -> bool:
    mode = str(_value(exhibit, "mode")).casefold()
    return any(word in mode for word in words)


def _other(exhibit: Exhibit, node: str) -> str:
    start, end = _ends(exhibit)
    return end if start == node else start


def _ends(exhibit: Exhibit) -> tuple[str, str]:
    return str(_value(exhibit, "source")), str(_value(exhibit, "target"))


def _value(exhibit: Exhibit, field: str) -> object:
    return exhibit.passage.metadata.get(field)


def _minutes(exhibit: Exhibit) -> float:
    minutes = _value(exhibit, "minutes")
    return float(minutes) if isinstance(minutes, int | float) else float("inf")


def _price(exhibit: Exhibit) -> float:
    price = _value(exhibit, "price")
    return float(price) if isinstance(price, int | float) else float("inf")
