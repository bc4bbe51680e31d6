"""What the tests of stores share: passages of a shelf, and asking a source."""

import asyncio

import numpy as np

from consilience.types import Locator, Passage, Request, passage_id


def make(text, *, kind="text", locator=None, **metadata):
    place = locator or Locator()
    key = passage_id("shelf", kind, "Lens", place, text)
    return Passage(
        id=key, collection="shelf", document="d", kind=kind, title="Lens", text=text,
        locator=place, metadata=metadata,
    )  # fmt: skip


def lookup_in(passages):
    known = {passage.id: passage for passage in passages}
    return lambda ids: {key: known[key] for key in ids if key in known}


def ask(source, limit=10, **request):
    return list(asyncio.run(source.retrieve(Request(**{"text": "", **request}), limit=limit)))


def ones(count):
    return np.ones((count, 2), dtype=np.float32)


class Questions:
    async def get(self, text):
        return np.array([1, 0], dtype=np.float32)


MANY = [make(f"fox {at}") for at in range(1200)]
