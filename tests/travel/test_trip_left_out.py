"""Are food that is skipped, long rides, empty purses and texts to write told from wishes?"""

import pytest
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.granting.clashes import _flesh
from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.money.penniless import hardly_anything
from consilience.packs.travel.trips.reading.topics.tasks import is_task

SPARED = [
    "a cooking class where we can skip the meat",
    "None of us eats meat",
    "meat is off the menu for us",
    "everything but meat and fish",
    "we don't eat fish either",
    "tofu instead of beef",
    "leave out the pork please",
    "dishes with the meat left out",
    "a look at the fish market",
    "a cauliflower steak",
    "we gave up meat years ago",
    "swap the pork for tofu",
]
EATEN = [
    "steak dinner every night",
    "can't wait for the seafood feasts",
    "nothing but seafood restaurants",
    "not only tofu but oysters",
]
RIDDEN = [
    "Our club wants to ride our own bikes from Port Aurel to Farpoint, 2 days",
    "tandems from Port Aurel to Farpoint, 2 days",
    "five friends pedalling Port Aurel-Farpoint, 2 days",
    "on two wheels from Port Aurel to Farpoint, 2 days",
    "Port Aurel-Farpoint by bicycle, 2 days",
    "Port Aurel and Farpoint, every kilometre pedalled, 2 days",
    "we bring our bicycles and ride from Port Aurel to Farpoint, 2 days",
    "riding bicycles the whole length of the country, 2 days",
]
NOT_RIDDEN = [
    "bikes for hire in Lindow, 3 days",
    "our motorcycle club rides its own bikes from Port Aurel to Farpoint, 2 days",
    "by train the length of the country, a cycling day in Lindow, 8 days",
    "ride our own bikes from Lindow to Sandmouth, 5 days",
]
EMPTY = [
    "We have no budget at all, literally zero",
    "no budget whatsoever",
    "Budget: literally nothing",
    "we cannot pay a single cent",
    "We can't pay anything.",
    "our piggy bank is empty",
    "we don't have any money at all",
    "I am penniless",
    "four days, nothing to spend",
    "we have absolutely no funds",
]
NOT_EMPTY = [
    "no budget set",
    "budget is no issue",
    "no budget limit",
    "no budget in mind yet",
    "no budget at all in mind",
    "we don't have a budget in mind",
    "we can't pay anything in cash, card only",
    "nothing to spend on souvenirs",
]
TO_WRITE = [
    "Could you write a 30-second intro jingle for my episode on retirement travel?",
    "I have to turn in 800 words on the causes of the war by Thursday, please write it.",
    "My travel vlog on Lindow needs a voice-over",
    "I need a caption for my photo of Lindow",
    "Please do slides on the history of Lindow for my class",
    "Our podcast on Lindow lacks an outro",
    "Make a paper on tourism in Lindow, with sources",
    "My daughter has to hand in a report on Lindow, can you write it?",
    "Compose a short eulogy for my uncle, who loved travelling",
    "The vows for our wedding in Lindow are missing, could you write them?",
    "1,200-word article on Lindow for our members",
]
TO_TRAVEL = [
    "write me a plan for 4 days in Lindow",
    "an essay competition winner wants a week in Lindow",
    "I have to hand in my thesis on Friday, then a week in Lindow",
    "Give us an intro to Lindow in 3 days",
    "plan 4 days in Lindow and please write it for us",
    "we learn 20 words on the way: Lindow, 3 days",
    "make paper lanterns in Lindow, 3 days",
    "water slides for the kids, Sandmouth, 5 days",
    "I write essays for a living: four days in Lindow",
]


@pytest.mark.parametrize("text", SPARED)
def test_meat_that_is_left_out_is_no_wish(text: str) -> None:
    assert not _flesh(text)


@pytest.mark.parametrize("text", EATEN)
def test_meat_that_is_wished_for_clashes_with_a_diet(text: str) -> None:
    told = negotiate(read(f"Vegetarian, Lindow 4 days, {text}"), velmora(), today=TODAY)
    assert any("diet" in one.wanted for one in told.compromises)


@pytest.mark.parametrize("text", RIDDEN)
def test_a_ride_too_long_for_the_days_is_told(text: str) -> None:
    told = negotiate(read(text), velmora(), today=TODAY)
    assert any("km" in one.reason for one in told.compromises)


@pytest.mark.parametrize("text", NOT_RIDDEN)
def test_bikes_within_reach_or_with_an_engine_are_not(text: str) -> None:
    told = negotiate(read(text), velmora(), today=TODAY)
    assert not any("km" in one.reason for one in told.compromises)


@pytest.mark.parametrize("text", EMPTY)
def test_a_purse_of_nothing_is_read(text: str) -> None:
    found = hardly_anything(text)
    assert found is not None
    assert found[0] == 0


@pytest.mark.parametrize("text", NOT_EMPTY)
def test_a_budget_left_open_is_no_empty_purse(text: str) -> None:
    assert hardly_anything(text) is None


@pytest.mark.parametrize("text", TO_WRITE)
def test_a_text_to_write_is_a_task(text: str) -> None:
    assert is_task(text, length=False)


@pytest.mark.parametrize("text", TO_TRAVEL)
def test_a_trip_that_speaks_of_writing_is_none(text: str) -> None:
    assert not is_task(text, length=True)
