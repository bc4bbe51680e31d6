"""How well does it find? `evaluate` on golden sets, `gate`, and `diagnose`."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import count as count_from
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated

import typer

from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    check_writable,
    count,
    err,
    open_for_command,
    print_heading,
    print_json,
    print_note,
    print_notes,
    print_table,
    print_text,
    print_warning,
    takes_query,
    workspace_folder,
)
from consilience.cli.progress import ProgressBars
from consilience.errors import UsageError
from consilience.kinds import graph_kinds
from consilience.measure import evaluation as evaluations
from consilience.measure import gate as gates
from consilience.measure import golden as golden_sets
from consilience.measure import trec
from consilience.measure.controls import NOT_CHECKED
from consilience.measure.data_model import Golden, Interval
from consilience.measure.diagnosis import FIRST, Diagnosis, diagnose
from consilience.measure.metrics import MEASURES
from consilience.measure.report import archive_report, evaluation_report
from consilience.measure.runs import MERGED, answers_key, patient_settings, recorded_settings
from consilience.measure.seen_questions import read_seen_questions
from consilience.measure.statistics import format_p
from consilience.settings import read_settings
from consilience.types import Passage, Query
from consilience.workspace import Workspace
from consilience.workspace.layout import GATE

GOLDEN = ("golden.yaml", "golden.yml", "golden.jsonl")
UNREADABLE = 2
"""The exit status when a gate could not be read."""
_COLUMNS = ("MRR@10", "R@20", "Hit@5")  # beside the primary measure, where they were measured
_MOST_SINGLES = 4  # single sources whose categories fit beside one another
_TITLE_LETTERS = 60
_VERDICT_STYLES = {"pass": "green", "re-evaluate": "yellow", "fail": "bold red"}

GoldenSet = Annotated[
    Path | None,
    typer.Argument(
        metavar="GOLDEN",
        help="A golden set (.yaml, .jsonl) or a BEIR folder; without it, golden.yaml or "
        "golden.jsonl in the workspace.",
    ),
]
Part = Annotated[str, typer.Option("--part", help="Which judgements of a BEIR folder.")]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write an HTML report here.")
]


@app.command("evaluate")
def evaluate_command(
    golden: GoldenSet = None,
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
    out: Report = None,
    runs: Annotated[
        Path | None, typer.Option("--runs", metavar="DIR", help="Write TREC runs and qrels here.")
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option("--run", metavar="FILE", help="Judge this TREC run of another system too."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Measure by this instead (nDCG@10, AP, …); the first one compares.",
        ),
    ] = None,
    sample: Annotated[
        int, typer.Option(metavar="N", help="Only so many questions, drawn by chance; 0 is all.")
    ] = 0,
    part: Part = "test",
    earlier: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="Compare with this earlier --json."),
    ] = None,
    tuned_on: Annotated[
        bool, typer.Option("--tuned-on", help="Ask the questions that tuning has seen as well.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the stored answers.")] = False,
    answers: Annotated[
        bool,
        typer.Option("--answers", help="Also write answers to all questions, and judge them."),
    ] = False,
) -> None:
    """Measure every source, every collection and merged on a golden set."""
    folder = workspace_folder(workspace)
    check_writable(out)
    if runs is not None:  # before the work that would be lost without it
        try:
            runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"--runs {runs} cannot be made: {error.strerror}; name a folder"
            ) from error
    path, chosen = read_chosen(golden, folder, part=part, sample=sample)
    before = evaluations.read_evaluation(earlier) if earlier else {}
    others = {}
    for file in run or ():
        other = trec.read_run(file)
        name = f"{other.way.name} ({file.name})"
        others[name] = replace(other, way=replace(other.way, name=name))
    options = evaluations.EvaluationOptions(
        names=tuple(dict.fromkeys(measure or MEASURES)),
        others=others,
        fresh=fresh,
        tuned_on=tuned_on,
        live=read_settings(folder),
        answers=answers,
    )
    with ProgressBars(err) as bars, opened_patiently(folder, "evaluate") as space:
        found = evaluations.evaluate(space, chosen, path=str(path), options=options, progress=bars)
    compared = evaluations.compare_with_earlier(found, before, str(earlier)) if earlier else None
    if runs is not None:
        _write_runs(found, runs)
    if out is not None:
        out.write_text(evaluation_report(found), encoding="utf-8")
        print_warning(f"wrote {out}")
    archive_report(folder, found)
    if as_json:
        more = {"against": compared.as_json()} if compared else {}
        print_json(evaluations.signed({**found.as_json(), **more}))
    else:
        _print_evaluation(found, compared)
    if found.failed_controls:
        red = ", ".join(control.name for control in found.failed_controls)
        print_warning(f"a control is red, do not rely on these numbers: {red}", style="bold red")
        raise typer.Exit(1)


def opened_patiently(folder: Path, command: str) -> Workspace:
    """A workspace with raised deadlines, so that no clock decides."""
    return open_for_command(folder, command, settings=patient_settings(read_settings(folder)))


def read_chosen(
    golden: Path | None, folder: Path, *, part: str = "test", sample: int = 0
) -> tuple[Path, Golden]:
    """The golden set that is named, or that of the workspace; perhaps a sample of it."""
    path = golden or next((folder / name for name in GOLDEN if (folder / name).exists()), None)
    if path is None:
        raise UsageError(
            f"{folder} has no {GOLDEN[0]} or {GOLDEN[2]}; name a golden set, or make one with "
            "`consilience golden suggest`"
        )
    found = trec.read_beir(path, part) if path.is_dir() else golden_sets.read_golden(path)
    if sample < 0:
        raise UsageError(f"--sample is {sample}; give the number of questions to draw")
    if not sample or sample >= len(found.questions):
        return path, found
    generator = random.Random(evaluations.SEED)  # noqa: S311 (no secret)
    drawn = sorted(generator.sample(range(len(found.questions)), sample))
    return path, replace(found, questions=tuple(found.questions[index] for index in drawn))


def _write_runs(found: evaluations.Evaluation, folder: Path) -> None:
    trec.write_qrels(found.resolved.grades, folder / "qrels.txt")
    for name, run in found.runs.items():
        safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
        trec.write_run(run, folder / f"{safe}.run", found.resolved)
    print_warning(f"wrote {len(found.runs)} runs and qrels.txt to {folder}")


def _print_evaluation(
    found: evaluations.Evaluation, compared: evaluations.EarlierComparison | None
) -> None:
    golden = found.golden
    first = f"{golden.name}: {count(len(golden.questions), 'question')}"
    if unanswerable := sum(question.unanswerable for question in golden.questions):
        first += f", of which {unanswerable:,} have no answer here and belong to no category"
    if found.left_out:
        first += f"; {found.left_out:,} that tuning has seen are left out (--tuned-on asks them)"
    print_text(first, style="bold")
    _print_ways(found)
    _print_categories(found)
    if found.answers:
        print_text("")
        print_table(["written answers", ""], found.answers.rows())
    if compared:
        print_text("")
        rows = [
            [gain.ours, f"{gain.gain.mean:+.3f}", _ends(gain.gain), format_p(gain.p_corrected)]
            for gain in compared.comparisons
        ]
        print_table([f"against {compared.path}", "gain", "95 % interval", "corrected"], rows)
        for note in compared.notes:
            print_text(f"  {note}", style="dim")
    print_text("")
    for control in found.controls:
        mark, style, message = "passed", "green", control.message
        if not control.passed:
            mark, style = "FAILED", "bold red"
        elif message.startswith(NOT_CHECKED):
            mark, style, message = "skipped", "dim", message.removeprefix(f"{NOT_CHECKED}: ")
        print_text(f"{mark:<7} {control.name}: {message}", style=style)
    for note in found.notes:
        print_text(f"note    {note}", style="dim")
    print_heading(evaluations.verdict(found))


def _print_ways(found: evaluations.Evaluation) -> None:
    primary = found.primary
    others = [name for name in found.names if name != primary]
    columns = [name for name in others if name in _COLUMNS] or others
    gains = {gain.theirs: gain for gain in found.comparisons}
    rows = []
    for name in found.ranked_ways:
        way, gain = found.ways[name], gains.get(name)
        strict, lenient = way.means[primary]["strict"], way.means[primary]["lenient"]
        times = f"{way.latency_ms['p50']:.0f}/{way.latency_ms['p95']:.0f}"
        rows.append(
            [
                name,
                f"{strict.mean:.3f} {_ends(strict)}",
                f"{lenient.mean:.3f}",
                *(f"{way.means[column]['strict'].mean:.3f}" for column in columns),
                "–" if way.kind == evaluations.OTHER else times,  # another system has no times
                f"{gain.gain.mean:+.3f} {format_p(gain.p_corrected)}" if gain else "",
            ]
        )
    print_table(["way", primary, "lenient", *columns, "ms p50/p95", f"{MERGED} − this"], rows)


def _print_categories(found: evaluations.Evaluation) -> None:
    by_way = {name: found.categories(name) for name in (MERGED, *found.singles[:_MOST_SINGLES])}
    if len(by_way[MERGED]) < 2:
        return
    print_text("")
    rows = []
    for category, values in by_way[MERGED].items():
        scores = [f"{by_way[name][category][found.primary]:.3f}" for name in by_way]
        rows.append([category or "(none)", str(int(values["count"])), *scores])
    print_table(["category", "questions", *by_way], rows)


def _ends(mean: Interval) -> str:
    return f"[{mean.low:.3f}, {mean.high:.3f}]"


# --- the gate -----------------------------------------------------------------------------


@app.command("gate")
def gate_command(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The gate; without it, gate.toml in the workspace."),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
    evaluation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An evaluation as JSON; else one is made."),
    ] = None,
    golden: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The golden set to evaluate.")
    ] = None,
    part: Part = "test",
    init: Annotated[
        bool, typer.Option("--init", help="Write a gate file with comments, to be edited.")
    ] = False,
) -> None:
    """Say whether an evaluation is good enough: pass, re-evaluate or fail, with reasons.

    Exit status 0: pass, 4: re-evaluate, 1: fail, 2: the gate or the evaluation cannot be read.
    """
    try:
        folder = workspace_folder(workspace)
        path = file or folder / GATE
        found = evaluations.read_evaluation(evaluation) if evaluation else None
        if init:
            if path.exists():
                raise UsageError(f"{path} exists already; edit it, or remove it first")
            path.write_text(gates.gate_template(found), encoding="utf-8")
            print_text(f"wrote {path}")
            return
        wanted = gates.Thresholds()
        if file or path.exists():
            wanted = gates.read_thresholds(path)
        else:
            print_note(f"there is no {GATE}: the default bounds hold; `--init` writes them there")
        with ProgressBars(err) as bars, opened_patiently(folder, "gate") as space:
            if found is None:
                golden_path, chosen = read_chosen(golden, folder, part=part)
                options = evaluations.EvaluationOptions(
                    live=read_settings(folder), fresh=wanted.latency_p95_ms is not None
                )
                evaluated = evaluations.evaluate(
                    space, chosen, path=str(golden_path), options=options, progress=bars
                )
                found = json.loads(json.dumps(evaluated.as_json()))
            decision = gates.decide(found, wanted, _workspace_state(space, found, golden, part))
    except UsageError as error:
        print_warning(f"error: {error}")
        raise typer.Exit(UNREADABLE) from error
    if as_json:
        print_json(decision.as_json())
    else:
        _print_decision(decision)
    raise typer.Exit(gates.EXIT[decision.verdict])


def _workspace_state(
    space: Workspace, evaluation: gates.EvaluationJson, golden: Path | None, part: str
) -> gates.WorkspaceState:
    """The workspace and the golden set as they are; a set that is not found has no digest."""
    path = golden or Path(str(evaluation["golden"].get("path", "")))
    digest = ""
    if golden is not None or (path != Path() and path.exists()):
        digest = golden_sets.golden_digest(read_chosen(path, space.folder, part=part)[1])
    return gates.WorkspaceState(
        fingerprint=space.catalogue.fingerprint(),
        settings=recorded_settings(space.settings),
        golden=digest,
        key=answers_key(space, digest),
        seen=read_seen_questions(space.folder),
    )


def _print_decision(decision: gates.Decision) -> None:
    for check in decision.checks:
        style = _VERDICT_STYLES[check.verdict]
        print_text(f"{check.verdict:<11}  {check.name}: {check.message}", style=style)
    print_text("")
    for advice in decision.advice:
        print_text(advice, style="bold")
    deciding = [check.name for check in decision.checks if check.verdict == decision.verdict]
    why = "" if decision.verdict == "pass" else f", because of: {'; '.join(deciding)}"
    print_text(f"verdict: {decision.verdict}{why}", style=_VERDICT_STYLES[decision.verdict])


# --- one question -------------------------------------------------------------------------


@app.command("diagnose")
@takes_query
def diagnose_command(
    query: Query,
    workspace: WorkspaceOption = None,
    limit: Annotated[int, typer.Option("-n", "--places", min=1, help="Places shown.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show all methods side by side for one question: raw scores, overlap, disagreement."""
    folder = workspace_folder(workspace)
    query = replace(query, limit=max(limit, FIRST))
    with open_for_command(folder, "diagnose") as space:
        found = asyncio.run(diagnose(query, space.engine, places=limit))
    print_notes(found.notes)
    if as_json:
        print_json(found.as_json(limit))
    else:
        _print_diagnosis(found, limit)


