"""Which settings suit these documents? Chosen on some questions, reported on others.

Half of the questions are kept out until the end. Settings are chosen on the rest, by steps that
each gain something, and the choice is then scored once on what was kept out: only what is shown
there counts as a gain.

All that the sources return for a question, at the largest depth, is kept in memory (`Replay`).
Settings that act after that (fuser, weights, depth, reranker, diversity) are then tried on it by
the same code that answers a search, without asking any engine again, and scored as an evaluation
scores.

A parameter is a row of moves: settings that are changed together. The rank constant is tried under
a fuser that reads it, alpha under those that read alpha: else its range would do nothing.

Before a change is recommended, the real evaluation is run with it and the gate is asked: a choice
that evaluates lower than the current settings, or makes a check of the gate fail, is refused.

The choice is written into `consilience.toml`; comments and order of the file stay. Beside the
catalogue a record is left of the questions that were chosen on, so that an evaluation can leave
them out. It grows with every tuning: a question that was used once is never held out later.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tomlkit
from numpy.typing import NDArray
from tomlkit.exceptions import TOMLKitError

from consilience.engine import Engine, Gathered, fuse_and_refine, gather
from consilience.engine.fusion import FUSERS
from consilience.engine.fusion_methods import Ballot, Options
from consilience.engine.plan import kind_of, plan
from consilience.engine.retrieve import Retrieved
from consilience.errors import UsageError
from consilience.evidence.ingest_progress import Progress, Silent
from consilience.measure.data_model import (
    DEPTH,
    Answer,
    Comparison,
    Golden,
    Interval,
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
from consilience.measure.evaluation import (
    EvaluationOptions,
    comparison_json,
    evaluate,
    resolve_for_measuring,
)
from consilience.measure.gate import Thresholds, WorkspaceState, decide, read_thresholds
from consilience.measure.golden import question_digest, write_atomically
from consilience.measure.metrics import PRIMARY, score_primary
from consilience.measure.runs import DEADLINES, LIMIT, MERGED, setting_value
from consilience.measure.seen_questions import (
    TUNED,
    SeenQuestions,
    forget_records,
    read_record,
    read_seen_questions,
)
from consilience.measure.statistics import (
    compare,
    correct_for_number,
    format_gain,
    interval,
    is_better,
    is_worse,
    stratified_split,
)
from consilience.protocols import Reranker, Scorer
from consilience.settings import FILE, TABLE, Settings, read_settings
from consilience.types import AGAIN, Found, Passage, Plan, Query, Ranking, Result
from consilience.understand.names import Mention
from consilience.worker_pool import run_sync
from consilience.workspace import STORE, Workspace
from consilience.workspace.layout import GATE
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
    """What a question gets under some settings; the order as a hash, to be compared."""

    score: float
    ranking: int


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
        self._scorers = {
            name for name, source in engine.sources.items() if isinstance(source, Scorer)
        }
        self._outcomes: dict[str, dict[int, _Outcome]] = {}
        self._plans: dict[tuple[str, int], Plan] = {}

    def __len__(self) -> int:
        return len(self.cases)

    def scores(self, changes: Changes, which: Sequence[int] | None = None) -> Values:
        """The nDCG@10 of each question under changed settings."""
        return np.array([outcome.score for outcome in self._outcomes_of(changes, which)])

    def rankings(self, changes: Changes, which: Sequence[int] | None = None) -> list[int]:
        """The ranking of each question as a number: the same order gives the same number."""
        return [outcome.ranking for outcome in self._outcomes_of(changes, which)]

    def single(self, source: str, which: Sequence[int] | None = None) -> Values:
        """The nDCG@10 of each question by one source alone, as it ranked them."""
        run = self._singles[source]
        return np.array(self._score([run.answers[key] for key in self._ids(which)]))

    def settle(self, engine: Engine, which: Sequence[int] | None = None) -> list[Result | None]:
        """What each question gets from this engine, by what the sources said; None for nothing."""
        return run_sync(self._settle(engine, self._indices(which)))

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
            for index, answer, value in zip(new, answers, scores, strict=True):
                known[index] = _Outcome(value, hash(answer.passages))
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
        missed = [f"{outcome.source}: {outcome.reason}" for outcome in outcomes if outcome.left_out]
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
            wanted = union[ranking.collection]
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


KEEP_OUT = 0.5
CURRENT, CHOSEN = "current", "tuned"
FEWEST = 8
"""On fewer questions than this nothing is chosen."""
MARGIN = 0.001
"""A smaller gain on the questions that are chosen on is not worth another setting."""
KS = (1.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0)
ALPHAS = tuple(step / 10 for step in range(11))
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
DEPTHS = (10, 20, 50, 100)
BLENDS = tuple(step / 10 for step in range(7))
MMRS = (0.7, 0.8, 0.9, 1.0)
NEIGHBOURS = (0.0, 0.25, 0.5, 0.75, 1.0)
_KEEP = "keep what you have"


class Move(NamedTuple):
    """One value of a parameter, and the settings that it changes."""

    value: Any
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A setting with the range it is tried over; `under` is the fuser it is tried with."""

    name: str
    moves: tuple[Move, ...]
    under: str = ""

    @property
    def title(self) -> str:
        """`fusion.k (rrf)`."""
        return f"{self.name} ({self.under})" if self.under else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one value of a parameter gives, all else as it is: a mean with its interval.

    `gain` is its difference from the current settings, question by question. The value is not
    chosen, so both are as honest over the tuning part as on questions held out.
    """

    value: str | float
    gives: Interval
    gain: Interval
    now: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A parameter over its range, and why it does nothing, if so."""

    parameter: Parameter
    points: tuple[Point, ...]
    reason: str = ""

    @property
    def connected(self) -> bool:
        """Whether its range changes anything."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningScores:
    """Several ways on the same questions: each with its interval, and the comparisons."""

    means: Mapping[str, Interval]
    comparisons: tuple[Comparison, ...]

    def compared(self, ours: str, theirs: str) -> Comparison | None:
        """The comparison of two ways, if it was made."""
        found = (
            comparison
            for comparison in self.comparisons
            if (comparison.ours, comparison.theirs) == (ours, theirs)
        )
        return next(found, None)

    def as_json(self) -> dict[str, Any]:
        """The scores as plain values."""
        return {
            "means": {name: asdict(mean) for name, mean in self.means.items()},
            "comparisons": [comparison_json(comparison) for comparison in self.comparisons],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The result of tuning: surfaces, the choice, scores of what was kept out, and what to do.

    `used` and `kept` are digests of the questions that were chosen on, and of those kept out.
    `untried` are parameters that cannot be tried here, with the reason.
    """

    surfaces: tuple[Surface, ...]
    kept_out: TuningScores
    choice: Changes
    recommended: bool
    verdict: str
    seed: int
    used: tuple[str, ...]
    kept: tuple[str, ...]
    trouble: tuple[str, ...] = ()
    untried: Mapping[str, str] = field(default_factory=dict)

    @property
    def unconnected(self) -> list[Surface]:
        """The parameters whose whole range changes no ranking."""
        return [surface for surface in self.surfaces if not surface.connected]

    def as_json(self) -> dict[str, Any]:
        """The tuning as plain values."""
        return {
            "version": 1,
            "measure": PRIMARY,
            "questions": {"tuning": len(self.used), "kept_out": len(self.kept)},
            "seed": self.seed,
            "parameters": [
                {
                    "name": surface.parameter.name,
                    "under": surface.parameter.under,
                    "connected": surface.connected,
                    "reason": surface.reason,
                    "points": [
                        {
                            "value": point.value,
                            **asdict(point.gives),
                            "gain": asdict(point.gain),
                            "now": point.now,
                        }
                        for point in surface.points
                    ],
                }
                for surface in self.surfaces
            ],
            "not_connected": {
                surface.parameter.title: surface.reason for surface in self.unconnected
            },
            "not_tried": dict(self.untried),
            "kept_out": self.kept_out.as_json(),
            "choice": dict(self.choice),
            "recommended": self.recommended,
            "verdict": self.verdict,
            "trouble": list(self.trouble),
        }


