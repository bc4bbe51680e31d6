"""What a game is called: people by their names, chapters of courses and studies by theirs."""

from __future__ import annotations

import pytest
from pgn_shared import written

from consilience.packs.chess.game_files import load


def block_of(tmp_path, **tags):
    head = "\n".join(f'[{name} "{value}"]' for name, value in tags.items())
    [block] = load(written(tmp_path, f"{head}\n\n1. d4 Nf6 2. c4 g6 *")).blocks
    return block


@pytest.mark.parametrize(
    ("tags", "course", "chapter"),
    [
        (
            {"Event": "Indian Defences: The race", "White": "King's Indian: the race",
             "Black": "Classical 7...Nc6", "StudyName": "Indian Defences",
             "ChapterName": "King's Indian: the race"},
            "Indian Defences", "King's Indian: the race: Classical 7...Nc6",
        ),
        (
            {"Event": "Patterns: The Greek gift", "White": "The Greek gift",
             "Black": "Bxh7+ in a French structure"},
            "Patterns", "The Greek gift: Bxh7+ in a French structure",
        ),
        (
            {"Event": "Plans: Chapter 2 - Queenside", "Site": "https://lichess.org/study/x/y"},
            "Plans", "Queenside",
        ),
        (
            {"Event": "Plans: main line", "StudyName": "Plans", "ChapterName": "main line"},
            "Plans", "Plans: main line",
        ),
        (
            {"Event": "Plans: 3", "StudyName": "Plans", "ChapterName": "Chapter 3"},
            "Plans", "Plans: Chapter 3",
        ),
    ],
    ids=["study", "by event", "by site", "no name", "a number"],
)  # fmt: skip
def test_a_chapter_is_nobody_and_has_one_name(tmp_path, tags, course, chapter):
    block = block_of(tmp_path, Date="2026.01.10", Result="*", **tags)
    assert (block.metadata["course"], block.metadata["chapter"]) == (course, chapter)
    assert not {"white", "black"} & set(block.metadata)
    header = block.text.split("\n")[0]
    assert header.startswith(f"{course} › {chapter.removeprefix(f'{course}: ')}. Indian Defense")
    assert "2026" not in header


@pytest.mark.parametrize(
    "tags",
    [
        {"White": "Dahl, Ingrid", "Black": "Lund, Per", "Event": "Open: Dahl"},
        {"White": "knight_rider", "Black": "blitz99", "Event": "Rated Blitz game"},
        {"White": "Ba5: the bot", "Black": "Anna", "WhiteElo": "2100"},
        {"White": "Team: A", "Black": "Team: B", "Result": "1-0"},
        {"White": "Ingrid Dahl", "Black": "Per Lund", "ChapterName": "Ingrid Dahl - Per Lund",
         "StudyName": "Club games"},
    ],
    ids=["names", "handles", "rated", "played out", "a game in a study"],
)  # fmt: skip
def test_people_stay_people(tmp_path, tags):
    block = block_of(tmp_path, Date="2001.05.06", **tags)
    assert (block.metadata["white"], block.metadata["black"]) == (tags["White"], tags["Black"])


@pytest.mark.parametrize(
    ("tags", "date", "year"),
    [
        ({"Date": "1961.05.??"}, "1961.05", 1961),
        ({"Date": "????.??.??", "UTCDate": "2024.03.01"}, "2024.03.01", 2024),
        ({"Date": "????.??.??"}, None, None),
    ],
)
def test_the_year_is_a_number(tmp_path, tags, date, year):
    known = block_of(tmp_path, White="A", Black="B", **tags).metadata
    assert (known.get("date"), known.get("year")) == (date, year)


def test_a_long_name_is_cut_between_words(tmp_path):
    name = "The Najdorf and what became of it " * 9
    header = block_of(tmp_path, StudyName="Plans", ChapterName=name).text.split("\n")[0]
    cut = header.removeprefix("Plans › ").partition("…")[0]
    assert name.startswith(f"{cut} ")


SWALLOWED = """[Event "First"]
[White "A"]
[Black "B"]

1. e4 e5 2. Nf3 {never closed
{between}[Event "Second"]
[White "C"]
[Black "D"]

1. d4 {closed} d5 2. c4 *
"""


@pytest.mark.parametrize("between", ["", "\n"], ids=["at once", "after a blank line"])
def test_a_comment_that_is_not_closed_costs_no_other_game(tmp_path, between):
    document = load(written(tmp_path, SWALLOWED.replace("{between}", between)))
    assert [block.metadata["event"] for block in document.blocks] == ["First", "Second"]
    assert document.blocks[1].text.endswith("1. d4 {closed} 1... d5 2. c4 *")
    [note] = document.notes
    assert note.startswith("game 1 (line 1): a comment is not closed; the next game's tags end it")


def test_a_comment_that_is_not_closed_at_the_end_is_told(tmp_path):
    document = load(written(tmp_path, "1. e4 e5 {so on"))
    assert "what follows is taken as comment" in document.notes[0]


def test_what_is_not_closed_is_told_beside_an_illegal_move(tmp_path):
    document = load(written(tmp_path, "1. e4 e5 2. Ke5 {so on"))
    assert "illegal move 'Ke5'" in document.notes[0]
    assert "a comment is not closed" in document.notes[0]
