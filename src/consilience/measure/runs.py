"""What does every way of searching return? Each source alone, each collection, and all merged.

A question is asked as a person asks it, and the deeper order is read from the trace. The single
sources come with the merged search: it has asked them all. Deadlines are raised, so that a busy
machine does not change the results; the times are those of this machine.

Answers are cached, one line a question, written as soon as it is answered, so that an interrupted
run resumes. The name of the cache is a digest of all that answers depend on: the questions, the
corpus, the settings, the models, the program itself.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import consilience
from consilience.engine import Engine, Gathered, fuse_and_refine, gather, made_passages, search
from consilience.engine.relevance import FILE as CALIBRATION
from consilience.engine.retrieve import Breakers, ask_source
from consilience.errors import StoreError, UsageError
from consilience.evidence.ingest import Progress, Silent
from consilience.measure.data_model import DEPTH, Answer, Edges, Question, Run, Way
from consilience.measure.derived_passages import (
    answer_of,
    derived_in,
    edges_in,
    full_order,
    replace_paths,
)
from consilience.settings import TABLE, Settings, hide_secret
from consilience.types import Passage, Query, Result
from consilience.worker_pool import run_sync
from consilience.workspace import STORE, Workspace

LIMIT = 10
"""Results that a person sees."""
DEADLINES: Mapping[str, int] = {
    "models.live_ms": 60_000,
    "retrieve.soft_ms": 60_000,
    "retrieve.hard_ms": 60_000,
    "refine.rerank_ms": 60_000,
}
"""Deadlines while measuring: what a search finds must not depend on the machine."""


def patient_settings(settings: Settings) -> Settings:
    """These settings with the deadlines of a measurement."""
    return replace(
        settings,
        models=replace(settings.models, live_ms=DEADLINES["models.live_ms"]),
        retrieve=replace(
            settings.retrieve,
            soft_ms=DEADLINES["retrieve.soft_ms"],
            hard_ms=DEADLINES["retrieve.hard_ms"],
        ),
        refine=replace(settings.refine, rerank_ms=DEADLINES["refine.rerank_ms"]),
    )


def patient_engine(engine: Engine) -> Engine:
    """An engine with the deadlines of a measurement and no open circuit breaker."""
    return replace(engine, settings=patient_settings(engine.settings), breakers=Breakers())


def exceeds_deadlines(times: Mapping[str, float], settings: Settings) -> bool:
    """Whether a live search would not have waited; `times` are ms by the name of the setting."""
    return any(ms > setting_value(settings, name) for name, ms in times.items())


def recorded_settings(settings: Settings) -> dict[str, Any]:
    """The settings that results depend on, by dotted name; no deadline, no key."""
    values: dict[str, Any] = {}
    for row in TABLE:
        if row.name in DEADLINES or row.name.endswith("_key") or row.name.startswith("serve."):
            continue
        value = hide_secret(row.name, setting_value(settings, row.name))
        values[row.name] = dict(value) if isinstance(value, Mapping) else value
    return values


def setting_value(settings: Settings, name: str) -> Any:
    """A setting by its dotted name."""
    section, _, key = name.rpartition(".")
    return getattr(getattr(settings, section) if section else settings, key)


MERGED = "merged"
UNRERANKED = "merged, not reranked"
RUNS = "runs"
"""The folder beside the catalogue in which answers are cached."""
_WARM_UP = Question(id="", text="warm up")
_WITHOUT_EFFECT = ("cli", "evidence/loaders", "models/data")
"""What prints, what reads files (a corpus has a fingerprint), and models (they have names)."""
_MOST_CACHES = 8
_T = TypeVar("_T")


# --- the cache --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedAnswer:
    """The answers to one question by way, and what went wrong.

    `times` are the milliseconds of what has a deadline in a live search, by its setting.
    """

    answers: Mapping[str, Answer]
    missed: tuple[str, ...] = ()
    times: Mapping[str, float] = field(default_factory=dict)


class AnswerCache:
    """Answers by the text of the question; in memory alone where no file is given."""

    def __init__(self, path: Path | None = None, *, fresh: bool = False) -> None:
        self._path = path
        self._answers: dict[str, CachedAnswer] = {}
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if fresh:
                path.unlink(missing_ok=True)
            self._answers.update(read_lines(path, _parse_line))
            caches = sorted(path.parent.glob("*.jsonl"), key=lambda file: file.stat().st_mtime)
            for old in [file for file in caches if file != path][: -(_MOST_CACHES - 1)]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise _cannot_write(path, error) from error

    def __len__(self) -> int:
        return len(self._answers)

    def has(self, text: str, ways: Collection[str]) -> bool:
        """Whether a question was answered in all these ways, and nothing went wrong."""
        known = self._answers.get(text)
        return known is not None and not known.missed and set(ways) <= known.answers.keys()

    def get(self, text: str) -> CachedAnswer:
        """What a question got."""
        return self._answers[text]

    def add(self, text: str, answer: CachedAnswer) -> None:
        """Cache what a question got, on disk before the next one is asked."""
        answers = {
            name: {
                "passages": given.passages,
                "scores": [round(score, 9) for score in given.scores],
                "ms": round(given.ms, 3),
                "refused": given.refused,
                "relevances": [value and round(value, 6) for value in given.relevances],
            }
            for name, given in answer.answers.items()
        }
        times = {name: round(ms, 3) for name, ms in answer.times.items()}
        line = {"text": text, "answers": answers, "missed": answer.missed, "times": times}
        self._answers[text] = _parse_line(line)[1]  # rounded, as when read again
        if self._path is not None:
            append_line(self._path, line)


def _parse_line(line: Mapping[str, Any]) -> tuple[str, CachedAnswer]:
    tuples = ("passages", "scores", "relevances")
    answers = {
        name: Answer(question="", **{**values, **{field: tuple(values[field]) for field in tuples}})
        for name, values in line["answers"].items()
    }
    times = dict(line["times"])
    return line["text"], CachedAnswer(answers=answers, missed=tuple(line["missed"]), times=times)


def read_lines(path: Path, parse: Callable[[dict[str, Any]], _T]) -> list[_T]:
    """The parsed JSON lines of a file up to the first damaged one; the rest is cut off."""
    parsed: list[_T] = []
    if not path.exists():
        return parsed
    sound = 0
    with path.open("rb") as stream:
        for raw in stream:
            try:
                value = parse(json.loads(raw))
            except (ValueError, KeyError, TypeError):
                break
            if not raw.endswith(b"\n"):
                break
            parsed.append(value)
            sound += len(raw)
    with path.open("r+b") as stream:
        stream.truncate(sound)
    return parsed


def append_line(path: Path, value: Mapping[str, Any]) -> None:
    """Append a JSON object to a file, as one line."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(value, ensure_ascii=False) + "\n")
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> StoreError:
    return StoreError(f"cannot keep answers in {path}: {error.strerror}; is the disk read-only?")


