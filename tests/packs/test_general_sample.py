import csv
import importlib.util
import json
import re
import sys
import tomllib
import zipfile
from collections import Counter
from functools import cache
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest

from consilience.evidence.ingest import ending_of, formats

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "src/consilience/packs/general/sample"
SCRIPT = ROOT / "scripts/build_general_sample.py"
BOOK = SAMPLE / "the-keepers-handbook.epub"
REPORT = SAMPLE / "bell-rock-and-after.pdf"
TABLE = SAMPLE / "lighthouses.csv"
GRAPH = SAMPLE / "lighthouses.graph.jsonl"

ROWS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))
LINES = [json.loads(line) for line in GRAPH.read_text(encoding="utf-8").splitlines()]
NODES = [line for line in LINES if "node" in line]
EDGES = [line for line in LINES if "edge" in line]
QUESTIONS = tomllib.loads(
    Path(__file__).with_name("general-questions.toml").read_text(encoding="utf-8")
)["question"]
EVIDENCE = [
    pytest.param(piece, id=f"{question['id']}-{number}")
    for question in QUESTIONS
    for number, piece in enumerate(question["evidence"], start=1)
]


def plain(text):
    return " ".join(text.split())


def words_of(text):
    return len(plain(text).split())


def book_text():
    with zipfile.ZipFile(BOOK) as book:
        pages = [book.read(name).decode() for name in sorted(book.namelist())]
    chapters = [page for page in pages if "<body>" in page and "<nav" not in page]
    return plain(unescape(re.sub(r"<[^>]+>", " ", " ".join(chapters))))


def report_pages():
    with pypdfium2.PdfDocument(REPORT) as report:
        return [plain(page.get_textpage().get_text_bounded()) for page in report]


@cache
def loaded(name):
    """A sample file as the loader that claims the longest ending of its name reads it."""
    known = formats("general")
    return known[ending_of(name, known)][1].load(SAMPLE / name)


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("build_general_sample", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    sys.path.insert(0, str(SCRIPT.parent))  # as if it were run
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(SCRIPT.parent))
    del sys.modules[spec.name]


# --- the files --------------------------------------------------------------------------


def test_the_sample_holds_these_files_and_no_others():
    assert sorted(path.name for path in SAMPLE.iterdir()) == [
        "bell-rock-and-after.pdf",
        "glossary.txt",
        "lens-orders.md",
        "lighthouses.csv",
        "lighthouses.graph.jsonl",
        "lights-you-can-climb.html",
        "moving-a-lighthouse.md",
        "reading-a-light.md",
        "screens-and-satellites.md",
        "the-keepers-handbook.epub",
        "the-stevensons.md",
    ]


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*.md")), ids=lambda path: path.name)
def test_a_note_has_a_title_sections_a_list_and_a_table(path):
    text = path.read_text(encoding="utf-8")
    assert 300 <= words_of(text) <= 700
    assert text.startswith("# ")
    assert text.count("\n## ") >= 3
    assert re.search(r"^(- |1\. )", text, re.MULTILINE)
    assert re.search(r"^\| --- ", text, re.MULTILINE)


def test_the_book_is_an_epub_3_that_names_itself():
    with zipfile.ZipFile(BOOK) as book:
        assert book.testzip() is None
        assert book.namelist()[0] == "mimetype"
        assert book.read("mimetype") == b"application/epub+zip"
        package = ElementTree.fromstring(book.read("OEBPS/package.opf"))
        assert {info.date_time for info in book.infolist()} == {(2026, 1, 1, 0, 0, 0)}
    assert package.get("version") == "3.0"
    terms = {
        name: package.findtext(f".//{{http://purl.org/dc/elements/1.1/}}{name}")
        for name in ("title", "creator", "language", "date")
    }
    assert terms == {
        "title": "The Keeper's Handbook",
        "creator": "Consilience sample authors",
        "language": "en",
        "date": "2026-01-01",
    }


def test_every_entry_of_the_book_s_contents_leads_to_a_heading():
    with zipfile.ZipFile(BOOK) as book:
        pages = {name: book.read(name).decode() for name in book.namelist()}
    links = re.findall(r'<a href="([^"#]+)#?([^"]*)">', pages["OEBPS/nav.xhtml"])
    assert len({file for file, _ in links}) == 9
    assert len(links) >= 9 * 5
    for file, mark in links:
        page = pages[f"OEBPS/{file}"]
        ElementTree.fromstring(page)
        assert f'id="{mark}"' in page or not mark


def test_the_book_is_as_long_as_a_short_book():
    assert 9_000 <= words_of(book_text()) <= 11_000


def test_the_report_has_pages_running_lines_and_an_outline():
    pages = report_pages()
    assert 6 <= len(pages) <= 8
    assert all(f"Page {number}" in page for number, page in enumerate(pages, start=1))
    assert all("How towers were made to stand in the sea" in page for page in pages)
    with pypdfium2.PdfDocument(REPORT) as report:
        outline = [(mark.level, mark.get_title()) for mark in report.get_toc()]
    assert outline[0] == (0, "Summary")
    assert (1, "3.2 Living on the work") in outline
    assert {text for page in pages for text in ("Table 1.", "Table 2.") if text in page} == {
        "Table 1.",
        "Table 2.",
    }


# --- the table and the graph ------------------------------------------------------------


