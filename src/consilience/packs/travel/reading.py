"""What does a question look for in a graph of places? Interests, places it names, what it excludes.

Every word that names a theme, a kind of place, a feature, something to do or to eat becomes an
interest: nodes of the graph that it starts from. Words of the same theme are one interest. What the
question does not want is kept apart. A place that it names is where things are looked for ("in"),
what they should be close to ("near"), what they resemble ("like"), or what is left out ("not").
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from consilience.packs.travel.vocabulary import (
    KindWord,
    features_in,
    kinds_in,
    months_in,
    slots_in,
    themes_in,
)
from consilience.packs.travel.wording import Table, plain
from consilience.understand.names import singular_or_plural, word_spans

Role = Literal["in", "near", "like", "not"]
THINGS = ("offer", "dish", "thing")
"""What places offer, serve and are known for: the beginnings of those nodes."""
PARTLY = 0.5
"""What a theme counts for a word that names a kind of place: who says temple may mean culture."""
SEASON = 0.5
"""What the time of a visit counts beside what is looked for."""
_NEAR = re.compile(
    r"(?:\b(?:near|nearby|near to|close to|closest to|nearest to|next to|around|beside|outside|"
    r"not (?:too )?far from|within reach of|in reach of|"
    r"(?:day ?-?trips?|excursions?|trips?|outings?) (?:from|out of)|"
    r"(?:\d|half|few|an|one|two|three|walking) ?(?:minutes|hours?|km|kilometres|miles) (?:from|of)|"
    r"within [^.,;]{1,25} (?:of|from)|away from))\s+(?:the\s+)?$"
)
_LIKE = re.compile(
    r"\b(?:like|similar to|comparable to|resembl\w+|reminds? (?:me|us) of|alternatives? (?:to|for)|"
    r"instead of|in place of|same as)\s+(?:the\s+)?$"
)
_WORDS = {
    "NEAR": re.compile(r"\b(?:near|nearby|close|closest|nearest|walking distance|around)\b"),
    "DAY_TRIP_FROM": re.compile(r"\b(?:day ?-?trips?|excursions?|half-?day|side trips?)\b"),
    "SIMILAR_TO": re.compile(r"\b(?:like|similar|alternatives?|resembl\w+|comparable)\b"),
    "PAIRS_WITH": re.compile(r"\b(?:combin\w+|pair\w*|together with|along with|on the way)\b"),
    "BORDERS": re.compile(r"\b(?:border\w*|neighbou?ring (?:countr|region|state)\w*|next door)\b"),
    "CONNECTED_TO": re.compile(
        r"\b(?:get (?:from|to|there)|train|bus|buses|flight|fly|ferry|drive|transport\w*|route|"
        r"connect\w*|travel (?:from|between))\b"
    ),
}
_PART = r"(?:city|town|village|region|province|district|island|area|country|quarter)"
_DESCRIBED = re.compile(rf"(?<=_)\s{_PART}\b|\b{_PART} of (?:the )?(?=_)", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:which|what|recommend\w*|suggest\w*|looking for|find)\b[^,.;?!]{0,25}$")
_LOVERS = re.compile(r"lovers?$")
_BREAK = re.compile(
    r"\b(?:near|with|have|has|having|by|close|on|at|in|for|from|that|which has|where|to|next|"
    r"beside|around|of)\b|[,;:.?!()]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """Something that is looked for: its words, and the nodes it starts from with their weights."""

    label: str
    nodes: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a question asks of a graph of places.

    `kinds` are those of the places it asks for, with their types; `unwanted` are nodes that what is
    found must not lead to. `relations` are those that it speaks of.
    """

    interests: tuple[Interest, ...] = ()
    unwanted: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[tuple[str, str], ...] = ()
    places: Mapping[str, Role] = field(default_factory=dict)
    relations: frozenset[str] = frozenset()

    def told(self, names: Mapping[str, str]) -> str:
        """In a line what was understood; `names` are those of the places."""
        named: dict[Role, list[str]] = {"in": [], "near": [], "like": [], "not": []}
        for place, role in self.places.items():
            named[role].append(names.get(place, place))
        parts: list[tuple[str, list[str]]] = [
            ("looked for", [one.label for one in self.interests]),
            ("not", [*self.unwanted.values(), *named["not"]]),
            ("in", named["in"]),
            ("near", named["near"]),
            ("like", named["like"]),
        ]
        return "; ".join(
            f"{name}: {', '.join(dict.fromkeys(each))}" for name, each in parts if each
        )


def read(
    text: str,
    names: Mapping[str, Sequence[str]],
    known: Iterable[str] = (),
    *,
    south: bool = False,
) -> Asked:
    """What a question asks: `names` are those of the places in it, by id, and `known` are the
    nodes of `things` that the graph has. Seasons are those of the `south` of the earth where the
    places that it names are there.
    """
    roles, rest = named(text, names)
    unwanted: dict[str, str] = {}
    words: list[tuple[str, dict[str, float]]] = []
    for word, nodes, negated in _words(rest, known):
        if negated:
            unwanted |= dict.fromkeys(nodes, word)
        else:
            words.append((word, nodes))
    if months := months_in(rest, south=south):
        words.append((_months_told(months), {f"month:{one}": SEASON for one in months}))
    lowered = plain(rest)
    if slots := slots_in(rest):
        words.append((", ".join(slots), {f"slot:{one}": SEASON for one in slots}))
    if not words:
        asked = [one for one in kinds_in(rest) if not one.negated]
        words = [(one.word, {f"kind:{one.kind}": 1.0}) for one in asked]
    return Asked(
        interests=tuple(_joined(words)),
        unwanted=unwanted,
        kinds=tuple(dict.fromkeys(asked_kinds(rest))),
        places=roles,
        relations=frozenset(name for name, one in _WORDS.items() if one.search(lowered)),
    )


