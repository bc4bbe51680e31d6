"""Which relations does a record state? Those in lists of its own, and under names of relations.

`"connections": [{"relation": "Located_In", "target": "city_hanoi"}]`, `"near": ["a", "b"]` and a
row `from,to,mode,minutes` all become statements: a relation by the name it has here, the end as
the record names it, and what else is said. Relations that are not known keep their own name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from consilience.evidence.loaders.json_records import Json, flatten
from consilience.evidence.size_limits import short
from consilience.packs.travel.files.fields import Fields, as_text, spelt
from consilience.packs.travel.files.records import SOURCES, TARGETS, Tally, end_of, reference
from consilience.packs.travel.files.values import items, number
from consilience.packs.travel.vocabulary import reads_backwards, relation_of
from consilience.types import Value

CONNECTED = "CONNECTED_TO"
RELATED = "RELATED_TO"
_NEIGHBOURS = frozenset({"neighbours", "neighbors", "neighbouring_countries", "border_countries"})
_TYPES = ("relation", "relationship", "rel", "predicate", "type", "label", "kind", "relation_type",
          "edge_type", "relationship_type")  # fmt: skip
_AIMS = ("target", "to", "target_id", "destination", "place", "id", "node", "target_name", "name",
         "city", "object", "end", "to_id")  # fmt: skip
_LONGEST = 80  # letters of a reference; more is prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A relation as a record states it: to (or, `backwards`, from) what it names."""

    relation: str
    target: str
    source: str = ""
    backwards: bool = False
    values: Mapping[str, Json] = field(default_factory=dict)

    @property
    def others(self) -> dict[str, Value]:
        """What is said besides the ends and the type."""
        aside = SOURCES | TARGETS | {*_TYPES, *_AIMS, "edge"}
        return flatten({n: v for n, v in self.values.items() if spelt(n) not in aside})


@lru_cache(4096)
def named_relation(text: str) -> tuple[str, bool]:
    """The name of a relation, and whether the spelling reads from its other end."""
    known = relation_of(text)
    if known is not None:
        return known, reads_backwards(text)
    return short(spelt(text).upper(), 60) or RELATED, False


def stated(fields: Fields, tally: Tally, where: str) -> tuple[tuple[Said, ...], list[str]]:
    """The relations that a record states of its place, and the fields that were read for them."""
    found: list[Said] = []
    used: list[str] = []
    for name, value in fields.each("relations"):
        listed = list(_in_list(value, default=_default(name)))
        if not listed:
            tally.tell(where, f"{name} holds no relation that can be read: {short(str(value), 60)}")
        found += listed
    for name, value in fields.others.items():
        relation = _by_name(name)
        if relation and (targets := list(_targets(value))):
            used.append(name)
            for target, values in targets:
                found.append(
                    Said(relation=relation[0], target=target, backwards=relation[1], values=values)
                )
    return tuple(found), used


def _default(name: str) -> str:
    return CONNECTED if spelt(name) in ("connections", "links") else RELATED


def _by_name(name: str) -> tuple[str, bool] | None:
    plain = spelt(name)
    if plain in _NEIGHBOURS:
        return "BORDERS", False
    known = relation_of(name)
    return None if known is None else (known, reads_backwards(name))


def _in_list(value: Json, *, default: str) -> Iterator[Said]:
    """The relations of a list of objects or ids, or of an object of lists by relation."""
    if isinstance(value, dict):
        for name, inner in value.items():
            relation, backwards = named_relation(name)
            for target, values in _targets(inner):
                yield Said(relation=relation, target=target, backwards=backwards, values=values)
        return
    for one in value if isinstance(value, list) else items(value):
        if isinstance(one, list) and len(one) == 2:
            yield from _of_object({"relation": one[0], "target": one[1]}, default=default)
        elif isinstance(one, dict):
            yield from _of_object(one, default=default)
        elif said := as_text(one):
            yield Said(relation=default, target=said)


def _of_object(value: dict[str, Json], *, default: str) -> Iterator[Said]:
    by = {spelt(name): one for name, one in value.items()}
    spelling = next((text for one in _TYPES if (text := as_text(by.get(one)))), "")
    relation, backwards = named_relation(spelling) if spelling else (default, False)
    aim = next((by[one] for one in _AIMS if reference(by.get(one))), None)
    for one in aim if isinstance(aim, list) else [aim]:
        if said := reference(one):
            yield Said(relation=relation, target=said, backwards=backwards, values=value)


def _targets(value: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """The ends that a value names: a list of ids, of objects, or a text that lists them."""
    if isinstance(value, str) and len(value) > _LONGEST and not set(";,|") & set(value):
        return
    if isinstance(value, str) and max(map(len, items(value)), default=0) > _LONGEST:
        return
    for one in value if isinstance(value, list) else items(value):
        if isinstance(one, dict):
            by = {spelt(name): inner for name, inner in one.items()}
            said = next((text for aim in _AIMS if (text := reference(by.get(aim)))), "")
            if said:
                yield said, one
        elif (said := as_text(one)) and number(one) is None and "://" not in said:
            yield said, {}


def relation_in(values: Mapping[str, Json]) -> Said | None:
    """The relation that a record of its own states; None where it lacks an end."""
    edge = values.get("edge")
    if isinstance(edge, list) and len(edge) == 3:
        ends = [reference(edge[0]), as_text(edge[1]), reference(edge[2])]
        relation, backwards = named_relation(ends[1])
        return Said(
            relation=relation, source=ends[0], target=ends[2], backwards=backwards, values=values
        )
    source, target = end_of(values, SOURCES), end_of(values, TARGETS)
    if not source or not target:
        return None
    by = {spelt(name): one for name, one in values.items()}
    spelling = next((text for one in _TYPES if (text := as_text(by.get(one)))), "")
    relation, backwards = named_relation(spelling) if spelling else (CONNECTED, False)
    if relation_of(spelling) is None and _is_way(by):
        relation = CONNECTED
    return Said(relation=relation, source=source, target=target, backwards=backwards, values=values)


def _is_way(by: Mapping[str, Json]) -> bool:
    """Whether a record tells of a way to travel: its `type` is then a mode (`bus`)."""
    wanted = {"minutes", "duration", "hours", "duration_minutes", "duration_hours", "mode",
              "travel_time", "departures", "duration_min", "time"}  # fmt: skip
    return bool(wanted & by.keys())
