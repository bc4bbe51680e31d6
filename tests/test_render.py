import pytest

from consilience import render
from consilience.types import Change, Hit

FILLER = "The report then goes on to list what was bought and what it had cost the board. "


def hit(passage, *changes):
    return Hit(passage=passage("a"), score=0.5, changes=changes)


def test_a_short_passage_is_shown_whole(passage):
    assert render.preview(passage(text="Two\n  lines."), "lines") == "Two lines."


def test_a_preview_begins_at_the_sentence_with_the_telling_words(passage):
    text = FILLER * 5 + "A quokka came ashore. " + FILLER * 5
    shown = render.preview(passage(text=text), "what was it that the quokka had done?")
    assert shown.startswith("… A quokka came ashore.")
    assert shown.endswith(" …")
    assert len(shown) <= render.PREVIEW + 4


@pytest.mark.parametrize("before", [0, 1, 300, 599], ids=str)
def test_a_word_deep_in_a_long_sentence_is_shown(passage, before):
    words = ["and then the stone"] * 600
    words[before] = "quokka"
    for text in (" ".join(words), f"{FILLER}{' '.join(words)}. {FILLER}"):
        shown = render.preview(passage(text=text), "and then the quokka")
        assert "quokka" in shown
        assert len(shown) <= render.PREVIEW + 4


def test_a_preview_without_a_shared_word_is_the_beginning(passage):
    assert render.preview(passage(text=FILLER * 9), "zebra").startswith(FILLER)


def test_a_text_without_spaces_is_cut(passage):
    assert len(render.preview(passage(text="x" * 5000), "x")) <= render.PREVIEW + 4


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
    assert render.moves(hit(passage, change)) == told
