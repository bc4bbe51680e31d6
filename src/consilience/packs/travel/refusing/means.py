"""Does anything go that way by what a question names: a ferry from here to there, a night train?

Connections are looked at, among all that was found. A means that joins no two of them directly may
do so with a change, unless it is to be direct; else prose may tell of it, in a sentence with both
ends. Where nothing does, what else goes is told instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from consilience.pack import Reading
from consilience.types import Passage
from consilience.understand.names import surface

WAY = "way"
"""What the identifier of a way begins with."""
_JOIN, _OR = " ~ ", " or "
_HERE = "§"


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What one goes by: how questions and prose say it, and words that connections call it by."""

    said: re.Pattern[str]
    modes: tuple[str, ...]


def _means(said: str, *modes: str) -> Means:
    return Means(said=re.compile(rf"\b(?:{said})\b", re.IGNORECASE), modes=modes)


MEANS: Mapping[str, Means] = {
    "flight": _means(
        r"flights?|fly|flies|flying|flown|planes?|aeroplanes?|airplanes?|airlines?|by air|nonstop"
        r"|seaplanes?",
        "flight", "plane", "air",
    ),
    "helicopter": _means(r"helicopters?|chopper", "helicopter"),
    "boat": _means(
        r"ferry|ferries|\w*boats?|\w*ships?|sail|sails|sailing|hydrofoils?|catamarans?|by sea"
        r"|by water|steamers?|barges?|car ferry|hovercraft|cruise from|riverboats?",
        "ferry", "boat", "ship", "hydrofoil", "catamaran", "cruise", "junk", "sail",
    ),
    "train": _means(r"trains?|rail|railway|railroad|by rail|locomotive", "train", "rail"),
    "underground line": _means(
        r"metro|subway|underground (?:line|train|railway|station)s?|the underground|the tube"
        r"|u-bahn",
        "metro", "subway", "underground",
    ),
    "tram": _means(r"trams?|tramways?|trolley|streetcars?|light rail", "tram", "streetcar"),
    "monorail": _means(r"monorails?|maglev|bullet train|high[- ]speed (?:train|rail)", "monorail"),
    "cable car": _means(r"cable ?cars?|gondola lift|funiculars?", "cable", "funicular"),
    "bus": _means(
        r"bus|buses|coach|coaches|minibus\w*|shuttles?", "bus", "coach", "van", "shuttle"
    ),
}  # fmt: skip
"""Everything that somebody else drives at set times; whoever drives himself gets anywhere."""
_UNWANTED = re.compile(
    r"\b(?:without|no|not|avoid\w*|except|other than|instead of|rather than|hate|don'?t (?:want"
    r"|like))"
    r"\s+(?:\w+ ){0,2}$",
    re.IGNORECASE,
)
_DIRECT = re.compile(r"\b(?:direct|directly|nonstop|non-stop|straight|through train)\b", re.I)
_NIGHT = re.compile(
    r"\b(?:overnight|night|sleeper|sleeping)[ -](?:train|bus|coach|boat|ferry|ship|berth)\w*\b"
    r"|\bovernight\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"\b(?:from|leaving|out of) {_HERE}(\d+) (?:\w+ ){{0,5}}?(?:to|into|for"
    rf"|towards) (?:the )?{_HERE}(\d+)"
    rf"|{_HERE}(\d+) (?:city |station |airport )?(?:to|and|into|down to|up to|over to"
    rf"|for) (?:the )?"
    rf"{_HERE}(\d+)"
)
_BACKWARDS = re.compile(
    rf"\b(?:to|reach|for) (?:the )?{_HERE}(\d+) (?:\w+ ){{0,3}}?from (?:the )?{_HERE}(\d+)"
)
_WHETHER = re.compile(
    r"(?:^|[.!?,;:]\s*)\W*(?:(?:so|and|but|hi|hello|please) )?(?:is|are|can|could|does|do|will"
    r"|would|any"
    r"|may)\b|\bis there\b|\bare there\b|\bis it possible\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(?:no|not|nor|never|without|n't|cannot|none)\b", re.IGNORECASE)
_PART = re.compile(r"(?<=[.!?;,])\s+|\n")
"""What parts a text so that a part tells of one way."""
_GOES = re.compile(
    r"\b(?:from|to|between|joins?|links?|connects?|reach\w*|runs?|by way of|via|served?)\b", re.I
)
"""What a sentence says of a way."""
_ONE_END = re.compile(
    rf"\b(?:to|from|into|reach(?:es|ing)?|serves?|leaving|out of) (?:the )?{_HERE}(\d+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way that is asked for: by which means, between which places, and what it has to be.

    With `whether` it is asked if there is one, so that a text which says no answers, too.
    """

    means: tuple[str, ...]
    ends: tuple[frozenset[str], ...]
    direct: bool = False
    night: bool = False
    whether: bool = False

    @property
    def identifier(self) -> str:
        """One line, from which `way_of` makes the same again."""
        kinds = [name for name in ("direct", "night", "whether") if getattr(self, name)]
        ends = (_OR.join(sorted(one)) for one in self.ends)
        return _JOIN.join((WAY, _OR.join(self.means), " ".join(kinds), *ends))


def way_of(identifier: str) -> Way | None:
    """The way that an identifier stands for; None where it stands for something else."""
    kind, *parts = identifier.split(_JOIN)
    if kind != WAY:
        return None
    means, kinds, *ends = parts
    return Way(
        means=tuple(means.split(_OR)),
        ends=tuple(frozenset(one.split(_OR)) for one in ends),
        direct="direct" in kinds,
        night="night" in kinds,
        whether="whether" in kinds,
    )


def asked_way(text: str, reading: Reading) -> Way | None:
    """The way that a question asks for by its means; None for none.

    Who names no way between two places, or to one, may want a tour by boat.
    """
    means = tuple(
        name
        for name, one in MEANS.items()
        for match in [one.said.search(text)]
        if match and not _UNWANTED.search(text[: match.start()])
    )
    if not means:
        return None
    spelt, nodes = _marked(text, reading)
    pair = _pair(spelt)
    if not pair:
        return None
    ends = tuple(nodes[one] for one in pair)
    if len(ends) > 1 and ends[0] & ends[1]:
        return None
    return Way(
        means=means,
        ends=ends,
        direct=bool(_DIRECT.search(text)),
        night=bool(_NIGHT.search(text)),
        whether=bool(_WHETHER.search(text)),
    )


def missing_way(way: Way, passages: Sequence[Passage]) -> str:
    """What is told where nothing goes that way by such means; empty where something does, or
    where the connections of these places are not known.
    """
    edges = [one for one in passages if one.metadata.get("relation") == "CONNECTED_TO"]
    if not all(any(_ends(edge) & end for edge in edges) for end in way.ends):
        return ""
    by_it = [edge for edge in edges if _goes_by(edge, way.means)]
    direct = [edge for edge in by_it if all(_ends(edge) & end for end in way.ends)]
    if direct and way.night and len(way.ends) > 1:
        nightly = [edge.metadata.get("overnight") for edge in edges]
        if any(nightly) and not any(edge.metadata.get("overnight") for edge in direct):
            return _told(way, edges, "night ")
    if direct or (not way.direct and _with_change(way, by_it)):
        return ""
    names = [_names(end, edges) for end in way.ends]
    prose = [one for one in passages if "relation" not in one.metadata]
    if any(_speaks_of(one, way, names) for one in prose):
        return ""
    return _told(way, edges, "direct " if way.direct and len(way.ends) > 1 else "")


def _marked(text: str, reading: Reading) -> tuple[str, list[frozenset[str]]]:
    """The words of a text with a mark for each place that it names, and the nodes of each mark."""
    named: dict[str, set[str]] = {}
    for one in reading.mentions:
        if one.role == "node":
            named.setdefault(one.surface, set()).add(one.value)
    spelt = f" {surface(text)} "
    nodes: list[frozenset[str]] = []
    for name in sorted(named, key=len, reverse=True):
        if f" {name} " in spelt:
            spelt = spelt.replace(f" {name} ", f" {_HERE}{len(nodes)} ")
            nodes.append(frozenset(named[name]))
    return spelt, nodes


def _pair(spelt: str) -> tuple[int, ...]:
    """The marks of start and goal; one of them where a question names only one."""
    if match := _BACKWARDS.search(spelt):
        return int(match[2]), int(match[1])
    if match := _BETWEEN.search(spelt):
        start, goal = (int(one) for one in match.groups() if one is not None)
        return start, goal
    if spelt.count(_HERE) == 1 and (match := _ONE_END.search(spelt)):
        return (int(match[1]),)
    return ()


def _with_change(way: Way, edges: Sequence[Passage]) -> bool:
    """Whether two connections by these means join start and goal, one behind the other."""
    if len(way.ends) < 2:
        return False
    first, second = ({*_beyond(end, edges)} for end in way.ends)
    return bool(first & second)


def _beyond(end: Collection[str], edges: Sequence[Passage]) -> Iterator[str]:
    for edge in edges:
        if _ends(edge) & {*end}:
            yield from _ends(edge) - {*end}


def _speaks_of(passage: Passage, way: Way, names: Sequence[Collection[str]]) -> bool:
    """Whether prose tells of the means together with all ends: in a sentence, or, of the place
    that it is about, with the other end.
    """
    about = {surface(str(passage.metadata.get(one, ""))) for one in ("node", "city", "about")}
    for sentence in _PART.split(passage.text):
        if not any(MEANS[one].said.search(sentence) for one in way.means):
            continue
        if (len(names) > 1 and not _GOES.search(sentence)) or (
            not way.whether and _NONE.search(sentence)
        ):
            continue
        spelt = f" {surface(sentence)} "
        told = [any(f" {one} " in spelt for one in each) for each in names]
        own = [bool(about & {*each}) for each in names]
        if all(told) or (any(told) and all(map(max, zip(told, own, strict=True)))):
            return True
        if len(names) == 1 and own[0]:
            return True
    return False


def _told(way: Way, edges: Sequence[Passage], kind: str) -> str:
    """`no ferry between A and B is known; what goes: bus and flight`."""
    ends = [min(_titles(end, edges), default="there") for end in way.ends]
    means = " or ".join(way.means)
    where = f"between {' and '.join(ends)}" if len(ends) > 1 else f"to or from {ends[0]}"
    line = f"no {kind}{means} {where} is known here"
    modes = dict.fromkeys(
        str(edge.metadata.get("mode"))
        for edge in edges
        if all(_ends(edge) & end for end in way.ends) and edge.metadata.get("mode")
    )
    if modes:
        return f"{line}; what goes is {_listed([*modes])}"
    if len(way.ends) > 1 and (over := _changes(way, edges)):
        return f"{line}; one gets there with a change in {over}"
    return line


def _changes(way: Way, edges: Sequence[Passage]) -> str:
    first, second = ({*_beyond(end, edges)} for end in way.ends)
    names = sorted(min(_titles({one}, edges), default=one) for one in first & second)
    return _listed(names[:3], "or")


def _listed(parts: Sequence[str], join: str = "and") -> str:
    *head, last = parts or ("",)
    return f"{', '.join(head)} {join} {last}" if head else last


def _goes_by(edge: Passage, means: Sequence[str]) -> bool:
    mode = str(edge.metadata.get("mode", "")).casefold()
    return any(word in mode for one in means for word in MEANS[one].modes)


def _ends(edge: Passage) -> frozenset[str]:
    return frozenset(str(edge.metadata.get(one)) for one in ("source", "target"))


def _titles(end: Collection[str], edges: Sequence[Passage]) -> Iterator[str]:
    for edge in edges:
        for side in ("source", "target"):
            if edge.metadata.get(side) in end:
                yield str(edge.metadata.get(f"{side}_name") or edge.metadata[side])


def _names(end: Collection[str], edges: Sequence[Passage]) -> set[str]:
    """How an end is named, in the form in which names are compared."""
    return {surface(one) for one in (*end, *_titles(end, edges))}
