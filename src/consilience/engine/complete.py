"""How does each source score what the others found? Scores are completed before they are added.

A source that was asked for its first 50 says nothing about the 51st. A method that adds scores
would count that as the lowest score, although the true one may be just below the last. So every
source that can (a `Scorer`) scores each passage of the union that it did not find.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from consilience.errors import SourceError
from consilience.protocols import Comparer, Likeness, Retriever, Scorer
from consilience.timeouts import within
from consilience.types import Ask, Found, Note, Plan, Ranking
from consilience.worker_pool import run_apart


async def complete(
    plan: Plan,
    rankings: Sequence[Ranking],
    sources: Mapping[str, Retriever],
    *,
    deadline_ms: float,
) -> tuple[tuple[Ranking, ...], tuple[Note, ...]]:
    """Add to each ranking its scores of what other sources of the collection found.

    If a source fails, or is not done within `deadline_ms`, its ranking stays as it is, with a note.
    """
    asks = {ask.vote: ask for ask in plan.asks}
    union = _union(rankings)
    done = await asyncio.gather(
        *(
            _complete(
                ranking,
                asks[ranking.source],
                sources[asks[ranking.source].source],
                union[ranking.collection],
                deadline_ms,
            )
            for ranking in rankings
        )
    )
    return tuple(ranking for ranking, _ in done), tuple(note for _, note in done if note)


async def compare(
    rankings: Sequence[Ranking], sources: Mapping[str, Retriever], *, deadline_ms: float
) -> tuple[dict[str, Likeness], tuple[Note, ...]]:
    """How similar the passages found in a collection are, where a source can compare them.

    If it fails, or is not done within `deadline_ms`, neighbours do not count there.
    """
    comparing = {
        source.collection: source for source in sources.values() if isinstance(source, Comparer)
    }
    union = _union(rankings)
    asked = [name for name in union if name in comparing]

    async def compare_found(name: str) -> tuple[Likeness | None, str]:
        source = comparing[name]
        work = run_apart(source, lambda: source.compare(list(union[name])))
        return await within(deadline_ms, work)

    done = await asyncio.gather(*map(compare_found, asked))
    message = "could not compare passages ({}); the scores of neighbours do not count"
    answers = list(zip(asked, done, strict=True))
    return (
        {name: likeness for name, (likeness, _) in answers if likeness is not None},
        tuple(
            Note(comparing[name].name, message.format(reason))
            for name, (likeness, reason) in answers
            if likeness is None
        ),
    )


def _union(rankings: Sequence[Ranking]) -> dict[str, dict[str, None]]:
    """By collection, the ids that any source found."""
    union: dict[str, dict[str, None]] = {}
    for ranking in rankings:
        ids = dict.fromkeys(entry.id for entry in ranking.found)
        union.setdefault(ranking.collection, {}).update(ids)
    return union


async def _complete(
    ranking: Ranking, ask: Ask, source: Retriever, union: Iterable[str], deadline_ms: float
) -> tuple[Ranking, Note | None]:
    own = {entry.id for entry in ranking.found}
    missing = [key for key in union if key not in own]
    if not missing or not isinstance(source, Scorer):
        return ranking, None
    scores, reason = await within(
        deadline_ms, run_apart(source, lambda: _score(source, ask, missing))
    )
    if scores is not None:
        return replace(ranking, completed=scores), None
    message = f"could not score what other sources found ({reason}); it counts as not found there"
    return ranking, Note(ranking.source, message)


async def _score(source: Scorer, ask: Ask, missing: Sequence[str]) -> tuple[Found, ...]:
    scores, asked = await source.score(ask.request, missing), set(missing)
    for key, score in scores.items():
        if key not in asked or not math.isfinite(score):
            raise SourceError(f"it gave {key!r} the score {score!r}")
    best = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(Found(key, score) for key, score in best)
