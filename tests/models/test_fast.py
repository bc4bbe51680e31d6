"""The table of word pieces: a vector is the sum of its rows, and the shipped one is the card's."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from consilience.errors import ModelError, UsageError
from consilience.models import onnx_embedder, static_embedder
from consilience.models.onnx_embedder import Fine
from consilience.models.static_embedder import FOLDER, TOKENIZER, Static, open_fast
from consilience.settings import Settings

WORDS = Tokenizer.from_file(str(TOKENIZER))
SIZE = WORDS.get_vocab_size()
TEXTS = [
    "Light bends when it passes from air into glass.",
    "Sicilian Defence",
    "The quick brown fox jumps over the lazy dog. " * 20,
    "Übergänge, naïve café, Ωmega and 数学: words of several alphabets.",
    "",
    "[SEP] typed by hand, \x00 and \udcff",
    "Net revenue rose 4.2% to $1,204 million in fiscal 2019. " * 6,
]
PAIRS = [
    ("How do I repair a flat bicycle tyre?", "Repairing a punctured bike tire"),
    ("The central bank raised interest rates.", "Borrowing money from a lender costs more."),
    ("The knight attacks the king and the queen.", "Chess pieces: a bishop takes a pawn."),
    ("The train to Lisbon leaves at noon.", "A railway service from Portugal departs at midday."),
]


def write(folder: Path, rows: np.ndarray, scales: np.ndarray) -> Path:
    """A model's folder with a card that is true of its files."""
    folder.mkdir(exist_ok=True)
    np.save(folder / "rows.npy", rows)
    np.save(folder / "scales.npy", scales)
    return sign(folder, rows.shape[-1])


