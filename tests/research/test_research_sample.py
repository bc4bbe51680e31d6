"""The sample of papers is what its script builds, and its concepts are borne out by its texts."""

from __future__ import annotations

import importlib
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from importlib.metadata import version
from pathlib import Path

import pypdfium2
import pytest
import yaml

from consilience.evidence.loaders import markdown
from consilience.evidence.splitter import split
from consilience.kinds import unsearched_kinds
from consilience.packs.research.concepts import LOADER as CONCEPTS
from consilience.packs.research.papers.loading import LOADER as PAPERS
from consilience.packs.research.table import read_table
from consilience.protocols import Room
from consilience.understand.names import surface

ROOT = Path(__file__).parents[2]
PACK = ROOT / "src/consilience/packs/research"
SAMPLE = PACK / "sample"
GRAPH = SAMPLE / "causal.concepts.yaml"
FILES = sorted(path for path in SAMPLE.iterdir() if path != GRAPH)
BUILT_WITH = "5.1.0"


def plain(text):
    """A text without spaces and hyphens, which lines and loaders set as they like."""
    return re.sub(r"[\s\-‐‑\u00ad\ufffe]+", "", unicodedata.normalize("NFKC", text))


@pytest.fixture(scope="module")
def papers():
    """Every paper and note as the pack reads it."""
    return {path.name: PAPERS.load(path) for path in FILES}


@pytest.fixture(scope="module")
def read(papers):
    """The text that is searched, by document."""
    return {
        name: plain(
            "\n".join(one.text for one in found.blocks if one.kind not in unsearched_kinds())
        )
        for name, found in papers.items()
    }


@pytest.fixture(scope="module")
def concepts():
    """The concepts as they stand in the file."""
    return yaml.safe_load(GRAPH.read_text(encoding="utf-8"))["concepts"]


@pytest.fixture(scope="module")
def graph():
    """The concepts as the pack reads them."""
    return CONCEPTS.load(GRAPH)


@pytest.fixture(scope="module")
def files():
    """What makes the files, as when the script is run."""
    pytest.importorskip("reportlab", reason="reportlab is only needed to rebuild the sample")
    sys.path.insert(0, str(ROOT / "scripts"))
    yield importlib.import_module("research_sample.files")
    sys.path.remove(str(ROOT / "scripts"))


def printed(content):
    """The words of a PDF, page by page."""
    with pypdfium2.PdfDocument(content) as paper:
        return [plain(page.get_textpage().get_text_bounded()) for page in paper]


# --- the files --------------------------------------------------------------------------


def test_the_sample_is_as_large_as_it_promises():
    assert Counter(path.suffix for path in FILES) == {".pdf": 8, ".md": 12, ".html": 4, ".tex": 4}
    assert sum(path.stat().st_size for path in SAMPLE.iterdir()) < 3_000_000


def test_rebuilding_gives_the_same_files(files):
    made = dict(files.made())
    assert set(made) == {path.name for path in FILES}
    for name, content in made.items():
        shipped = (SAMPLE / name).read_bytes()
        if name.endswith(".pdf") and version("reportlab") != BUILT_WITH:
            assert printed(content) == printed(shipped), name
        else:
            assert content == shipped, name


def test_papers_are_set_in_one_column_with_an_outline_and_in_two_without():
    looks = Counter()
    for path in FILES:
        if path.suffix == ".pdf":
            with pypdfium2.PdfDocument(path) as paper:
                titled = paper.get_metadata_dict()["Title"] != "(anonymous)"
                looks[titled, bool(list(paper.get_toc()))] += 1
    assert looks == {(True, True): 4, (False, False): 4}


def test_every_document_says_who_wrote_it_when_and_what_it_cites(papers):
    for name, found in papers.items():
        surname, year = name.split("-")[:2]
        assert found.metadata["key"] == f"{surname} {year}", name
        assert found.metadata["year"] == int(year), name
        assert sum(one.kind == "citation" for one in found.blocks) >= 6, name
        assert not found.title.endswith(Path(name).suffix), name


def test_documents_of_the_sample_cite_one_another(papers):
    works = {found.metadata["key"] for found in papers.values()}
    cited = Counter(
        one.metadata["target"]
        for found in papers.values()
        for one in found.blocks
        if one.kind == "citation" and one.metadata["target"] in works
    )
    assert len(cited) >= 12
    assert cited.total() >= 60