def answers_key(workspace: Workspace, golden: str, engine: Engine | None = None) -> str:
    """A digest of all that the answers to a golden set (of this digest) depend on here, now."""
    engine, store = engine or workspace.engine, workspace.folder / STORE
    calibration = store / CALIBRATION
    parts = {
        "golden": golden,
        "corpus": workspace.catalogue.fingerprint(),
        "settings": recorded_settings(engine.settings),
        "models": [workspace.embedder.name, engine.reranker and engine.reranker.name],
        "sources": sorted(engine.sources),
        "synonyms": dict(engine.knowledge.synonyms),
        "calibration": calibration.read_text(encoding="utf-8") if calibration.exists() else "",
        "program": program_digest(),
    }
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def program_digest() -> str:
    """A digest of the program: another version may answer or measure in another way."""
    root = Path(consilience.__file__).parent
    digest = hashlib.sha256(consilience.__version__.encode())
    for path in program_files(root):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def program_files(root: Path) -> list[Path]:
    """The files of the package that an answer or its measure may depend on."""
    ignored = {root / folder for folder in _WITHOUT_EFFECT}
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.suffix in (".py", ".json") and not ignored & set(path.parents)
    ]


# --- running ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResults:
    """The runs by way, and what went wrong: a source that gave no answer, a refused question.

    `failed` are the questions to which that happened. `times` are, by question, those of what
    has a deadline in a live search; `cached` counts the questions that were answered earlier.
    """

    runs: Mapping[str, Run]
    missed: tuple[str, ...] = ()
    failed: frozenset[str] = frozenset()
    times: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cached: int = 0

    def without_failures(self, way: str) -> Run:
        """A way's answers without failed questions: to find nothing there is no refusal."""
        run = self.runs[way]
        answers = {key: answer for key, answer in run.answers.items() if key not in self.failed}
        return replace(run, answers=answers)


