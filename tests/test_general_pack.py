"""How the general pack reads questions, asked of a workspace of real engines."""

import pytest

RELATED = "\n".join(
    (
        '{"node":"bell","name":"Bell Rock","kind":"light"}',
        '{"node":"fog","name":"Fog signals","kind":"thing"}',
        '{"edge":["bell","RELATED_TO","fog"],"text":"Bells and fog belong together."}',
        '{"edge":["fog","CONNECTED_TO","lamp"],"text":"Where no lamp is seen."}',
    )
)


@pytest.fixture
def related(workspace, evidence):
    """The small corpus, and a graph whose relations have the words of every such question."""
    (evidence / "fog.graph.jsonl").write_text(RELATED, encoding="utf-8")
    workspace.add([evidence])
    return workspace


def intents(result):
    return {intent for ask in result.trace.plan.asks for intent in ask.request.intents}


@pytest.mark.parametrize(
    "question",
    [
        "How is Bell Rock related to John Smeaton?",
        "How is John Smeaton connected to the Bell Rock?",
        "What links Inchcape and John Smeaton?",
    ],
)
def test_the_path_that_joins_two_named_things_comes_first(related, question):
    result = related.search(question)
    first = result.hits[0].passage
    assert result.trace.plan.intent == "relation"
    assert intents(result) == set()
    assert first.kind == "path"
    assert {first.metadata["source"], first.metadata["target"]} == {"bell", "smeaton"}


def test_a_single_edge_between_two_named_things_is_their_path(related):
    first = related.search("How is Bell Rock related to Robert Stevenson?").hits[0].passage
    assert first.kind == "edge"
    assert (first.metadata["source"], first.metadata["target"]) == ("bell", "stevenson")


def test_a_relation_that_is_named_is_still_what_is_meant(related):
    result = related.search("Was Bell Rock built by Robert Stevenson?")
    assert intents(result) == {"BUILT_BY"}


def test_a_node_in_the_singular_is_found(related):
    result = related.search("What is a fog signal?")
    assert {ask.request.seeds for ask in result.trace.plan.asks if ask.request.seeds} == {("fog",)}
