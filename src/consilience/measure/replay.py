"""What would other settings have returned? Sources are asked once, fusing is repeated.

All that the sources said to a question, at the largest depth, is kept in memory. Settings that act
after that (fuser, weights, depth, reranker, diversity, a learned order) are then tried on it by the
same code that answers a search, without asking any engine again. The reranker reads a passage once
a question. Orders are scored as an evaluation scores them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from consilience.engine import Engine, Gathered, fuse_and_refine, gather
from consilience.engine.plan import plan
from consilience.engine.retrieve import Retrieved
from consilience.errors import UsageError
from consilience.evidence.ingest_progress import Progress, Silent
from consilience.measure.conditions import DEADLINES, LIMIT, setting_value
from consilience.measure.data_model import (
    DEPTH,
    Answer,
    Question,
    ResolvedLabels,
    Run,
    Way,
    judged_questions,
)
from consilience.measure.derived_passages import (
    answer_of,
    derived_in,
    full_order,
    replace_paths,
    resolve_derived,
)
from consilience.measure.metrics import score_primary
from consilience.measure.seen_questions import SeenQuestions
from consilience.protocols import Reranker, Scorer
from consilience.settings import TABLE, Settings
from consilience.types import AGAIN, Found, Passage, Plan, Query, Ranking, Result
from consilience.understand.names import Mention
from consilience.worker_pool import run_sync
from consilience.workspace.settings_variant import vary_settings

Changes = Mapping[str, Any]
"""Settings by dotted name that differ from the current ones; `fusion.weights.bm25` is a weight."""
Values = NDArray[np.float64]

DEEPEST = 100
WEIGHTS = "fusion.weights."
_NOTHING_SEEN = SeenQuestions()


def flatten_settings(settings: Settings) -> dict[str, Any]:
    """The settings by dotted name."""
    return {row.name: setting_value(settings, row.name) for row in TABLE}


def change_settings(settings: Settings, changes: Changes) -> Settings:
    """The settings with changes applied."""
    values = {name: value for name, value in changes.items() if not name.startswith(WEIGHTS)}
    weights = {
        name.removeprefix(WEIGHTS): value
        for name, value in changes.items()
        if name.startswith(WEIGHTS)
    }
    if weights:
        current = values.get("fusion.weights", settings.fusion.weights)
        values["fusion.weights"] = {**current, **weights}
    return vary_settings(settings, values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A judged question with what every source said to it; None if it cannot be asked."""

    question: Question
    query: Query
    gathered: Gathered | None


class _Outcome(NamedTuple):
    """What a question gets under some settings; orders as hashes, to be compared."""

    score: float
    ranking: int
    fused: int