def prepare_tuning(
    workspace: Workspace, golden: Golden, *, progress: Progress | None = None
) -> Replay:
    """The questions of a golden set, asked once; what an evaluation refuses is refused here too."""
    resolved = resolve_for_measuring(golden, workspace)
    replay = record_replay(workspace.engine, resolved, progress=progress)
    replay.seen = read_seen_questions(workspace.folder)
    replay.confirm = partial(confirm_choice, workspace, golden, replay, progress=progress)
    return replay


def confirm_choice(
    workspace: Workspace,
    golden: Golden,
    replay: Replay,
    choice: Changes,
    used: Sequence[str],
    *,
    progress: Progress | None = None,
) -> tuple[bool, str]:
    """Whether evaluation and gate agree with a choice, and what they say.

    Both are run with the current settings and with the choice, on the questions that it was not
    made on. A check that fails already does not speak against it.
    """
    path = workspace.folder / GATE
    wanted = read_thresholds(path) if path.exists() else Thresholds()
    means: list[float] = []
    failures: list[set[str]] = []
    for changes in ({}, choice):
        options = EvaluationOptions(engine=replay.engine_with(changes), left_out=frozenset(used))
        found = evaluate(workspace, golden, options=options, progress=progress)
        state = WorkspaceState(
            fingerprint=found.fingerprint,
            settings=found.settings,
            golden=found.digest,
            key=found.key,
            seen=replay.seen,
        )
        checks = decide(json.loads(json.dumps(found.as_json())), wanted, state).checks
        means.append(found.mean(MERGED))
        failures.append({check.name for check in checks if check.verdict == "fail"})
    (now, then), broken = means, sorted(failures[1] - failures[0])
    message = f"evaluated, {PRIMARY} is {then:.4f} with it and {now:.4f} now"
    if broken:
        message += f", and the gate fails with it: {', '.join(broken)}"
    return then >= now and not broken, message


