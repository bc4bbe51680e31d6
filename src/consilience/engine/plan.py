"""What is each source asked? A query becomes a plan: intent, expansion terms, weights, depths.

Pure except for the look-ups that it is given. Nothing is thrown away: every term, boost and weight
is in an `Ask` or in the plan, where the later stages use it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import get_args

from consilience.errors import UsageError
from consilience.filters import checked_filter, field_named, leaves, resolve_filters
from consilience.kinds import filter_fields, hidden_fields
from consilience.pack import Pack, Reading, Rule
from consilience.settings import Settings
from consilience.types import (
    AGAIN,
    SIGNAL_NAMES,
    Ask,
    Boost,
    Filter,
    Per,
    Plan,
    Query,
    Request,
    Signal,
    Term,
)
from consilience.understand.names import (
    Mention,
    find_mentions,
    singular_or_plural,
    surface,
    word_spans,
)

LONGEST_QUERY = 4000
LARGEST_LIMIT = 1000
PATH_FIELDS = frozenset({"source", "target", "relations", "length", "nodes"})
"""The fields of a path: it is built for a question, and no catalogue knows them."""
SYNONYM = 0.5
"""The weight of another name for something, compared with a word of the question."""
_NO_RULE = Rule(name="no rule fired", intent="open", fires=lambda _: True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What planning knows about a workspace.

    `sources` maps the name of a source to its collection, `sizes` counts passages by collection,
    `fields` names the metadata fields of a collection's passages, `values` gives the texts that
    rows have in one of them, `mentions` looks names up, `aliases` gives the other names of a node
    in its collection, and `neighbours` the names of those one edge away with the edge's weight,
    the heaviest first; `trust` is the default weight of sources by meaning with the embedder in
    use. `signals` says what sources rank by, for those that declare it.
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
    signals: Mapping[str, Signal] = field(default_factory=dict)

    def signal_of(self, source: str) -> Signal:
        """What a source ranks by; by its name if it does not say."""
        return self.signals.get(source) or Signal.of_name(source)

    def fields_of(self, collection: str) -> frozenset[str]:
        """The fields that filters on a collection can name, besides those of every passage."""
        known = self.fields.get(collection, frozenset())
        walked = any(
            self.signal_of(source) is Signal.PATHS
            for source, name in self.sources.items()
            if name == collection
        )
        return known | PATH_FIELDS if walked else known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A query with everything that was read from it."""

    query: Query
    reading: Reading
    rule: Rule
    terms: tuple[Term, ...]
    offers: tuple[str, ...]
    shares: Mapping[str, float]
    knowledge: Knowledge


def plan(query: Query, knowledge: Knowledge) -> Plan:
    """Decide which source is asked what; an empty or impossible query is refused."""
    _check(query, knowledge)
    question = _read(query, knowledge)
    rule, questions = question.rule, knowledge.pack.questions
    asks = [
        ask
        for source, collection in sorted(knowledge.sources.items())
        if not query.collections or collection in query.collections
        for ask in _asks(source, collection, question)
    ]
    return Plan(
        query=query,
        intent=rule.intent,
        rule=rule.name,
        asks=tuple(asks),
        shares=question.shares,
        cover=rule.cover,
        terms=question.terms,
        offers=question.offers,
        boosts=_boosts(question),
        identifiers=questions.identifiers(query.text),
        emphasis=rule.emphasis,
        exact=rule.exact,
        absent=questions.absent(question.reading),
        window=rule.window,
        topics=questions.topics(question.reading),
        reranks=rule.reranks,
        damps=rule.damps,
    )


def kind_of(source: str) -> str:
    """`bm25` of `books/bm25`."""
    return source.rpartition("/")[2]


# --- checks -------------------------------------------------------------------------------


