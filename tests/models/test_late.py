"""Late interaction: the score is what the formula says, and what is kept is what is read."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from consilience.engine.refine import Refined, rerank
from consilience.errors import ModelError, UsageError
from consilience.models import late_interaction as late_module
from consilience.models import onnx_embedder, open_reranker
from consilience.models.late_interaction import FOLDER, Late, open_late
from consilience.models.onnx_embedder import Fine, shipped
from consilience.models.static_embedder import FOLDER as FAST
from consilience.models.static_embedder import Static
from consilience.protocols import Preparing
from consilience.settings import build_settings
from consilience.types import Hit, Passage

QUESTION = "Which engineer built the tower on the reef?"
TEXTS = [
    "Robert Stevenson built a tower on a reef off Arbroath.",
    "Smeaton dovetailed granite blocks together.",
    "Oil gave way to electricity.",
    "Fresnel arranged prisms in rings around a lamp. " * 8,
    "A short line.",
]
BYTES = 48  # of one token: 96 numbers of 4 bits


def passage_of(text: str, key: str = "") -> Passage:
    return Passage(
        id=key or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16],
        collection="notes",
        document="n.md",
        kind="note",
        title="",
        text=text,
    )


PASSAGES = [passage_of(text) for text in TEXTS]


@pytest.fixture
def late() -> Late:
    return Late(FOLDER, shipped(), budget_s=600)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped files that a test may spoil."""
    return Path(shutil.copytree(FOLDER, tmp_path / "late"))


