"""A real llama.cpp server with a small model plans a trip, or one that is not there does not.

What the model says is not looked at, only what becomes of it: 135 million parameters know little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Literal

import pytest
from modelled_shared import ATLAS, settings, trip_of
from pydantic import BaseModel

from answer.llama_shared import Server, missing, serving
from consilience.packs.travel.trips.modelled import Account, modelled_steps
from consilience.packs.travel.trips.modelled.asking import Asker, Configured, Task, Verdict
from consilience.packs.travel.trips.reckoned import STEPS
from consilience.packs.travel.trips.types import Trip

needs_server = pytest.mark.skipif(bool(missing()), reason=missing())
TEXT = "Two romantic days in Lindow with good food, no hiking"
KEY = "sk-a-key-that-nobody-should-see"


@pytest.fixture(autouse=True)
def _no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


def planned(address: str, **more: object) -> Trip:
    known = {"models.generate_address": address, "answer.retries": 0, "answer.tokens": 250}
    return trip_of(TEXT, modelled_steps(settings(**{**known, **more}), STEPS))


def assert_sound(trip: Trip) -> None:
    assert trip.findings == ()
    assert trip.itinerary is not None
    assert len(trip.itinerary.days) == 2
    used = {one.place for day in trip.itinerary.days for one in (*day.visits, *day.meals)}
    assert used <= ATLAS.places.keys()
    assert trip.wish.avoid.themes == {"hiking"}
    assert sum(trip.wish.themes.values()) == 100
    assert trip.advice is not None
    cited = {passage for tip in trip.advice.safety for passage in tip.passages}
    assert cited <= {one.passage for one in ATLAS.places.values()} | {
        remark.passage for remarks in ATLAS.remarks.values() for remark in remarks
    }


@needs_server
def test_a_small_model_gives_a_sound_trip_and_every_step_that_was_reckoned_is_told(
    server: Server,
) -> None:
    trip = planned(server.address, **{"answer.timeout_s": 4.0})
    assert_sound(trip)
    told = {note.origin for note in trip.notes}
    by_model = {step for step, maker in trip.steps.items() if maker == "openai:small"}
    left_alone = any("not asked again" in note.message for note in trip.notes)
    assert told or by_model
    for step in set(trip.steps) - by_model:
        assert step in told or left_alone, step


class Mood(BaseModel):
    """A word for a trip."""

    word: Literal["quiet", "lively"]


@needs_server
def test_a_server_whose_model_calls_no_tools_fills_in_the_form_alone(server: Server) -> None:
    known = {"models.generate_address": server.address, "answer.retries": 0}
    ours = settings(**known, **{"answer.timeout_s": 300.0})
    account = Account()
    asker = Asker(Configured(ours), account, ours.answer)
    task = Task(
        step="check",
        form=Mood,
        instructions="Say whether the trip is quiet or lively.",
        wish="Two days of bars",
        data={},
        judge=lambda reply: Verdict(reply.word),
        atlas=ATLAS,
        most=40,
    )
    assert asyncio.run(asker.ask(task)) in ("quiet", "lively"), account.notes
    assert account.made["check"] == "openai:small"
    assert account.notes == []


@needs_server
def test_a_server_that_is_too_slow_is_told_and_left_alone(server: Server) -> None:
    trip = planned(server.address, **{"answer.timeout_s": 0.02})
    assert_sound(trip)
    assert set(trip.steps.values()) == {"reckoned"}
    assert [note.origin for note in trip.notes if "did not finish within" in note.message] == [
        "analyse"
    ]


def test_without_a_server_the_trip_is_reckoned_and_says_what_to_do() -> None:
    trip = planned("http://127.0.0.1:9/v1", **{"models.generate_key": KEY})
    assert_sound(trip)
    assert trip.itinerary == trip_of(TEXT, STEPS).itinerary
    assert set(trip.steps.values()) == {"reckoned"}
    said = "\n".join(map(str, trip.notes))
    assert "models.generate_address is right" in said
    assert KEY not in said
