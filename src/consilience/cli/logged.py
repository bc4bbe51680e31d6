"""What does the journal say? `evaluate --journal`: two settings compared by what people did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.cli.app import count, print_json, print_table, tell, warn
from consilience.errors import UsageError
from consilience.journal import JOURNAL, entries_in, settings_in
from consilience.measure.evaluate.verdict import chance
from consilience.measure.golden.files import write_golden
from consilience.measure.logged.comparing import MEASURES, Compared, compare_buckets, verdict
from consilience.measure.logged.proposing import HEAD, proposals
from consilience.measure.rules import shown
from consilience.measure.values import Interval
from consilience.workspace import STORE, Workspace

_YAML = (".yaml", ".yml")


def evaluate_journal(folder: Path, *, as_golden: Path | None, as_json: bool) -> None:
    """Compare the buckets of a workspace's journal; it may be served meanwhile."""
    path = folder / STORE / JOURNAL
    found = compare_buckets(entries_in(path), settings_in(path))
    told = _propose(folder, path, as_golden) if as_golden is not None else {}
    if as_json:
        print_json({"journal": str(path), **found.as_json(), **told})
        return
    _print(found)


def _propose(folder: Path, path: Path, target: Path) -> dict[str, object]:
    """Write what the journal proposes as labels; nothing that is there already is replaced."""
    if target.exists():
        raise UsageError(f"{target} is there already; name another file, or delete it")
    catalogue = Workspace.peek(folder)
    try:
        golden, gone = proposals(entries_in(path), catalogue, name=target.stem)
    finally:
        catalogue.close()
    write_golden(golden, target)
    if target.suffix.lower() in _YAML:
        target.write_text(HEAD + target.read_text(encoding="utf-8"), encoding="utf-8")
    warn(f"wrote {count(len(golden.questions), 'proposal')} to {target}; check each before use")
    if gone:
        warn(f"{count(gone, 'passage')} could not be found again, and are left out")
    return {"proposals": {"file": str(target), "questions": len(golden.questions), "gone": gone}}


def _print(found: Compared) -> None:
    questions = ", ".join(
        f"{one.bucket}: {count(one.questions, 'question')} (asked {one.asked:,} times)"
        for one in found.groups
    )
    days = f", {found.days[0]} to {found.days[1]}" if found.days else ""
    tell(f"journal: {questions or 'no question by chance'}{days}", style="bold")
    for one in found.groups:
        told = ", ".join(f"{name} = {value}" for name, value in one.changes.items())
        tell(f"  {one.bucket} {one.settings}: {told or 'default settings'}", style="dim")
    gains = {one.measure: one for one in found.comparisons}
    rows: list[Sequence[str]] = []
    for measure in MEASURES:
        gain = gains.get(measure.name)
        cells = [_spread(one.measured[measure.name]) for one in found.groups]
        less = "" if gain is None else f"{_spread(gain.gain, sign='+')} {chance(gain.p_corrected)}"
        mark = " *" if gain is not None and shown(gain) else ""
        rows.append([measure.name, *cells, *([less + mark] if len(found.groups) > 1 else [])])
    names = [one.bucket for one in found.groups]
    print_table(["measure", *names, *(["b − a"] if len(names) > 1 else [])], rows)
    for note in found.notes:
        tell(f"note    {note}", style="dim")
    tell("")
    tell(verdict(found), style="bold")


def _spread(one: Interval, *, sign: str = "") -> str:
    if not one.count:
        return "–"
    return f"{one.mean:{sign}.3f} [{one.low:{sign}.3f}, {one.high:{sign}.3f}]"
