"""The language-model writer: outline, expand, assemble, all through the transcript."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest
from markdown_it import MarkdownIt
from model_shared import PLAN, REPLIES, TEXTS, by_rule, task, write

from consilience.answer import writer
from consilience.answer.task import Log
from consilience.answer.transcript import Transcript
from consilience.answer.writer import loops
from consilience.errors import ModelError
from consilience.protocols import Chunk
from consilience.settings import Answering
from consilience.testing import ScriptedGenerator
from consilience.types import Drafted, Prompt, Said

FIRST, SECOND = REPLIES["expand 1"], REPLIES["expand 2"]


def scripted(**more: Any) -> ScriptedGenerator:
    return ScriptedGenerator(
        {**REPLIES, **{name.replace("_", " "): one for name, one in more.items()}}
    )


def test_sections_stand_under_their_headings_and_a_closing_ends_it() -> None:
    written = write(scripted())
    assert written.text == (
        f"## Towers at sea\n\n{FIRST}\n\n## Lamps and lenses\n\n{SECOND}\n\n"
        "## Taken together\n\nThe Bell Rock tower stands on a reef [1], and its lamp burned "
        "sperm oil [4]."
    )
    assert "".join(written.said) == written.text
    assert [one.mark for one in written.transcript.citations] == [1, 2, 3, 4]
    assert [one.stage for one in written.log.prompts] == [
        "outline",
        "expand 1",
        "expand 2",
        "assemble",
    ]


def test_the_answer_in_brief_opens_it_once_it_is_borne_out() -> None:
    plan = {
        **PLAN,
        "answer": "The Bell Rock tower stands on a reef [Source 1]. It is 99 m high [1].",
    }
    written = write(scripted(outline=json.dumps(plan)))
    assert written.text.startswith("The Bell Rock tower stands on a reef [1].\n\n## Towers")
    assert "99" not in written.text
    assert any(one.value.startswith("99") for one in written.transcript.faults)


def test_the_closing_is_written_from_what_stood_the_check() -> None:
    generator = scripted(expand_1=f"{FIRST} It was 9999 feet high [1].")
    written = write(generator)
    closing = generator.prompts[-1]
    assert closing.stage == "assemble"
    assert FIRST in closing.user
    assert "9999" not in closing.user
    assert "9999" not in written.text
    assert "9999" in written.drafts


def test_a_sentence_that_another_section_said_is_left_out_and_noted() -> None:
    written = write(scripted(expand_2=f"{FIRST.split('.')[0]}. {SECOND}"))
    assert written.text.count("Robert Stevenson built the Bell Rock tower") == 1
    assert "left out, as others say the same: 1" in written.notes


def test_a_missing_mark_is_added_from_the_sources_of_the_section() -> None:
    written = write(scripted(expand_2="Augustin Fresnel arranged prisms in rings around a lamp."))
    assert "Augustin Fresnel arranged prisms in rings around a lamp [3]." in written.text


def test_a_concise_answer_is_one_request_without_headings() -> None:
    generator = ScriptedGenerator({"expand": f"{FIRST} {SECOND}"})
    written = write(generator, task(length="concise"))
    assert written.text == f"{FIRST} {SECOND}"
    assert [one.stage for one in generator.prompts] == ["expand 1"]
    assert all(one.introduced in generator.prompts[0].user for one in task().exhibits)


def test_one_section_has_no_heading_and_no_closing() -> None:
    plan = {"answer": "", "sections": [{"heading": "All", "sources": [1, 2], "point": ""}]}
    generator = ScriptedGenerator({"outline": json.dumps(plan), "expand": FIRST})
    assert write(generator).text == FIRST


def test_one_piece_of_evidence_needs_no_outline() -> None:
    generator = ScriptedGenerator({"expand": "Robert Stevenson built the Bell Rock tower [1]."})
    assert (
        write(generator, task(TEXTS[:1])).text == "Robert Stevenson built the Bell Rock tower [1]."
    )
    assert [one.stage for one in generator.prompts] == ["expand 1"]


def test_lists_and_tables_of_a_model_stand_as_such() -> None:
    text = (
        "Two:\n\n- The Bell Rock tower stands on a reef [1].\n- He dovetailed granite blocks [2].\n"
    )
    written = write(scripted(expand_1=text))
    assert "\n\n- The Bell Rock tower stands on a reef [1].\n\n- He dovetailed" in written.text


def test_the_numbers_of_a_list_are_kept_and_are_no_facts() -> None:
    text = "In order:\n\n7. The tower stands on a reef [1].\n8. He dovetailed granite blocks [2].\n"
    written = write(scripted(expand_1=text, expand_2="9. The tower stands on a reef [1]."))
    assert "\n\n7. The tower stands on a reef [1].\n\n8. He dovetailed" in written.text
    assert "9." not in written.text  # it says what 7 said
    assert {one.check for one in written.transcript.faults} == {"citation"}  # of the opening


# --- drafts -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 50])
def test_marks_are_drafted_whole_and_alone_with_what_they_lead_to(size: int) -> None:
    replies = {**REPLIES, "expand 1": "It stands on a reef [Source 1]. So it was [1, 77]."}
    written = write(ScriptedGenerator(replies, size=size))
    drafts = [one for one in written.events if isinstance(one, Drafted)]
    marks = {one.text: one.citation for one in drafts if one.text.startswith("[")}
    assert set(marks) == {"[1]", "[77]", "[3]", "[4]"}
    assert marks["[77]"] is None
    assert marks["[1]"] is not None
    assert marks["[1]"].passage.text == TEXTS[0]
    assert not [one for one in drafts if "[" in one.text and not one.text.startswith("[")]


@pytest.mark.parametrize("size", [1, 4, 90])
def test_nothing_makes_a_link_of_a_mark_that_was_drafted(size: int) -> None:
    text = "It stands on a reef [1](http://evil.example) and [2]: http://evil.example so.\n\n[1]: x"
    written = write(ScriptedGenerator({**REPLIES, "expand 1": text}, size=size))
    for shown in (written.drafts, written.text):
        assert "](" not in shown.replace("\\[", "")
        assert "]:" not in shown
        assert "<a" not in MarkdownIt().render(shown)


def test_sentences_are_said_while_their_section_is_still_written() -> None:
    written = write(scripted())
    kinds = [type(one) for one in written.events]
    first = next(
        place
        for place, one in enumerate(written.events)
        if isinstance(one, Said) and "Stevenson" in one.text
    )
    assert Drafted in kinds[first + 1 :]
    tail = "".join(one.text for one in written.events[first:] if isinstance(one, Drafted))
    assert "Eddystone" in tail


def test_later_sections_are_read_as_they_come_too() -> None:
    order: list[str] = []

    class Gated:
        """The second section ends only after its first words were read."""

        name = "gated"

        def __init__(self) -> None:
            self.go: asyncio.Event | None = None

        async def generate(self, prompt: Prompt, *, most: int, schema: Any = None) -> Any:
            self.go = self.go or asyncio.Event()
            order.append(prompt.stage)
            if prompt.stage == "expand 2":
                yield Chunk(text="Augustin Fresnel arranged prisms ")
                await asyncio.wait_for(self.go.wait(), 10)
                yield Chunk(text="in rings around a lamp [3].")
            else:
                yield Chunk(text=REPLIES[prompt.stage])

    generator = Gated()

    async def read() -> str:
        asked = task()
        transcript = Transcript(asked.exhibits)
        async for one in writer.write(asked, transcript, generator, Log(), fallback=by_rule):
            if isinstance(one, Drafted) and "Fresnel" in one.text:
                assert generator.go is not None
                generator.go.set()
        return transcript.text

    assert "in rings around a lamp [3]" in asyncio.run(read())
    assert order[:3] == ["outline", "expand 1", "expand 2"]


@pytest.mark.parametrize("parallel", [1, 2, 3])
def test_no_more_sections_are_written_at_a_time_than_set(parallel: int) -> None:
    running, most_seen = 0, 0

    class Counting(ScriptedGenerator):
        async def generate(self, prompt: Prompt, *, most: int, schema: Any = None) -> Any:
            nonlocal running, most_seen
            running += 1
            most_seen = max(most_seen, running)
            try:
                async for one in super().generate(prompt, most=most, schema=schema):
                    yield one
            finally:
                running -= 1

    parts = [
        {"heading": name, "sources": [place], "point": ""} for place, name in enumerate("ABCD", 1)
    ]
    replies = {**REPLIES, "outline": json.dumps({"answer": "", "sections": parts}), "expand": FIRST}
    write(Counting(replies, delay_s=0.001), task(settings=Answering(parallel=parallel)))
    assert most_seen == parallel


# --- the log ----------------------------------------------------------------------------


def test_every_request_is_logged_with_tokens_and_cost() -> None:
    prices = Answering(price_asked=2.0, price_written=10.0)
    log = write(scripted(), task(settings=prices)).log
    assert {one.stage for one in log.calls} == {"outline", "expand 1", "expand 2", "assemble"}
    for one in log.calls:
        assert one.asked > 0
        assert one.written > 0
        assert one.cost == pytest.approx((2.0 * one.asked + 10.0 * one.written) / 1e6)
        assert one.ms > 0
        assert one.error == ""


def test_without_prices_or_counts_there_is_no_cost() -> None:
    assert {one.cost for one in write(scripted()).log.calls} == {None}


def test_retries_are_kept() -> None:
    class Again(ScriptedGenerator):
        async def generate(self, prompt: Prompt, *, most: int, schema: Any = None) -> Any:
            async for one in super().generate(prompt, most=most, schema=schema):
                yield one
            yield Chunk(retries=2)

    assert {one.retries for one in write(Again(REPLIES)).log.calls} == {2}


# --- failures ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "replies",
    [
        {"expand": ModelError("gone")},
        {"expand 2": ModelError("gone")},
        {"expand 2": ["Augustin Fresnel", ModelError("gone")]},
        {"expand 1": [FIRST[:30], ModelError("gone")]},
        {"outline": ModelError("gone"), "expand 1": ModelError("gone")},
    ],
)
def test_a_section_that_fails_ends_the_writing(replies: dict[str, Any]) -> None:
    log = Log()
    kept = {stage: one for stage, one in REPLIES.items() if not stage.startswith(tuple(replies))}
    with pytest.raises(ModelError, match="gone"):
        write(ScriptedGenerator({**kept, **replies}), log=log)
    assert "gone" in {one.error for one in log.calls}


def test_a_later_section_that_fails_stops_the_one_that_is_read() -> None:
    long = " ".join(f"The Bell Rock tower stands on reef number {n} [1]." for n in range(200))
    generator = ScriptedGenerator({**REPLIES, "expand 1": long, "expand 2": ModelError("gone")})
    with pytest.raises(ModelError, match="gone"):
        write(generator)
    assert generator.stopped == ["expand 1"]


def test_an_error_of_a_plug_in_is_a_failure_of_the_model() -> None:
    with pytest.raises(ModelError, match=r"'scripted' failed \(KeyError\('x'\)\)"):
        write(scripted(expand_1=KeyError("x")))


def test_a_closing_that_fails_is_only_noted() -> None:
    written = write(scripted(assemble=ModelError("gone")))
    assert written.text.endswith(SECOND)
    assert "the closing paragraph could not be written: gone" in written.notes


WRONG = "Napoleon Bonaparte bought 4711 elephants in Timbuktu [1]."


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (WRONG, "of 3 statements .* 0 are borne out"),
        ("The Bell Rock [1]", "of 3 statements .* 1 are borne out"),
        (f"{FIRST} " + " ".join(WRONG.replace("4711", str(9000 + n)) for n in range(9)), "of 13 "),
    ],
    ids=["nothing", "a fragment", "one of many"],
)
def test_too_little_borne_out_is_a_failure(first: str, told: str) -> None:
    second, third = WRONG.replace("4711", "815"), WRONG.replace("4711", "333")
    replies = {**REPLIES, "outline": json.dumps({**PLAN, "answer": ""})}
    replies |= {"expand 1": first, "expand 2": second, "assemble": third}
    if first == WRONG:
        replies["outline"] = json.dumps({**PLAN, "answer": WRONG.replace("4711", "5")})
    with pytest.raises(ModelError, match=told):
        write(ScriptedGenerator(replies))


@pytest.mark.parametrize("length", ["concise", "balanced"])
@pytest.mark.parametrize(
    "reply",
    [
        "I do not know.",
        "The evidence does not answer this question.",
        "It is not there. Sorry for that [99].",
    ],
)
def test_an_answer_that_cites_nothing_is_none(reply: str, length: str) -> None:
    plan = json.dumps({**PLAN, "answer": ""})
    generator = ScriptedGenerator({"outline": plan, "expand": reply, "assemble": reply})
    with pytest.raises(ModelError, match="'scripted' found no answer in the evidence: it cites"):
        write(generator, task(length=length))


def test_what_one_section_does_not_find_the_answer_may_say() -> None:
    written = write(scripted(expand_2="The evidence does not say how they were lit."))
    assert "The evidence does not say how they were lit." in written.text
    assert [one.mark for one in written.transcript.citations] == [1, 2, 4]


def test_a_short_answer_is_enough_where_a_short_one_is_wanted() -> None:
    generator = ScriptedGenerator({"expand": "Robert Stevenson [1]."})
    assert write(generator, task(length="concise")).text == "Robert Stevenson [1]."


def test_whoever_stops_reading_stops_all_sections() -> None:
    generator = ScriptedGenerator(REPLIES, delay_s=0.005)
    log = Log()

    async def read() -> None:
        asked = task()
        stream = writer.write(asked, Transcript(asked.exhibits), generator, log, fallback=by_rule)
        async with aclosing(stream):
            async for one in stream:
                if isinstance(one, Drafted) and "Rober" in one.text:
                    break
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(read())
    assert sorted(generator.stopped) == ["expand 1", "expand 2"]
    assert {one.error for one in log.calls} == {"", "stopped before its end"}


def test_cancelling_stops_all_sections() -> None:
    generator = ScriptedGenerator(REPLIES, delay_s=0.005)

    async def read() -> None:
        asked = task()
        stream = writer.write(asked, Transcript(asked.exhibits), generator, Log(), fallback=by_rule)
        begun = asyncio.Event()

        async def consume() -> None:
            async for one in stream:
                if isinstance(one, Drafted) and "Rober" in one.text:
                    begun.set()

        reading = asyncio.create_task(consume())
        await asyncio.wait_for(begun.wait(), 10)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(read())
    assert sorted(generator.stopped) == ["expand 1", "expand 2"]


def test_what_was_cut_off_is_not_said() -> None:
    class Cut(ScriptedGenerator):
        async def generate(self, prompt: Prompt, *, most: int, schema: Any = None) -> Any:
            async for one in super().generate(prompt, most=most, schema=schema):
                yield Chunk(text=one.text, written=most if one.written else 0)

    written = write(Cut({**REPLIES, "expand 2": f"{SECOND} Its light was seen for 35"}))
    assert "Its light" in written.drafts
    assert "Its light" not in written.text


def test_a_model_that_turns_in_a_circle_is_stopped() -> None:
    circle = "The Bell Rock tower stands on a reef, so they say, and it is a tower of stone. "
    generator = ScriptedGenerator({**REPLIES, "expand 2": f"{SECOND} {circle * 500}"})
    written = write(generator)
    assert SECOND in written.text
    assert written.drafts.count("so they say") < 10
    assert {one.stage: one.error for one in written.log.calls}["expand 2"] == (
        "it repeated itself and was stopped"
    )
    assert generator.stopped == ["expand 2"]


def test_a_table_that_is_padded_is_no_circle() -> None:
    row = f"| {'x':70} | {'y':70} |\n"
    assert not loops(row * 9)
    assert loops("The tower stands on a reef, and it is a tower made of stone. " * 9)
