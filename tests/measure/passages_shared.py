"""Passages that tests of measuring make up."""

from __future__ import annotations

from consilience.types import Passage


def make_passage(key: str = "a", text: str = "", **more: object) -> Passage:
    values = {"collection": "notes", "document": "n.md", "kind": "note", "title": "Notes"}
    return Passage(id=key, text=text or f"text of {key}", **{**values, **more})  # type: ignore[arg-type]
