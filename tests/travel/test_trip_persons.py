"""Names of people are no places, and a joke or a wish that was laughed off is none."""

import pytest
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.places.persons import is_person
from consilience.packs.travel.trips.reading.spoken.joking import in_joke

PERSONS = [
    "Lindow, 3 days. With thanks, *Mwalimu Achieng*",
    "Lindow, 3 days. Cheers, Anna & *Benedetto*",
    "Lindow, 3 days. Kind regards, *Siobhan O'Malley*",
    "*Uncle Kamau*, 58, adores caves. Lindow, 3 days",
    "*Kamau*, 58, adores caves. Lindow, 3 days",
    "My friend *Priya* and I want Lindow, 3 days",
    "Dr *Osei* and his wife, Lindow, 3 days",
    "Hello, my name is *Bartholomew Higgins*, Lindow, 3 days",
    "*Marguerite* here. Lindow, 3 days",
    "*Dear Concierge*, Lindow for 3 days",
    "*Adjoa* (31) and Kwame (34), Lindow, 3 days",
]
PLACES = [
    "a week in *Zembla* and Lindow",
    "*Zembla*, 5 days, then Lindow",
    "Lindow 3, *Zembla* 4, Sandmouth 2",
    "a village called *Zembla*",
    "thanks for a plan to *Zembla* and Lindow, 4 days",
    "we want to climb *Son Baldor*",
    "5 days in Lindow, and we would love *Zembla*",
    "I'm visiting Lindow and *Zembla*, 6 days",
    "a week in *Zembla*, want surf and spa",
    "two friends *Zembla* and Lindow, 6 days",
]
JOKES = [
    "My brother-in-law asked for *skiing*. We laughed, and sent him home. Lindow, 3 days",
    "Dad keeps joking about a *bungee* jump at his age. Lindow, 3 days",
    "Our son wants to ride a *dragon*; we told him no. Lindow, 3 days",
    "Lindow, 3 days. My boss suggested *skydiving*. In his dreams!",
    "Grandpa proposed a *casino* night and was outvoted. Lindow, 3 days",
    "The kids voted for *Disneyland*; they lost. Lindow, 3 days",
    "Lindow, 3 days. My wife asked for *penguins*, ha ha",
    "He teases me with a *shark* dive, but we want Lindow, 3 days",
]
EARNEST = [
    "My wife asked for *skiing*. Lindow, 3 days",
    "No joke: we want *skiing* in Lindow, 3 days",
    "Everyone laughed at us, but we want to *ski* in Lindow",
    "My husband says no chance of *snow*. We want it anyway",
    "Joking aside: we want *skiing* in Lindow",
    "My wife wants *skiing*, and I won't object. Lindow, 3 days",
    "Our kids want *penguins*, no way around it. Lindow, 3 days",
    "We want a *glacier* walk, and my brother will laugh about it",
]
GRANTED = [
    "Dear Concierge, three nights in Lindow, mid-range. With thanks, Mwalimu Achieng",
    "Uncle Kamau, 58, adores gardens. Lindow three nights, he and my aunt.",
    "Lindow, 3 days. He says he will fly to the moon with that kite, please do not plan the moon.",
    "My brother-in-law asked for skiing. We laughed, sent him to Switzerland. Lindow, 3 days.",
    "Lindow, 3 days for four. Zero snow required.",
    "Lindow, 3 days. Cheers, Hymir",
]


def _span(marked: str) -> tuple[str, int, int]:
    before, name, behind = marked.split("*")
    return before + name + behind, len(before), len(before) + len(name)


@pytest.mark.parametrize("marked", PERSONS)
def test_name_of_a_person(marked: str) -> None:
    assert is_person(*_span(marked))


@pytest.mark.parametrize("marked", PLACES)
def test_name_of_no_person(marked: str) -> None:
    assert not is_person(*_span(marked))


@pytest.mark.parametrize("marked", JOKES)
def test_joke(marked: str) -> None:
    text, start, _ = _span(marked)
    assert in_joke(text, start)


@pytest.mark.parametrize("marked", EARNEST)
def test_earnest(marked: str) -> None:
    text, start, _ = _span(marked)
    assert not in_joke(text, start)


@pytest.mark.parametrize("text", GRANTED)
def test_persons_and_jokes_are_granted(text: str) -> None:
    wish = read(text)
    assert wish.unknown == ()
    assert negotiate(wish, velmora(), today=TODAY).compromises == ()


def test_place_of_a_person_who_wants_it_stays_unknown() -> None:
    assert read("Uncle Kamau wants Lindow and Timbuktu, six days. Thanks, Bob").unknown == (
        "Timbuktu",
    )
