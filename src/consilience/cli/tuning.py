"""Which settings suit these documents? `tune`: tried on golden questions, shown on others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import (
    AsJson,
    In,
    app,
    err,
    home,
    print_json,
    print_table,
    tell,
    warn,
    writable,
)
from consilience.cli.bars import Bars
from consilience.cli.evaluating import GoldenSet, Part, opened_patiently, read_chosen
from consilience.measure.golden.files import golden_digest
from consilience.measure.rules import told
from consilience.measure.tune.applying import apply, difference, forget
from consilience.measure.tune.parameters import parameters_of
from consilience.measure.tune.parting import checked_share, digests
from consilience.measure.tune.preparing import prepared
from consilience.measure.tune.replay import Replay
from consilience.measure.tune.surfaces import as_json as tuning_json
from consilience.measure.tune.surfaces import page
from consilience.measure.tune.tuning import KEEP_OUT, SPLITS, Report, Surface, Tuning, tune

NOT_CONNECTED = 3
"""The exit status when a parameter's whole range changes nothing."""


Splits = Annotated[int, typer.Option(min=1, help="How often the tuning part is split into halves.")]
KeepOut = Annotated[
    float, typer.Option(help="Share of the questions that is scored once, at the end.")
]
Seed = Annotated[int, typer.Option(help="Which questions fall into which part.")]
Skip = Annotated[
    list[str] | None,
    typer.Option("--skip", metavar="NAME", help="Leave this parameter as it is."),
]
Out = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write an HTML report here.")
]
Apply = Annotated[
    bool, typer.Option("--apply", help="Write the settings, if they are recommended.")
]
Forget = Annotated[
    bool,
    typer.Option("--forget", help="Forget which questions were tuned on; settings stay."),
]


@app.command("tune")
def tune_command(
    golden: GoldenSet = None,
    workspace: In = None,
    as_json: AsJson = False,
    splits: Splits = SPLITS,
    keep_out: KeepOut = KEEP_OUT,
    seed: Seed = 5,
    skip: Skip = None,
    part: Part = "test",
    report: Out = None,
    write: Apply = False,
    drop: Forget = False,
) -> None:
    """Find the fuser, weights and depths that suit a golden set, and whether that is shown.

    Exit status 3: a parameter is not connected, whatever its value nothing changes.
    """
    folder = home(workspace)
    if drop:
        _forget(folder, as_json=as_json)
        return
    checked_share(keep_out)
    writable(report)
    _, chosen = read_chosen(golden, folder, part=part)
    with (
        Bars(err, again="run the same command again") as bars,
        opened_patiently(folder, "tune") as space,
    ):
        parameters_of(space.engine, skip=skip or ())  # a wrong name is refused before the work
        asked = prepared(space, chosen, progress=bars)
        _tell_before(asked)
        found = tune(
            asked, splits=splits, keep_out=keep_out, seed=seed, skip=skip or (), progress=bars
        )
        fingerprint = space.catalogue.fingerprint()
    if report is not None:
        report.write_text(page(found, name=chosen.name), encoding="utf-8")
        warn(f"wrote {report}")
    if as_json:
        print_json(tuning_json(found))
    else:
        _print(found, folder)
    if write:
        _apply(folder, found, golden_digest(chosen), fingerprint)
    _end(found)


def _tell_before(asked: Replay) -> None:
    kept, used, _ = asked.before.parts(digests(asked, range(len(asked))))
    if kept or used:
        warn(
            f"note: by earlier tuning or learning {len(used)} of these questions were chosen on "
            f"and {len(kept)} kept out; they stay so until that is forgotten (--forget)",
            style="yellow",
        )


def _forget(folder: Path, *, as_json: bool) -> None:
    known = forget(folder)
    if as_json:
        print_json({"forgot": known})
    elif known:
        tell("forgotten: the questions that were tuned on count as unseen; the settings stay")
    else:
        tell("nothing to forget: no settings were tuned here")


def _end(found: Tuning) -> None:
    for trouble in found.trouble:
        warn(f"note: {trouble}", style="yellow")
    if found.unconnected:
        names = ", ".join(one.parameter.title for one in found.unconnected)
        warn(f"not connected: {names}", style="bold red")
        raise typer.Exit(NOT_CONNECTED)


def _apply(folder: Path, found: Tuning, golden: str, fingerprint: str) -> None:
    if not found.recommended:
        warn("nothing is written: no change is recommended")
        return
    for line in difference(folder, found.choice):
        warn(line)
    written, overridden = apply(folder, found, golden=golden, fingerprint=fingerprint)
    warn(f"wrote {' and '.join(map(str, written))}")
    for name in overridden:
        warn(f"note: a variable of the environment overrides {name}", style="yellow")


def _print(found: Tuning, folder: Path) -> None:
    tell(
        f"{len(found.used)} questions to tune on, {len(found.kept)} kept out; "
        f"{found.splits} × 2 halves",
        style="bold",
    )
    print_table(
        ("parameter", "now", "best", "gives", "gain over now", "chosen in halves"),
        [_row(one) for one in found.surfaces],
    )
    _print_report("held-out halves", found.held_out)
    if found.kept_out:
        _print_report("kept out, scored once", found.kept_out)
    if len(found.intents) > 1:
        tell("")
        counts = ", ".join(f"{name} {number}" for name, number in sorted(found.intents.items()))
        tell(f"questions by intent: {counts}")
    tell("")
    for name, reason in found.untried.items():
        tell(f"not tried: {name}: {reason}")
    for one in found.unconnected:
        tell(f"not connected: {one.parameter.title}: {one.reason}", style="bold red")
    if found.choice:
        tell("the choice:" if found.recommended else "the choice, which is not recommended:")
        for line in difference(folder, found.choice):
            tell(f"  {line}")
    tell(found.verdict, style="bold")


def _row(surface: Surface) -> list[str]:
    now = next((one for one in surface.points if one.now), None)
    best = max(surface.points, key=lambda one: one.gives.mean)
    counts = sorted((one for one in surface.points if one.chosen), key=lambda one: -one.chosen)
    return [
        surface.parameter.title,
        str(now.value) if now else "",
        str(best.value) if surface.connected else "not connected",
        f"{best.gives.mean:.4f}",
        f"{best.gain.mean:+.4f} [{best.gain.low:+.4f}, {best.gain.high:+.4f}]",
        ", ".join(f"{one.value} ×{one.chosen}" for one in counts),
    ]


def _print_report(name: str, report: Report) -> None:
    tell("")
    gains = {one.theirs: one for one in report.comparisons if one.ours == "tuned"}
    rows = [
        [
            way,
            f"{one.mean:.4f} [{one.low:.4f}, {one.high:.4f}]",
            told(gains[way]) if way in gains else "",
        ]
        for way, one in report.means.items()
    ]
    print_table((name, "nDCG@10", "tuned − this"), rows)
