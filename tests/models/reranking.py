"""What the tests of rerankers share: passages, and asking for an opinion of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from consilience.types import Passage

WORDS = ["bb", "dddd", "a", "ccc"]


def make_passage(key: str, text: str, **more: Any) -> Passage:
    values = {"collection": "notes", "document": "n.md", "kind": "note", "title": "Notes"}
    return Passage(id=key, text=text, **{**values, **more})


def passages(texts: Sequence[str] = WORDS) -> list[Passage]:
    return [make_passage(f"p{place}", text) for place, text in enumerate(texts)]


def ranked(reranker: Any, text: str = "q", texts: Sequence[str] = WORDS) -> list[float]:
    return asyncio.run(reranker.rerank(text, passages(texts)))
