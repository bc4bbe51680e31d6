"""What should somebody know of an answer or its results? Each thing once, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.service.pages.words import listed, milliseconds, plural, sentence, way

Found = Mapping[str, Any]
_WRITING, _SAID = "answer", "relevance"  # what is likely to answer is said in other words


def of_answer(found: Found) -> list[str]:
    """What concerns the writing alone; the rest stands above the results."""
    return [sentence(one["message"]) for one in found["notes"] if one["origin"] == _WRITING]


def of_search(found: Found) -> list[str]:
    """What concerns the search: sources that were slow together in one sentence, then the rest."""
    outcomes = found["outcomes"]
    slow = [name for name, one in outcomes.items() if one["status"] == "slow"]
    own = [one for one in found["notes"] if one["origin"] not in (_WRITING, _SAID, *slow)]
    told = [
        sentence(f"{_named(one['origin'])}: {one['message']}")
        if one["origin"] in outcomes
        else sentence(one["message"])
        for one in own
    ]
    return [*_slow({name: outcomes[name] for name in slow}), *dict.fromkeys(told)]


def _slow(outcomes: Mapping[str, Found]) -> list[str]:
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
    """`games by meaning`."""
    collection, _, last = source.partition("/")
    return f"{collection} by {way(source)}" if last else collection
