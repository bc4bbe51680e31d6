"""How does a choice become settings? Written into `consilience.toml` beside what stands there.

Comments and order of the file stay. Beside the catalogue a record is left of the questions that
were chosen on, so that an evaluation can leave them out.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from consilience.errors import UsageError
from consilience.measure.tune.replay import WEIGHTS, Changes, changed, flat
from consilience.measure.tune.tuning import CURRENT, TUNED, Tuning
from consilience.settings import FILE, read_settings
from consilience.workspace import STORE

RECORD = "tuned.json"


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
    record = folder / STORE / RECORD
    told = record_of(tuning, golden=golden, fingerprint=fingerprint)
    _write(record, json.dumps(told, indent=2) + "\n")
    _write(path, text)
    now = flat(read_settings(folder))
    return [path, record], [name for name, value in wanted.items() if now[name] != value]


def record_of(tuning: Tuning, *, golden: str, fingerprint: str) -> dict[str, Any]:
    """What tuning leaves: the questions used, those kept out, the settings, and the gain."""
    report = tuning.kept_out or tuning.held_out
    gain = report.compared(TUNED, CURRENT)
    return {
        "questions": list(tuning.used),
        "held_out": list(tuning.kept),
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


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)  # noqa: PTH105 - says that it replaces
