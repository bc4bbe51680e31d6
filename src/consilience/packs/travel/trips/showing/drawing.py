"""How is a trip drawn? As SVG without tiles or network: panels one under another, and a key.

Days have a colour and a number, ways a pattern for their mode, and every place is named on its map
or below it. Colours of days read on light and on dark; the others are classes, so that a page can
set its own. It is one column, narrow enough for a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, tostring

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.showing.agenda import entries, planned, title_of
from consilience.packs.travel.trips.showing.mapping import add_map
from consilience.packs.travel.trips.showing.painting import (
    MARGIN,
    PAPER,
    QUIET,
    SMALL,
    TEXT,
    WIDTH,
    add,
    add_pill,
    add_text,
    add_wrapped,
    drawable,
    pill,
)
from consilience.packs.travel.trips.showing.panels import Panel, panels_of
from consilience.packs.travel.trips.showing.placing import text_width
from consilience.packs.travel.trips.types import Itinerary, Trip
from consilience.packs.travel.trips.wording import joined

_HEAD = 17.0
_SAMPLE = 30.0  # units of a line that shows a pattern
_SHOWN = 1.5  # how much larger a file is shown than it is drawn
_PATTERNS = ("", "9 5", "2 4", "12 4 2 4", "5 3", "16 4", "1 6", "7 3 1 3 1 3")
_NAMESPACE = "http://www.w3.org/2000/svg"
_STYLE = """
.trip-map { font-family: system-ui, sans-serif; max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  .trip-map .map-paper { fill: #12161c; }
  .trip-map .map-panel { fill: #1b212a; }
  .trip-map .map-ink { fill: #e8ecf2; }
  .trip-map .map-quiet { fill: #a7b2c0; }
  .trip-map .map-halo { stroke: #1b212a; }
  .trip-map .map-scale { stroke: #a7b2c0; }
}
"""


def svg(trip: Trip, atlas: Atlas, *, alone: bool = True) -> str:
    """The route of a trip as SVG; with `alone` a file of its own, else a part of a page.

    A part of a page has no style of its own, and takes the size and colours that the page gives.
    """
    days = planned(trip, "map")
    root = Element("svg", {"xmlns": _NAMESPACE, "class": "trip-map", "role": "img"})
    root.set("aria-labelledby", "trip-map-title trip-map-desc")
    title = drawable(title_of(days, atlas))
    add(root, "title", id="trip-map-title").text = title
    add(root, "desc", id="trip-map-desc").text = drawable(_described(days, atlas))
    if alone:
        add(root, "style").text = _STYLE
    ground = add(root, "rect", class_="map-paper", width=WIDTH, fill=PAPER)
    below = _drawn(root, title, panels_of(days, atlas), len(days.days))
    ground.set("height", f"{below:.0f}")
    root.set("viewBox", f"0 0 {WIDTH:.0f} {below:.0f}")
    if alone:
        root.set("width", f"{WIDTH * _SHOWN:.0f}")
        root.set("height", f"{below * _SHOWN:.0f}")
    return tostring(root, encoding="unicode") + "\n"


def _drawn(root: Element, title: str, panels: Sequence[Panel], days: int) -> float:
    """All panels under a title, and the key; gives where they end."""
    modes = dict.fromkeys(stroke.mode for panel in panels for stroke in panel.strokes)
    patterns = {mode: _PATTERNS[at % len(_PATTERNS)] for at, mode in enumerate(modes)}
    below = add_wrapped(root, title.split(), 6.0, _HEAD)
    below = _add_key(root, patterns, days, below + 8)
    for panel in panels:
        below += TEXT * 2
        add_text(root, panel.title, (MARGIN, below), font_weight="bold", font_size=TEXT + 1.5)
        nameless: list[str] = []
        if panel.marks:
            below, nameless = add_map(root, panel, below + 8, patterns)
        for day, told in panel.listed:
            add_pill(root, pill(f"{day}", (MARGIN + 9, below + 15)), f"{day}", day)
            below = add_wrapped(root, told.split(), below + 2, TEXT, indent=24.0)
        if nameless and not panel.listed:
            below = add_wrapped(root, _listed("Also here: ", nameless), below + 2, TEXT)
        if panel.missing:
            words = _listed("Not drawn, as nobody knows where it is: ", panel.missing)
            below = add_wrapped(root, words, below + 2, TEXT)
    return below + MARGIN


def _listed(first: str, told: Sequence[str]) -> list[str]:
    return f"{first}{'; '.join(told)}".split()


def _add_key(root: Element, patterns: dict[str, str], days: int, top: float) -> float:
    """Which colour is which day, and which pattern which mode."""
    x, y = MARGIN, top + 8
    group = add(root, "g", class_="map-key")
    for day in range(1, days + 1):
        word = "day " if day == 1 else ""
        wide = text_width(word, SMALL) + 2 * pill(f"{day}", (0, 0)).across + 6
        if x + wide > WIDTH - MARGIN:
            x, y = MARGIN, y + 22
        if word:
            add_text(group, word, (x, y + 4), class_="map-quiet", fill=QUIET, font_size=SMALL)
        box = pill(f"{day}", (0, 0))
        at = x + text_width(word, SMALL) + box.across
        add_pill(group, box._replace(x=at, y=y), f"{day}", day)
        x += wide
    x, y = MARGIN, y + (24 if patterns else 0)
    for mode, pattern in patterns.items():
        wide = _SAMPLE + text_width(mode, SMALL) + 20
        if x > MARGIN and x + wide > WIDTH - MARGIN:
            x, y = MARGIN, y + 20
        line = add(
            group, "line", class_="map-scale", x1=x, y1=y, x2=x + _SAMPLE, y2=y, stroke=QUIET,
            stroke_width=2.0, stroke_linecap="round",
        )  # fmt: skip
        if pattern:
            line.set("stroke-dasharray", pattern)
        beside = (x + _SAMPLE + 6, y + 4)
        add_text(group, mode, beside, class_="map-quiet", fill=QUIET, font_size=SMALL)
        x += wide
    return y + 6


def _described(days: Itinerary, atlas: Atlas) -> str:
    """The map in words: a sentence a day."""
    told = []
    for day in days.days:
        names = [one.name for one in entries(day, atlas) if one.kind != "way"]
        what = joined(list(dict.fromkeys(names))) or "nothing is planned"
        told.append(f"Day {day.number}, {atlas.name_of(day.city)}: {what}.")
    return " ".join(told)