def _print_diagnosis(found: Diagnosis, places: int) -> None:
    trace = found.result.trace
    letters = (
        "".join(word) for size in count_from(1) for word in product(ascii_uppercase, repeat=size)
    )
    labels = dict(zip(found.passages, letters, strict=False))  # A, B, C … in order of appearance
    print_text(f"intent: {trace.plan.intent} ({trace.plan.rule})")
    if found.result.abstained:
        print_text("the search abstains: nothing is likely to answer this")
    if trace.plan.terms:
        print_text(f"also looked for: {', '.join(term.text for term in trace.plan.terms)}")
    for trust in trace.trusts.values():
        reasons = f" ({'; '.join(trust.reasons)})" if trust.reasons else ""
        print_text(
            f"trust in {trust.collection}: meaning {trust.meaning:.2f}, words {trust.words:.2f}, "
            f"neighbours {trust.neighbours:.2f}{reasons}"
        )
    _print_sources(found)
    _print_places(found, labels, places)
    _print_agreement(found)
    for outcome in trace.outcomes:
        if outcome.query:
            print_heading(f"what {outcome.source} asked its engine")
            print_text(outcome.query, style="dim")
    print_heading("the passages")
    for key, label in labels.items():
        print_text(f"  {label:>2}  {_describe_passage(found.passages[key])}")


