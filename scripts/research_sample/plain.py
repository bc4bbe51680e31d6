"""How does a text become a Markdown file? As people write one: a short head, then the text."""

from __future__ import annotations

import re

from research_sample.reading import Text, written_out

_KEY = re.compile(r"^(\[\d+\]) (@\w+)$", re.MULTILINE)


def markdown(text: Text) -> str:
    """The Markdown file of a text."""
    body = _KEY.sub(lambda found: f"{found[1]} {written_out(found[2])}", text.body.strip())
    title = f'"{text.title}"' if ":" in text.title else text.title
    head = [f"title: {title}", f"author: {text.byline}", f"date: {text.date}"]
    return "\n".join(["---", *head, "---", "", body, ""])
