"""Where is a place that only relations locate? In what a relation says that it is in.

A hotel may have no field `city`, but a relation `Located_In`, on itself, on the city
(`has_hotel`), or as a record of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.gazetteer import slug
from consilience.packs.travel.files.records import Record
from consilience.packs.travel.files.relating import relation_in
from consilience.packs.travel.files.words import WIDE

_LOCATING = frozenset({"LOCATED_IN", "PART_OF"})


def placed_by_relations(drafts: Sequence[Draft], records: Iterable[Record]) -> None:
    """Set the city, or of a city the region, of places that have none by what relations say."""
    known: dict[str, Draft] = {}
    for draft in drafts:
        for name in (draft.id, slug(draft.name), *draft.keys):
            known.setdefault(name, draft)
    for inner, outer in (*_inside(drafts), *_of_their_own(records)):
        place = known.get(inner) or known.get(slug(inner))
        if place is not None:
            _put(place, outer, known.get(outer) or known.get(slug(outer)))


def _inside(drafts: Sequence[Draft]) -> Iterator[tuple[str, str]]:
    for draft in drafts:
        for said in draft.said:
            if said.relation in _LOCATING:
                yield (said.target, draft.id) if said.backwards else (draft.id, said.target)


def _of_their_own(records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    for record in records:
        said = relation_in(record.values) if record.role == "relation" else None
        if said is not None and said.relation in _LOCATING:
            ends = (said.source, said.target)
            yield ends[::-1] if said.backwards else ends


def _put(place: Draft, outer: str, known: Draft | None) -> None:
    if known is place:
        return
    wide = known is not None and known.kind in ("region", "country")
    if place.kind in WIDE - {"area"} or wide:
        place.region = place.region or outer
    elif not place.city:
        place.city = outer
