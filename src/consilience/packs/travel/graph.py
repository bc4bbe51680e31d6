"""Which places lie on paths that match a question? Ladybug, in process.

The store keeps places, their ties, and what their passages say of them as nodes of their own:
`kind:food`, `type:museum`, `feature:wheelchair`, `level:luxury`. The source `places/graph` reads
the question itself, walks from what it looks for (see `walking`) and tells, for each place, the
path that leads to it.

What is scored so is then held against the question: a place of another kind than asked for, or
outside of where things are looked for, counts less; one that leads to what is not wanted is left
out, and a city, where one need not do everything, counts less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from consilience.errors import ConsilienceError, SourceError
from consilience.filters import passes
from consilience.kinds import graph_kinds
from consilience.packs.travel import walking
from consilience.packs.travel.certain import Certain, Sure
from consilience.packs.travel.meeting import ALIKE, CONTAINERS
from consilience.packs.travel.reading import Asked, Role, read, things
from consilience.packs.travel.vocabulary import RELATIONS
from consilience.packs.travel.walking import (
    BETWEEN,
    INWARDS,
    QUERIES,
    Remembering,
    Walk,
    Way,
    between,
    called,
    told,
)
from consilience.protocols import Lookup, StoreKind, Vectors
from consilience.stores.common import check_limit, collection_of, rank_found, replace_surrogates
from consilience.stores.graph_paths import Edge, Node
from consilience.stores.ladybug import GraphPaths
from consilience.types import Found, Passage, Request, Signal, SourceReply, Value
from consilience.worker_pool import WorkerPool, run_sync

OTHER_KIND = 0.3
"""What is left of the score of a place of another kind than the question asks for."""
OTHER_TYPE = 0.6
"""What is left of it for one of the kind, but of another type."""
BROAD = 0.5
"""What is left of it for a whole country or region, where no kind is asked for."""
OUTSIDE = 0.2
"""What is left of it for a place outside of where things are looked for."""
WHERE = 0.5
"""What the place itself counts in which things are looked for."""
AVOIDABLE = 0.5
"""What counts against a city that suits what is not wanted: one need not do it there."""
STRONG = 0.5
"""From which strength on a place is for what is not wanted, and left out."""
LOOKED_AT = 250
"""Places that are held against the question, the best by their paths."""
Answer = TypeVar("Answer")
_RELATIONS: Mapping[Role, frozenset[str]] = {
    "in": frozenset({"NEAR", "DAY_TRIP_FROM", *INWARDS}),
    "near": frozenset({"NEAR", "DAY_TRIP_FROM"}),
    "like": frozenset({"SIMILAR_TO"}),
    "not": frozenset(),
}


class PlaceStore(Remembering):
    """The graph of a collection of places: what a graph keeps, and what places are like."""

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add places and ties, or replace those of the same passage id."""
        edges = [edge for one in passages if one.kind == "place" for edge in _likes(one)]
        if edges:
            with self._changing():
                self._write([], edges)
        super().write(passages, vectors)

    def ids(self) -> Iterator[str]:
        """The passage ids of all places and ties, in rising order, each once."""
        yield from sorted(set(super().ids()))

    def evidence(self, nodes: Sequence[str]) -> list[Node]:
        """What passages tell of these nodes, and how those are called that none tells of."""
        found = super().evidence(nodes)
        bare = {*nodes} - {one.id for one in found}
        return [*found, *(Node(one, called(one), "") for one in sorted(bare) if ":" in one)]

    def edges(self, nodes: Sequence[str], intents: Sequence[str], *, limit: int) -> list[Edge]:
        """The edges between places, of the relations that are asked for: what two of them merely
        both are, or suit, joins them in no way.
        """
        relations = [one for one in BETWEEN if one in intents] or list(BETWEEN)
        return between(self, nodes, relations, limit=limit)


