"""How does a number look? Small plots as inline SVG: no library, no script, no fixed colour.

Every plot is 400 units wide, so that its words can be read on a phone, and takes its colours
from the page (classes `good`, `bad`, `main`, `line-0` …). Each has a title and a label that a
screen reader says. Whatever text is handed in is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

WIDTH = 400
Point = tuple[float, float]
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 12, 12, 36
_STYLES = 6  # lines differ in colour and dashes, and repeat after so many


def forest(rows: Sequence[tuple[str, float, float, float, bool]], *, title: str, unit: str) -> str:
    """A mean with its interval for each row (name, mean, low, high, whether it is the main one)."""
    step, top = 36, 8
    least = min((low for _, _, low, _, _ in rows), default=0.0)
    most = max((high for _, _, _, high, _ in rows), default=1.0)
    first, last = math.floor(least * 10) / 10, math.ceil(most * 10) / 10
    at = _scale(first, last if last > first else first + 0.1, 4, WIDTH - 4)
    bottom = top + step * len(rows)
    parts = [_line(at(tick), top, at(tick), bottom, "grid") for tick in _ticks(first, last)]
    for number, (name, mean, low, high, main) in enumerate(rows):
        y = top + step * number
        kind = "main" if main else "other"
        told = f"{mean:.3f} [{low:.3f}, {high:.3f}]"
        parts += [
            _text(4, y + 11, name, f"label {kind}"),
            _text(WIDTH - 4, y + 11, told, f"label number {kind}", anchor="end"),
            _line(at(low), y + 22, at(high), y + 22, f"interval {kind}"),
            f'<circle class="dot {kind}" cx="{at(mean):.1f}" cy="{y + 22}" r="4.5"/>',
        ]
    parts += [
        _text(at(tick), bottom + 14, f"{tick:g}", "tick", anchor=_side(at(tick)))
        for tick in _ticks(first, last)
    ]
    parts.append(_text(WIDTH / 2, bottom + 30, unit, "axis", anchor="middle"))
    return _svg(parts, bottom + 36, title)


def gains(values: Sequence[tuple[str, str, float]], *, title: str, unit: str) -> str:
    """A bar for each (link, name, difference), in the order given; none above or below at 0."""
    height, middle = 170, 85
    most = max((abs(value) for _, _, value in values), default=0.0) or 1.0
    wide = (WIDTH - _LEFT - _RIGHT) / max(len(values), 1)
    parts = [_line(_LEFT, y, WIDTH - _RIGHT, y, "grid") for y in (middle - 70, middle, middle + 70)]
    for number, (link, name, value) in enumerate(values):
        tall = abs(value) / most * 70
        x, y = _LEFT + number * wide, middle - tall if value > 0 else middle
        kind = "good" if value > 0 else "bad"
        bar = (
            f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{max(wide * 0.86, 0.3):.2f}" '
            f'height="{max(tall, 0.8):.2f}"><title>{escape(name)}: {value:+.3f}</title></rect>'
        )
        parts.append(f'<a href="#{escape(link)}" tabindex="-1">{bar}</a>' if value else "")
    for y, value in ((middle - 70, most), (middle, 0.0), (middle + 70, -most)):
        parts.append(_text(_LEFT - 4, y + 4, f"{value:+.2f}" if value else "0", "tick", "end"))
    parts.append(_text(WIDTH / 2, height + 12, unit, "axis", anchor="middle"))
    return _svg(parts, height + 20, title, role="group")  # it holds links


def shifts(
    counts: Mapping[tuple[int, int], int], names: Sequence[str], *, title: str, axes: Sequence[str]
) -> str:
    """How many questions moved from one group of places (across) to another (down)."""
    left, top = 64, 40
    cell = (WIDTH - left - 8) / max(len(names), 1)
    most = max(counts.values(), default=1)
    parts = [_text(left + cell * len(names) / 2, 14, axes[0], "axis", anchor="middle")]
    parts.append(_text(4, top - 8, axes[1], "axis"))
    for place, name in enumerate(names):
        parts.append(_text(left + (place + 0.5) * cell, top - 8, name, "tick", anchor="middle"))
        parts.append(_text(left - 6, top + (place + 0.5) * cell + 4, name, "tick", anchor="end"))
    for before in range(len(names)):
        for after in range(len(names)):
            x, y = left + before * cell, top + after * cell
            number = counts.get((before, after), 0)
            kind = "same" if before == after else "good" if after < before else "bad"
            shade = 0.15 + 0.85 * math.sqrt(number / most) if number else 0
            parts.append(
                f'<rect class="cell" x="{x:.1f}" y="{y:.1f}" width="{cell - 2:.1f}" '
                f'height="{cell - 2:.1f}"/>'
            )
            if number:
                parts.append(
                    f'<rect class="{kind}" fill-opacity="{shade:.2f}" x="{x:.1f}" y="{y:.1f}" '
                    f'width="{cell - 2:.1f}" height="{cell - 2:.1f}"/>'
                )
                kind = "count strong" if shade > 0.6 else "count"
                parts.append(
                    _text(x + cell / 2 - 1, y + cell / 2 + 4, str(number), kind, anchor="middle")
                )
    return _svg(parts, top + cell * len(names) + 4, title)


def curves(
    lines: Mapping[str, Sequence[Point]],
    *,
    title: str,
    axes: Sequence[str],
    logarithmic: bool = False,
    span: Point | None = None,
) -> str:
    """Lines over two axes, y from 0 to 1; with `logarithmic` x is stretched that way."""
    height = 250
    points = [x for line in lines.values() for x, _ in line]
    low, high = span or (min(points, default=0.0), max(points, default=1.0))
    if logarithmic:
        low = 10 ** math.floor(math.log10(max(low, 1e-3)))
        high = max(10 ** math.ceil(math.log10(max(high, 1e-3))), low * 10)
    across = _scale(low, high, _LEFT, WIDTH - _RIGHT, logarithmic=logarithmic)
    up = _scale(0.0, 1.0, height - _BOTTOM, _TOP)
    parts = _frame(
        across, up, _powers(low, high) if logarithmic else _ticks(low, high), axes, height
    )
    for number, line in enumerate(lines.values()):
        drawn = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        parts.append(f'<polyline class="line-{number % _STYLES}" points="{drawn}"/>')
    return _svg(parts, height, title) + legend(list(lines))


def reliability(bins: Sequence[tuple[float, float, int]], *, title: str) -> str:
    """What was promised against what came true: a dot for each (predicted, observed, count)."""
    height = 250
    across, up = _scale(0.0, 1.0, _LEFT, WIDTH - _RIGHT), _scale(0.0, 1.0, height - _BOTTOM, _TOP)
    axes = ("relevance given", "share that was relevant")
    parts = _frame(across, up, _ticks(0.0, 1.0), axes, height)
    parts.append(_line(across(0), up(0), across(1), up(1), "diagonal"))
    most = max((count for _, _, count in bins), default=1) or 1
    for predicted, observed, count in bins:
        told = f"given {predicted:.2f}, came true {observed:.2f}, {count} passages"
        parts.append(
            f'<circle class="dot main" fill-opacity="0.7" cx="{across(predicted):.1f}" '
            f'cy="{up(observed):.1f}" r="{3 + 7 * math.sqrt(count / most):.1f}">'
            f"<title>{told}</title></circle>"
        )
    return _svg(parts, height, title)


def legend(names: Sequence[str]) -> str:
    """Which line is which."""
    keys = "".join(
        f'<li><svg width="26" height="10" aria-hidden="true"><polyline class="line-'
        f'{number % _STYLES}" points="1,5 25,5"/></svg> {escape(name)}</li>'
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{keys}</ul>'


def _frame(
    across: Callable[[float], float],
    up: Callable[[float], float],
    ticks: Sequence[float],
    axes: Sequence[str],
    height: float,
) -> list[str]:
    parts = []
    for tick in _ticks(0.0, 1.0):
        parts.append(_line(_LEFT, up(tick), WIDTH - _RIGHT, up(tick), "grid"))
        parts.append(_text(_LEFT - 5, up(tick) + 4, f"{tick:.1f}", "tick", anchor="end"))
    for tick in ticks:
        place = across(tick)
        parts.append(_line(place, up(0), place, up(0) + 4, "grid"))
        parts.append(_text(place, up(0) + 15, f"{tick:g}", "tick", anchor=_side(place)))
    parts.append(_text((_LEFT + WIDTH - _RIGHT) / 2, height - 4, axes[0], "axis", anchor="middle"))
    parts.append(_text(_LEFT + 6, _TOP + 11, axes[1], "axis"))
    return parts


def _scale(
    low: float, high: float, start: float, end: float, *, logarithmic: bool = False
) -> Callable[[float], float]:
    def at(value: float) -> float:
        if logarithmic:
            value = math.log(max(value, low) / low) / math.log(high / low)
        else:
            value = (value - low) / ((high - low) or 1.0)
        return start + min(max(value, 0.0), 1.0) * (end - start)

    return at


def _ticks(low: float, high: float) -> list[float]:
    """Round values between two, six at most."""
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(
        one for one in (step / 10, step / 5, step / 2, step, step * 2) if high - low <= 5.001 * one
    )
    first = math.ceil(low / step - 1e-6)
    return [round(number * step, 9) for number in range(first, math.floor(high / step + 1e-6) + 1)]


def _powers(low: float, high: float) -> list[float]:
    first, last = round(math.log10(low)), round(math.log10(high))
    return [10.0**power for power in range(first, last + 1)]


def _side(x: float) -> str:
    return "start" if x < 12 else "end" if x > WIDTH - 12 else "middle"


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _svg(parts: Sequence[str], height: float, title: str, *, role: str = "img") -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height:.0f}" role="{role}" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )
