"""Forty types of files and damaged ones: each is read and cited, or listed with its reason."""

from __future__ import annotations

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from file_types import FILES, QUESTIONS, UNREAD, picture, write_all, zipped
from loader_files import pdf_bytes
from PIL import Image

from consilience.errors import LoadError, MissingExtra, UsageError
from consilience.evidence.file_scan import ending_of, formats
from consilience.evidence.loaders import archive, json_document, mail, ocr, office, pdf
from consilience.page_pictures import LIGHT, printed_pages
from consilience.service.app import create_app
from consilience.service.mcp_tools import WorkspaceStatus
from consilience.service.service import Service
from consilience.types import Block, Passage
from consilience.workspace import init_workspace, open_workspace
from tests_shared import make_passage


def load(path: Path):
    known = formats("general")
    return known[ending_of(path.name, known)][1].load(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("all")
    write_all(made)
    return made


@pytest.fixture(scope="module")
def space(folder, tmp_path_factory):
    home = init_workspace(tmp_path_factory.mktemp("space") / "w")
    (home / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    with open_workspace(home) as opened:
        opened.add([folder])
        yield opened
    shutil.rmtree(home)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_type_is_read(folder, name):
    document = load(folder / name)
    assert any(FILES[name][1] in block.text for block in document.blocks)


@pytest.mark.parametrize(("name", "question"), QUESTIONS.items(), ids=QUESTIONS)
def test_what_a_file_holds_is_found_and_cited(space, name, question):
    answer = space.ask(question)
    cited = [Path(exhibit.passage.document).name for exhibit in answer.exhibits]
    assert name in cited, (answer.text, cited)


def test_what_was_not_read_is_listed_everywhere_with_its_reason(space, folder, run):
    unread = {Path(record.path).name: record.reason for record in space.catalogue.unread()}
    assert set(unread) == set(UNREAD)
    assert all(unread.values())
    assert unread["blank.csv"] == "blank.csv holds no text"
    assert "is protected: pay.csv cannot be opened; use a copy" in unread["locked.zip"]
    assert unread["old.doc"] == "no loader for .doc files; save it as .docx"
    home = str(space.folder)
    listed = " ".join(run("status", "-w", home)[1].split())
    code, checked, _ = run("doctor", "-w", home)
    checked = " ".join(checked.split())
    assert code == 0
    assert f"{len(UNREAD)} files not read" in checked
    with TestClient(create_app(Service([space]))) as client:
        page = client.get(f"/w/{space.folder.name}/status", headers={"accept": "text/html"}).text
        service = Service([space])
    told = WorkspaceStatus.of(next(iter(service.spaces.values())))
    for name, reason in unread.items():
        assert f"{folder / name}: {reason}".replace("  ", " ") in listed
        assert name in page
        assert any(name in problem for problem in told.problems)


def test_a_question_that_names_a_file_that_was_not_read_says_so(space):
    notes = [note.message for note in space.search("Which song is sung at the film night?").notes]
    assert any("song.mp3 (no loader for .mp3 files; add a transcript)" in note for note in notes)
    assert not any("not read" in note.message for note in space.search("granite sinker").notes)


def test_a_file_that_goes_is_no_longer_listed_and_one_that_can_be_read_is_read(tmp_path):
    home = init_workspace(tmp_path / "w")
    (home / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    files = tmp_path / "files"
    files.mkdir()
    (files / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    for name in ("a.xyz", "b.xyz"):
        (files / name).write_text("one two three")
    with open_workspace(home) as space:
        report = space.add([files])
        assert (report.ignored, report.failed) == (
            [".xyz (2)", "(link to a folder) (1)"],
            [],
        )
        assert [record.status for record in space.catalogue.unread()] == ["skipped"] * 3
        (files / "elsewhere").unlink()
        (files / "a.xyz").unlink()
        (files / "b.xyz").rename(files / "b.txt")
        assert space.add([]).read == 1
        assert space.catalogue.unread() == []


def test_adding_a_wrong_thing_says_what_can_be_added(tmp_path, space):
    (tmp_path / "song.mp3").write_bytes(b"ID3")
    with pytest.raises(UsageError) as caught:
        space.add([tmp_path / "song.mp3"])
    said = str(caught.value)
    assert "'song.mp3': no loader for .mp3 files; add a transcript." in said
    assert "office: .docx" in said
    assert "web address" in said


# --- what each format keeps --------------------------------------------------------------


def places(path: Path) -> dict[str, str]:
    return {block.text: str(block.locator) for block in load(path).blocks}


def test_word_keeps_headings_lists_and_rows(folder):
    document = load(folder / "handbook.docx")
    assert document.title == "Harbour handbook"
    found = places(folder / "handbook.docx")
    assert found["- Check the compressor"] == "Fog signals"
    assert found["Keeper: Ada Brine; Years: 14"] == (
        "Fog signals › Keepers, table handbook 1, row 1"
    )


def test_slides_and_cells_have_numbers(folder):
    found = places(folder / "budget.pptx")
    assert found["Mercury for the float costs 4,300 crowns."] == "Costs, slide 2"
    assert found["Notes: Ask Ottoline about the invoice."] == "Costs, slide 2"
    assert places(folder / "study.ipynb")["mean swell is 2.75 metres"] == "Method, cell 2"
    assert places(folder / "tides.odp")["Springs follow the new moon by two days."] == (
        "Tides, slide 1"
    )


def test_sheets_are_tables_with_the_numbers_of_their_rows(folder):
    found = {block.text: block for block in load(folder / "wages.xlsx").blocks}
    row = found["Name: Isa Quill; Wage: 61.5"]
    assert (row.kind, row.locator.row, row.metadata["Wage"]) == ("row", 4, 61.5)
    assert row.locator.table == "wages Wages"
    assert found["Wages of 1904"].kind is None


def test_rows_of_a_workbook_answer_questions_about_tables(space):
    result = space.search("What is the Wage of Bo Marram?")
    assert "Bo Marram" in result.hits[0].passage.text
    statuses = {outcome.source: outcome.status for outcome in result.trace.outcomes}
    assert statuses["documents/sql"] == "ok"


def test_a_formula_that_was_never_computed_is_said(tmp_path):
    import openpyxl  # noqa: PLC0415

    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, "=A2*2"])
    book.save(tmp_path / "f.xlsx")
    assert any("1 formulas hold no saved value" in note for note in load(tmp_path / "f.xlsx").notes)


def test_mail_has_its_fields_and_attachments(folder):
    document = mail.load(folder / "mail.eml")
    assert document.blocks[0].metadata["date"] == "2026-03-03"
    assert document.blocks[1].metadata == {"Item": "Wick", "Count": 40}
    assert document.title == "Stores"
    assert places(folder / "mail.eml")["Item: Wick; Count: 40"] == (
        "stores.csv, table stores, row 1"
    )
    assert places(folder / "inbox.mbox")["Seven tons came."] == "Coal, message 1"


def test_json_of_any_shape(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"a": {"b": {"c": [1, 2], "d": [{"e": 1}, {"e": 2}, 3]}}, "f": "g"}))
    document = json_document.load(path)
    assert [(block.text, str(block.locator)) for block in document.blocks] == [
        ("f: g", ""),
        ("c: 1, 2", "a › b"),
        ("e: 1", "a › b › d, table a a b d, row 1"),
        ("e: 2", "a › b › d, table a a b d, row 2"),
        ("[3]", "a › b › d"),
    ]
    for text in ("[1, 2]", '"only words"', "3", "[[1], [2]]"):
        path.write_text(text)
        assert json_document.load(path).blocks, text
    path.write_text("[" * 100_000)
    with pytest.raises(LoadError):
        json_document.load(path)


