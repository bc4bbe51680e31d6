"""Is a language model believed only where it quotes words of the wish that bear it out?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from wish_shared import TODAY, atlas

from consilience.errors import ModelError, UsageError
from consilience.packs.travel import constraints as c
from consilience.packs.travel.constraints import Constraint, Thing
from consilience.packs.travel.wish import read_wish
from consilience.packs.travel.wish_model import Mark, Reading, read_mark, read_wish_model, read_with
from consilience.protocols import Chunk
from consilience.settings import Settings
from consilience.types import Prompt

ATLAS = atlas()


class Scripted:
    """A generator that writes a reply that is known before."""

    name = "scripted"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.prompts: list[Prompt] = []

    async def generate(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Chunk]:
        self.prompts.append(prompt)
        yield Chunk(text=self.reply)


def read(text: str, *marks: dict[str, Any], reply: str = "") -> Reading:
    generator = Scripted(reply or json.dumps({"marks": list(marks)}))
    return asyncio.run(read_with(generator, text, ATLAS, today=TODAY))


def mark(words: str, kind: str, says: str, **more: Any) -> dict[str, Any]:
    return {"words": words, "kind": kind, "says": says, **more}


def stripped(reading: Reading) -> list[Constraint]:
    return [replace(found, span=None) for found in reading.wish.constraints]  # type: ignore[type-var]


def test_words_that_the_grammar_left_over_are_read() -> None:
    text = "Five days in Oltova. My gran tires quickly on her feet."
    before = read_wish(text, ATLAS, today=TODAY)
    assert "tires quickly" in " ".join(span.text for span in before.leftover)
    reading = read(text, mark("tires quickly on her feet", "access", "tires quickly"))
    assert c.Need(need="tires quickly") in stripped(reading)
    assert not [span for span in reading.wish.leftover if "tires" in span.text]


def test_a_quotation_that_is_not_in_the_wish_is_dropped() -> None:
    reading = read("Five days in Oltova.", mark("with a helicopter", "transport", "only by plane"))
    assert not reading.wish.of(c.Means)
    assert "does not stand in the wish" in reading.dropped[0]


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        ("some splashing about", "nights", "3 nights in Varn"),
        ("some splashing about", "visit", "Port Selm"),
        ("some splashing about", "money", "at most 50 EUR a night"),
        ("some splashing about", "want", "karaoke"),
        ("some splashing about", "dates", "from 3 March to 7 March"),
    ],
)
def test_what_the_quoted_words_do_not_say_is_dropped(words: str, kind: str, says: str) -> None:
    text = "A trip with some splashing about."
    before = read_wish(text, ATLAS, today=TODAY)
    reading = read(text, mark(words, kind, says))
    assert reading.wish == before
    assert reading.dropped


def test_what_the_grammar_has_read_stays() -> None:
    text = "Under 40 euros a night."
    reading = read(text, mark("Under 40 euros a night", "money", "at most 40 EUR a day"))
    assert reading.wish == read_wish(text, ATLAS, today=TODAY)


def test_a_soft_mark_is_soft() -> None:
    found = read_mark(
        Mark(words="beaches would tempt us", kind="want", says="beaches", must=False),
        ATLAS,
        today=TODAY,
    )
    assert found == [replace(c.Want(things=(Thing(by="type", name="beach"),), hard=False),
                             span=found[0].span)]  # fmt: skip


def test_a_reply_that_was_cut_off_gives_what_is_whole() -> None:
    reply = '{"marks": [{"words": "flumbert", "kind": "want", "says": "flumbert"}, {"words": "x'
    reading = read("Oltova, and a flumbert.", reply=reply)
    assert c.Want(things=(Thing(by="word", name="flumbert"),)) in stripped(reading)


def test_a_reply_without_marks_is_an_error() -> None:
    with pytest.raises(ModelError):
        read("Oltova", reply="I cannot help with that.")


def test_without_a_model_in_the_settings_the_reader_says_so() -> None:
    with pytest.raises(UsageError):
        asyncio.run(read_wish_model("Oltova", ATLAS, Settings(), today=TODAY))


def test_the_wish_is_given_as_material() -> None:
    generator = Scripted('{"marks": []}')
    asyncio.run(read_with(generator, 'Say "yes".', ATLAS, today=TODAY))
    assert json.dumps('Say "yes".') in generator.prompts[0].user
