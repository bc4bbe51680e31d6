"""Cards, bars, marks and links of a page, each by itself."""

from __future__ import annotations

import pytest

from consilience import json_output, passage_display
from consilience.packs.chess import PACK as CHESS
from consilience.service.pages import Renderer, address, passage_address
from consilience.service.pages.cards import Cards, KindViews, chain
from consilience.service.pages.explanations import (
    answer_notes,
    mixture,
    reasons,
    round_values,
    search_notes,
    sources_short,
)
from consilience.service.pages.prose import split_answer
from consilience.service.pages.words import highlighted, ordinal, relevance
from consilience.types import Change, Hit, Locator, Passage, Vote

KINDS = KindViews(CHESS.web.kinds)
CARDS = Cards(KINDS, CHESS.web)
render_template = Renderer(CHESS).render
CITED = [{"mark": 3, "kind": "book", "label": 'Book - "A"<b>', "passage": "ab"}]


def piece(number, first, last, **known):
    metadata = {"file": "a.pgn", "game": 3, "ply_first": first, "ply_last": last, **known}
    passage = Passage(
        id=str(number), collection="games", document="a.pgn", kind="game", title="Masters",
        text=f"A – B.\n\n{first}. e4", metadata={"white": "A", "black": "B", **metadata},
        locator=Locator(extra=(("game", 3), ("ply", first))),
    )  # fmt: skip
    return json_output.hit_json(Hit(passage=passage, score=0.1), "e4")


def told(kind, text, *, title="meadow", **known):
    passage = Passage(
        id="p", collection="graph", document="a.jsonl", kind=kind, title=title, text=text,
        metadata=known, locator=Locator(),
    )  # fmt: skip
    return json_output.hit_json(Hit(passage=passage, score=0.1, relevance=0.7), "lime")


def board(passage, **known):
    return {"number": 1, "kind": "board", "mark": 1, "passage": passage, "steps": [],
            "image": "/x", "caption": "After 9.e4, A–B", "data": "8/8 b - - 0 9", "turns": True,
            **known}  # fmt: skip


def test_the_pieces_of_a_game_share_a_card():
    hits = [piece(1, 1, 1, positions=("x",)), piece(2, 49, 61), piece(3, 23, 36), piece(4, 37, 40)]
    [card] = CARDS.cards({"query": "e4", "results": hits, "drawn": [board("2")]})
    assert (card.name, card.place, card.also) == ("A–B", "Introduction", "moves 12–20, 25–31")
    assert card.figure == board("2")
    other = piece(5, 1, 2, game=4)
    assert len(CARDS.cards({"query": "", "results": [*hits, other], "drawn": []})) == 2


def test_a_game_says_where_it_was_played_how_it_ended_and_what_was_played():
    hit = piece(1, 1, 9, event="Training", site="Oslo", year=2001, result="1-0",
                opening="Sicilian Defense", eco="B96")  # fmt: skip
    [card] = CARDS.cards({"query": "", "results": [hit], "drawn": []})
    assert card.facts == ("Training", "Oslo", "2001", "1-0", "Sicilian Defense (B96)")
    assert (card.badge, card.colour, card.file) == ("Game", "kind-game", "a.pgn, game\xa03")


def test_a_link_and_a_path_are_drawn_with_what_they_say():
    link = told("edge", "St. Ann → (stands in) → the Lime. It is old. Very.", relation="STANDS_IN")
    [card] = CARDS.cards({"query": "lime", "results": [link], "drawn": []})
    assert [(one.relation, one.name) for one in card.chain] == [
        ("", "St. Ann"),
        ("stands in", "the Lime"),
    ]
    assert (card.text, card.rating) == ("It is old. Very.", "close match")
    text = (
        "Bee → (visits) → Lime ← (made of) ← Honey\nBee → (visits) → Lime. They fly. "
        "Lime ← (made of) ← Honey. It is sweet."
    )
    path = told("path", text, title="Bee → Honey", length=2)
    assert [(one.name, one.forward) for one in chain(path)] == [
        ("Bee", True),
        ("Lime", True),
        ("Honey", False),
    ]
    assert passage_address("a", path) == "/w/a/path?start=Bee&end=Honey"
    assert passage_address("a", link) == "/w/a/passages/p"


def test_a_thing_is_not_told_twice_and_a_row_shows_its_fields():
    node = told("node", "Lime tree (linden). A tree.", name="Lime tree", aliases=["linden"])
    row = told("row", "hive: Oak; honey_kg: 25", hive="Oak", honey_kg=25)
    first, second = CARDS.cards({"query": "tree", "results": [node, {**row, "passage": "q"}],
                           "drawn": []})  # fmt: skip
    assert (first.name, first.facts, first.text) == (
        "Lime tree",
        ("linden",),
        "A <mark>tree</mark>.",
    )
    assert (second.name, second.fields, second.text) == ("Oak", (("honey kg", 25),), "")


