"""What can be improved by labels? `tune` settings, `calibrate` relevances."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    check_writable,
    err,
    print_json,
    print_note,
    print_table,
    print_text,
    print_warning,
    workspace_folder,
)
from consilience.cli.evaluate import GoldenSet, Part, Report, opened_patiently, read_chosen
from consilience.cli.progress import ProgressBars
from consilience.measure.calibration import (
    CalibrationTrial,
    adopt_calibration,
    forget_calibration,
)
from consilience.measure.calibration import calibrate as calibrate_workspace
from consilience.measure.golden import golden_digest
from consilience.measure.metrics import PRIMARY
from consilience.measure.report import calibration_report, tuning_report
from consilience.measure.statistics import format_gain
from consilience.measure.tuning import (
    KEEP_OUT,
    Replay,
    Surface,
    Tuning,
    apply_tuning,
    case_digests,
    check_share,
    diff_settings,
    forget_tuning,
    list_parameters,
    prepare_tuning,
    tune,
)

NOT_CONNECTED = 3
"""The exit status when a parameter's whole range changes nothing."""
Forget = Annotated[bool, typer.Option("--forget", help="Drop what was learned here before.")]
Try = Annotated[bool, typer.Option("--try", help="Say what would be done, and keep nothing.")]


@app.command("tune")
def tune_command(
    golden: GoldenSet = None,
    workspace: WorkspaceOption = None,
    as_json: AsJson = False,
    keep_out: Annotated[
        float, typer.Option(help="Share of the questions that is scored once, at the end.")
    ] = KEEP_OUT,
    seed: Annotated[int, typer.Option(help="Which questions fall into which part.")] = 5,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="NAME", help="Leave this parameter as it is."),
    ] = None,
    part: Part = "test",
    report: Report = None,
    write: Annotated[
        bool, typer.Option("--apply", help="Write the settings, if they are recommended.")
    ] = False,
    drop: Annotated[
        bool,
        typer.Option("--forget", help="Forget which questions were tuned on; settings stay."),
    ] = False,
) -> None:
    """Find the fuser, weights and depths that suit a golden set, and whether that is shown.

    Exit status 3: a parameter is not connected, whatever its value nothing changes.
    """
    folder = workspace_folder(workspace)
    if drop:
        outcome = "the questions that were tuned on count as unseen; the settings stay"
        _print_forgotten(forget_tuning(folder), outcome, as_json=as_json)
        return
    check_share(keep_out)
    check_writable(report)
    _, chosen = read_chosen(golden, folder, part=part)
    with (
        ProgressBars(err, hint="run the same command again") as bars,
        opened_patiently(folder, "tune") as space,
    ):
        list_parameters(space.engine, skip=skip or ())  # a wrong name is refused before the work
        replay = prepare_tuning(space, chosen, progress=bars)
        _warn_of_seen(replay)
        found = tune(replay, keep_out=keep_out, seed=seed, skip=skip or (), progress=bars)
        fingerprint = space.catalogue.fingerprint()
    if report is not None:
        report.write_text(tuning_report(found, name=chosen.name), encoding="utf-8")
        print_warning(f"wrote {report}")
    if as_json:
        print_json(found.as_json())
    else:
        _print_tuning(found, folder)
    if write:
        _apply(folder, found, golden_digest(chosen), fingerprint)
    for trouble in found.trouble:
        print_note(trouble)
    if found.unconnected:
        names = ", ".join(surface.parameter.title for surface in found.unconnected)
        print_warning(f"not connected: {names}", style="bold red")
        raise typer.Exit(NOT_CONNECTED)


def _warn_of_seen(replay: Replay) -> None:
    kept, used, _ = replay.seen.parts(case_digests(replay, range(len(replay))))
    if kept or used:
        print_note(
            f"by earlier tuning {len(used)} of these questions were chosen on "
            f"and {len(kept)} kept out; they stay so until that is forgotten (--forget)"
        )


def _apply(folder: Path, found: Tuning, golden: str, fingerprint: str) -> None:
    if not found.recommended:
        print_warning("nothing is written: no change is recommended")
        return
    for line in diff_settings(folder, found.choice):
        print_warning(line)
    written, overridden = apply_tuning(folder, found, golden=golden, fingerprint=fingerprint)
    print_warning(f"wrote {' and '.join(map(str, written))}")
    for name in overridden:
        print_note(f"a variable of the environment overrides {name}")


