"""Why is a result where it is? Its votes and later changes as bars that add up, and what to know.

The numbers are rounded so that the rounded numbers add up as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from consilience.service.pages.cards import KindViews
from consilience.service.pages.words import listed, milliseconds, ordinal, plural, sentence, way

Json = Mapping[str, Any]
DIGITS = 4
"""Decimals of a vote inside a collection; across collections there are two more."""
WIDTH = 100
"""The width of the widest bar; bars are drawn that wide and stretched."""
_STEPS = {
    "rerank": "read again beside the question",
    "boost": "preferred",
    "agreement": "several collections agree",
    "citations": "its paper is cited by others here",
    "diversity": "moved so that not all say the same",
    "share cap": "moved so that one source does not fill the list",
    "coverage": "moved so that what the question needs is there",
    "exact identifier": "moved up for an exact match",
    "dedupe": "stands for its copies",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A number with its bar: what added it, in words, and how wide it is drawn."""

    label: str
    told: str
    value: str
    width: float
    lowers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Numbers that add up to `total`, under a heading."""

    title: str
    bars: tuple[Bar, ...]
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """Why a hit has its rank: in a sentence, in bars, and how it was moved.

    `because` is what sources themselves say about why they found it.
    """

    short: str
    charts: tuple[Bars, ...]
    moves: tuple[str, ...]
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One kind in the bar of kinds: how many results, and where the slice starts and ends."""

    name: str
    colour: str
    count: int
    start: float
    width: float


def reasons(hit: Json) -> Reasons:
    """The arithmetic of a hit: inside each collection, then across them with what was done."""
    inside = [_inside(vote) for vote in hit["votes"] if vote["parts"]]
    return Reasons(
        short=_short(hit),
        charts=(*inside, _across(hit)),
        moves=tuple(_moved(one) for one in hit["changes"] if one["before"] is not None),
        because=tuple(one["because"] for one in _single(hit) if one.get("because")),
    )


def mixture(counts: Mapping[str, int], kinds: KindViews) -> list[Slice]:
    """How many results are of each kind, as parts of one bar."""
    whole = sum(counts.values()) or 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    starts = accumulate((count for _, count in ordered), initial=0)
    return [
        Slice(
            name=kinds.label(kind),
            colour=kinds.css(kind),
            count=count,
            start=start / whole * WIDTH,
            width=count / whole * WIDTH,
        )
        for (kind, count), start in zip(ordered, starts, strict=False)
    ]


def sources(outcomes: Mapping[str, Json]) -> list[dict[str, str]]:
    """What each source did, as rows of a table."""
    return [
        {
            "collection": name.partition("/")[0],
            "way": way(name),
            "status": one["status"],
            "told": _outcome(one),
            "query": one.get("query", ""),
            "ms": milliseconds(one["ms"]) if one["status"] != "skipped" else "",
        }
        for name, one in outcomes.items()
    ]


def sources_short(outcomes: Mapping[str, Json]) -> str:
    """`6 sources asked: 4 found something and 2 nothing; 3 others were not needed`."""
    count = dict.fromkeys(("ok", "empty", "slow", "failed", "skipped"), 0)
    for one in outcomes.values():
        count[one["status"]] += 1
    asked = sum(count.values()) - count["skipped"]
    words = {
        "ok": "found something",
        "empty": "nothing",
        "slow": "too slow",
        "failed": "failed",
    }
    told = [f"{count[status]} {said}" for status, said in words.items() if count[status]]
    others = count["skipped"]
    rest = f"{plural(others, 'other')} {'was' if others == 1 else 'were'} not needed"
    whole = f"{plural(asked, 'source')} asked: {listed(told)}"
    return f"{whole}; {rest}" if others else whole


def shown(values: Sequence[float], digits: int) -> list[str]:
    """Numbers rounded so that what is shown adds up to the rounded sum."""
    sums = [round(one, digits) for one in accumulate(values, initial=0.0)]
    return [f"{after - before:.{digits}f}" for before, after in pairwise(sums)]


def _short(hit: Json) -> str:
    """`2nd by meaning (0.71), 1st by words`, best first."""
    ranked = sorted((one for one in _single(hit) if one["rank"]), key=lambda one: one["rank"])
    told = [f"{ordinal(one['rank'])} by {way(one['source'])}{_similar(one)}" for one in ranked]
    return ", ".join(told)


def _single(hit: Json) -> list[Json]:
    """The votes of sources, not of collections."""
    return [part for vote in hit["votes"] for part in vote["parts"] or (vote,)]


