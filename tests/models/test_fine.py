"""The shipped model: the files are those of the card, and vectors mean what texts mean."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from consilience.errors import ModelError
from consilience.models import onnx_embedder
from consilience.models.onnx_embedder import FOLDER, Fine
from consilience.protocols import Vectors

PAIRS = [
    ("How do I fix a flat bicycle tyre?", "Repairing a punctured bike tire"),
    ("The central bank raised interest rates.", "Borrowing costs went up after the decision."),
    ("A knight forks the king and the queen.", "In chess, a horse attacks two pieces at once."),
    ("The train to Lisbon leaves at noon.", "At twelve o'clock a railway service departs."),
]
TEXTS = [
    "Light bends when it passes from air into glass.",
    "Sicilian Defence",
    "The quick brown fox jumps over the lazy dog. " * 20,
    "Übergänge, naïve café, Ωmega and 数学: words of several alphabets.",
    "",
    "A short line.",
    "Net revenue rose 4.2% to $1,204 million in fiscal 2019, driven by subscriptions. " * 6,
]
ORIGINAL = {("king", "queen"): 0.6807, ("king", "bicycle"): 0.2750}


@pytest.fixture(scope="module")
def fine() -> Fine:
    return Fine(FOLDER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped files that a test may spoil."""
    return Path(shutil.copytree(FOLDER, tmp_path / "fine"))


def cosines(left: Vectors, right: Vectors) -> list[float]:
    return [float(value) for value in np.sum(left * right, axis=1)]


