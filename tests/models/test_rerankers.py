"""Rerankers on this machine: real cross-encoders where their package is there."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
import sys
import threading
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reranking import make_passage, passages, ranked

from consilience.errors import MissingExtra, ModelError, UsageError
from consilience.models import open_reranker
from consilience.models.onnx_embedder import FOLDER
from consilience.models.rerankers import (
    CrossEncoder,
    load_fastembed,
    load_sentence_transformers,
    open_fastembed,
    open_sentence_transformers,
    open_server,
)
from consilience.settings import build_settings
from consilience.types import Locator

# --- on this machine --------------------------------------------------------------------


class Lengths:
    """A cross-encoder that likes long texts, and remembers what it was given and where."""

    def __init__(self) -> None:
        self.loads = 0
        self.asked: list[tuple[str, list[str]]] = []
        self.threads: set[threading.Thread] = set()

    def load(self) -> Callable[[str, Sequence[str]], np.ndarray]:
        self.loads += 1
        return self.score

    def score(self, text: str, texts: Sequence[str]) -> np.ndarray:
        self.asked.append((text, list(texts)))
        self.threads.add(threading.current_thread())
        return np.array([len(one) for one in texts], dtype=np.float32)


def test_scores_stand_in_the_order_of_the_passages_and_short_texts_are_read_first() -> None:
    model = Lengths()
    head = len("Notes\n")
    assert ranked(CrossEncoder("m", model.load, batch=3)) == [head + n for n in (2, 4, 1, 3)]
    read = [[text.removeprefix("Notes\n") for text in texts] for _, texts in model.asked]
    assert read == [["a", "bb", "ccc"], ["dddd"]]


def test_a_passage_is_read_with_its_title_and_sections() -> None:
    model = Lengths()
    one = make_passage("p", "It fell.", title="Bridges", locator=Locator(section=("Tay",)))
    asyncio.run(CrossEncoder("m", model.load).rerank("why?", [one]))
    assert model.asked == [("why?", ["Bridges › Tay\nIt fell."])]


def test_the_model_is_loaded_once_when_first_used_and_never_runs_on_the_loop() -> None:
    model = Lengths()
    reranker = CrossEncoder("kind:m", model.load)
    assert (reranker.name, model.loads) == ("kind:m", 0)
    assert ranked(reranker, texts=[]) == []
    assert model.loads == 0
    assert ranked(reranker, texts=["a"]) == ranked(reranker, texts=["a"])
    assert model.loads == 1
    assert all(one.daemon and one is not threading.main_thread() for one in model.threads)


def test_a_model_can_be_loaded_ahead() -> None:
    model = Lengths()
    reranker = CrossEncoder("m", model.load)
    reranker.warm()
    assert model.loads == 1
    ranked(reranker)
    assert model.loads == 1


def test_half_a_pair_of_surrogates_is_read_as_a_question_mark() -> None:
    model = Lengths()
    ranked(CrossEncoder("m", model.load), "why \udc80?", ["half \ud83d of one"])
    assert model.asked == [("why ??", ["Notes\nhalf ? of one"])]


def test_what_nobody_waits_for_is_read_no_further() -> None:
    asked: list[int] = []
    started, go_on, read = threading.Event(), threading.Event(), threading.Event()

    def score(_: str, texts: Sequence[str]) -> list[float]:
        asked.append(len(texts))
        started.set()
        go_on.wait(10)
        return [0.0] * len(texts)

    reranker = CrossEncoder("m", lambda: score, batch=1)

    async def give_up() -> None:
        task = asyncio.create_task(reranker.rerank("q", passages()))
        assert await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await reranker._workers.run(read.set)  # its one thread is free again

    asyncio.run(give_up())
    assert read.is_set()
    assert asked == [1]


def fails(_: str, texts: Sequence[str]) -> list[float]:
    raise RuntimeError(f"out of memory at {len(texts)}")


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (fails, r"'m' failed on 4 passages \(RuntimeError: out of memory at 4\); check"),
        (lambda _, texts: [1.0], r"each of 4 passages, but \[1.0\], shape \(1,\); choose"),
        (lambda _, texts: [[1.0, 2.0]] * len(texts), r"shape \(4, 2\); choose"),
        (lambda _, texts: [math.nan] * len(texts), r"one finite number .* \[nan, nan"),
        (lambda _, texts: [math.inf] * len(texts), r"one finite number .* \[inf"),
        (lambda _, texts: ["high"] * len(texts), r"'m' failed on 4 passages \(ValueError"),
        (lambda _, texts: [[1.0], [1.0, 2.0]], r"'m' failed on 4 passages \(ValueError"),
    ],
)
def test_a_model_that_fails_or_answers_nonsense_is_refused(score: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ranked(CrossEncoder("m", lambda: score))


def test_a_model_that_cannot_be_loaded_says_what_to_do_and_is_tried_again() -> None:
    model, trouble = Lengths(), [OSError("no route to the hub")]

    def load() -> Any:
        if trouble:
            raise trouble.pop()
        return model.load()

    reranker = CrossEncoder("m", load)
    with pytest.raises(ModelError, match=r"'m' could not be loaded \(OSError: no route.*folder"):
        ranked(reranker)
    assert ranked(reranker, texts=["a"]) == [7]


# --- fastembed and sentence-transformers ------------------------------------------------


@pytest.fixture
def onnx_folder(tmp_path: Path) -> Path:
    """A cross-encoder for fastembed: the shipped encoder, whose first number is the score."""
    (tmp_path / "onnx").mkdir()
    shutil.copy(FOLDER / "model.onnx", tmp_path / "onnx" / "model.onnx")
    shutil.copy(FOLDER / "tokenizer.json", tmp_path)
    (tmp_path / "config.json").write_text('{"pad_token_id": 0}')
    limits = {"model_max_length": 64, "pad_token": "[PAD]"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(limits))
    return tmp_path


def test_fastembed_scores_each_pair_whatever_stands_beside_it(onnx_folder: Path) -> None:
    pytest.importorskip("fastembed")
    model = "Xenova/ms-marco-MiniLM-L-6-v2"
    texts = ["granite", "A tower on a reef. " * 40, "half \ud83d of one", "oil and glass"]

    def open_with(batch: int) -> CrossEncoder:
        options = {"specific_model_path": str(onnx_folder), "cuda": False}
        return CrossEncoder("m", lambda: load_fastembed(model, **options), batch=batch)

    together, alone = ranked(open_with(8), "why?", texts), ranked(open_with(1), "why?", texts)
    assert together == pytest.approx(alone, abs=0.02)
    assert len(set(together)) == 4
    assert ranked(open_with(8), "who built it?", texts) != pytest.approx(together, abs=0.001)


def test_fastembed_by_name_says_when_it_does_not_know_the_model() -> None:
    pytest.importorskip("fastembed")
    reranker = open_reranker("fastembed:no/such", build_settings({}))
    assert reranker is not None
    assert reranker.name == "fastembed:no/such"
    with pytest.raises(ModelError, match=r"'fastembed:no/such' could not be loaded \(ValueError"):
        ranked(reranker)


@pytest.fixture
def torch_folder(tmp_path: Path) -> Path:
    """A tiny cross-encoder with random weights, saved as sentence-transformers saves them."""
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    pytest.importorskip("torch").manual_seed(7)
    library = pytest.importorskip("transformers")
    tokenizer = library.PreTrainedTokenizerFast(
        tokenizer_file=str(FOLDER / "tokenizer.json"),
        model_max_length=64,
        **{f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "pad", "unk", "mask")},
    )
    config = library.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,
        num_labels=1,
    )
    library.BertForSequenceClassification(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path


def test_sentence_transformers_gives_the_raw_scores_of_a_folder(torch_folder: Path) -> None:
    reranker = open_reranker(f"sentence-transformers:{torch_folder}", build_settings({}))
    texts = ["granite", "A tower on a reef. " * 40, "half \ud83d of one", "oil and glass"]
    found = ranked(reranker, "who built it?", texts)
    library = pytest.importorskip("sentence_transformers")
    encoder = library.CrossEncoder(str(torch_folder), device="cpu")
    read = [f"Notes\n{text}".replace("\ud83d", "?") for text in texts]
    squeezed = encoder.predict([("who built it?", text) for text in read])
    assert 1 / (1 + np.exp(-np.array(found))) == pytest.approx(squeezed, abs=1e-5)
    assert len(set(found)) == 4


def test_sentence_transformers_is_asked_on_the_cpu_for_raw_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its interface, for where it is not installed."""
    seen: dict[str, Any] = {}

    class Identity:
        pass

    class Encoder:
        def __init__(self, model: str, *, device: str) -> None:
            seen.update(model=model, device=device)

        def predict(self, pairs: Any, **options: Any) -> np.ndarray:
            seen.update(pairs=pairs, **options)
            return np.arange(len(pairs), dtype=np.float32)

    library: Any = types.ModuleType("sentence_transformers")
    library.CrossEncoder = Encoder
    torch: Any = types.ModuleType("torch.nn")
    torch.Identity = Identity
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    monkeypatch.setitem(sys.modules, "torch.nn", torch)
    reranker = CrossEncoder("m", lambda: load_sentence_transformers("some/model"))
    assert ranked(reranker, "q", ["a", "bb"]) == [0, 1]
    assert (seen["model"], seen["device"]) == ("some/model", "cpu")
    assert seen["pairs"] == [("q", "Notes\na"), ("q", "Notes\nbb")]
    assert isinstance(seen["activation_fn"], Identity)
    assert seen["show_progress_bar"] is False


@pytest.mark.parametrize(
    ("opener", "package", "kind", "extra"),
    [
        (open_fastembed, "fastembed", "fastembed", "fastembed"),
        (open_sentence_transformers, "sentence_transformers", *["sentence-transformers"] * 2),
        (open_server, "httpx", "server", "rerank-http"),
    ],
)
def test_a_missing_name_or_package_is_told(
    opener: Any, package: str, kind: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=rf"'{kind}' needs a model's name, e.g. `{kind}:\w"):
        opener(" ", build_settings({}))
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(MissingExtra, match=rf"'{kind}:m' needs.*'consilience\[{extra}\]'"):
        opener("m", build_settings({}))
