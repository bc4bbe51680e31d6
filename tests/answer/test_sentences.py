"""Where sentences begin and end, in texts as loaders leave them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.understand.sentences import one_line, sentences


def split(text, headings=()):
    return [one_line(one.text) for one in sentences(text, headings)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It stood. It fell.", ["It stood.", "It fell."]),
        ("Mr. Smith met Dr. Bell. They spoke.", ["Mr. Smith met Dr. Bell.", "They spoke."]),
        (
            "The tower of J. N. Douglass still stands. It is white.",
            ["The tower of J. N. Douglass still stands.", "It is white."],
        ),
        (
            "See Fig. 3, No. 5 and pp. 12-14. It costs 3.5 pounds.",
            ["See Fig. 3, No. 5 and pp. 12-14.", "It costs 3.5 pounds."],
        ),
        (
            "Some signals, e.g. horns, carry far. Others do not.",
            ["Some signals, e.g. horns, carry far.", "Others do not."],
        ),
        ("He said no. The boat left.", ["He said no.", "The boat left."]),
        ("He lived in the U.S. The rest is known.", ["He lived in the U.S.", "The rest is known."]),
        ("It was U.S. policy. So it stayed.", ["It was U.S. policy.", "So it stayed."]),
        ("They left at 6 p.m. It was dark.", ["They left at 6 p.m.", "It was dark."]),
        ("Wait… what was that? A bell!", ["Wait… what was that?", "A bell!"]),
        ("It went on... Then it stopped.", ["It went on...", "Then it stopped."]),
        (
            "“Stop!” he cried. “Now.” They stopped.",
            ["“Stop!” he cried.", "“Now.”", "They stopped."],
        ),
        ("(It rained. It snowed.) Nobody came.", ["(It rained. It snowed.)", "Nobody came."]),
        ("Smith et al. (2001) found it. We agree.", ["Smith et al. (2001) found it.", "We agree."]),
        ("a text without any stop", ["a text without any stop"]),
    ],
)
def test_english(text, wanted):
    assert split(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Am 3. Oktober wurde er im 19. Jahrhundert gebaut. Er steht z. B. noch.",
            ["Am 3. Oktober wurde er im 19. Jahrhundert gebaut.", "Er steht z. B. noch."],
        ),
        ("« Bonjour ! » dit-il. Il partit.", ["« Bonjour ! » dit-il.", "Il partit."]),
        ("¿Qué es? ¡Hola! El Sr. Gil vino.", ["¿Qué es?", "¡Hola!", "El Sr. Gil vino."]),
        ("灯台は高い。「行こう。」彼は言った。", ["灯台は高い。", "「行こう。」", "彼は言った。"]),
        ("ما هذا؟ هذا برج.", ["ما هذا؟", "هذا برج."]),
    ],
)
def test_other_languages(text, wanted):
    assert split(text) == wanted


def test_lines_that_a_page_broke_are_read_on():
    text = "The tower was built on a reef that the sea\ncovers twice a day. It took four\nyears."
    assert split(text) == [
        "The tower was built on a reef that the sea covers twice a day.",
        "It took four years.",
    ]


def test_a_heading_is_no_sentence():
    body = "John Smeaton looked at an oak and built his tower after it. The tower stood for long."
    for heading in ("2. The pattern: Smeaton, 1756 to 1759", "Summary", "# Towers", "Why granite?"):
        assert split(f"{heading}\n\n{body}") == split(body)
    assert split(f"Summary\n{body}") == split(body)
    assert split("Summary") == ["Summary"]


def test_a_heading_that_is_known_is_never_one():
    assert split("Smeaton built it.\n\nThe end.", ["smeaton built it"]) == ["The end."]
    assert split("7. The last tower", ["7. The last tower"]) == []


def test_entries_of_lists_stand_alone_and_without_their_signs():
    assert split("- one lamp\n- two lamps\n• three") == ["one lamp", "two lamps", "three"]
    assert split("Steps:\n1. Look\n2. Leap high") == ["Steps:", "Look", "Leap high"]


def test_entries_are_known_as_such_with_all_their_sentences():
    found = sentences("Two hold:\n\n1. The lamp burns. It is hot.\n2. The lens turns. It is cold.")
    assert [(one.block, one.entry) for one in found] == [
        (0, False), (1, True), (1, True), (2, True), (2, True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "After 3. Nc3, where White waits, Black is well. It is drawn.",
            ["After 3. Nc3, where White waits, Black is well.", "It is drawn."],
        ),
        ("He likes 1. e4 e5 2. Nf3 best. So do I.", ["He likes 1. e4 e5 2. Nf3 best.", "So do I."]),
        ("Play 4... Nf6 or 4… Qxd4 here. White castles.",
         ["Play 4... Nf6 or 4… Qxd4 here.", "White castles."]),
        ("Then 9. O-O is calm. It holds.", ["Then 9. O-O is calm.", "It holds."]),
        ("It has 3. Nobody knows why.", ["It has 3.", "Nobody knows why."]),
        ("1. e4 c5 2. Nf3 d6 3. d4\n3. Bb5+ is calm.", ["3. Bb5+ is calm."]),
        ("3. Nc3 is sharp.\n3. Nd2 is calm.", ["3. Nc3 is sharp.", "3. Nd2 is calm."]),
    ],
)  # fmt: skip
def test_the_number_of_a_move_ends_nothing(text, wanted):
    assert split(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Year ended May 31, 2015 as against May 31, 2014 The fall in sales was due to the war.",
            ["The fall in sales was due to the war."],
        ),
        (
            "Results of Operations The following table shows what was earned. It is long.",
            ["The following table shows what was earned.", "It is long."],
        ),
        ("In 1998 The Who sang there for the last time.",
         ["In 1998 The Who sang there for the last time."]),
        ("It is told in The old book of the sea.", ["It is told in The old book of the sea."]),
    ],
)  # fmt: skip
def test_a_heading_that_ran_into_a_sentence_is_cut_off(text, wanted):
    assert split(text) == wanted


def test_lines_of_names_and_values_are_apart():
    text = "Name: Thomas; Lived: 1752\nName: Robert; Lived: 1772"
    assert split(text) == text.split("\n")


def test_a_word_that_is_explained_belongs_to_its_explanation():
    assert split("Loom. The glow of a light below the horizon. It helps.") == [
        "Loom. The glow of a light below the horizon.",
        "It helps.",
    ]


def test_blocks_are_told_apart():
    found = sentences("One stood. Two stood here.\n\nThree stood there alone.")
    assert [one.block for one in found] == [0, 0, 1]


@given(st.text(alphabet=st.sampled_from('aB .!?\n…"”()1-:;。é'), max_size=80))
def test_sentences_are_exact_pieces_in_order(text):
    end = 0
    for one in sentences(text):
        assert one.text == text[one.start : one.end]
        assert one.text == one.text.strip() != ""
        assert one.start >= end
        end = one.end
