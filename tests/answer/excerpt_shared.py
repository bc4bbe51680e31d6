"""Exhibits and answers that tests of the extractive writer share."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.answer import excerpts
from consilience.answer.task import Task
from consilience.answer.transcript import Transcript
from consilience.packs.chess import PACK
from consilience.protocols import Embedder
from consilience.types import Exhibit, Length, Locator, Passage

WRITERS = PACK.answers.writers


def prose(
    mark: int,
    text: str,
    *,
    title: str = "Handbook",
    section: Sequence[str] = (),
    kind: str = "book",
) -> Exhibit:
    passage = Passage(
        id=f"{mark:016x}",
        collection="documents",
        document=f"{title}.txt",
        kind=kind,
        title=title,
        text=text,
        locator=Locator(section=tuple(section)),
    )
    return Exhibit(mark=mark, passage=passage, label=title, text=text, relevance=0.5)


def row(mark: int, **cells: str | float) -> Exhibit:
    text = "; ".join(f"{name}: {value}" for name, value in cells.items())
    passage = Passage(
        id=f"{mark:016x}",
        collection="tables",
        document="towers.csv",
        kind="row",
        title="towers",
        text=text,
        locator=Locator(table="towers", row=mark),
        metadata=cells,
    )
    return Exhibit(mark=mark, passage=passage, label="Table - towers", text=text, relevance=0.5)


def linked(mark: int, kind: str, text: str, **known: object) -> Exhibit:
    passage = Passage(
        id=f"{mark:016x}",
        collection="graph",
        document="towers.graph.jsonl",
        kind=kind,
        title="links",
        text=text,
        metadata=known,  # type: ignore[arg-type]
    )
    return Exhibit(mark=mark, passage=passage, label="Link", text=text, relevance=0.5)


def edge(mark: int, source: str, relation: str, target: str, text: str = "") -> Exhibit:
    line = f"{source} → ({relation.replace('_', ' ').lower()}) → {target}"
    told = f"{line}. {text}" if text else line
    return linked(mark, "edge", told, source=source, relation=relation, target=target)


def answered(
    question: str,
    exhibits: Sequence[Exhibit],
    *,
    length: Length = "balanced",
    embedder: Embedder | None = None,
    **more: object,
) -> Transcript:
    """The transcript of an answer, checked as every answer is."""
    more.setdefault("writers", WRITERS)
    task = Task(question=question, exhibits=tuple(exhibits), length=length, **more)  # type: ignore[arg-type]
    transcript = Transcript(exhibits)
    said = list(excerpts.write(task, transcript, embedder))
    assert "".join(one.text for one in said) == transcript.text
    return transcript
