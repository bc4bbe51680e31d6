"""How does an answer reach a page while it is written? As server-sent events, one for each step."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from consilience.errors import ConsilienceError
from consilience.service.bodies import AskedAnswer
from consilience.service.core import Space
from consilience.service.handlers import Handlers
from consilience.service.pages import fragments
from consilience.service.refusals import error_shape, unexpected


async def told_as_events(
    handlers: Handlers, space: Space, asked: AskedAnswer, *, html: bool
) -> AsyncIterator[str]:
    """The events of an answer: searched, drafted, said, withdrawn, done; or an error, the last.

    With `html` each brings what a page shows of it.
    """

    def shown(name: str, found: Mapping[str, Any]) -> str:
        return fragments.shown(name, found, space=space.name, asked=asked)

    try:
        stream = handlers.told(space, asked, shown=shown if html else None)
        async with aclosing(stream) as events:
            async for name, found in events:
                yield event_text(name, found)
    except ConsilienceError as error:
        yield event_text("error", error_shape(type(error).__name__, str(error)))
    except Exception as error:  # noqa: BLE001 - logged, and told as everywhere
        yield event_text("error", unexpected(f"the answer to {asked.query[:100]!r}", error))


def event_text(name: str, found: Mapping[str, Any]) -> str:
    """An event as it is sent."""
    return f"event: {name}\ndata: {json.dumps(found, ensure_ascii=False)}\n\n"
