"""What a question asks and nothing tells is said: a way, a fact, a thing, a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from atlas_shared import place_passage, way_passage

from consilience.pack import Reading, Sought
from consilience.packs.travel.refusing.absent import absent
from consilience.packs.travel.refusing.attributes import ATTRIBUTES, asked_facts, fact_of, tells
from consilience.packs.travel.refusing.lacking import lacks
from consilience.packs.travel.refusing.means import asked_way, way_of
from consilience.types import Passage
from consilience.understand.names import Mention

PLACES = {"lindow": "lindow", "aurel": "aurel", "wren": "wren", "tarn lake": "tarn-lake",
          "sandmouth": "sandmouth"}  # fmt: skip
WAYS = [
    way_passage("aurel", "lindow", "bus", 90, 9, source_name="Aurel", target_name="Lindow"),
    way_passage("aurel", "wren", "ferry", 120, 20, source_name="Aurel", target_name="Wren"),
    way_passage("lindow", "sandmouth", "train", 50, 7),
    way_passage("aurel", "sandmouth", "train", 70, 9, overnight=False),
    way_passage("highmere", "sandmouth", "train", 70, 9, overnight=True),
]


def reading(text: str) -> Reading:
    spelt = text.casefold()
    found = (
        Mention(name, "places", "node", "", node) for name, node in PLACES.items() if name in spelt
    )
    return Reading(text=text, mentions=tuple(found))


def told(text: str, key: str = "lindow") -> Passage:
    return replace(place_passage(key, key.title(), "city"), text=text)


def lacking(
    text: str, passages: Sequence[Passage] = (), *, chance: float | None = 0.5
) -> tuple[str, ...]:
    read = reading(text)
    return lacks(
        Sought(
            text=text,
            absent=absent(read),
            first=passages,
            every=[*passages, *WAYS],
            chance=chance,
            placed=bool(read.nodes),
        )
    )


# --- ways ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "How many hours is the ferry from Aurel to Lindow?",
        "Is there a boat to Lindow from Aurel?",
        "Riverboat between Aurel and Lindow, price?",
        "Which catamaran sails from Aurel down the coast to Lindow?",
        "We want to fly from Aurel to Wren, how long is it?",
        "Direct train Aurel to Lindow, how long?",
        "Night train from Aurel to Sandmouth?",
    ],
)
def test_a_means_that_no_connection_has_is_missing(text: str) -> None:
    (said,) = [one for one in lacking(text) if one.startswith("no ")]
    assert "is known here" in said


@pytest.mark.parametrize(
    "text",
    [
        "How long is the bus from Aurel to Lindow?",
        "Is there a boat from Wren to Aurel?",
        "By train from Aurel to Lindow, is that possible with a change?",
        "From Aurel to Lindow but not by boat: how long?",
        "Which boat tours are there around Lindow?",
        "How do I drive from Aurel to Lindow by car?",
    ],
)
def test_a_means_that_goes_or_is_not_wanted_is_not_missing(text: str) -> None:
    assert not [one for one in lacking(text) if one.startswith("no ")]


def test_what_goes_instead_is_told() -> None:
    said = " ".join(lacking("Any ferry from Aurel to Lindow?"))
    assert "no boat between Aurel and Lindow is known here; what goes is bus" in said
    said = " ".join(lacking("Any ferry from Wren to Lindow?"))
    assert "one gets there with a change in Aurel" in said


def test_prose_that_speaks_of_the_way_answers_and_one_that_denies_it_only_whether() -> None:
    yes = told("In summer a boat runs from Aurel to Lindow.")
    no = told("There is no boat from Aurel to Lindow.")
    assert not lacking("Is there a boat from Aurel to Lindow?", [yes])
    assert not lacking("Is there a boat from Aurel to Lindow?", [no])
    assert lacking("When does the boat from Aurel to Lindow leave?", [no])


def test_nothing_is_known_of_places_without_connections() -> None:
    assert not lacking("Is there a ferry from Lindow to Tarn Lake?")


def test_a_way_is_read_again_from_its_identifier() -> None:
    way = asked_way(
        "Direct night train from Aurel to Lindow?",
        reading("Direct night train from Aurel to Lindow?"),
    )
    assert way is not None
    assert way.direct
    assert way.night
    assert way_of(way.identifier) == way
    assert way_of("Zermatt") is None


# --- facts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "silent", "telling"),
    [
        ("How deep is Tarn Lake?", "A lake in the hills.", "The lake is 40 m deep."),
        ("How tall is Lindow's tower?", "A fine tower.", "A tower of 80 metres."),
        ("In which year was Lindow founded?", "An old town.", "Monks came in 1204."),
        ("Which architect designed Lindow?", "A fine town.", "It was designed by nuns."),
        ("What is the population of Lindow?", "Many come.", "It has 9,000 inhabitants."),
        ("What's the phone number of Lindow?", "A town.", "Telephone 0123 456."),
        ("Are dogs allowed in Lindow?", "A town.", "Dogs are welcome."),
        ("When is check-out in Lindow?", "A town.", "Check-out is at ten."),
        ("What did Lindow cost to build?", "It costs 5 EUR.", "It cost two million to build."),
        ("Who directed the Lindow play?", "A fine play.", "A play directed by nuns."),
        ("Who won the Lindow race?", "A fine race.", "It was won by a nun."),
        ("How fast is the lift of Lindow?", "A fine lift.", "It climbs at 30 km/h."),
        ("The names of the tigers in Lindow?", "Two tigers.", "Two tigers named Rex and Ivy."),
        ("How many rooms has Lindow?", "900 EUR for a room.", "It has twelve rooms."),
    ],
)
def test_a_fact_must_be_told_of_the_place(question: str, silent: str, telling: str) -> None:
    key = "tarn-lake" if "Tarn" in question else "lindow"
    (wanted,) = asked_facts(question, [key.replace("-", " ")])
    found = fact_of(wanted)
    assert found is not None
    assert found[0] in ATTRIBUTES
    assert not tells(told(silent, key), wanted)
    assert tells(told(telling, key), wanted)
    assert not tells(told(telling, "wren"), wanted)


def test_a_fact_that_is_not_told_is_said() -> None:
    assert "nothing here tells the depth of Tarn Lake" in lacking("How deep is Tarn Lake?")


def test_a_fact_is_asked_of_the_inner_place() -> None:
    town = told("Nuns designed the town.")
    assert lacking("Who designed the Tarn Lake in Lindow?", [town, told("A lake.", "tarn-lake")])
    assert not lacking("Who designed the fort in Lindow?", [told("A fort, designed by nuns.")])


def test_what_asks_for_no_fact_wants_none() -> None:
    for text in (
        "How long is the bus ride?",
        "When should we visit?",
        "A room for two dogs' owners",
    ):
        assert not list(asked_facts(text, ["lindow"]))


# --- words --------------------------------------------------------------------------------


def test_a_word_that_nothing_tells_refuses_and_a_synonym_or_a_slip_does_not() -> None:
    cash = told("Machines give cash in Lindow. The police are kind; plankton glows.")
    assert lacking("Which nudists meet in Lindow?", [cash])
    assert not lacking("Do the cops in Lindow help?", [cash])
    assert not lacking("Is there glowing plancton in Lindow?", [cash])


def test_one_word_does_not_matter_where_something_very_likely_answers() -> None:
    here = told("The tailor sews linen shirts and wool coats in Lindow.")
    text = "In Lindow, which tailor sews wool coats and linen shirts behind gaiters"
    assert lacking(text, [here], chance=0.03)
    assert not lacking(text, [here], chance=0.5)


def test_a_word_of_circumstance_does_not_matter_where_a_theme_is_told() -> None:
    reef = told("The healthiest reef for divers; beaches with lifeguards.")
    assert not lacking("Zounds, which reef suits a diver in Lindow?", [reef], chance=0.5)
    assert lacking("Zounds, which reef suits a diver in Lindow?", [reef], chance=0.03)
    assert lacking("Where is a fumarole beach in Lindow?", [reef], chance=0.5)


def test_what_is_told_anywhere_is_told_of_the_country() -> None:
    country = replace(
        told("A long country."), metadata={"node": "v", "name": "Lindow", "node_kind": "country"}
    )
    star = told("A dome with a planetarium.", "wren")
    assert lacking("Is there a planetarium in Lindow?", [told("A town."), star])
    assert not lacking("Is there a planetarium in Lindow?", [country, star])


def test_a_word_of_another_place_does_not_tell_of_this_one() -> None:
    jazz = told("Banjo nights all summer.", "wren")
    assert lacking("Who plays the banjo in Lindow?", [jazz])
    assert not lacking("Who plays the banjo in Wren?", [jazz])


def test_what_hardly_anything_is_near_to_is_not_answered() -> None:
    bank = told("A bank changes money.")
    assert lacking("Who pays best?", [bank], chance=0.01) == ("nothing here is about this",)
    assert not lacking("Who pays best?", [bank], chance=0.2)
    assert not lacking("Which romantic corner is best?", [bank], chance=0.01)
    assert not lacking("Which bank pays best?", [bank], chance=0.01)


def test_a_fact_is_told_alone_where_its_word_is_missing_as_well() -> None:
    assert lacking("What is the population of Lindow?", [told("A town.")]) == (
        "nothing here tells the population of Lindow",
    )
