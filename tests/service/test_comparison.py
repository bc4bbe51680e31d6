"""People react over HTTP, and see one question asked in two ways."""

from __future__ import annotations

import pytest

from consilience.journal import JOURNAL, read_entries
from consilience.service.app import create_app
from consilience.service.service import Service
from consilience.workspace import STORE, open_workspace

QUESTION = "When do bees swarm?"
KEEPER = "/w/apiary/feedback"


def asked(client):
    return client.post("/w/apiary/search", json={"query": QUESTION}).json()


def reactions(space):
    *_, last = read_entries(space.folder / STORE / JOURNAL)
    return [(one.kind, one.passage, one.value) for one in last.reactions]


def test_a_reaction_is_kept_and_says_nothing(served, space):
    found = asked(served)
    passage = found["results"][0]["passage"]
    for more in (
        {"kind": "click", "passage": passage},
        {"kind": "dwell", "passage": passage, "value": 12.5},
        {"kind": "up"},
    ):
        answer = served.post(KEEPER, json={"asked": found["asked"], **more})
        assert (answer.status_code, answer.content) == (204, b"")
    assert reactions(space) == [("click", passage, 1), ("dwell", passage, 12.5), ("up", "", 1)]


def test_readers_may_react(made, serving):
    with open_workspace(made) as space:
        client = serving(space, read_only=True)
        key = asked(client)["asked"]
        assert client.post(KEEPER, json={"asked": key, "kind": "down"}).status_code == 204
        assert reactions(space) == [("down", "", 1)]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"asked": "unknown", "kind": "up"}),
        (404, {"kind": "click", "passage": "0000000000000000"}),
        (400, {"kind": "click"}),
        (422, {"kind": "stare"}),
        (422, {"kind": "dwell", "value": -1}),
        (422, {"kind": "dwell", "value": 1e12}),
        (422, {"kind": "up", "who": "me"}),
        (422, {"asked": "", "kind": "up"}),
    ],
)
def test_what_is_no_reaction_is_refused_in_the_one_shape(served, status, body):
    answer = served.post(KEEPER, json={"asked": asked(served)["asked"], **body})
    assert answer.status_code == status
    assert set(answer.json()["error"]) >= {"kind", "message"}


def test_only_json_is_read_so_that_other_sites_cannot_react(served):
    text = f'{{"asked": "{asked(served)["asked"]}", "kind": "up"}}'
    answer = served.post(KEEPER, content=text, headers={"content-type": "text/plain"})
    assert 400 <= answer.status_code < 500
    assert "error" in answer.json()


def test_without_a_journal_nothing_is_kept(made, serving):
    toml = made / "consilience.toml"
    toml.write_text(toml.read_text() + '[serve]\njournal = "off"\n')
    with open_workspace(made) as space:
        client = serving(space)
        assert asked(client)["asked"] == ""
        answer = client.post(KEEPER, json={"asked": "any", "kind": "up"})
        assert answer.status_code == 400
        assert "serve.journal" in answer.json()["error"]["message"]
        assert not (made / STORE / JOURNAL).exists()


def test_a_journal_that_cannot_be_written_costs_no_answer(made, serving):
    (made / STORE / JOURNAL).mkdir()
    with open_workspace(made) as space:
        found = asked(serving(space))
        assert found["results"]
        assert found["asked"] == ""


# --- comparing --------------------------------------------------------------------------


def compared(client, **sides):
    answer = client.get("/w/apiary/compare", params={"q": QUESTION, **sides})
    return answer.status_code, answer.json()