def things(text: str) -> list[str]:
    """The nodes that would stand for what a question names, were they there: `dish:pho`."""
    forms = dict.fromkeys(
        form for run in word_spans(text) for form in (run, *singular_or_plural(run))
    )
    return [f"{prefix}:{form}" for prefix in THINGS for form in forms]


def asked_kinds(text: str) -> list[tuple[str, str]]:
    """The kinds of places that a question asks for: those of its first clause that has any.

    Of words that stand side by side the last is what is meant: a beach hotel is a hotel.
    """
    words = [one for one in kinds_in(text) if not one.negated]
    lowered = plain(text)
    begins = next((at for at, one in enumerate(words) if _is_asked(one, lowered)), 0)
    words = words[begins:]
    first: list[KindWord] = []
    for one in words:
        if first:
            between = lowered[first[-1].start + len(first[-1].word) : one.start]
            if _BREAK.search(between):
                break
            if not between.strip(" -") and first[-1].start != one.start:
                first = [each for each in first if each.start != first[-1].start]
        first.append(one)
    return [(one.kind, one.type) for one in first]


def _is_asked(one: KindWord, lowered: str) -> bool:
    """Whether a word follows one that asks: "which towns"."""
    return plain(one.word).startswith("where") or bool(_ASKING.search(lowered[: one.start]))


def named(text: str, names: Mapping[str, Sequence[str]]) -> tuple[dict[str, Role], str]:
    """The places that a text names, each with its role; and the text without their names."""
    table = Table({node: spelt for node, spelt in names.items() if spelt})
    roles: dict[str, Role] = {}
    rest = text
    for one in table.met(text):
        before = plain(text[: one.start])
        role: Role = "in"
        if _LIKE.search(before):
            role = "like"
        elif _NEAR.search(before):
            role = "near"
        elif one.negated:
            role = "not"
        roles.setdefault(one.name, role)
        rest = rest[: one.start] + "_" * len(one.word) + rest[one.start + len(one.word) :]
    rest = _DESCRIBED.sub(lambda match: "_" * len(match[0]), rest)
    return roles | {node: "in" for node in names if node not in roles}, rest


def _words(text: str, known: Iterable[str]) -> list[tuple[str, dict[str, float], bool]]:
    """Each word of a text that the vocabulary or the graph has, with its nodes and whether it is
    not wanted. A kind of place that is asked for in general is no interest of its own.
    """
    found: dict[int, tuple[str, dict[str, float], bool]] = {}
    kinds = kinds_in(text)
    exact = {one.start for one in kinds if one.type}
    for theme in themes_in(text):
        if _LOVERS.match(plain(theme.word)) and _is_of_something(text, theme.start):
            continue
        entry = found.setdefault(theme.start, (theme.word, {}, theme.negated))
        is_own = theme.start not in exact or plain(theme.word).startswith(theme.theme[:4])
        entry[1][f"theme:{theme.theme}"] = 1.0 if is_own else PARTLY
        if theme.theme in ("budget", "luxury"):
            entry[1][f"level:{theme.theme}"] = 1.0
        if theme.theme == "budget":
            entry[1]["level:free"] = 1.0
    for kind in kinds:
        if kind.type:
            entry = found.setdefault(kind.start, (kind.word, {}, kind.negated))
            entry[1][f"type:{kind.type}"] = 1.0
    for thing in Table({one: [one.partition(":")[2]] for one in known}).met(text):
        entry = found.setdefault(thing.start, (thing.word, {}, thing.negated))
        entry[1][thing.name] = 1.0
    for feature in features_in(text):
        entry = found.setdefault(feature.start, (feature.word, {}, feature.negated))
        if feature.negated == entry[2]:
            entry[1][f"feature:{feature.feature}"] = 1.0
        else:
            found[feature.start + len(feature.word)] = (
                feature.word,
                {f"feature:{feature.feature}": 1.0},
                feature.negated,
            )
    return [found[start] for start in sorted(found)]


def _is_of_something(text: str, start: int) -> bool:
    """Whether a word stands right behind one that the vocabulary has: lovers "of food"."""
    before = text[:start].rstrip(" -")
    words = [(one.start, one.word) for one in themes_in(text)]
    words += [(one.start, one.word) for one in kinds_in(text)]
    words += [(one.start, one.word) for one in features_in(text)]
    return any(begins < start and begins + len(word) == len(before) for begins, word in words)


def _joined(words: Sequence[tuple[str, dict[str, float]]]) -> list[Interest]:
    """One interest for all words that share a node which counts fully."""
    groups: list[tuple[list[str], dict[str, float]]] = []
    for word, nodes in words:
        full = {node for node, weight in nodes.items() if weight == 1.0}
        group = next((one for one in groups if full & _full(one[1])), None)
        if group is None:
            groups.append(([word], dict(nodes)))
            continue
        group[0].append(word)
        for node, weight in nodes.items():
            group[1][node] = max(weight, group[1].get(node, 0.0))
    return [
        Interest(label=" / ".join(dict.fromkeys(map(str.lower, said))), nodes=nodes)
        for said, nodes in groups
    ]


def _full(nodes: Mapping[str, float]) -> set[str]:
    return {node for node, weight in nodes.items() if weight == 1.0}


def _months_told(months: Sequence[int]) -> str:
    return ", ".join(month_name[one] for one in months)
