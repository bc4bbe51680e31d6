"""Which questions were used for choosing settings, and which were kept out?

Tuning and calibrating leave records beside the catalogue. `tuned.json` lists the digests of the
questions that were used (`questions`) and of those that were kept out to decide (`held_out`).
`relevance.json` lists the questions that the calibration was learned from (`digests`). A question
stays used until the record is deleted; a question that was kept out once is kept out by every
later choice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.engine.relevance import FILE as CALIBRATED
from consilience.errors import UsageError
from consilience.workspace import STORE

TUNED = "tuned.json"
"""The record that tuning leaves beside the catalogue."""
Digests = frozenset[str]
_RETRY = "remove it with --forget of the command that wrote it, and run that command again"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenQuestions:
    """Digests of the questions that settings or a calibration were chosen on."""

    tuned: Digests = frozenset()
    calibrated: Digests = frozenset()
    held_out: Digests = frozenset()

    @property
    def kept_out(self) -> Digests:
        """The questions that were kept out, and that nothing was tuned on since."""
        return self.held_out - self.tuned

    def parts(self, digests: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
        """The indices of questions that were kept out, that were used, and that are free."""
        kept = [index for index, digest in enumerate(digests) if digest in self.kept_out]
        used = [index for index, digest in enumerate(digests) if digest in self.tuned]
        known = {*kept, *used}
        return kept, used, [index for index in range(len(digests)) if index not in known]


def read_seen_questions(folder: Path) -> SeenQuestions:
    """The records of a workspace; empty where nothing was tuned or calibrated."""
    tuned, calibrated = (read_record(folder / STORE / name) for name in (TUNED, CALIBRATED))
    return SeenQuestions(
        tuned=_digests(tuned, "questions", TUNED),
        calibrated=_digests(calibrated, "digests", CALIBRATED),
        held_out=_digests(tuned, "held_out", TUNED),
    )


def read_record(path: Path) -> dict[str, Any]:
    """A record beside the catalogue; empty if there is none."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}; {_RETRY}") from error
    if not isinstance(record, dict):
        raise UsageError(f"{path} is not a record, but {type(record).__name__}; {_RETRY}")
    return record


def forget_records(folder: Path, *names: str) -> bool:
    """Delete records beside the catalogue; whether the first of them was there."""
    paths = [folder / STORE / name for name in names]
    existed = paths[0].exists()
    for path in paths:
        path.unlink(missing_ok=True)
    return existed


def _digests(record: Mapping[str, Any], name: str, file: str) -> Digests:
    digests = record.get(name, ())
    if not isinstance(digests, list | tuple) or not all(isinstance(d, str) for d in digests):
        raise UsageError(f"{file}: {name} is not a list of questions, but {digests!r}; {_RETRY}")
    return frozenset(digests)