def _check(query: Query, knowledge: Knowledge) -> None:
    if not surface(query.text):
        raise UsageError(f"the question {query.text[:60]!r} has no words; ask in words")
    if len(query.text) > LONGEST_QUERY:
        raise UsageError(
            f"the question has {len(query.text)} characters, at most {LONGEST_QUERY} are read; "
            "shorten it"
        )
    for name in ("limit", "offset"):
        value: object = getattr(query, name)
        if not isinstance(value, int):
            raise UsageError(f"{name} is {value!r}; give a whole number, for example 10")
    if query.limit < 1:
        raise UsageError(f"limit is {query.limit}; ask for at least 1 result")
    if query.offset < 0:
        raise UsageError(f"offset is {query.offset}; it counts the results left out before")
    if query.per not in get_args(Per):
        raise UsageError(f"unknown `per` {query.per!r}; known: {', '.join(get_args(Per))}")
    if query.places > LARGEST_LIMIT:
        plus = f" and offset {query.offset}" if query.offset else ""
        raise UsageError(
            f"limit is {query.limit}{plus}, at most {LARGEST_LIMIT} results fit in memory with "
            "their reasons; ask for fewer, or narrow the question with filters"
        )
    known = sorted(set(knowledge.sources.values()))
    for name in query.collections:
        if name not in known:
            raise UsageError(f"unknown collection {name!r}; known: {', '.join(known) or 'none'}")
    _check_filters(query, knowledge)
    _check_weights(knowledge)


def _check_filters(query: Query, knowledge: Knowledge) -> None:
    """A condition on a field that no passage has is a typing error, not an empty answer."""
    asked = set(query.collections) or set(knowledge.sources.values())
    known = {name for collection in asked for name in knowledge.fields_of(collection)}
    for condition in map(checked_filter, leaves(query.filters)):
        if not field_named(condition.field, known):
            hint = _closest(condition.field, {*known, *filter_fields()} - hidden_fields())
            raise UsageError(f"no passage has a field {condition.field!r}; {hint}")


def _check_weights(knowledge: Knowledge) -> None:
    """A weight with an unknown name would have no effect, and nobody would notice.

    A weight may name a usual kind of source before there is evidence for it.
    """
    collections = {*knowledge.sources.values(), *knowledge.pack.files.collections.values()}
    kinds = {*SIGNAL_NAMES, *map(kind_of, knowledge.sources)}
    sources = {*knowledge.sources, *(f"{name}/{kind}" for name in collections for kind in kinds)}
    for name in knowledge.settings.fusion.weights:
        if name not in collections | kinds | sources:
            hint = _closest(name, {*collections, *kinds, *knowledge.sources})
            raise UsageError(
                f"fusion.weights names {name!r}, which is not a source, kind of source or "
                f"collection; {hint}"
            )