def tune(
    replay: Replay,
    *,
    keep_out: float = KEEP_OUT,
    seed: int = 5,
    skip: Sequence[str] = (),
    progress: Progress | None = None,
) -> Tuning:
    """Choose settings on some of the questions, and report what the others show.

    What was kept out before is kept out again, and what was chosen on is chosen on again.
    """
    progress = progress or Silent()
    kept, tuning = split_questions(replay, check_share(keep_out), seed)
    parameters = list_parameters(replay.engine, skip=skip)
    surfaces = _try_all(replay, parameters, tuning, progress)
    choice = descend(
        replay, [surface.parameter for surface in surfaces if surface.connected], tuning
    )
    kept_out = _score_ways(replay, choice, kept)
    used = case_digests(replay, tuning)
    recommended, verdict = _verdict(choice, kept_out)
    if recommended and replay.confirm is not None:
        recommended, message = replay.confirm(choice, used)
        verdict = f"{verdict}; {message}" if recommended else f"{_KEEP}: {message}"
    return Tuning(
        surfaces=tuple(surfaces),
        kept_out=kept_out,
        choice=choice,
        recommended=recommended,
        verdict=verdict,
        seed=seed,
        used=used,
        kept=case_digests(replay, kept),
        trouble=tuple(replay.trouble),
        untried=untried_parameters(replay.engine),
    )


# --- splitting the questions ------------------------------------------------------------


def check_share(keep_out: float) -> float:
    """The share to keep out, if it is one."""
    if not 0 < keep_out < 1:
        raise UsageError(f"the part to keep out is {keep_out}; give a share above 0 and below 1")
    return keep_out


def split_questions(replay: Replay, share: float, seed: int) -> tuple[list[int], list[int]]:
    """The indices of the questions that are kept out, and of those that are tuned on."""
    kept, tuning = split_by_record(replay, share, seed)
    if len(tuning) < FEWEST:
        before = len(replay.seen.parts(case_digests(replay, range(len(replay))))[0])
        earlier = f" ({before} were kept out before: --forget forgets that)" if before else ""
        raise UsageError(
            f"{len(tuning)} questions are left to tune on{earlier}, at least {FEWEST} are needed; "
            "add questions, or keep fewer out"
        )
    return kept, tuning


def split_by_record(replay: Replay, share: float, seed: int) -> tuple[list[int], list[int]]:
    """The indices of the questions that decide, and of those that are chosen on or teach.

    What is on record as kept out stays out, and what an order was chosen on is chosen on again;
    of the others this share is kept out.
    """
    kept, used, free = replay.seen.parts(case_digests(replay, range(len(replay))))
    more, rest = split_cases(replay, free, share, seed)
    return sorted([*kept, *more]), sorted([*used, *rest])


def split_cases(
    replay: Replay, which: Sequence[int], share: float, seed: int
) -> tuple[list[int], list[int]]:
    """Two parts of these questions, alike in their categories; no text is in both."""
    by_text: dict[str, list[int]] = {}
    for index, digest in zip(which, case_digests(replay, which), strict=True):
        by_text.setdefault(digest, []).append(index)
    texts = list(by_text.values())
    categories = [replay.cases[indices[0]].question.category for indices in texts]
    first, second = (
        sorted(index for text in part for index in texts[text])
        for part in stratified_split(categories, share, seed=seed)
    )
    return first, second


