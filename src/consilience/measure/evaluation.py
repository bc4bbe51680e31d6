"""How well does each way of searching find, and does fusing help? One evaluation, and its JSON.

Every way answers every question (`runs`), is scored strictly and leniently (`metrics`), and merged
is compared with each of the others on the same questions (`statistics`). Controls say whether the
measurement itself can be trusted. All but the times comes out the same when repeated.

The shape of the JSON, as far as others rely on it: `questions` are the judged ones, `unscored` the
others that were asked. Each has `id`, `text`, `answerable` (True, False, or None where the set
does not say) and `ways`; by way there are the measures (in `questions` only), `first`, the `SHARES`
(0, 1, or None where that cannot be measured), `ms` and `refused`. Where answers were written,
`merged` has their `support` too, and the question an `answer`. `key` is the digest of all that the
answers depend on (`runs.answers_key` gives that of now), `digest` that of the JSON itself, by which
an edit is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import consilience
from consilience.engine import Engine
from consilience.errors import UsageError
from consilience.evidence.ingest import Progress
from consilience.measure import metrics
from consilience.measure.answer_quality import AnswerQuality, checker_can_refuse, write_answers
from consilience.measure.controls import ask_off_topic, check_measurement, refuse_unindexed
from consilience.measure.data_model import (
    DEPTH,
    Comparison,
    Control,
    Golden,
    Interval,
    Question,
    ResolvedLabels,
    Run,
    Scores,
    judged_questions,
)
from consilience.measure.derived_passages import lookup_with_derived, resolve_derived
from consilience.measure.golden import golden_digest, question_digest
from consilience.measure.golden_health import find_problems, refuse_errors
from consilience.measure.label_resolver import Corpus, resolve_in
from consilience.measure.runs import (
    DEADLINES,
    MERGED,
    RUNS,
    AnswerCache,
    RunResults,
    answers_key,
    exceeds_deadlines,
    recorded_settings,
    run_questions,
)
from consilience.measure.seen_questions import SeenQuestions, read_seen_questions
from consilience.measure.statistics import (
    compare,
    correct_for_number,
    detectable_gain,
    format_p,
    interval,
    is_better,
    is_significant,
    is_worse,
)
from consilience.protocols import Lookup
from consilience.settings import Settings
from consilience.workspace import STORE, Workspace

SEED = 5
OTHER = "other"
"""The kind of a run that another system produced."""
WRITTEN = "written"
"""The folder of written answers, inside that of the runs."""
DIGEST = "digest"
SHARES = ("attribution", "page_in_top_5", "value_in_top_5", "value_on_page")
"""Of each question 0, 1, or None where it cannot be measured; of a way their mean."""
_SHOWN = 5
_SHAPE = {
    "golden": dict,
    "fingerprint": str,
    "settings": dict,
    "ways": dict,
    "controls": list,
    "questions": list,
}
_HOW = "make one with `consilience evaluate --json`"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions:
    """What an evaluation does beyond the default.

    `names` are the measures, `others` runs of other systems. With `tuned_on` the questions that
    tuning has seen are asked too; with `fresh` cached answers are dropped. `live` are the settings
    of a live search, where the workspace was opened with raised deadlines. With `answers` every
    question is answered in writing too, and that is measured. `engine` answers in place of the
    workspace's own; the questions of the digests `left_out` are not asked.
    """

    names: tuple[str, ...] = metrics.MEASURES
    others: Mapping[str, Run] = field(default_factory=dict)
    fresh: bool = False
    tuned_on: bool = False
    live: Settings | None = None
    answers: bool = False
    engine: Engine | None = None
    left_out: frozenset[str] = frozenset()


_DEFAULT = EvaluationOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class WayScores:
    """One way, scored: the value of every measure for every question, and the summary.

    `means` are by measure, `strict` and `lenient`. `questions` has, by question, the `SHARES`,
    `ms` and `refused`; None where that cannot be measured. `page_in_top_5` is attribution to one
    of the first five; `value_on_page` is, where the value is in the first five, whether on the
    right page.
    """

    kind: str
    strict: Scores
    means: Mapping[str, Mapping[str, Interval]]
    coverage: Mapping[str, float]
    diversity: float
    shares: Mapping[str, Interval | None]
    latency_ms: Mapping[str, float]
    refusals: Mapping[str, float | None]
    questions: Mapping[str, Mapping[str, float | bool | None]]

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        return {
            "kind": self.kind,
            "measures": {
                measure: {side: interval_json(mean) for side, mean in sides.items()}
                for measure, sides in self.means.items()
            },
            "coverage": dict(self.coverage),
            "diversity": self.diversity,
            **{name: mean and interval_json(mean) for name, mean in self.shares.items()},
            "latency_ms": dict(self.latency_ms),
            "refusals": dict(self.refusals),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A golden set, the answers of every way, how good they are, and whether to believe it.

    `left_out` counts the questions that tuning has seen. `primary` is the measure by which ways
    are compared: the first of `names`. `key` is a digest of all that the answers depend on.
    `latency_kept` counts the questions whose times were measured earlier, `too_late` those which a
    live search would have answered with less. `notes` say what a reader should know; `answers` are
    the written ones, if wanted.
    """

    golden: Golden
    path: str
    digest: str
    left_out: int
    resolved: ResolvedLabels
    runs: Mapping[str, Run]
    ways: Mapping[str, WayScores]
    names: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    controls: tuple[Control, ...]
    fingerprint: str
    settings: Mapping[str, Any]
    models: Mapping[str, Any]
    key: str = ""
    latency_kept: int = 0
    too_late: int = 0
    notes: tuple[str, ...] = ()
    seed: int = SEED
    deadlines: Mapping[str, int] = field(default_factory=lambda: dict(DEADLINES))
    answers: AnswerQuality | None = None

    @property
    def primary(self) -> str:
        """The measure by which ways are compared."""
        return self.names[0]

    @property
    def singles(self) -> list[str]:
        """The single sources, best first."""
        names = [name for name, way in self.ways.items() if way.kind == "source"]
        return sorted(names, key=lambda name: (-self.mean(name), name))

    def mean(self, way: str) -> float:
        """A way's mean of the primary measure."""
        return self.ways[way].means[self.primary]["strict"].mean

    @property
    def ranked_ways(self) -> list[str]:
        """All ways, best first."""
        return sorted(self.ways, key=lambda name: (-self.mean(name), name))

    @property
    def failed_controls(self) -> list[Control]:
        """The controls that did not pass."""
        return [control for control in self.controls if not control.passed]

    def categories(self, way: str) -> dict[str, dict[str, float]]:
        """By category: how many judged questions it has, and the mean of every measure."""
        groups: dict[str, list[str]] = {}
        for question in judged_questions(self.golden.questions):
            groups.setdefault(question.category, []).append(question.id)
        strict = self.ways[way].strict
        return {
            category: {
                "count": len(keys),
                **{name: sum(strict[name][key] for key in keys) / len(keys) for name in self.names},
            }
            for category, keys in sorted(groups.items())
        }

    def first(self, way: str, question: str) -> int | None:
        """The place of the first passage that answers a question; None when there is none."""
        return metrics.first_relevant(self.runs[way], self.resolved, question)

    def as_json(self) -> dict[str, Any]:
        """The evaluation as plain values; all that a gate or a later comparison needs."""
        questions = self.golden.questions
        judged = {question.id for question in judged_questions(questions)}
        values = {
            "version": 1,
            "consilience": consilience.__version__,
            "key": self.key,
            "golden": {
                "name": self.golden.name,
                "path": self.path,
                "digest": self.digest,
                "questions": len(questions),
                "judged": len(judged),
                "unanswerable": sum(question.unanswerable for question in questions),
                "tuned_on_left_out": self.left_out,
            },
            "fingerprint": self.fingerprint,
            "settings": dict(self.settings),
            "deadlines": dict(self.deadlines),
            "models": dict(self.models),
            "seed": self.seed,
            "latency_kept": self.latency_kept,
            "too_late": self.too_late,
            "notes": list(self.notes),
            "ways": {
                name: {**way.as_json(), "categories": self.categories(name)}
                for name, way in self.ways.items()
            },
            "comparisons": [comparison_json(comparison) for comparison in self.comparisons],
            "controls": [
                {"name": control.name, "passed": control.passed, "told": control.message}
                for control in self.controls
            ],
            "questions": [
                self._question_json(question) for question in questions if question.id in judged
            ],
            "unscored": [
                self._question_json(question) for question in questions if question.id not in judged
            ],
        }
        if self.answers is not None:
            values["answers"] = self.answers.as_json()
        return signed(values)

    def _question_json(self, question: Question) -> dict[str, Any]:
        key = question.id
        is_scored = key in self.ways[MERGED].strict[self.primary]
        is_answerable = True if question.judgements or question.facts else None
        answer = self.answers.written[key].as_json() if self.answers else {}
        ways: dict[str, dict[str, Any]] = {}
        for name, way in self.ways.items():
            ways[name] = {measure: way.strict[measure][key] for measure in self.names if is_scored}
            if is_scored:
                ways[name]["first"] = self.first(name, key)
            ways[name].update(way.questions[key])
        if answer:
            ways[MERGED]["support"] = answer["support"]
        return {
            "id": key,
            "text": question.text,
            "category": question.category,
            "answerable": False if question.unanswerable else is_answerable,
            "ways": ways,
            **({"answer": answer} if answer else {}),
        }