def sign(folder: Path, dimensions: int) -> Path:
    files = [folder / "rows.npy", folder / "scales.npy", TOKENIZER]
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    card = {
        "identity": hashlib.sha256("".join(hashes.values()).encode()).hexdigest(),
        "dimensions": dimensions,
        "limit": 256,
        "files": hashes,
    }
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def table(dimensions: int = 16) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(7)
    rows = chance.integers(-127, 128, (SIZE, dimensions)).astype(np.int8)
    return rows, chance.uniform(0.001, 0.01, SIZE).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small model that a test may spoil."""
    return write(tmp_path / "fast", *table())


@pytest.fixture
def small(folder: Path) -> Static:
    return Static(folder)


@pytest.fixture(scope="module")
def shipped() -> Static:
    return Static(FOLDER)


def test_a_vector_is_the_unit_sum_of_the_rows_of_its_pieces(small: Static) -> None:
    rows, scales = table()
    real = rows.astype(np.float64) * scales[:, None]
    texts = [text.encode("utf-8", "replace").decode() for text in TEXTS if text]
    sums = np.stack([real[WORDS.encode(t, add_special_tokens=False).ids].sum(0) for t in texts])
    wanted = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    assert small.embed(texts) == pytest.approx(wanted, abs=1e-5)


def test_rows_have_length_one_stand_in_order_and_do_not_depend_on_their_neighbours(
    small: Static,
) -> None:
    texts = [*TEXTS, *(f"lantern {number} of {number * 7}" for number in range(200))]
    vectors = small.embed(texts)
    assert vectors.shape == (len(texts), 16)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (vectors == np.stack([small.embed_query(text) for text in texts])).all()
    assert (vectors == small.embed(texts[::-1])[::-1]).all()


def test_blocks_are_shared_among_the_cores(small: Static, monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, workers: int, **options: str) -> None:
            pools.append(workers)
            super().__init__(workers, **options)

    monkeypatch.setattr(static_embedder, "cores", lambda: 3)
    monkeypatch.setattr(static_embedder, "ThreadPoolExecutor", Pool)
    small.embed(["one block"])
    assert pools == []
    small.embed([f"text {number}" for number in range(200)])
    assert pools == [3]


def test_identical_texts_are_embedded_once(small: Static, monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[int] = []
    add_up = static_embedder._add_up
    monkeypatch.setattr(
        static_embedder,
        "_add_up",
        lambda table, texts, out: added.append(len(texts)) or add_up(table, texts, out),
    )
    vectors = small.embed(["pawn", "rook", "pawn", "pawn"])
    assert added == [2]
    assert vectors[0].tolist() == vectors[2].tolist() == vectors[3].tolist()
    assert vectors[0].tolist() != vectors[1].tolist()


def test_no_texts_give_no_rows(small: Static) -> None:
    assert small.embed([]).shape == (0, 16)
    assert small.count([]) == []


def test_a_text_without_rows_gets_the_last_axis(tmp_path: Path) -> None:
    rows, scales = table()
    words = ("pawn", "rook", "queen", "king")
    one, other, none, tiny = (WORDS.token_to_id(word) for word in words)
    rows[other], scales[other] = -rows[one], scales[one]
    rows[none], scales[tiny] = 0, 1e-12
    model = Static(write(tmp_path / "fast", rows, scales))
    texts = ["", " \n", "\x00", "queen", "king", "pawn rook", "bishop"]
    vectors = model.embed(texts)
    assert vectors[:6].tolist() == [[0.0] * 15 + [1.0]] * 6
    assert vectors[6].tolist() != vectors[0].tolist()
    assert model.embed_query("").tolist() == vectors[0].tolist()


def test_count_is_that_of_fine(small: Static) -> None:
    assert small.count(["", "hello world", "embeddings"]) == [2, 4, 2 + 4]  # em bed ding s
    assert small.count(TEXTS) == Fine(onnx_embedder.FOLDER).count(TEXTS)


def test_a_text_of_exactly_the_limit_is_read_and_one_more_refused(small: Static) -> None:
    assert small.embed(["pawn " * 254]).shape == (1, 16)
    with pytest.raises(ModelError, match=r"257 tokens .* 256 that 'fast' reads; split it"):
        small.embed(["short", "pawn " * 255])


def test_the_first_text_over_the_limit_is_named_wherever_it_stands(small: Static) -> None:
    texts = [f"text {number}" for number in range(300)]
    texts[180] = "rook " * 300
    texts[290] = "queen " * 400
    with pytest.raises(ModelError, match=r"302 tokens .*'rook rook"):
        small.embed(texts)


def test_a_long_question_is_read_up_to_the_limit(small: Static) -> None:
    long = small.embed_query("pawn " * 200 + "rook " * 54 + "bishop " * 500)
    assert long.shape == (16,)
    assert long.tolist() == small.embed(["pawn " * 200 + "rook " * 54])[0].tolist()


def test_threads_share_one_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path] = []
    load = static_embedder._load
    monkeypatch.setattr(
        static_embedder, "_load", lambda *found: loads.append(found[0]) or load(*found)
    )
    model = Static(folder)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(model.embed_query, ["king", "queen"] * 4))
    assert len(loads) == 1
    assert {tuple(each.tolist()) for each in answers[0::2]} == {tuple(answers[0].tolist())}
    assert answers[0].tolist() != answers[1].tolist()


def test_memory_beside_the_answer_is_bounded(tmp_path: Path) -> None:
    model = Static(write(tmp_path / "fast", *table(256)))
    model.embed(["load the files first"])
    texts = [f"number {number} " + "the keeper lit the lamp " * 24 for number in range(2000)]
    tracemalloc.start()
    vectors = model.embed(texts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - vectors.nbytes < 16_000_000  # the rows of all texts together are 250 MB


def test_nothing_reaches_for_the_network(small: Static, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert small.embed(["rook"]).shape == (1, 16)


def test_name_and_limit_load_neither_tokenizer_nor_rows(folder: Path) -> None:
    for name in ("rows.npy", "scales.npy"):
        (folder / name).unlink()
    code = (
        "import sys; from pathlib import Path\n"
        "from consilience.models.static_embedder import Static\n"
        "model = Static(Path(sys.argv[1])); print(model.name, model.dimensions, model.limit);"
        "print({'tokenizers', 'onnxruntime'} & set(sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, check=True, text=True
    ).stdout.splitlines()
    identity = json.loads((folder / "card.json").read_text())["identity"]
    assert found == [f"fast:{identity[:12]} 16 256", "set()"]


@pytest.mark.parametrize("name", ["rows.npy", "scales.npy", "card.json"])
def test_a_missing_file_says_to_reinstall(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name} cannot be used .* reinstall"):
        Static(folder).embed(["rook"])


@pytest.mark.parametrize("name", ["rows.npy", "scales.npy"])
def test_a_changed_byte_is_noticed(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[-5] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(ModelError, match=rf"{name} cannot be used \(its content is not"):
        Static(folder).embed(["rook"])


def test_another_tokenizer_is_noticed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_bytes(TOKENIZER.read_bytes() + b"\n")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be used \(its content is not"):
        Static(folder, tokenizer=other).count(["rook"])


@pytest.mark.parametrize(
    ("rows", "scales", "reason"),
    [
        (np.zeros((5, 16), np.int8), np.ones(SIZE, np.float32), r"rows\.npy .*int8 of shape \(5, "),
        (np.zeros((SIZE, 16), np.int16), np.ones(SIZE, np.float32), r"rows\.npy .*int16 of shape"),
        (np.zeros((SIZE, 16), np.int8), np.ones(5, np.float32), r"scales\.npy .*shape \(5,\)"),
        (np.zeros((SIZE, 16), np.int8), np.full(SIZE, np.nan, np.float32), "not a finite number"),
    ],
)
def test_arrays_of_another_shape_or_kind_are_refused(
    tmp_path: Path, rows: np.ndarray, scales: np.ndarray, reason: str
) -> None:
    with pytest.raises(ModelError, match=reason):
        Static(write(tmp_path / "fast", rows, scales)).embed(["rook"])


def test_a_file_that_is_no_array_is_refused(folder: Path) -> None:
    (folder / "rows.npy").write_bytes(b"no array")
    sign(folder, 16)
    with pytest.raises(ModelError, match=r"rows\.npy cannot be used \(not an array"):
        Static(folder).embed(["rook"])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"identity": "x"}'])
def test_a_card_that_says_nothing_is_refused(folder: Path, text: str) -> None:
    (folder / "card.json").write_text(text)
    with pytest.raises(ModelError, match=r"card\.json cannot be used"):
        _ = Static(folder).limit


def test_fast_takes_no_argument() -> None:
    with pytest.raises(UsageError, match="'fast' takes no argument, not 'large'"):
        open_fast("large", Settings())
    assert isinstance(open_fast("", Settings()), Static)


def test_the_shipped_files_are_those_of_the_card() -> None:
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    fine = json.loads((onnx_embedder.FOLDER / "card.json").read_text(encoding="utf-8"))
    assert set(card["files"]) == {"rows.npy", "scales.npy", "tokenizer.json"}
    assert card["files"]["tokenizer.json"] == fine["files"]["tokenizer.json"]
    for name in ("rows.npy", "scales.npy"):
        data = (FOLDER / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == card["files"][name]
    all_three = "".join(card["files"].values())
    assert hashlib.sha256(all_three.encode()).hexdigest() == card["identity"]
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 10_000_000


def test_the_shipped_model_is_named_by_its_files(shipped: Static) -> None:
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    assert shipped.name == "fast:" + card["identity"][:12]
    assert (shipped.dimensions, shipped.limit) == (256, 256)


def test_texts_of_one_meaning_are_closer_than_others(shipped: Static) -> None:
    left = shipped.embed([one for one, _ in PAIRS])
    right = shipped.embed([other for _, other in PAIRS])
    similar = left @ right.T
    for place in range(len(PAIRS)):
        others = np.delete(similar[place], place)
        assert similar[place, place] > others.max() + 0.1


def test_the_shipped_model_gives_a_direction_to_any_text(shipped: Static) -> None:
    vectors = shipped.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 256)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
