"""What is each source asked? A query becomes a plan: intent, expansions, weights, depths.

Pure but for the look-up of names that it is handed. Nothing here is thrown away: every term,
boost and weight stands in an `Ask` or in the plan, where the later stages use it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from consilience.errors import UsageError
from consilience.filters import checked_filter, field_named, resolve_filters
from consilience.kinds import filter_fields, hidden_fields
from consilience.names import Mention, mentioned, spans, surface
from consilience.pack import Pack, Reading, Rule
from consilience.settings import Settings
from consilience.terms import chosen, spelling
from consilience.types import AGAIN, Ask, Boost, Filter, Plan, Query, Request, Term

LONGEST_QUERY = 4000
LARGEST_LIMIT = 1000
KINDS = frozenset({"dense", "bm25", "sql", "graph", "paths", "position"})
"""The kinds of sources that are built in: a weight may name one before there is evidence of it."""
PATH_FIELDS = frozenset({"source", "target", "relations", "length", "nodes"})
"""The fields of a path: it is made for a question, and no catalogue knows them."""
SYNONYM = 0.5
"""What another name of something weighs against a word of the question."""
_TEXTS = frozenset({"dense", "bm25"})
_NO_RULE = Rule(name="no rule fired", intent="open", fires=lambda _: True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What planning may know of a workspace.

    `sources` maps a source's name to its collection, `sizes` counts passages by collection,
    `fields` names the metadata fields of a collection's passages, `values` gives the texts that
    rows have in one of them, `mentions` looks names up, `aliases` gives the other names of a node
    in its collection, and `neighbours` the names of those one edge away with the edge's weight,
    the heaviest first; `trust` is what a vote of meaning weighs with the embedder in use.
    """

    sources: Mapping[str, str]
    sizes: Mapping[str, int]
    pack: Pack
    settings: Settings
    mentions: Callable[[Sequence[str]], Sequence[Mention]]
    aliases: Callable[[str, str], Sequence[str]]
    synonyms: Mapping[str, tuple[str, ...]]
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    values: Callable[[str], Sequence[str]] = lambda field: ()
    neighbours: Callable[[str, str], Sequence[tuple[str, float]]] = lambda node, collection: ()
    trust: float = 1.0

    def fields_of(self, collection: str) -> frozenset[str]:
        """The fields that filters on a collection can name, besides those of every passage."""
        known = self.fields.get(collection, frozenset())
        return known | PATH_FIELDS if f"{collection}/paths" in self.sources else known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A question with all that was read from it."""

    query: Query
    reading: Reading
    rule: Rule
    terms: tuple[Term, ...]
    offers: tuple[str, ...]
    knowledge: Knowledge


def plan(query: Query, knowledge: Knowledge) -> Plan:
    """Decide what is asked of whom; an empty or impossible query is refused."""
    _check(query, knowledge)
    case = _read(query, knowledge)
    asks = [
        ask
        for source, collection in sorted(knowledge.sources.items())
        if not query.collections or collection in query.collections
        for ask in _asks(source, collection, case)
    ]
    return Plan(
        query=query,
        intent=case.rule.intent,
        rule=case.rule.name,
        asks=tuple(asks),
        shares=_shares(case),
        cover=case.rule.cover,
        terms=case.terms,
        offers=case.offers,
        boosts=_boosts(case),
        identifiers=knowledge.pack.questions.identifiers(query.text),
        emphasis=case.rule.emphasis,
        exact=case.rule.exact,
        absent=knowledge.pack.questions.absent(case.reading),
        window=case.rule.window,
        topics=knowledge.pack.questions.topics(case.reading),
        reranks=case.rule.reranks,
    )


def kind_of(source: str) -> str:
    """`bm25` of `books/bm25`."""
    return source.rpartition("/")[2]


def _check(query: Query, knowledge: Knowledge) -> None:
    if not surface(query.text):
        raise UsageError(f"the question {query.text[:60]!r} has no words; ask in words")
    if len(query.text) > LONGEST_QUERY:
        raise UsageError(
            f"the question has {len(query.text)} characters, at most {LONGEST_QUERY} are read; "
            "shorten it"
        )
    if query.limit < 1:
        raise UsageError(f"limit is {query.limit}; ask for at least 1 result")
    if query.limit > LARGEST_LIMIT:
        raise UsageError(
            f"limit is {query.limit}, at most {LARGEST_LIMIT} results fit in memory with their "
            "reasons; ask for fewer, or narrow the question with filters"
        )
    known = sorted(set(knowledge.sources.values()))
    for name in query.collections:
        if name not in known:
            raise UsageError(f"unknown collection {name!r}; known: {', '.join(known) or 'none'}")
    _check_filters(query, knowledge)
    _check_weights(knowledge)


def _check_filters(query: Query, knowledge: Knowledge) -> None:
    """A condition that nothing asked can ever meet is a slip of the pen, not an empty answer."""
    asked = set(query.collections) or set(knowledge.sources.values())
    known = {name for collection in asked for name in knowledge.fields_of(collection)}
    for condition in map(checked_filter, query.filters):
        if not field_named(condition.field, known):
            hint = _closest(condition.field, {*known, *filter_fields()} - hidden_fields())
            raise UsageError(f"no passage has a field {condition.field!r}; {hint}")


def _check_weights(knowledge: Knowledge) -> None:
    """A weight that names nothing would be without effect, and nobody would know."""
    collections = {*knowledge.sources.values(), *knowledge.pack.files.collections.values()}
    kinds = {*KINDS, *map(kind_of, knowledge.sources)}
    sources = {*knowledge.sources, *(f"{one}/{kind}" for one in collections for kind in kinds)}
    for name in knowledge.settings.fusion.weights:
        if name not in collections | kinds | sources:
            hint = _closest(name, {*collections, *kinds, *knowledge.sources})
            raise UsageError(
                f"fusion.weights names {name!r}, which is no source, kind of source or "
                f"collection; {hint}"
            )


def _closest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'year'?`, or all there is when nothing comes near."""
    spelt = {one.casefold(): one for one in sorted(known)}
    near = [spelt[one] for one in get_close_matches(name.casefold(), spelt)]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"known: {', '.join(spelt.values())}"


