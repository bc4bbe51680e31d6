"""How does an answer begin? With the ways from one place to the other, or with what suits and why.

Who asks how to get somewhere is told the connections with their times and prices; who asks what
suits a theme, the first places that do, with the reason their passages give. Each statement cites
the passage it rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    if not WAY.search(question):
        return []
    asked = f" {surface(question)} "
    found = [
        (one, ends)
        for one in exhibits
        if one.passage.metadata.get("relation") == "CONNECTED_TO"
        and (ends := [name for name in _ends(one.passage) if f" {surface(name)} " in asked])
    ]
    joining = [one for one, ends in found if len(ends) == 2]
    some = joining or ([one for one, _ in found] if TO_ONE.search(question) else [])
    some.sort(key=lambda one: float(str(one.passage.metadata.get("minutes", 0) or 0)))
    return [
        Statement(text=f"{line} [{one.mark}]", opens=place == 0, quotes={one.mark: line})
        for place, one in enumerate(some[:WAYS])
        if (line := one.text.partition("\n")[0].strip())
    ]


def _ends(passage: Passage) -> Iterator[str]:
    """The names of the two places that a connection joins."""
    for end in ("source", "target"):
        spelt = passage.metadata.get(f"{end}_name") or passage.metadata.get(end, "")
        yield str(spelt).replace("-", " ")


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
                    text=f"{fields.get('name', one.passage.title)} suits {said} [{one.mark}]",
                    opens=not found,
                    quotes={one.mark: told[0][1]},
                )
            )
    return found


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()
