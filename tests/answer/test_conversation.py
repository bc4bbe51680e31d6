"""Is a follow-up understood after what was said, and a question that stands alone left alone?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from consilience.answer.conversation import complete_by_rule, complete_question, leans, topic_of
from consilience.testing import ScriptedGenerator
from consilience.types import Query, Turn
from consilience.workspace import Workspace

BUILT = "Who built the tower on the Bell Rock?"


@pytest.mark.parametrize(
    ("question", "last", "completed"),
    [
        ("When was it lit?", BUILT, "When was it (Bell Rock) lit?"),
        ("and in 2023?", "What was the revenue in 2022?", "What was the revenue in 2023?"),
        ("und 1861?", "Wie hoch waren die Einnahmen 1860?", "Wie hoch waren die Einnahmen 1861?"),
        (
            "What about Skerryvore?",
            "Which stone has Eddystone?",
            "Which stone has Skerryvore?",
        ),
        ("why?", "Does gradient clipping help?", "Does gradient clipping help? why?"),
        ("and the height?", BUILT, "and the height (Bell Rock)?"),
        (
            "Why do they call it a hack?",
            "What is gradient clipping?",
            "Why do they (gradient clipping) call it a hack?",
        ),
    ],
)
def test_a_follow_up_takes_what_it_leaves_out(question: str, last: str, completed: str) -> None:
    assert leans(question)
    assert complete_by_rule(question, last) == completed


@pytest.mark.parametrize(
    "question",
    [
        "Which allergens are in the regatta soup, and is it vegan?",
        "Who built the Skerryvore lighthouse?",
        "How does multistage sampling differ from cluster sampling?",
        "¿Qué es la regresión logística ordinal?",
    ],
)
def test_a_question_that_stands_alone_is_asked_as_it_is(question: str) -> None:
    assert not leans(question)


def test_the_topic_is_the_names_or_the_longest_run_of_telling_words() -> None:
    assert topic_of("Is Smeaton older than Robert Stevenson?") == "Smeaton and Robert Stevenson"
    assert topic_of("How do I use isotonic calibration with trees?") == "isotonic calibration"


def completed_by(reply: str, question: str = "When was it lit?") -> str:
    query = Query(text=question, history=(Turn(question=BUILT, answer="Robert Stevenson [1]."),))
    return asyncio.run(complete_question(query, ScriptedGenerator(lambda prompt: reply)))


def test_a_model_completes_in_the_words_of_the_conversation() -> None:
    wanted = "When was the tower on the Bell Rock lit?"
    assert completed_by(wanted) == wanted
    assert completed_by(f"Question: “{wanted}”") == wanted


@pytest.mark.parametrize(
    "reply", ["It was lit in 1811.", "When was Skerryvore lit?", "Who built the tower?", ""]
)
def test_a_model_that_answers_adds_or_drops_is_not_believed(reply: str) -> None:
    assert completed_by(reply) == "When was it (Bell Rock) lit?"


def test_a_conversation_carries_on(opened: Callable[..., Workspace], evidence: Path) -> None:
    space = opened(**{"refine.floor": 0})
    space.add([evidence])
    conversation = space.conversation()
    first = conversation.ask(BUILT)
    second = conversation.ask("When was it lit?")
    assert first.result.query.text == BUILT
    assert second.result.query.text == "When was it (Bell Rock) lit?"
    assert "understood as: When was it (Bell Rock) lit?" in {one.message for one in second.notes}
    assert [turn.question for turn in conversation.turns] == [BUILT, second.result.query.text]
