"""How are numbers, texts, ways and a scale drawn? As elements of SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from consilience.packs.travel.trips.showing.panels import Stroke
from consilience.packs.travel.trips.showing.placing import Box, Curve, Label, text_width
from consilience.packs.travel.trips.showing.projecting import Projection
from consilience.text_markup import strip_invisible

WIDTH = 440.0
MARGIN = 12.0
TEXT, SMALL = 12.5, 11.0
PAPER, GROUND, INK, QUIET = "#ffffff", "#f1f4f7", "#1b2330", "#566273"
DAY_COLOURS = (
    "#1f6fd8", "#be4f0f", "#13824e", "#a04aca", "#d82653", "#7c730e", "#0f7d89", "#657192",
)  # fmt: skip
"""Each reads as white on it and as itself on light and on dark ground."""
MAP_WIDTH = WIDTH - 2 * MARGIN
_PILL_DOWN = 8.5
_BAR = 110.0
_NO_SIGN = re.compile("[\ufffe\uffff]")
_MOVED = 6.0  # units from its place beyond which a number is tied to it by a line


def add(parent: Element, tag: str, **attributes: object) -> Element:
    """An element within another; `class_` is its class, `font_size` its font-size."""
    named = {name.rstrip("_").replace("_", "-"): one for name, one in attributes.items()}
    told = {
        name: f"{one:.1f}".removesuffix(".0") if isinstance(one, float) else str(one)
        for name, one in named.items()
    }
    return SubElement(parent, tag, told)


def drawable(text: str) -> str:
    """A text without the signs that nobody sees, and those that XML has no place for."""
    return _NO_SIGN.sub("", strip_invisible(text))


def add_text(parent: Element, text: str, at: tuple[float, float], **attributes: object) -> Element:
    """A text from a point on, in ink unless something else is said."""
    known: dict[str, object] = {"class_": "map-ink", "fill": INK, "font_size": TEXT}
    made = add(parent, "text", x=at[0], y=at[1], **{**known, **attributes})
    made.text = drawable(text)
    return made


def add_pill(parent: Element, box: Box, number: str, day: int) -> Element:
    """A number on the colour of its day."""
    group = add(parent, "g", class_="map-stop")
    add(
        group, "rect", x=box.x - box.across, y=box.y - box.down, width=2 * box.across,
        height=2 * box.down, rx=box.down, fill=colour_of(day), stroke="#ffffff", stroke_width=1.0,
    )  # fmt: skip
    add_text(
        group, number, (box.x, box.y + SMALL * 0.36), class_="map-number", fill="#ffffff",
        font_size=SMALL, font_weight="bold", text_anchor="middle",
    )  # fmt: skip
    return group


def pill(number: str, at: tuple[float, float]) -> Box:
    """The box that a number takes."""
    return Box(at[0], at[1], max(_PILL_DOWN, text_width(number, SMALL) / 2 + 5.5), _PILL_DOWN)


def colour_of(day: int) -> str:
    """The colour of a day; from the ninth on they come again, with other numbers."""
    return DAY_COLOURS[(day - 1) % len(DAY_COLOURS)]


def add_tie(parent: Element, at: tuple[float, float], box: Box, day: int) -> None:
    """A line to the place itself, from a number that had to give way."""
    if math.dist(at, (box.x, box.y)) > _MOVED:
        colour = colour_of(day)
        ends = {"x1": at[0], "y1": at[1], "x2": box.x, "y2": box.y}
        add(parent, "line", **ends, stroke=colour, stroke_width=1.0)
        add(parent, "circle", cx=at[0], cy=at[1], r=2.5, fill=colour)


def add_label(parent: Element, label: Label, size: float, *, quiet: bool) -> None:
    """A name in its box, with a rim in the colour of the ground, over whatever is below it."""
    first = label.box.y - label.box.down + size * 0.92
    for place, line in enumerate(label.lines):
        add_text(
            parent, line, (label.held, first + place * size * 1.15),
            class_="map-quiet map-halo" if quiet else "map-ink map-halo",
            fill=QUIET if quiet else INK, font_size=size, text_anchor=label.anchor, stroke=GROUND,
            stroke_width=3.0, stroke_linejoin="round", paint_order="stroke",
        )  # fmt: skip


def add_stroke(parent: Element, stroke: Stroke, curve: Curve, pattern: str) -> None:
    """A way in the pattern of its mode; between cities in the colour of its day, with an arrow."""
    (x1, y1), (x, y), (x2, y2) = curve
    drawn = add(
        parent, "path", d=f"M{x1:.1f} {y1:.1f}Q{x:.1f} {y:.1f} {x2:.1f} {y2:.1f}", fill="none",
        class_="map-leg" if stroke.name else "map-way",
        stroke=colour_of(stroke.day), stroke_width=2.5 if stroke.name else 1.3,
        stroke_linecap="round",
    )  # fmt: skip
    if pattern:
        drawn.set("stroke-dasharray", pattern)
    add(drawn, "title").text = drawable(stroke.told)
    if stroke.name and math.dist((x1, y1), (x2, y2)) > 30:
        turn = math.atan2(y2 - y1, x2 - x1)
        _add_arrow(parent, curve.at(0.5), turn, colour_of(stroke.day))


def _add_arrow(parent: Element, at: tuple[float, float], turn: float, colour: str) -> None:
    turned = [
        (at[0] + x * math.cos(turn) - y * math.sin(turn),
         at[1] + x * math.sin(turn) + y * math.cos(turn))
        for x, y in ((7.0, 0.0), (-5.0, 5.0), (-5.0, -5.0))
    ]  # fmt: skip
    add(parent, "polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in turned), fill=colour)


def add_scale(parent: Element, paper: Projection) -> Box:
    """A bar of a round length, in the corner below; gives the box that it takes."""
    metres, long = paper.bar(_BAR)
    told = f"{metres // 1000:,} km" if metres >= 1000 else f"{metres} m"
    below = paper.height - 10
    add(
        parent, "path", d=f"M10 {below - 5:.1f}v5h{long:.1f}v-5", fill="none", class_="map-scale",
        stroke=QUIET, stroke_width=1.5,
    )  # fmt: skip
    at = (16 + long, below)
    add_text(parent, told, at, class_="map-quiet", fill=QUIET, font_size=SMALL)
    across = (long + text_width(told, SMALL) + 12) / 2
    return Box(8 + across, below - 4, across, 9.0)


def add_wrapped(
    parent: Element, words: Sequence[str], top: float, size: float, *, indent: float = 0.0
) -> float:
    """Texts one after another in lines of the width of the map; gives where they end."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > MAP_WIDTH - indent:
            lines.append(word)
        else:
            lines[-1] = longer
    for line in lines:
        top += size * 1.35
        add_text(parent, line, (MARGIN + indent, top), font_size=size)
    return top
