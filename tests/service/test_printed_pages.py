"""A number leads to its table and to its page: outlined, kept, and only for who may see it."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from consilience.page_pictures import LIGHT, STRONG
from consilience.service.auth import digest
from consilience.service.pages.cards import choose_cells
from consilience.types import Passage, identified
from consilience.workspace import init_workspace, open_workspace
from report_shared import ROWS, box_of, write_report

READ = "a-key-for-those-who-read"
PAGE = {"accept": "text/html"}
CSV = "Item,2025,2024\nTrucks,12,11\nTrains,3,4\n"
QUESTION = "What was the budgeted EBITDA margin in 2025?"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    write_report(folder / "report.pdf", pages=2)
    (folder / "fleet.csv").write_text(CSV, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def reports(tmp_path_factory, files):
    folder = init_workspace(tmp_path_factory.mktemp("homes") / "reports", pack="finance")
    (folder / "consilience.toml").write_text('pack = "finance"\n[models]\nembed = "fast"\n')
    with open_workspace(folder) as space:
        space.add([files])
        yield space


@pytest.fixture(scope="module")
def rows(reports):
    found = [one for one in reports.catalogue.each("reports") if one.kind == "row"]
    return {(one.locator.page, one.text.split(";")[0].removeprefix("Item: ")): one for one in found}


@pytest.fixture
def client(serving, reports):
    return serving(reports)


@pytest.fixture
def margin(rows):
    return f"/w/reports/passages/{rows[1, 'EBITDA margin'].id}"


@pytest.fixture
def growth(rows, reports):
    """A calculation over both pages, as a source makes one for a question."""
    operands = [
        {"passage": rows[page, "Revenue"].id, "row": 1, "column": column, "text": text,
         "page": page, "label": "Revenue", "header": year, "table": f"{page}.1",
         "document": "report.pdf"}
        for page, column, text, year in ((1, 1, "1,204", "2025"), (2, 3, "1,099", "2024"))
    ]  # fmt: skip
    made = identified(
        Passage(
            id="", collection="reports", document=rows[1, "Revenue"].document, kind="calculation",
            title="Growth", text="Growth of revenue: 1,204 / 1,099 - 1 = 9.6 %\nRevenue 2025",
            metadata={"result": "9.6 %", "operands": json.dumps(operands)},
        )
    )  # fmt: skip
    reports.catalogue.keep_made([made])
    return f"/w/reports/passages/{made.id}"


def outlined(reply, pen):
    """The box around the pixels of an outline's colour, in points."""
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
    pixels = np.array(Image.open(io.BytesIO(reply.content)).convert("RGB"))
    down, across = np.nonzero((pixels == pen.line).all(axis=2))
    return [float(one) / 2 for one in (across.min(), down.min(), across.max(), down.max())]


def test_a_row_has_its_cells_its_table_and_its_page(client, margin):
    found = client.get(f"{margin}?column=2").json()
    assert [one["text"] for one in found["cells"]] == list(ROWS["EBITDA margin"])
    assert found["cells"][1]["header"] == ["Budget 2025"]
    assert "cells" not in found["metadata"]
    table = found["table"]
    assert [row["texts"][0] for row in table["rows"]] == list(ROWS)
    assert [row["here"] for row in table["rows"]] == [False, False, True]
    assert table["headings"][table["meant"]] == "Budget 2025"
    [page] = found["printed"]
    assert (page["page"], page["image"]) == (1, f"{margin}/page.png?n=1&column=2")
    assert page["caption"].endswith("EBITDA margin, Budget 2025 (18.1%)")


def test_lists_have_numbers_in_short(client):
    found = client.post("/w/reports/search", json={"query": QUESTION}).json()
    rows = [one for one in found["results"] if one["kind"] == "row"]
    assert rows
    assert all("cells" not in one["metadata"] for one in rows)
    told = found["cells"][rows[0]["passage"]]
    assert {"label", "cells", "more"} == set(told)
    assert "box" not in json.dumps(told)