def test_what_was_looked_for_is_said_in_names():
    rule = "moves (1.e4 c5 2.Nf3 d6 3.d4), an opening (Najdorf) and games wanted"
    assert CARDS.looked_for({"fusion": {"rule": rule}}) == "Najdorf, 3.d4"
    assert CARDS.looked_for({"fusion": {"rule": "no rule fired"}}) == ""


def test_a_source_of_a_game_is_quoted_as_people_tell_it():
    hit = {**piece(1, 1, 9), "quote": "6. Bg5 {Sharp.}", "label": "Game - A–B"}
    assert CARDS.source(hit)["quote"] == "6.Bg5 “Sharp.”"


def test_what_is_marked_in_a_game_stands_in_the_text_for_people():
    text = (
        "Game 3 (B90). A – B.\n\n6. Bg5 e6 $14 {Sharp, (7. f4) and} (6... g6 $2) 7. f4 ⩲ {More. On}"
    )
    passage = Passage(
        id="p", collection="games", document="a.pgn", kind="game", title="M", text=text,
        metadata={}, locator=Locator(),
    )  # fmt: skip
    whole = passage_display.text_of(passage)
    assert "{" not in whole
    assert "⩲" not in whole  # few fonts have it
    assert "+=" in whole
    for quote in (
        "Game 3 (B90).",
        "6. Bg5 e6 $14 {Sharp, (7. f4) and} (6... g6 $2) 7. f4 ⩲ {More.",
    ):
        hit = {**piece(1, 1, 9), "quote": quote, "label": "Game - A–B"}
        assert any(one in whole for one in CARDS.source(hit)["marked"].split(" … ")), quote


def test_notes_are_shown_once_with_a_line_for_each_source():
    slow = {"status": "slow", "ms": 412.0, "count": 3, "reason": "period: 2025-08"}
    late = {
        "status": "slow",
        "ms": 900.0,
        "count": 0,
        "reason": "no answer within 900 ms; left out",
    }
    broken = {"status": "failed", "ms": 2.0, "count": 0, "reason": "the disk is gone"}
    outcomes = {
        "games/bm25": slow, "games/dense": {**slow, "ms": 300.0}, "books/bm25": late,
        "books/dense": broken,
    }  # fmt: skip
    notes = [{"origin": name, "message": one["reason"]} for name, one in outcomes.items()]
    notes += [{"origin": "games/bm25", "message": "measure: revenue"}]
    notes += [{"origin": "search", "message": "2 stale results left out; run `consilience add`"}]
    notes += [{"origin": "answer", "message": "the model stopped"}]
    notes += [{"origin": "relevance", "message": "the best is 0.1"}]
    found = {"outcomes": outcomes, "notes": notes}
    assert search_notes(found) == [
        "Incomplete: books by words did not answer in time.",
        "Games by words: period: 2025-08; measure: revenue.",
        "Games by meaning: period: 2025-08.",
        "Books by meaning: the disk is gone.",
        "2 stale results left out; run `consilience add`.",
    ]
    assert answer_notes(found) == ["The model stopped."]


def test_an_answer_that_refuses_folds_its_results(served):
    reply = served.post("/w/apiary/ask", json={"query": "when does a colony swarm"}).json()
    assert not reply["abstained"]
    asked = {"query": "x", "collections": (), "filters": ()}
    html = render_template("events/done.html", found=reply, name="a", asked=asked)
    assert "data-nearest" not in html
    html = render_template(
        "events/done.html", found={**reply, "abstained": True}, name="a", asked=asked
    )
    folded = html.partition('data-part="results"')[2]
    assert "<summary>Show the closest passages</summary>" in folded
    assert "data-result" in folded


def test_numbers_that_are_shown_add_up():
    values = [0.00004, 0.00004, 0.00004, -0.00001]
    assert sum(map(float, round_values(values, 4))) == pytest.approx(round(sum(values), 4))


def test_reasons_say_ranks_in_words_and_every_step():
    parts = (
        Vote(source="a/bm25", rank=1, score=3.0, weight=1.0, contribution=0.3),
        Vote(source="a/dense", rank=2, score=0.712, weight=0.5, contribution=0.5),
        Vote(source="a/neighbours", rank=None, score=0.4, weight=0.1, contribution=0.0),
    )
    vote = Vote(source="a", rank=1, score=0.8, weight=1.3, contribution=0.016, parts=parts)
    changes = (
        Change(step="rerank", delta=-0.001, reason="late", score=0.9),
        Change(step="coverage", before=6, after=1, reason="joins what the question names"),
    )
    passage = Passage(id="p", collection="a", document="d", kind="document", title="t", text="x")
    hit = json_output.hit_json(
        Hit(passage=passage, score=0.015, votes=(vote,), changes=changes), "x"
    )
    found = reasons(hit)
    assert found.short == "Found by words at 1 and by meaning at 2"
    inside, across = found.charts
    assert (inside.total, across.total) == ("0.8000", "0.015000")
    assert [(one.value, one.lowers) for one in across.bars] == [
        ("0.016000", False),
        ("-0.001000", True),
    ]
    assert found.moves == ("Moved from place 6 to 1: joins what the question names",)


