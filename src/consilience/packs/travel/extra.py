"""Are the libraries for trips there? They come with the `travel` extra."""

from __future__ import annotations

from importlib.util import find_spec

from consilience.errors import MissingExtra
from consilience.pack import deferred


def needed() -> None:
    """Raise `MissingExtra` where opening hours, calendars or the solver cannot be imported."""
    if any(find_spec(name) is None for name in ("opening_hours", "icalendar", "ortools")):
        raise MissingExtra("travel (places, opening hours and trips)", "travel")


later = deferred("consilience.packs.travel", needed)
"""A function of one of this package's modules, imported when it is first called."""