def evaluate(
    workspace: Workspace,
    golden: Golden,
    *,
    path: str = "",
    options: EvaluationOptions = _DEFAULT,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask every question in every way, score the results, and check the measurement itself.

    Questions that tuning has seen are left out, and cached answers used, unless the options say
    otherwise.
    """
    for name in options.names:
        metrics.parse_measure(name)
    engine = options.engine or workspace.engine
    digest, seen = golden_digest(golden), read_seen_questions(workspace.folder)
    left_out = options.left_out if options.tuned_on else options.left_out | seen.tuned
    unseen = tuple(
        question for question in golden.questions if question_digest(question) not in left_out
    )
    asked = replace(golden, questions=unseen) if judged_questions(unseen) else golden
    corpus = Corpus(workspace.catalogue)
    resolved = resolve_for_measuring(asked, workspace, corpus)
    others, notes = check_other_runs(options.others, resolved, workspace.catalogue.get)
    key = answers_key(workspace, digest, engine)
    folder = workspace.folder / STORE / RUNS
    cache = AnswerCache(folder / f"{key}.jsonl", fresh=options.fresh)
    results = run_questions(
        asked.questions, workspace, progress=progress, cache=cache, engine=engine
    )
    off_topic = ask_off_topic(workspace, cache, progress, engine)
    lookup = partial(lookup_with_derived, workspace.catalogue)
    resolved = resolve_derived(resolved, results.runs.values(), lookup)
    live = options.live or engine.settings
    too_late = sum(exceeds_deadlines(times, live) for times in results.times.values())
    problems = find_problems(asked, workspace.catalogue, runs=results.runs, corpus=corpus)
    controls = check_measurement(corpus, problems, resolved, results, off_topic, others, seen)
    answers = None
    if options.answers:
        written = folder / WRITTEN / f"{key}.jsonl"
        if options.fresh:
            written.unlink(missing_ok=True)
        answers = write_answers(workspace, resolved, cache=written, progress=progress)
        controls.append(checker_can_refuse(answers))
    ways = score_ways(results, others, resolved, lookup, names=options.names)
    return Evaluation(
        golden=asked,
        path=path,
        digest=digest,
        left_out=len(golden.questions) - len(asked.questions),
        resolved=resolved,
        runs={**results.runs, **others},
        ways=ways,
        names=options.names,
        comparisons=tuple(_compare_with_merged(ways, options.names[0])),
        controls=tuple(controls),
        fingerprint=workspace.catalogue.fingerprint(),
        settings=recorded_settings(engine.settings),
        models={
            "embed": workspace.embedder.name,
            "rerank": engine.reranker.name if engine.reranker else None,
        },
        key=key,
        latency_kept=results.cached,
        too_late=too_late,
        notes=(*notes, *_notes(asked, results, too_late, seen)),
        answers=answers,
    )


def resolve_for_measuring(
    golden: Golden, workspace: Workspace, corpus: Corpus | None = None
) -> ResolvedLabels:
    """The resolved labels; a corpus or a golden set that cannot be measured with is refused."""
    refuse_unindexed(workspace.catalogue)
    if not judged_questions(golden.questions):
        raise UsageError(
            f"{golden.name} has no question with a judgement above 0; nothing can be scored: "
            "add judgements, or begin with `consilience golden suggest`"
        )
    corpus = corpus or Corpus(workspace.catalogue)
    resolved = resolve_in(golden, corpus)
    refuse_errors(golden, workspace.catalogue, corpus)
    return resolved


def _notes(golden: Golden, results: RunResults, too_late: int, seen: SeenQuestions) -> list[str]:
    """What a reader should know about these numbers, though nothing is wrong with them."""
    count = len(golden.questions)
    notes = []
    if results.cached:
        notes.append(
            f"the times of {results.cached} of {count} questions were measured by an earlier "
            "evaluation; --fresh measures them again"
        )
    if too_late:
        notes.append(
            f"{too_late} of {count} questions took longer than a live search waits "
            "(retrieve.hard_ms, refine.rerank_ms): there it would answer with less"
        )
    calibrated = sum(question_digest(question) in seen.calibrated for question in golden.questions)
    if calibrated:
        notes.append(
            f"the calibration was learned from {calibrated} of these {count} questions, so "
            "refusals and reliability come out better here than on others"
        )
    return notes


# --- scoring ----------------------------------------------------------------------------


def score_ways(
    results: RunResults,
    others: Mapping[str, Run],
    resolved: ResolvedLabels,
    lookup: Lookup,
    *,
    names: tuple[str, ...],
) -> dict[str, WayScores]:
    """Every way scored by these measures; to find nothing in a failed question is no refusal."""
    runs = {**results.runs, **others}
    passages = metrics.needed_passages(runs.values(), resolved, lookup)
    ways = {}
    for name, run in runs.items():
        sound = run if name in others else results.without_failures(name)
        way = _score_way(run, sound, resolved, passages, names)
        ways[name] = replace(way, kind=OTHER) if name in others else way
    return ways


def _score_way(
    run: Run,
    without_failures: Run,
    resolved: ResolvedLabels,
    passages: metrics.Passages,
    names: tuple[str, ...],
) -> WayScores:
    golden = resolved.golden
    strict = metrics.score(run, resolved, names=names)
    means = {"strict": {name: _mean(strict[name]) for name in names}}
    means["lenient"] = means["strict"]  # a set by document or field knows no other
    if not resolved.homes:
        lenient = metrics.score(run, resolved, strict=False, names=names)
        means["lenient"] = {name: _mean(lenient[name]) for name in names}
    shares = {
        "attribution": metrics.attribution(run, resolved, passages),
        "page_in_top_5": metrics.attribution(run, resolved, passages, places=5),
        "value_in_top_5": metrics.value_in_top(run, golden, passages),
        "value_on_page": metrics.value_on_page(run, golden, passages),
    }
    keys = [question.id for question in golden.questions]
    return WayScores(
        kind=run.way.kind,
        strict=strict,
        means={name: {side: means[side][name] for side in means} for name in names},
        coverage=metrics.coverage(run, resolved, passages),
        diversity=metrics.diversity(run, passages, resolved.homes),
        shares={name: _mean(values) if values else None for name, values in shares.items()},
        latency_ms=metrics.percentiles([answer.ms for answer in run.answers.values()]),
        refusals=metrics.refusals(without_failures, golden),
        questions={
            key: {
                **{name: values.get(key) for name, values in shares.items()},
                "ms": run.answers[key].ms if key in run.answers else None,
                "refused": metrics.is_refused(without_failures.answers.get(key)),
            }
            for key in keys
        },
    )


def _mean(values: Mapping[str, float]) -> Interval:
    return interval(list(values.values()), seed=SEED)


def _compare_with_merged(ways: Mapping[str, WayScores], measure: str) -> list[Comparison]:
    """Merged against every other way, corrected for their number; other systems apart."""
    ours = ways[MERGED].strict[measure]
    own, foreign = (
        correct_for_number(
            [
                compare(ours, way.strict[measure], names=(MERGED, name), measure=measure, seed=SEED)
                for name, way in ways.items()
                if name != MERGED and (way.kind == OTHER) is is_foreign
            ]
        )
        for is_foreign in (False, True)
    )
    return [*own, *foreign]


def check_other_runs(
    others: Mapping[str, Run], resolved: ResolvedLabels, lookup: Lookup
) -> tuple[dict[str, Run], list[str]]:
    """Runs of other systems, restricted to this set's questions, and what is missing in them.

    A run that shares no question or no id is refused: its ids mean nothing here, so it would score
    0 in every measure, and look like a bad system.
    """
    runs, notes = {}, []
    asked = {question.id for question in resolved.golden.questions}
    units = {unit for grades in resolved.grades.values() for unit in grades}
    known = {*resolved.homes, *resolved.homes.values(), *units}
    for name, run in others.items():
        answers = {
            key: replace(answer, passages=answer.passages[:DEPTH], scores=answer.scores[:DEPTH])
            for key, answer in run.answers.items()
            if key in asked
        }
        if not answers:
            raise UsageError(
                f"the run {name} has no question of {resolved.golden.name}: it has "
                f"{_list_some(list(run.answers))}, the set has {_list_some(sorted(asked))}; name "
                "the run of this set"
            )
        runs[name] = replace(run, answers=answers)
        if missing := metrics.unanswered(runs[name], resolved.golden):
            notes.append(
                f"{name} has no answer to {len(missing)} judged questions, which score 0: "
                f"{_list_some(missing)}"
            )
        given = list(dict.fromkeys(key for answer in answers.values() for key in answer.passages))
        unjudged = [key for key in given if key not in known]
        stored = lookup(unjudged)
        unknown = [key for key in unjudged if key not in stored]
        if given and len(unknown) == len(given):
            raise UsageError(
                f"none of the {len(given)} ids in the run {name} is a passage or a judged text "
                f"here, such as {_list_some(unknown)}; a run must name passages, or what `--runs` "
                "writes"
            )
        if unknown:
            notes.append(
                f"{name} has {len(unknown)} ids of {len(given)} that are no passage here: "
                f"{_list_some(unknown)}"
            )
    return runs, notes


def _list_some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    return (", ".join(repr(key) for key in keys[:_SHOWN]) or "none") + more


# --- the verdict ------------------------------------------------------------------------


def verdict(evaluation: Evaluation) -> str:
    """Whether merged beats each single source, in a sentence, and against which that is open."""
    singles = evaluation.singles
    if len(singles) < 2:
        only = singles[0] if singles else "none"
        return f"Nothing is fused here: there is one source ({only})."
    found = [comparison for comparison in evaluation.comparisons if comparison.theirs in singles]
    better, worse = (
        [comparison for comparison in found if is_better(comparison)],
        [comparison for comparison in found if is_worse(comparison)],
    )
    undecided = [comparison for comparison in found if not is_significant(comparison)]
    if worse:
        worst = min(worse, key=lambda comparison: comparison.gain.mean)
        return (
            f"Fusing does not help here: {worst.theirs} alone is better than merged "
            f"({_format_gain(worst)}). `consilience tune` may find weights that help."
        )
    if not undecided:
        nearest = min(better, key=lambda comparison: comparison.gain.mean)
        return (
            "Fusing helps here: merged is better than every single source; the nearest is "
            f"{nearest.theirs} ({_format_gain(nearest)})."
        )
    unsure = "; ".join(
        f"{comparison.theirs} ({_format_gain(comparison)})" for comparison in undecided
    )
    scores = {name: way.strict[evaluation.primary] for name, way in evaluation.ways.items()}
    smallest = max(
        detectable_gain([scores[MERGED][key] - theirs[key] for key in theirs])
        for theirs in (scores[comparison.theirs] for comparison in undecided)
    )
    count = undecided[0].gain.count
    limit = f" With {count} questions a difference below {smallest:.3f} can hardly be seen."
    if better:
        names = ", ".join(comparison.theirs for comparison in better)
        return f"Merged is better than {names}; that is not shown against {unsure}.{limit}"
    return f"It is not shown that fusing helps here: not against {unsure}.{limit}"


def _format_gain(comparison: Comparison) -> str:
    gain, p = comparison.gain.mean, format_p(comparison.p_corrected)
    return f"{gain:+.3f} {comparison.measure}, {p}"


# --- earlier evaluations ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierComparison:
    """Each way now against the same way before; `notes` are what else is not the same."""

    path: str
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "path": self.path,
            "comparisons": [comparison_json(comparison) for comparison in self.comparisons],
            "notes": list(self.notes),
        }


def compare_with_earlier(
    evaluation: Evaluation, earlier: Mapping[str, Any], path: str
) -> EarlierComparison:
    """Compare with the JSON of an earlier evaluation, on the questions that both have."""
    if is_edited(earlier):
        raise UsageError(f"{path} is not as it was written; {_HOW}")
    measure = evaluation.primary
    asked = judged_questions(evaluation.golden.questions)
    texts = {(question.id, question.text) for question in asked}
    common = [
        question for question in earlier["questions"] if (question["id"], question["text"]) in texts
    ]
    before: dict[str, dict[str, float]] = {}
    for question in common:
        for name, values in question["ways"].items():
            if measure in values:
                before.setdefault(name, {})[question["id"]] = float(values[measure])
    ways = [name for name in evaluation.ways if name in before]
    if not ways:
        raise UsageError(
            f"{path} has no {measure} of a question and a way that this evaluation has too; "
            "compare evaluations of the same golden set and measure"
        )
    comparisons = [
        compare(
            {key: evaluation.ways[name].strict[measure][key] for key in before[name]},
            before[name],
            names=(name, f"{name}, before"),
            measure=measure,
            seed=SEED,
        )
        for name in ways
    ]
    now, notes = evaluation.as_json(), []
    if len(common) < max(len(asked), len(earlier["questions"])):
        notes.append(f"only the {len(common)} questions that both have are compared")
    if earlier.get("fingerprint") != now["fingerprint"]:
        notes.append("the corpus is another one")
    if earlier.get("golden", {}).get("digest") != now["golden"]["digest"]:
        notes.append("the golden set has changed")
    for part in ("models", "settings"):
        old, new = earlier.get(part, {}), now[part]
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        notes += [f"{name}: {old.get(name)!r} before, now {new.get(name)!r}" for name in changed]
    return EarlierComparison(
        path=path, comparisons=tuple(correct_for_number(comparisons)), notes=tuple(notes)
    )


# --- the JSON ---------------------------------------------------------------------------


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as plain values."""
    gain = comparison.gain
    return {
        "ours": comparison.ours,
        "theirs": comparison.theirs,
        "measure": comparison.measure,
        "gain": gain.mean,
        "low": gain.low,
        "high": gain.high,
        "count": gain.count,
        "p": comparison.p,
        "p_corrected": comparison.p_corrected,
    }


def interval_json(mean: Interval) -> dict[str, float]:
    """A mean with its interval as plain values."""
    return {"mean": mean.mean, "low": mean.low, "high": mean.high}


def signed(value: Mapping[str, Any]) -> dict[str, Any]:
    """These values with their digest, by which a later edit by hand is noticed."""
    return {**value, DIGEST: _json_digest(value)}


def is_edited(value: Mapping[str, Any]) -> bool:
    """Whether the values are not those that were written, or were written without a digest."""
    return value.get(DIGEST) != _json_digest(value)


def _json_digest(value: Mapping[str, Any]) -> str:
    """The digest of all values but the digest itself, however the file is laid out."""
    rest = {key: item for key, item in value.items() if key != DIGEST}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_evaluation(path: Path) -> dict[str, Any]:
    """The JSON of an evaluation; anything else is refused."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}; name a JSON file") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}; {_HOW}") from error
    if not isinstance(found, dict) or found.get("version") != 1:
        raise UsageError(f"{path} is not an evaluation of version 1; {_HOW}")
    wrong = [name for name, kind in _SHAPE.items() if not isinstance(found.get(name), kind)]
    if wrong:
        raise UsageError(f"{path} is not a complete evaluation: see {', '.join(wrong)}; {_HOW}")
    return found
