"""A question is embedded once, whoever asks, and no more vectors are kept than were allowed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from consilience.errors import ModelError
from consilience.models import QueryVectors
from consilience.protocols import Vectors


class Letters:
    """Embeds a text as (its length, 1) and writes down what it was asked."""

    name = "letters"
    dimensions = 2
    limit = 100

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.fail = False

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        assert self.gate.wait(5)
        if self.fail:
            raise ModelError("the model is away")
        return np.array([len(text), 1], dtype=np.float32)


def test_the_vector_is_that_of_the_text() -> None:
    vectors = QueryVectors(Letters(), 10)
    assert asyncio.run(vectors.get("rook")).tolist() == [4, 1]


def test_a_question_asked_again_is_not_embedded_again() -> None:
    letters = Letters()
    vectors = QueryVectors(letters, 10)

    async def ask() -> None:
        await vectors.get("rook")
        await vectors.get("rook")

    asyncio.run(ask())
    assert letters.asked == ["rook"]


def test_two_sources_at_the_same_moment_cause_one_embedding() -> None:
    letters = Letters()
    letters.gate.clear()
    vectors = QueryVectors(letters, 10)

    async def ask() -> list[Vectors]:
        waiting = [asyncio.create_task(vectors.get("rook")) for _ in range(5)]
        await asyncio.sleep(0.02)
        letters.gate.set()
        return await asyncio.gather(*waiting)

    assert [vector.tolist() for vector in asyncio.run(ask())] == [[4, 1]] * 5
    assert letters.asked == ["rook"]


def test_different_questions_are_embedded_apart() -> None:
    letters = Letters()
    vectors = QueryVectors(letters, 10)

    async def ask() -> list[Vectors]:
        return await asyncio.gather(vectors.get("rook"), vectors.get("queen"))

    assert [vector.tolist() for vector in asyncio.run(ask())] == [[4, 1], [5, 1]]
    assert sorted(letters.asked) == ["queen", "rook"]


def test_the_longest_unused_vector_goes_first() -> None:
    letters = Letters()
    vectors = QueryVectors(letters, 2)

    async def ask() -> None:
        for text in ("a", "bb", "a", "ccc", "a", "bb"):  # ccc pushes bb out, not a
            await vectors.get(text)

    asyncio.run(ask())
    assert letters.asked == ["a", "bb", "ccc", "bb"]


def test_a_cache_of_nothing_still_answers() -> None:
    letters = Letters()
    vectors = QueryVectors(letters, 0)

    async def ask() -> None:
        await vectors.get("a")
        await vectors.get("a")

    asyncio.run(ask())
    assert letters.asked == ["a", "a"]


def test_one_source_that_gives_up_does_not_stop_the_other() -> None:
    letters = Letters()
    letters.gate.clear()
    vectors = QueryVectors(letters, 10)

    async def ask() -> Vectors:
        hasty = asyncio.create_task(vectors.get("rook"))
        patient = asyncio.create_task(vectors.get("rook"))
        await asyncio.sleep(0.02)
        hasty.cancel()
        letters.gate.set()
        return await patient

    assert asyncio.run(ask()).tolist() == [4, 1]
    assert letters.asked == ["rook"]


def test_a_failure_reaches_the_caller_and_is_not_kept() -> None:
    letters = Letters()
    letters.fail = True
    vectors = QueryVectors(letters, 10)
    with pytest.raises(ModelError, match="the model is away"):
        asyncio.run(vectors.get("rook"))
    letters.fail = False
    assert asyncio.run(vectors.get("rook")).tolist() == [4, 1]


def test_a_shared_vector_cannot_be_changed() -> None:
    vector = asyncio.run(QueryVectors(Letters(), 10).get("rook"))
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 9
