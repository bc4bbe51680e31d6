"""An answer, or a reason: whatever a plug-in raises, and however long it takes."""

from __future__ import annotations

import asyncio

import pytest

from consilience.errors import SourceError
from consilience.timeouts import within


async def answers() -> int:
    return 7


async def raises(error: BaseException) -> int:
    raise error


async def waits() -> int:
    await asyncio.sleep(30)
    return 7


def test_an_answer_has_no_reason() -> None:
    assert asyncio.run(within(1000, answers())) == (7, "")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SourceError("down; start it"), "down; start it"),
        (ValueError("odd"), "ValueError: odd"),
        (TimeoutError("its own"), "TimeoutError: its own"),
        (asyncio.CancelledError("its own"), "CancelledError: its own"),
    ],
)
def test_what_is_raised_becomes_a_reason(error: BaseException, reason: str) -> None:
    assert asyncio.run(within(1000, raises(error))) == (None, reason)


def test_what_takes_too_long_is_given_up() -> None:
    assert asyncio.run(within(20, waits())) == (None, "no answer within 20 ms")


def test_a_question_that_is_given_up_is_not_swallowed() -> None:
    async def ask() -> None:
        task = asyncio.create_task(within(60_000, waits()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ask())