def _closest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'year'?`, or all known names when none is similar."""
    spellings = {spelling.casefold(): spelling for spelling in sorted(known)}
    near = [spellings[match] for match in get_close_matches(name.casefold(), spellings)]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"known: {', '.join(spellings.values())}"


# --- reading the question -----------------------------------------------------------------


def _read(query: Query, knowledge: Knowledge) -> _Question:
    questions = knowledge.pack.questions
    mentions = _find_mentions(query, knowledge)
    reading = Reading(text=query.text, mentions=mentions, known=knowledge.values)
    rule = questions.route(reading) or next(
        (rule for rule in questions.rules if rule.fires(reading)), _NO_RULE
    )
    expands = query.expand and rule.expands
    weights = knowledge.settings.fusion.weights
    return _Question(
        query=query,
        reading=reading,
        rule=rule,
        terms=_expand(query, mentions, knowledge) if expands else (),
        offers=questions.offers(query.text) if expands else (),
        shares={
            name: weights.get(name, 1.0) * rule.shares.get(name, 1.0)
            for name in sorted(set(knowledge.sources.values()))
        },
        knowledge=knowledge,
    )


def _find_mentions(query: Query, knowledge: Knowledge) -> tuple[Mention, ...]:
    """The names in a question: values and relations as they are, nodes that the pack takes for
    meant, and nodes that are named only by a short form that is also a common word: `DiD`.
    """
    questions = knowledge.pack.questions
    found = [
        mention
        for mention in find_mentions(query.text, knowledge.mentions)
        if mention.role != "node"
        or questions.means(
            query.text, mention.surface, knowledge.aliases(mention.value, mention.collection)
        )
    ]
    named = {mention.surface for mention in found if mention.role == "node"}
    values = {mention.value for mention in found}
    spelt_out = [
        replace(mention, surface=surface(term.origin))
        for term in (questions.expand(query.text) if query.expand else ())
        if term.spells and surface(term.origin) not in named
        for mention in knowledge.mentions([surface(term.text)])
        if mention.role == "node" and mention.value not in values
    ]
    return (*found, *spelt_out)


def _boosts(question: _Question) -> tuple[Boost, ...]:
    """The preferences of the pack and of the rule, without those on fields that the settings
    exclude.
    """
    excluded = {name.strip() for name in question.knowledge.settings.refine.unread.split(",")}
    boosts = question.knowledge.pack.questions.boosts(question.reading)
    kept = tuple(boost for boost in boosts if boost.condition.field not in excluded)
    return (*kept, *question.rule.prefers)


# --- asks ---------------------------------------------------------------------------------


def _asks(source: str, collection: str, question: _Question) -> list[Ask]:
    query, rule = question.query, question.rule
    here = [mention for mention in question.reading.mentions if mention.collection == collection]
    fields = question.knowledge.fields_of(collection)
    filters = resolve_filters(query.filters, fields)
    request = Request(
        text=query.text,
        terms=question.terms,
        criteria=tuple(
            Filter(
                mention.field,
                "=",
                int(mention.value) if mention.role == "number" else mention.value,
            )
            for mention in here
            if mention.role in ("value", "number")
        ),
        seeds=_values(here, "node"),
        intents=_values(here, "relation") or rule.relations,
        filters=query.filters if filters is None else filters,
    )
    ask = Ask(
        source=source,
        collection=collection,
        vote=source,
        request=request,
        depth=_depth(collection, question),
        weight=_weight(source, question),
        skip=_skip(source, request, question),
        signal=question.knowledge.signal_of(source),
    )
    if not ask.weight or not question.shares[collection]:
        return [replace(ask, skip="its weight is set to 0")]
    if filters is None:
        missing = [
            leaf.field for leaf in leaves(query.filters) if not field_named(leaf.field, fields)
        ]
        reason = f"no passage here has a field {missing[0]!r}" if missing else "none can match"
        return [replace(ask, skip=reason)]
    return [ask, *_second_asks(ask, question)]


def _values(mentions: Sequence[Mention], role: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mention.value for mention in mentions if mention.role == role))


def _second_asks(ask: Ask, question: _Question) -> Iterator[Ask]:
    """Further requests to the same source.

    A source of meaning cannot weigh single terms: it is asked again with them added. A source of
    text is asked again for those passages only that the rule expects to answer.
    """
    weight = ask.weight * question.knowledge.settings.fusion.expansion
    if ask.ranks_by is Signal.MEANING and question.terms and weight:
        text = question.query.text
        for term in question.terms:
            text = text.replace(term.origin, "") if term.replaces else text
        text = " ".join((*text.split(), *(term.text for term in question.terms)))
        request = replace(ask.request, text=text)
        yield replace(ask, vote=f"{ask.source}+terms", request=request, weight=weight)
    condition = question.rule.again
    if condition is not None and not ask.skip and ask.ranks_by.reads_text:
        request = replace(ask.request, filters=(*ask.request.filters, condition))
        yield replace(ask, vote=f"{ask.source}{AGAIN}", request=request)


def _depth(collection: str, question: _Question) -> int:
    """The same for every collection unless the rule says otherwise, and never below the limit."""
    settings = question.knowledge.settings.retrieve
    depth = math.ceil(settings.depths.get(collection, settings.depth))
    wanted = math.ceil(depth * question.rule.depths.get(collection, 1.0))
    return max(wanted, question.query.depth)


def _weight(source: str, question: _Question) -> float:
    """The setting for the source itself, else for its kind, times the weight of the rule.

    A name that is also a collection means the collection: its share, not this weight.
    """
    weights = question.knowledge.settings.fusion.weights
    kind = kind_of(source)
    by_meaning = question.knowledge.signal_of(source) is Signal.MEANING
    default = question.knowledge.trust if by_meaning else 1.0
    is_collection = kind in question.knowledge.sources.values()
    general = default if is_collection else weights.get(kind, default)
    return weights.get(source, general) * question.rule.weights.get(kind, 1.0)


def _skip(source: str, request: Request, question: _Question) -> str:
    """Why a source is not asked; empty when it is."""
    kind, signal = kind_of(source), question.knowledge.signal_of(source)
    if kind in question.rule.skips:
        return question.rule.skips[kind]
    if kind in question.knowledge.pack.questions.reads:
        return ""
    if signal is Signal.ROWS and not request.criteria:
        return "the question names no value of these tables"
    if signal in (Signal.NODES, Signal.PATHS) and not request.seeds:
        return "the question names no node of this graph"
    return ""


# --- query expansion ----------------------------------------------------------------------
# The added terms have no more words than the question, so that it at most doubles. An abbreviation
# counts as the words that it stands for: `What is ATT?` means `What is the average treatment
# effect on the treated?`, and has room for that name. A question of one word gets one term of any
# length.