def test_two_settings_side_by_side(served, space):
    status, found = compared(served, b="fusion.method=rrf,fusion.across=interleave")
    assert status == 200
    assert found["query"] == QUESTION
    assert found["a"]["named"] == "settings"
    assert found["a"]["settings"] == {}
    assert found["a"]["fusion"]["method"] == "adaptive"
    assert found["b"]["settings"] == {"fusion.method": "rrf", "fusion.across": "interleave"}
    assert found["b"]["fusion"]["method"] == "rrf"
    scores = [[one["score"] for one in found[side]["results"]] for side in "ab"]
    assert scores[0] == [hit.score for hit in space.search(QUESTION).hits]
    assert scores[0] != scores[1]
    shown = [[one["passage"] for one in found[side]["results"]] for side in "ab"]
    assert found["same"] == len(set(shown[0]) & set(shown[1]))
    for one in found["moved"]:
        for side, ids in zip("ab", shown, strict=True):
            place = ids.index(one["passage"]) + 1 if one["passage"] in ids else None
            assert one[side] == place
    assert {one["passage"] for one in found["moved"]} == {*shown[0], *shown[1]}


def test_two_collections_side_by_side(served, space):
    names = sorted(space.catalogue.counts())[:2]
    status, found = compared(served, a=f"in:{names[0]}", b=f"in:{names[1]},fusion.method=rrf")
    assert status == 200
    for side, name in zip("ab", names, strict=True):
        assert found[side]["collections"] == [name]
        assert {one["collection"] for one in found[side]["results"]} <= {name}
    assert found["same"] == 0
    assert found["b"]["fusion"]["method"] == "rrf"


def test_written_answers_side_by_side_by_json(served):
    body = {"query": QUESTION, "b": "answer.length=concise", "answer": True}
    found = served.post("/w/apiary/compare", json=body).json()
    assert [found[side]["length"] for side in "ab"] == ["balanced", "concise"]
    for side in "ab":
        assert found[side]["text"]
        assert found[side]["citations"]
        assert found[side]["results"]


def test_weights_have_commas_of_their_own(served):
    _, found = compared(served, b="fusion.weights=bm25=0.5,dense=2,refine.mmr=1")
    assert found["b"]["settings"] == {
        "fusion.weights": {"bm25": 0.5, "dense": 2.0},
        "refine.mmr": 1.0,
    }


def test_a_comparison_is_no_question_of_the_journal(made, serving):
    with open_workspace(made) as space:
        assert compared(serving(space))[0] == 200
    assert not (made / STORE / JOURNAL).exists()


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ("other", "is not a way of asking"),
        ("in:nowhere", "no collection 'nowhere'"),
        ("nonsense", "is not a way of asking"),
        ("fusion.speed=1", "unknown setting"),
        ("fusion.method=guess", "unknown fusion method"),
        ("fusion.alpha=2", "alpha"),
        ("fusion.k=many", "takes a number"),
        ("models.embed=fine", "cannot be changed"),
        ("models.address=http://evil.example", "cannot be changed"),
        ("models.generate_address=http://evil.example", "cannot be changed"),
        ("models.rerank_key=x", "cannot be changed"),
        ("models.generate=openai:x", "cannot be changed"),
        ("models.rerank=fastembed:Xenova/x", "none, late, auto"),
        ("models.rerank=server:x", "none, late, auto"),
        ("passages.target=10", "cannot be changed"),
        ("serve.journal=off", "cannot be changed"),
        ("retrieve.hard_ms=600000", "cannot be changed"),
        ("refine.rerank_ms=600000", "cannot be changed"),
        ("retrieve.failures=100", "cannot be changed"),
        ("answer.tokens=1000000", "cannot be changed"),
        ("retrieve.depth=1000000", "500 at most"),
        ("refine.window=1000000", "200 at most"),
        ("refine.rerank=1000000", "200 at most"),
        ("answer.passages=1000000", "50 at most"),
    ],
)
def test_what_nobody_may_change_from_here_is_refused(served, side, said):
    status, found = compared(served, b=side)
    assert status == 400
    assert said in found["error"]["message"]


def test_a_question_is_needed(served):
    answer = served.get("/w/apiary/compare")
    assert answer.status_code == 400
    assert "?q=" in answer.json()["error"]["message"]


def test_the_addresses_are_described(space):
    paths = create_app(Service([space])).openapi()["paths"]
    assert "204" in paths["/w/{name}/feedback"]["post"]["responses"]
    assert {"get", "post"} <= set(paths["/w/{name}/compare"])
