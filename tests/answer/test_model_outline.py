"""The outline that a model writes: read, repaired, asked for again, or made by rule."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_shared import PLAN, REPLIES, by_rule, task, write

from consilience.answer import outline
from consilience.errors import ModelError
from consilience.testing import ScriptedGenerator
from consilience.types import Section

GOOD = json.dumps(PLAN)


def plan_of(*sections: dict[str, object], answer: str = "") -> str:
    return json.dumps({"answer": answer, "sections": list(sections)})


def part(heading: str, *sources: object, point: str = "p") -> dict[str, object]:
    return {"heading": heading, "sources": list(sources), "point": point}


def test_a_good_outline_is_taken_as_it_is() -> None:
    plan, repairs = outline.parse(GOOD, task())
    assert repairs == []
    assert plan.opening == PLAN["answer"]
    assert plan.sections[0] == Section(
        heading="Towers at sea", marks=(1, 2), point="how the towers were built"
    )


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{GOOD}\n```",
        f"Sure, here is the plan:\n{GOOD}\nI hope that it helps {{}}.",
        GOOD.replace("]}", "],}").replace("}]", "},]"),
        GOOD[:-2],
        GOOD.replace("[1, 2]", '["[Source 1]", "2"]'),
        GOOD.replace("[1, 2]", '"1, 2"'),
        GOOD.replace("[1, 2]", '["Source 1: Note 7", {"number": 2}]'),
        GOOD.replace("[1, 2]", "[1.0, 2, 2, 17]"),
        GOOD.replace("[1, 2]", "[1, 1e400, -1e400, NaN, 2]"),
        GOOD.replace('"heading"', '"title"'),
        GOOD.replace("Towers at sea", "## 1. Towers\\nat sea: [2]"),
    ],
)
def test_small_things_are_repaired(reply: str) -> None:
    plan, _ = outline.parse(reply, task())
    assert [one.marks for one in plan.sections] == [(1, 2), (3, 4)]
    assert [one.heading for one in plan.sections] == ["Towers at sea", "Lamps and lenses"]


@pytest.mark.parametrize("end", range(60, len(GOOD), 7))
def test_a_reply_that_breaks_off_keeps_what_is_whole_or_is_refused(end: int) -> None:
    try:
        plan, repairs = outline.parse(GOOD[:end], task())
    except ValueError:
        assert end < GOOD.index("[1") + 2
    else:
        assert "the end was missing" in repairs
        assert plan.sections[0].heading == "Towers at sea"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("I cannot do that.", "no JSON object"),
        ('{"plan": 1}', "sections: Field required"),
        ('{"sections": "none"}', "sections: Input should be a valid list"),
        (plan_of(part("A", 99)), "no section names a source"),
        (plan_of(), "no section names a source"),
        ('{"answer" "x"}', "expected `:`"),
        ("{" * 5000, "breaks off"),
        ('{"a":' + "[" * 50_000, "brackets|breaks off"),
        ('{"sections": ' + "[" * 900 + "]" * 900 + "}", "brackets|no section"),
        (plan_of(part("A")).replace("[]", "[" * 900 + "]" * 900), "brackets|no section"),
    ],
)
def test_what_is_no_outline_says_why(reply: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        outline.parse(reply, task())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["sections", "answer", "heading", "title", "sources", "point", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
SECTIONS = st.lists(
    st.fixed_dictionaries({"heading": JSON, "sources": JSON}, optional={"point": JSON}), max_size=7
)


@given(
    st.fixed_dictionaries({"sections": SECTIONS | JSON}, optional={"answer": JSON}) | JSON,
    st.data(),
)
def test_any_reply_is_an_outline_of_what_there_is_or_no_outline(value: object, data) -> None:
    whole = json.dumps(value)
    reply = whole[: data.draw(st.integers(0, len(whole)))] + data.draw(st.sampled_from(["", "]}"]))
    for text in (whole, reply):
        try:
            plan, _ = outline.parse(text, task())
        except ValueError:
            continue
        assert 1 <= len(plan.sections) <= 4
        assert {mark for one in plan.sections for mark in one.marks} <= {1, 2, 3, 4}
        for one in plan.sections:
            assert one.marks
            assert one.heading.strip()
            f"{one.heading}{one.point}{plan.opening}".encode()


@given(st.text(alphabet='{}[]",:\\ 1e9.-ntu/*\n'))
def test_any_letters_are_no_outline_and_say_why(letters: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        outline.parse(letters, task())


def test_half_a_letter_does_not_pass() -> None:
    plan, _ = outline.parse(GOOD.replace("Towers stood", "\\ud83d stood"), task())
    assert plan.opening.encode().startswith(b"? stood")


def test_unknown_sources_and_empty_sections_are_left_out_and_told() -> None:
    reply = plan_of(part("A", 1, 9), part("B", 7), part("", point=""), part("C", 2))
    plan, repairs = outline.parse(reply, task())
    assert [(one.heading, one.marks) for one in plan.sections] == [("A", (1,)), ("C", (2,))]
    assert repairs[:3] == [
        "there is no source 9",
        "there is no source 7",
        "section 'B' names no source",
    ]


def test_sections_of_one_heading_are_one_and_too_many_are_merged() -> None:
    reply = plan_of(*(part(name, 1 + place % 4) for place, name in enumerate("ABACDEFGH")))
    plan, repairs = outline.parse(reply, task())
    assert [(one.heading, one.marks) for one in plan.sections] == [
        ("A", (1, 3)),
        ("B", (2,)),
        ("C", (4,)),
        ("D", (1,)),
        ("E", (2,)),
        ("F", (3, 4, 1)),
    ]
    assert repairs == ["section 'A' stood there 2 times", "8 sections were made 6"]


def test_the_schema_is_closed_and_without_references() -> None:
    schema = outline.schema(task())
    text = json.dumps(schema)
    assert "$ref" not in text
    assert "title" not in text
    assert schema["required"] == ["sections", "answer"]
    assert schema["additionalProperties"] is False
    inner = schema["properties"]["sections"]["items"]
    assert inner["required"] == ["heading", "sources", "point"]
    assert inner["properties"]["sources"]["items"] == {"enum": [1, 2, 3, 4]}


# --- on the way -------------------------------------------------------------------------


def test_the_schema_goes_to_the_model_with_the_outline_only() -> None:
    generator = ScriptedGenerator(REPLIES)
    write(generator)
    assert [one is not None for one in generator.schemas] == [True, False, False, False]
    assert generator.schemas[0] == outline.schema(task())


def test_a_reply_that_cannot_be_read_is_asked_for_once_more_and_told_why() -> None:
    generator = ScriptedGenerator({**REPLIES, "outline": ("No.", GOOD)})
    written = write(generator)
    stages = [one.stage for one in generator.prompts]
    assert stages[:2] == ["outline", "outline again"]
    assert "no JSON object in the reply" in generator.prompts[1].user
    assert "the first reply could not be read" in written.notes
    assert written.log.outline is not None
    assert [one.heading for one in written.log.outline.sections] == [
        "Towers at sea",
        "Lamps and lenses",
    ]


@pytest.mark.parametrize("outline", ["No.", ModelError("gone")])
def test_without_an_outline_sections_are_made_by_rule(outline: str | Exception) -> None:
    generator = ScriptedGenerator({**REPLIES, "outline": outline})
    written = write(generator)
    assert written.log.outline is not None
    assert written.log.outline.sections == by_rule(task()).sections
    assert "gave no outline" in written.notes
    assert "## By rule" in written.text
    assert "A sentence of its own" not in written.text
    tries = [one for one in generator.prompts if one.stage.startswith("outline")]
    assert len(tries) == (2 if outline == "No." else 1)


def test_what_was_repaired_is_noted() -> None:
    generator = ScriptedGenerator({**REPLIES, "outline": GOOD.replace("[1, 2]", "[1, 2, 9]")})
    assert "outline was repaired: there is no source 9" in write(generator).notes
