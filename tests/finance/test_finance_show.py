"""`consilience show` leads from a number to its table, its operands and its page."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from consilience.cli import main
from consilience.cli.app import out
from consilience.errors import MissingExtra
from consilience.packs.finance import PACK
from consilience.types import Passage, identified
from consilience.workspace import init_workspace, open_workspace
from report_shared import ROWS, write_report

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = init_workspace(tmp_path_factory.mktemp("shown") / "reports", pack="finance")
    (folder / "consilience.toml").write_text('pack = "finance"\n[models]\nembed = "fast"\n')
    write_report(folder / "report.pdf", pages=2)
    (folder / "fleet.csv").write_text("Item,2025,2024\nTrucks,12,11\nTrains,3,4\n")
    with open_workspace(folder) as space:
        space.add([folder / "report.pdf", folder / "fleet.csv"])
        space.catalogue.keep_made([_made(_found(space, "Revenue"), _found(space, "Revenue", 2))])
    return folder


def _found(space, label, page=1):
    every = (one for one in space.catalogue.each("reports") if one.kind == "row")
    fits = (one for one in every if f"Item: {label};" in one.text and one.locator.page == page)
    return next(fits)


def _made(first, second):
    operands = [
        {"passage": one.id, "row": 2, "column": 1, "text": "1,204", "label": ["Revenue"],
         "header": ["2025"], "page": page, "table": f"{page}.1", "document": one.document}
        for page, one in enumerate((first, second), start=1)
    ]  # fmt: skip
    text = "Revenue, 2025: 1,204 + 1,204 = 2,408"
    known = {"result": "2,408", "operands": json.dumps(operands)}
    return identified(
        Passage(id="", collection="reports", document=first.document, kind="calculation",
                title="Report", text=text, metadata=known)
    )  # fmt: skip


@pytest.fixture
def key(home):
    def of(label, page=1):
        with open_workspace(home) as space:
            if label == "sum":
                return _made(_found(space, "Revenue"), _found(space, "Revenue", 2)).id
            return _found(space, label, page).id

    return of


@pytest.fixture
def run(home, capsys, monkeypatch):
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["consilience", "show", "-w", str(home), *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return call


def test_a_row_is_shown_in_its_table(run, key):
    code, out, err = run(key("EBITDA margin"))
    assert (code, err) == (0, "")
    lines = [line.split("\t") for line in out.splitlines() if "\t" in line]
    assert lines[0][1:5] == ["Item", "2025", "Budget 2025", "2024"]
    assert [line[0] for line in lines[1:]] == ["", "", "→"]
    assert [line[1] for line in lines[1:]] == list(ROWS)
    assert lines[3][2:5] == list(ROWS["EBITDA margin"])
    assert "page 1, table 1.1, row" in out
    assert "page 1, outlined: add --image page.png" in out
    assert '"column"' not in out  # what only look-ups read


def test_a_page_is_written_as_a_picture(run, key, tmp_path):
    path = tmp_path / "page.png"
    code, out, _ = run(key("EBITDA margin"), "--column", "2", "--image", path)
    assert code == 0
    assert path.read_bytes().startswith(PNG)
    assert f"report.pdf, page 1, outlined: EBITDA margin, Budget 2025 (18.1%): {path}" in out
    before = path.read_bytes()
    run(key("EBITDA margin"), "--image", path)
    assert path.read_bytes() != before  # no cell is meant now


def test_json_has_cells_and_table(run, key, tmp_path):
    path = tmp_path / "page.png"
    found = json.loads(run(key("Revenue"), "--json", "--image", path)[1])
    assert [one["text"] for one in found["cells"]] == list(ROWS["Revenue"])
    assert found["table"]["rows"][0]["here"]
    assert found["images"] == [str(path)]
    assert "cells" not in found["metadata"]
    assert "images" not in json.loads(run(key("Revenue"), "--json")[1])


def test_a_calculation_has_its_operands_and_a_picture_of_each_page(run, key, tmp_path):
    code, out, _ = run(key("sum"), "--image", tmp_path / "sum.png")
    assert code == 0
    assert "1. Revenue, 2025: 1,204 (report.pdf, page 1, table 1.1, row 2; passage " in out
    assert "2. Revenue, 2025: 1,204 (report.pdf, page 2, table 2.1, row 2; passage " in out
    assert {one.name for one in tmp_path.iterdir()} == {"sum-1.png", "sum-2.png"}
    assert (tmp_path / "sum-1.png").read_bytes() != (tmp_path / "sum-2.png").read_bytes()
    assert len(json.loads(run(key("sum"), "--json")[1])["operands"]) == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [("page.jpg", "ends in .png"), ("nowhere/page.png", "there is no folder"), (".", "PNG")],
)
def test_a_picture_that_cannot_be_written_is_refused(run, key, tmp_path, name, told):
    code, _, err = run(key("Revenue"), "--image", tmp_path / name)
    assert code == 1
    assert told in err


def test_what_stands_on_no_page_says_so(run, key, tmp_path):
    code, out, _ = run(key("Trucks", None))
    assert code == 0
    assert "--image" not in out
    assert "Trains" in out
    code, _, err = run(key("Trucks", None), "--image", tmp_path / "page.png")
    assert code == 1
    assert "stands on no page" in err


def test_a_file_that_changed_or_went_says_so(run, key, home, tmp_path):
    path, image = home / "report.pdf", tmp_path / "page.png"
    before = path.read_bytes()
    wanted = key("Revenue")
    try:
        path.write_bytes(before + b"\n")
        changed = run(wanted, "--image", image)
        path.unlink()
        gone = run(wanted, "--image", image)
        shown = run(wanted)
    finally:
        path.write_bytes(before)
    assert (changed[0], gone[0], shown[0]) == (1, 1, 0)
    assert "report.pdf has changed since it was read" in changed[2]
    assert "report.pdf is not there any more" in gone[2]
    assert not image.exists()


def test_a_row_is_shown_without_the_extra(run, key, tmp_path, monkeypatch):
    wanted = key("Revenue")

    def missing():
        raise MissingExtra("reports", "finance")

    monkeypatch.setattr("consilience.cli.search.plugins.load", lambda *given: _without(missing))
    code, out, err = run(wanted)
    assert code == 0
    assert "1,204" in out
    assert "pip install 'consilience[finance]'" in err
    code, _, err = run(wanted, "--image", tmp_path / "page.png")
    assert code == 1
    assert "pip install 'consilience[finance]'" in err


def _without(ready):
    return replace(PACK, ready=ready)


@pytest.mark.parametrize("width", [100, 28])
def test_nothing_is_cut_off_in_a_terminal(run, key, monkeypatch, width):
    monkeypatch.setattr(out, "_force_terminal", True)
    monkeypatch.setattr(out, "_width", width)
    told = run(key("EBITDA margin"))[1]
    table = told.rpartition("able 1.1")[2]
    assert table.count("→") == (1 if width == 100 else 4)
    for label, texts in ROWS.items():
        assert label in table
        assert all(one in table for one in texts)
