"""What is asked stays, and what is only told around it goes."""

from __future__ import annotations

import pytest

from consilience.packs.travel.refusing.clauses import asking, main_clauses


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("We sledged in Namibia once. Are there dunes?", "Are there dunes?"),
        ("My dad restores cars back in Coventry. Where is the car?", "Where is the car?"),
        ("I am a nurse from Leeds, which beach is quiet?", ", which beach is quiet?"),
        ("Should we be lugging one from Dundee?", "Should we be ?"),
        ("Can a couple from Jakarta eat here?", "Can a eat here?"),
        ("Is it busy like in Rome?", "Is it busy ?"),
        ("What sort of hat... never mind. Where is the fort?", "Where is the fort?"),
        ("Is kopi luwak (weasel coffee) sold?", "Is (weasel coffee) sold?"),
    ],
)
def test_what_is_told_around_a_question_goes(text: str, left: str) -> None:
    assert " ".join(asking(text).split()) == left
    assert len(asking(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Who built the fort in Lindow?",
        "My son loves penguins, where can he see them?",
        "A bridge that spits fire. Which nights?",
        "We are in Rome next week. Which museums are open?",
        "Bungee off the bridge: how far is the drop?",
        "Ferry timetable Aurel to Wren",
        "Can we take the ferry from Aurel?",
        "We loved the fort in Lindow.",
    ],
)
def test_what_is_asked_stays(text: str) -> None:
    assert asking(text) == text


def test_the_first_clause_that_asks_is_the_chief_one() -> None:
    assert main_clauses("Are there banks in Wren or should I fill my purse?").strip() == (
        "Are there banks in Wren"
    )
    assert "endorsement" not in main_clauses("I'm a rider with an endorsement. May I ride here?")


def test_a_clause_of_circumstance_is_not_chief() -> None:
    assert "EpiPen" not in main_clauses("One pupil carries an EpiPen - what about the food?")