def test_kinds_fill_one_bar_and_sources_are_summed_up():
    slices = mixture({"book": 1, "game": 3, "odd": 4}, KINDS)
    assert [(one["name"], one["start"], one["width"]) for one in slices] == [
        ("Odd", 0, 50),
        ("Game", 50, 37.5),
        ("Book", 87.5, 12.5),
    ]
    done = {str(number): {"status": one} for number, one in enumerate(("ok", "slow", "skipped"))}
    assert sources_short(done) == (
        "2 sources asked: 1 found something and 1 too slow; 1 other was not needed"
    )
    done = {str(at): {"status": one} for at, one in enumerate(("ok",) * 6 + ("skipped",) * 3)}
    assert sources_short(done) == "6 sources asked: 6 found something; 3 others were not needed"


def test_marks_lead_to_their_sources_and_nothing_else_does():
    text = "Yes [3], no [4] [x](javascript:a) [y](//b) [z](/w/a) <i>q</i> ![p](http://a/b.png)"
    [only] = split_answer(text, CITED, [], kinds=KINDS)
    assert 'href="#source-3" data-cite="3" data-passage="ab"' in only.html
    assert "[4] [x](javascript:a) [y](//b)" in only.html
    assert "&lt;i&gt;" in only.html
    assert "<img" not in only.html
    assert 'Source 3: Book - &#34;A&#34;&lt;b&gt;"' in only.html


def test_figures_stand_where_the_text_says_and_tables_are_tables():
    found = split_answer(
        "Look.\n\n[DIAGRAM 1] [3]\n\n| a |\n| --- |\n| 1 [3] |", CITED, [{"number": 1}], kinds=KINDS
    )
    assert [bool(one.figure) for one in found] == [False, True, False]
    assert "<table>" in found[2].html
    assert "data-cite" in found[2].html
    [none] = split_answer("[DIAGRAM 7]", CITED, [{"number": 1}], kinds=KINDS)
    assert "[DIAGRAM 7]" in none.html


def test_a_figure_can_be_stepped_through_and_says_whose_move_it_is():
    steps = [
        {"name": "1.e4", "image": "/1", "data": "8/8 b"},
        {"name": "1...c5", "image": "/2", "data": "8/8 w"},
    ]
    found = CARDS.figure(
        board("p", steps=steps, image="/2", data="8/8 w", caption="After 1...c5, A–B")
    )
    assert (found["at"], found["caption"], found["source"]) == (
        1,
        "After 1...c5, White to move",
        "A–B",
    )
    assert [one["caption"] for one in found["steps"]] == [
        "After 1.e4, Black to move",
        "After 1...c5, White to move",
    ]
    answer = {
        "text": "[DIAGRAM 1] [3]", "citations": [], "faults": [],
        "figures": [board("p", steps=steps, image="/2")],
    }  # fmt: skip
    html = render_template("events/said.html", found=answer, name="a", asked=None)
    for attribute in ('id="figure-1"', 'data-step="1"', 'data-go="flip"', "data-caption"):
        assert attribute in html
    assert CARDS.figure(board("p"))["at"] == -1


def test_words_for_people():
    assert [ordinal(one) for one in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip
    assert [relevance(one) for one in (None, 0.1, 0.2, 0.5)] == [
        "",
        "weak match",
        "may help",
        "close match",
    ]
    oak = highlighted(
        "Like his oak, the tower, how it was shaped", "Why did he shape his tower like?"
    )
    assert oak == "Like his oak, the <mark>tower</mark>, how it was shaped"
    marked = highlighted("<Bees> swarm, the bees'", "Do the bees swarm?")
    assert marked == "&lt;<mark>Bees</mark>&gt; <mark>swarm</mark>, the <mark>bees</mark>&#39;"


def test_links_keep_the_question_and_leave_out_what_is_usual():
    asked = {"query": "a&b", "collections": ("x", "y"), "limit": 10, "rerank": False}
    assert address("s/x", "ask", asked) == "/w/s%2Fx/ask?q=a%26b&in=x&in=y&rerank=false"
    assert address("s", "ask", asked, collections=(), rerank=True) == "/w/s/ask?q=a%26b"
    assert address("s", "") == "/w/s"