def test_the_table_has_distinct_rows_with_the_promised_columns():
    assert list(ROWS[0]) == [
        *("name", "country", "first_lit", "height_m", "range_nmi"),
        *("sea", "engineer", "automated", "lens"),
    ]
    assert len(ROWS) >= 60
    assert len({row["name"] for row in ROWS}) == len(ROWS)
    assert all(row["name"] and row["country"] and row["sea"] for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_row_s_numbers_are_plausible_or_absent(row):
    bounds = {
        "first_lit": (-300, 2025),
        "height_m": (5, 140),
        "range_nmi": (5, 35),
        "automated": (1900, 2025),
    }
    for column, (low, high) in bounds.items():
        assert not row[column] or low <= float(row[column]) <= high
    if row["automated"] and row["first_lit"]:
        assert int(row["automated"]) > int(row["first_lit"])


def test_nodes_are_many_and_named_once():
    ids = [node["node"] for node in NODES]
    assert len(ids) >= 60
    assert len(set(ids)) == len(ids)
    assert all(node["name"] and node["kind"] and node["text"] for node in NODES)
    assert len({node["kind"] for node in NODES}) >= 5


def test_every_edge_joins_two_known_nodes_by_a_frequent_relation():
    ids = {node["node"] for node in NODES}
    triples = [tuple(edge["edge"]) for edge in EDGES]
    assert len(set(triples)) == len(triples) >= 130
    assert all(source in ids and target in ids for source, _, target in triples)
    assert all(0 < edge["weight"] <= 1 and edge["text"].endswith(".") for edge in EDGES)
    relations = Counter(relation for _, relation, _ in triples)
    assert len(relations) >= 6
    assert min(relations.values()) >= 4


def test_no_node_stands_alone():
    joined = {end for edge in EDGES for end in (edge["edge"][0], edge["edge"][2])}
    assert {node["node"] for node in NODES} == joined


def test_a_light_of_the_table_has_the_engineer_that_the_graph_gives_it():
    names = {node["node"]: node["name"] for node in NODES}
    built = {(names[s], names[t]) for s, r, t in (e["edge"] for e in EDGES) if r == "BUILT_BY"}
    lights = {light for light, _ in built}
    both = [row for row in ROWS if row["name"] in lights and row["engineer"]]
    assert len(both) >= 15
    for row in both:
        engineers = row["engineer"].split(" and ")
        assert all((row["name"], engineer) in built for engineer in engineers), row["name"]


# --- the questions ----------------------------------------------------------------------


def test_there_are_so_many_questions_of_each_category():
    assert Counter(question["category"] for question in QUESTIONS) == {
        "prose": 10,
        "table": 8,
        "graph": 6,
        "mixed": 6,
        "off-topic": 6,
    }
    assert len({question["id"] for question in QUESTIONS}) == 36
    assert len({question["text"] for question in QUESTIONS}) == 36


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_a_question_has_the_kinds_of_evidence_that_its_category_says(question):
    kinds = {kind_of(piece) for piece in question["evidence"]}
    if question["category"] == "mixed":
        assert len(kinds) >= 2
    elif question["category"] == "off-topic":
        assert kinds == set()
    else:
        assert kinds == {question["category"]}
    assert question["answerable"] is (question["category"] != "off-topic")


def kind_of(piece):
    return {"quote": "prose", "row": "table", "relation": "graph"}[
        next(key for key in ("quote", "row", "relation") if key in piece)
    ]


@pytest.mark.parametrize("piece", EVIDENCE)
def test_evidence_is_in_its_document(piece):
    if "quote" in piece:
        assert plain(piece["quote"]) in opened(piece["document"])
    elif "row" in piece:
        assert piece["row"] in {row["name"] for row in ROWS}
    else:
        triple = [piece["source"], piece["relation"], piece["target"]]
        assert triple in [edge["edge"] for edge in EDGES]


def opened(name):
    if name == BOOK.name:
        return book_text()
    if name == REPORT.name:
        return "\n".join(report_pages())
    return plain((SAMPLE / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("piece", EVIDENCE)
def test_evidence_is_in_one_block_as_the_loader_reads_it(piece):
    blocks = loaded(piece["document"]).blocks
    if "quote" in piece:
        assert any(piece["quote"] in plain(block.text) for block in blocks)
    elif "row" in piece:
        assert any(block.metadata.get("name") == piece["row"] for block in blocks)
    else:
        wanted = {key: piece[key] for key in ("source", "relation", "target")}
        assert any(wanted.items() <= block.metadata.items() for block in blocks)


@pytest.mark.parametrize(
    "name", sorted(p.name for p in SAMPLE.iterdir() if p.suffix not in (".pdf", ".toml"))
)
def test_a_loader_has_nothing_to_remark(name):
    document = loaded(name)
    assert document.blocks
    assert document.notes == ()


# --- the build script -------------------------------------------------------------------


def test_the_shipped_book_is_what_the_script_builds(build):
    assert (
        build.build_book(build.SOURCES / "handbook", build.About(title=build.BOOK_TITLE))
        == BOOK.read_bytes()
    )


def test_the_shipped_report_is_what_the_script_builds(build):
    pytest.importorskip("reportlab", reason="reportlab is only needed to rebuild the report")
    source = build.SOURCES / "report.md"
    built = build.build_report(source)
    assert built == build.build_report(source)
    with pypdfium2.PdfDocument(built) as report:
        pages = [plain(page.get_textpage().get_text_bounded()) for page in report]
    assert pages == report_pages()


def test_the_report_s_source_is_read_as_headings_paragraphs_and_tables(build):
    parts = list(build.read_parts("# A\n\nOne *two* & three.\n\n| x | y |\n| - | - |\n| 1 | 2 |\n"))
    assert [(part.tag, part.text, part.rows) for part in parts] == [
        ("h1", "A", ()),
        ("p", "One <i>two</i> &amp; three.", ()),
        ("table", "", (("x", "y"), ("1", "2"))),
    ]