def _expand(query: Query, mentions: Sequence[Mention], knowledge: Knowledge) -> tuple[Term, ...]:
    """The terms of the pack and the synonym table, other names of nodes, names of neighbours.

    Terms and aliases take turns, by the names in the question that they belong to; neighbours come
    last.
    """
    terms = [
        *knowledge.pack.questions.expand(query.text),
        *(
            Term(text=other, weight=SYNONYM, origin=span)
            for span in word_spans(query.text)
            for other in knowledge.synonyms.get(span, ())
        ),
    ]
    nodes = [mention for mention in mentions if mention.role == "node"]
    aliases = _aliases(nodes, {surface(term.origin) for term in terms}, knowledge)
    spelt_out = terms or [alias for alias in aliases if _stands_for(alias)][:1]
    room = _count_words(query.text) + _extra_words(spelt_out)
    names = _new_terms((*terms, *aliases), query.text)
    rest = _new_terms((*names, *_neighbours(nodes, knowledge)), query.text)[len(names) :]
    kept: list[Term] = []
    for term in [*_in_turn(names), *_in_turn(rest)]:
        size = _count_words(term.text)
        if size <= room or (room == 1 and not kept):
            kept.append(term)
            room -= size
    return tuple(kept)


def _aliases(
    nodes: Sequence[Mention], expanded: Collection[str], knowledge: Knowledge
) -> list[Term]:
    """Other names of nodes. An abbreviation is spelt out if it can mean one node only, and has no
    other expansion.
    """
    meanings = Counter((node.surface, node.collection) for node in nodes)
    aliases: list[Term] = []
    for node in nodes:
        others = knowledge.aliases(node.value, node.collection)
        names = [Term(text=other, weight=SYNONYM, origin=node.surface) for other in others]
        if node.surface not in expanded and meanings[node.surface, node.collection] == 1:
            full = (term for term in names if _stands_for(term) and " " in surface(term.text))
            first = next(full, None)
            names = [replace(name, spells=True) if name is first else name for name in names]
        aliases += names
    return aliases


def _neighbours(nodes: Sequence[Mention], knowledge: Knowledge) -> Iterator[Term]:
    """Names one edge away from a node: the lighter the edge, the less they weigh."""
    share = SYNONYM * knowledge.pack.questions.neighbours
    for node in nodes if share else ():
        for name, weight in knowledge.neighbours(node.value, node.collection):
            yield Term(text=name, weight=round(share * weight, 3), origin=node.surface)


def _stands_for(term: Term) -> bool:
    """Whether a term is what its origin abbreviates: a code, or letters of it in their order."""
    short, long = surface(term.origin), surface(term.text)
    if " " in short or term.replaces:
        return term.replaces
    letters = iter(long)
    begins = f" {short[:1]}" in f" {long}"
    return not short.isalpha() or (begins and all(letter in letters for letter in short))


def _new_terms(terms: Iterable[Term], question: str) -> list[Term]:
    """Terms that neither the question nor another term contains, in singular or plural."""
    asked = f" {surface(question)} "
    new: dict[str, Term] = {}
    for term in terms:
        spelt = surface(term.text)
        forms = (spelt, *singular_or_plural(spelt))
        if not any(f" {form} " in asked or form in new for form in forms):
            new[spelt] = term
    return list(new.values())


def _in_turn(terms: Sequence[Term]) -> list[Term]:
    """The first term for each name in the question, then the second ones, and so on."""
    turns: Counter[str] = Counter()
    placed: list[tuple[int, Term]] = []
    for term in terms:
        placed.append((turns[surface(term.origin)], term))
        turns[surface(term.origin)] += 1
    return [term for _, term in sorted(placed, key=lambda pair: pair[0])]


def _extra_words(terms: Sequence[Term]) -> int:
    """How many words a question is longer with its abbreviations spelt out."""
    most: dict[str, float] = {}
    for term in terms:
        most[term.origin] = max(most.get(term.origin, 0.0), term.weight)
    best = [term for term in terms if term.weight == most[term.origin] and _stands_for(term)]
    return sum(_count_words(term.text) for term in best) - len({term.origin for term in best})


def _count_words(text: str) -> int:
    return len(surface(text).split())
