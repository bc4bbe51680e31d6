"""What can labels teach? `calibrate` learns relevances, `learn` an order; both only if better."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.app import AsJson, In, app, err, home, print_json, print_table, tell, writable
from consilience.cli.bars import Bars
from consilience.cli.evaluating import GoldenSet, Part, opened_patiently, read_chosen
from consilience.measure.evaluate import plots
from consilience.measure.learn import calibrating
from consilience.measure.learn import fusing as learned
from consilience.measure.learn.calibrating import Measured
from consilience.measure.pages import whole_page
from consilience.measure.scoring.measures import PRIMARY

Forget = Annotated[bool, typer.Option("--forget", help="Drop what was learned here before.")]
Try = Annotated[bool, typer.Option("--try", help="Say what would be done, and keep nothing.")]
_SHOWN = 6  # features


@app.command()
def calibrate(
    golden: GoldenSet = None,
    workspace: In = None,
    part: Part = "test",
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the plot here (HTML).")
    ] = None,
    only_try: Try = False,
    forget: Forget = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a golden set how likely a hit is relevant; kept only if better than shipped."""
    folder = home(workspace)
    if forget:
        _forgot(calibrating.forget(folder), "the shipped calibration is used", as_json=as_json)
        return
    writable(report)
    _, chosen = read_chosen(golden, folder, part=part)
    with Bars(err) as bars, opened_patiently(folder, "calibrate") as space:
        found = calibrating.calibrate(space, chosen, progress=bars)
        kept = found.adopt and not only_try
        if kept:
            calibrating.adopt(space, found)
    if report:
        report.write_text(_page(found), encoding="utf-8")
    if as_json:
        print_json({**found.as_json(), "kept": kept})
        return
    tell(f"{chosen.name}: {found.told}")
    if found.left_out:
        tell(f"{found.left_out:,} questions that tuning or learning kept out were not looked at")
    _print_measured(found)
    tell(_done(kept=kept, only_try=only_try, what="this calibration"))


@app.command()
def learn(
    golden: GoldenSet = None,
    workspace: In = None,
    part: Part = "test",
    only_try: Try = False,
    forget: Forget = False,
    as_json: AsJson = False,
) -> None:
    """Learn an order from half of a golden set; used only if it wins on the other half."""
    folder = home(workspace)
    if forget:
        _forgot(learned.forget(folder), "the fused order is used", as_json=as_json)
        return
    _, chosen = read_chosen(golden, folder, part=part)
    with Bars(err) as bars, opened_patiently(folder, "learn") as space:
        found = learned.learn_order(space, chosen, progress=bars)
        kept = found.adopt and not only_try
        if kept:
            learned.adopt(space, found)
    if as_json:
        print_json({**found.as_json(), "kept": kept})
        return
    tell(f"{chosen.name}: {found.told}")
    tell(f"{len(found.taught)} questions taught, {found.gain.gain.count} decided")
    tell(f"{PRIMARY} as it is {found.before:.4f}, learned {found.after:.4f}")
    shown = list(found.weights.items())[:_SHOWN]
    tell("what counts: " + ", ".join(f"{name} {share:.0%}" for name, share in shown))
    tell(_done(kept=kept, only_try=only_try, what="the learned order"))


def _forgot(known: bool, told: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"forgot": known})
        return
    tell(f"forgotten; {told}" if known else f"nothing was learned here; {told}")


def _done(*, kept: bool, only_try: bool, what: str) -> str:
    if kept:
        return f"{what} is used from now on; --forget goes back"
    return f"{what} was only tried" if only_try else f"{what} is not used"


def _print_measured(found: calibrating.TriedCalibration) -> None:
    sides = {"own, on unseen questions": found.held_out, "shipped": found.before}
    rows = [_row(name, one) for name, one in sides.items() if one is not None]
    columns = ("calibration", "Brier", "error", "refused, no answer", "refused, answerable")
    print_table(columns, rows)
    if found.floor is not None and found.adopt:
        none, some = (_share(found.at_floor[name]) for name in ("unanswerable", "answerable"))
        tell(f"best floor: refine.floor = {found.floor:g} would refuse {none} and {some}")
    tell("")
    bins = [[f"{one.given:.2f}", f"{one.came:.2f}", f"{one.hits:,}"] for one in found.held_out.bins]
    print_table(("relevance given", "share relevant", "hits"), bins)


def _row(name: str, one: Measured) -> list[str]:
    return [
        name,
        f"{one.brier:.4f}",
        f"{one.error:.4f}",
        _share(one.refusals["unanswerable"]),
        _share(one.refusals["answerable"]),
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _page(found: calibrating.TriedCalibration) -> str:
    sides = {"Own, on questions it was not learned from": found.held_out, "Shipped": found.before}
    parts = [
        f"<h2>{escape(name)}</h2><p>Brier {one.brier:.4f}, calibration error {one.error:.4f}</p>"
        + plots.reliability([(b.given, b.came, b.hits) for b in one.bins], title=name)
        for name, one in sides.items()
        if one is not None
    ]
    told = f"<header><h1>Calibration</h1><p class='verdict'>{escape(found.told)}</p></header>"
    return whole_page("Calibration", told + "".join(parts))