def test_the_page_is_drawn_with_the_cell_outlined(client, margin):
    found = outlined(client.get(f"{margin}/page.png?column=2"), STRONG)
    box = box_of(2, 1)
    assert box.left - 4 <= found[0] < found[2] <= box.right + 4
    assert box.top - 5 <= found[1] < found[3] <= box.bottom + 5
    left, _, right, _ = outlined(client.get(f"{margin}/page.png"), LIGHT)
    assert left < box_of(2, 0).right < box_of(2, 2).left < right


def test_a_picture_is_kept_until_it_is_another(client, margin):
    first = client.get(f"{margin}/page.png?column=2")
    mark = first.headers["etag"]
    assert first.headers["cache-control"].startswith("private")
    for seen in (mark, f'"other", W/{mark}', "*"):
        again = client.get(f"{margin}/page.png?column=2", headers={"if-none-match": seen})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == mark
    for asked in ("column=3", "column=2&strip=true"):
        other = client.get(f"{margin}/page.png?{asked}", headers={"if-none-match": mark})
        assert other.status_code == 200
        assert other.headers["etag"] != mark


def test_a_strip_shows_less_of_the_page(client, margin):
    whole, strip = (
        Image.open(io.BytesIO(client.get(f"{margin}/page.png?column=2&strip={one}").content))
        for one in ("false", "true")
    )
    assert strip.width == whole.width
    assert strip.height < whole.height


