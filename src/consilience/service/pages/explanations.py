"""Why is a result where it is? Its votes and later changes as bars that add up, and what to know.

The numbers are rounded so that the rounded numbers add up as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

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
    "diversity": "moved so that not all say the same",
    "share cap": "moved so that one source does not fill the list",
    "coverage": "moved so that what the question needs is there",
    "exact identifier": "moved up for an exact match",
    "dedupe": "copies of it were left out",
}
_STATUS_WORDS = {
    "ok": "found something",
    "empty": "nothing",
    "slow": "too slow",
    "failed": "failed",
}


class Bar(NamedTuple):
    """A number with its bar: what added it, in words, and how wide it is drawn."""

    label: str
    detail: str
    value: str
    width: float
    lowers: bool


class Chart(NamedTuple):
    """Numbers that add up to `total`, under a heading."""

    title: str
    bars: list[Bar]
    total: str


class Reasons(NamedTuple):
    """Why a hit has its rank: in a sentence, in charts, and how it was moved.

    `because` is what sources themselves say about why they found it.
    """

    short: str
    charts: list[Chart]
    moves: tuple[str, ...]
    because: tuple[str, ...]


def reasons(hit: Json) -> Reasons:
    """The arithmetic of a hit: inside each collection, then across them with what was done."""
    votes = [part for vote in hit["votes"] for part in vote["parts"] or (vote,)]
    ranked = sorted((vote for vote in votes if vote["rank"]), key=lambda vote: vote["rank"])
    inside = [
        _chart(
            f"Within {vote['source']}",
            [
                (way(part["source"]).capitalize(), _describe_vote(part), part["contribution"])
                for part in vote["parts"]
            ],
            DIGITS,
        )
        for vote in hit["votes"]
        if vote["parts"]
    ]
    across = [
        (vote["source"].partition("/")[0].capitalize(), _describe_vote(vote), vote["contribution"])
        for vote in hit["votes"]
    ]
    across += [
        (
            _STEPS.get(change["step"], change["step"]).capitalize(),
            _describe(change),
            change["delta"],
        )
        for change in hit["changes"]
        if change["before"] is None
    ]
    return Reasons(
        short=describe_ranks(ranked),
        charts=[*inside, _chart("Across collections", across, DIGITS + 2)],
        moves=tuple(_describe_move(one) for one in hit["changes"] if one["before"] is not None),
        because=tuple(vote["because"] for vote in votes if vote.get("because")),
    )


def describe_ranks(votes: Sequence[Json]) -> str:
    """`Found by meaning at 2 and by words at 1`, the best rank of each way."""
    best: dict[str, int] = {}
    for vote in votes:
        best.setdefault(way(vote["source"]), vote["rank"])
    ranks = listed([f"by {name} at {rank}" for name, rank in best.items()])
    return f"Found {ranks}" if ranks else ""


def mixture(counts: Mapping[str, int], kinds: KindViews) -> list[dict[str, Any]]:
    """How many results are of each kind, as parts of one bar."""
    whole = sum(counts.values()) or 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    starts = accumulate((count for _, count in ordered), initial=0)
    return [
        {
            "name": kinds.label(kind),
            "colour": kinds.css(kind),
            "count": count,
            "start": start / whole * WIDTH,
            "width": count / whole * WIDTH,
        }
        for (kind, count), start in zip(ordered, starts, strict=False)
    ]


def sources(outcomes: Mapping[str, Json]) -> list[dict[str, str]]:
    """What each source did, as rows of a table."""
    return [
        {
            "collection": name.partition("/")[0],
            "way": way(name),
            "status": outcome["status"],
            "detail": _describe_outcome(outcome),
            "query": outcome.get("query", ""),
            "ms": milliseconds(outcome["ms"]) if outcome["status"] != "skipped" else "",
        }
        for name, outcome in outcomes.items()
    ]


def sources_short(outcomes: Mapping[str, Json]) -> str:
    """`6 sources asked: 4 found something and 2 nothing; 3 others were not needed`."""
    count = Counter(outcome["status"] for outcome in outcomes.values())
    skipped = count["skipped"]
    parts = [f"{count[status]} {words}" for status, words in _STATUS_WORDS.items() if count[status]]
    short = f"{plural(count.total() - skipped, 'source')} asked: {listed(parts)}"
    rest = f"{plural(skipped, 'other')} {'was' if skipped == 1 else 'were'} not needed"
    return f"{short}; {rest}" if skipped else short


def round_values(values: Sequence[float], digits: int) -> list[str]:
    """Numbers rounded so that they add up to the rounded sum."""
    sums = [round(total, digits) for total in accumulate(values, initial=0.0)]
    return [f"{after - before:.{digits}f}" for before, after in pairwise(sums)]


def _chart(title: str, rows: Sequence[tuple[str, str, float]], digits: int) -> Chart:
    values = [float(value) for _, _, value in rows]
    widest = max(map(abs, values), default=0.0) or 1.0
    bars = [
        Bar(label, detail, shown, round(abs(value) / widest * WIDTH, 2), value < 0)
        for (label, detail, value), shown in zip(rows, round_values(values, digits), strict=True)
    ]
    return Chart(title, bars, f"{sum(values):.{digits}f}")


def _similarity(vote: Json) -> str:
    """A similarity of meaning says something by itself; a score of words does not."""
    return f" ({vote['score']:.2f})" if way(vote["source"]).startswith("meaning") else ""


def _describe_vote(vote: Json) -> str:
    """How a source came to its vote."""
    weight = f", counted {vote['weight']:.2g} times" if vote["weight"] != 1 else ""
    if vote["source"].endswith("/neighbours"):
        return f"the mean of the results most like it{weight}"
    rank = f"{ordinal(vote['rank'])} there" if vote["rank"] else "not among its first"
    return f"{rank}{_similarity(vote)}{weight}"


def _describe(change: Json) -> str:
    if change["score"] is not None:
        return f"a closer look gave it {change['score']:.2f}"
    return str(change["reason"])


def _describe_move(change: Json) -> str:
    """`Moved from place 6 to 1: joins what the question names`."""
    if change["before"] == change["after"]:
        return f"Kept at place {change['after']}: {change['reason']}"
    return f"Moved from place {change['before']} to {change['after']}: {change['reason']}"


def _describe_outcome(outcome: Json) -> str:
    if outcome["reason"]:
        return str(outcome["reason"])
    return f"{outcome['count']} found" if outcome["status"] == "ok" else "nothing found"


# --- notes ------------------------------------------------------------------------------


_OF_ANSWERS = ("answer", "workspace")


def answer_notes(found: Json) -> list[str]:
    """Notes about the writing and the workspace, each once; others are with the results."""
    notes = sorted(found["notes"], key=lambda note: note["origin"] != "workspace")
    shown = (sentence(note["message"]) for note in notes if note["origin"] in _OF_ANSWERS)
    return list(dict.fromkeys(shown))


def search_notes(found: Json) -> list[str]:
    """Notes about the search: first what was left out, then a line for each source, then the rest.

    What notes about relevance say is shown by the page itself.
    """
    outcomes = found["outcomes"]
    late = [
        name
        for name, outcome in outcomes.items()
        if outcome["status"] == "slow" and not outcome["count"]
    ]
    names = listed(list(map(_name_source, late)))
    notes = [f"Incomplete: {names} did not answer in time."] if late else []
    elsewhere = _OF_ANSWERS if "text" in found else ("answer",)
    by_source: dict[str, list[str]] = {}
    rest: list[str] = []
    for note in found["notes"]:
        if (origin := note["origin"]) in outcomes:
            by_source.setdefault(origin, []).append(note["message"])
        elif origin not in (*elsewhere, "relevance"):
            rest.append(sentence(note["message"]))
    for origin, messages in by_source.items():
        if origin not in late:
            text = "; ".join(dict.fromkeys(messages))
            notes.append(sentence(f"{_name_source(origin)}: {text}"))
    return list(dict.fromkeys([*notes, *rest]))


def _name_source(source: str) -> str:
    """`books by meaning`."""
    collection, _, last = source.partition("/")
    return f"{collection} by {way(source)}" if last else collection
