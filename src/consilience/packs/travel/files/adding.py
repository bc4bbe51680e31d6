"""Which facts of a place do only relations tell? Whom it suits, what it offers and serves.

`{"source": "merzouga", "relation": "good for", "target": "adventure"}` says of a place what another
file says in a field `tags`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from consilience.evidence.loaders.common import one_line
from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.gazetteer import slug
from consilience.packs.travel.files.records import Record
from consilience.packs.travel.files.relating import Said, relation_in
from consilience.packs.travel.files.suiting import suits_of

_FACTS = {"OFFERS": "offers", "SERVES": "serves", "KNOWN_FOR": "known_for"}


def told_by_relations(drafts: Sequence[Draft], records: Iterable[Record]) -> None:
    """Add to places what relations say of them that is no other place."""
    known: dict[str, Draft] = {}
    for draft in drafts:
        for name in (draft.id, slug(draft.name), *draft.keys):
            known.setdefault(name, draft)
    for source, said in (*_own(drafts), *_of_records(records)):
        place = known.get(source) or known.get(slug(source))
        if place is None or said.backwards:
            continue
        if said.relation == "SUITS":
            _add_theme(place, one_line(said.target))
        elif said.relation in _FACTS:
            _add_fact(place, _FACTS[said.relation], one_line(said.target))


def _own(drafts: Sequence[Draft]) -> Iterator[tuple[str, Said]]:
    return ((draft.id, said) for draft in drafts for said in draft.said)


def _of_records(records: Iterable[Record]) -> Iterator[tuple[str, Said]]:
    for record in records:
        said = relation_in(record.values) if record.role == "relation" else None
        if said is not None:
            yield said.source, said


def _add_theme(place: Draft, name: str) -> None:
    """Add a theme; how well it suits stays as a field says it, where one does."""
    suits, _ = suits_of([name])
    if suits and suits[0].theme not in {one.theme for one in place.suits}:
        place.suits = tuple(sorted([*suits, *place.suits], key=lambda one: -one.strength))


def _add_fact(place: Draft, fact: str, name: str) -> None:
    given = place.facts.get(fact, ())
    if isinstance(given, tuple) and name not in given:
        place.facts[fact] = (*map(str, given), name)
