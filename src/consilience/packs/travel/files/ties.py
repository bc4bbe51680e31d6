"""Which relations does a place come with? Where it is, whom it suits, when, what is near it.

They follow from the fields of its record, besides those that it states in so many words.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator

from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.gazetteer import Known
from consilience.packs.travel.files.joining import Ends, Joint
from consilience.packs.travel.files.nearness import NEAR_KM, near_pairs
from consilience.packs.travel.files.words import WIDE
from consilience.packs.travel.geography import distance_km
from consilience.packs.travel.places import Where
from consilience.understand.names import surface

_WHOLE = WIDE - {"area"}
_CITIES = frozenset({"city", "area"})
_REGIONS = frozenset({"region"})
_COUNTRIES = frozenset({"country"})
_THINGS = (("offers", "OFFERS", "offer"), ("serves", "SERVES", "dish"),
           ("known_for", "KNOWN_FOR", "thing"))  # fmt: skip


def where_of(draft: Draft, ends: Ends) -> Where:
    """What a place is in; the region of a place in a city is that of the city."""
    city = ends.find(draft.city, _CITIES) if draft.city else ("", "", False)
    region_said, country_said = draft.region, draft.country
    if city[2] and not region_said:
        known = ends.look(draft.city, _CITIES)
        region_said = known.region or known.country if known and known.id != draft.id else ""
    region = ends.find(region_said, _REGIONS) if region_said else ("", "", False)
    if region[0] == draft.id:
        region = ("", "", False)
    country = ends.find(country_said, _COUNTRIES) if country_said else ("", "", False)
    return Where(
        placed=city[2],
        city=city[0] if city[0] != draft.id else "",
        city_name=city[1] if city[0] != draft.id else "",
        region=region[0] or country[0],
        region_name=region[1],
        country=country[0],
        country_name=country[1],
    )


def joints_of(draft: Draft, where: Where) -> Iterator[Joint]:
    """The relations that follow from what a place's fields say."""
    yield from _placed(draft, where)
    for suit in draft.suits:
        theme = (f"theme:{suit.theme}", suit.theme)
        yield _joint(draft, "SUITS", theme, strength=suit.strength, why=suit.why)
    months = draft.facts.get("best_months")
    for month in months if isinstance(months, tuple) else ():
        yield _joint(draft, "BEST_IN", (f"month:{month}", calendar.month_name[int(month)]))
    for name, relation, prefix in _THINGS:
        things = draft.facts.get(name)
        for thing in things if isinstance(things, tuple) else ():
            yield _joint(draft, relation, (f"{prefix}:{surface(str(thing))}", str(thing)))


def _placed(draft: Draft, where: Where) -> Iterator[Joint]:
    if where.city:
        relation = "PART_OF" if draft.kind in _WHOLE else "LOCATED_IN"
        yield _joint(draft, relation, (where.city, where.city_name))
    if where.placed and draft.kind not in _WHOLE:
        return  # the city itself says what it is part of
    if where.region_name and where.region != draft.id:
        yield _joint(draft, "PART_OF", (where.region, where.region_name))
    if where.country and where.country not in (draft.id, where.region if where.region_name else ""):
        yield _joint(draft, "PART_OF", (where.country, where.country_name))


def _joint(
    draft: Draft, relation: str, target: tuple[str, str], *, strength: float = 1.0, why: str = ""
) -> Joint:
    return Joint(
        source=draft.id,
        source_name=draft.name,
        relation=relation,
        target=target[0],
        target_name=target[1],
        strength=strength,
        why=why,
    )


def near_joints(own: Iterable[Known], others: Iterable[Known]) -> Iterator[Joint]:
    """What is near a place of this file, by the coordinates; the nearer, the stronger."""
    for one, other, km in near_pairs(own, others):
        yield Joint(
            source=one.id,
            source_name=one.name,
            relation="NEAR",
            target=other.id,
            target_name=other.name,
            strength=nearness(km),
            km=km,
        )


def nearness(km: float) -> float:
    """How strong it is to be so near: 1 next door, a half at the end of what is near."""
    return max(0.5, 1 - km / NEAR_KM / 2)


def measured(joint: Joint, ends: Ends) -> Joint:
    """A stated nearness with its distance, where both ends have coordinates."""
    if joint.relation != "NEAR" or joint.km is not None:
        return joint
    known = [ends.look(one) for one in (joint.source, joint.target)]
    points = [one.point for one in known if one is not None and one.point is not None]
    if len(points) == 2:
        joint.km = distance_km(points[0], points[1])
        joint.strength = nearness(joint.km)
    return joint