# --- bounds ------------------------------------------------------------------------------


def test_a_zip_is_bounded_in_bytes_and_depth(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1_000_000)
    bomb = tmp_path / "bomb.zip"
    bomb.write_bytes(zipped({"a.txt": "a" * 2_000_000}))
    with pytest.raises(LoadError, match="decompression bomb"):
        archive.load(bomb)
    inner = zipped({"deep.txt": "the deepest text"})
    for _ in range(5):
        inner = zipped({"in.zip": inner})
    (tmp_path / "deep.zip").write_bytes(inner)
    document = archive.load(tmp_path / "deep.zip")
    assert not document.blocks
    assert "nested too deep" in " ".join(document.notes)


def test_a_zip_names_what_it_could_not_read(folder, tmp_path):
    assert load(folder / "all.zip").notes == ("b.bin was not read: no loader for .bin files",)
    (tmp_path / "out.zip").write_bytes(zipped({"../../evil.txt": "kept inside"}))
    assert archive.load(tmp_path / "out.zip").blocks[0].text == "kept inside"
    assert not (tmp_path.parent / "evil.txt").exists()


def test_an_office_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    path = tmp_path / "big.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", "a" * 100_000)
    with pytest.raises(LoadError, match="decompression bomb"):
        office.load(path)


@pytest.mark.parametrize("module", ["mammoth", "pptx", "openpyxl", "striprtf.striprtf"])
def test_a_missing_library_names_its_install(folder, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    name = {"mammoth": "handbook.docx", "pptx": "budget.pptx", "openpyxl": "wages.xlsx"}
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[office\]'"):
        office.load(folder / name.get(module, "memo.rtf"))


# --- scans -------------------------------------------------------------------------------


def scanned_pdf(path: Path, *texts: str) -> Path:
    pages = [Image.open(io.BytesIO(picture(text))) for text in texts]
    pages[0].save(path, "PDF", save_all=True, append_images=pages[1:], resolution=100)
    return path


def test_a_scanned_pdf_is_read_by_ocr_with_its_page_and_certainty(tmp_path):
    path = scanned_pdf(tmp_path / "scan.pdf", "The davit holds a gig.", "Salt beef fills a cask.")
    document = pdf.load(path)
    second = document.blocks[1]
    assert (second.text, second.locator.page) == ("Salt beef fills a cask.", 2)
    assert second.metadata["read by"] == "OCR"
    assert second.metadata["certainty"] > 0.9
    assert any("pages read by OCR, certainty 0.9" in note for note in document.notes)


def test_without_ocr_a_scan_names_its_install(tmp_path, monkeypatch):
    monkeypatch.setattr(ocr, "is_installed", lambda: False)
    path = scanned_pdf(tmp_path / "scan.pdf", "Nobody reads this.")
    with pytest.raises(LoadError, match=r"pip install 'consilience\[ocr\]'"):
        pdf.load(path)
    (tmp_path / "a.png").write_bytes(picture("x"))
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[ocr\]'"):
        load(tmp_path / "a.png")


def test_a_page_with_text_costs_no_ocr(tmp_path, monkeypatch):
    monkeypatch.setattr(ocr, "read_lines", lambda pixels: pytest.fail("OCR was asked"))
    (tmp_path / "a.pdf").write_bytes(pdf_bytes([["Words on a page."]]))
    assert pdf.load(tmp_path / "a.pdf").blocks


@pytest.mark.parametrize("kind", ["JPEG", "TIFF", "WEBP", "BMP"])
def test_images_of_other_kinds(tmp_path, kind):
    path = tmp_path / f"a.{kind.lower()}"
    path.write_bytes(picture("Eleven gulls sat there.", kind))
    assert load(path).blocks[0].text == "Eleven gulls sat there."


# --- the page that a citation stands on ---------------------------------------------------


def washed(png: bytes) -> tuple[int, int]:
    """Where the marked places of a picture begin and end, in rows of pixels."""
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    rows = np.flatnonzero(((pixels == LIGHT.wash).all(axis=2)).any(axis=1))
    return int(rows.min()), int(rows.max())


def test_a_pdf_of_any_pack_shows_its_page_with_the_words_marked(space, folder):
    hit = space.search("What index does crown glass have?").hits[0]
    with TestClient(create_app(Service([space]))) as client:
        address = f"/w/{space.folder.name}/passages/{hit.passage.id}/page.png"
        reply = client.get(address)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
        top, bottom = washed(reply.content)
    # The passage is the first and the third line of the page, from 28 to 75 points below its edge.
    assert 2 * 26 < top < bottom < 2 * 78


def test_a_scan_shows_where_the_words_stand(tmp_path):
    path = scanned_pdf(tmp_path / "scan.pdf", "The davit holds a gig.")
    block = pdf.load(path).blocks[0]
    page = printed_pages(tmp_path, passage_of("scan.pdf", block))[0]
    top, bottom = washed(page.draw())
    assert bottom - top > 10
    (tmp_path / "a.png").write_bytes(picture("Eleven gulls sat there."))
    block = load(tmp_path / "a.png").blocks[0]
    top, bottom = washed(printed_pages(tmp_path, passage_of("a.png", block))[0].draw())
    assert 40 < top < bottom < 100


def test_other_files_have_no_page(tmp_path):
    assert printed_pages(tmp_path, passage_of("a.md", Block(text="words"))) == []


def passage_of(document: str, block: Block) -> Passage:
    return make_passage("1f", block.text, document=document, locator=block.locator)
