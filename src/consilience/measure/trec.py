"""How are runs and judgements exchanged with other tools? As TREC files and BEIR folders.

A run has six columns (question, Q0, document, rank, score, name), judgements four (question, 0,
document, grade); files that end in `.gz` are compressed. Tools sort a run by its scores and break
ties by their own rules, so we write scores that fall at every place, also in single precision. A
space inside a name is written `␣`, and read back so.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import numpy as np

from consilience.errors import UsageError
from consilience.measure.data_model import (
    Answer,
    Golden,
    Judgement,
    Question,
    ResolvedLabels,
    Run,
    Way,
)

Grades = Mapping[str, Mapping[str, int]]
"""Grades by question and judged unit."""
CORPUS = "corpus.jsonl"
SPACE = "␣"
_SPACES = re.compile(r"[ \t\r\n\v\f]")


# --- runs -------------------------------------------------------------------------------


def read_run(path: Path) -> Run:
    """A TREC run, by question; its name is that of its last column.

    Places are by score, and by the rank column where scores tie.
    """
    rows_by_question: dict[str, list[tuple[float, int, str]]] = {}
    name = ""
    for number, line in _lines(path):
        try:
            question, _, document, rank, score, name = _columns(line)
            rows_by_question.setdefault(question, []).append((-float(score), int(rank), document))
        except ValueError as error:
            wanted = (
                "6 columns (question Q0 document rank score name), with a whole number as rank and "
                "a number as score"
            )
            raise _format_error(path, number, line, wanted) from error
    answers = {}
    for question, rows in rows_by_question.items():
        rows.sort(key=lambda row: row[:2])
        order = {document: -score for score, _, document in rows}
        if len(order) < len(rows):
            raise UsageError(
                f"{path} gives a document twice for question {question!r}; give it once"
            )
        answers[question] = Answer(
            question=question, passages=tuple(order), scores=tuple(order.values())
        )
    return Run(way=Way(name=name or path.stem, kind="other"), answers=answers)


def write_run(run: Run, path: Path, resolved: ResolvedLabels | None = None) -> None:
    """Write a run of passages or, with `resolved`, of what its judgements name.

    The latter goes with `write_qrels(resolved.grades, …)`.
    """
    with _open(path, "wt") as stream:
        for key, answer in run.answers.items():
            order = resolved.order(key, answer.passages) if resolved else list(answer.passages)
            # A unit is at its first place: its score is that of the place.
            scores = _strictly_falling([*answer.scores, *[0.0] * len(order)][: len(order)])
            for rank, (unit, score) in enumerate(zip(order, scores, strict=True), 1):
                row = (_token(key), "Q0", _token(unit), rank, f"{score:.9g}", _token(run.way.name))
                stream.write(" ".join(map(str, row)) + "\n")


def _strictly_falling(scores: list[float]) -> list[float]:
    """The scores, each lowered where needed to be below the one before."""
    falling: list[float] = []
    last = np.float32(np.inf)
    for score in scores:
        last = min(np.float32(score), np.nextafter(last, np.float32(-np.inf)))
        falling.append(float(last))
    return falling


# --- judgements -------------------------------------------------------------------------


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Judgements of TREC (four columns) or of BEIR (three, with a heading)."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        columns = line.split("\t") if line.count("\t") == 2 else _columns(line)
        if len(columns) not in (3, 4):
            raise _format_error(
                path, number, line, "question 0 document grade, or question document grade"
            )
        question, document, grade = columns[0], columns[-2], columns[-1].strip()
        if re.fullmatch(r"[+-]?\d+", grade):
            grades.setdefault(question, {})[document] = int(grade)
        elif number > 1 or len(columns) == 4:
            raise _format_error(path, number, line, "a whole number as grade")
    return grades


def write_qrels(grades: Grades, path: Path) -> None:
    """Write judgements in the four columns of TREC."""
    with _open(path, "wt") as stream:
        for question, documents in grades.items():
            for document, grade in documents.items():
                stream.write(f"{_token(question)} 0 {_token(document)} {grade}\n")


# --- collections ------------------------------------------------------------------------


def read_beir(folder: Path, part: str = "test", *, by: str = "_id") -> Golden:
    """The judged questions of a BEIR folder: `queries.jsonl` and `qrels/<part>.tsv`.

    Judgements name records by `_id`, as `consilience add …/corpus.jsonl` keeps them. With `by`
    document a record is a document of its own, and its id is the document's path.
    """
    folder = folder.resolve()
    grades = read_qrels(_qrels_path(folder, part))
    texts = _read_queries(_existing(folder / "queries.jsonl"))
    unknown = [key for key in grades if key not in texts]
    if unknown:
        raise UsageError(
            f"{folder / 'qrels'} judges {len(unknown)} questions that queries.jsonl does not "
            f"have, such as {unknown[0]!r}; use the files of one collection"
        )
    corpus = f"{folder.name}/{CORPUS}"
    questions = tuple(
        Question(
            id=key,
            text=texts[key],
            judgements=tuple(
                Judgement(document=record, grade=grade)
                if by == "document"
                else Judgement(document=corpus, fields={by: record}, grade=grade)
                for record, grade in records.items()
            ),
        )
        for key, records in grades.items()
    )
    name = folder.name if part == "test" else f"{folder.name} ({part})"
    return Golden(name=name, questions=questions, by=by)


def _qrels_path(folder: Path, part: str) -> Path:
    path = _existing(folder / "qrels" / f"{part}.tsv")
    if path.exists():
        return path
    parts = sorted({file.name.partition(".")[0] for file in (folder / "qrels").glob("*.tsv*")})
    hint = f"it has {', '.join(parts)}" if parts else "a BEIR folder has qrels/test.tsv"
    raise UsageError(f"{folder} has no judgements {part!r}; {hint}")


def _read_queries(path: Path) -> dict[str, str]:
    texts = {}
    for number, line in _lines(path):
        try:
            record = json.loads(line)
            texts[str(record["_id"])] = str(record["text"])
        except (ValueError, KeyError, TypeError) as error:
            raise _format_error(path, number, line, 'like {"_id": "1", "text": "…"}') from error
    return texts


# --- files ------------------------------------------------------------------------------


def _existing(path: Path) -> Path:
    """The file, or its compressed copy where only that exists."""
    compressed = path.with_name(path.name + ".gz")
    return compressed if compressed.exists() and not path.exists() else path


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        with _open(path, "rt") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise UsageError(f"{path} could not be read: {error}; give a readable file") from error


def _open(path: Path, mode: str) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, mode, encoding="utf-8")  # type: ignore[return-value]
    return path.open(mode[0], encoding="utf-8")


def _token(text: str) -> str:
    """A name as one column: no spaces in it."""
    if not text:
        raise UsageError("a question or document has an empty name; TREC files need one")
    return _SPACES.sub(SPACE, text)


def _columns(line: str) -> list[str]:
    return [column.replace(SPACE, " ") for column in re.split(r"[ \t]+", line.strip(" \t"))]


def _format_error(path: Path, number: int, line: str, wanted: str) -> UsageError:
    return UsageError(f"{path}, line {number}: {line[:80]!r} is not {wanted}")