@pytest.fixture(autouse=True)
def no_question_was_encoded_before() -> None:
    shipped()._read_question.cache_clear()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[str, ...]]]:
    """How many texts each run of the shipped network read, and what it was asked to give."""
    seen: list[tuple[int, tuple[str, ...]]] = []
    loaded = shipped()._loaded

    class Spy:
        def run(self, names: list[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
            seen.append((len(feed["input_ids"]), tuple(names)))
            return list(loaded.session.run(names, feed))

    monkeypatch.setattr(shipped()._files, "_loaded", onnx_embedder._Loaded(Spy(), loaded.tokenizer))
    return seen


def ask(late: Late, passages: Sequence[Passage], text: str = QUESTION) -> list[float | None]:
    return asyncio.run(late.rerank(text, passages))


def kept_by(late: Late, passages: Sequence[Passage]) -> dict[str, bytes]:
    """What would be kept of these passages."""
    _, packed = late.prepare([one.indexed for one in passages], shipped())
    return dict(zip((one.id for one in passages), packed, strict=True))


def reading(kept: dict[str, bytes]) -> Callable[[Sequence[str]], dict[str, bytes]]:
    return lambda ids: {key: kept[key] for key in ids if key in kept}


def unit(vector: Sequence[float]) -> list[float]:
    length = sum(number * number for number in vector) ** 0.5
    return [number / length for number in vector]


def in_four_bits(vector: Sequence[float]) -> list[float]:
    """What a vector becomes when each number is kept as -7 … 7."""
    step = max(abs(number) for number in vector) / 7
    return unit([float(round(number / step)) for number in vector])


def vectors_of(text: str, *, skip: int = 1) -> tuple[list[int], list[list[float]]]:
    """The tokens of a text, without so many at either end, and a vector for each."""
    ids, states = shipped().states(text)
    head = onnx_embedder.open_session((FOLDER / "head.onnx").read_bytes())
    rows = head.run(["vectors"], {"states": states})[0]
    end = len(ids) - skip
    return list(ids)[skip:end], [[float(number) for number in row] for row in rows[skip:end]]


def by_hand(question: str, passage: Passage, *, rounded: bool, skip: int = 1) -> float:
    """Σ w(t) · max_j cos(q_t, d_j) / Σ w(t), one number at a time."""
    ids, asked = vectors_of(question, skip=skip)
    _, found = vectors_of(passage.indexed, skip=skip)
    tokens = [in_four_bits(one) if rounded else unit(one) for one in found]
    weights = [float(each) for each in np.load(FOLDER / "weights.npy")[ids]]
    best = [
        max(sum(one * other for one, other in zip(unit(q), d, strict=True)) for d in tokens)
        for q in asked
    ]
    return sum(weight * near for weight, near in zip(weights, best, strict=True)) / sum(weights)


# --- the files --------------------------------------------------------------------------


def test_the_shipped_files_are_those_of_the_card() -> None:
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    fine = json.loads((onnx_embedder.FOLDER / "card.json").read_text(encoding="utf-8"))
    own = {"head.onnx", "compare.onnx", "weights.npy"}
    assert set(card["files"]) == own | set(fine["files"])
    assert {path.name for path in FOLDER.iterdir()} == own | {"card.json"}
    for name, expected in card["files"].items():
        data = ((FOLDER if name in own else onnx_embedder.FOLDER) / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == expected
        assert len(data) == card["bytes"][name]
    every = "".join(card["files"].values())
    assert hashlib.sha256(every.encode()).hexdigest() == card["identity"]
    assert card["licence"] == "Apache-2.0"
    assert card["learned_from"]


def test_the_name_says_which_files_made_the_vectors(late: Late) -> None:
    card = json.loads((FOLDER / "card.json").read_text(encoding="utf-8"))
    assert late.name == "late:" + card["identity"][:12]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_card_for_another_fine_is_refused(folder: Path, name: str) -> None:
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    card["files"][name] = "0" * 64
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ModelError, match=r"card\.json cannot be used .*another `fine`.*reinstall"):
        ask(Late(folder, shipped(), budget_s=600), PASSAGES)


@pytest.mark.parametrize("name", ["head.onnx", "compare.onnx", "weights.npy", "card.json"])
def test_a_missing_file_says_to_reinstall(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name} cannot be used .* reinstall"):
        ask(Late(folder, shipped(), budget_s=600), PASSAGES)


@pytest.mark.parametrize("name", ["head.onnx", "compare.onnx", "weights.npy"])
def test_a_changed_byte_is_noticed(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(ModelError, match=rf"{name} cannot be used .* reinstall"):
        Late(folder, shipped(), budget_s=600).prepare(["rook"], shipped())


def test_the_setting_opens_it_and_an_argument_is_refused() -> None:
    settings = build_settings({"models.live_ms": 1250})
    opened = open_reranker("late", settings)
    assert isinstance(opened, Late)
    assert isinstance(opened, Preparing)
    assert opened._budget_s == 1.25
    with pytest.raises(UsageError, match="takes no argument, not 'big'; write `late`"):
        open_late("big", settings)


def test_nothing_is_loaded_before_it_is_used(tmp_path: Path) -> None:
    late = Late(tmp_path / "nowhere", Fine(tmp_path / "neither"), budget_s=1)
    with pytest.raises(ModelError, match="reinstall"):
        _ = late.name


# --- the score --------------------------------------------------------------------------


def test_the_score_is_the_formula_to_the_last_bits_with_the_same_rounding(late: Late) -> None:
    expected = [by_hand(QUESTION, one, rounded=True) for one in PASSAGES]
    assert ask(late, PASSAGES) == pytest.approx(expected, abs=2e-5)


def test_rounding_to_four_bits_moves_a_score_by_little(late: Late) -> None:
    expected = [by_hand(QUESTION, one, rounded=False) for one in PASSAGES]
    scores = ask(late, PASSAGES)
    assert scores == pytest.approx(expected, abs=0.01)
    assert scores != pytest.approx(expected, abs=2e-5)  # or nothing is rounded at all


def test_special_tokens_count_on_neither_side(late: Late) -> None:
    with_them = [by_hand(QUESTION, one, rounded=True, skip=0) for one in PASSAGES]
    assert ask(late, PASSAGES) != pytest.approx(with_them, abs=0.02)
    packed = kept_by(late, PASSAGES)
    assert [len(packed[one.id]) for one in PASSAGES] == [
        BYTES * (count - 2) for count in shipped().count([one.indexed for one in PASSAGES])
    ]


def test_a_rare_word_counts_more_than_a_common_one(late: Late) -> None:
    """With all words alike, the passage that shares only the rare word would stand lower."""
    rare, common = passage_of("lighthouse"), passage_of("it was in the")
    question = "it was in the lighthouse"
    scores = ask(late, [rare, common], question)
    learned = late._loaded
    late._files._loaded = late_module._Learned(
        learned.head, learned.compare, np.ones_like(learned.weights)
    )
    even = ask(late, [rare, common], question)
    assert scores[0] / scores[1] > 1.2 * even[0] / even[1]


def test_the_passage_that_answers_is_first(late: Late) -> None:
    scores = ask(late, PASSAGES)
    assert scores.index(max(scores)) == 0


def test_a_passage_does_not_depend_on_its_neighbours(late: Late) -> None:
    together = ask(late, PASSAGES)
    backwards = ask(late, PASSAGES[::-1])[::-1]
    alone = [ask(late, [one])[0] for one in PASSAGES]
    assert together == pytest.approx(backwards, abs=1e-6)
    assert together == pytest.approx(alone, abs=1e-6)
    batch = kept_by(late, PASSAGES)
    for one in PASSAGES:
        assert nearly(batch[one.id], kept_by(late, [one])[one.id])


def nearly(one: bytes, other: bytes) -> bool:
    """Whether two kept texts differ in no number by more than a last step, and in few at all."""
    if len(one) != len(other):
        return False
    left, right = (np.frombuffer(data, dtype=np.uint8).astype(int) for data in (one, other))
    steps = np.stack([(left >> 4) - (right >> 4), (left & 15) - (right & 15)])
    return bool(np.abs(steps).max() <= 1 and (steps != 0).mean() < 0.01)


def test_no_passages_have_no_scores(late: Late) -> None:
    assert ask(late, []) == []


def test_a_question_without_tokens_prefers_nothing(late: Late) -> None:
    assert ask(late, PASSAGES[:2], "") == [0.0, 0.0]


def test_of_a_passage_without_tokens_there_is_no_opinion(late: Late) -> None:
    empty = passage_of("")
    live = ask(late, [PASSAGES[0], empty])
    late.reads_from(reading(kept_by(late, [PASSAGES[0], empty])))
    assert live[1] is None
    assert ask(late, [PASSAGES[0], empty]) == pytest.approx(live, abs=0.005)


def test_lone_surrogates_are_read(late: Late) -> None:
    odd = passage_of("the rook \udcff takes", "1" * 16)
    scores = ask(late, [odd, PASSAGES[2]], "rook \ud800 takes")
    assert scores[0] > scores[1]
    assert kept_by(late, [odd])[odd.id]


# --- kept and live ----------------------------------------------------------------------


def test_kept_and_live_give_the_same_scores(late: Late) -> None:
    live = ask(late, PASSAGES)
    late.reads_from(reading(kept_by(late, PASSAGES)))
    assert ask(late, PASSAGES) == pytest.approx(live, abs=0.002)


def test_what_is_kept_is_read_and_no_passage_runs_through_the_network(
    late: Late, runs: list[tuple[int, tuple[str, ...]]]
) -> None:
    late.reads_from(reading(kept_by(late, PASSAGES)))
    runs.clear()
    ask(late, PASSAGES)
    assert runs == [(1, ("sentence", "tokens"))]  # the question alone


def test_a_question_that_was_embedded_is_not_encoded_again(
    late: Late, runs: list[tuple[int, tuple[str, ...]]]
) -> None:
    late.reads_from(reading(kept_by(late, PASSAGES)))
    shipped().embed_query(QUESTION)
    runs.clear()
    ask(late, PASSAGES)
    assert runs == []


def test_only_what_is_not_kept_runs_through_the_network(
    late: Late, runs: list[tuple[int, tuple[str, ...]]]
) -> None:
    live = ask(late, PASSAGES)
    late.reads_from(reading(kept_by(late, PASSAGES[:3])))
    runs.clear()
    assert ask(late, PASSAGES) == pytest.approx(live, abs=0.002)
    assert sum(number for number, _ in runs) == 2  # the question was encoded before


def test_another_passage_s_vectors_give_another_score(late: Late) -> None:
    kept = kept_by(late, PASSAGES)
    late.reads_from(reading({**kept, PASSAGES[2].id: kept[PASSAGES[0].id]}))
    scores = ask(late, PASSAGES)
    assert scores[2] == scores[0]


@pytest.mark.parametrize("cut", [1, 47])
def test_what_is_kept_in_a_wrong_size_is_read_live_instead(
    late: Late, runs: list[tuple[int, tuple[str, ...]]], cut: int
) -> None:
    live = ask(late, PASSAGES)
    kept = kept_by(late, PASSAGES)
    kept[PASSAGES[1].id] = kept[PASSAGES[1].id][:-cut]
    late.reads_from(reading(kept))
    runs.clear()
    assert ask(late, PASSAGES) == pytest.approx(live, abs=0.002)
    assert sum(number for number, _ in runs) == 1


def test_with_the_shipped_embedder_one_run_gives_vectors_and_tokens(
    late: Late, runs: list[tuple[int, tuple[str, ...]]]
) -> None:
    assert late.ready(shipped())
    expected = shipped().embed(TEXTS)
    plain, runs[:] = len(runs), []
    vectors, packed = late.prepare(TEXTS, shipped())
    assert len(runs) == plain  # as many as embedding alone
    assert {names for _, names in runs} == {("sentence", "tokens")}
    assert vectors.tolist() == expected.tolist()
    assert all(packed)


def test_another_embedder_s_vectors_are_given_unchanged(
    late: Late, runs: list[tuple[int, tuple[str, ...]]]
) -> None:
    fast = Static(FAST)
    assert not late.ready(fast)
    assert not late.ready(Fine(onnx_embedder.FOLDER))
    vectors, packed = late.prepare(TEXTS, fast)
    assert vectors.tolist() == fast.embed(TEXTS).tolist()
    assert sum(number for number, _ in runs) == len(TEXTS)
    assert packed == late.prepare(TEXTS, shipped())[1]


def test_the_same_text_is_prepared_once_for_all_its_places(
    late: Late, runs: list[tuple[int, tuple[str, ...]]]
) -> None:
    one, two = "rook", "pawn takes"
    vectors, packed = late.prepare([one, two, one], shipped())
    assert sum(number for number, _ in runs) == 2
    assert packed[0] == packed[2] != packed[1]
    assert vectors[0].tolist() == vectors[2].tolist()


def test_a_text_over_the_limit_is_cut_where_another_embedder_let_it_through(late: Late) -> None:
    class Wide(Static):
        limit = 4000  # type: ignore[assignment]

    long, cut = "pawn " * 300, "pawn " * 254
    _, packed = late.prepare([long], Wide(FAST))
    assert len(packed[0]) == BYTES * 254
    live = ask(late, [passage_of(long), passage_of(cut)], "the pawn")
    assert live[0] == pytest.approx(live[1], abs=1e-6)


def test_the_shipped_embedder_s_own_texts_are_refused_over_the_limit(late: Late) -> None:
    with pytest.raises(ModelError, match="257 tokens"):
        late.prepare(["pawn " * 255], shipped())


def test_no_texts_give_nothing_to_keep(late: Late) -> None:
    vectors, packed = late.prepare([], shipped())
    assert (vectors.shape, packed) == ((0, 384), [])


# --- the budget -------------------------------------------------------------------------


class Clock:
    """A clock that each run of the network moves on by so much a token."""

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self.seconds = seconds

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock(1.0)
    loaded = shipped()._loaded

    class Slow:
        def run(self, names: list[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
            clock.now += clock.seconds * feed["input_ids"].size
            return list(loaded.session.run(names, feed))

    monkeypatch.setattr(
        shipped()._files, "_loaded", onnx_embedder._Loaded(Slow(), loaded.tokenizer)
    )
    monkeypatch.setattr(onnx_embedder, "cores", lambda: 1)
    monkeypatch.setattr(onnx_embedder, "time", clock)
    monkeypatch.setattr(late_module, "time", clock)
    return clock


def alike(number: int) -> list[Passage]:
    """Passages of four tokens each, the special ones among them."""
    return [passage_of("rook pawn", f"{place:016x}") for place in range(number)]


def test_passages_beyond_the_budget_get_no_opinion_the_first_come_first(clock: Clock) -> None:
    late = Late(FOLDER, shipped(), budget_s=20)
    scores = ask(late, alike(10), "rook")  # 3 seconds for the question, 4 for each passage
    assert [score is not None for score in scores] == [True] * 4 + [False] * 6
    assert clock.now == 3 + 4 * 4


def test_what_is_kept_costs_nothing_of_the_budget(clock: Clock) -> None:
    late = Late(FOLDER, shipped(), budget_s=20)
    passages = alike(10)
    late.reads_from(reading(kept_by(late, passages[:5])))
    scores = ask(late, passages, "rook")
    assert [score is not None for score in scores] == [True] * 9 + [False]


def test_without_a_budget_there_is_no_opinion_and_the_fused_order_stays_with_a_note() -> None:
    late = Late(FOLDER, shipped(), budget_s=0)
    assert ask(late, PASSAGES) == [None] * len(PASSAGES)
    hits = tuple(Hit(passage=one, score=1 / place) for place, one in enumerate(PASSAGES[::-1], 1))
    after = asyncio.run(rerank(Refined(hits=hits), QUESTION, late, depth=5, blend=0.3))
    assert after.hits == hits
    assert [str(note) for note in after.notes] == [
        f"{late.name}: 5 of 5 passages were not compared word by word: no time, or no words"
    ]


def test_what_is_kept_is_read_without_a_budget() -> None:
    late = Late(FOLDER, shipped(), budget_s=0)
    late.reads_from(reading(kept_by(late, PASSAGES)))
    assert None not in ask(late, PASSAGES)


# --- threads ----------------------------------------------------------------------------


def test_the_event_loop_goes_on_while_passages_are_read(late: Late) -> None:
    """The look-up waits for something that only the loop can do."""
    ticked, threads = threading.Event(), []

    def waiting(ids: Sequence[str]) -> dict[str, bytes]:
        threads.append(threading.current_thread())
        assert ticked.wait(timeout=60)
        return {}

    async def both() -> list[float | None]:
        asyncio.get_running_loop().call_later(0.01, ticked.set)
        return await late.rerank(QUESTION, PASSAGES)

    late.reads_from(waiting)
    assert None not in asyncio.run(both())
    assert threads != [threading.main_thread()]


def test_questions_at_once_get_the_answers_they_get_alone(late: Late) -> None:
    questions = [QUESTION, "granite blocks", "electricity", "a lamp"]

    async def at_once() -> list[list[float | None]]:
        return await asyncio.gather(*(late.rerank(one, PASSAGES) for one in questions))

    for found, question in zip(asyncio.run(at_once()), questions, strict=True):
        assert found == pytest.approx(ask(late, PASSAGES, question), abs=1e-6)
