"""What a model thinks aloud: forgotten where only the end of the thought can be seen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_shared import PLAN, REPLIES, task, write

from consilience.answer.writer import Thinking, after
from consilience.errors import ModelError
from consilience.testing import ScriptedGenerator

THOUGHT = "Who built the tower on the reef is asked, and 1 may help"
FIRST, SECOND = REPLIES["expand 1"], REPLIES["expand 2"]


def given_by(text: str, size: int) -> list[str | None]:
    thinking = Thinking()
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return [*(one for part in parts for one in thinking.take(part)), *thinking.end()]


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize("end", ["</think>", "</thinking>", "\n</think>\n\n"])
def test_what_came_before_the_end_of_a_thought_is_forgotten(size: int, end: str) -> None:
    found = given_by(f"{THOUGHT}{end}Hello <b>.", size)
    last = len(found) - found[::-1].index(None)
    assert "".join(one or "" for one in found[last:]).strip() == "Hello <b>."
    assert after(f"{THOUGHT}{end}Hello <b>.") == "Hello <b>."


@given(st.text(alphabet="</thinkg> `a", max_size=40), st.integers(1, 9))
def test_nothing_else_is_lost_or_held_back_to_no_end(text: str, size: int) -> None:
    found = given_by(text, size)
    if None in found:
        assert after(text) != text
    else:
        assert "".join(one or "" for one in found) == text


def test_an_end_that_is_quoted_is_none() -> None:
    text = "A thought ends with `</think>` there."
    for size in (1, 3, 20, 99):
        assert "".join(one or "?" for one in given_by(text, size)) == text


def scripted(size: int = 5, **more: Any) -> ScriptedGenerator:
    named = {name.replace("_", " "): one for name, one in more.items()}
    return ScriptedGenerator({**REPLIES, **named}, size=size)


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("length", ["concise", "balanced", "in-depth"])
def test_the_answer_begins_after_the_thought(size: int, length: str) -> None:
    plan = f'A plan like {{"sections": []}}?</think>{json.dumps(PLAN)}'
    more = {one: f"{THOUGHT}</think>\n\n{REPLIES[one]}" for one in ("expand 1", "expand 2")}
    closing = f"{THOUGHT}. Really. So it is.</think>\n\n{REPLIES['assemble']}"
    generator = scripted(size, outline=plan, **more, assemble=closing)
    written = write(generator, task(length=length))
    plain = write(scripted(), task(length=length))
    assert written.text == plain.text
    assert FIRST in written.text
    assert "outline again" not in {one.stage for one in generator.prompts}


def test_a_thought_that_nobody_read_yet_leaves_no_draft() -> None:
    """The second section is written while the first is read."""
    thought = f"{THOUGHT}. The lamp is bright. So much for it.</think>\n\n"
    first = " ".join(f"The Bell Rock tower stands on a reef, they say {n} times [1]." for n in "ab")
    written = write(scripted(expand_1=f"{FIRST} {first}", expand_2=thought + SECOND))
    assert SECOND in written.text
    assert "may help" not in written.drafts


def test_a_thought_that_was_said_already_ends_the_writing_with_advice() -> None:
    thought = f"{THOUGHT}. It stands on a reef. Let me see.</think>"
    with pytest.raises(ModelError, match=r"'scripted' thought aloud .* --reasoning-parser"):
        write(scripted(expand_1=thought + FIRST))
