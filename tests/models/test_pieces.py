"""Reading in blocks gives exactly the tokenizer's own numbers, for any text, in bounded memory."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from consilience.models import static_embedder
from consilience.models.static_embedder import TOKENIZER as FILE
from consilience.models.static_embedder import Reader

TOKENIZER = Tokenizer.from_file(str(FILE))
READER = Reader(TOKENIZER)

ORDINARY = [
    "Light bends when it passes from air into glass.",
    "e-mail: someone@example.org, $1,204.50 (4.2%)... `code_name`!",
    "tab\there\nand\r\nthere\u00a0\u2003\u2028end",
    "ÜBERGÄNGE, naïve café, Ångström, ĲSSEL, İstanbul, ΣΊΣΥΦΟΣ",
    "数学と漢字 mixed with words",
    "हिन्दी में लिखा",
    "f(𝑥) − ∥θ∥² ≤ µ, “quoted” — and 🎉👩‍🔬 emoji",
    "w" * 100 + " " + "w" * 101 + " " + "-" * 120,
    "",
    " \n ",
]
STRANGE = [
    "a\x00b \x00 c\x01d\x7f e\x0bf\x0cg\x1c\x1d\x1e\x1fh\x85i\ufffdj\u200bk\ufeffl",
    "[SEP] [CLS]x[MASK]y [UNK][PAD] [sep] [SEP [S\x00EP]",
    "a\udc80b \ud83d\ude00 \udfff",
    "안녕하세요 세계",
    "e\u0301\u0323 a\u302e\u0323\u302f \U0001d165\u0301",
    "unassigned \u0378 \U0002ffff private \ue000",
]
MIXED = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.text(st.characters(max_codepoint=0x17F), max_size=30),
        st.sampled_from([*ORDINARY, *STRANGE]),
        st.sampled_from(["[SEP]", "[CLS", "]", "\x00", "\x0b", "\x85", "\u0301", "Σ", " ", "'s"]),
        st.text("ab\u0301\u0323\u302e가\ud800[]SEP\x1c\x00 ", max_size=12),
    ),
    max_size=5,
).map("".join)


def own(texts: Sequence[str]) -> list[list[int]]:
    """What the tokenizer itself says; a lone surrogate is read as a question mark."""
    readable = [text.encode("utf-8", "replace").decode() for text in texts]
    return [TOKENIZER.encode(text, add_special_tokens=False).ids for text in readable]


def read(texts: Sequence[str], reader: Reader = READER) -> list[list[int]]:
    return [each.tolist() for each in reader.read(texts)]


@given(st.lists(MIXED, max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_texts_give_the_numbers_of_the_tokenizer(texts: list[str]) -> None:
    assert read(texts) == own(texts)


@pytest.mark.parametrize("text", [*ORDINARY, *STRANGE])
def test_every_kind_of_text_gives_the_numbers_of_the_tokenizer(text: str) -> None:
    assert read([text]) == own([text])
    assert read([text, "plain", text]) == own([text, "plain", text])


def test_every_character_gives_the_numbers_of_the_tokenizer() -> None:
    codes = [*range(0x3000), *range(0x3000, 0xD800, 29), *range(0xE000, 0x110000, 997)]
    texts = [f"x{char}y {char}e\u0301{char}\u0323 {char}" for char in map(chr, codes)]
    assert read(texts) == own(texts)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_not_handed_to_the_tokenizer(text: str) -> None:
    reader = Reader(TOKENIZER)
    reader._tokenizer = None  # the whole of it is needed for strange text only
    assert read([text], reader) == own([text])


def test_only_the_strange_text_of_a_block_is_handed_to_the_tokenizer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(TOKENIZER)
    whole = reader._whole
    asked: list[str] = []
    monkeypatch.setattr(reader, "_whole", lambda text: asked.append(text) or whole(text))
    texts = ["rook", "a [SEP] b", "", "안녕", "queen"]
    assert read(texts, reader) == own(texts)
    assert asked == ["a [SEP] b", "안녕"]


def test_a_word_is_cut_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(TOKENIZER)
    cut = reader._words._cut
    asked: list[str] = []
    monkeypatch.setattr(reader._words, "_cut", lambda word: asked.append(word) or cut(word))
    for _ in range(3):
        assert read(["Rook takes rook.", "ROOK!"], reader) == own(["Rook takes rook.", "ROOK!"])
    assert sorted(asked) == ["!", ".", "rook", "takes"]


def test_no_piece_has_a_mark_that_could_change_places() -> None:
    assert not [word for word in TOKENIZER.get_vocab() if any(map(unicodedata.combining, word))]


def test_a_word_in_use_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_embedder, "WORDS", 8)
    reader = Reader(TOKENIZER)
    cut = reader._words._cut
    asked: list[str] = []
    monkeypatch.setattr(reader._words, "_cut", lambda word: asked.append(word) or cut(word))
    for number in range(60):
        read([f"pawn {number}"], reader)
    assert asked.count("pawn") == 1
    assert len(asked) == 61


def test_the_words_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_embedder, "WORDS", 8)
    reader = Reader(TOKENIZER)
    texts = [f"pawn {number} lighthouse{number} {'long' * number}" for number in range(60)]
    assert read(texts, reader) == own(texts)
    words = reader._words
    held = [*words, *words._older]
    assert 8 <= len(held) <= 16
    assert "pawn" in held  # often used, so not forgotten
    assert max(map(len, held)) <= static_embedder.LONGEST


def test_threads_may_share_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_embedder, "WORDS", 16)  # forgotten all the time
    reader = Reader(TOKENIZER)
    texts = [f"{chr(0x100 + number)}ox {number} [{number}] lantern{number}" for number in range(90)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: read(texts, reader), range(8)))
    assert answers == [own(texts)] * 8


def test_blocks_are_bounded_in_texts_and_characters() -> None:
    assert list(static_embedder.blocks([])) == []
    assert list(static_embedder.blocks(["a"] * 130)) == [(0, 64), (64, 128), (128, 130)]
    long = "x" * static_embedder.BLOCK_CHARACTERS
    assert list(static_embedder.blocks(["a", long, long, "b", "c"])) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 5),
    ]
    texts = ["rook"] * 70 + ["lantern " * 10_000, "a [SEP] b", "", "end"]
    assert read(texts) == own(texts)
