"""How does tuning look? Every parameter over its range, in one HTML file that needs nothing else.

A parameter that is a number is a line with two bands: the interval of each mean, and, darker, that
of its difference from the settings as they are. One that is a name is a row a value. The value in
use is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from consilience.measure.evaluate import plots
from consilience.measure.evaluate.evaluating import comparison_json
from consilience.measure.evaluate.report import table
from consilience.measure.pages import whole_page
from consilience.measure.rules import told
from consilience.measure.tune.tuning import Point, Report, Surface, Tuning
from consilience.measure.values import Interval

_STYLE = """
.band { fill: var(--main); fill-opacity: .1; stroke: none; }
.gain { fill: var(--main); fill-opacity: .25; stroke: none; }
.now { stroke: var(--main); stroke-width: 1; stroke-dasharray: 2 3; }
"""
_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 44, 14, 14, 36, 210


def as_json(tuning: Tuning) -> dict[str, Any]:
    """Tuning as plain values."""
    return {
        "version": 1,
        "measure": "nDCG@10",
        "questions": {"tuning": len(tuning.used), "kept_out": len(tuning.kept)},
        "splits": tuning.splits,
        "seed": tuning.seed,
        "intents": dict(tuning.intents),
        "parameters": [_surface_json(one) for one in tuning.surfaces],
        "not_connected": {one.parameter.title: one.reason for one in tuning.unconnected},
        "not_tried": dict(tuning.untried),
        "held_out": _report_json(tuning.held_out),
        "kept_out": tuning.kept_out and _report_json(tuning.kept_out),
        "choice": dict(tuning.choice),
        "recommended": tuning.recommended,
        "verdict": tuning.verdict,
        "trouble": list(tuning.trouble),
    }


def page(tuning: Tuning, *, name: str) -> str:
    """The whole report."""
    title = f"Settings for {name}"
    told = (
        f"chosen on {len(tuning.used)} questions in {tuning.splits} times two halves; "
        f"{len(tuning.kept)} kept out; seed {tuning.seed}"
    )
    kind = "verdict" if tuning.recommended or not tuning.choice else "verdict red"
    figures = "".join(
        f"<figure><figcaption>{escape(_caption(one))}</figcaption>{_plot(one)}</figure>"
        for one in tuning.surfaces
    )
    body = (
        f"<header><h1>{escape(title)}</h1><p class='meta'>{escape(told)}</p>"
        f"<p class='{kind}'>{escape(tuning.verdict)}</p></header>"
        f"{_unconnected(tuning)}"
        f"<h2>On questions that were not chosen on</h2>{_reports(tuning)}"
        f"<h2>The choice</h2>{_choice(tuning)}"
        "<h2>Every parameter over its range</h2><p class='note'>All else as it is now. The line is "
        "the mean nDCG@10 over the tuning questions, the light band its 95 % interval, the dark "
        "one that of the difference from now, question by question.</p>"
        f"<div class='plots'>{figures}</div>"
    )
    return whole_page(title, body, style=_STYLE)


def _unconnected(tuning: Tuning) -> str:
    items = "".join(
        f"<li><b>{escape(one.parameter.title)}</b> {escape(one.reason)}</li>"
        for one in tuning.unconnected
    )
    found = f"<h2>Not connected</h2><ul>{items}</ul>" if items else ""
    items = "".join(
        f"<li><b>{escape(name)}</b> {escape(reason)}</li>"
        for name, reason in tuning.untried.items()
    )
    return found + (f"<h2>Not tried</h2><ul>{items}</ul>" if items else "")


def _reports(tuning: Tuning) -> str:
    parts = [_forest(tuning.held_out, "the halves that were held out, averaged over splits")]
    if tuning.kept_out:
        parts.append(_forest(tuning.kept_out, "the part that was kept out, scored once"))
    rows = [
        ("", [escape(f"{one.ours} − {one.theirs}"), where, escape(told(one))])
        for where, report in (("held out", tuning.held_out), ("kept out", tuning.kept_out))
        if report
        for one in report.comparisons
    ]
    compared = table("Gains in nDCG@10", ("compared", "questions", "gain, interval, p"), rows)
    return f"<div class='plots'>{''.join(parts)}</div>{compared}"


def _forest(report: Report, told: str) -> str:
    rows = [
        (name, one.mean, one.low, one.high, name.startswith("tuned"))
        for name, one in report.means.items()
    ]
    plot = plots.forest(rows, title=f"nDCG@10 on {told}", unit="nDCG@10")
    return f"<figure><figcaption>On {escape(told)}</figcaption>{plot}</figure>"


def _choice(tuning: Tuning) -> str:
    if not tuning.choice:
        return "<p>As it is now.</p>"
    rows = [("", [escape(name), escape(str(value))]) for name, value in tuning.choice.items()]
    return table("Chosen on all tuning questions", ("setting", "value"), rows)


def _caption(surface: Surface) -> str:
    often = sum(one.chosen for one in surface.points)
    best = max(surface.points, key=lambda one: one.chosen)
    told = surface.parameter.title
    if not surface.connected:
        return f"{told}: not connected; {surface.reason}"
    return f"{told}: chosen most often {best.value} ({best.chosen} times)" if often else told


def _plot(surface: Surface) -> str:
    numbers = [one.value for one in surface.points if isinstance(one.value, int | float)]
    if len(numbers) == len(surface.points):
        return _band(surface, [float(one) for one in numbers])
    rows = [
        (
            f"{one.value}{' (now)' if one.now else ''}",
            one.gives.mean,
            one.gives.low,
            one.gives.high,
            one.now,
        )
        for one in surface.points
    ]
    return plots.forest(rows, title=surface.parameter.title, unit="nDCG@10")


def _band(surface: Surface, values: Sequence[float]) -> str:
    """Values stand at equal distances: ranges such as 1, 5, 10 … 100 stay readable."""
    gives = [one.gives for one in surface.points]
    low, high = min(one.low for one in gives), max(one.high for one in gives)
    span = (high - low) or 0.1
    step = (plots.WIDTH - _LEFT - _RIGHT) / max(len(values) - 1, 1)
    across = [_LEFT + number * step for number in range(len(values))]

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - (value - low) / span * (_HEIGHT - _BOTTOM - _TOP)

    means = [one.mean for one in gives]
    now = [one.gives.mean - one.gain.mean for one in surface.points]
    bands = {
        "band": [(one.low, one.high) for one in gives],
        "gain": [
            (base + one.gain.low, base + one.gain.high)
            for base, one in zip(now, surface.points, strict=True)
        ],
    }
    parts = [
        f'<line class="grid" x1="{_LEFT}" x2="{plots.WIDTH - _RIGHT}" y1="{up(tick):.1f}" '
        f'y2="{up(tick):.1f}"/><text class="tick" x="{_LEFT - 5}" y="{up(tick) + 4:.1f}" '
        f'text-anchor="end">{tick:.2f}</text>'
        for tick in (low, low + span / 2, low + span)
    ]
    for kind, ends in bands.items():
        around = [*zip(across, ends, strict=True)]
        over = [f"{x:.1f},{up(end[1]):.1f}" for x, end in around]
        under = [f"{x:.1f},{up(end[0]):.1f}" for x, end in reversed(around)]
        parts.append(f'<polygon class="{kind}" points="{" ".join([*over, *under])}"/>')
    line = " ".join(f"{x:.1f},{up(mean):.1f}" for x, mean in zip(across, means, strict=True))
    parts.append(f'<polyline class="line-0" points="{line}"/>')
    for x, point in zip(across, surface.points, strict=True):
        parts.append(_mark(x, up(point.gives.mean), point))
    title = escape(surface.parameter.title)
    axis = f'<text class="axis" x="{plots.WIDTH / 2}" y="{_HEIGHT - 4}" text-anchor="middle">'
    return (
        f'<svg class="plot" viewBox="0 0 {plots.WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>{"".join(parts)}{axis}{title}</text></svg>'
    )


def _mark(x: float, y: float, point: Point) -> str:
    gives, gain = point.gives, point.gain
    told = (
        f"{point.value}: {gives.mean:.4f} [{gives.low:.4f}, {gives.high:.4f}], "
        f"{gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] from now"
    )
    line = (
        f'<line class="now" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
        if point.now
        else ""
    )
    return (
        f'{line}<circle class="dot main" cx="{x:.1f}" cy="{y:.1f}" r="{5 if point.now else 3}">'
        f"<title>{escape(told)}</title></circle>"
        f'<text class="tick" x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 15}" text-anchor="middle">'
        f"{point.value}</text>"
    )


def _surface_json(surface: Surface) -> dict[str, Any]:
    return {
        "name": surface.parameter.name,
        "under": surface.parameter.under,
        "connected": surface.connected,
        "reason": surface.reason,
        "points": [
            {
                "value": one.value,
                **_interval(one.gives),
                "gain": _interval(one.gain),
                "now": one.now,
                "chosen": one.chosen,
            }
            for one in surface.points
        ],
    }


def _report_json(report: Report) -> dict[str, Any]:
    return {
        "means": {name: _interval(one) for name, one in report.means.items()},
        "comparisons": [comparison_json(one) for one in report.comparisons],
    }


def _interval(one: Interval) -> Mapping[str, float]:
    return {"mean": one.mean, "low": one.low, "high": one.high, "count": one.count}
