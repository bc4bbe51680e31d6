"""What nothing here tells of is refused, and what is told of in other words is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from atlas_shared import place_passage

from consilience.pack import Reading
from consilience.packs.travel.refusing.absent import JOIN, WORD, absent, has, topics
from consilience.packs.travel.refusing.strangers import strangers
from consilience.types import Passage
from consilience.understand.names import Mention


def reading(text: str, **places: str) -> Reading:
    """A question and the places it names: the name in the text, and the place it stands for."""
    mentions = tuple(
        Mention(name.replace("_", " "), "places", "node", "", node) for name, node in places.items()
    )
    return Reading(text=text, mentions=mentions)


def named(wanted: Reading) -> tuple[str, ...]:
    """What a question names, without its single words, facts and ways."""
    return tuple(one for one in absent(wanted) if JOIN not in one)


def told(text: str, **fields: str) -> Passage:
    made = place_passage("cove", "The Cove", "activity")
    return replace(made, text=text, metadata={**made.metadata, **fields})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Opening hours of the Rijksmuseum on Mondays?", ("Rijksmuseum",)),
        ("Do I need a visa for Bhutan as a Canadian?", ("Bhutan",)),
        ("Petra Canyon: must I book ahead?", ("Petra Canyon",)),
        ("My wife Helena is vegetarian. Where can we eat?", ()),
        ("The Wandering Gourmet raves about it. Is it worth a visit?", ()),
        ("Can I pay with Mastercard?", ()),
        ("Is the market open on Sunday in May?", ()),
        ("I'm Australian, do I need a visa?", ()),
    ],
)
def test_a_name_that_is_asked_about_must_be_told_of(text: str, names: tuple[str, ...]) -> None:
    assert named(reading(text)) == names


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("What is the number of the dentist in Lindow?", "dentist in lindow"),
        ("How late does the trampoline park in Lindow open?", "trampoline in lindow"),
        ("Where can I eat fondue in Lindow?", "fondue in lindow"),
        ("Which bullfights can you watch in Lindow?", "bullfights in lindow"),
        ("how much is a ride on the canals of Lindow", "canals in lindow"),
        ("Is the submarine tour in Lindow good for kids?", "submarine in lindow"),
        ("Is there a ski lift in Lindow?", "ski lift in lindow"),
    ],
)
def test_what_is_asked_for_in_a_place_must_be_told_of_there(text: str, thing: str) -> None:
    assert named(reading(text, lindow="lindow")) == (thing,)


@pytest.mark.parametrize(
    "text",
    [
        "What can we do in Lindow with a toddler in a pram?",
        "Is there a proper coffee scene in Lindow?",
        "Where can we relax in Lindow?",
        "Which hotel in Lindow is good value?",
        "What's the best time of year in Lindow?",
        "Where should two families stay in Lindow?",
    ],
)
def test_words_that_places_suit_by_theme_need_not_stand_anywhere(text: str) -> None:
    assert absent(reading(text, lindow="lindow")) == ()


def test_a_place_has_other_names_and_what_lies_in_it_tells_of_it() -> None:
    (wanted,) = named(reading("Is there a dentist in Lin?", lin="lindow-town"))
    assert wanted == "dentist in lin or lindow town"
    assert has(told("Two dentists work here.", city="lindow-town"), wanted)
    assert has(told("The dentist of Lin."), wanted)
    assert not has(told("Two dentists work here.", city="aurel"), wanted)
    assert not has(told("A quiet cove.", city="lindow-town"), wanted)


def test_what_is_asked_for_at_a_name_that_only_texts_know_is_asked_for_there() -> None:
    _, ski = named(reading("Can I ski at Greyhorn?"))
    assert has(told("Skiing on the Greyhorn all winter."), ski)
    assert not has(told("Skiing all winter."), ski)


def test_a_long_name_may_be_turned_round_and_a_short_one_may_not() -> None:
    assert has(told("The War Remnants Museum."), "Museum of War Remnants")
    assert not has(told("A long way to Vinh."), "Vinh Long")
    assert not has(told("War, and far from it a museum of what else remnants are."), "War Remnants")


def test_a_slip_of_the_pen_is_no_stranger() -> None:
    assert strangers("hotels in Sand Mouth", {"sandmouth"}) == ()
    assert strangers("hotels in Sandmuth", {"sandmouth"}) == ()
    assert strangers("hotels in Zermatt", {"sandmouth"}) == ("Zermatt",)


def test_of_many_words_without_travel_most_must_stand_together() -> None:
    assert topics(reading("Which bank machines can I trust?")) == ()
    (one,) = topics(reading("how do I get rid of ants behind kitchen shelves"))
    assert one.must
    assert one.names == ("rid ants kitchen shelves",)


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("I'm flying in from London, what should I see first?", "London"),
        ("We live in Sydney. Which beaches suit families?", "Sydney"),
        ("My wife is from Chicago and loves pho: where to eat?", "Chicago"),
    ],
)
def test_where_somebody_comes_from_is_not_what_is_asked_about(text: str, home: str) -> None:
    assert not any(home.casefold() in one.casefold() for one in absent(reading(text)))


def test_a_city_elsewhere_is_not_told_of_in_passing() -> None:
    assert "Paris" in absent(reading("Which museums are there in Paris?"))
    assert not has(told("The villa is called the Paris of the hills."), "Paris")
    assert has(told("Trains to Paris leave daily. In Paris change at Nord."), "Paris")
    assert has(told("A museum.", city="Paris"), "Paris")


def test_a_way_from_elsewhere_is_asked_about() -> None:
    assert "London" in absent(reading("How do I get from London to Lumen?", Lumen="lumen"))


def test_a_word_that_names_something_is_looked_for_and_others_are_not() -> None:
    found = absent(reading("Which gauze did they hang in Lindow, really quietly?", lindow="lindow"))
    words = [one.split(JOIN)[1] for one in found if one.startswith(WORD)]
    assert words == ["gauze"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We loved Lisbon last year. Is there a tower to climb?", "Lisbon"),
        ("I had it in Bali and felt ill. Is the coffee good?", "Bali"),
        ("Is there a little Venice with canals?", "Venice"),
        ("My dad mends clocks back in Coventry. Which museums show clocks?", "Coventry"),
        ("Can we go up by rail the way one goes up to Shimla?", "Shimla"),
    ],
)
def test_a_name_that_is_only_told_of_is_not_asked_about(text: str, name: str) -> None:
    assert not any(name.casefold() in one.casefold() for one in absent(reading(text)))


def test_a_name_in_the_midst_of_a_sentence_is_one_though_the_vocabulary_has_it() -> None:
    assert "Michelin" in named(reading("Which tables in Lindow hold a Michelin star?", lindow="l"))


def test_a_name_that_opens_a_question_is_one_with_a_day_behind_it() -> None:
    assert "Chung Vale Sunday" in named(reading("Chung Vale Sunday market, until when?"))


def test_what_is_asked_before_a_place_is_named_is_not_asked_for_there() -> None:
    found = named(reading("Which hailers work, and does it run in Lindow?", lindow="lindow"))
    assert "hailers" in found


def test_a_country_is_not_told_of_in_passing() -> None:
    assert not has(told("From the ridge one sees Laos."), "Laos")


def test_one_of_many_is_no_name_and_what_people_wrote_is_one() -> None:
    assert "Honda" not in named(reading("Does riding a Honda in Lindow need a permit?", lindow="l"))
    assert "EpiPen" not in named(reading("May I bring my EpiPen to Lindow?", lindow="l"))
    assert "Lindow Rocks" in named(reading("Who sang in the band Lindow Rocks", lindow="l"))


def test_what_is_done_or_how_it_is_names_no_thing() -> None:
    assert not [one for one in named(reading("Are the farms cruel?")) if "cruel" in one]
    harvested = named(reading("When is quince harvested in Lindow?", lindow="l"))
    assert "quince in lindow or l" in harvested


def test_each_rarity_counts_unless_one_of_them_will_do() -> None:
    each = named(reading("Which beach in Lindow has penguins?", lindow="l"))
    assert "penguins in lindow or l" in each
    either = named(reading("Penguins or seals in Lindow?", lindow="l"))
    assert "penguins or seals in lindow or l" in either


def test_a_sum_is_told_nowhere() -> None:
    assert "Sum" in named(reading("How many hats can 3 make if each of 4 needs 50 leaves?"))
    assert "Sum" in named(reading("If a train leaves at 9 doing 80 and one at 10, when?"))
    assert "Sum" not in named(reading("How many days do we need if it rains?"))