def _similar(vote: Json) -> str:
    """A likeness of meaning says something by itself; a score of words does not."""
    return f" ({vote['score']:.2f})" if way(vote["source"]).startswith("meaning") else ""


def _inside(vote: Json) -> Bars:
    parts = vote["parts"]
    labels = [(way(one["source"]).capitalize(), _vote(one)) for one in parts]
    values = [float(one["contribution"]) for one in parts]
    return _bars(f"Within {vote['source']}", labels, values, DIGITS)


def _vote(vote: Json) -> str:
    """How a source came to its vote."""
    weight = f", counted {vote['weight']:.2g} times" if vote["weight"] != 1 else ""
    if vote["source"].endswith("/neighbours"):
        return f"the mean of the results most like it{weight}"
    rank = f"{ordinal(vote['rank'])} there" if vote["rank"] else "not among its first"
    return f"{rank}{_similar(vote)}{weight}"


def _across(hit: Json) -> Bars:
    """What the collections and the steps since add up to: the score."""
    votes = [
        (f"{one['source'].partition('/')[0].capitalize()}", _vote(one), one["contribution"])
        for one in hit["votes"]
    ]
    steps = [
        (_STEPS.get(one["step"], one["step"]).capitalize(), _step(one), one["delta"])
        for one in hit["changes"]
        if one["before"] is None
    ]
    each = [*votes, *steps]
    labels = [(label, told) for label, told, _ in each]
    return _bars("Across collections", labels, [float(one[2]) for one in each], DIGITS + 2)


def _step(change: Json) -> str:
    if change["score"] is not None:
        return f"a closer look gave it {change['score']:.2f}"
    return str(change["reason"])


def _moved(change: Json) -> str:
    """`Moved from place 6 to 1: joins what the question names`."""
    if change["before"] == change["after"]:
        return f"Kept at place {change['after']}: {change['reason']}"
    return f"Moved from place {change['before']} to {change['after']}: {change['reason']}"


def _bars(
    title: str, labels: Sequence[tuple[str, str]], values: Sequence[float], digits: int
) -> Bars:
    widest = max(map(abs, values), default=0.0) or 1.0
    bars = (
        Bar(
            label=label,
            told=told,
            value=told_value,
            width=round(abs(value) / widest * WIDTH, 2),
            lowers=value < 0,
        )
        for (label, told), value, told_value in zip(
            labels, values, shown(values, digits), strict=True
        )
    )
    return Bars(title=title, bars=tuple(bars), total=f"{sum(values):.{digits}f}")


def _outcome(one: Json) -> str:
    """What a source did, in a few words."""
    if one["reason"]:
        return str(one["reason"])
    return f"{one['count']} found" if one["status"] == "ok" else "nothing found"


# --- notes ------------------------------------------------------------------------------

_ANSWER_ORIGIN, _RELEVANCE_ORIGIN = "answer", "relevance"  # the page says the latter itself


def answer_notes(found: Json) -> list[str]:
    """What concerns the writing alone; the rest stands above the results."""
    return [sentence(one["message"]) for one in found["notes"] if one["origin"] == _ANSWER_ORIGIN]


def search_notes(found: Json) -> list[str]:
    """What concerns the search: sources that were slow together in one sentence, then the rest."""
    outcomes = found["outcomes"]
    slow = [name for name, one in outcomes.items() if one["status"] == "slow"]
    own = [
        one
        for one in found["notes"]
        if one["origin"] not in (_ANSWER_ORIGIN, _RELEVANCE_ORIGIN, *slow)
    ]
    told = [
        sentence(f"{_named(one['origin'])}: {one['message']}")
        if one["origin"] in outcomes
        else sentence(one["message"])
        for one in own
    ]
    return [*_slow({name: outcomes[name] for name in slow}), *dict.fromkeys(told)]


def _slow(outcomes: Mapping[str, Json]) -> list[str]:
    """`3 sources answered slowly, in up to 412 ms.`; who never answered is named."""
    late = [name for name, one in outcomes.items() if not one["count"]]
    rest = [one["ms"] for name, one in outcomes.items() if name not in late]
    told = []
    if rest:
        slowest = milliseconds(max(rest))
        told.append(f"{plural(len(rest), 'source')} answered slowly, in up to {slowest}.")
    if late:
        names = listed([_named(one) for one in late])
        told.append(f"Without an answer in time, and so left out: {names}.")
    return told


def _named(source: str) -> str:
    """`books by meaning`."""
    collection, _, last = source.partition("/")
    return f"{collection} by {way(source)}" if last else collection
