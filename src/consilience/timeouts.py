"""How long is an answer waited for? Until a deadline; whatever goes wrong becomes a reason."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from consilience.errors import ConsilienceError

Answer = TypeVar("Answer")


async def within(ms: float, work: Awaitable[Answer]) -> tuple[Answer | None, str]:
    """The answer and no reason, or none and why not: a plug-in may raise anything.

    Only when the question itself is given up is that passed on.
    """
    deadline = asyncio.timeout(ms / 1000)
    try:
        async with deadline:
            return await work, ""
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return None, f"{type(error).__name__}: {error}"
    except (Exception, SystemExit) as error:  # noqa: BLE001
        if deadline.expired():  # a TimeoutError may also be its own
            return None, f"no answer within {ms:g} ms"
        known = isinstance(error, ConsilienceError)
        return None, str(error) if known else f"{type(error).__name__}: {error}"