def list_ways(engine: Engine) -> list[Way]:
    """Every single source, every collection that is no repetition, and merged.

    A collection repeats another way where it is the only one, or has one source only.
    """
    homes = list(engine.knowledge.sources.values())
    collections = [
        name for name in sorted(set(homes)) if homes.count(name) > 1 and len(set(homes)) > 1
    ]
    unreranked = [Way(name=UNRERANKED, kind="merged")] if engine.reranker is not None else []
    return [
        *(Way(name=name, kind="source") for name in sorted(engine.sources)),
        *(Way(name=_collection_way(name), kind="collection") for name in collections),
        *unreranked,
        Way(name=MERGED, kind="merged"),
    ]


def _collection_way(collection: str) -> str:
    return f"{collection} (collection)" if collection in (MERGED, UNRERANKED) else collection


def run_questions(
    questions: Sequence[Question],
    workspace: Workspace,
    *,
    progress: Progress | None = None,
    cache: AnswerCache | None = None,
    ways: Sequence[Way] = (),
    stage: str = "asking",
    engine: Engine | None = None,
) -> RunResults:
    """Ask every question in these ways, or in all; what is cached is not asked again.

    `engine` answers in place of the workspace's own.
    """
    engine = patient_engine(engine or workspace.engine)
    ways = ways or list_ways(engine)
    edges = edges_in(workspace.catalogue)
    names = {way.name for way in ways}
    cache = AnswerCache() if cache is None else cache
    todo = [question for question in questions if not cache.has(question.text, names)]
    progress = progress or Silent()
    progress.stage(stage, total=len(todo), unit="questions")
    if todo:
        run_sync(_ask(_WARM_UP, engine, ways, edges))
    for question in todo:
        answer, derived = run_sync(_ask(question, engine, ways, edges))
        workspace.catalogue.keep_made(derived)
        cache.add(question.text, answer)
        progress.advance()
    answers = {question.id: cache.get(question.text) for question in questions}
    return RunResults(
        runs={
            way.name: Run(
                way=way,
                answers={
                    key: replace(answer.answers[way.name], question=key)
                    for key, answer in answers.items()
                },
            )
            for way in ways
        },
        missed=tuple(f"{key}: {why}" for key, answer in answers.items() for why in answer.missed),
        failed=frozenset(key for key, answer in answers.items() if answer.missed),
        times={key: answer.times for key, answer in answers.items()},
        cached=len(questions) - len(todo),
    )


async def _ask(
    question: Question, engine: Engine, ways: Sequence[Way], edges: Edges
) -> tuple[CachedAnswer, list[Passage]]:
    """The answer of each way, what went wrong, and the passages that were created for it."""
    try:
        return await _ask_ways(question, engine, ways, edges)
    except UsageError as error:  # a question that cannot be asked finds nothing
        nothing = Answer(question=question.id, passages=(), scores=())
        answers = {way.name: nothing for way in ways}
        return CachedAnswer(answers=answers, missed=(str(error),)), []


