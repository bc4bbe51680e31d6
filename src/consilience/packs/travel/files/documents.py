"""How does a file of places become a document? Read, told apart, joined, and accounted for.

Places and ways are passages that are searched, all other relations are walked. The notes say how
many records there were, and what came of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.common import said, title_of
from consilience.evidence.loaders.json_records import unpacked
from consilience.packs.travel.files.beside import places_beside
from consilience.packs.travel.files.drafts import Draft
from consilience.packs.travel.files.fields import as_text, meaning_of
from consilience.packs.travel.files.founding import REACH_KM, Founded, founded, nearest_city
from consilience.packs.travel.files.gazetteer import Gazetteer, Known, known_of
from consilience.packs.travel.files.joining import Ends, Joint, joint_block, joint_of, merged
from consilience.packs.travel.files.nearness import KINDS, MOST
from consilience.packs.travel.files.prices import currency_in
from consilience.packs.travel.files.reading import drafts_of, read_content
from consilience.packs.travel.files.records import Content, Tally
from consilience.packs.travel.files.relating import CONNECTED, Said, relation_in
from consilience.packs.travel.files.ties import joints_of, measured, near_joints, where_of
from consilience.packs.travel.files.timing import timed
from consilience.packs.travel.files.wikivoyage import ABOUT
from consilience.packs.travel.files.words import WITHIN
from consilience.packs.travel.places import currency_of, place_blocks, remark_blocks
from consilience.types import Block, Document

_EXAMPLES = 5
_COMPARED = 2_000_000  # pairs of a place and a city


def load(path: Path) -> Document:
    """Read a file of places; what is wrong in it is told, and the rest is given."""
    return read(path)[0]


def account(path: Path) -> Tally:
    """What comes of each record of a file."""
    return read(path)[1]


def read(path: Path) -> tuple[Document, Tally]:
    """A file of places as a document, and what came of each of its records."""
    try:
        return _read(path)
    except RecursionError as error:
        raise LoadError(f"{path.name} is nested too deep to be read; nest it less") from error


def _read(path: Path) -> tuple[Document, Tally]:
    content = read_content(path)
    title = content.title or title_of(unpacked(path))
    if content.kind != "places":
        blocks = tuple(content.blocks)
        notes = (*content.notes, *content.tally.told(), *said(path, blocks))
        notes = tuple(dict.fromkeys(notes))
        return Document(title=title, kind=content.kind, blocks=blocks, notes=notes), content.tally
    whole = _Whole(path, content, drafts_of(content))
    blocks = tuple(whole.blocks())
    notes = (*content.notes, *content.tally.told(), *whole.notes(), *said(path, blocks))
    return Document(title=title, kind="places", blocks=blocks, notes=notes), content.tally


@dataclass
class _Whole:
    """All places and relations of a file, on the way to passages."""

    path: Path
    content: Content
    drafts: list[Draft]
    told: list[str] = field(default_factory=list)
    joints: dict[tuple[str, ...], Joint] = field(default_factory=dict)

    # --- what is known --------------------------------------------------------------------

    @cached_property
    def known(self) -> list[Known]:
        return [known_of(one, self.path.name) for one in self.drafts]

    @cached_property
    def neighbours(self) -> tuple[Known, ...]:
        found, notes = places_beside(self.path)
        self.told += notes
        return found

    @cached_property
    def made(self) -> list[Founded]:
        """The cities, regions and countries that only the places in them name."""
        return founded([*self.known, *self.neighbours])

    @cached_property
    def whole(self) -> list[Known]:
        """All places of the folder, those of this file first."""
        made = [known_of(one.draft, one.file) for one in self.made]
        return [*self.known, *self.neighbours, *made]

    @cached_property
    def beside(self) -> Gazetteer:
        return _gazetteer(self.whole)

    @cached_property
    def ends(self) -> Ends:
        return Ends(own=_gazetteer(self.known), beside=lambda: self.beside)

    @cached_property
    def usual(self) -> str:
        """The currency of prices that name none: the file's, else that of the only country."""
        facts = self.content.facts
        given = (as_text(one) for name, one in facts.items() if meaning_of(name) == "currency")
        if currency := next(filter(None, map(_code, given)), ""):
            return currency
        for places in (lambda: self.known, lambda: self.neighbours):
            own = {one.currency for one in places() if one.kind == "country" and one.currency}
            if len(own) == 1:
                return own.pop()
        said = {one.price.currency for one in self.drafts if one.price and one.price.currency}
        return said.pop() if len(said) == 1 else ""

    # --- passages -------------------------------------------------------------------------

    def blocks(self) -> Iterator[Block]:
        """Places with what is told of them, texts, ways to travel, then ties."""
        tally = self.content.tally
        priced = any(one.price is not None and not one.currency for one in self.drafts)
        usual = self.usual if priced or self._has_ways() else ""
        self._settle()
        made = [one.draft for one in self.made if one.file == self.path.name]
        tally.places += len(self.drafts)
        for draft in (*self.drafts, *made):
            where = where_of(draft, self.ends)
            yield from place_blocks(draft, where, usual=usual)
            yield from remark_blocks(draft)
            for joint in joints_of(draft, where):
                self._add(joint)
        yield from self._texts()
        self._add_stated(usual)
        self._add_ways(usual)
        self._add_near()
        tally.made.update(one.relation for one in self.joints.values())
        found = sorted(self.joints.values(), key=lambda one: one.relation != CONNECTED)
        yield from map(joint_block, found)
        self._note_prices(usual)

    def _settle(self) -> None:
        """Put places that name no city into the nearest, where one is within reach.

        Cities are in the country that their texts speak of, where no field names one.
        """
        for country in (one for one in self.made if one.cities):
            for draft in (one for one in self.drafts if one.id in country.cities):
                draft.country = draft.country or country.draft.id
        lost = [one for one in self.drafts if one.kind in WITHIN and one.point and not one.city]
        cities = [one for one in self.whole if one.kind == "city"] if lost else []
        put = 0
        for draft in lost if len(lost) * len(cities) <= _COMPARED else ():
            city = nearest_city(draft.point, cities) if draft.point else None
            if city is not None:
                draft.city, put = city.id, put + 1
                draft.facts["city_by"] = "distance"
        if put:
            self.told.append(
                f"{put:,} places name no city; they are in the nearest one within {REACH_KM:.0f} km"
            )

    def _has_ways(self) -> bool:
        return any(one.role == "relation" or "connections" in one.values
                   for one in self.content.records)  # fmt: skip

    def _texts(self) -> Iterator[Block]:
        for block in self.content.blocks:
            about = {ABOUT: self.drafts[0].id} if ABOUT in block.metadata and self.drafts else {}
            yield replace(block, metadata={**block.metadata, **about}) if about else block

    def _add(self, joint: Joint) -> None:
        """Take in a relation, or tell it with the one that says the same."""
        before = self.joints.setdefault(joint.key, joint)
        if before is not joint:
            merged(before, joint)

    def _joint(self, said: Said, place: tuple[str, str], usual: str) -> Joint:
        joint = joint_of(said, place, self.ends, usual=usual)
        return timed(measured(joint, self.ends), self.ends)

    def _add_stated(self, usual: str) -> None:
        """The relations that records state of their places."""
        tally = self.content.tally
        for draft in self.drafts:
            for one in draft.said:
                tally.said += 1
                joint = self._joint(one, (draft.id, draft.name), usual)
                if joint.source == joint.target:
                    told = f" ({joint.relation} {joint.target!r})"
                    tally.drop(draft.where, "it relates a place to itself", told)
                    continue
                if joint.relation == CONNECTED:
                    joint.way.setdefault("both_ways", True)
                tally.kept += 1
                self._part_ways(joint)
                self._add(joint)

    def _part_ways(self, joint: Joint) -> None:
        """A way whose other end states it as well goes one way, as does that one."""
        key = (joint.target, joint.relation, joint.source, *joint.key[3:])
        before = self.joints.get(key) if joint.relation == CONNECTED else None
        if before is not None and before.way.get("both_ways"):
            before.way["both_ways"] = joint.way["both_ways"] = False

    def _add_ways(self, usual: str) -> None:
        """The relations that are records of their own; both ways unless the way back is given."""
        tally, found = self.content.tally, []
        for record in self.content.records:
            if record.role != "relation":
                continue
            stated = relation_in(record.values)
            if stated is None:
                tally.leave_out(record.where, "it lacks one of its two ends")
                continue
            joint = self._joint(stated, ("", ""), usual)
            if joint.source == joint.target:
                told = f" ({joint.source!r} to {joint.target!r})"
                tally.leave_out(record.where, "it relates a place to itself", told)
                continue
            found.append(joint)
        seen = set[tuple[str, ...]]()
        pairs = {(one.source, one.target) for one in found if one.relation == CONNECTED}
        for joint in found:
            if joint.relation == CONNECTED:
                joint.way.setdefault("both_ways", (joint.target, joint.source) not in pairs)
            self._add(joint)
            if joint.key in seen:
                tally.together += 1
            else:
                tally.relations += 1
            seen.add(joint.key)

    def _add_near(self) -> None:
        own = [one for one in self.known if one.kind in KINDS and one.point is not None]
        if not own:
            return
        if len(own) > MOST:
            self.told.append(f"what is near is not computed for more than {MOST:,} places")
            return
        stated = {
            frozenset((one.source, one.target))
            for one in self.joints.values()
            if one.relation == "NEAR"
        }
        for joint in near_joints(own, self.neighbours):
            if frozenset((joint.source, joint.target)) not in stated:
                self._add(joint)

    # --- what to tell ---------------------------------------------------------------------

    def _note_prices(self, usual: str) -> None:
        bare = sum(one.price is not None and bool(one.price.amount) and not currency_of(one, usual)
                   for one in self.drafts)  # fmt: skip
        if bare:
            self.told.append(f"{bare:,} prices have no currency; give them a field `currency`")

    def notes(self) -> Iterable[str]:
        """What is known by name alone, and the rest of what is to be told."""
        unknown = self.ends.unknown
        made = [one.draft.name for one in self.made if one.file == self.path.name]
        if made:
            what = "place" if len(made) == 1 else "places"
            told = f"{len(made):,} {what} made of what is there, as no file tells of "
            yield f"{told}{'it' if len(made) == 1 else 'them'}: {_some(made)}"
        if unknown:
            names = sorted(unknown, key=lambda one: (-unknown[one], one))
            what = "name is of a place" if len(names) == 1 else "names are of places"
            yield (
                f"{len(names):,} {what} that no file here tells of, known by their name alone: "
                f"{_some(names)}"
            )
        yield from self.told


def _gazetteer(places: Iterable[Known]) -> Gazetteer:
    found = Gazetteer()
    for one in places:
        found.add(one)
    return found


def _some(names: Sequence[str]) -> str:
    return ", ".join([*map(repr, names[:_EXAMPLES]), *["…"] * (len(names) > _EXAMPLES)])


def _code(text: str) -> str:
    return currency_in(text.upper()) or currency_in(text)
