"""Which answers are known already? A file of answered questions, so that work can go on.

One line a question, written as soon as it is answered. The file's name is a digest of all that
the answers depend on: the questions, the corpus, the settings, the models, the program itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import consilience
from consilience.errors import StoreError
from consilience.learned import CARD, MODEL
from consilience.measure.conditions import recorded
from consilience.measure.values import Answer
from consilience.relevance import FILE as CALIBRATION
from consilience.workspace import STORE, Workspace

RUNS = "runs"
"""The folder beside the catalogue in which answers are kept."""
_ELSEWHERE = ("cli", "loaders", "models/data")
"""What prints, what reads files (a corpus has a fingerprint), and models (they have names)."""
_FILES = 8  # so many measurements are kept; the oldest goes


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one question got: an answer for each way, and what went wrong.

    `times` are the milliseconds of what has a deadline in a live search, by its setting.
    """

    answers: Mapping[str, Answer]
    missed: tuple[str, ...] = ()
    times: Mapping[str, float] = field(default_factory=dict)


class Kept:
    """Answers by the text of the question; in memory alone where no file is given."""

    def __init__(self, path: Path | None = None, *, fresh: bool = False) -> None:
        self._path = path
        self._lines: dict[str, Line] = {}
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if fresh:
                path.unlink(missing_ok=True)
            self._whole(path)
            _prune(path)
        except OSError as error:
            raise StoreError(
                f"cannot keep answers in {path}: {error.strerror}; is the disk read-only?"
            ) from error

    def __len__(self) -> int:
        return len(self._lines)

    def has(self, text: str, ways: Collection[str]) -> bool:
        """Whether a question was answered in all these ways, and nothing went wrong."""
        line = self._lines.get(text)
        return line is not None and not line.missed and set(ways) <= line.answers.keys()

    def line(self, text: str) -> Line:
        """What a question got."""
        return self._lines[text]

    def add(self, text: str, line: Line) -> None:
        """Keep what a question got, on disk before the next one is asked."""
        plain = _plain(text, line)
        self._lines[text] = _read(plain)[1]  # the same numbers now as when read again
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(plain, ensure_ascii=False) + "\n")

    def _whole(self, path: Path) -> None:
        """Read the lines up to the first that was cut short, and drop the rest of the file."""
        if not path.exists():
            return
        sound = 0
        with path.open("rb") as stream:
            for raw in stream:
                with suppress(ValueError, KeyError, TypeError):
                    text, line = _read(json.loads(raw))
                    if raw.endswith(b"\n"):
                        self._lines[text] = line
                        sound += len(raw)
                        continue
                break
        with path.open("r+b") as stream:
            stream.truncate(sound)


def key_of(**parts: Any) -> str:
    """A digest of all that answers depend on."""
    told = json.dumps({**parts, "program": program()}, sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def answers_key(workspace: Workspace, golden: str) -> str:
    """A digest of all that the answers to a golden set (of this digest) depend on here, now."""
    engine, store = workspace.engine, workspace.folder / STORE
    learned = [store / name for name in (CALIBRATION, CARD, MODEL)]
    return key_of(
        golden=golden,
        corpus=workspace.catalogue.fingerprint(),
        settings=recorded(workspace.settings),
        models=[workspace.embedder.name, engine.reranker and engine.reranker.name],
        sources=sorted(engine.sources),
        synonyms=dict(engine.knowledge.synonyms),
        learned={one.name: one.read_text(encoding="utf-8") for one in learned if one.exists()},
    )


@cache
def program() -> str:
    """A digest of the program: another version may answer or measure otherwise."""
    root = Path(consilience.__file__).parent
    digest = hashlib.sha256(consilience.__version__.encode())
    for path in program_files(root):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def program_files(root: Path) -> list[Path]:
    """The files of the package that an answer or its measure may depend on."""
    elsewhere = [root / one for one in _ELSEWHERE]
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.suffix in (".py", ".json") and not set(elsewhere) & set(path.parents)
    ]


def _prune(path: Path) -> None:
    files = sorted(path.parent.glob("*.jsonl"), key=lambda one: one.stat().st_mtime)
    for old in [one for one in files if one != path][: -(_FILES - 1)]:
        old.unlink(missing_ok=True)


def _plain(text: str, line: Line) -> dict[str, Any]:
    answers = {
        name: {
            "passages": one.passages,
            "scores": [round(score, 9) for score in one.scores],
            "ms": round(one.ms, 3),
            "refused": one.refused,
            "relevances": [each if each is None else round(each, 6) for each in one.relevances],
        }
        for name, one in line.answers.items()
    }
    times = {name: round(ms, 3) for name, ms in line.times.items()}
    return {"text": text, "answers": answers, "missed": line.missed, "times": times}


def _read(value: Mapping[str, Any]) -> tuple[str, Line]:
    answers = {
        name: Answer(
            question="",
            passages=tuple(one["passages"]),
            scores=tuple(one["scores"]),
            ms=one["ms"],
            refused=one["refused"],
            relevances=tuple(one["relevances"]),
        )
        for name, one in value["answers"].items()
    }
    times = dict(value["times"])
    return value["text"], Line(answers=answers, missed=tuple(value["missed"]), times=times)