def case_digests(replay: Replay, which: Sequence[int]) -> tuple[str, ...]:
    """The digests of the questions at these indices."""
    return tuple(question_digest(replay.cases[index].question) for index in which)


# --- parameters -------------------------------------------------------------------------


def list_parameters(engine: Engine, *, skip: Sequence[str] = ()) -> list[Parameter]:
    """All that can be tried on this engine without what is skipped, fuser first."""
    names = weighted_sources(engine)
    shares = SHARES if len(names) > 1 else SHARES[1:]  # without its only source there is nothing
    found = [
        *_fuser_parameters(engine),
        *(_parameter(WEIGHTS + name, shares) for name in names),
        _parameter("retrieve.depth", DEPTHS),
    ]
    if engine.reranker is not None:
        found.append(_parameter("models.rerank", (engine.settings.models.rerank, "none")))
        found.append(_parameter("refine.blend", BLENDS))
    found.append(_parameter("refine.mmr", MMRS))
    known = {
        *untried_parameters(engine),
        *(name for parameter in found for name in (parameter.name, parameter.title)),
    }
    for name in skip:
        if name not in known:
            raise UsageError(f"no parameter is called {name!r}; known: {', '.join(sorted(known))}")
    return [
        parameter
        for parameter in found
        if parameter.name not in skip and parameter.title not in skip
    ]


def untried_parameters(engine: Engine) -> dict[str, str]:
    """What cannot be tried on this engine, with the reason."""
    if engine.reranker is not None:
        return {}
    reason = f"there is no reranker (models.rerank is {engine.settings.models.rerank!r})"
    return dict.fromkeys(("models.rerank", "refine.blend"), reason)


def reads_option(fuser: str, option: str) -> bool:
    """Whether a fuser's arithmetic uses an option (`k`, `alpha`): it is tried at two values."""
    first = Ballot(source="a/bm25", weight=1.0, ids="abc", scores=(9.0, 5.0, 1.0), heard=3, found=3)
    second = Ballot(
        source="a/dense", weight=1.0, ids="cad", scores=(0.9, 0.8, 0.1), heard=3, found=3
    )
    low, high = (
        FUSERS[fuser].contribute([first, second], Options(**{option: value}))  # type: ignore[arg-type]
        for value in (0.25, 0.75)
    )
    return low != high


def weighted_sources(engine: Engine) -> list[str]:
    """What a weight is tried for: kinds of sources, single ones where a kind names a collection,
    and collections where there are several.
    """
    collections = set(engine.knowledge.sources.values())
    names: list[str] = []
    for kind in dict.fromkeys(kind_of(name) for name in sorted(engine.sources)):
        own = [name for name in sorted(engine.sources) if kind_of(name) == kind]
        names += own if kind in collections else [kind]
    return [*names, *(sorted(collections) if len(collections) > 1 else ())]


def current_value(settings: Settings, parameter: str) -> Any:
    """The value that a parameter has now; None for a weight that is not set."""
    if parameter.startswith(WEIGHTS):
        return settings.fusion.weights.get(parameter.removeprefix(WEIGHTS))
    return flatten_settings(settings)[parameter]


def _fuser_parameters(engine: Engine) -> list[Parameter]:
    fusers, fusion = list(FUSERS), engine.settings.fusion
    found = [_parameter("fusion.method", fusers), _parameter("fusion.k", KS, under="rrf")]
    several = len(set(engine.knowledge.sources.values())) > 1
    if several and fusion.across == "rrf":  # by share, k changes no order across
        found.append(_parameter("fusion.k", KS))
    found += [
        _parameter("fusion.alpha", ALPHAS, under=fuser)
        for fuser in fusers
        if reads_option(fuser, "alpha")
    ]
    # With an alpha of 0 or 1 only one side counts, and neighbours change nothing.
    mixed = {"fusion.alpha": 0.5} if fusion.alpha in (0, 1) else {}
    found += [
        _parameter("fusion.neighbours", NEIGHBOURS, under=fuser, also=mixed)
        for fuser in fusers
        if FUSERS[fuser].adapts
    ]
    return found


def _parameter(
    name: str, values: Sequence[Any], *, under: str = "", also: Changes | None = None
) -> Parameter:
    fixed = {**({"fusion.method": under} if under else {}), **(also or {})}
    moves = tuple(Move(value, {**fixed, name: value}) for value in values)
    return Parameter(name=name, under=under, moves=moves)


