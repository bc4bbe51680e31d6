"""What does every way of searching answer? Each source alone, each collection, and all merged.

A question is asked as a person asks it, and the deeper order is read from the trace. The single
sources come with the merged search: it has asked them all. Deadlines are raised, so that a busy
machine does not change what is found; the times are those of this machine.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from consilience.errors import UsageError
from consilience.ingest import Progress, Silent
from consilience.measure.conditions import LIMIT, patient
from consilience.measure.evaluate.keeping import Kept, Line
from consilience.measure.golden.walking import by_edges, edges_in, made_for, order_of
from consilience.measure.values import DEPTH, Answer, Edges, Question, Run, Way
from consilience.pipeline import Engine, Gathered, gather, made, search, settle
from consilience.retrieve import Breakers, ask_source
from consilience.threads import finished
from consilience.types import Found, Passage, Query, Result
from consilience.workspace import Workspace

MERGED = "merged"
UNRERANKED = "merged, not reranked"
_WARM = Question(id="", text="warm up")
_Answered = tuple[Line, list[Passage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The runs by way, and what went wrong: a source that gave no answer, a refused question.

    `failed` are the questions to which that happened. `times` are, by question, those of what
    has a deadline in a live search; `kept` counts the questions that were answered earlier.
    """

    runs: Mapping[str, Run]
    missed: tuple[str, ...] = ()
    failed: frozenset[str] = frozenset()
    times: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    kept: int = 0

    def sound(self, way: str) -> Run:
        """A way's answers but for failures: to find nothing because of one is no refusal."""
        return without(self.runs[way], self.failed)


def without(run: Run, questions: Collection[str]) -> Run:
    """A run but for these questions."""
    answers = {key: one for key, one in run.answers.items() if key not in questions}
    return replace(run, answers=answers)


def ways_of(engine: Engine) -> list[Way]:
    """Every single source, every collection that is no repetition, and merged.

    A collection repeats another way where it is the only one, or has one source only.
    """
    homes = list(engine.knowledge.sources.values())
    collections = [
        one for one in sorted(set(homes)) if homes.count(one) > 1 and len(set(homes)) > 1
    ]
    plain = [Way(name=UNRERANKED, kind="merged")] if engine.reranker is not None else []
    return [
        *(Way(name=name, kind="source") for name in sorted(engine.sources)),
        *(Way(name=_named(name), kind="collection") for name in collections),
        *plain,
        Way(name=MERGED, kind="merged"),
    ]


def run_ways(
    questions: Sequence[Question], workspace: Workspace, *, progress: Progress | None = None
) -> dict[str, Run]:
    """Ask every question in every way; by the name of the way, what came back."""
    return dict(ask_all(questions, workspace, progress=progress).runs)


def ask_all(
    questions: Sequence[Question],
    workspace: Workspace,
    *,
    progress: Progress | None = None,
    kept: Kept | None = None,
    ways: Sequence[Way] = (),
    stage: str = "asking",
) -> Asked:
    """Ask every question in these ways, or in all; what is kept already is not asked again."""
    engine = replace(
        workspace.engine, settings=patient(workspace.engine.settings), breakers=Breakers()
    )
    ways = ways or ways_of(engine)
    edges = edges_in(workspace.catalogue)
    names = {way.name for way in ways}
    kept = Kept() if kept is None else kept
    todo = [one for one in questions if not kept.has(one.text, names)]
    progress = progress or Silent()
    progress.stage(stage, total=len(todo), unit="questions")
    if todo:
        finished(_answers(_WARM, engine, ways, edges))
    for question in todo:
        line, passages = finished(_answers(question, engine, ways, edges))
        workspace.catalogue.keep_made(passages)
        kept.add(question.text, line)
        progress.advance()
    return replace(_asked(questions, ways, kept), kept=len(questions) - len(todo))


def _named(collection: str) -> str:
    return f"{collection} (collection)" if collection in (MERGED, UNRERANKED) else collection


def _asked(questions: Sequence[Question], ways: Sequence[Way], kept: Kept) -> Asked:
    lines = {one.id: kept.line(one.text) for one in questions}
    runs = {
        way.name: Run(
            way=way,
            answers={
                key: replace(line.answers[way.name], question=key) for key, line in lines.items()
            },
        )
        for way in ways
    }
    missed = tuple(f"{key}: {told}" for key, line in lines.items() for told in line.missed)
    return Asked(
        runs=runs,
        missed=missed,
        failed=frozenset(key for key, line in lines.items() if line.missed),
        times={key: line.times for key, line in lines.items()},
    )


