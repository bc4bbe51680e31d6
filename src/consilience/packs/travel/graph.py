"""Which places lie on paths that match a question? Ladybug, in process.

The store keeps places, their relations, and what their passages say of them as nodes of their own:
`kind:food`, `type:museum`, `feature:wheelchair`, `level:luxury`. The source `places/graph` reads
the question itself, walks from what it looks for (`place_walk`) and gives, for each place, the path
that leads to it.

The scores are then compared with the question: a place of another kind than asked for, or outside
of where things are looked for, counts less; a place that leads to what is not wanted is left out.
The source is sure of places that have all that is asked for by a single edge each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from consilience.errors import ConsilienceError, SourceError
from consilience.filters import passes
from consilience.kinds import graph_kinds
from consilience.packs.travel.atlas import read_place, texts_of
from consilience.packs.travel.place_question import (
    PlaceQuestion,
    Role,
    asked_mode,
    asks_itinerary,
    is_of_mode,
    read_question,
    thing_nodes,
)
from consilience.packs.travel.place_records import relations
from consilience.packs.travel.place_walk import (
    BETWEEN,
    INWARDS,
    LEAVING,
    QUERIES,
    REACHING,
    CachedGraph,
    Walk,
    Way,
    node_name,
)
from consilience.packs.travel.terms import attributes
from consilience.protocols import Lookup, StoreKind, Vectors
from consilience.stores.common import check_limit, collection_of, rank_found, replace_surrogates
from consilience.stores.graph_paths import Edge, Node
from consilience.stores.ladybug import GraphPaths
from consilience.types import Found, Passage, Request, Signal, SourceReply
from consilience.worker_pool import WorkerPool, run_sync

OTHER_KIND = 0.3
"""What is left of the score of a place of another kind than the question asks for."""
OTHER_TYPE = 0.6
"""What is left of it for a place of the kind, but of another type."""
BROAD = 0.5
"""What is left of it for a whole country or region, where no kind is asked for."""
OUTSIDE = 0.2
"""What is left of it for a place outside of where things are looked for."""
WHERE = 0.5
"""The weight of the place itself in which things are looked for."""
AVOIDABLE = 0.5
"""What counts against a city that suits what is not wanted: one need not do it there."""
STRONG = 0.5
"""From which strength on a place is for what is not wanted, and left out."""
FROM_TEXT = 0.6
"""The strength of an attribute that only a sentence of the place's text mentions."""
LOOKED_AT = 250
"""Places that are compared with the question, the best by their paths."""
MOST_SURE = 12
"""Places that the source is sure of, at most."""
CONTAINERS = frozenset({"country", "region", "city", "area"})
"""Kinds of places that others are in."""
ALIKE: Mapping[str, Mapping[str, float]] = {
    "attraction": {"attraction": 1.0, "area": 1.0, "activity": 0.7},
    "activity": {"activity": 1.0, "attraction": 0.7},
    "city": {"city": 1.0, "region": 0.5},
    "area": {"area": 1.0, "attraction": 1.0},
}
"""How far a place of one kind is what somebody means who asks for another."""
Answer = TypeVar("Answer")
_ROLE_RELATIONS: Mapping[Role, frozenset[str]] = {
    "in": frozenset({"NEAR", "DAY_TRIP_FROM", *INWARDS}),
    "near": frozenset({"NEAR", "DAY_TRIP_FROM"}),
    "like": frozenset({"SIMILAR_TO"}),
    "not": frozenset(),
}


