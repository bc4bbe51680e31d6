"""Which questions were chosen on, and which were kept out? What tuning, learning and calibrating
leave beside the catalogue, read in one place.

`tuned.json` and `learned.json` list the digests of questions that were used (`questions`) and of
those that were kept out to decide (`held_out`). `relevance.json` lists those that the calibration
was learned from (`digests`). A question that was used once stays used until the record is
forgotten; one that was kept out is kept out by whatever chooses next.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import StoreError, UsageError
from consilience.learned import CARD as LEARNED
from consilience.relevance import FILE as CALIBRATED
from consilience.workspace import STORE

TUNED = "tuned.json"
"""The record that tuning leaves beside the catalogue."""
Digests = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Digests of the questions that settings, an order or a calibration were chosen on."""

    tuned: Digests = frozenset()
    learned: Digests = frozenset()
    calibrated: Digests = frozenset()
    held_out: Digests = frozenset()

    @property
    def ordering(self) -> Digests:
        """The questions that an order was chosen on, by tuning or by learning."""
        return self.tuned | self.learned

    @property
    def questions(self) -> Digests:
        """All questions that anything was chosen on."""
        return self.ordering | self.calibrated

    @property
    def kept_out(self) -> Digests:
        """The questions that were kept out, and that no order was chosen on since."""
        return self.held_out - self.ordering

    def parts(self, digests: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
        """The places of questions that were kept out, that were used, and that are free."""
        kept = [place for place, one in enumerate(digests) if one in self.kept_out]
        used = [place for place, one in enumerate(digests) if one in self.ordering]
        known = {*kept, *used}
        return kept, used, [place for place in range(len(digests)) if place not in known]


def seen(folder: Path) -> Seen:
    """What a workspace has on record; nothing where nothing was tuned, learned or calibrated."""
    tuned, learned, calibrated = (
        record(folder / STORE / name) for name in (TUNED, LEARNED, CALIBRATED)
    )
    return Seen(
        tuned=_listed(tuned, "questions", TUNED),
        learned=_listed(learned, "questions", LEARNED),
        calibrated=_listed(calibrated, "digests", CALIBRATED),
        held_out=_listed(tuned, "held_out", TUNED) | _listed(learned, "held_out", LEARNED),
    )


def record(path: Path) -> dict[str, Any]:
    """A record beside the catalogue; empty if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}; {_AGAIN}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} is no record, but {type(found).__name__}; {_AGAIN}")
    return found


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: what stood there stays until the new text is complete."""
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)  # noqa: PTH105 - says that it replaces
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}; is the disk full, or read-only?"
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


_AGAIN = "remove it with --forget of the command that made it, and run that again"


def _listed(found: Mapping[str, Any], name: str, file: str) -> Digests:
    given = found.get(name, ())
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise UsageError(f"{file}: {name} is no list of questions, but {given!r}; {_AGAIN}")
    return frozenset(given)
