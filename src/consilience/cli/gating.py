"""May it go out? `gate`: an evaluation against thresholds, with an exit status for a pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import AsJson, In, app, err, home, print_json, tell, warn
from consilience.cli.bars import Bars
from consilience.cli.evaluating import Part, opened_patiently, read_chosen
from consilience.errors import UsageError
from consilience.measure.conditions import recorded
from consilience.measure.evaluate.evaluating import Wanted, evaluate
from consilience.measure.evaluate.keeping import answers_key
from consilience.measure.evaluate.reading import read_evaluation
from consilience.measure.gate.deciding import EXIT, Decision, decide
from consilience.measure.gate.soundness import Now
from consilience.measure.gate.thresholds import (
    Evaluated,
    Thresholds,
    read_thresholds,
    template,
)
from consilience.measure.golden.files import golden_digest
from consilience.measure.seen import seen
from consilience.settings import read_settings
from consilience.workspace import Workspace
from consilience.workspace.making import GATE

UNREADABLE = 2
"""The exit status when the gate itself could not be read."""
_STYLES = {"pass": "green", "re-evaluate": "yellow", "fail": "bold red"}


@app.command("gate")
def gate_command(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The gate; without it, gate.toml in the workspace."),
    ] = None,
    workspace: In = None,
    as_json: AsJson = False,
    evaluation: Annotated[
        Path | None,
        typer.Option(
            "--evaluation", metavar="FILE", help="The JSON of an evaluation; else one is made."
        ),
    ] = None,
    golden: Annotated[
        Path | None, typer.Option("--golden", metavar="FILE", help="The golden set to evaluate.")
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
        folder = home(workspace)
        path = file or folder / GATE
        if init:
            _init(path, evaluation)
            return
        wanted = read_thresholds(path)
        given = read_evaluation(evaluation) if evaluation else None
        with Bars(err) as bars, opened_patiently(folder, "gate") as space:
            found = given or _evaluated(space, (golden, part), wanted, bars)
            decision = decide(found, wanted, _now(space, found, golden, part))
    except UsageError as error:
        warn(f"error: {error}")
        raise typer.Exit(UNREADABLE) from error
    if as_json:
        print_json(decision.as_json())
    else:
        _print(decision)
    raise typer.Exit(EXIT[decision.verdict])


def _init(path: Path, evaluation: Path | None) -> None:
    if path.exists():
        raise UsageError(f"{path} exists already; edit it, or remove it first")
    path.write_text(template(read_evaluation(evaluation) if evaluation else None), encoding="utf-8")
    tell(f"wrote {path}")


def _evaluated(
    space: Workspace, which: tuple[Path | None, str], wanted: Thresholds, bars: Bars
) -> Evaluated:
    """An evaluation made now; where time is asked for, with times of now."""
    named, part = which
    path, golden = read_chosen(named, space.folder, part=part)
    asked = Wanted(live=read_settings(space.folder), fresh=wanted.latency_p95_ms is not None)
    found = evaluate(space, golden, path=str(path), wanted=asked, progress=bars).as_json()
    plain: Evaluated = json.loads(json.dumps(found))
    return plain


def _now(space: Workspace, evaluation: Evaluated, golden: Path | None, part: str) -> Now:
    """The workspace and the golden set as they are; a set that is not found has no digest."""
    path = golden or Path(str(evaluation["golden"].get("path", "")))
    there = golden is not None or (path != Path() and path.exists())
    digest = golden_digest(read_chosen(path, space.folder, part=part)[1]) if there else ""
    return Now(
        fingerprint=space.catalogue.fingerprint(),
        settings=recorded(space.settings),
        golden=digest,
        key=answers_key(space, digest),
        seen=seen(space.folder),
    )


def _print(decision: Decision) -> None:
    for one in decision.checks:
        tell(f"{one.verdict:<11}  {one.name}: {one.told}", style=_STYLES[one.verdict])
    tell("")
    for advice in decision.advice:
        tell(advice, style="bold")
    deciding = [one.name for one in decision.checks if one.verdict == decision.verdict]
    why = "" if decision.verdict == "pass" else f", because of: {'; '.join(deciding)}"
    tell(f"verdict: {decision.verdict}{why}", style=_STYLES[decision.verdict])
