"""The sample of reports is what its script builds, adds up, and its questions point into it."""

from __future__ import annotations

import gzip
import importlib
import json
import re
import sys
from collections import Counter
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import pypdfium2
import pytest

from consilience.measure.golden import read_golden
from consilience.measure.metrics import states
from consilience.types import Locator, Passage

ROOT = Path(__file__).parents[2]
PACK = ROOT / "src/consilience/packs/finance"
SAMPLE = PACK / "sample"
REPORTS = sorted(SAMPLE.glob("*.pdf"))
BUILT_WITH = {"reportlab": "5.1.0", "openpyxl": "3.1.5"}
SHARES = {
    "golden.yaml": {
        "lookup": 14, "comparison": 8, "trend": 7, "calculation": 33, "definition": 6,
        "narrative": 6, "unanswerable": 10,
    },
    "golden-tuning.yaml": {
        "lookup": 28, "comparison": 16, "trend": 12, "calculation": 46, "definition": 12,
        "narrative": 12, "unanswerable": 20,
    },
}  # fmt: skip


def plain(text):
    return " ".join(text.replace("\ufffe", "-").split())


@pytest.fixture(scope="module")
def pages():
    """The text of every page, by document."""
    found = {}
    for path in REPORTS:
        with pypdfium2.PdfDocument(path) as report:
            found[path.name] = [plain(one.get_textpage().get_text_bounded()) for one in report]
    return found