def test_a_calculation_has_a_picture_of_each_operand(client, growth):
    found = client.get(growth).json()
    assert [one["page"] for one in found["printed"]] == [1, 2]
    assert [one["text"] for one in found["operands"]] == ["1,204", "1,099"]
    first, second = (outlined(client.get(one["image"]), STRONG) for one in found["printed"])
    assert first[0] < box_of(0, 0).right < first[2] + 4
    assert second[0] > box_of(0, 1).right
    page = client.get(growth, headers=PAGE).text
    assert '<p class="comes-to">9.6 %</p>' in page
    assert page.count('loading="lazy"') == 2
    assert all(f"/passages/{one['passage']}?column=" in page for one in found["operands"])


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/page.png?n=2", 404, "no number 2"),
        ("/page.png?n=0", 422, "`n` has to be at least 1"),
        ("/page.png?n=25", 422, "`n` can be at most 24"),
        ("/page.png?column=x", 422, "`column`"),
        ("0/page.png", 404, "no passage"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_shape(client, margin, path, status, told):
    reply = client.get(f"{margin}{path}")
    assert reply.status_code == status
    assert told in reply.json()["error"]["message"]
    assert set(reply.json()) == {"error"}


def test_a_sheet_and_another_pack_have_no_page(client, rows, served, space):
    reply = client.get(f"/w/reports/passages/{rows[None, 'Trucks'].id}/page.png")
    assert (reply.status_code, reply.json()["error"]["kind"]) == (404, "Missing")
    assert "stands on no page" in reply.json()["error"]["message"]
    found = client.get(f"/w/reports/passages/{rows[None, 'Trucks'].id}").json()
    assert "printed" not in found
    assert [row["texts"][0] for row in found["table"]["rows"]] == ["Trucks", "Trains"]
    other = next(iter(space.catalogue.each("tables")))
    assert served.get(f"/w/apiary/passages/{other.id}/page.png").status_code == 404
    assert "table" not in served.get(f"/w/apiary/passages/{other.id}").json()


def test_a_file_that_changed_or_went_is_not_drawn(client, margin, files):
    path = files / "report.pdf"
    before = path.read_bytes()
    try:
        path.write_bytes(before + b"\n% more")
        changed = client.get(f"{margin}/page.png")
        path.unlink()
        gone = client.get(f"{margin}/page.png")
    finally:
        path.write_bytes(before)
    assert (changed.status_code, gone.status_code) == (404, 404)
    assert "has changed since it was read" in changed.json()["error"]["message"]
    assert "is not there any more" in gone.json()["error"]["message"]
    assert client.get(f"{margin}/page.png").status_code == 200  # the same bytes, at another time


def test_readers_see_names_of_files_only(serving, reports, margin, growth, files):
    client = serving(reports, keys={digest(READ): "read"})
    assert client.get(f"{margin}/page.png").status_code == 401
    key = {"authorization": f"Bearer {READ}"}
    assert client.get(f"{margin}/page.png", headers=key).status_code == 200
    path = files / "report.pdf"
    path.rename(files / "away.pdf")
    told = [client.get(f"{margin}/page.png", headers=key).text]
    (files / "away.pdf").rename(path)
    told += [client.get(one, headers={**key, **more}).text
             for one in (margin, growth) for more in ({}, PAGE)]  # fmt: skip
    told.append(client.post("/w/reports/search", json={"query": QUESTION}, headers=key).text)
    for text in told:
        assert str(files) not in text
        assert "report.pdf" in text


def test_the_page_of_a_row_shows_where_it_stands(client, margin):
    page = client.get(f"{margin}?column=2", headers=PAGE).text
    assert re.search(r'<tr class="here" aria-current="true">.*?EBITDA margin.*?</tr>', page, re.S)
    assert "<mark>18.1%</mark>" in page
    assert (
        f'<img src="{margin}/page.png?n=1&amp;column=2" alt="The printed page: report.pdf' in page
    )
    assert "page 1, table 1.1, row" in page
    assert "style=" not in page
    assert not re.search(r"<script(?![^>]*src=)", page)


def test_a_card_marks_the_cell_that_the_question_names(client):
    page = client.get(f"/w/reports/search?q={QUESTION}", headers=PAGE).text
    card = next(one for one in page.split("<li ")[1:] if "EBITDA margin</a>" in one)
    assert re.search(r'<th scope="col" class="meant"><span>Budget 2025</span>', card)
    assert "<mark>18.1%</mark>" in card
    assert re.search(r'href="/w/reports/passages/\w+\?column=2"', card)
    assert card.partition("</table>")[0].count("<td") == 3


def test_fields_of_other_things_may_be_called_so(reports, rows, client):
    known = {"cells": "[1] and [2]", "operands": "7"}
    odd = identified(replace(rows[1, "Revenue"], kind="node", text="odd", metadata=known))
    reports.catalogue.keep_made([odd])
    found = client.get(f"/w/reports/passages/{odd.id}")
    assert found.status_code == 200
    assert found.json()["metadata"] == known
    assert "cells" not in found.json()


TABLES = {
    "months": {"Aug 25 › Actual": "2025-08", "Aug 25 › Budget": "2025-08",
               "Jul 25 › Actual": "2025-07", "YTD Aug 25 › Actual": "2025-YTD-08"},
    "years": {"2025": "2025", "2024": "2024", "Change %": ""},
    "plain": {"Actual": "2025-08", "Budget": "2025-08"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "question", "meant"),
    [
        ("months", "EBITDA in August 2025", ["Aug 25 › Actual"]),
        ("months", "EBITDA against budget, August 2025", ["Aug 25 › Budget"]),
        ("months", "the year to date (YTD) August 2025 EBITDA", ["YTD Aug 25 › Actual"]),
        ("years", "What was revenue in 2024?", ["2024"]),
        ("years", "By how many percent did revenue change?", ["Change %"]),
        ("years", "Who is the chairman?", []),
        ("plain", "EBITDA in August 2025", ["Actual"]),
        ("plain", "the budget for August 2025", ["Budget"]),
        ("plain", "EBITDA in July 2025", []),
    ],
)
def test_cells_are_named_by_words_and_times(table, question, meant):
    cells = [
        {"heading": heading, "text": "1", "column": at, "period": period,
         "basis": "budget" if "Budget" in heading else "actual"}
        for at, (heading, period) in enumerate(TABLES[table].items())
    ]  # fmt: skip
    shown = choose_cells({"cells": cells}, question)
    assert [" › ".join(one.heading) for one in shown if one.meant] == meant


def test_a_card_has_room_for_some_cells_and_those_that_are_meant():
    cells = [{"heading": f"Q{at}", "text": str(at), "column": at} for at in range(9)]
    shown = choose_cells({"cells": cells}, "the seventh quarter, 7")
    assert [one.column for one in shown] == [0, 1, 2, 3, 4, 7]
    assert [one.meant for one in shown] == [False] * 5 + [True]