class PlaceStore(CachedGraph):
    """The graph of a collection of places: what a graph keeps, and what places are like."""

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add places and relations, or replace those of the same passage id."""
        places = [passage for passage in passages if passage.kind == "place"]
        edges = [edge for passage in places for edge in _own_edges(passage)]
        if edges:
            with self._changing():
                self._write([], edges)
        super().write(passages, vectors)

    def ids(self) -> Iterator[str]:
        """The passage ids of all places and relations, in rising order, each once."""
        yield from sorted(set(super().ids()))

    def evidence(self, nodes: Sequence[str]) -> list[Node]:
        """The passages of these nodes, and names for nodes without a passage."""
        found = super().evidence(nodes)
        bare = {*nodes} - {node.id for node in found}
        return [*found, *(Node(node, node_name(node), "") for node in sorted(bare) if ":" in node)]

    def edges(self, nodes: Sequence[str], intents: Sequence[str], *, limit: int) -> list[Edge]:
        """The edges between places, of the relations that are asked for."""
        wanted = [name for name in BETWEEN if name in intents] or list(BETWEEN)
        found = {}
        for query in (LEAVING, REACHING):
            for edge in self.find_edges(query, nodes, wanted)[:limit]:
                found[edge.passage] = edge
        return list(found.values())


def _own_edges(passage: Passage) -> list[Edge]:
    """The edges from a place to what its passage says that it is and has."""
    place = read_place(passage)
    of_type = place.type.casefold()
    last = of_type.rpartition(" ")[2]
    ends = [("IS_A", f"kind:{place.kind}", 0.6 if place.kind else 0.0)]
    ends += [("IS_A", f"type:{of_type}", 1.0)]
    ends += [("IS_A", f"type:{last}", 0.9)] if last != of_type else []
    ends += [("IS_A", f"level:{place.level}", 1.0)] if place.level else []
    ends += [("IS_A", "level:free", 1.0)] if place.price == 0 else []
    slot_weight = 1.0 - 0.2 * (len(place.slots) - 1)
    ends += [("GOOD_AT", f"slot:{slot}", slot_weight) for slot in place.slots]
    features = dict.fromkeys((*texts_of(passage.metadata.get("features")), *place.features), 1.0)
    for name in attributes():
        fact = place.fact(name)
        if fact is not None and fact.value is True:
            features.setdefault(name, FROM_TEXT if fact.source == "text" else 1.0)
    ends += [("HAS_FEATURE", f"feature:{name}", weight) for name, weight in features.items()]
    node = replace_surrogates(place.id)
    return [
        Edge(
            node,
            relation,
            replace_surrogates(end),
            weight * float(relations()[relation]["weight"]),
            passage.id,
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
    meets_all: bool


@dataclass(frozen=True, slots=True)
class _Looked:
    """What was understood of a question, and the places that some path leads to."""

    understood: str
    scored: Sequence[_Scored]
    missing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


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
        scored = await self._run(lambda: self._look(request).scored)
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
        looked = self._look(request)
        found = rank_found([Found(one.passage.id, one.score) for one in looked.scored], limit)
        kept = {one.id for one in found}
        sure = sorted(
            (one for one in looked.scored if one.meets_all), key=lambda one: (-one.score, one.node)
        )
        steps = [looked.understood] if looked.understood and found else []
        if looked.missing and not sure:
            steps.append(f"not known here: {', '.join((*looked.missing, *looked.named))} together")
        if asks_itinerary(request.text):
            steps.append("a checked plan, day by day: `consilience trip`, or the page Trip")
        return SourceReply(
            found=found,
            query="\n".join(QUERIES),
            steps=tuple(steps),
            missing=() if sure else looked.missing,
            named=looked.named,
            sure=tuple(one.passage.id for one in sure[:MOST_SURE] if one.passage.id in kept),
            reasons=self._reasons([one for one in looked.scored if one.passage.id in kept]),
        )

    def _look(self, request: Request) -> _Looked:
        """Read the question and score the places; once for a question."""
        last = self._last
        if last is not None and last[0] == request:
            return last[1]
        text = replace_surrogates(request.text)
        seeds = tuple(map(replace_surrogates, request.seeds))
        places = {node: passages[0] for node, passages in self._places(seeds).items()}
        names = {node: _names(passage) for node, passage in places.items()}
        known = Walk(self._store, frozenset()).known(thing_nodes(text))
        question = _of_liked_kind(read_question(text, names, known), places)
        walk = Walk(self._store, question.relations | set(request.intents))
        ways = _ways(walk, question, places, frozenset(request.intents))
        understood = question.state({node: names[node][0] for node in names})
        missing = (*_missing_types(question, ways, walk), *self._missing_mode(text, question))
        named = tuple(names[node][0] for node in question.places)
        scored = self._scored(ways, question, walk, request)
        looked = _Looked(understood, scored, missing, named)
        self._last = request, looked
        return looked

    def _missing_mode(self, text: str, question: PlaceQuestion) -> tuple[str, ...]:
        """The means of travel that a question asks for and no connection of its places has."""
        mode, word = asked_mode(text)
        ends = set(question.of_role("in"))
        if not mode or len(ends) != 2:
            return ()
        edges = self._store.find_edges(LEAVING, sorted(ends), ("CONNECTED_TO",))
        edges += self._store.find_edges(REACHING, sorted(ends), ("CONNECTED_TO",))
        direct = [edge.passage for edge in edges if {edge.source, edge.target} == ends]
        known = self._lookup(direct).values()
        has = any(is_of_mode(str(one.metadata.get("mode", "")), mode) for one in known)
        return () if has or not edges else (word,)

    def _places(self, nodes: Sequence[str]) -> dict[str, list[Passage]]:
        """The passages of these nodes, of each in the order of their parts."""
        evidence = [node for node in self._store.evidence(nodes) if node.passage]
        known = self._lookup([node.passage for node in evidence])
        found: dict[str, list[Passage]] = {}
        for node in evidence:
            if node.passage in known:
                found.setdefault(node.id, []).append(known[node.passage])
        for passages in found.values():
            passages.sort(key=lambda one: (one.document, one.locator.part or 0, one.id))
        return found

    def _scored(
        self,
        ways: Sequence[Mapping[str, Way]],
        question: PlaceQuestion,
        walk: Walk,
        request: Request,
    ) -> list[_Scored]:
        sums: dict[str, float] = {}
        for reached in ways:
            for node, way in reached.items():
                sums[node] = sums.get(node, 0.0) + way.weight
        where = _where(question, walk)
        for node in sums if where else ():
            sums[node] *= 1.0 if node in where else OUTSIDE
        first = sorted(sums, key=lambda node: (-sums[node], node))[:LOOKED_AT]
        unwanted = dict.fromkeys(question.unwanted, 1.0)
        against = walk.from_nodes(unwanted, frozenset(unwanted)) if unwanted else {}
        left_out = _left_out(question, walk)
        interests = ways[: len(question.interests)]
        met = {node for reached in interests for node in reached}
        found = []
        for node, passages in self._places(first).items():
            own = passages[0]
            fit = _fit(own, question)
            score = sums[node] * fit - _against(own, against.get(node))
            if score <= 0 or node in left_out:
                continue
            if question.interests and node not in question.places and node not in met:
                continue
            leading = sorted((each[node] for each in ways if node in each), key=lambda w: w.order)
            sure = fit == 1.0 and _meets_all(node, question, interests, where)
            found += [
                _Scored(node, passage, score, tuple(leading), sure)
                for passage in passages
                if passes(passage, request.filters)
            ]
        return found

    def _reasons(self, scored: Sequence[_Scored]) -> tuple[tuple[str, str], ...]:
        """The paths to each place, in words."""
        ways = [way for one in scored for way in one.ways if way.edges]
        nodes = sorted({node for way in ways for node in way.nodes})
        names = {node.id: node.name for node in self._store.evidence(nodes)}
        known = self._lookup(sorted({edge.passage for way in ways for edge in way.edges}))
        whys = {key: str(passage.metadata.get("why", "")) for key, passage in known.items()}
        kms = {
            key: float(km)
            for key, passage in known.items()
            if isinstance(km := passage.metadata.get("km"), int | float)
        }
        reasons = []
        for one in scored:
            parts = [way.describe(names, whys, kms) for way in one.ways if way.edges]
            parts = list(dict.fromkeys(parts)) or ["named in the question"]
            name = str(one.passage.metadata.get("name", one.passage.title))
            reasons.append((one.passage.id, f"{name} — {'; '.join(parts)}"))
        return tuple(reasons)


def _ways(
    walk: Walk, question: PlaceQuestion, places: Mapping[str, Passage], intents: frozenset[str]
) -> list[dict[str, Way]]:
    """The best way to each place, for every interest and every place that is named.

    Where a place is named and no theme, what suits the same as the place comes first: what there
    is to see in a city is what the city is known for.
    """
    own = frozenset(f"type:{of_type}" for _, of_type in question.kinds)
    found = [walk.from_nodes(interest.nodes, own) for interest in question.interests]
    started = (node for interest in question.interests for node in interest.nodes)
    themed = any(node.startswith("theme:") for node in started)
    for node, role in question.places.items():
        if role == "not" or node not in places:
            continue
        contains = _kind(places[node]) in CONTAINERS
        if role == "like" or (role == "in" and not themed):
            found.append(walk.alike(node))
        wanted = question.relations | intents | _ROLE_RELATIONS[role]
        ways = walk.from_place(node, wanted=wanted, beside=not contains)
        if role == "near":
            ways.pop(node, None)
        elif question.interests and contains:
            ways[node] = Way((node,), (), WHERE)
        found.append(ways)
    return found


def _of_liked_kind(question: PlaceQuestion, places: Mapping[str, Passage]) -> PlaceQuestion:
    """What is like a city is a city, where the question does not say otherwise."""
    if question.kinds:
        return question
    liked = [_kind(places[node]) for node in question.of_role("like") if node in places]
    return replace(question, kinds=tuple((kind, "") for kind in liked))


def _left_out(question: PlaceQuestion, walk: Walk) -> set[str]:
    """The places that are not wanted, or already known, with all that is in them."""
    named = sorted([*question.of_role("not"), *question.of_role("like")])
    return {*named, *walk.inside(named)} if named else set()


def _where(question: PlaceQuestion, walk: Walk) -> frozenset[str]:
    """The places among which things are looked for; empty for all."""
    found: set[str] = set()
    for node in question.of_role("in"):
        ways = walk.from_place(node, wanted=question.relations)
        inside = walk.inside([node])
        joined = {
            end
            for end, way in ways.items()
            if len(way.edges) == 1 and way.edges[0].relation in question.relations
        }
        found |= {node, *(inside | joined if inside or joined else ways)}
    for node in question.of_role("near"):
        near = walk.from_place(node, wanted=frozenset(), beside=True)
        close = [way for way in near.values() if len(way.edges) == 1 or way.is_sibling]
        found |= {node, *(way.end for way in close)}
    return frozenset(found)


def _missing_types(
    question: PlaceQuestion, ways: Sequence[Mapping[str, Way]], walk: Walk
) -> list[str]:
    """The types of places that a question asks for and that no place has, where it looks for them.

    Themes and attributes are not among them: what nobody says is unknown.
    """
    wanted = {f"type:{of_type}" for _, of_type in question.kinds if of_type}
    inside = walk.inside(question.of_role("in"))
    missing = []
    for interest, reached in zip(question.interests, ways, strict=False):
        if not wanted & interest.nodes.keys():
            continue
        own = [
            node
            for node, way in reached.items()
            if len(way.edges) == 1 and not way.nodes[0].startswith("theme:")
        ]
        if not any(node in inside for node in own) if inside else not own:
            missing.append(interest.label.partition(" / ")[0])
    return missing


def _meets_all(
    node: str,
    question: PlaceQuestion,
    interests: Sequence[Mapping[str, Way]],
    where: frozenset[str],
) -> bool:
    """Whether a place of the kind that is asked for has all that is looked for, by edges of its
    own, and is where it is looked for. Without a place and a kind nothing is certain.
    """
    asked = [reached for reached in interests if reached]
    if node in question.places or not (asked and where and question.kinds):
        return False
    ways = [reached.get(node) for reached in asked]
    own = all(way is not None and len(way.edges) == 1 and way.weight >= 0.3 for way in ways)
    return own and node in where


def _fit(passage: Passage, question: PlaceQuestion) -> float:
    """What is left of a score for a place of this kind, where some kinds are asked for."""
    kind, of_type = _kind(passage), str(passage.metadata.get("type", "")).casefold()
    if not question.kinds:
        return BROAD if kind in ("country", "region") else 1.0
    fits = [OTHER_KIND]
    for wanted, wanted_type in question.kinds:
        if wanted_type and (of_type == wanted_type or of_type.endswith(f" {wanted_type}")):
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


def _kind(passage: Passage) -> str:
    return str(passage.metadata.get("node_kind", ""))


def _names(passage: Passage) -> tuple[str, ...]:
    name = str(passage.metadata.get("name", passage.title))
    return (name, *texts_of(passage.metadata.get("aliases")))


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
