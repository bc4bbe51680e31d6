"""What counts as one question of a journal? A text on a day: so chance has divided them.

Who asks the same again on the same day gets the same bucket. Counted one by one, a question that
somebody asks a hundred times would look like a hundred independent ones; so it counts once, with
the mean of what became of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from consilience.journal import Entry

Value = Callable[[Entry], float | None]


@dataclass(slots=True, kw_only=True)
class Unit:
    """A question on a day in one bucket, with each measure's values of every time it was asked."""

    bucket: str
    settings: str
    day: date
    asked: int = 0
    values: dict[str, list[float]] = field(default_factory=dict)

    def value(self, name: str) -> float | None:
        """The mean of a measure; None where it says nothing here."""
        found = self.values.get(name)
        return math.fsum(found) / len(found) if found else None


def units_of(entries: Iterable[Entry]) -> tuple[list[Unit], int]:
    """The questions that chance gave a bucket, and how many were asked for in one on purpose."""
    found: dict[tuple[str, str, date, str], Unit] = {}
    forced = 0
    for one in entries:
        if one.forced:
            forced += 1
            continue
        day = day_of(one)
        key = (one.bucket, one.settings, day, " ".join(one.text.casefold().split()))
        unit = found.get(key)
        if unit is None:
            unit = found[key] = Unit(bucket=one.bucket, settings=one.settings, day=day)
        unit.asked += 1
        for name, of in VALUES.items():
            value = of(one)
            if value is not None:
                unit.values.setdefault(name, []).append(value)
    return list(found.values()), forced


def day_of(entry: Entry) -> date:
    """The day of a question, by universal time."""
    return datetime.fromtimestamp(entry.time, UTC).date()


def _clicked(entry: Entry) -> float:
    return float(any(one.kind == "click" for one in entry.reactions))


def _place(entry: Entry) -> float | None:
    """The place of the passage that was opened first; None where none of the list was."""
    places = {one.passage: place for place, one in enumerate(entry.shown, start=1)}
    clicks = (one.passage for one in entry.reactions if one.kind == "click")
    first = next((one for one in clicks if one in places), None)
    return None if first is None else float(places[first])


def _reciprocal(entry: Entry) -> float:
    place = _place(entry)
    return 0.0 if place is None else 1 / place


def _kept(entry: Entry) -> float:
    return float(any(one.kind == "kept" for one in entry.reactions))


def _up(entry: Entry) -> float | None:
    thumbs = [one.kind == "up" for one in entry.reactions if one.kind in ("up", "down")]
    return sum(thumbs) / len(thumbs) if thumbs else None


def _dwell(entry: Entry) -> float | None:
    """Seconds that somebody read, all passages together, to the second."""
    seconds = [one.value for one in entry.reactions if one.kind == "dwell"]
    return float(round(math.fsum(seconds))) if seconds else None


VALUES: Mapping[str, Value] = {
    "clicked": _clicked,
    "reciprocal": _reciprocal,
    "place": _place,
    "kept": _kept,
    "up": _up,
    "dwell": _dwell,
    "abstained": lambda entry: float(entry.abstained),
    "ms": lambda entry: entry.ms,
}
"""What each measure reads of a question; None where it says nothing of it."""