async def _ask_ways(
    question: Question, engine: Engine, ways: Sequence[Way], edges: Edges
) -> tuple[CachedAnswer, list[Passage]]:
    query = Query(text=question.text, limit=LIMIT)
    started = time.perf_counter()
    gathered = await gather(query, engine)
    gathered_at = time.perf_counter()
    merged = await fuse_and_refine(gathered, engine)
    answers = {MERGED: _answer(merged, started, edges)}
    results, failures = [merged], []
    for way in ways:
        if way.kind == "source":
            answers[way.name], failure = await _ask_alone(way.name, gathered, engine, edges)
            failures += [f"{way.name} gave no answer: {failure}"] if failure else []
        elif way.kind == "collection":
            collection = way.name.removesuffix(" (collection)")
            began = time.perf_counter()
            results.append(await search(replace(query, collections=(collection,)), engine))
            answers[way.name] = _answer(results[-1], began, edges)
        elif way.name == UNRERANKED:
            plan = replace(gathered.plan, query=replace(query, rerank=False))
            began = time.perf_counter() - (gathered_at - started)
            plain = await fuse_and_refine(replace(gathered, plan=plan), engine)
            answers[way.name] = _answer(plain, began, edges)
    wanted = {way.name for way in ways}
    first = [replace(ranking, found=ranking.found[:LIMIT]) for ranking in gathered.found.rankings]
    derived = [passage for result in results for passage in made_passages(result)]
    left_out = [
        f"{outcome.source} gave no answer: {outcome.reason}"
        for result in results
        for outcome in result.trace.outcomes
        if outcome.left_out
    ]
    times = {
        "retrieve.hard_ms": max((outcome.ms for outcome in merged.trace.outcomes), default=0.0)
    }
    if engine.reranker is not None:
        times["refine.rerank_ms"] = merged.trace.timing_ms.get("refine", 0.0)
    answer = CachedAnswer(
        answers={name: answer for name, answer in answers.items() if name in wanted},
        missed=tuple(dict.fromkeys((*left_out, *failures))),
        times=times,
    )
    return answer, [*derived, *derived_in(first).values()]


def _answer(result: Result, started: float, edges: Edges) -> Answer:
    ms = (time.perf_counter() - started) * 1000
    answer = answer_of("", full_order(result, edges))
    known = {hit.passage.id: hit.relevance for hit in result.hits if hit.relevance is not None}
    last = max((place for place, key in enumerate(answer.passages, 1) if key in known), default=0)
    relevances = tuple(known.get(key) for key in answer.passages[:last])
    return replace(answer, ms=ms, refused=result.abstained, relevances=relevances)


async def _ask_alone(
    source: str, gathered: Gathered, engine: Engine, edges: Edges
) -> tuple[Answer, str]:
    """One source's own order, as deep as merged, and why it failed when asked for that.

    It is asked for more where it has more. A source that merged leaves out, because its weight or
    the share of its collection is 0, is asked here: it may be better all the same.
    """
    found = next(
        (ranking.found for ranking in gathered.found.rankings if ranking.source == source), ()
    )
    ask = next(ask for ask in gathered.plan.asks if ask.vote == source)
    ms = next(outcome.ms for outcome in gathered.found.outcomes if outcome.source == source)
    is_unused = not ask.weight or not gathered.plan.shares.get(ask.collection, 1.0)
    failure = ""
    if is_unused or len(found) == ask.depth < DEPTH:
        began = time.perf_counter()
        more, _, failure = await ask_source(
            replace(ask, depth=DEPTH, skip=""),
            engine.sources[source],
            hard_ms=engine.settings.retrieve.hard_ms,
        )
        ms = (time.perf_counter() - began) * 1000 if is_unused else ms
        known = {hit.id for hit in found}
        found = (*found, *(hit for hit in more.found if hit.id not in known))
    paths = {hit.id: hit.passage for hit in found if hit.passage is not None}
    order = replace_paths([(hit.id, hit.score) for hit in found], paths, edges)[:DEPTH]
    return replace(answer_of("", order), ms=ms), failure