def _likes(passage: Passage) -> list[Edge]:
    """The edges from a place to what its passage says that it is and has."""
    fields = passage.metadata
    kind, type_of = str(fields.get("node_kind", "")), str(fields.get("type", "")).casefold()
    last = type_of.rpartition(" ")[2]
    ends = [("IS_A", f"kind:{kind}", 0.6 if kind else 0.0), ("IS_A", f"type:{type_of}", 1.0)]
    ends += [("IS_A", f"type:{last}", 0.9)] if last != type_of else []
    ends += [("IS_A", f"level:{fields['level']}", 1.0)] if fields.get("level") else []
    ends += [("IS_A", "level:free", 1.0)] if fields.get("price") == 0 else []
    ends += [("HAS_FEATURE", f"feature:{one}", 1.0) for one in _texts(fields.get("features"))]
    slots = _texts(fields.get("slots"))
    ends += [("GOOD_AT", f"slot:{one}", 1.0 - 0.2 * (len(slots) - 1)) for one in slots]
    node = replace_surrogates(str(fields.get("node", "")))
    return [
        Edge(
            node, relation, replace_surrogates(end), weight * RELATIONS[relation].weight, passage.id
        )
        for relation, end, weight in ends
        if weight and not end.endswith(":")
    ]


@dataclass(frozen=True, slots=True)
class _Scored:
    """A place with its score and the ways that make it up, best first."""

    node: str
    passage: Passage
    score: float
    ways: tuple[Way, ...]


_Looked = tuple[str, Sequence[_Scored], Sure]