def test_the_shipped_files_are_those_of_the_card() -> None:
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    for name, expected in card["files"].items():
        data = (FOLDER / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == expected
        assert len(data) == card["bytes"][name]
    both = "".join(card["files"].values())
    assert hashlib.sha256(both.encode()).hexdigest() == card["identity"]
    assert card["licence"] == "Apache-2.0"
    assert card["measured"]["agreement"]["mean"] > 0.99


def test_name_says_which_files_made_the_vectors(fine: Fine) -> None:
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    assert fine.name == "fine:" + card["identity"][:12]
    assert (fine.dimensions, fine.limit) == (384, 256)


def test_paraphrases_are_closer_than_anything_else(fine: Fine) -> None:
    left = fine.embed([one for one, _ in PAIRS])
    right = fine.embed([other for _, other in PAIRS])
    similar = left @ right.T
    for place in range(len(PAIRS)):
        others = np.delete(similar[place], place)
        assert similar[place, place] > others.max() + 0.1


def test_rows_have_length_one_and_stand_in_order(fine: Fine) -> None:
    vectors = fine.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert cosines(vectors, np.stack([fine.embed_query(text) for text in TEXTS])) == pytest.approx(
        [1] * len(TEXTS), abs=1e-4
    )


def test_a_vector_does_not_depend_on_the_texts_beside_it(fine: Fine) -> None:
    together = fine.embed(TEXTS)
    backwards = fine.embed(TEXTS[::-1])[::-1]
    alone = np.concatenate([fine.embed([text]) for text in TEXTS])
    assert min(cosines(together, backwards)) > 1 - 1e-4
    assert min(cosines(together, alone)) > 1 - 1e-4


def test_known_vectors_have_not_moved(fine: Fine) -> None:
    """Cosines of the original model in 32-bit floats; int8 may move them by a little."""
    left, middle, right = fine.embed(["king", "queen", "bicycle"])
    assert float(left @ middle) == pytest.approx(ORIGINAL["king", "queen"], abs=0.03)
    assert float(left @ right) == pytest.approx(ORIGINAL["king", "bicycle"], abs=0.03)


def test_identical_texts_are_embedded_once(fine: Fine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    run = fine._run
    monkeypatch.setattr(
        fine, "_run", lambda batch, *names: rows.append(len(batch)) or run(batch, *names)
    )
    vectors = fine.embed(["pawn", "rook", "pawn", "pawn"])
    assert sum(rows) == 2
    assert vectors[0].tolist() == vectors[2].tolist() == vectors[3].tolist()
    assert vectors[0].tolist() != vectors[1].tolist()


def test_no_texts_give_no_rows(fine: Fine) -> None:
    assert fine.embed([]).shape == (0, 384)
    assert fine.count([]) == []


def test_count_includes_the_two_special_tokens(fine: Fine) -> None:
    assert fine.count(["", "hello world", "embeddings"]) == [2, 4, 2 + 4]  # em bed ding s


def test_count_is_what_the_model_really_reads(fine: Fine, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    session = fine._loaded.session

    class Spy:
        def run(self, names: list[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
            read.extend(int(row.sum()) for row in feed["attention_mask"])
            return list(session.run(names, feed))

    monkeypatch.setattr(
        fine._files, "_loaded", onnx_embedder._Loaded(Spy(), fine._loaded.tokenizer)
    )
    fine.embed(TEXTS)
    assert sorted(read) == sorted(fine.count(TEXTS))


def test_a_text_of_exactly_the_limit_is_read(fine: Fine) -> None:
    text = "pawn " * 254
    assert fine.count([text]) == [256]
    assert fine.embed([text]).shape == (1, 384)


def test_a_text_over_the_limit_is_refused_with_its_length(fine: Fine) -> None:
    with pytest.raises(ModelError, match=r"257 tokens .* 256 that 'fine' reads; split it"):
        fine.embed(["short", "pawn " * 255])


def test_a_long_question_is_read_up_to_the_limit(fine: Fine) -> None:
    long = fine.embed_query("pawn " * 254 + "bishop " * 500)
    cut = fine.embed_query("pawn " * 254)
    assert long.shape == (384,)
    assert float(long @ cut) == pytest.approx(1, abs=1e-4)


def test_text_with_a_stray_surrogate_is_read(fine: Fine) -> None:
    assert fine.embed_query("rook \udcff takes").shape == (384,)


def test_threads_share_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path] = []
    load = onnx_embedder._load
    monkeypatch.setattr(
        onnx_embedder, "_load", lambda *found: loads.append(found[0]) or load(*found)
    )
    fine = Fine(FOLDER)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(fine.embed_query, ["king", "queen"] * 4))
    assert len(loads) == 1
    assert cosines(np.stack(answers[0::2]), np.stack([answers[0]] * 4)) == pytest.approx([1] * 4)


def test_nothing_reaches_for_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert Fine(FOLDER).embed(["rook"]).shape == (1, 384)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "card.json"])
def test_a_missing_file_says_to_reinstall(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name} cannot be used .* reinstall"):
        Fine(folder).embed(["rook"])


def test_a_changed_byte_is_noticed(folder: Path) -> None:
    data = bytearray((folder / "model.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "model.onnx").write_bytes(data)
    with pytest.raises(ModelError, match=r"model\.onnx cannot be used .* reinstall"):
        Fine(folder).embed(["rook"])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"identity": "x"}'])
def test_a_card_that_says_nothing_is_refused(folder: Path, text: str) -> None:
    (folder / "card.json").write_text(text)
    with pytest.raises(ModelError, match=r"card\.json cannot be used"):
        _ = Fine(folder).limit


def test_batches_hold_texts_of_like_length_and_little_padding() -> None:
    lengths = [10, 256, 200, 10, 12, 100]
    batches = list(onnx_embedder._batches([[0] * length for length in lengths]))
    assert batches == [[1, 2], [5, 4, 0, 3]]  # 2 × 256 = 512 tokens; then 4 × 100 = 400


def test_the_second_output_gives_a_state_per_token(fine: Fine) -> None:
    session = fine._loaded.session
    ids = np.array([fine._loaded.tokenizer.encode("light bends").ids])
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    sentence, tokens = session.run(["sentence", "tokens"], feed)
    mean = tokens[0].mean(axis=0)
    assert tokens.shape == (1, 4, 384)
    assert float(sentence[0] @ mean) / np.linalg.norm(mean) == pytest.approx(1, abs=1e-5)