@pytest.fixture(scope="module")
def tables():
    """What the tables say."""
    lines = gzip.decompress((PACK / "truth/tables.jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in lines.splitlines()]


@pytest.fixture(scope="module")
def scripts():
    """The folder of scripts on the path, as when one of them is run."""
    pytest.importorskip("reportlab", reason="reportlab is only needed to rebuild the sample")
    pytest.importorskip("openpyxl", reason="openpyxl is only needed to rebuild the sample")
    sys.path.insert(0, str(ROOT / "scripts"))
    yield lambda name: importlib.import_module(f"finance_sample.{name}")
    sys.path.remove(str(ROOT / "scripts"))


@pytest.fixture(scope="module")
def made(scripts):
    """All files, built anew."""
    documents = scripts("documents")
    return {one.name: one for one in (*documents.reports(), *documents.others())}


@pytest.fixture(scope="module", params=["veldmark", "tessenhof"])
def group(request, scripts):
    """Each of the two groups."""
    return scripts("documents").group(request.param)


# --- the files --------------------------------------------------------------------------


def test_the_sample_is_as_large_as_it_promises(pages):
    names = Counter(path.suffix for path in SAMPLE.iterdir())
    assert names == {".pdf": 14, ".xlsx": 1, ".csv": 1}
    assert sum(len(one) for one in pages.values()) > 100
    assert sum(path.stat().st_size for path in SAMPLE.iterdir()) < 4_000_000
    assert all(text for each in pages.values() for text in each)


def test_some_reports_have_an_outline_and_others_none():
    kinds = set()
    for path in REPORTS:
        with pypdfium2.PdfDocument(path) as report:
            kinds.add(bool(list(report.get_toc())))
    assert kinds == {True, False}


def test_rebuilding_gives_the_same_files(made, pages):
    same = {name: version(name) for name in BUILT_WITH} == BUILT_WITH
    assert set(made) == {path.name for path in SAMPLE.iterdir()}
    for name, one in made.items():
        if same:
            assert one.content == (SAMPLE / name).read_bytes(), name
        elif name.endswith(".pdf"):
            with pypdfium2.PdfDocument(one.content) as report:
                texts = [plain(one.get_textpage().get_text_bounded()) for one in report]
            assert texts == pages[name]


def test_rebuilding_gives_the_same_truth_and_questions(scripts, made, tables):
    asking, truth = scripts("asking"), scripts("truth")
    found = [each for one in made.values() for each in truth.tables(one.name, one.sheets)]
    assert [truth.keyed(one) for one in found] == tables
    told = {name: one.told for name, one in made.items()}
    answers = asking.Answers(found, told, SAMPLE)
    for name, kind in asking.SETS.items():
        assert asking.golden(kind, answers) == (PACK / name).read_text(encoding="utf-8")


# --- the figures ------------------------------------------------------------------------


def test_places_and_months_add_up(group):
    for basis in ("actual", "budget"):
        for metric in ("Revenue", "EBITDA"):
            for period in ("2025-08", "2025-YTD-08", "2024"):
                total = group.value(metric, (), period, basis)
                lands = sum(group.value(metric, (one,), period, basis) for one in group.countries)
                parts = sum(group.value(metric, (one,), period, basis) for one in group.divisions)
                own = group.value(metric, ("Corporate",), period, basis)
                assert total == lands + own == parts + own
    months = sum(group.value("Revenue", (), f"2025-{one:02}") for one in range(1, 9))
    assert months == group.value("Revenue", (), "2025-YTD-08")
    quarters = sum(group.value("EBITDA", (), f"2024-Q{one}") for one in range(1, 5))
    assert quarters == group.value("EBITDA", (), "2024")


def test_statements_follow_from_one_another(group):
    costs = list(group.about["costs"])
    for period in ("2025-08", "2025-YTD-06", "2024", "2023"):
        line = {name: group.line(name, period) for name in ("Revenue", "EBITDA", *costs)}
        assert line["Revenue"] + sum(line[name] for name in costs) == line["EBITDA"]
        free = group.line("Free cash flow", period)
        paid = group.line("Dividends paid", period)
        fallen = group.line("Net debt at start of period", period) - group.line(
            "Net debt at end of period", period
        )
        assert fallen == free + paid
        worn = group.line("Depreciation and amortisation", period)
        assert group.line("Operating profit (EBIT)", period) == line["EBITDA"] + worn
    for day in ("2023-12-31", "2024-12-31", "2025-08-31"):
        assert group.balance("assets", day) == group.balance("both", day)
        end = group.line("Net debt at end of period", day[:7])
        assert group.balance("net debt", day) == end


def test_margins_are_ebitda_by_revenue(group):
    for land, part in group.units:
        for period in ("2025-05", "2024"):
            place = (land, part)
            share = (
                100 * group.value("EBITDA", place, period) / group.value("Revenue", place, period)
            )
            assert abs(group.value("EBITDA margin", place, period) - share) <= Decimal("0.05")


# --- the truth --------------------------------------------------------------------------


def test_every_cell_of_the_truth_is_printed_on_its_page(tables, pages):
    assert {one["document"] for one in tables} == {path.name for path in REPORTS}
    assert sum(len(one["cells"]) for one in tables) > 15_000
    words = {
        (name, number): set(text.split())
        for name, texts in pages.items()
        for number, text in enumerate(texts, start=1)
    }
    for table in tables:
        text = " ".join(pages[table["document"]][page - 1] for page in table["pages"])
        assert plain(table["caption"]) in text
        for label in table["labels"]:
            missing = set(label["text"].split()) - words[table["document"], label["page"]]
            assert not missing, (table["document"], label)
        for cell in table["cells"]:
            missing = set(cell["text"].split()) - words[table["document"], cell["page"]]
            assert not missing, (table["document"], cell)


def test_every_cell_stands_in_its_box(tables):
    """A box of the truth has the text of its cell, on pages of both groups."""
    for name, number in (("veldmark-2025-08-monthly.pdf", 3), ("tessenhof-2024-annual.pdf", 4)):
        with pypdfium2.PdfDocument(SAMPLE / name) as report:
            page = report[number - 1]
            texts, height = page.get_textpage(), page.get_height()
            for table in (one for one in tables if one["document"] == name):
                for cell in (one for one in table["cells"] if one["page"] == number):
                    left, top, right, bottom = cell["box"]
                    said = texts.get_text_bounded(left, height - bottom, right, height - top)
                    assert plain(said) == cell["text"]


def test_texts_say_the_values(tables):
    for table in tables:
        point = "," if table["document"].startswith("tessenhof") else "."
        for cell in table["cells"]:
            if cell["value"] is None or cell["text"] in ("–", "-"):
                assert cell["value"] is None or Decimal(cell["value"]) == 0
                continue
            digits = re.sub(rf"[^\d{re.escape(point)}]", "", cell["text"]).replace(point, ".")
            minus = cell["text"][0] in "(-−"
            assert Decimal(cell["value"]) == (-Decimal(digits) if minus else Decimal(digits))


def test_printed_sums_are_those_of_their_parts(tables):
    """In reports to one decimal of the books, countries add up to the group as printed."""
    seen = 0
    for table in tables:
        if "annual" in table["document"]:
            continue
        sums = {}
        for cell in table["cells"]:
            if cell.get("metric") == "Revenue" and cell["basis"] != "change" and cell["value"]:
                key = (cell["column"], len(cell["entity"]))
                sums.setdefault(key, {})[tuple(cell["entity"])] = Decimal(cell["value"])
        for (column, depth), values in sums.items():
            if depth == 2:
                assert sum(values.values()) == sums[column, 0][()]
                seen += 1
    assert seen > 50


# --- the questions ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["golden.yaml", "golden-tuning.yaml"])
def test_a_golden_set_is_whole_and_its_places_are_right(name, pages):
    golden = read_golden(PACK / name)
    kinds = Counter(one.category for one in golden.questions)
    assert kinds == SHARES[name]
    for question in golden.questions:
        assert question.unanswerable == (question.category == "unanswerable")
        for fact in question.facts:
            if fact.page is None:
                continue
            said = Passage(
                id="p",
                collection="documents",
                kind="prose",
                title="",
                text=pages[fact.document][fact.page - 1],
                document=fact.document,
                locator=Locator(page=fact.page),
                metadata={"unit": fact.unit},
            )
            assert states(fact, said), (question.text, fact)
        for one in question.judgements:
            assert (SAMPLE / one.document).exists()
            if one.quote:
                assert plain(one.quote) in pages[one.document][one.locator.page - 1]


def test_the_two_sets_do_not_share_questions():
    sets = [read_golden(PACK / name).questions for name in ("golden.yaml", "golden-tuning.yaml")]
    texts = [{one.text.casefold() for one in each} for each in sets]
    assert not texts[0] & texts[1]
    places = [
        {(fact.value, fact.document, fact.page) for one in each if len(one.facts) == 1
         for fact in one.facts}
        for each in sets
    ]  # fmt: skip
    assert not places[0] & places[1]