class PlaceGraph:
    """Ranks places by the paths that lead to them; without anything to start from, nothing.

    Filters are checked on the passages, through `lookup`.
    """

    signal = Signal.NODES

    def __init__(self, store: PlaceStore, name: str, *, lookup: Lookup) -> None:
        self.name = name
        self.collection = collection_of(name)
        self._store = store
        self._lookup = lookup
        self._workers = WorkerPool(name)
        self._last: tuple[Request, _Looked] | None = None

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` places, best first, ties by id."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The same with the queries that were run and the path that leads to each."""
        check_limit(limit)
        return await self._run(lambda: self._tell(request, limit))

    async def score(self, request: Request, ids: Sequence[str]) -> Mapping[str, float]:
        """What these passages score, of places that some path leads to."""
        scored = await self._run(lambda: self._look(request)[1])
        wanted = {*ids}
        return {one.passage.id: one.score for one in scored if one.passage.id in wanted}

    def warm(self) -> None:
        """Connect and prepare, so that no question waits for that."""
        run_sync(self._workers.run(lambda: Walk(self._store, frozenset()).inside([""])))

    async def _run(self, call: Callable[[], Answer]) -> Answer:
        try:
            return await self._workers.run(call)
        except ConsilienceError:
            raise
        except RuntimeError as error:
            raise SourceError(
                f"Ladybug could not search {self._store.path}: {error}; "
                "if it happens again, index the collection anew"
            ) from error

    def _tell(self, request: Request, limit: int) -> SourceReply:
        self._last = None
        understood, scored, sure = self._look(request)
        made = () if request.filters else sure.made[:limit]
        found = rank_found([Found(one.passage.id, one.score) for one in scored], limit - len(made))
        kept = {one.id for one in found}
        reasons = self._reasons([one for one in scored if one.passage.id in kept])
        steps = (understood,) if understood and found else ()
        found += tuple(Found(one.id, 0.0, one) for one in made)
        return SourceReply(
            found=found, query="\n".join(QUERIES), steps=steps, sure=sure.ids, reasons=reasons
        )

    def _look(self, request: Request) -> _Looked:
        """What was understood, all places that some path leads to, and what meets all that is
        asked for; once for a question.
        """
        last = self._last
        if last is not None and last[0] == request:
            return last[1]
        text, seeds = (
            replace_surrogates(request.text),
            tuple(map(replace_surrogates, request.seeds)),
        )
        places = {node: some[0] for node, some in self._places(seeds).items()}
        names = {node: _names(one) for node, one in places.items()}
        walk = Walk(self._store, frozenset())
        south = any(_latitude(one) < 0 for one in places.values())
        asked = _of_a_kind(read(text, names, walk.known(things(text)), south=south), places)
        walk = Walk(self._store, asked.relations | set(request.intents))
        ways = _ways(walk, asked, places, frozenset(request.intents))
        understood = asked.told({node: names[node][0] for node in names})
        scored = self._scored(ways, asked, walk, request)
        scores = {one.node: one.score for one in scored}
        certain = Certain(self._store, self._places, self._lookup)
        found = understood, scored, certain.found(text, asked, names, scores)
        self._last = request, found
        return found

    def _places(self, nodes: Sequence[str]) -> dict[str, list[Passage]]:
        """The passages that tell of these nodes, of each in the order of their parts."""
        evidence = [one for one in self._store.evidence(nodes) if one.passage]
        known = self._lookup([one.passage for one in evidence])
        found: dict[str, list[Passage]] = {}
        for one in evidence:
            if one.passage in known:
                found.setdefault(one.id, []).append(known[one.passage])
        for some in found.values():
            some.sort(key=lambda one: (one.document, one.locator.part or 0, one.id))
        return found

    def _scored(
        self, ways: Sequence[Mapping[str, Way]], asked: Asked, walk: Walk, request: Request
    ) -> list[_Scored]:
        sums: dict[str, float] = {}
        for each in ways:
            for node, way in each.items():
                sums[node] = sums.get(node, 0.0) + way.weight
        where = _where(asked, walk)
        for node in sums if where else ():
            sums[node] *= 1.0 if node in where else OUTSIDE
        first = sorted(sums, key=lambda node: (-sums[node], node))[:LOOKED_AT]
        unwanted = (
            walk.from_nodes(dict.fromkeys(asked.unwanted, 1.0), frozenset(asked.unwanted))
            if asked.unwanted
            else {}
        )
        left_out = _left_out(asked, walk)
        met = {node for each in ways[: len(asked.interests)] for node in each}
        found = []
        for node, passages in self._places(first).items():
            one = passages[0]
            score = sums[node] * _fit(one, asked) - _against(one, unwanted.get(node))
            if score <= 0 or node in left_out:
                continue
            if asked.interests and node not in asked.places and node not in met:
                continue
            own = sorted((each[node] for each in ways if node in each), key=lambda w: w.order)
            kept = [passage for passage in passages if passes(passage, request.filters)]
            found += [_Scored(node, passage, score, tuple(own)) for passage in kept]
        return found

    def _reasons(self, scored: Sequence[_Scored]) -> tuple[tuple[str, str], ...]:
        """The paths to each place, in words."""
        told_ways = [way for one in scored for way in one.ways if way.edges]
        nodes = sorted({node for way in told_ways for node in way.nodes})
        names = {one.id: one.name for one in self._store.evidence(nodes)}
        keys = sorted({edge.passage for way in told_ways for edge in way.edges})
        known = self._lookup(keys)
        whys = {key: str(one.metadata.get("why", "")) for key, one in known.items()}
        kms = {
            key: float(km)
            for key, one in known.items()
            if isinstance(km := one.metadata.get("km"), int | float)
        }
        reasons = []
        for one in scored:
            parts = [told(way, names, whys, kms) for way in one.ways if way.edges]
            parts = list(dict.fromkeys(parts)) or ["named in the question"]
            name = str(one.passage.metadata.get("name", one.passage.title))
            reasons.append((one.passage.id, f"{name} — {'; '.join(parts)}"))
        return tuple(reasons)


def _ways(
    walk: Walk, asked: Asked, places: Mapping[str, Passage], intents: frozenset[str]
) -> list[dict[str, Way]]:
    """The best way to each place, for every interest and every place that is named.

    Where a place is named and no theme, what suits the same as the place comes first: what there
    is to see in a city is what the city is known for.
    """
    own = frozenset(f"type:{type_of}" for _, type_of in asked.kinds)
    found = [walk.from_nodes(one.nodes, own) for one in asked.interests]
    themed = any(node.startswith("theme:") for one in asked.interests for node in one.nodes)
    for node, role in asked.places.items():
        if role == "not" or node not in places:
            continue
        if role == "like" or (role == "in" and not themed):
            found.append(walk.alike(node))
        wanted = asked.relations | intents | _RELATIONS[role]
        beside = _kind(places[node]) not in CONTAINERS
        ways = walk.from_place(node, wanted=wanted, beside=beside)
        if role == "near":
            ways.pop(node, None)
        elif asked.interests and _kind(places[node]) in CONTAINERS:
            ways[node] = Way((node,), (), WHERE)
        found.append(ways)
    return found


def _of_a_kind(asked: Asked, places: Mapping[str, Passage]) -> Asked:
    """What is like a city is a city, where the question does not say otherwise."""
    liked = [_kind(places[node]) for node, role in asked.places.items() if role == "like"]
    return replace(asked, kinds=tuple((one, "") for one in liked)) if not asked.kinds else asked


def _left_out(asked: Asked, walk: Walk) -> set[str]:
    """The places that are not wanted, or already known, with all that is in them."""
    named = sorted(node for node, role in asked.places.items() if role in ("not", "like"))
    return {*named, *walk.inside(named)} if named else set()


def _where(asked: Asked, walk: Walk) -> frozenset[str]:
    """The places among which things are looked for; empty for all."""
    found: set[str] = set()
    for node, role in asked.places.items():
        if role == "in":
            ways = walk.from_place(node, wanted=asked.relations)
            inside = walk.inside([node])
            joined = {one for one, way in ways.items() if _is_asked(way, asked)}
            found |= {node, *(inside | joined if inside or joined else ways)}
        elif role == "near":
            near = walk.from_place(node, wanted=frozenset(), beside=True)
            some = [way for way in near.values() if len(way.edges) == 1 or walking.returns(way)]
            found |= {node, *(way.end for way in some)}
    return frozenset(found)


def _is_asked(way: Way, asked: Asked) -> bool:
    """Whether a way is one step along a relation that the question speaks of."""
    return len(way.edges) == 1 and way.edges[0].relation in asked.relations


def _fit(passage: Passage, asked: Asked) -> float:
    """What is left of a score for a place of this kind, where some kinds are asked for."""
    kind, type_of = _kind(passage), str(passage.metadata.get("type", "")).casefold()
    if not asked.kinds:
        return BROAD if kind in ("country", "region") else 1.0
    fits = [OTHER_KIND]
    for wanted, wanted_type in asked.kinds:
        if wanted_type and (type_of == wanted_type or type_of.endswith(f" {wanted_type}")):
            fits.append(1.0)
        elif (own := ALIKE.get(wanted, {wanted: 1.0}).get(kind)) is not None:
            fits.append(own * (OTHER_TYPE if wanted_type else 1.0))
    return max(fits)


def _against(passage: Passage, way: Way | None) -> float:
    """What is taken off the score of a place for what is not wanted of it."""
    if way is None or len(way.edges) > 1:
        return 0.0
    if _kind(passage) in ("country", "region", "city"):
        return AVOIDABLE * way.weight if way.nodes[0].startswith("theme:") else 0.0
    return float("inf") if way.weight >= STRONG else way.weight


def _latitude(passage: Passage) -> float:
    latitude = passage.metadata.get("lat")
    return float(latitude) if isinstance(latitude, int | float) else 0.0


def _kind(passage: Passage) -> str:
    return str(passage.metadata.get("node_kind", ""))


def _names(passage: Passage) -> tuple[str, ...]:
    return (
        str(passage.metadata.get("name", passage.title)),
        *_texts(passage.metadata.get("aliases")),
    )


def _texts(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


PLACES = StoreKind(
    takes=lambda kind: kind in graph_kinds(),
    file="graph.lbug",
    open=lambda path, shelf: PlaceStore(path),
    sources=lambda store, shelf: [
        PlaceGraph(store, f"{shelf.collection}/graph", lookup=shelf.lookup),
        GraphPaths(store, f"{shelf.collection}/paths", lookup=shelf.lookup),
    ],
    packs=frozenset({"travel"}),
    replaces=frozenset({"graph"}),
)
