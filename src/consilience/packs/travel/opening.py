"""How does an answer begin? With the ways from one place to the other, or with what suits and why.

Who asks how to get somewhere is told the connections with their times and prices; who asks what
suits a theme, the first places that do, with the reason their passages give. Each statement cites
the passage it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consilience.names import surface
from consilience.packs.travel.routing import TO_ONE, WAY
from consilience.packs.travel.vocabulary import themes_in
from consilience.packs.travel.wording import plain
from consilience.types import Exhibit, Passage, Statement

WAYS = 4
"""Connections that an answer begins with."""
PLACES = 5
"""Places that an answer begins with."""


def opens(
    question: str, exhibits: Sequence[Exhibit], cells: Mapping[str, Sequence[int]]
) -> list[Statement]:
    """The connections that are asked for, else the first places of a theme; nothing for others."""
    del cells  # of tables
    return _ways(question, exhibits) or _suiting(question, exhibits)


def _ways(question: str, exhibits: Sequence[Exhibit]) -> list[Statement]:
    """The connections between two places that are named, the fastest first; those that are told
    the other way round where none of their mode is told in the direction asked for.
    """
    if not WAY.search(question):
        return []
    asked = f" {surface(question)} "
    found = []
    for one in exhibits:
        if one.passage.metadata.get("relation") == "CONNECTED_TO":
            places = [asked.find(f" {surface(name)} ") for name in _ends(one.passage)]
            if min(places) >= 0 or (max(places) >= 0 and TO_ONE.search(question)):
                found.append((one, places))
    joining = [one for one in found if min(one[1]) >= 0] or found
    forwards = [one for one, places in joining if places[0] < places[1] or min(places) < 0]
    modes = {one.passage.metadata.get("mode") for one in forwards}
    others = [one for one, _ in joining if one.passage.metadata.get("mode") not in modes]
    ways = sorted(forwards + others, key=_minutes)[:WAYS]
    return [_told(one, is_first=place == 0) for place, one in enumerate(ways)]


def _told(exhibit: Exhibit, *, is_first: bool) -> Statement:
    """`Hanoi to Hue by train: 13 h; 900,000 VND; ….`, in the words of the passage."""
    start, end = _ends(exhibit.passage)
    line = exhibit.text.partition("\n")[0].strip()
    facts = line.partition(": ")[2] or line
    return Statement(
        text=f"{start} to {end} {facts.rstrip('.')} [{exhibit.mark}].",
        opens=is_first,
        quotes={exhibit.mark: facts},
    )


def _minutes(exhibit: Exhibit) -> float:
    minutes = exhibit.passage.metadata.get("minutes")
    return float(minutes) if isinstance(minutes, int | float) else float("inf")


def _ends(passage: Passage) -> tuple[str, str]:
    """The names of the two places that a connection joins."""
    fields = passage.metadata
    start, end = (
        str(fields.get(f"{one}_name") or fields.get(one, "")) for one in ("source", "target")
    )
    return start, end


def _suiting(question: str, exhibits: Sequence[Exhibit]) -> list[Statement]:
    wanted = dict.fromkeys(one.theme for one in themes_in(question) if not one.negated)
    found: list[Statement] = []
    for one in exhibits:
        fields = one.passage.metadata
        if one.passage.kind != "place" or len(found) == PLACES:
            continue
        themes, whys = _texts(fields.get("themes")), _texts(fields.get("whys"))
        reasons = dict(zip(themes, whys, strict=False))
        told = [(theme, reasons[theme]) for theme in wanted if reasons.get(theme)]
        told = [(theme, why) for theme, why in told if plain(why) in plain(one.text)]
        if told:
            said = "; ".join(f"{theme.replace('-', ' ')}: {why}" for theme, why in told)
            found.append(
                Statement(
                    text=f"{fields.get('name', one.passage.title)} suits {said} [{one.mark}].",
                    opens=not found,
                    quotes={one.mark: told[0][1]},
                )
            )
    return found


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()