class Replay:
    """Judged questions that can be answered again under other settings.

    `seen` says which of them were chosen on or kept out earlier; `trouble` what went wrong.
    `confirm`, where given, evaluates a choice that was made on questions of these digests: whether
    to recommend it, and why.
    """

    def __init__(
        self,
        engine: Engine,
        resolved: ResolvedLabels,
        cases: Sequence[Case],
        seen: SeenQuestions = _NOTHING_SEEN,
    ) -> None:
        self.engine = engine
        self.seen = seen
        self.cases = tuple(cases)
        self.trouble: dict[str, None] = {}
        self.confirm: Callable[[Changes, Sequence[str]], tuple[bool, str]] | None = None
        self.resolved = resolved
        self._derived = {
            key: passage
            for case in cases
            if case.gathered
            for key, passage in derived_in(case.gathered.found.rankings).items()
        }
        self._singles = {name: self._run_alone(name) for name in engine.sources}
        # As in an evaluation: what a source alone has in its first places is known to all.
        self.labels = resolve_derived(resolved, self._singles.values(), self.lookup_derived)
        self._scorers = {name for name, one in engine.sources.items() if isinstance(one, Scorer)}
        self._outcomes: dict[str, dict[int, _Outcome]] = {}
        self._plans: dict[tuple[str, int], Plan] = {}

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def intents(self) -> list[str]:
        """The intent of each question, by rule."""
        return [case.gathered.plan.intent if case.gathered else "" for case in self.cases]

    def scores(self, changes: Changes, which: Sequence[int] | None = None) -> Values:
        """The nDCG@10 of each question under changed settings."""
        return np.array([outcome.score for outcome in self._outcomes_of(changes, which)])

    def rankings(self, changes: Changes, which: Sequence[int] | None = None) -> list[int]:
        """The ranking of each question as a number: the same order gives the same number."""
        return [outcome.ranking for outcome in self._outcomes_of(changes, which)]

    def fused(self, changes: Changes, which: Sequence[int] | None = None) -> list[int]:
        """The same of the fused order, before anything is refined."""
        return [outcome.fused for outcome in self._outcomes_of(changes, which)]

    def single(self, source: str, which: Sequence[int] | None = None) -> Values:
        """The nDCG@10 of each question by one source alone, as it ranked them."""
        run = self._singles[source]
        return np.array(self._score([run.answers[key] for key in self._ids(which)]))

    def settle(self, engine: Engine, which: Sequence[int] | None = None) -> list[Result | None]:
        """What each question gets from this engine, by what the sources said; None for nothing."""
        return run_sync(self._settle(engine, self._indices(which)))

    def score_results(
        self, results: Sequence[Result | None], which: Sequence[int] | None = None
    ) -> list[float]:
        """The nDCG@10 of each result, by the question at its index."""
        return self._score(self._answers(results, which))

    def engine_with(self, changes: Changes) -> Engine:
        """The engine under changed settings, with the deadlines of a measurement."""
        settings = change_settings(self.engine.settings, {**changes, **DEADLINES})
        without_reranker = changes.get("models.rerank", "") == "none"
        return replace(
            self.engine,
            settings=settings,
            knowledge=replace(self.engine.knowledge, settings=settings),
            reranker=None if without_reranker else self.engine.reranker,
        )

    def lookup_derived(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages among these that sources created for a question."""
        return {key: self._derived[key] for key in ids if key in self._derived}

    def _indices(self, which: Sequence[int] | None) -> Sequence[int]:
        return range(len(self)) if which is None else which

    def _ids(self, which: Sequence[int] | None) -> list[str]:
        return [self.cases[index].question.id for index in self._indices(which)]

    def _run_alone(self, source: str) -> Run:
        """What one source ranked; edges replace paths: no label points at a path."""
        answers = {}
        for case in self.cases:
            rankings = case.gathered.found.rankings if case.gathered else ()
            own = [ranking for ranking in rankings if ranking.source == source]
            hits = [(hit.id, hit.score) for ranking in own for hit in ranking.found]
            order = replace_paths(hits, derived_in(own), self.resolved.edges)[:DEPTH]
            answers[case.question.id] = answer_of(case.question.id, order)
        return Run(way=Way(name=source, kind="source"), answers=answers)

    def _outcomes_of(self, changes: Changes, which: Sequence[int] | None) -> list[_Outcome]:
        wanted = self._indices(which)
        known = self._outcomes.setdefault(self._key(changes), {})
        new = [index for index in wanted if index not in known]
        if new:
            results = self.settle(self.engine_with(changes), new)
            answers = self._answers(results, new)
            scores = self._score(answers)
            for index, result, answer, value in zip(new, results, answers, scores, strict=True):
                fused = tuple(key for key, _ in result.trace.fused) if result else ()
                known[index] = _Outcome(value, hash(answer.passages), hash(fused))
        return [known[index] for index in wanted]

    def _key(self, changes: Changes) -> str:
        """Changes as one word, whatever their order; a current value is no change."""
        settings = self.engine.settings
        now, then = flatten_settings(settings), flatten_settings(change_settings(settings, changes))
        return repr(
            sorted(
                (name, sorted(value.items()) if isinstance(value, Mapping) else value)
                for name, value in then.items()
                if value != now[name]
            )
        )

    async def _settle(self, engine: Engine, which: Sequence[int]) -> list[Result | None]:
        reranker = engine.reranker.name if engine.reranker else ""
        results: list[Result | None] = []
        for index in which:
            gathered = self.cases[index].gathered
            if gathered is None:
                results.append(None)
                continue
            new_plan = self._plan(index, engine)
            found = cut_depth(gathered.found, new_plan, self._scorers)
            result = await fuse_and_refine(replace(gathered, plan=new_plan, found=found), engine)
            notes = [str(note) for note in result.notes if note.origin == reranker]
            self.trouble.update(dict.fromkeys(notes))
            results.append(result)
        return results

    def _plan(self, index: int, engine: Engine) -> Plan:
        """The plan of a question; most settings leave it as it is."""
        fusion = engine.settings.fusion
        key = repr((engine.settings.retrieve, dict(fusion.weights), fusion.expansion))
        if (key, index) not in self._plans:
            self._plans[key, index] = plan(self.cases[index].query, engine.knowledge)
        return self._plans[key, index]

    def _answers(
        self, results: Sequence[Result | None], which: Sequence[int] | None
    ) -> list[Answer]:
        return [
            answer_of(key, full_order(result, self.resolved.edges) if result else ())
            for key, result in zip(self._ids(which), results, strict=True)
        ]

    def _score(self, answers: Sequence[Answer]) -> list[float]:
        named = {answer.question: answer for answer in answers}
        values = score_primary(named, self.labels, self.lookup_derived)
        return [values[answer.question] for answer in answers]


def record_replay(
    engine: Engine, resolved: ResolvedLabels, *, progress: Progress | None = None
) -> Replay:
    """Ask every source every judged question once, as deep as will be wanted."""
    progress = progress or Silent()
    questions = judged_questions(resolved.golden.questions)
    if not questions:
        raise UsageError(
            f"the golden set {resolved.golden.name!r} has no question with a judgement above 0; "
            "settings cannot be compared on it"
        )
    memoized = memoize_engine(engine)
    progress.stage("asking", total=len(questions), unit="questions")
    replay = Replay(memoized, resolved, run_sync(_gather_all(memoized, questions, progress)))
    for case in replay.cases:
        outcomes = case.gathered.found.outcomes if case.gathered else ()
        missed = [f"{one.source}: {one.reason}" for one in outcomes if one.left_out]
        replay.trouble.update(dict.fromkeys(missed))
    return replay


async def _gather_all(
    engine: Engine, questions: Sequence[Question], progress: Progress
) -> list[Case]:
    """What every source says, whatever its weight, at the largest depth.

    A question that a source is asked twice stays at the depth of now: its two rankings are joined,
    and cannot be cut apart.
    """
    now = engine.settings.retrieve.depth
    engines = []
    for depth in (max(DEEPEST, now), now):
        changes = {"fusion.weights": {}, "retrieve.depth": depth, **DEADLINES}
        settings = change_settings(engine.settings, changes)
        knowledge = replace(engine.knowledge, settings=settings)
        engines.append(replace(engine, settings=settings, knowledge=knowledge))
    cases = []
    for question in questions:
        query = Query(text=question.text, limit=LIMIT)
        try:
            is_repeated = any(
                ask.vote.endswith(AGAIN) for ask in plan(query, engines[1].knowledge).asks
            )
            gathered = await gather(query, engines[is_repeated], completing=True)
        except UsageError:  # a question that cannot be asked finds nothing
            gathered = None
        cases.append(Case(question=question, query=query, gathered=gathered))
        progress.advance()
    return cases


def cut_depth(found: Retrieved, new_plan: Plan, scorers: set[str]) -> Retrieved:
    """What the sources would have returned at the depths of this plan, from deeper results.

    A source that a plan skips is silent. Scores of what others found are completed anew: those
    that a source found too deep are scores it would have been asked for.
    """
    asks = {ask.vote: ask for ask in new_plan.asks if not ask.skip}
    used = [ranking for ranking in found.rankings if ranking.source in asks]
    depths = {vote: ask.depth * (2 if vote + AGAIN in asks else 1) for vote, ask in asks.items()}
    if len(used) == len(found.rankings) and not any(
        len(ranking.found) > depths[ranking.source] for ranking in used
    ):
        return found
    heads = {ranking.source: ranking.found[: depths[ranking.source]] for ranking in used}
    union: dict[str, set[str]] = {}
    for ranking in used:
        union.setdefault(ranking.collection, set()).update(hit.id for hit in heads[ranking.source])
    rankings: list[Ranking] = []
    for ranking in used:
        head = heads[ranking.source]
        rest: list[Found] = []
        if asks[ranking.source].source in scorers:
            beyond = (*ranking.found[len(head) :], *ranking.completed)
            wanted = union[ranking.collection] - {hit.id for hit in head}
            rest = [Found(hit.id, hit.score) for hit in beyond if hit.id in wanted]
            rest.sort(key=lambda hit: (-hit.score, hit.id))
        rankings.append(replace(ranking, found=head, completed=tuple(rest)))
    return replace(found, rankings=tuple(rankings))


# --- an engine that asks nothing twice --------------------------------------------------


def memoize_engine(engine: Engine) -> Engine:
    """The engine with lookups and the reranker's scores kept in memory."""
    known: dict[str, Passage] = {}
    knowledge = engine.knowledge

    def lookup(ids: Sequence[str]) -> Mapping[str, Passage]:
        new = [key for key in ids if key not in known]
        if new:
            known.update(engine.lookup(new))
        return {key: known[key] for key in ids if key in known}

    @cache
    def mentions(surfaces: tuple[str, ...]) -> Sequence[Mention]:
        return knowledge.mentions(surfaces)

    return replace(
        engine,
        lookup=lookup,
        phrases=cache(engine.phrases),
        reranker=MemoizedReranker(engine.reranker) if engine.reranker else None,
        knowledge=replace(
            knowledge,
            mentions=lambda surfaces: mentions(tuple(surfaces)),
            aliases=cache(knowledge.aliases),
        ),
    )


class MemoizedReranker:
    """A reranker that reads a passage once a question, whatever the settings.

    It assumes that the score of a passage does not depend on the others read beside it.
    """

    def __init__(self, inner: Reranker) -> None:
        self._inner = inner
        self.name = inner.name
        self._scores: dict[tuple[str, str], float | None] = {}

    async def rerank(self, text: str, passages: Sequence[Passage]) -> Sequence[float | None]:
        """The scores, new or known."""
        new = [passage for passage in passages if (text, passage.id) not in self._scores]
        if new:
            scores = await self._inner.rerank(text, new)
            for passage, value in zip(new, scores, strict=True):
                self._scores[text, passage.id] = value
        return [self._scores[text, passage.id] for passage in passages]
