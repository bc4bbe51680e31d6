"""What kind of question is it, and what does that change?"""

import tomllib

import pytest

from consilience import plugins
from consilience.pack import Reading
from consilience.settings import FILE, dotted, read_settings
from consilience.understand.names import Mention
from consilience.workspace import init_workspace


def reading(text, *nodes):
    found = tuple(
        Mention(surface=one, collection="concepts", role="node", field="", value=one)
        for one in nodes
    )
    return Reading(text=text, mentions=found)


def rule(text, *nodes):
    known = reading(text, *nodes)
    pack = plugins.load("packs", "research")
    return next((one for one in pack.questions.rules if one.fires(known)), None)


@pytest.mark.parametrize(
    ("text", "nodes", "intent"),
    [
        ("How does DML relate to sample splitting?", ("dml", "sample splitting"), "connection"),
        ("What has matching to do with overlap?", ("matching", "overlap"), "connection"),
        ("IPW or matching?", ("ipw", "matching"), "comparison"),
        ("What does IV assume?", ("iv",), "assumption"),
        ("What if parallel trends fail?", ("parallel trends",), "remedy"),
        ("What else is there than matching?", ("matching",), "remedy"),
        ("When is matching valid?", ("matching",), "assumption"),
        ("How do I choose a bandwidth?", ("bandwidth",), "how-to"),
        ("What is overlap?", ("overlap",), "definition"),
        ("What does LATE stand for?", ("late",), "definition"),
    ],
)
def test_the_kind_of_a_question_is_told_by_its_words_and_names(text, nodes, intent):
    assert rule(text, *nodes).intent == intent


def test_the_graph_leads_only_between_two_concepts_and_texts_for_any_two_terms():
    assert "paths" in rule("How does DML relate to cooking?", "dml", "cooking").weights
    found = rule("How does DML relate to cooking?", "dml")
    assert (found.intent, "paths" in found.weights) == ("connection", False)
    assert found.weights["chains"] > 1


def test_chains_are_shown_among_the_first_and_not_reranked():
    found = rule("How does DML relate to sample splitting?", "dml", "sample splitting")
    assert found.cover == {"path": 3}
    assert found.weights["paths"] > 1
    assert not found.reranks
    assert rule("What is overlap?", "overlap").reranks


def test_a_new_workspace_begins_with_what_the_pack_sets(tmp_path):
    init_workspace(tmp_path / "mine", pack="research")
    pack = plugins.load("packs", "research")
    found = dict(dotted(tomllib.loads((tmp_path / "mine" / FILE).read_text(encoding="utf-8"))))
    assert pack.settings
    assert found == {"pack": "research", **pack.settings}
    assert read_settings(tmp_path / "mine", {}).refine.blend == pack.settings["refine.blend"]
