"""A trip for a wish: `consilience trip`. Its steps are told as they end, the plan comes at last."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from consilience.cli.app import (
    AsJson,
    In,
    app,
    home,
    opened,
    out,
    print_notes,
    warn,
    writable,
)
from consilience.errors import UsageError
from consilience.packs.travel.extra import needed
from consilience.packs.travel.trips.given import Given
from consilience.settings import read_settings
from consilience.workspace import touring

if TYPE_CHECKING:  # what shows a trip needs an extra, and is imported when one is shown
    from consilience.packs.travel.atlas import Atlas
    from consilience.packs.travel.trips.running import Stage
    from consilience.packs.travel.trips.types import Trip

_DONE = {
    "analyse": "analysed",
    "plan": "planned the search",
    "retrieve": "searched",
    "compose": "composed",
    "advise": "advised",
    "check": "checked",
}
_OF_TRIP = {"compose": "itinerary", "advise": "advice", "check": "findings"}
_SUFFIXES = {".txt": "text", ".md": "markdown", ".json": "json", ".ics": "ics", ".svg": "svg",
             ".geojson": "geojson"}  # fmt: skip
_READ = ("text", "markdown", "json")  # formats that have notes in them
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
        help="Have the language model of the settings do the steps, or reckon them.",
        show_default=False,
    ),
]
Step = Annotated[str, typer.Option("--step", help=f"What one step gives: {', '.join(_DONE)}.")]


@app.command("trip")
def trip_command(
    wish: Words,
    workspace: In = None,
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
    needed()
    shown = _form(form, output, step, as_json=as_json)
    given = Given(
        days=days, starts_on=_day(start_date), budget=budget, pace=pace, start=start, end=end
    )
    folder = home(workspace)
    with opened(folder, "trip") as space:
        atlas = touring.atlas_of(space)
        modelled = _is_modelled(folder, model)
        with closing(touring.events(space, wish, given=given, model=modelled)) as events:
            last = _told(events, until=step)
    if last.step != "done":
        _put(_dumped(last.value), output)
        return
    trip = cast("Trip", last.value)
    if step and trip.itinerary is not None:
        _put(_dumped(getattr(trip, _OF_TRIP[step])), output)
        return
    _finish(trip, atlas, shown, output)


def _finish(trip: Trip, atlas: Atlas, shown: str, output: Path | None) -> None:
    """Print a trip; of a refused one, why it is and what can be had instead, with status 1."""
    if shown not in _READ:
        print_notes(trip.notes)
    if trip.status == "refused":
        if shown == "json":
            _put(_shapes()[shown](trip, atlas), output)
        warn(f"no trip: {trip.refusal}")
        for offer in trip.offers:
            warn(f"instead: {offer}")
        raise typer.Exit(1)
    _put(_shapes()[shown](trip, atlas), output)


def _told(events: Iterator[Stage], *, until: str) -> Stage:
    """The last stage, or that of a step which is wanted alone; each is told as it comes.

    Steps of composing come again after a check: of these the one that was kept is in the trip.
    """
    for stage in events:
        if stage.step in _DONE:
            warn(f"✓ {_DONE[stage.step]}: {stage.said}", style="dim")
        if stage.step == "done" or (stage.step == until and until not in _OF_TRIP):
            return stage
    raise AssertionError("a trip ends with a stage that is done")


def _form(form: str, output: Path | None, step: str, *, as_json: bool) -> str:
    """How the trip is to be shown; refused before any work where that cannot be."""
    writable(output, "--output")
    if step and step not in _DONE:
        raise UsageError(f"unknown --step {step!r}; known: {', '.join(_DONE)}")
    if form and form not in _SUFFIXES.values():
        raise UsageError(f"unknown --format {form!r}; known: {', '.join(_SUFFIXES.values())}")
    if step and form not in {"", "json"}:
        raise UsageError(f"--step {step} is printed as JSON; leave --format {form} out")
    if as_json and form not in {"", "json"}:
        raise UsageError(f"--json and --format {form} are two formats; give one of them")
    by_name = _SUFFIXES.get(output.suffix.lower(), "") if output else ""
    return form or ("json" if as_json else by_name) or "text"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise UsageError(f"--start-date {text!r} is no date; write it as 2027-03-09") from error


def _is_modelled(folder: Path, model: bool | None) -> bool:
    """Whether a language model does the steps: as asked, else where the settings name one."""
    known = read_settings(folder).models.generate != "none"
    if model and not known:
        raise UsageError(
            "--model: no language model is set; set models.generate, e.g. to openai:<model>"
        )
    return known if model is None else model


def _shapes() -> dict[str, Callable[[Trip, Atlas], str]]:
    """What shows a trip, by the name of the format."""
    from consilience.packs.travel.trips.showing.calendar import calendar  # noqa: PLC0415 - see above
    from consilience.packs.travel.trips.showing.data import trip_json  # noqa: PLC0415
    from consilience.packs.travel.trips.showing.drawing import svg  # noqa: PLC0415
    from consilience.packs.travel.trips.showing.map import geojson  # noqa: PLC0415
    from consilience.packs.travel.trips.showing.markdown import markdown  # noqa: PLC0415
    from consilience.packs.travel.trips.showing.text import text  # noqa: PLC0415

    width = min(out.width, _WIDEST) if out.is_terminal else _WIDEST
    return {
        "text": lambda trip, atlas: text(trip, atlas, width=width),
        "markdown": markdown,
        "json": lambda trip, atlas: _dumped(trip_json(trip, atlas)),
        "ics": lambda trip, atlas: calendar(trip, atlas).decode(),
        "svg": svg,
        "geojson": lambda trip, atlas: _dumped(geojson(trip, atlas)),
    }


def _dumped(value: object) -> str:
    from consilience.packs.travel.trips.showing.data import plainly  # noqa: PLC0415 - see above

    return json.dumps(plainly(value), ensure_ascii=False, indent=2) + "\n"


def _put(written: str, output: Path | None) -> None:
    """To a file, byte for byte, or to stdout."""
    if output is not None:
        output.write_bytes(written.encode())
        warn(f"written to {output}")
        return
    sys.stdout.write(written)
    sys.stdout.flush()  # here, where a closed pipe is dealt with; not at the very end
