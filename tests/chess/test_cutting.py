"""Is every move and comment of a game in its passages, and does each passage fit?"""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pgn_shared import SHARED, compare, count, passages, random_game, replayed, room, walk, written

from consilience.packs.chess.game_pieces import portions
from consilience.packs.chess.pgn import cut, load

FILES = sorted(
    path
    for folder in ("gutenberg_annotated", "egor_tensin")
    for path in (SHARED / f"chess_pgn_{folder}").rglob("*_*.pgn")
)
ANYWHERE = settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.generate],  # a smaller seed is no smaller game
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@ANYWHERE
@given(
    seed=st.integers(0, 10**6),
    limit=st.sampled_from([70, 110, 180, 256, 512]),
    moves=st.integers(0, 150),
    chatter=st.sampled_from([0.0, 0.1, 0.5]),
    branching=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_every_move_and_comment_is_in_a_passage_and_each_fits(
    tmp_path, seed, limit, moves, chatter, branching
):
    game = random_game(seed, moves=moves, chatter=chatter, branching=branching)
    game.headers["Event"] = "Bled"
    text = str(game) if moves else '[Event "Bled"]\n\n{Words alone.} *'
    compare(written(tmp_path, f"{text}\n\n{random_game(seed + 1, moves=20)}\n"), limit)


@pytest.mark.skipif(not FILES, reason="the shared data is not here")
@pytest.mark.parametrize("part", range(4))
def test_real_files_lose_nothing(part):
    for path in FILES[part::24]:
        if "blue_book_73" not in path.name:  # an illegal move: what follows is left out, and said
            compare(path)


def test_a_game_that_fits_stays_whole(tmp_path):
    (block,) = passages(written(tmp_path, '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *'))
    assert block.text == "A – B. King's Knight Opening (C40).\n\n1. e4 e5 2. Nf3 *"
    assert "parts" not in block.metadata


def test_a_piece_says_its_place_and_what_leads_there(tmp_path):
    long = "a plan that takes some time to tell " * 6
    text = (
        '[White "A"]\n[Black "B"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 '
        f"6. Be3 {{Main, {long}}} (6. Bg5 e6 7. f4 {{First, {long}}}) "
        f"(6. Bc4 e6 7. Bb3 {{Second, {long}}} (7. O-O Be7 {{Third, {long}}}) b5) 6... e5 *"
    )
    blocks = compare(written(tmp_path, text), 160)
    heads = {
        name: block.text.partition("\n\n")[0]
        for name in ("Main", "First", "Second", "Third")
        for block in blocks
        if f"{name}, a plan" in block.text
    }
    line = "1.e4 c5 2.Nf3"
    assert f"variation 1 of 2 at 6.Be3, after {line} … 5.Nc3 a6." in heads["First"]
    assert "variation 2 of 2 at 6.Be3" in heads["Second"]
    assert "variation 2 of 2 at 6.Be3 › variation 1 of 1 at 7.Bb3" in heads["Third"]
    assert heads["Main"].startswith("A – B. Sicilian Defense: Najdorf Variation, English Attack")
    assert heads["Second"].startswith("A – B. Sicilian Defense: Sozin Attack")


def test_pieces_are_numbered_and_know_where_they_stand(tmp_path):
    blocks = passages(written(tmp_path, str(random_game(3, moves=200))), 120)
    assert len(blocks) > 3
    assert [block.metadata["part"] for block in blocks] == list(range(1, len(blocks) + 1))
    assert {block.metadata["parts"] for block in blocks} == {len(blocks)}
    for block in blocks:
        game = replayed(block)
        own = {node.board().epd() for node in walk(game)}
        assert set(block.metadata["positions"]) <= own
        assert (
            block.locator.number("ply") == block.metadata["ply_first"] <= block.metadata["ply_last"]
        )
        assert block.locator.number("game") == block.metadata["game"] == 1
        assert block.metadata["end"] in own


def test_the_same_moves_have_the_same_hashes_whatever_is_said_of_them(tmp_path):
    plain = '[White "A"]\n\n1. e4 e5 2. Nf3 *\n\n[White "B"]\n\n1. e4 {!} e5 (1... c5) 2. Nf3 1-0'
    other = '\n\n[White "C"]\n\n1. Nf3 e5 2. e4 *'
    first, second, third = passages(written(tmp_path, plain + other))
    assert first.metadata["moves"] == second.metadata["moves"] != third.metadata["moves"]
    assert first.metadata["line"] != third.metadata["line"]
    assert first.metadata["end"] == third.metadata["end"]


def test_alternatives_at_one_move_share_a_piece_where_they_fit(tmp_path):
    words = "so many words about it that both do not fit beside the game itself " * 2
    text = f"1. e4 e5 (1... c5 {{{words}}}) (1... e6 {{{words}}}) 2. Nf3 {{{words * 2}}} *"
    heads = [block.text for block in compare(written(tmp_path, text), 140)]
    assert any("variations 1-2 of 2 at 1...e5" in head for head in heads)


def test_a_comment_longer_than_a_passage_is_cut_at_sentences_in_one_place(tmp_path):
    said = " ".join(f"Sentence number {at} speaks of the isolated pawn." for at in range(60))
    blocks = compare(written(tmp_path, f"1. e4 {{{said}}} e5 2. Nf3 *"), 150)
    pieces = [block for block in blocks if "on 1.e4, continued" in block.text]
    assert len(pieces) > 3
    for block in pieces:
        assert block.text.partition("\n\n")[2].startswith("1. e4 {Sentence number")
        assert "pawn.}" in block.text


def test_evaluations_are_thinned_to_branches_and_swings(tmp_path):
    text = (
        "1. e4 {[%eval 0.2] [%clk 0:10:00]} e5 {[%eval 0.3]} 2. Nf3 {[%eval 0.25]} Nf6 "
        "{[%eval 0.4]} (2... Nc6 {[%eval 0.1] [%cal Gb8c6]}) 3. Bc4 {[%eval -1.9]} Nxe4 "
        "{[%eval -1.8]} 4. a3 {[%eval #-9] Why?} *"
    )
    (block,) = passages(written(tmp_path, text))
    assert block.text.partition("\n\n")[2] == (
        "1. e4 e5 2. Nf3 {[%eval 0.25]} 2... Nf6 (2... Nc6 {[%eval 0.1]}) 3. Bc4 {[%eval -1.9]} "
        "3... Nxe4 4. a3 {[%eval #-9] Why?} *"
    )


def test_an_endless_word_and_a_room_for_almost_nothing(tmp_path):
    path = written(tmp_path, f"1. e4 {{{'x' * 9000}}} e5 {{short}} *")
    document = cut(load(path), room(60))
    assert max(room(60).sizes(document.title, document.blocks)) <= 60
    assert "".join(block.text for block in document.blocks).count("x") >= 9000


def test_the_last_piece_of_the_main_line_has_the_result(tmp_path):
    game = random_game(11, moves=160, branching=0.0)
    game.headers["Result"] = "0-1"
    blocks = passages(written(tmp_path, str(game)), 150)
    assert [block.text.endswith(" 0-1") for block in blocks] == [False] * (len(blocks) - 1) + [True]


@pytest.mark.parametrize("limit", [110, 150, 256])
@pytest.mark.parametrize("seed", range(4))
def test_no_piece_of_a_line_is_left_with_little(tmp_path, limit, seed):
    game = random_game(seed, moves=170, branching=0.0, chatter=0.0)
    game.comment = "Words before the first move."
    path = written(tmp_path, str(game))
    own = count(block.text.partition("\n\n")[2] for block in compare(path, limit))
    assert len(own) > 1
    assert 2 * min(own) > max(own)


def test_the_start_of_a_line_takes_what_follows_with_its_variations(tmp_path):
    words = "so many words about it that not all of them fit into one place " * 3
    text = (
        f"{{Before.}} 1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {{{words}}} Nc6 3. Bb5 {{{words}}} a6 "
        f"4. Ba4 {{{words}}} *"
    )
    blocks = compare(written(tmp_path, text), 140)
    assert blocks[0].text.partition("\n\n")[2].startswith("{Before.} 1. e4 e5 (1... c5 2. Nf3)")


@given(text=st.text("ab .,;!xyz", max_size=600), most=st.integers(3, 40))
def test_portions_keep_all_words_in_order(text, most):
    def measure(texts):
        return [max(1, size - 2) for size in count(texts)] if texts else []

    words = " ".join(text.split())
    parts = portions(words, most, measure)
    assert "".join(parts).replace(" ", "") == words.replace(" ", "")
    assert all(size <= most for size in measure(parts))


def test_cutting_twice_gives_the_same(tmp_path):
    document = load(written(tmp_path, str(random_game(5, moves=150, chatter=0.6))))
    assert cut(document, room(150)) == cut(document, room(150))
    assert len(cut(document, room(100)).blocks) > len(cut(document, room(300)).blocks)
