"""Which places lie on paths that match a question? Ladybug, in process.

The graph keeps places, their relations, and what their passages say of them as nodes of their own:
`kind:food`, `type:museum`, `feature:wheelchair`, `level:luxury`. The engine ranks its nodes by the
paths that lead to them; this pack only adds where a walk begins: the terms of a question.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator, Sequence

from consilience.filters import passes
from consilience.kinds import graph_kinds
from consilience.packs.travel.atlas import read_place, texts_of
from consilience.packs.travel.place_records import relations
from consilience.packs.travel.routing import asked_kinds, asks_itinerary, asks_near
from consilience.packs.travel.terms import attributes, find_terms
from consilience.protocols import Lookup, StoreKind, Vectors
from consilience.stores.common import check_limit, rank_found, replace_surrogates
from consilience.stores.graph_paths import Edge, Node, clean_request, score_nodes
from consilience.stores.ladybug import GraphNodes, GraphPaths, GraphStore, walk
from consilience.types import Found, Passage, Request, SourceReply
from consilience.understand.names import singular_or_plural, word_spans

FROM_TEXT = 0.6
"""The strength of an attribute that only a sentence of the place's text mentions."""
TOWARDS = frozenset(
    ("SUITS", "OFFERS", "SERVES", "KNOWN_FOR", "BEST_IN", "IS_A", "HAS_FEATURE", "GOOD_AT")
)
"""Relations of a place to what it is like."""
NAMED = 1.0
"""What a path from a named place counts beside a term."""
MOST_EDGES = 20_000
LENDING, LENT = 300, 0.3
"""How many places lend what they are like to their town, and how much of it."""
PARTLY = 0.5
"""The weight of a theme for a word that names a type: who says temple may mean culture."""
STRONG = 0.5
"""From which weight on a place is for what is not wanted, and left out."""
OUTSIDE = 0.2
"""What is left of a score for a place outside of those that are named."""
_WHOLES = ("city", "region", "country")
_THINGS = ("offer", "dish", "thing")
"""The prefixes of nodes for what places offer, serve and are known for."""


class PlaceStore(GraphStore):
    """The graph of a collection of places: what a graph keeps, and what places are like."""

    def write(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Add places and relations, or replace those of the same passage id."""
        super().write(passages, vectors)
        places = [passage for passage in passages if passage.kind == "place"]
        edges = [edge for passage in places for edge in _own_edges(passage)]
        if edges:
            with self._changing():
                self._write([], edges)

    def ids(self) -> Iterator[str]:
        """The passage ids of all places and relations, in rising order, each once."""
        yield from sorted(set(super().ids()))

    def evidence(self, nodes: Sequence[str]) -> list[Node]:
        """The passages of these nodes, and names for nodes without a passage."""
        found = super().evidence(nodes)
        bare = {*nodes} - {node.id for node in found}
        return [*found, *(Node(node, node_name(node), "") for node in sorted(bare) if ":" in node)]


class _Ways(PlaceStore):
    """The same graph without what places are like: paths lead from place to place."""

    def __init__(self, store: PlaceStore) -> None:
        self._store = store
        self.path = store.path

    def evidence(self, nodes: Sequence[str]) -> list[Node]:
        """The passages of these nodes."""
        return self._store.evidence(nodes)

    def edges(self, nodes: Sequence[str], intents: Sequence[str], *, limit: int) -> list[Edge]:
        """The edges between places."""
        found = self._store.edges(nodes, intents, limit=limit)
        return [edge for edge in found if edge.relation not in TOWARDS]


def node_name(node: str) -> str:
    """The name of a node without a passage: `romance` of `theme:romance`, `May` of `month:5`."""
    prefix, _, rest = node.partition(":")
    if prefix == "month" and rest.isdigit() and 1 <= int(rest) <= 12:
        return month_name[int(rest)]
    return rest.replace("-", " ") or node


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
        Edge(node, relation, replace_surrogates(end), weight * _weight(relation), passage.id)
        for relation, end, weight in ends
        if weight and not end.endswith(":")
    ]


def _weight(relation: str) -> float:
    return float(relations()[relation]["weight"])


def term_nodes(text: str, *, negated: bool = False) -> dict[str, float]:
    """The nodes that the words of a question stand for, or those it rules out, with weights."""
    terms = [t for t in find_terms(text) if t.negated == negated]
    kinds = [t.name for t in terms if t.category == "kind"] if negated else [
        f"{kind}/{of_type}" for kind, of_type in asked_kinds(text)
    ]  # fmt: skip
    found = {f"type:{name.partition('/')[2]}": 1.0 for name in kinds if "/" in name}
    found.pop("type:", None)
    typed = {t.start for t in terms if t.category == "attribute" or "/" in t.name}
    for term in terms:
        if term.category == "kind":
            continue
        prefix = {"attribute": "feature"}.get(term.category, term.category)
        narrow = term.category in ("slot", "month") or (
            term.category == "theme" and term.start in typed
        )
        found[f"{prefix}:{term.name}"] = PARTLY if narrow else 1.0
    spans = dict.fromkeys(form for run in word_spans(text)
                          for form in (run, *singular_or_plural(run)))  # fmt: skip
    return {f"{kind}:{form}": 1.0 for kind in _THINGS for form in spans} | found


class PlaceGraph(GraphNodes):
    """Ranks places by what they are like, and by the paths from the places that are named.

    A place scores the edges that join it with the terms of a question, and the best path from each
    named place. Filters are checked on the passages.
    """

    def __init__(self, store: PlaceStore, name: str, *, lookup: Lookup) -> None:
        super().__init__(store, name, lookup=lookup)
        self._graph, self._ways, self._known = store, _Ways(store), lookup

    async def retrieve(self, request: Request, *, limit: int) -> Sequence[Found]:
        """At most `limit` places, best first, ties by id."""
        return (await self.tell(request, limit=limit)).found

    async def tell(self, request: Request, *, limit: int) -> SourceReply:
        """The same with what led to each."""
        check_limit(limit)
        return await self._run(lambda: self._reply(clean_request(request), limit))

    def _reply(self, request: Request, limit: int) -> SourceReply:
        terms = term_nodes(request.text)
        best: dict[tuple[str, str], tuple[float, str]] = {}
        for edge in self._edges_to(list(terms)):
            words = f"{_words(edge.relation)} → {node_name(edge.target)}"
            key = (edge.source, edge.target)
            best[key] = max(best.get(key, (0.0, "")), (edge.weight * terms[edge.target], words))
        ruled_out = term_nodes(request.text, negated=True)
        against = [node for node in ruled_out if node.startswith(("type:", "feature:"))]
        unwanted = {edge.source for edge in self._edges_to(against) if edge.weight >= STRONG}
        best = {key: value for key, value in best.items() if key[0] not in unwanted}
        self._lend(best)
        paths = walk(self._ways, request) if request.seeds else []
        named = score_nodes(paths, request.seeds)
        scores: dict[str, float] = {node: score * NAMED for node, score in named.items()}
        reasons: dict[str, list[str]] = {}
        for (node, _), (weight, words) in sorted(best.items()):
            scores[node] = scores.get(node, 0.0) + weight
            reasons.setdefault(node, []).append(words)
        evidence = [node for node in self._graph.evidence(list(scores)) if node.passage]
        known = self._known([node.passage for node in evidence])
        fit = [node for node in evidence if node.passage in known]
        fit = [node for node in fit if passes(known[node.passage], request.filters)]
        if request.seeds and not asks_near(request.text):
            seeds = {*request.seeds}
            for place, passage in {each.id: each.passage for each in fit}.items():
                fields = known[passage].metadata
                where = {place, *(str(fields.get(name, "")) for name in _WHOLES)}
                scores[place] *= 1.0 if where & seeds else OUTSIDE
        found = rank_found([Found(node.passage, scores[node.id]) for node in fit], limit)
        kept = {entry.id for entry in found}
        planner = "a checked plan, day by day: `consilience trip`, or the page Trip"
        return SourceReply(
            found=found,
            steps=(planner,) if asks_itinerary(request.text) else (),
            reasons=tuple((node.passage, "; ".join(reasons[node.id])) for node in fit
                          if node.passage in kept and node.id in reasons),
        )  # fmt: skip

    def _lend(self, best: dict[tuple[str, str], tuple[float, str]]) -> None:
        """What a place is like counts in part for the town that it is in."""
        first = sorted(best, key=lambda key: (-best[key][0], key))[:LENDING]
        inside = {source for source, _ in first}
        wholes = self._graph.edges(sorted(inside), ("located_in",), limit=MOST_EDGES)
        names = {node.id: node.name for node in self._graph.evidence(sorted(inside))}
        whole_of = {e.source: e for e in wholes if e.relation == "LOCATED_IN"}
        for place, term in first:
            if place in whole_of:
                edge, (weight, words) = whole_of[place], best[place, term]
                lent = (weight * edge.weight * LENT, f"has → {names.get(place, place)}, {words}")
                key = (edge.target, term)
                best[key] = max(best.get(key, (0.0, "")), lent)

    def _edges_to(self, nodes: Sequence[str]) -> Sequence[Edge]:
        edges = self._graph.edges(nodes, (), limit=MOST_EDGES) if nodes else []
        return [edge for edge in edges if edge.target in nodes]


def _words(relation: str) -> str:
    return str(relations()[relation]["forwards"]) if relation in relations() else relation.lower()


PLACES = StoreKind(
    takes=lambda kind: kind in graph_kinds(),
    file="graph.lbug",
    open=lambda path, shelf: PlaceStore(path),
    sources=lambda store, shelf: [
        PlaceGraph(store, f"{shelf.collection}/graph", lookup=shelf.lookup),
        GraphPaths(_Ways(store), f"{shelf.collection}/paths", lookup=shelf.lookup),
    ],
    packs=frozenset({"travel"}),
    replaces=frozenset({"graph"}),
)
