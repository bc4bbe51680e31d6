"""Which command does travel add? `consilience trip`: it prints each step, then the plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    check_writable,
    open_for_command,
    out,
    print_notes,
    print_raw,
    print_warning,
    workspace_folder,
)
from consilience.errors import UsageError
from consilience.packs.travel import trip_planner
from consilience.settings import read_settings

if TYPE_CHECKING:  # loading these takes a while; only a plan needs them
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.itinerary import Trip
    from consilience.packs.travel.trip_planner import Stage

_DONE = {
    "analyse": "analysed",
    "plan": "planned the search",
    "retrieve": "searched",
    "compose": "composed",
    "advise": "advised",
    "check": "checked",
}
_FORMATS = {".txt": "text", ".md": "markdown", ".json": "json", ".ics": "ics", ".svg": "svg",
             ".geojson": "geojson"}  # fmt: skip
_WIDEST = 100

Words = Annotated[str, typer.Argument(help="What the trip should be like, in words.")]
Days = Annotated[int | None, typer.Option("--days", min=1, help="How many days.")]
StartDate = Annotated[
    str, typer.Option("--start-date", metavar="YYYY-MM-DD", help="The first day.")
]
Budget = Annotated[
    str, typer.Option("--budget", help="For all together: '500 USD' or '40 EUR a day'.")
]
Start = Annotated[str, typer.Option("--from", metavar="CITY", help="Where it begins.")]
End = Annotated[str, typer.Option("--to", metavar="CITY", help="Where it ends.")]
Pace = Annotated[str, typer.Option("--pace", help="relaxed, balanced or packed.")]
Format = Annotated[
    str,
    typer.Option("--format", help="text, markdown, json, ics, svg or geojson; else by --output."),
]
Output = Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write it there.")]
Model = Annotated[
    bool | None,
    typer.Option(
        "--model/--no-model",
        help="Let the language model of the settings read the wish, or the grammar.",
        show_default=False,
    ),
]
Step = Annotated[str, typer.Option("--step", help=f"What one step gives: {', '.join(_DONE)}.")]


def trip(
    wish: Words,
    workspace: WorkspaceOption = None,
    days: Days = None,
    start_date: StartDate = "",
    budget: Budget = "",
    start: Start = "",
    end: End = "",
    pace: Pace = "",
    form: Format = "",
    output: Output = None,
    model: Model = None,
    step: Step = "",
    as_json: AsJson = False,
) -> None:
    """Plan a trip: checked day by day, with every place cited and a budget that adds up."""
    shown = _choose_format(form, output, step, as_json=as_json)
    folder = workspace_folder(workspace)
    with open_for_command(folder, "trip") as space:
        from consilience.packs.travel.wish import Options  # noqa: PLC0415 - see above

        atlas = trip_planner.open_atlas(space)
        options = Options(
            days=days, starts_on=_day(start_date), budget=budget, pace=pace, start=start, end=end
        )
        stages = trip_planner.stream_trip(
            space, wish, changes=options.constraints(atlas), model=_uses_model(folder, model)
        )
        with closing(stages):
            last = _print_stages(stages, until=step)
    if last.step != "done":
        _write(_step_json(last, atlas), output)
        return
    _finish(cast("Trip", last.value), atlas, shown, output)


def _finish(trip: Trip, atlas: Atlas, shown: str, output: Path | None) -> None:
    """Print a trip; where there is none, its reason, and exit status 1."""
    if shown != "json":
        print_notes(trip.notes)
    if trip.itinerary is None:
        if shown == "json":
            _write(_writers()[shown](trip, atlas), output)
        print_warning(f"no trip: {trip.reason}")
        raise typer.Exit(1)
    _write(_writers()[shown](trip, atlas), output)


def _print_stages(stages: Iterator[Stage], *, until: str) -> Stage:
    """Print each stage as it ends; return the last one, or the one of the step that is wanted."""
    for stage in stages:
        if stage.step in _DONE:
            print_warning(f"✓ {_DONE[stage.step]}: {stage.summary}", style="dim")
        if stage.step in ("done", until):
            return stage
    raise AssertionError("a trip ends with a stage that is done")


def _choose_format(form: str, output: Path | None, step: str, *, as_json: bool) -> str:
    """The format to print; a wrong choice is refused before any work."""
    check_writable(output, "--output")
    if step and step not in _DONE:
        raise UsageError(f"unknown --step {step!r}; known: {', '.join(_DONE)}")
    if form and form not in _FORMATS.values():
        raise UsageError(f"unknown --format {form!r}; known: {', '.join(_FORMATS.values())}")
    if step and form not in {"", "json"}:
        raise UsageError(f"--step {step} is printed as JSON; leave --format {form} out")
    if as_json and form not in {"", "json"}:
        raise UsageError(f"--json and --format {form} are two formats; give one of them")
    by_name = _FORMATS.get(output.suffix.lower(), "") if output else ""
    return form or ("json" if as_json else by_name) or "text"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise UsageError(f"--start-date {text!r} is no date; write it as 2027-03-09") from error


def _uses_model(folder: Path, model: bool | None) -> bool:
    """Whether a language model does the steps; by default where the settings name one."""
    known = read_settings(folder).models.generate != "none"
    if model and not known:
        raise UsageError(
            "--model: no language model is set; set models.generate, e.g. to openai:<model>"
        )
    return known if model is None else model


def _writers() -> dict[str, Callable[[Trip, Atlas], str]]:
    """What writes a trip, by format."""
    from consilience.packs.travel import exports  # noqa: PLC0415 - see above

    width = min(out.width, _WIDEST) if out.is_terminal else _WIDEST
    return {
        "text": lambda trip, atlas: exports.trip_text(trip, atlas, width=width),
        "markdown": exports.markdown,
        "json": lambda trip, atlas: _to_json(exports.trip_json(trip, atlas)),
        "ics": lambda trip, atlas: exports.calendar(trip, atlas).decode(),
        "svg": exports.svg,
        "geojson": lambda trip, atlas: _to_json(exports.geojson(trip, atlas)),
    }


def _step_json(stage: Stage, atlas: Atlas) -> str:
    """What a step gives, as JSON."""
    from consilience.packs.travel import exports  # noqa: PLC0415 - see above
    from consilience.packs.travel.itinerary import Report  # noqa: PLC0415
    from consilience.packs.travel.wish import Wish, wish_to_json  # noqa: PLC0415

    if isinstance(stage.value, Wish):
        return _to_json(wish_to_json(stage.value, atlas))
    if isinstance(stage.value, Report):
        return _to_json(exports.report_json(stage.value, atlas))
    return _to_json(exports.plain_json(stage.value))


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(text: str, output: Path | None) -> None:
    """Write to a file, or to stdout."""
    if output is None:
        print_raw(text)
        return
    output.write_bytes(text.encode())  # bytes: calendars have line ends of their own
    print_warning(f"written to {output}")
