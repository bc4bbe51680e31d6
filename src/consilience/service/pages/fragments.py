"""What does a page show of an answer that is being written? A piece of HTML for each event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.service.pages import page


def shown(name: str, found: Mapping[str, Any], *, space: str, asked: object = None) -> str:
    """The piece of a page for one event of an answer: `searched`, `said`, `done` …

    `asked` is the question with its filters, for the links that lead on from a result.
    """
    return page(f"events/{name}.html", found=found, name=space, asked=asked).strip()