def _read(query: Query, knowledge: Knowledge) -> _Case:
    pack = knowledge.pack
    found = [
        one for one in mentioned(query.text, knowledge.mentions) if _meant(one, query, knowledge)
    ]
    mentions = (*found, *(_spelt(query, found, knowledge) if query.expand else ()))
    reading = Reading(text=query.text, mentions=mentions, known=knowledge.values)
    rule = pack.questions.route(reading) or next(
        (one for one in pack.questions.rules if one.fires(reading)), _NO_RULE
    )
    wanted = query.expand and rule.expands
    return _Case(
        query=query,
        reading=reading,
        rule=rule,
        terms=_expand(query, mentions, knowledge) if wanted else (),
        offers=pack.questions.offers(query.text) if wanted else (),
        knowledge=knowledge,
    )


def _spelt(query: Query, found: Sequence[Mention], knowledge: Knowledge) -> Iterator[Mention]:
    """Nodes that a question names only by a short form that is a common word, too: `DiD`."""
    named = {one.surface for one in found if one.role == "node"}
    for term in knowledge.pack.questions.expand(query.text):
        if not term.spells or surface(term.origin) in named:
            continue
        for one in knowledge.mentions([surface(term.text)]):
            if one.role == "node" and one.value not in {each.value for each in found}:
                yield replace(one, surface=surface(term.origin))


def _meant(one: Mention, query: Query, knowledge: Knowledge) -> bool:
    """Whether a name means this node here; values and relations are taken as they are named."""
    if one.role != "node":
        return True
    return knowledge.pack.questions.means(
        query.text, one.surface, knowledge.aliases(one.value, one.collection)
    )


def _boosts(case: _Case) -> tuple[Boost, ...]:
    """What the rule prefers, and the pack's soft preferences, without those on fields that the
    settings leave alone.
    """
    left = {one.strip() for one in case.knowledge.settings.refine.unread.split(",")}
    found = case.knowledge.pack.questions.boosts(case.reading)
    read = tuple(one for one in found if one.condition.field not in left)
    return (*read, *case.rule.prefers)


def _expand(query: Query, mentions: Sequence[Mention], knowledge: Knowledge) -> tuple[Term, ...]:
    """What the pack puts into words, synonyms from the table, other names of nodes, neighbours."""
    told = [*knowledge.pack.questions.expand(query.text), *_synonyms(query, knowledge)]
    nodes = [one for one in mentions if one.role == "node"]
    aliases = _aliases(nodes, {surface(term.origin) for term in told}, knowledge)
    return chosen(told, aliases, list(_neighbours(nodes, knowledge)), query.text)


def _aliases(nodes: Sequence[Mention], told: Collection[str], knowledge: Knowledge) -> list[Term]:
    """Other names of nodes. An abbreviation is spelt out where one node alone may be meant, and
    nothing else was told of it.
    """
    meant = Counter((one.surface, one.collection) for one in nodes)
    found: list[Term] = []
    for one in nodes:
        others = knowledge.aliases(one.value, one.collection)
        names = [Term(text=other, weight=SYNONYM, origin=one.surface) for other in others]
        clear = one.surface not in told and meant[one.surface, one.collection] == 1
        found += spelling(names) if clear else names
    return found


