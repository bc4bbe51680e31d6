"""What was understood of a wish? Part by part, in words, so that one can say otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import told
from consilience.packs.travel.trips.telling import counted
from consilience.packs.travel.trips.types import Avoid, Group, Wish
from consilience.packs.travel.trips.wording import MONTHS, day_of, joined

Part = tuple[str, str]


def understood(wish: Wish, atlas: Atlas) -> list[Part]:
    """`Time: 4 days`, `Themes: romance 60 %, food 40 %`, … what was said or assumed, named."""
    return [(name, text) for name, text in _parts(wish, atlas) if text]


def _parts(wish: Wish, atlas: Atlas) -> Iterator[Part]:
    yield "Time", _time(wish)
    yield "Themes", ", ".join(f"{theme} {share} %" for theme, share in wish.themes.items())
    yield "Travellers", _group(wish.group)
    yield "Comfort", wish.level or ""
    yield "Pace", wish.pace
    if wish.budget:
        whole = "for the whole trip" if wish.budget.per == "trip" else "a day"
        yield "Budget", f"{told(wish.budget.amount, wish.budget.currency)} {whole}, for all"
    yield "Cities", _cities(wish, atlas)
    others = [one for one in wish.must if one not in wish.cities]
    yield "Must have", joined([atlas.name_of(one) for one in others])
    yield "Without", _avoided(wish.avoid, atlas)
    yield "Needs", joined(sorted(wish.needs))
    yield "From", atlas.name_of(wish.start) if wish.start else ""
    yield "To", atlas.name_of(wish.end) if wish.end else ""
    yield "Region", atlas.name_of(wish.region) if wish.region else ""
    most = wish.most_cities
    yield "At most", counted(most, "city", "cities") if most is not None else ""


def _time(wish: Wish) -> str:
    days = counted(wish.days, "day")
    if wish.starts_on:
        return f"{days} from {day_of(wish.starts_on)}"
    return f"{days} in {MONTHS[wish.month - 1]}" if wish.month else days


def _group(group: Group) -> str:
    people = [counted(group.adults, "adult")] if group.adults else []
    people += [counted(group.children, "child", "children")] if group.children else []
    kind = f" ({group.kind})" if group.kind else ""
    return joined(people) + kind


def _cities(wish: Wish, atlas: Atlas) -> str:
    return joined(
        [
            atlas.name_of(one)
            + (f" ({counted(wish.nights[one], 'night')})" if one in wish.nights else "")
            for one in dict.fromkeys((*wish.cities, *wish.nights))
        ]
    )


def _avoided(avoid: Avoid, atlas: Atlas) -> str:
    if avoid.said:
        return ", ".join(avoid.said)
    names = [atlas.name_of(one) for one in sorted(avoid.places)]
    names += sorted(avoid.themes | avoid.features | avoid.types | avoid.modes)
    return joined(list(dict.fromkeys(names)), "or")
