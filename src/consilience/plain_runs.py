"""How are rankings fused, and runs scored, without a workspace? As plain dicts, lists and files.

A ranking is a dict from id to score, a list of ids, or a list of (id, score) pairs, best first. A
run has a ranking for each question, as a dict or as a file in the format of TREC. No engine, store
or model is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from consilience.engine.fusion import FUSERS, Fused, find_fuser
from consilience.engine.fusion import fuse as fuse_rankings
from consilience.engine.fusion_methods import Fuser, Options
from consilience.errors import UsageError
from consilience.types import Found, Ranking, Signal, Vote

if TYPE_CHECKING:
    from consilience.measure.data_model import Run

PlainRanking: TypeAlias = "Mapping[str, float] | Sequence[str] | Sequence[tuple[str, float]]"
PlainRun: TypeAlias = "Mapping[str, PlainRanking] | str | Path"
Qrels: TypeAlias = "Mapping[str, Mapping[str, int]] | str | Path"
MEASURES = ("nDCG@10", "Recall@100", "MRR@10")


class FusedRanking(dict[str, float]):
    """Fused scores by id, best first. `votes` says what each ranking added to one."""

    def __init__(self, fused: Fused) -> None:
        super().__init__(fused.order)
        self._fused = fused

    def votes(self, key: str) -> tuple[Vote, ...]:
        """The votes for an id: their contributions add up to its score."""
        return self._fused.votes(key)


class RunScores(dict[str, float]):
    """The mean of each measure over all judged questions; `by_question` has each of them."""

    def __init__(self, by_question: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__(
            {name: math.fsum(values.values()) / len(values) for name, values in by_question.items()}
        )
        self.by_question = by_question


def fuse(
    rankings: Mapping[str, PlainRanking],
    *,
    method: str = "rrf",
    k: float | None = None,
    alpha: float | None = None,
    weights: Mapping[str, float] | None = None,
) -> FusedRanking:
    """Fuse rankings of the same things, by the names of their sources.

    `method` is one of `consilience.fusion_methods()`; `k` and `alpha` are refused where it does not
    use them. Ties: best single rank, then the highest raw score, then id.
    """
    fuser = find_fuser(method)
    options = _options(fuser, rankings, k, alpha, weights)
    read = [_read_ranking(name, ranking, fuser) for name, ranking in rankings.items()]
    return FusedRanking(fuse_rankings(read, method=method, options=options))


def fuse_runs(
    runs: Mapping[str, PlainRun],
    *,
    method: str = "rrf",
    k: float | None = None,
    alpha: float | None = None,
    weights: Mapping[str, float] | None = None,
) -> dict[str, FusedRanking]:
    """Fuse runs question by question; a run may lack a question."""
    fuser = find_fuser(method)
    options = _options(fuser, runs, k, alpha, weights)
    read = {name: _read_run(run) for name, run in runs.items()}
    fused = {}
    for question in dict.fromkeys(key for run in read.values() for key in run):
        there = [
            _read_ranking(name, run[question], fuser)
            for name, run in read.items()
            if question in run
        ]
        fused[question] = FusedRanking(fuse_rankings(there, method=method, options=options))
    return fused


def score_run(run: PlainRun, qrels: Qrels, *measures: str) -> RunScores:
    """The measures of a run (by default nDCG@10, Recall@100, MRR@10), by `ir-measures`.

    Every judged question counts; one without results scores 0. Equal scores are ordered as
    `trec_eval` does: by id, the last first.
    """
    from consilience.measure.metrics import (  # noqa: PLC0415 - fusing needs none of it
        evaluate_rankings,
        parse_measure,
    )

    parsed = {name: parse_measure(name) for name in measures or MEASURES}
    grades = _read_qrels(qrels)
    ranked = {
        question: _order(question, ranking)
        for question, ranking in _read_run(run).items()
        if question in grades
    }
    by_question = {name: dict.fromkeys(grades, 0.0) for name in parsed}
    names = {measure: name for name, measure in parsed.items()}
    for metric in evaluate_rankings(list(names), grades, ranked) if any(ranked.values()) else ():
        by_question[names[metric.measure]][metric.query_id] = float(metric.value)
    return RunScores(by_question)


def fusion_methods() -> dict[str, str]:
    """The formula of each method that fuses plain rankings, by its name."""
    return {name: fuser.formula for name, fuser in FUSERS.items() if not fuser.adapts}


# --- what is given ------------------------------------------------------------------------


def _options(
    fuser: Fuser,
    named: object,
    k: float | None,
    alpha: float | None,
    weights: Mapping[str, float] | None,
) -> Options:
    """The options for rankings or runs by name; one that changes nothing is refused."""
    if not isinstance(named, Mapping) or not named:
        raise UsageError(f"give rankings by name, such as {{'bm25': …}}, not {str(named)[:40]!r}")
    names = [str(name) for name in named]
    if fuser.adapts:
        raise UsageError(f"{fuser.name!r} needs the vectors of a workspace; use 'convex' or 'rrf'")
    for name, value, is_used in (("k", k, fuser.uses_k), ("alpha", alpha, fuser.uses_alpha)):
        if value is not None and not is_used:
            raise UsageError(f"{name} changes nothing under {fuser.name!r}: {fuser.formula}")
    if fuser.uses_alpha and not any(Signal.of_name(name) is Signal.MEANING for name in names):
        raise UsageError(
            f"{fuser.name!r} weighs the ranking called 'dense' against the others, and none of "
            f"{', '.join(map(repr, names))} is; name it so, or use 'relative' with weights"
        )
    if unknown := sorted({*(weights or {})} - {*names}):
        raise UsageError(
            f"`weights` names {unknown[0]!r}, which is no ranking; known: {', '.join(names)}"
        )
    default = Options()
    return Options(
        k=default.k if k is None else k,
        alpha=default.alpha if alpha is None else alpha,
        weights=weights or {},
    )


def _read_ranking(name: str, ranking: PlainRanking, fuser: Fuser) -> Ranking:
    """A ranking with its ids in order; one that is none is refused with its fault."""
    if isinstance(ranking, str | bytes) or not isinstance(ranking, Mapping | Iterable):
        raise UsageError(
            f"{name!r} is {str(ranking)[:40]!r}; give a dict of scores, or a list of ids"
        )
    if isinstance(ranking, Mapping):
        pairs = [(key, _score(name, key, score)) for key, score in ranking.items()]
        pairs.sort(key=lambda pair: (-pair[1], str(pair[0])))
    else:
        entries = list(ranking)
        plain = [entry for entry in entries if isinstance(entry, str)]
        if plain and len(plain) < len(entries):
            raise UsageError(f"{name!r} has ids with scores and ids without; give one or the other")
        if plain and fuser.uses_scores:
            raise UsageError(
                f"{fuser.name!r} adds scores, and {name!r} is a list of ids; give a dict of "
                "scores, or fuse by 'rrf'"
            )
        pairs = [(key, -float(at)) for at, key in enumerate(plain)] or _falling(name, entries)
    seen: set[object] = set()
    for key, _ in pairs:
        if not isinstance(key, str):
            raise UsageError(f"{name!r} has the id {key!r}; ids are texts")
        if key in seen:
            raise UsageError(f"{name!r} has {key!r} twice; give it once")
        seen.add(key)
    found = tuple(Found(key, score) for key, score in pairs)
    return Ranking(source=name, collection="", found=found)


def _falling(name: str, entries: Sequence[Any]) -> list[tuple[str, float]]:
    """Pairs of id and score whose scores never rise."""
    pairs: list[tuple[str, float]] = []
    for place, entry in enumerate(entries, start=1):
        if not isinstance(entry, Sequence) or len(entry) != 2:
            raise UsageError(f"{name!r} has {entry!r} at place {place}; give ids, or (id, score)")
        score = _score(name, entry[0], entry[1])
        if pairs and score > pairs[-1][1]:
            raise UsageError(
                f"the scores of {name!r} rise at place {place} ({pairs[-1][1]!r}, then {score!r}); "
                "sort it best first, or give a dict"
            )
        pairs.append((entry[0], score))
    return pairs


def _score(name: str, key: object, score: object) -> float:
    number = getattr(score, "item", lambda: score)()  # of numpy
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise UsageError(f"{name!r} gives {key!r} the score {score!r}; scores are finite numbers")
    return float(number)


def _order(question: str, ranking: PlainRanking) -> list[str]:
    """The ids of a ranking, best first; equal scores as `trec_eval` orders them."""
    read = _read_ranking(question, ranking, find_fuser("rrf"))
    if isinstance(ranking, Mapping):
        entries = sorted(read.found, key=lambda entry: entry.id, reverse=True)
        return [entry.id for entry in sorted(entries, key=lambda entry: -entry.score)]
    return [entry.id for entry in read.found]


def _read_run(run: PlainRun) -> Mapping[str, PlainRanking]:
    if isinstance(run, Mapping):
        return run
    from consilience.measure.trec import read_run  # noqa: PLC0415 - only for files

    found: Run = read_run(Path(run))
    return {
        question: dict(zip(answer.passages, answer.scores, strict=True))
        for question, answer in found.answers.items()
    }


def _read_qrels(qrels: Qrels) -> Mapping[str, Mapping[str, int]]:
    """The grades of the questions that have any above 0."""
    if not isinstance(qrels, Mapping):
        from consilience.measure.trec import read_qrels  # noqa: PLC0415 - only for files

        qrels = read_qrels(Path(qrels))
    for question, grades in qrels.items():
        graded: object = grades
        if not isinstance(graded, Mapping) or not all(isinstance(g, int) for g in graded.values()):
            raise UsageError(
                f"the qrels of {question!r} are {str(graded)[:60]}; give whole numbers by "
                "document: {'q1': {'d1': 1}}"
            )
    judged = {key: grades for key, grades in qrels.items() if any(g > 0 for g in grades.values())}
    if not judged:
        raise UsageError("the qrels grade nothing above 0; there is nothing to measure by")
    return judged
