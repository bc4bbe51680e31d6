"""What does each source say of what the others found? Scores are completed before they are added.

A source that was asked for its first 50 says nothing of the 51st. To a fuser that adds scores,
silence would count as the worst there is, although the true score may be a hair below the last.
So every source that can (a `Scorer`) scores each passage of the union that it did not bring.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from consilience.errors import SourceError
from consilience.patience import within
from consilience.protocols import Comparer, Likeness, Retriever, Scorer
from consilience.types import Ask, Found, Note, Plan, Ranking


async def complete(
    plan: Plan,
    rankings: Sequence[Ranking],
    sources: Mapping[str, Retriever],
    *,
    deadline_ms: float,
) -> tuple[tuple[Ranking, ...], tuple[Note, ...]]:
    """The rankings with the scores of what other sources of their collection found.

    A source that fails, or is not done within `deadline_ms`, stays as it is, with a note.
    """
    asks = {ask.vote: ask for ask in plan.asks}
    union = _union(rankings)
    done = await asyncio.gather(
        *(
            _completed(one, asks[one.source], sources[asks[one.source].source], union, deadline_ms)
            for one in rankings
        )
    )
    return tuple(ranking for ranking, _ in done), tuple(note for _, note in done if note)


async def compare(
    rankings: Sequence[Ranking], sources: Mapping[str, Retriever], *, deadline_ms: float
) -> tuple[dict[str, Likeness], tuple[Note, ...]]:
    """How alike the passages are that were found in a collection, where a source can tell.

    Where it fails, or is not done within `deadline_ms`, nobody's neighbours are heard there.
    """
    comparing = {
        source.collection: source for source in sources.values() if isinstance(source, Comparer)
    }
    union = _union(rankings)
    asked = [name for name in union if name in comparing]
    done = await asyncio.gather(
        *(within(deadline_ms, comparing[name].compare(list(union[name]))) for name in asked)
    )
    told = "could not compare passages ({}); what their neighbours score is not heard"
    answers = list(zip(asked, done, strict=True))
    return (
        {name: likeness for name, (likeness, _) in answers if likeness is not None},
        tuple(
            Note(comparing[name].name, told.format(reason))
            for name, (likeness, reason) in answers
            if likeness is None
        ),
    )


def _union(rankings: Sequence[Ranking]) -> dict[str, dict[str, None]]:
    """By collection, the ids that any source found."""
    union: dict[str, dict[str, None]] = {}
    for ranking in rankings:
        union.setdefault(ranking.collection, {}).update(dict.fromkeys(_ids(ranking)))
    return union


async def _completed(
    ranking: Ranking,
    ask: Ask,
    source: Retriever,
    union: Mapping[str, Mapping[str, None]],
    deadline_ms: float,
) -> tuple[Ranking, Note | None]:
    own = set(_ids(ranking))
    missing = [key for key in union[ranking.collection] if key not in own]
    if not missing or not isinstance(source, Scorer):
        return ranking, None
    scores, reason = await within(deadline_ms, _scores(source, ask, missing))
    if scores is not None:
        return replace(ranking, completed=scores), None
    told = f"could not score what other sources found ({reason}); it counts as not found there"
    return ranking, Note(ranking.source, told)


async def _scores(source: Scorer, ask: Ask, missing: Sequence[str]) -> tuple[Found, ...]:
    return _best(await source.score(ask.request, missing), set(missing))


def _best(scores: Mapping[str, float], asked: set[str]) -> tuple[Found, ...]:
    for key, score in scores.items():
        if key not in asked or not math.isfinite(score):
            raise SourceError(f"it gave {key!r} the score {score!r}")
    best = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Found(key, score) for key, score in best)


def _ids(ranking: Ranking) -> list[str]:
    return [one.id for one in ranking.found]
