"""Is what questions say of company, time and section read well enough? `diagnose --metadata`."""

from __future__ import annotations

from pathlib import Path

from consilience.cli.app import home, opened, print_json, print_table, tell
from consilience.errors import UsageError
from consilience.measure.seen import write_whole
from consilience.measure.tune.applying import rewritten
from consilience.measure.understanding import (
    ENOUGH,
    UNREAD,
    Accuracy,
    measure,
    of_this,
    read_labels,
    unread,
)
from consilience.settings import FILE

_SHOWN = 5  # mistakes shown of each field; --json has all


def measure_metadata(
    workspace: Path | None, labels: Path | None, *, only: str, apply: bool, as_json: bool
) -> None:
    """Print how well each field is read, and whether it is acted on."""
    with opened(home(workspace), "diagnose") as space:
        sample = space.pack.sample
        path = labels or (sample.labelled if sample else None)
        if path is None:
            raise UsageError(
                f"the pack {space.pack.name!r} brings no labels; name a file of them: --labels FILE"
            )
        known = read_labels(path, only)
        if labels is None and not of_this(known, space.engine.knowledge):
            raise UsageError(
                f"the labels of the pack {space.pack.name!r} are of its sample, and nothing that "
                "they name is here; write some for your own questions and name their file: "
                "--labels FILE"
            )
        found = measure(known, space.engine.knowledge)
        setting = unread(found, space.settings.refine.unread)
        folder = space.folder
    if apply:
        file = folder / FILE
        write_whole(file, rewritten(file.read_text(encoding="utf-8"), {UNREAD: setting}))
    if as_json:
        print_json({"fields": [one.as_json() for one in found], UNREAD: setting, "applied": apply})
        return
    _print(found, setting, apply=apply)


def _print(found: list[Accuracy], setting: str, *, apply: bool) -> None:
    print_table(
        ["field", "questions", "name it", "read so", "right", "share", "decision"],
        [
            [
                one.field,
                str(one.questions),
                str(one.named),
                str(one.read),
                str(one.right),
                f"{one.share:.1%}",
                "acted on" if one.kept else f"left alone (below {ENOUGH:.0%})",
            ]
            for one in found
        ],
    )
    for one in found:
        for mistake in one.mistakes[:_SHOWN]:
            wanted, read = (", ".join(each) or "nothing" for each in (mistake.wanted, mistake.read))
            tell(f"  {one.field}: {mistake.text!r} is about {wanted}, read as {read}", style="dim")
    told = f'{UNREAD} = "{setting}"'
    tell(f"{told} {'was written' if apply else 'follows from this; --apply writes it'}")
