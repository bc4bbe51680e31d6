"""May it go out? `gate`: an evaluation against thresholds, with an exit status for a pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import AsJson, In, app, err, home, print_json, tell, warn
from consilience.cli.bars import Bars
from consilience.cli.evaluating import read_chosen
from consilience.cli.tuning import opened_patiently
from consilience.errors import UsageError
from consilience.measure.conditions import recorded
from consilience.measure.evaluate.evaluating import evaluate
from consilience.measure.gate.deciding import EXIT, Decision, decide, read_evaluation
from consilience.measure.gate.soundness import Now
from consilience.measure.gate.thresholds import GATE, Evaluated, read_thresholds, template
from consilience.measure.golden.files import golden_digest, read_golden
from consilience.measure.tune.applying import RECORD
from consilience.settings import read_settings
from consilience.workspace import STORE, Workspace

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
        found = read_evaluation(evaluation) if evaluation else _evaluated(folder, golden)
        decision = decide(found, wanted, _now(folder, found, golden))
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


def _evaluated(folder: Path, golden: Path | None) -> Evaluated:
    path, chosen = read_chosen(golden, folder)
    with (
        Bars(err) as bars,
        opened_patiently(folder, "gate") as space,
    ):
        found = evaluate(space, chosen, path=str(path), progress=bars).as_json()
    plain: Evaluated = json.loads(json.dumps(found))
    return plain


def _now(folder: Path, evaluation: Evaluated, golden: Path | None) -> Now:
    catalogue = Workspace.peek(folder)
    fingerprint = catalogue.fingerprint()
    catalogue.close()
    record = folder / STORE / RECORD
    try:
        tuned = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    except ValueError as error:
        raise UsageError(f"{record} is not JSON: {error}; remove it, and tune again") from error
    named = golden or Path(str(evaluation["golden"].get("path", "")))
    return Now(
        fingerprint=fingerprint,
        settings=recorded(read_settings(folder)),
        tuned=tuned,
        golden=golden_digest(read_golden(named)) if named.is_file() else "",
    )


def _print(decision: Decision) -> None:
    for one in decision.checks:
        tell(f"{one.verdict:<11}  {one.name}: {one.told}", style=_STYLES[one.verdict])
    tell("")
    for advice in decision.advice:
        tell(advice, style="bold")
    tell(f"verdict: {decision.verdict}", style=_STYLES[decision.verdict])
