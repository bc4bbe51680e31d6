"""How does a choice become settings? Written into `consilience.toml` beside what stands there.

Comments and order of the file stay. Beside the catalogue a record is left of the questions that
were chosen on, so that an evaluation can leave them out. It grows with every tuning: a question
that was used once does not become a question held out.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from consilience.errors import UsageError
from consilience.measure.seen import TUNED, record, write_whole
from consilience.measure.tune.replay import WEIGHTS, Changes, changed, flat
from consilience.measure.tune.tuning import CHOSEN, CURRENT, Tuning
from consilience.settings import FILE, read_settings
from consilience.workspace import STORE


def rewritten(text: str, changes: Changes) -> str:
    """The text of a settings file with changes made to it; all else stays as it is."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"{FILE} is not valid TOML: {error}; correct it and try again") from error
    for name, value in changes.items():
        path = name.split(".", 1)
        if name.startswith(WEIGHTS):
            path = ["fusion", "weights", name.removeprefix(WEIGHTS)]
        table: Any = document
        for part in path[:-1]:
            if part not in table:
                table[part] = tomlkit.table()
            table = table[part]
        table[path[-1]] = dict(value) if isinstance(value, Mapping) else value
    return tomlkit.dumps(document)


def difference(folder: Path, changes: Changes) -> list[str]:
    """What applying would change in the settings file, as lines with - and +."""
    before = (folder / FILE).read_text(encoding="utf-8")
    after = rewritten(before, changes)
    return list(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), FILE, f"{FILE}, tuned", lineterm="", n=1
        )
    )


def apply(
    folder: Path, tuning: Tuning, *, golden: str, fingerprint: str
) -> tuple[list[Path], list[str]]:
    """Write the choice and its record; the files written, and settings that others override."""
    path = folder / FILE
    text = rewritten(path.read_text(encoding="utf-8"), tuning.choice)
    wanted = flat(changed(read_settings(folder), tuning.choice))
    beside = folder / STORE / TUNED
    told = record_of(tuning, record(beside), golden=golden, fingerprint=fingerprint)
    write_whole(beside, json.dumps(told, indent=2) + "\n")
    write_whole(path, text)
    now = flat(read_settings(folder))
    return [path, beside], [name for name, value in wanted.items() if now[name] != value]


def forget(folder: Path) -> bool:
    """Drop the record: its questions count as unseen again. Whether there was one."""
    path = folder / STORE / TUNED
    known = path.exists()
    path.unlink(missing_ok=True)
    return known


def record_of(
    tuning: Tuning, before: Mapping[str, Any], *, golden: str, fingerprint: str
) -> dict[str, Any]:
    """What tuning leaves: the questions used, those kept out, the settings, and the gain.

    Questions that the record held `before` stay in it.
    """
    used = list(dict.fromkeys([*before.get("questions", ()), *tuning.used]))
    kept = dict.fromkeys([*before.get("held_out", ()), *tuning.kept])
    report = tuning.kept_out or tuning.held_out
    gain = report.compared(CHOSEN, CURRENT)
    return {
        "questions": used,
        "held_out": [one for one in kept if one not in set(used)],
        "settings": dict(tuning.choice),
        "held_out_gain": gain
        and {
            "mean": gain.gain.mean,
            "low": gain.gain.low,
            "high": gain.gain.high,
            "p": gain.p_corrected,
        },
        "golden": golden,
        "fingerprint": fingerprint,
    }