def _print_tuning(found: Tuning, folder: Path) -> None:
    print_text(f"{len(found.used)} questions to tune on, {len(found.kept)} kept out", style="bold")
    print_table(
        ("parameter", "now", "best", "gives", "gain over now"),
        [_surface_row(surface) for surface in found.surfaces],
    )
    print_text("")
    gains = {gain.theirs: gain for gain in found.kept_out.comparisons}
    rows = [
        [
            way,
            f"{mean.mean:.4f} [{mean.low:.4f}, {mean.high:.4f}]",
            format_gain(gains[way]) if way in gains else "",
        ]
        for way, mean in found.kept_out.means.items()
    ]
    print_table(("kept out, scored once", PRIMARY, "tuned − this"), rows)
    print_text("")
    for name, reason in found.untried.items():
        print_text(f"not tried: {name}: {reason}")
    for surface in found.unconnected:
        print_text(f"not connected: {surface.parameter.title}: {surface.reason}", style="bold red")
    if found.choice:
        print_text("the choice:" if found.recommended else "the choice, which is not recommended:")
        for line in diff_settings(folder, found.choice):
            print_text(f"  {line}")
    print_text(found.verdict, style="bold")


def _surface_row(surface: Surface) -> list[str]:
    now = next((str(point.value) for point in surface.points if point.now), "")
    best = max(surface.points, key=lambda point: point.gives.mean)
    return [
        surface.parameter.title,
        now,
        str(best.value) if surface.connected else "not connected",
        f"{best.gives.mean:.4f}",
        f"{best.gain.mean:+.4f} [{best.gain.low:+.4f}, {best.gain.high:+.4f}]",
    ]


@app.command()
def calibrate(
    golden: GoldenSet = None,
    workspace: WorkspaceOption = None,
    part: Part = "test",
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the plot here (HTML).")
    ] = None,
    only_try: Try = False,
    forget: Forget = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a golden set how likely a hit is relevant; kept only if better than shipped."""
    folder = workspace_folder(workspace)
    if forget:
        existed = forget_calibration(folder)
        _print_forgotten(existed, "the shipped calibration is used", as_json=as_json)
        return
    check_writable(report)
    _, chosen = read_chosen(golden, folder, part=part)
    with ProgressBars(err) as bars, opened_patiently(folder, "calibrate") as space:
        trial = calibrate_workspace(space, chosen, progress=bars)
        kept = trial.adopt and not only_try
        if kept:
            adopt_calibration(space, trial)
    if report:
        report.write_text(calibration_report(trial), encoding="utf-8")
    if as_json:
        print_json({**trial.as_json(), "kept": kept})
        return
    print_text(f"{chosen.name}: {trial.message}")
    if trial.left_out:
        print_text(f"{trial.left_out:,} questions that tuning kept out were not looked at")
    _print_quality(trial)
    _print_outcome("this calibration", kept=kept, only_try=only_try)


def _print_forgotten(existed: bool, outcome: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"forgot": existed})
    else:
        print_text(f"{'forgotten' if existed else 'nothing to forget'}; {outcome}")


def _print_outcome(what: str, *, kept: bool, only_try: bool) -> None:
    if kept:
        print_text(f"{what} is used from now on; --forget goes back")
    else:
        print_text(f"{what} was only tried" if only_try else f"{what} is not used")


def _print_quality(trial: CalibrationTrial) -> None:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    sides = {"own, on unseen questions": trial.held_out, "shipped": trial.before}
    rows = [
        [
            name,
            f"{quality.brier:.4f}",
            f"{quality.error:.4f}",
            share(quality.refusals["unanswerable"]),
            share(quality.refusals["answerable"]),
        ]
        for name, quality in sides.items()
        if quality is not None
    ]
    columns = ("calibration", "Brier", "error", "refused, no answer", "refused, answerable")
    print_table(columns, rows)
    if trial.floor is not None and trial.adopt:
        unanswerable, answerable = (
            share(trial.at_floor[side]) for side in ("unanswerable", "answerable")
        )
        print_text(
            f"best floor: refine.floor = {trial.floor:g} would refuse {unanswerable} and "
            f"{answerable}"
        )
    print_text("")
    bins = [
        [f"{part.given:.2f}", f"{part.came:.2f}", f"{part.hits:,}"] for part in trial.held_out.bins
    ]
    print_table(("relevance given", "share relevant", "hits"), bins)
