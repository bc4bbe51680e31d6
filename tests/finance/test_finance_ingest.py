"""Reports come in whole, their pages told; one that cannot be read says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from consilience.progress import FileProgress
from consilience.settings import build_settings
from consilience.workspace import init_workspace, open_workspace
from report_shared import HEIGHT, ROWS, WIDTH, write_report
from tests_shared import WordVectors


@pytest.fixture
def space(tmp_path):
    folder = init_workspace(tmp_path / "space", pack="finance")
    settings = build_settings({"pack": "finance", "models.rerank": "none"})
    with open_workspace(folder, settings=settings, embedder=WordVectors()) as opened:
        yield opened


def locked(path: Path, **passwords: str) -> Path:
    """A report that a password locks."""
    encryption = StandardEncryption(**passwords)
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), encrypt=encryption)
    canvas.drawString(30, 200, "Revenue rose in Portugal.")
    canvas.save()
    return path


def scanned(path: Path) -> Path:
    """A report whose pages are pictures."""
    picture = path.with_suffix(".png")
    Image.new("L", (60, 80), 200).save(picture)
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    for _ in range(2):
        canvas.drawImage(str(picture), 0, 0, WIDTH, HEIGHT)
        canvas.showPage()
    canvas.save()
    picture.unlink()
    return path


def cut_off(path: Path, share: float) -> Path:
    """A report of which the end is missing."""
    data = write_report(path, pages=3).read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


REASONS = {
    "locked.pdf": "needs a password; save a copy without one",
    "scanned.pdf": "holds no text on its 2 pages; OCR found none either",
    "cut.pdf": "is not a readable PDF: its end is missing; copy or download it again",
    "empty.pdf": "is not a readable PDF: it is empty; copy or download it again",
    "page.pdf": "is not a readable PDF: it does not begin as a PDF does; open it to see what it is",
    "odd.pdf": "is not a readable PDF: Failed to load document (PDFium: Data format error); "
    "export it again",
}


def write_all(files: Path) -> None:
    """Every way in which a report cannot be read, and two that can."""
    files.mkdir()
    write_report(files / "good.pdf", pages=2)
    locked(files / "open.pdf", userPassword="", ownerPassword="other")
    locked(files / "locked.pdf", userPassword="secret", ownerPassword="other")
    scanned(files / "scanned.pdf")
    cut_off(files / "cut.pdf", 0.6)
    (files / "empty.pdf").write_bytes(b"")
    (files / "page.pdf").write_text("<html><body>Sign in to go on</body></html>")
    (files / "odd.pdf").write_bytes(b"%PDF-1.7\nnothing\n%%EOF\n")


def test_a_file_that_cannot_be_read_says_why_and_costs_no_other(space, tmp_path):
    write_all(tmp_path / "files")
    report = space.add([tmp_path / "files"])
    reasons = {Path(path).name: reason for path, reason in report.failed}
    assert reasons == {name: f"{name} {reason}" for name, reason in REASONS.items()}
    assert report.read == 2
    kept = {Path(one.path).name: one.reason for one in space.catalogue.documents() if one.reason}
    assert kept == reasons
    found = {Path(hit.passage.document).name for hit in space.search("Revenue").hits}
    assert found == {"good.pdf", "open.pdf"}


class Seen:
    """A progress that remembers how far files were."""

    def __init__(self):
        self.told = []

    def stage(self, name, *, total, unit):
        pass

    def advance(self, number=1):
        pass

    def within(self, paces):
        self.told.extend(paces)


def test_the_pages_of_a_report_are_told_and_all_of_it_comes_in(space, tmp_path):
    path, seen = write_report(tmp_path / "report.pdf", pages=2), Seen()
    space.add([path], progress=seen)
    assert seen.told[-1] == FileProgress(path=str(path), done=2, total=2, unit="pages")
    passages = [one for name in space.catalogue.counts() for one in space.catalogue.each(name)]
    rows = [one for one in passages if one.kind == "row"]
    assert {(one.locator.page, str(one.metadata["metric"])) for one in rows} == {
        (page, name) for page in (1, 2) for name in ROWS
    }
    assert max(space.embedder.count([one.indexed for one in passages])) <= space.embedder.limit


def long_table(path: Path, heads: tuple[str, ...], caption: str) -> Path:
    """A table that goes on over five pages, each with the headings and a running head."""
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    for page in range(5):
        canvas.drawString(30, 285, "Lamps and Lenses")
        if caption:
            canvas.drawString(30, 270, caption)
        for column, head in enumerate(heads):
            canvas.drawRightString(220 + 85 * column, 250, head)
        for row in range(8):
            name = f"Works {'ABCDE'[page]}{'abcdefgh'[row]}"
            canvas.drawString(30, 230 - 18 * row, name)
            for column in range(len(heads)):
                number = 100.5 + 37 * page + 11 * row + column
                canvas.drawRightString(220 + 85 * column, 230 - 18 * row, f"{number}")
        canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize(
    ("heads", "caption", "unit"),
    [
        (("2025", "Budget 2025", "2024"), "", None),
        (("Revenue", "Costs", "Result"), "", None),
        (("2025", "Budget 2025", "2024"), "Results of the works (in € millions)", "EUR million"),
    ],
)
def test_headings_that_repeat_on_each_page_of_a_table_are_no_running_heads(
    space, tmp_path, heads, caption, unit
):
    report = space.add([long_table(tmp_path / "long.pdf", heads, caption)])
    rows = [one for one in space.catalogue.each("reports") if one.kind == "row"]
    assert len(rows) == 40
    assert all(head in one.text for head in heads for one in rows)
    assert {one.metadata.get("unit") for one in rows} == {unit}
    (told,) = [note for _, note in report.notes if "running heads" in note]
    assert told.endswith("left out: 'Lamps and Lenses'")
