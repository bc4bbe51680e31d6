from dataclasses import replace

import pytest

from consilience import json_output, passage_display
from consilience.passage_display import place_of
from consilience.types import Change, Hit, Locator, Note, Plan, Query, Result, Trace

FILLER = "The report then goes on to list what was bought and what it had cost the board. "


def hit(passage, *changes):
    return Hit(passage=passage("a"), score=0.5, changes=changes)


def test_a_short_passage_is_shown_whole(passage):
    assert passage_display.preview(passage(text="Two\n  lines."), "lines") == "Two lines."


def test_a_preview_begins_at_the_sentence_with_the_telling_words(passage):
    text = FILLER * 5 + "A quokka came ashore. " + FILLER * 5
    shown = passage_display.preview(passage(text=text), "what was it that the quokka had done?")
    assert shown.startswith("… A quokka came ashore.")
    assert shown.endswith(" …")
    assert len(shown) <= passage_display.PREVIEW + 4


@pytest.mark.parametrize("before", [0, 1, 300, 599], ids=str)
def test_a_word_deep_in_a_long_sentence_is_shown(passage, before):
    words = ["and then the stone"] * 600
    words[before] = "quokka"
    for text in (" ".join(words), f"{FILLER}{' '.join(words)}. {FILLER}"):
        shown = passage_display.preview(passage(text=text), "and then the quokka")
        assert "quokka" in shown
        assert len(shown) <= passage_display.PREVIEW + 4


def test_a_preview_without_a_shared_word_is_the_beginning(passage):
    assert passage_display.preview(passage(text=FILLER * 9), "zebra").startswith(FILLER)


def test_a_text_without_spaces_is_cut(passage):
    assert (
        len(passage_display.preview(passage(text="x" * 5000), "x")) <= passage_display.PREVIEW + 4
    )


GAME = (
    "A – B, 1-0.\n\n4. b4 $1 {[%eval 0.69]} {The pawn buys a tempo: “c3” follows.} 4... Bxb4 "
    "(4... Bb6 {declines.} 5. a4 (5. O-O) 5... a6) 5. c3 Ba5 1-0"
)


def test_a_game_is_told_without_braces_brackets_and_evaluations(passage):
    shown = passage_display.preview(passage(text=GAME, kind="game"), "pawn")
    assert shown == (
        "4.b4 “The pawn buys a tempo: ‘c3’ follows.” 4...Bxb4; or 4...Bb6 “declines.” 5.a4; "
        "or 5.O-O; 5...a6; 5.c3 Ba5"
    )


def test_a_preview_of_a_game_begins_with_the_move_that_is_spoken_of(passage):
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 " * 9
    text = f"A – B.\n\n{moves}5. O-O Be7 = {{Quiet. The quokka waits.}} {moves}"
    shown = passage_display.preview(passage(text=text, kind="game"), "a quokka")
    assert shown.startswith("… 5.O-O Be7 = “Quiet. The quokka waits.” 1.e4")
    assert shown.count("“") == shown.count("”") == 1


def test_a_remark_that_is_cut_has_both_its_quotation_marks(passage):
    text = f"A – B.\n\n5. O-O {{{FILLER * 9} A quokka came. {FILLER * 9}}} 5... d6"
    shown = passage_display.preview(passage(text=text, kind="game"), "quokka")
    assert "quokka" in shown
    assert shown.count("“") == shown.count("”")


def played(passage, **known):
    locator = Locator(extra=(("game", 4), ("ply", known["ply_first"])))
    return passage(kind="game", title="Masters", locator=locator, metadata=known)


@pytest.mark.parametrize(
    ("known", "place"),
    [
        ({"ply_first": 1, "ply_last": 16}, "game 4, moves 1–8"),
        ({"ply_first": 12, "ply_last": 12}, "game 4, move 6"),
        ({"ply_first": 1, "ply_last": 1, "positions": ("x",)}, "game 4, introduction"),
        ({"ply_first": 1, "ply_last": 2, "start": "8/8 b - - 0 30"}, "game 4, moves 30–31"),
    ],
)
def test_a_game_stands_at_its_moves(passage, known, place):
    assert place_of(played(passage, **known)) == place


def test_a_title_that_the_name_has_is_not_said_twice(passage):
    one = played(passage, ply_first=1, chapter="Masters: main line", course="Masters")
    assert passage_display.name_of(one) == "Masters: main line"


@pytest.mark.parametrize(
    ("chance", "told"),
    [(0.07, "(chance 0.07)"), (None, "(best relevance 0.10)")],
)
def test_people_are_not_told_the_names_of_settings(passage, chance, told):
    note = Note("relevance", "no passage is likely …, below refine.floor = 0.2")
    hit = Hit(passage=passage("a"), score=0.5, relevance=0.1)
    plan = Plan(query=Query(text="?"), intent="open", rule="", asks=())
    result = Result(
        query=plan.query, hits=(hit,), notes=(note,), trace=Trace(plan=plan),
        abstained=True, answerable=chance,
    )  # fmt: skip
    assert json_output.notes_for_people(result) == [f"no passage is likely to answer this {told}"]
    assert json_output.notes_for_people(replace(result, abstained=False)) == [str(note)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Change(step="coverage", before=9, after=3, reason="a row"), ["moved up by coverage"]),
        (Change(step="coverage", before=3, after=4, reason="gave way"), []),
        (Change(step="diversity", before=2, after=5), ["moved down by diversity"]),
        (Change(step="diversity", before=3, after=2), []),
        (Change(step="boost", delta=0.1), []),
    ],
    ids=["brought up", "gave way", "pushed down", "closed a gap", "no move"],
)
def test_only_moves_made_on_purpose_are_told(passage, change, told):
    assert json_output.describe_moves(hit(passage, change)) == told
