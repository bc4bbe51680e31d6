"""The golden set that ships with the general pack, on the sample that ships with it."""

from collections import Counter
from contextlib import contextmanager

import pytest

from consilience import plugins
from consilience.measure.data_model import judged_questions
from consilience.measure.golden import read_golden
from consilience.measure.golden_health import find_problems
from consilience.measure.label_resolver import resolve
from consilience.settings import build_settings
from consilience.workspace import copy_sample, init_workspace, open_workspace
from tests_shared import WordVectors

PACK = plugins.load("packs", "general")
GOLDEN = read_golden(PACK.sample.golden)


@contextmanager
def split(folder, target):
    """The sample in passages of about so many tokens."""
    words = WordVectors()
    words.limit = 400
    settings = build_settings({"models.rerank": "none", "passages.target": target})
    init_workspace(folder)
    with open_workspace(folder, settings=settings, embedder=words) as space:
        space.add([copy_sample(folder, "general")])
        yield space


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """The sample, split as it is by default; tests only read it."""
    with split(tmp_path_factory.mktemp("sampled") / "space", 180) as space:
        yield space


def all_found(catalogue):
    assert find_problems(GOLDEN, catalogue) == []
    found = resolve(GOLDEN, catalogue)
    for question in judged_questions(GOLDEN.questions):
        assert set(found.strict[question.id]) <= set(found.lenient[question.id])
        units = {unit for met in found.strict[question.id].values() for unit in met}
        assert units == set(found.grades[question.id])


def test_every_judgement_is_found_and_nothing_is_wrong(sampled):
    all_found(sampled.catalogue)


def test_there_are_questions_of_every_kind(sampled):
    counts = Counter(one.category for one in GOLDEN.questions)
    assert set(counts) == {"concept", "lookup", "term", "relation", "unanswerable"}
    assert all(number >= 8 for number in counts.values())
    kinds = Counter(
        sampled.catalogue.get([key])[key].kind
        for met in resolve(GOLDEN, sampled.catalogue).strict.values()
        for key in met
    )
    assert {"book", "document", "row", "edge", "node"} <= set(kinds)
    assert sum(bool(one.facts) for one in GOLDEN.questions) >= 10


def test_expected_values_stand_where_they_are_said_to(sampled):
    """By plain comparison of texts, without the engine."""
    for question in GOLDEN.questions:
        for fact in question.facts:
            texts = [
                one.text.replace(",", "").casefold()
                for collection in sampled.catalogue.counts()
                for one in sampled.catalogue.each(collection)
                if one.document.endswith(fact.document)
                and (fact.page is None or one.locator.page == fact.page)
            ]
            wanted = fact.value.replace(",", "").casefold()
            assert any(wanted in text for text in texts), (question.id, fact)


def test_a_sample_workspace_has_the_set_and_a_changed_one_is_kept(tmp_path):
    copy_sample(tmp_path, "general")
    assert read_golden(tmp_path / "golden.yaml") == GOLDEN
    (tmp_path / "golden.yaml").write_text("questions: []\n", encoding="utf-8")
    copy_sample(tmp_path, "general")
    assert read_golden(tmp_path / "golden.yaml").questions == ()


def test_the_set_is_not_evidence(sampled):
    documents = [one.path for one in sampled.catalogue.documents()]
    assert not any("golden" in path for path in documents)