def _print_sources(found: Diagnosis) -> None:
    print_heading("what each source gave, in its own scores")
    keys = ("max", "min", "spread", "gap_to_2", f"gap_to_{FIRST}")
    rows = []
    for column in found.columns_of("source"):
        numbers = [f"{column.spread[key]:.4g}" if column.spread else "" for key in keys]
        rows.append([column.name, str(len(column.order)), str(column.completed), *numbers])
    columns = ("source", "found", "scored since", "max", "min", "spread", "1st - 2nd", "1st - 10th")
    print_table(columns, rows)
    for outcome in found.result.trace.outcomes:
        if outcome.status != "ok":
            reason = f", {outcome.reason}" if outcome.reason else ""
            print_text(f"  {outcome.source}: {outcome.status}{reason}")
        for step in outcome.steps:
            print_text(f"  {outcome.source}: {step}")
        if outcome.missing:
            print_text(f"  {outcome.source} is missing: {', '.join(outcome.missing)}")


def _print_places(found: Diagnosis, labels: Mapping[str, str], places: int) -> None:
    print_heading(f"the first {places} places, with raw scores")
    rows = []
    for column in (*found.columns_of("source"), *found.columns_of("merged")):
        cells = [f"{labels.get(key, '?')} {score:.4g}" for key, score in column.order[:places]]
        rows.append([column.name, *cells, *[""] * (places - len(cells))])
    print_table(["", *(f"#{place + 1}" for place in range(places))], rows)
    print_heading("what each fuser would do, before refining")
    rows = [
        [
            f"{column.name}{' (in use)' if column.name == found.method else ''}",
            " ".join(labels.get(key, "?") for key, _ in column.order[:places]),
            f"{found.shared(column)} of {min(FIRST, len(column.order))}",
        ]
        for column in found.columns_of("fuser")
    ]
    print_table(("fuser", f"first {places}", "of its first ten, in use too"), rows)


def _print_agreement(found: Diagnosis) -> None:
    if found.overlaps:
        print_heading("how far sources agree")
        rows = [
            [
                f"{overlap.one} and {overlap.other}",
                f"{overlap.jaccard:.2f}",
                str(overlap.common),
                "" if overlap.tau is None else f"{overlap.tau:+.2f}",
            ]
            for overlap in found.overlaps
        ]
        columns = ("sources", "Jaccard of the first 10", "found by both", "same order (tau)")
        print_table(columns, rows)


def _describe_passage(passage: Passage) -> str:
    """Where a text is; of a row or a path, what it says: its place says less."""
    place = f" · {passage.locator}" if str(passage.locator) else ""
    is_short = passage.kind in graph_kinds() | {"row", "path", "calculation"}
    text = " ".join(passage.text.split()) if is_short else passage.title + place
    text = text if len(text) <= _TITLE_LETTERS else text[: _TITLE_LETTERS - 1] + "…"
    source = ""
    if passage.kind in ("row", "calculation"):  # alike in many files: with the file and the page
        page = f" p. {passage.locator.page}" if passage.locator.page else ""
        source = f"{Path(passage.document).name}{page}  "
    return f"{text}  {source}{passage.kind} {passage.collection} {passage.id[:12]}"
