"""What tests share: a small mixed corpus, a model that needs no file, a passage."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from consilience.pack import Pack
from consilience.types import Passage

FILES = {
    "towers.md": "# Towers at sea\n\n## Bell Rock\n\nRobert Stevenson built a tower on a reef "
    "off Arbroath.\n\n## Eddystone\n\nSmeaton dovetailed granite blocks together.\n",
    "lamps.txt": "Lamps and lenses\n\nFresnel arranged prisms in rings around a lamp.\n\n"
    "Oil gave way to electricity.\n",
    "lights.csv": "name,country,height\nBell Rock,Scotland,35\nEddystone,England,49\n"
    "Cordouan,France,67\n",
    "people.graph.jsonl": "\n".join(
        (
            '{"node":"bell","name":"Bell Rock","aliases":["Inchcape"],"kind":"light"}',
            '{"node":"stevenson","name":"Robert Stevenson","kind":"engineer"}',
            '{"node":"smeaton","name":"John Smeaton","kind":"engineer"}',
            '{"edge":["bell","BUILT_BY","stevenson"],"text":"Stevenson built it."}',
            '{"edge":["stevenson","LEARNED_FROM","smeaton"],"text":"He studied the tower."}',
        )
    ),
}
WRITTEN = 1_700_000_000_000_000_000  # when, in nanoseconds: the same for every test


def write_evidence(folder: Path) -> Path:
    """The corpus as it is at the start of a test, and nothing else beside its folder."""
    shutil.rmtree(folder.parent, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
        os.utime(folder / name, ns=(WRITTEN, WRITTEN))
    return folder


class WordVectors:
    """A real embedder of bags of words: the same words give the same vector, always."""

    name = "words:1"
    dimensions = 64
    limit = 80

    def __init__(self) -> None:
        self.embedded = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+", text)) + 2 for text in texts]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += len(texts)
        return np.array([self._one(text) for text in texts], dtype=np.float32).reshape(-1, 64)

    def embed_query(self, text: str) -> np.ndarray:
        return np.array(self._one(text), dtype=np.float32)

    def _one(self, text: str) -> list[float]:
        row = np.zeros(self.dimensions)
        for word in re.findall(r"\w+", text.casefold()):
            row[hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1
        return list(row / (np.linalg.norm(row) or 1.0))


def make_passage(key: str = "a", text: str = "", **more: object) -> Passage:
    values = {"collection": "notes", "document": "n.md", "kind": "note", "title": "Notes"}
    return Passage(id=key, text=text or f"text of {key}", **{**values, **more})  # type: ignore[arg-type]


def with_questions(pack: Pack, **changes: object) -> Pack:
    """The pack, understanding questions otherwise."""
    return replace(pack, questions=replace(pack.questions, **changes))  # type: ignore[arg-type]
