"""How well does it find? `evaluate`: every way side by side, with intervals and controls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    err,
    home,
    opened,
    print_json,
    print_table,
    tell,
    warn,
    writable,
)
from consilience.cli.bars import Bars
from consilience.cli.logged import evaluate_journal
from consilience.errors import UsageError
from consilience.measure.answering import told
from consilience.measure.conditions import patient
from consilience.measure.evaluate.against import Against, against
from consilience.measure.evaluate.evaluating import SEED, Evaluation, Wanted, evaluate
from consilience.measure.evaluate.judging import OTHER, Judged
from consilience.measure.evaluate.reading import read_evaluation, signed
from consilience.measure.evaluate.report import report
from consilience.measure.evaluate.running import MERGED
from consilience.measure.evaluate.shelf import keep
from consilience.measure.evaluate.verdict import chance, verdict
from consilience.measure.golden.files import read_golden
from consilience.measure.golden.trec import read_beir, read_run, write_qrels, write_run
from consilience.measure.scoring.measures import MEASURES
from consilience.measure.values import Comparison, Control, Golden, Interval, Run
from consilience.settings import read_settings
from consilience.workspace import Workspace

GOLDEN = ("golden.yaml", "golden.yml", "golden.jsonl")
_COLUMNS = ("MRR@10", "R@20", "Hit@5")  # beside the primary measure, where they were measured
_UNCHECKED = "not checked: "  # how a control begins that had nothing to go by
_SINGLES = 4  # single sources whose categories fit beside one another

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
Runs = Annotated[
    Path | None, typer.Option("--runs", metavar="DIR", help="Write TREC runs and qrels here.")
]
Others = Annotated[
    list[Path] | None,
    typer.Option("--run", metavar="FILE", help="Judge this TREC run of another system too."),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Measure by this instead (nDCG@10, AP, …); the first one compares.",
    ),
]
Sample = Annotated[
    int,
    typer.Option(
        "--sample", metavar="N", help="Only so many questions, drawn by chance; 0 is all."
    ),
]
Earlier = Annotated[
    Path | None, typer.Option("--against", metavar="FILE", help="Compare with this earlier --json.")
]
TunedOn = Annotated[
    bool, typer.Option("--tuned-on", help="Ask the questions that tuning has seen as well.")
]
Written = Annotated[
    bool,
    typer.Option(
        "--answers", help="Have every question answered in writing too, and measure that."
    ),
]
FromJournal = Annotated[
    bool,
    typer.Option(
        "--journal",
        help="Compare the settings of `serve.other` with the workspace's own instead, by what "
        "people did with the answers of `consilience serve`.",
    ),
]
AsGolden = Annotated[
    Path | None,
    typer.Option(
        "--as-golden",
        metavar="FILE",
        help="With --journal: write what people read or praised as proposals, for you to check.",
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget the answers that are kept.")]


@app.command("evaluate")
def evaluate_command(
    golden: GoldenSet = None,
    workspace: In = None,
    as_json: AsJson = False,
    out: Report = None,
    runs: Runs = None,
    run: Others = None,
    measure: Names = None,
    sample: Sample = 0,
    part: Part = "test",
    earlier: Earlier = None,
    tuned_on: TunedOn = False,
    fresh: Fresh = False,
    answers: Written = False,
    journal: FromJournal = False,
    as_golden: AsGolden = None,
) -> None:
    """Measure every source, every collection and merged on a golden set."""
    folder = home(workspace)
    writable(out)
    if journal or as_golden:
        _refuse_both(golden, as_golden, journal=journal)
        evaluate_journal(folder, as_golden=as_golden, as_json=as_json)
        return
    _folder_for(runs)
    path, chosen = read_chosen(golden, folder, part=part, sample=sample)
    before = read_evaluation(earlier) if earlier else {}
    wanted = Wanted(
        names=tuple(dict.fromkeys(measure or MEASURES)),
        others=dict(_other(one) for one in run or ()),
        fresh=fresh,
        tuned_on=tuned_on,
        live=read_settings(folder),
        answers=answers,
    )
    found = _evaluated(folder, chosen, path, wanted)
    compared = against(found, before, str(earlier)) if earlier else None
    _write(found, out, runs)
    keep(folder, found)
    if as_json:
        more = {"against": compared.as_json()} if compared else {}
        print_json(signed({**found.as_json(), **more}))
    else:
        _print(found, compared)
    _end(found)


def _end(found: Evaluation) -> None:
    """Say that a control is red, with the exit status."""
    if not found.trusted:
        red = ", ".join(one.name for one in found.controls if not one.passed)
        warn(f"a control is red, do not rely on these numbers: {red}", style="bold red")
        raise typer.Exit(1)


def _refuse_both(golden: Path | None, as_golden: Path | None, *, journal: bool) -> None:
    """A journal and a golden set are two things to measure by; ask for one."""
    writable(as_golden, "--as-golden")
    if not journal:
        raise UsageError("--as-golden reads the journal; say --journal as well")
    if golden is not None:
        raise UsageError(f"--journal needs no golden set; leave out {golden}")


def opened_patiently(folder: Path, command: str) -> Workspace:
    """A workspace whose sources and reranker are waited for, so that no time decides."""
    return opened(folder, command, settings=patient(read_settings(folder)))


def _evaluated(folder: Path, golden: Golden, path: Path, wanted: Wanted) -> Evaluation:
    with (
        Bars(err) as bars,
        opened_patiently(folder, "evaluate") as space,
    ):
        return evaluate(space, golden, path=str(path), wanted=wanted, progress=bars)


def read_chosen(
    golden: Path | None, folder: Path, *, part: str = "test", sample: int = 0
) -> tuple[Path, Golden]:
    """The golden set that a command is for, or that of the workspace; perhaps a part of it."""
    path = golden or next((folder / one for one in GOLDEN if (folder / one).exists()), None)
    if path is None:
        raise UsageError(
            f"{folder} has no {GOLDEN[0]} or {GOLDEN[2]}; name a golden set, or make one with "
            "`consilience golden suggest`"
        )
    found = read_beir(path, part) if path.is_dir() else read_golden(path)
    if sample < 0:
        raise UsageError(f"--sample is {sample}; give the number of questions to draw")
    if not sample or sample >= len(found.questions):
        return path, found
    chance = random.Random(SEED)  # noqa: S311 (no secret)
    drawn = set(chance.sample(range(len(found.questions)), sample))
    kept = tuple(one for number, one in enumerate(found.questions) if number in drawn)
    return path, replace(found, questions=kept)


def _other(path: Path) -> tuple[str, Run]:
    run = read_run(path)
    name = f"{run.way.name} ({path.name})"
    return name, replace(run, way=replace(run.way, name=name))


def _folder_for(runs: Path | None) -> None:
    """Make the folder for runs, before the work that would be lost without it."""
    if runs is None:
        return
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"--runs {runs} cannot be made: {error.strerror}; name a folder"
        ) from error


def _write(found: Evaluation, out: Path | None, runs: Path | None) -> None:
    if runs is not None:
        write_qrels(found.resolved.grades, runs / "qrels.txt")
        for name, run in found.runs.items():
            safe = "".join(one if one.isalnum() or one in "-_." else "-" for one in name)
            write_run(run, runs / f"{safe}.run", found.resolved)
        warn(f"wrote {len(found.runs)} runs and qrels.txt to {runs}")
    if out is not None:
        out.write_text(report(found), encoding="utf-8")
        warn(f"wrote {out}")


# --- printing ---------------------------------------------------------------------------


def _print(found: Evaluation, compared: Against | None) -> None:
    golden = found.golden
    first = f"{golden.name}: {count(len(golden.questions), 'question')}"
    if without := sum(one.unanswerable for one in golden.questions):
        first += f", of which {without:,} have no answer here and belong to no category"
    if found.left_out:
        first += f"; {found.left_out:,} that tuning has seen are left out (--tuned-on asks them)"
    tell(first, style="bold")
    _print_ways(found)
    _print_categories(found)
    if found.answers:
        tell("")
        print_table(["written answers", ""], [list(one) for one in told(found.answers)])
    if compared:
        _print_against(compared)
    tell("")
    for one in found.controls:
        mark, style, reason = _marked(one)
        tell(f"{mark:<7} {one.name}: {reason}", style=style)
    for note in found.notes:
        tell(f"note    {note}", style="dim")
    tell("")
    tell(verdict(found), style="bold")


def _marked(one: Control) -> tuple[str, str, str]:
    """How a control went, its colour and what it says; one that was not made has not passed."""
    if one.passed and one.told.startswith(_UNCHECKED):
        return "skipped", "dim", one.told.removeprefix(_UNCHECKED)
    return ("passed", "green", one.told) if one.passed else ("FAILED", "bold red", one.told)


def _print_ways(found: Evaluation) -> None:
    primary = found.primary
    columns = [one for one in found.names if one != primary and one in _COLUMNS]
    columns = columns or [one for one in found.names if one != primary]
    gains = {one.theirs: one for one in found.comparisons}
    rows = []
    for name in sorted(found.ways, key=lambda one: (-found.mean(one), one)):
        way = found.ways[name]
        strict, lenient = way.means[primary]["strict"], way.means[primary]["lenient"]
        rows.append(
            [
                name,
                _spread(strict),
                f"{lenient.mean:.3f}",
                *(f"{way.means[one]['strict'].mean:.3f}" for one in columns),
                _times(way),
                _gain(gains[name]) if name in gains else "",
            ]
        )
    names = ["way", primary, "lenient", *columns, "ms p50/p95", f"{MERGED} − this"]
    print_table(names, rows)


def _times(way: Judged) -> str:
    if way.kind == OTHER:  # a run that was brought along says nothing of time
        return "–"
    return f"{way.latency_ms['p50']:.0f}/{way.latency_ms['p95']:.0f}"


def _print_categories(found: Evaluation) -> None:
    by_way = {name: found.categories(name) for name in (MERGED, *found.singles[:_SINGLES])}
    if len(by_way[MERGED]) < 2:
        return
    tell("")
    rows = [
        [
            category or "(none)",
            str(int(values["count"])),
            *(f"{by_way[name][category][found.primary]:.3f}" for name in by_way),
        ]
        for category, values in by_way[MERGED].items()
    ]
    print_table(["category", "questions", *by_way], rows)


def _print_against(compared: Against) -> None:
    tell("")
    rows: list[Sequence[str]] = [
        [one.ours, f"{one.gain.mean:+.3f}", _bounds(one.gain), chance(one.p_corrected)]
        for one in compared.comparisons
    ]
    print_table([f"against {compared.path}", "gain", "95 % interval", "corrected"], rows)
    for note in compared.notes:
        tell(f"  {note}", style="dim")


def _gain(one: Comparison) -> str:
    return f"{one.gain.mean:+.3f} {chance(one.p_corrected)}"


def _spread(one: Interval) -> str:
    return f"{one.mean:.3f} {_bounds(one)}"


def _bounds(one: Interval) -> str:
    return f"[{one.low:.3f}, {one.high:.3f}]"
