"""The contract must be able to fail, and the scripted fake must do as it is told."""

import asyncio
import re
from pathlib import Path

import pytest

from consilience.errors import SourceError
from consilience.testing import WORDS, RetrieverContract, Scripted
from consilience.types import Found, Request
from memory_shared import ByWords, Memory

TESTS = [name for name in dir(RetrieverContract) if name.startswith("test_")]


class Contract(RetrieverContract):
    case = WORDS


class Spoiled:
    """The reference, with one promise broken."""

    name, collection = "shelf/spoiled", "shelf"

    def __init__(self, spoil):
        self.inner = Memory("shelf/x", "shelf", passages=WORDS.corpus, rank=ByWords())
        self.spoil = spoil
        self.calls = 0

    async def retrieve(self, request, *, limit):
        self.calls += 1
        return await self.spoil(self, request, limit)


async def backwards(self, request, limit):
    return tuple(await self.inner.retrieve(request, limit=limit))[::-1]


async def too_many(self, request, limit):
    return await self.inner.retrieve(request, limit=99 if limit > 0 else limit)


async def no_filters(self, request, limit):
    return await self.inner.retrieve(Request(text=request.text), limit=limit)


async def never_refuses(self, request, limit):
    return await self.inner.retrieve(request, limit=limit) if limit > 0 else ()


async def twice(self, request, limit):
    found = await self.inner.retrieve(request, limit=limit)
    return (*found[:1], *found)[:limit]


async def always_something(self, request, limit):
    found = await self.inner.retrieve(request, limit=limit)
    return found or (Found("x", 1.0),)


async def changes_its_mind(self, request, limit):
    found = await self.inner.retrieve(request, limit=limit)
    return found[: len(found) - self.calls % 2]


async def ties_as_they_come(self, request, limit):
    found = await self.inner.retrieve(request, limit=limit)
    return sorted(found, key=lambda one: (-one.score, -int(one.id, 16)))


BROKEN = {
    "test_best_first": backwards,
    "test_limit_is_respected": too_many,
    "test_filters_bind": no_filters,
    "test_limit_below_one_is_refused": never_refuses,
    "test_each_id_once": twice,
    "test_no_match_is_empty": always_something,
    "test_the_same_again": changes_its_mind,
    "test_ties_by_id": ties_as_they_come,
}


def test_every_test_of_the_contract_is_broken_below():
    assert sorted(BROKEN) == sorted(TESTS)


@pytest.mark.parametrize("name", TESTS)
def test_each_test_of_the_contract_can_fail(name):
    with pytest.raises(AssertionError):
        getattr(Contract(), name)(Spoiled(BROKEN[name]))


def test_scripted_gives_its_script_and_remembers():
    source = Scripted("c/x", "c", found=[Found("a", 2.0), Found("b", 1.0)])
    request = Request(text="q")
    assert asyncio.run(source.retrieve(request, limit=1)) == (Found("a", 2.0),)
    assert source.asked == [request]


def test_scripted_fails_and_is_late_when_told():
    broken = Scripted("c/x", "c", error=SourceError("down"))
    with pytest.raises(SourceError, match="down"):
        asyncio.run(broken.retrieve(Request(text="q"), limit=1))

    async def impatient():
        slow = Scripted("c/x", "c", delay_s=5.0)
        return await asyncio.wait_for(slow.retrieve(Request(text="q"), limit=1), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())


PAGE = Path(__file__).parents[2] / "docs" / "sources.md"


def test_the_source_in_the_documentation_keeps_the_contract():
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    names = {}
    exec(code, names)
    contract = names["TestTitles"]()
    source = names["Titles"](contract.case.corpus)
    for name in TESTS:
        getattr(contract, name)(source)