async def _answers(
    question: Question, engine: Engine, ways: Sequence[Way], edges: Edges
) -> _Answered:
    """What each way answers, what went wrong, and the passages that were made for this."""
    try:
        return await _answered(question, engine, ways, edges)
    except UsageError as error:  # a question that cannot be asked finds nothing
        nothing = Answer(question=question.id, passages=(), scores=())
        return Line(answers={way.name: nothing for way in ways}, missed=(str(error),)), []


async def _answered(
    question: Question, engine: Engine, ways: Sequence[Way], edges: Edges
) -> _Answered:
    query = Query(text=question.text, limit=LIMIT)
    started = time.perf_counter()
    gathered = await gather(query, engine)
    between = time.perf_counter()
    merged = await settle(gathered, engine)
    answers = {MERGED: _answer(merged, started, edges)}
    results, failed = [merged], []
    for way in ways:
        if way.kind == "source":
            answers[way.name], why = await _alone(way.name, gathered, engine, edges)
            failed += [f"{way.name} gave no answer: {why}"] if why else []
        elif way.kind == "collection":
            collection = way.name.removesuffix(" (collection)")
            began = time.perf_counter()
            results.append(await search(replace(query, collections=(collection,)), engine))
            answers[way.name] = _answer(results[-1], began, edges)
        elif way.name == UNRERANKED:
            plan = replace(gathered.plan, query=replace(query, rerank=False))
            began = time.perf_counter() - (between - started)
            plain = await settle(replace(gathered, plan=plan), engine)
            answers[way.name] = _answer(plain, began, edges)
    wanted = {way.name for way in ways}
    rankings = gathered.found.rankings
    answers = {name: answer for name, answer in answers.items() if name in wanted}
    passages = [one for result in results for one in made(result)]
    passages += made_for([replace(one, found=one.found[:LIMIT]) for one in rankings]).values()
    missed = tuple(dict.fromkeys((*_missed(results), *failed)))
    return Line(answers=answers, missed=missed, times=_times(merged, engine)), passages


def _answer(result: Result, started: float, edges: Edges) -> Answer:
    ms = (time.perf_counter() - started) * 1000
    order = order_of(result, edges)
    given = {hit.passage.id: hit.relevance for hit in result.hits if hit.relevance is not None}
    last = max((place for place, (key, _) in enumerate(order, 1) if key in given), default=0)
    return Answer(
        question="",
        passages=tuple(key for key, _ in order),
        scores=tuple(score for _, score in order),
        ms=ms,
        refused=result.abstained,
        relevances=tuple(given.get(key) for key, _ in order[:last]),
    )


async def _alone(
    source: str, gathered: Gathered, engine: Engine, edges: Edges
) -> tuple[Answer, str]:
    """One source's own order, as deep as merged, and why it failed when asked for that.

    It is asked for more where it has more. One that merged leaves out, because its weight or
    the share of its collection is 0, is asked here: it may be the better for all that.
    """
    found = next((one.found for one in gathered.found.rankings if one.source == source), ())
    ask = next(one for one in gathered.plan.asks if one.vote == source)
    ms = next(one.ms for one in gathered.found.outcomes if one.source == source)
    unheard = not ask.weight or not gathered.plan.shares.get(ask.collection, 1.0)
    why = ""
    if unheard or len(found) == ask.depth < DEPTH:
        deeper = replace(ask, depth=DEPTH, skip="")
        began = time.perf_counter()
        more, _, why = await ask_source(
            deeper, engine.sources[source], hard_ms=engine.settings.retrieve.hard_ms
        )
        ms = (time.perf_counter() - began) * 1000 if unheard else ms
        own = {one.id for one in found}
        found = (*found, *(one for one in more.found if one.id not in own))
    order = own_order(found, edges)
    answer = Answer(
        question="",
        passages=tuple(key for key, _ in order),
        scores=tuple(score for _, score in order),
        ms=ms,
    )
    return answer, why


def own_order(found: Sequence[Found], edges: Edges) -> list[tuple[str, float]]:
    """What one source found, as it is judged: edges stand for the paths that walk them."""
    paths = {one.id: one.passage for one in found if one.passage is not None}
    return by_edges([(one.id, one.score) for one in found], paths, edges)[:DEPTH]


def _times(result: Result, engine: Engine) -> dict[str, float]:
    """How long that took which a live search waits for only so long, by the setting's name."""
    times = {"retrieve.hard_ms": max((one.ms for one in result.trace.outcomes), default=0.0)}
    if engine.reranker is not None:
        times["refine.rerank_ms"] = result.trace.timing_ms.get("refine", 0.0)
    return times


def _missed(results: Sequence[Result]) -> tuple[str, ...]:
    told = (
        f"{one.source} gave no answer: {one.reason}"
        for result in results
        for one in result.trace.outcomes
        if one.left_out
    )
    return tuple(dict.fromkeys(told))
