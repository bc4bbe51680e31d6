"""Papers in a workspace: who reads them there, what their passages carry, and where they go."""

from __future__ import annotations

from pathlib import Path

import pytest
from papers_shared import Sheet

from consilience.evidence.ingest import formats
from consilience.packs.research import PACK
from consilience.settings import build_settings
from consilience.types import Passage
from consilience.workspace import init_workspace, open_workspace

NOTE = "# On doors\n\nDoors open and close.\n"
PAPER = """---
title: A small paper
authors: [Ada Quill, Bo Marsh]
year: 2019
---

## 1 Claims

{text}

## References

1. Osei, C. (2001). The cited work. Journal of Doors, 1, 1–9.
2. Marsh, B. (2002). Another one. Journal of Doors, 2, 1–9.
"""
LONG = " ".join(
    f"Door {number} opens more often than the doors that stay closed, as was shown."
    for number in range(1, 61)
)


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> list[Passage]:
    """All passages of a workspace of a paper, a note and a PDF."""
    place = tmp_path_factory.mktemp("papers")
    files = place / "files"
    files.mkdir()
    (files / "paper.md").write_text(PAPER.format(text=LONG), encoding="utf-8")
    (files / "note.md").write_text(NOTE, encoding="utf-8")
    sheet = Sheet(files / "printed.pdf")
    sheet.line("A printed work on doors", size=16, x=180)
    sheet.line("Cleo Osei", x=260, gap=2)
    sheet.line("Journal of Doors 1 (2001), 1-9", x=200)
    sheet.line("Abstract", x=270, gap=2)
    sheet.text(LONG[:400])
    sheet.line("1 Introduction", gap=2)
    sheet.text(LONG[:900])
    sheet.done()
    init_workspace(place / "space", pack=PACK.name)
    settings = build_settings({"pack": PACK.name, "models.embed": "fast"})
    with open_workspace(place / "space", settings=settings) as workspace:
        report = workspace.add([files])
        assert not report.failed
        held = [
            one
            for collection in workspace.catalogue.counts()
            for one in workspace.catalogue.each(collection)
        ]
        counts = workspace.embedder.count([one.indexed for one in held])
        assert max(counts) <= workspace.embedder.limit
    return held


def test_this_packs_reader_takes_papers_in_its_own_workspaces() -> None:
    assert {formats("research")[ending][0] for ending in (".pdf", ".md", ".rst", ".tex")} == {
        "papers"
    }
    assert formats("general")[".pdf"][0] == "pdf"
    assert formats("general")[".tex"][0] == "source_code"


def test_passages_carry_who_wrote_them_and_when(passages: list[Passage]) -> None:
    paper = [one for one in passages if one.title == "A small paper" and one.kind == "document"]
    assert len(paper) > 3
    assert {one.locator.section for one in paper} == {("1 Claims",)}
    assert {one.metadata["authors"] for one in paper} == {("Ada Quill", "Bo Marsh")}
    assert {(one.metadata["year"], one.metadata["key"]) for one in paper} == {(2019, "quill 2019")}
    assert {one.collection for one in passages} == {"papers"}


def test_papers_meet_where_one_cites_the_other(passages: list[Passage]) -> None:
    works = {one.metadata["node"] for one in passages if one.kind == "work"}
    edges = {
        (one.metadata["source"], one.metadata["target"])
        for one in passages
        if one.kind == "citation"
    }
    assert works == {"quill 2019", "osei 2001"}
    assert edges == {("quill 2019", "osei 2001"), ("quill 2019", "marsh 2002")}


def test_a_note_stays_a_note(passages: list[Passage]) -> None:
    (note,) = [one for one in passages if one.title == "On doors"]
    assert note.text == "Doors open and close."
    assert not note.metadata


def test_a_printed_page_is_named(passages: list[Passage]) -> None:
    printed = [one for one in passages if one.title == "A printed work on doors"]
    assert {one.locator.page for one in printed if one.kind == "document"} == {1}
    assert {one.metadata["key"] for one in printed} == {"osei 2001"}


@pytest.mark.parametrize("name", ["v177-tan22a", "v213-wildberger23a"])
def test_real_papers_say_who_wrote_them(name: str) -> None:
    import yaml  # noqa: PLC0415 - only here

    from consilience.packs.research.papers.loading import load  # noqa: PLC0415

    root = Path(__file__).parents[2]
    path = root.parent / "shared" / "data" / "research_papers" / f"{name}.pdf"
    if not path.exists():
        pytest.skip("needs ../shared/data/research_papers")
    label = yaml.safe_load((root / "benchmarks" / "research_papers.yaml").read_text("utf-8"))[name]
    found = load(path)
    cited = [one for one in found.blocks if one.kind == "citation"]
    assert found.title == label["title"]
    assert found.metadata["authors"][0] == label["first"]  # type: ignore[index]
    assert (found.metadata["year"], len(cited)) == (label["year"], label["references"])
