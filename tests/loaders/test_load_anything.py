"""Whatever a file holds, a loader gives a document or a `LoadError`, and gives it soon."""

from __future__ import annotations

import gzip
import time
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loader_files import NAV_ITEM, epub_bytes, mutated, nav, package, page, pdf_bytes

from consilience.errors import LoadError
from consilience.evidence.loaders import epub, graph, html, markdown, ocr, pdf, table, text
from consilience.types import Document

BOOK = epub_bytes(
    {
        "OPS/book.opf": package(["one.xhtml"], extra=NAV_ITEM),
        "OPS/one.xhtml": page("<h1>One</h1><p>First.</p>"),
        "OPS/nav.xhtml": nav('<li><a href="one.xhtml">One</a></li>'),
    }
)
PAPER = pdf_bytes([["Words on a page.", "", "More."], ["Again."]], outline=(("Words", 0),))
TEXTS = b'{"title": "T", "text": "%s"}\n' % (b"Some words. " * 9)
SAMPLES = {
    "a.txt": (text, b"Title\n\nA paragraph.\n\nAnother.\n"),
    "a.rst": (text, b"Title\n=====\n\nText.\n\nSub\n---\n\nMore.\n"),
    "a.md": (markdown, b"---\nk: v\n---\n# T\n\n- a\n\n|a|b|\n|-|-|\n|1|2|\n\n$x$ ![i](j) <b>\n"),
    "a.html": (html, b"<html><body><h1>T</h1><table><tr><td>1</table><ul><li>x</ul><pre>y"),
    "a.epub": (epub, BOOK),
    "a.pdf": (pdf, PAPER),
    "a.csv": (table, b'A,B\n"x, ""y""",1\nz,2\n'),
    "a.tsv": (table, b"A\tB\nx\t1\n"),
    "a.jsonl": (table, b'{"a": {"b": [1, 2]}}\n{"c": "d"}\n'),
    "texts.jsonl": (table, TEXTS),
    "a.jsonl.gz": (table, gzip.compress(TEXTS, mtime=0)),
    "a.graph.jsonl": (graph, b'{"node": "a", "aliases": ["b"]}\n{"edge": ["a", "R", "a"]}\n'),
}
SHARED = Path(__file__).parents[3] / "shared" / "data"


def check(module, path: Path) -> None:
    try:
        document = module.LOADER.load(path)
    except LoadError:
        return
    assert isinstance(document, Document)
    assert document.title
    for block in document.blocks:
        assert block.text.strip()
        block.text.encode()


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_itself_loads(tmp_path, name):
    module, data = SAMPLES[name]
    path = tmp_path / name
    path.write_bytes(data)
    assert module.LOADER.load(path).blocks


@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_files_give_a_document_or_a_load_error(tmp_path, name, monkeypatch):
    monkeypatch.setattr(ocr, "is_installed", lambda: False)  # each blank page would take a second
    module, data = SAMPLES[name]
    for seed in range(150):
        path = tmp_path / f"{seed}{name}"
        path.write_bytes(mutated(data, seed))
        check(module, path)


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.one_of(
        st.binary(max_size=300),
        st.text(max_size=300).map(lambda t: t.encode("utf-8", "surrogatepass")),
    )
)
def test_any_bytes_give_a_document_or_a_load_error(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    check(SAMPLES[name][0], path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", b"[" * 20_000),
        ("a.md", b"> " * 5_000 + b"x"),
        ("a.md", b"*a **b " * 5_000),
        ("a.md", b"$" * 20_000),
        ("a.md", b"- " * 3_000 + b"x"),
        ("a.html", b"<" * 100_000),
        ("a.html", b"<a <b" * 20_000),
        ("a.html", b"<ul><li>" * 2_400 + b"x"),
        ("a.csv", b'"' * 100_001),
        ("a.txt", b" \n" * 200_000),
        ("a.txt", b"a \n" * 100_000),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:8]),
)
def test_hostile_files_are_done_with_soon(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    start = time.perf_counter()
    check(SAMPLES[name][0], path)
    assert time.perf_counter() - start < 5


def test_every_loader_is_registered_with_its_endings():
    points = entry_points(group="consilience.loaders")
    formats = [point.load() for point in points]
    endings = [ending for one in formats if not one.packs for ending in one.endings]
    assert len(endings) == len(set(endings))
    assert {
        ".txt",
        ".md",
        ".html",
        ".epub",
        ".pdf",
        ".csv",
        ".tsv",
        ".jsonl",
        ".jsonl.gz",
        ".graph.jsonl",
    } <= set(endings)


@pytest.mark.parametrize(
    ("name", "module", "words"),
    [
        ("chess_books/33870_chess_fundamentals.epub", epub, "opposition"),
        ("research_papers/v177-ahsan22a.pdf", pdf, "relational causal model"),
        ("research_causal_handbook/02-Randomised-Experiments.md", markdown, "potential outcomes"),
    ],
)
def test_real_files_where_they_are_at_hand(name, module, words):
    path = SHARED / name
    if not path.exists():
        pytest.skip("the shared corpus is not beside this repository")
    document = module.LOADER.load(path)
    assert len(document.blocks) > 30
    assert any(words in block.text for block in document.blocks)
    assert len({block.locator.section for block in document.blocks}) > 5
