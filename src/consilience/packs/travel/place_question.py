"""What does a question look for in a graph of places?

Words for a theme, a type of place, an attribute, something to do or to eat become interests: nodes
of the graph from which a walk starts. What the question does not want is kept apart. A place that
it names is where things are looked for ("in"), what they should be close to ("near"), what they
resemble ("like"), or what is left out ("not").
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from consilience.packs.travel.terms import Lexicon, Term, find_terms, is_negated, plain, read_table
from consilience.understand.names import singular_or_plural, word_spans

Role = Literal["in", "near", "like", "not"]
THINGS = ("offer", "dish", "thing")
"""The prefixes of nodes for what places offer, serve and are known for."""
PARTLY = 0.5
"""The weight of a theme for a word that names a type: who says temple may mean culture."""
SEASON = 0.5
"""The weight of the time of a visit beside what is looked for."""
LEVELS = frozenset({"budget", "luxury"})
_NEAR = re.compile(
    r"\b(?:near|nearby|near to|close to|closest to|nearest to|next to|around|beside|outside|"
    r"far from|reach of|trips? (?:from|out of)|excursions? (?:from|out of)|(?:km|kilometres|miles|"
    r"minutes|hours?) (?:from|of)|away from)\s+(?:the\s+)?$"
)
_LIKE = re.compile(r"\b(?:like|similar to|resembl\w+|alternatives? (?:to|for))\s+(?:the\s+)?$")
_RELATIONS = {
    "NEAR": r"\b(?:near|nearby|close|closest|nearest|walking distance|around)\b",
    "DAY_TRIP_FROM": r"\b(?:day ?-?trips?|excursions?|half-?day|side trips?)\b",
    "SIMILAR_TO": r"\b(?:like|similar|alternatives?|resembl\w+|comparable)\b",
    "PAIRS_WITH": r"\b(?:combin\w+|pair\w*|together with|along with|on the way)\b",
    "BORDERS": r"\b(?:border\w*|neighbou?ring (?:countr|region|state)\w*)\b",
    "CONNECTED_TO": r"\b(?:get (?:from|to|there)|trains?|bus|buses|flights?|fly|ferry|drive|"
    r"transport\w*|route|connect\w*|travel (?:from|between))\b",
}
_MODES = {
    "train": r"trains?|railways?",
    "bus": r"bus|buses|coach(?:es)?",
    "flight": r"flights?|fly|flies|planes?",
    "boat": r"ferry|ferries|boats?|ships?|speedboats?|sail|hydrofoils?",
}
"""Means of travel, with the words that ask for one."""
_PART = r"(?:city|town|village|region|province|district|island|area|country|quarter)"
_BESIDE_NAME = re.compile(rf"(?<=_)\s{_PART}\b|\b{_PART} of (?:the )?(?=_)", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:which|what|recommend\w*|suggest\w*|looking for|find)\b[^,.;?!]{0,25}$")
_BREAK = re.compile(
    r"\b(?:near|with|have|has|having|by|close|on|at|in|for|from|that|where|to|next|beside|around|"
    r"of)\b|[,;:.?!()]"
)


_ITINERARY = re.compile(
    r"\b(?:itinerary|plan (?:me|us|my|our|a|an)\b|[\w-]+[- ](?:days?|nights?|weeks?) "
    r"(?:in|around|through|trip|tour)\b)",
    re.IGNORECASE,
)


def asks_itinerary(text: str) -> bool:
    """Whether a question asks for a plan of days, which is the planner's business."""
    return bool(_ITINERARY.search(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """Something that is looked for: its words, and the nodes a walk starts from with weights."""

    label: str
    nodes: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceQuestion:
    """What a question asks of a graph of places.

    `kinds` are those of the places it asks for, with their types; `unwanted` are nodes that what is
    found must not lead to. `relations` are those that it mentions.
    """

    interests: tuple[Interest, ...] = ()
    unwanted: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[tuple[str, str], ...] = ()
    places: Mapping[str, Role] = field(default_factory=dict)
    relations: frozenset[str] = frozenset()

    def of_role(self, role: Role) -> list[str]:
        """The places that are named in a role."""
        return [node for node, own in self.places.items() if own == role]

    def state(self, names: Mapping[str, str]) -> str:
        """What was understood, on one line."""
        parts = [("looked for", [interest.label for interest in self.interests])]
        unwanted = [*self.unwanted.values(), *(names.get(n, n) for n in self.of_role("not"))]
        parts.append(("not", unwanted))
        roles: tuple[Role, ...] = ("in", "near", "like")
        parts += [(role, [names.get(node, node) for node in self.of_role(role)]) for role in roles]
        return "; ".join(
            f"{name}: {', '.join(dict.fromkeys(each))}" for name, each in parts if each
        )


def read_question(
    text: str, names: Mapping[str, Sequence[str]], known: Iterable[str] = ()
) -> PlaceQuestion:
    """Read a question: `names` are those of the places in it, by id, and `known` are the nodes of
    `thing_nodes` that the graph has.
    """
    roles, rest = _place_roles(text, names)
    wanted, unwanted = list[tuple[str, dict[str, float]]](), dict[str, str]()
    for term_text, nodes, negated in _named_things(rest, known):
        if negated:
            unwanted |= dict.fromkeys(nodes, term_text)
        else:
            wanted.append((term_text, nodes))
    if not wanted:
        kinds = [term for term in find_terms(rest, ("kind",)) if not term.negated]
        wanted = [(kind.text, {f"kind:{kind.name.partition('/')[0]}": 1.0}) for kind in kinds]
    return PlaceQuestion(
        interests=tuple(_group(wanted)),
        unwanted=unwanted,
        kinds=tuple(dict.fromkeys(asked_kinds(rest))),
        places=roles,
        relations=frozenset(
            name for name, words in _RELATIONS.items() if re.search(words, plain(rest))
        ),
    )


def asked_mode(text: str) -> tuple[str, str]:
    """The means of travel that a question asks for, and its word; both empty for none."""
    for mode, words in _MODES.items():
        if match := re.search(rf"\b(?:{words})\b", plain(text)):
            return mode, match[0]
    return "", ""


def is_of_mode(mode: str, family: str) -> bool:
    """Whether the means of a connection belongs to a family: a speedboat is a boat."""
    return bool(re.search(rf"(?:\b|speed)(?:{_MODES[family]})\b", mode))


def thing_nodes(text: str) -> list[str]:
    """The nodes that would stand for what a question names, if they exist: `dish:pho`."""
    forms = dict.fromkeys(
        form for run in word_spans(text) for form in (run, *singular_or_plural(run))
    )
    return [f"{prefix}:{form}" for prefix in THINGS for form in forms]


def asked_kinds(text: str) -> list[tuple[str, str]]:
    """The kinds of places that a question asks for, with types: those of its first clause.

    Of words that stand side by side the last is meant: a beach hotel is a hotel.
    """
    terms = [term for term in find_terms(text, ("kind",)) if not term.negated]
    lowered = plain(text)
    begins = next((at for at, one in enumerate(terms) if _ASKS.search(lowered[: one.start])), 0)
    first: list[Term] = []
    for term in terms[begins:]:
        if first and term.start != first[-1].start:
            between = lowered[first[-1].end : term.start]
            if _BREAK.search(between):
                break
            if not between.strip(" -"):
                first = [other for other in first if other.start != first[-1].start]
        first.append(term)
    pairs = [term.name.partition("/") for term in first]
    return [(kind, of_type) for kind, _, of_type in pairs]


def _place_roles(text: str, names: Mapping[str, Sequence[str]]) -> tuple[dict[str, Role], str]:
    """The places that a text names, each with its role; and the text without their names."""
    roles: dict[str, Role] = {}
    rest, whole = text, plain(text)
    for nodes, start, end in Lexicon(names).find(text):
        before = whole[:start]
        role: Role = "in"
        if _LIKE.search(before):
            role = "like"
        elif _NEAR.search(before):
            role = "near"
        elif is_negated(text, start, end):
            role = "not"
        for node in nodes:
            roles.setdefault(node, role)
        rest = rest[:start] + "_" * (end - start) + rest[end:]
    rest = _BESIDE_NAME.sub(lambda match: "_" * len(match[0]), rest)
    return roles | {node: "in" for node in names if node not in roles}, rest


def _named_things(text: str, known: Iterable[str]) -> list[tuple[str, dict[str, float], bool]]:
    """Each phrase of a text that the vocabulary or the graph has, with its nodes and whether it is
    not wanted. A kind of place that is asked for in general is no interest of its own.
    """
    found: dict[int, tuple[str, dict[str, float], bool]] = {}
    terms = find_terms(text)
    typed = {
        term.start
        for term in terms
        if term.category == "attribute" or (term.category == "kind" and "/" in term.name)
    }
    months = [term for term in terms if term.category == "month" and not term.negated]
    for term in terms:
        nodes = _nodes(term, typed)
        if nodes:
            entry = found.setdefault(term.start, (term.text, {}, term.negated))
            entry[1].update(nodes)
    things = Lexicon({node: [node.partition(":")[2]] for node in known})
    for nodes_named, start, end in things.find(text):
        entry = found.setdefault(start, (text[start:end], {}, is_negated(text, start, end)))
        entry[1].update(dict.fromkeys(nodes_named, 1.0))
    if months:
        label = ", ".join(month_name[int(term.name)] for term in months)
        numbers = {f"month:{term.name}": SEASON for term in months}
        found[len(text)] = (label, numbers, False)
    return [found[start] for start in sorted(found)]


def _nodes(term: Term, typed: set[int]) -> dict[str, float]:
    """The nodes of the graph that a term stands for, with weights."""
    if term.category == "theme":
        narrow = term.start in typed and not plain(term.text).startswith(term.name[:4])
        if term.negated and narrow:
            return {}  # who wants no museums may still like history
        nodes = {f"theme:{term.name}": PARTLY if narrow else 1.0}
        if term.name in LEVELS:
            nodes[f"level:{term.name}"] = 1.0
        if term.name == "budget":
            nodes["level:free"] = 1.0
        return nodes
    if term.category == "kind":
        of_type = term.name.partition("/")[2]
        return {f"type:{of_type}": 1.0} if of_type else {}
    if term.category == "attribute":
        spelt = read_table("attributes")[term.name].get("spelt", ())
        tags = (term.name, *(str(tag).replace(" ", "-") for tag in spelt))
        return {f"feature:{tag}": 1.0 for tag in tags}
    return {f"slot:{term.name}": SEASON} if term.category == "slot" else {}


def _group(phrases: Sequence[tuple[str, dict[str, float]]]) -> list[Interest]:
    """One interest for all phrases that share a node of full weight."""
    groups: list[tuple[list[str], dict[str, float]]] = []
    for text, nodes in phrases:
        full = {node for node, weight in nodes.items() if weight == 1.0}
        group = next((one for one in groups if any(one[1].get(node) == 1.0 for node in full)), None)
        if group is None:
            groups.append(([text], dict(nodes)))
            continue
        group[0].append(text)
        for node, weight in nodes.items():
            group[1][node] = max(weight, group[1].get(node, 0.0))
    return [
        Interest(label=" / ".join(dict.fromkeys(map(str.lower, texts))), nodes=nodes)
        for texts, nodes in groups
    ]
