"""How did a measure change from report to report? Lines to draw, one plot for each golden set."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

WIDTH, HEIGHT = 400, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 14, 14, 30


def timelines(cards: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A plot for each golden set and measure that was measured more than once, oldest first."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for card in reversed(cards):
        groups.setdefault((card["golden"], card["measure"]), []).append(card)
    return [_plot(*key, some) for key, some in sorted(groups.items()) if len(some) > 1]


def _plot(golden: str, measure: str, cards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    up, ticks = _upwards(cards)
    step = (WIDTH - _LEFT - _RIGHT) / (len(cards) - 1)
    dots = [
        {
            "x": _rounded(_LEFT + number * step),
            "y": up(card["merged"]),
            "low": up(card["low"]),
            "high": up(card["high"]),
            "id": card["id"],
            "date": card["date"][:10],
            "value": card["merged"],
            "sound": card["passed"] == card["controls"],
        }
        for number, card in enumerate(cards)
    ]
    single = [
        (dot["x"], up(card["single"]))
        for dot, card in zip(dots, cards, strict=True)
        if card["single"] is not None
    ]
    return {
        "golden": golden,
        "measure": measure,
        "width": WIDTH,
        "height": HEIGHT,
        "left": _LEFT,
        "right": WIDTH - _RIGHT,
        "ticks": [{"y": up(tick), "told": f"{tick:.1f}"} for tick in ticks],
        "dots": dots,
        "merged": " ".join(f"{dot['x']},{dot['y']}" for dot in dots),
        "single": " ".join(f"{x},{y}" for x, y in single) if len(single) > 1 else "",
        "told": "; ".join(f"{dot['date']}: {dot['value']:.3f}" for dot in dots),
    }


def _upwards(cards: Sequence[Mapping[str, Any]]) -> tuple[Callable[[float], float], list[float]]:
    """Where a value stands, and the values at which a line is drawn: tenths around them."""
    known = [card[name] for card in cards for name in ("merged", "low", "high", "single")]
    values = [float(one) for one in known if one is not None]
    first = math.floor(min(values) * 10 + 1e-9)
    last = max(math.ceil(max(values) * 10 - 1e-9), first + 1)

    def up(value: float) -> float:
        share = (value * 10 - first) / (last - first)
        return _rounded(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM))

    each = 1 if last - first <= 5 else 2
    return up, [number / 10 for number in range(first, last + 1, each)]


def _rounded(value: float) -> float:
    return round(value, 1)