def _why_unconnected(
    replay: Replay, parameter: Parameter, which: Sequence[int], best: Changes
) -> str:
    """Why the whole range of a parameter changes nothing; empty where it changes a ranking.

    What changes nothing now is tried with the best of all moves applied: a weight does nothing as
    long as alpha gives everything to the other side.
    """
    engine = replay.engine
    weights, is_fusing = engine.settings.fusion.weights, parameter.name.startswith("fusion.")
    used = [name for name in engine.sources if weights.get(name, weights.get(kind_of(name), 1.0))]
    if is_fusing and len(used) < 2:
        return f"only one source counts ({', '.join(used) or 'none'}): nothing to fuse"
    if parameter.name == "retrieve.depth" and set(engine.knowledge.sources.values()) <= {
        *engine.settings.retrieve.depths
    }:
        return "retrieve.depths decides it for every collection"
    for state in ({}, best):
        orders = {
            tuple(replay.rankings({**state, **move.changes}, which)) for move in parameter.moves
        }
        if len(orders) > 1:
            return ""
    return "no value of its range changes the ranking of any question"


# --- trying and choosing ----------------------------------------------------------------


def _try_all(
    replay: Replay, parameters: Sequence[Parameter], which: Sequence[int], progress: Progress
) -> list[Surface]:
    """Every value of every parameter once, all else as it is."""
    total = sum(len(parameter.moves) for parameter in parameters)
    progress.stage("trying", total=total, unit="settings")
    best: tuple[float, Changes] = (float(replay.scores({}, which).mean()), {})
    for parameter in parameters:
        for move in parameter.moves:
            mean = float(replay.scores(move.changes, which).mean())
            best = max(best, (mean, move.changes), key=lambda tried: tried[0])
            progress.advance()
    return [
        Surface(
            parameter=parameter,
            points=_points(replay, parameter, which),
            reason=_why_unconnected(replay, parameter, which, best[1]),
        )
        for parameter in parameters
    ]


def _points(replay: Replay, parameter: Parameter, which: Sequence[int]) -> tuple[Point, ...]:
    settings, base = replay.engine.settings, replay.scores({}, which)
    is_used = parameter.under in ("", settings.fusion.method)
    now = current_value(settings, parameter.name) if is_used else None
    return tuple(
        Point(
            value=move.value,
            gives=interval(replay.scores(move.changes, which).tolist()),
            gain=interval((replay.scores(move.changes, which) - base).tolist()),
            now=move.value == now,
        )
        for move in parameter.moves
    )


def descend(replay: Replay, parameters: Sequence[Parameter], which: Sequence[int]) -> Changes:
    """The best settings found by steps, each the move that gains most, while it is `worth` it.

    The first of equal moves is made, and a move that gains nothing waits for the second pass.
    Changes that turn out to do nothing are dropped again.
    """
    state: Changes = {}
    for _ in range(2):
        moves = [move.changes for parameter in parameters for move in parameter.moves]
        while moves:
            now = replay.scores(state, which)
            gains = [replay.scores({**state, **changes}, which) - now for changes in moves]
            means = [float(gain.mean()) for gain in gains]
            best = means.index(max(means))
            if not worth(gains[best]):
                break
            state = {**state, **moves[best]}
            moves = [changes for changes, mean in zip(moves, means, strict=True) if mean > 0]
    return _drop_idle(replay, state, which)


def worth(gains: Values) -> bool:
    """Whether a move is made: its mean gain is `MARGIN` or more, and above its standard error.

    Many moves are tried, and on few questions some of them gain by chance.
    """
    mean = float(gains.mean())
    error = float(gains.std(ddof=1)) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
    return mean >= MARGIN and mean > error


def _drop_idle(replay: Replay, state: Changes, which: Sequence[int]) -> Changes:
    """The changes without those that are current, or do nothing beside the others."""
    settings = replay.engine.settings
    kept = {name: value for name, value in state.items() if current_value(settings, name) != value}
    wanted = replay.rankings(kept, which)
    for name in list(kept):
        without = {other: value for other, value in kept.items() if other != name}
        if replay.rankings(without, which) == wanted:
            kept = without
    return kept


# --- reporting --------------------------------------------------------------------------


def _score_ways(replay: Replay, choice: Changes, which: Sequence[int]) -> TuningScores:
    """The tuned settings against the current ones and against every source alone."""
    values = {CURRENT: replay.scores({}, which), CHOSEN: replay.scores(choice, which)}
    values |= {name: replay.single(name, which) for name in sorted(replay.engine.sources)}
    scores = {
        way: {str(index): float(value) for index, value in zip(which, own, strict=True)}
        for way, own in values.items()
    }
    comparisons = [
        compare(scores[CHOSEN], scores[other], names=(CHOSEN, other), measure=PRIMARY)
        for other in scores
        if other != CHOSEN
    ]
    return TuningScores(
        means={way: interval(list(own.values())) for way, own in scores.items()},
        comparisons=tuple(correct_for_number(comparisons)),
    )


def _verdict(choice: Changes, kept_out: TuningScores) -> tuple[bool, str]:
    """Whether the choice is recommended, and why (not)."""
    better_alone = [
        comparison
        for comparison in kept_out.comparisons
        if comparison.theirs != CURRENT and is_worse(comparison)
    ]
    if better_alone:
        best = min(better_alone, key=lambda comparison: comparison.gain.mean)
        return False, (
            f"do not fuse: {best.theirs} alone is better than the tuned settings by "
            f"{format_gain(best, sign=-1)} on questions that were not chosen on"
        )
    if not choice:
        return False, f"{_KEEP}: no other setting was clearly better on the tuning questions"
    gain = kept_out.compared(CHOSEN, CURRENT)
    if gain is None or not is_better(gain):
        shown = format_gain(gain) if gain else "none"
        return False, f"{_KEEP}: a gain is not shown on the questions kept out ({shown})"
    return True, f"change: the questions kept out show {format_gain(gain)}"


# --- applying ---------------------------------------------------------------------------


def rewrite_settings(text: str, changes: Changes) -> str:
    """The text of a settings file with changes applied; all else stays as it is."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"{FILE} is not valid TOML: {error}; correct it and try again") from error
    for name, value in changes.items():
        path = name.split(".", 1)
        if name.startswith(WEIGHTS):
            path = ["fusion", "weights", name.removeprefix(WEIGHTS)]
        table: Any = document
        for part in path[:-1]:
            if part not in table:
                table[part] = tomlkit.table()
            table = table[part]
        table[path[-1]] = dict(value) if isinstance(value, Mapping) else value
    return tomlkit.dumps(document)


def diff_settings(folder: Path, changes: Changes) -> list[str]:
    """What applying would change in the settings file, as lines with - and +."""
    before = (folder / FILE).read_text(encoding="utf-8")
    after = rewrite_settings(before, changes)
    return list(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), FILE, f"{FILE}, tuned", lineterm="", n=1
        )
    )


def apply_tuning(
    folder: Path, tuning: Tuning, *, golden: str, fingerprint: str
) -> tuple[list[Path], list[str]]:
    """Write the choice and its record; the files written, and settings that others override."""
    path, record = folder / FILE, folder / STORE / TUNED
    text = rewrite_settings(path.read_text(encoding="utf-8"), tuning.choice)
    wanted = flatten_settings(change_settings(read_settings(folder), tuning.choice))
    values = record_of(tuning, read_record(record), golden=golden, fingerprint=fingerprint)
    write_atomically(record, json.dumps(values, indent=2) + "\n")
    write_atomically(path, text)
    now = flatten_settings(read_settings(folder))
    return [path, record], [name for name, value in wanted.items() if now[name] != value]


def forget_tuning(folder: Path) -> bool:
    """Delete the record: its questions count as unseen again. Whether there was one."""
    return forget_records(folder, TUNED)


def record_of(
    tuning: Tuning, before: Mapping[str, Any], *, golden: str, fingerprint: str
) -> dict[str, Any]:
    """The record of a tuning: the questions used, those kept out, the settings, and the gain.

    Questions that the record held `before` stay in it.
    """
    used = list(dict.fromkeys([*before.get("questions", ()), *tuning.used]))
    kept = dict.fromkeys([*before.get("held_out", ()), *tuning.kept])
    comparison = tuning.kept_out.compared(CHOSEN, CURRENT)
    gain = comparison and {
        "mean": comparison.gain.mean,
        "low": comparison.gain.low,
        "high": comparison.gain.high,
        "p": comparison.p_corrected,
    }
    return {
        "questions": used,
        "held_out": [digest for digest in kept if digest not in set(used)],
        "settings": dict(tuning.choice),
        "held_out_gain": gain,
        "golden": golden,
        "fingerprint": fingerprint,
    }