def _synonyms(query: Query, knowledge: Knowledge) -> Iterator[Term]:
    for span in spans(query.text):
        for other in knowledge.synonyms.get(span, ()):
            yield Term(text=other, weight=SYNONYM, origin=span)


def _neighbours(nodes: Sequence[Mention], knowledge: Knowledge) -> Iterator[Term]:
    """Names of what is one edge away from a node: the looser it is tied, the less they weigh."""
    share = SYNONYM * knowledge.pack.questions.neighbours
    for one in nodes if share else ():
        for name, weight in knowledge.neighbours(one.value, one.collection):
            yield Term(text=name, weight=round(share * weight, 3), origin=one.surface)


def _asks(source: str, collection: str, case: _Case) -> list[Ask]:
    here = [one for one in case.reading.mentions if one.collection == collection]
    fields = case.knowledge.fields_of(collection)
    filters = resolve_filters(case.query.filters, fields)
    request = Request(
        text=case.query.text,
        terms=case.terms,
        criteria=tuple(_criterion(one) for one in here if one.role in ("value", "number")),
        seeds=_distinct(one.value for one in here if one.role == "node"),
        intents=_distinct(one.value for one in here if one.role == "relation")
        or case.rule.relations,
        filters=filters or case.query.filters,
    )
    ask = Ask(
        source=source,
        collection=collection,
        vote=source,
        request=request,
        depth=_depth(collection, case),
        weight=_weight(source, case),
        skip=_skip(kind_of(source), request, case),
    )
    if not ask.weight or not _shares(case)[collection]:
        return [replace(ask, skip="its weight is set to 0")]
    missing = [one.field for one in case.query.filters if not field_named(one.field, fields)]
    if missing:
        return [replace(ask, skip=f"no passage here has a field {missing[0]!r}")]
    return [ask, *_second_vote(ask, case), *_asked_again(ask, case)]


def _criterion(one: Mention) -> Filter:
    return Filter(one.field, "=", int(one.value) if one.role == "number" else one.value)


def _second_vote(ask: Ask, case: _Case) -> list[Ask]:
    """A source of meaning cannot weigh single terms: it is asked again with them added."""
    weight = ask.weight * case.knowledge.settings.fusion.expansion
    if kind_of(ask.source) != "dense" or not case.terms or not weight:
        return []
    text = case.query.text
    for term in case.terms:
        text = text.replace(term.origin, "") if term.replaces else text
    text = " ".join((*text.split(), *(term.text for term in case.terms)))
    request = replace(ask.request, text=text)
    return [replace(ask, vote=f"{ask.source}+terms", request=request, weight=weight)]


def _asked_again(ask: Ask, case: _Case) -> list[Ask]:
    """The same question of those passages alone that the rule says answer such questions."""
    condition = case.rule.again
    if condition is None or ask.skip or kind_of(ask.source) not in _TEXTS:
        return []
    request = replace(ask.request, filters=(*ask.request.filters, condition))
    return [replace(ask, vote=f"{ask.source}{AGAIN}", request=request)]


def _depth(collection: str, case: _Case) -> int:
    """Equal for every collection but for what the rule says, and never below the limit."""
    settings = case.knowledge.settings.retrieve
    size = case.knowledge.sizes.get(collection, 0)
    share = math.ceil(size * settings.percentile / 100) or settings.depth
    wanted = math.ceil(share * case.rule.depths.get(collection, 1.0))
    return max(wanted, case.query.limit)


def _weight(source: str, case: _Case) -> float:
    """The setting for the source itself, else for its kind, times what the rule says.

    A name that is a collection as well means the collection: its share, not this weight.
    """
    weights = case.knowledge.settings.fusion.weights
    kind = kind_of(source)
    shared = kind in case.knowledge.sources.values()
    own = case.knowledge.trust if kind == "dense" else 1.0
    general = own if shared else weights.get(kind, own)
    return weights.get(source, general) * case.rule.weights.get(kind, 1.0)


def _shares(case: _Case) -> dict[str, float]:
    weights = case.knowledge.settings.fusion.weights
    names = sorted(set(case.knowledge.sources.values()))
    return {name: weights.get(name, 1.0) * case.rule.shares.get(name, 1.0) for name in names}


def _skip(kind: str, request: Request, case: _Case) -> str:
    """Why a source has nothing to go on; a miss costs nothing."""
    if kind in case.rule.skips:
        return case.rule.skips[kind]
    if kind in case.knowledge.pack.questions.reads:
        return ""
    if kind == "sql" and not request.criteria:
        return "the question names no value of these tables"
    if kind in ("graph", "paths") and not request.seeds:
        return "the question names no node of this graph"
    return ""


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
