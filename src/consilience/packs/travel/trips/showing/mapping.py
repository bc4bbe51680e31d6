"""How is one map drawn? Ways first, numbers over them, then names where there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from consilience.packs.travel.trips.showing.painting import (
    GROUND,
    MAP_WIDTH,
    MARGIN,
    SMALL,
    TEXT,
    add,
    add_label,
    add_pill,
    add_scale,
    add_stroke,
    add_tie,
    drawable,
    pill,
)
from consilience.packs.travel.trips.showing.panels import Panel, Stroke
from consilience.packs.travel.trips.showing.placing import Box, Curve, apart, labelled
from consilience.packs.travel.trips.showing.projecting import Projection, fitted

_WHOLE_HEIGHTS = (190.0, 500.0)
_CITY_HEIGHTS = (190.0, 360.0)
_INSIDE = 44.0
_FOOT = 26.0  # units at the bottom, for the scale
_BOW = 0.12


@dataclass(slots=True)
class _Names:
    """Where names may stand on a map: not on what is `taken`, and rather not on what `crosses`."""

    group: Element
    room: tuple[float, float]
    taken: list[Box]
    crossing: list[Box]

    def add(self, name: str, beside: Box, *, quiet: bool = False) -> bool:
        """Set a name beside a box; False where there is no room."""
        size = SMALL if quiet else TEXT
        told = drawable(name)
        label = labelled(told, beside, [*self.taken, *self.crossing], size, self.room)
        label = label or labelled(told, beside, self.taken, size, self.room)
        if label is None:
            return False
        self.taken.append(label.box)
        add_label(self.group, label, size, quiet=quiet)
        return True


def add_map(
    parent: Element, panel: Panel, top: float, patterns: Mapping[str, str]
) -> tuple[float, list[str]]:
    """Draw a panel below `top`; gives where it ends, and what found no room for its name."""
    points = [one.point for one in panel.marks]
    points += [end for one in panel.strokes for end in one.ends]
    heights = _WHOLE_HEIGHTS if panel.whole else _CITY_HEIGHTS
    paper = fitted(points, width=MAP_WIDTH, margin=_INSIDE, heights=heights)
    group = add(parent, "g", transform=f"translate({MARGIN:g} {top:.1f})")
    add(group, "rect", class_="map-panel", width=MAP_WIDTH, height=paper.height, rx=8, fill=GROUND)
    curves = [_curve(one, paper) for one in panel.strokes]
    for stroke, curve in zip(panel.strokes, curves, strict=True):
        add_stroke(group, stroke, curve, patterns[stroke.mode])
    boxes = _add_marks(group, panel, paper)
    names = _Names(
        group=group,
        room=(MAP_WIDTH, paper.height),
        taken=[*boxes, add_scale(group, paper)],
        crossing=[Box(*at, 2.0, 2.0) for curve in curves for at in curve.along()],
    )
    named = [names.add(mark.name, box) for mark, box in zip(panel.marks, boxes, strict=True)]
    for stroke, curve in zip(panel.strokes, curves, strict=True):
        names.add(stroke.name, Box(*curve.at(0.5), 5.0, 5.0), quiet=True)
    nameless = [mark.told for mark, has in zip(panel.marks, named, strict=True) if not has]
    return top + paper.height, nameless


def _add_marks(group: Element, panel: Panel, paper: Projection) -> Sequence[Box]:
    """The numbers of the places, none over another; gives their boxes."""
    places = [paper.placed(one.point) for one in panel.marks]
    boxes = apart(
        [pill(one.number, at) for one, at in zip(panel.marks, places, strict=True)],
        MAP_WIDTH,
        paper.height - _FOOT,
    )
    for mark, at, box in zip(panel.marks, places, boxes, strict=True):
        add_tie(group, at, box, mark.day)
    for mark, box in zip(panel.marks, boxes, strict=True):
        made = add_pill(group, box, mark.number, mark.day)
        add(made, "title").text = drawable(mark.told)
    return boxes


def _curve(stroke: Stroke, paper: Projection) -> Curve:
    """A way between cities is bent to its left, so that there and back are two lines."""
    (x1, y1), (x2, y2) = (paper.placed(one) for one in stroke.ends)
    bow = _BOW if stroke.name else 0.0
    middle = ((x1 + x2) / 2 + (y2 - y1) * bow, (y1 + y2) / 2 - (x2 - x1) * bow)
    return Curve((x1, y1), middle, (x2, y2))