def test_there_are_passages_enough(papers):
    def count(texts):
        return [len(text.split()) * 4 // 3 for text in texts]

    room = Room(count=count, limit=480, target=300)
    passages = [
        one
        for name, found in papers.items()
        for one in split(found, collection="papers", path=name, room=room)
        if one.kind not in unsearched_kinds()
    ]
    assert len(passages) >= 400


def test_references_are_not_searched_as_text(read):
    assert not [name for name, text in read.items() if "Econometrica,7" in text]


def test_markdown_has_the_head_that_people_write():
    for path in FILES:
        if path.suffix == ".md":
            head = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
            assert set(head) == {"title", "author", "date"}
            assert markdown.LOADER.load(path).title == head["title"]


# --- the concepts -----------------------------------------------------------------------


def test_concepts_and_relations_are_enough_and_read_without_a_fault(graph, concepts):
    kinds = Counter(one.kind for one in graph.blocks)
    assert kinds["node"] == len(concepts) >= 160
    assert kinds["edge"] == sum(len(one.get("relations", [])) for one in concepts) >= 450
    assert graph.notes == ()
    assert Counter(one["kind"] for one in concepts).keys() == {
        "method", "assumption", "estimand", "problem", "test", "dataset",
    }  # fmt: skip


def test_every_quote_stands_in_its_document(concepts, read):
    lost = [
        (one["name"], relation["to"], relation["quote"])
        for one in concepts
        for relation in one.get("relations", [])
        if plain(relation["quote"]) not in read[relation["document"]]
    ]
    assert lost == []


def test_a_quote_is_long_enough_to_say_something(concepts):
    for one in concepts:
        for relation in one.get("relations", []):
            assert 6 <= len(relation["quote"].split()) <= 45, relation["quote"]
            assert 0.5 <= relation["confidence"] <= 1


def test_a_name_means_one_concept(concepts):
    owners = defaultdict(set)
    for one in concepts:
        for name in (one["name"], *one.get("aliases", [])):
            owners[surface(name)].add(one["name"])
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


def test_names_of_several_things_are_left_to_the_table_of_synonyms(concepts):
    table = read_table(PACK / "synonyms.yaml")
    several = {name for name, places in table.places.items() if len(places) > 1}
    assert {"scm", "rd", "cf"} <= several
    known = {surface(name) for one in concepts for name in one.get("aliases", [])}
    assert known.isdisjoint(several)


def test_relations_lead_to_concepts_once_and_never_back_to_their_own(concepts):
    names = {one["name"] for one in concepts}
    for one in concepts:
        told = [(relation["type"], relation["to"]) for relation in one.get("relations", [])]
        assert len(told) == len(set(told)), one["name"]
        assert {to for _, to in told} <= names - {one["name"]}, one["name"]


def test_nothing_requires_generalizes_or_extends_what_does_so_in_turn(concepts):
    told = {
        (one["name"], relation["type"], relation["to"])
        for one in concepts
        for relation in one.get("relations", [])
        if relation["type"] != "USES"
    }
    assert [(one, kind, to) for one, kind, to in told if (to, kind, one) in told] == []


def test_all_concepts_hang_together(graph):
    near = defaultdict(set)
    for one in graph.blocks:
        if one.kind == "edge":
            near[one.metadata["source"]].add(one.metadata["target"])
            near[one.metadata["target"]].add(one.metadata["source"])
    seen, waiting = set(), ["double machine learning"]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += near[here]
    assert seen == {one.metadata["node"] for one in graph.blocks if one.kind == "node"}


@pytest.mark.parametrize(
    ("source", "relation", "target"),
    [
        ("double machine learning", "REQUIRES", "cross fitting"),
        ("cross fitting", "REQUIRES", "sample splitting"),
        ("instrumental variables", "REQUIRES", "exclusion restriction"),
        ("instrumental variables", "ADDRESSES", "confounding"),
        ("difference in differences", "REQUIRES", "parallel trends"),
        ("event study", "TESTS", "parallel trends"),
        ("synthetic control method", "ALTERNATIVE_TO", "difference in differences"),
        ("multiple imputation", "REQUIRES", "missing at random"),
    ],
)
def test_what_every_course_teaches_is_there(graph, source, relation, target):
    edges = {
        tuple(one.metadata[name] for name in ("source", "relation", "target"))
        for one in graph.blocks
        if one.kind == "edge"
    }
    assert (source, relation, target) in edges


# --- the names --------------------------------------------------------------------------


def test_most_synonyms_are_about_something_in_the_sample(papers):
    text = " ".join(f" {surface(one.text)} " for found in papers.values() for one in found.blocks)
    entries = read_table(PACK / "synonyms.yaml").entries
    known = [
        one.names
        for one in entries
        if any(f" {surface(name)}{end} " in text for name in one.names for end in ("", "s"))
    ]
    assert len(known) >= 200
