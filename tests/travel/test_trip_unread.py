"""A strong ban that nobody understood is told; a harmless no is not, and a noun is kept."""

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import TODAY, read, velmora

from consilience.packs.travel.trips.negotiating import negotiate
from consilience.packs.travel.trips.reading.bans.banning import noun_told_of, strong_bans

STRONG = [
    "On no account are we to share a lift with strangers.",
    "Nobody may lift him or the chair.",
    "None of us will talk to anybody.",
    "My aunt must never be out of sight of a clock.",
    "Her mother insists that the two never be seen together.",
    "At no point may we be further than 50 metres from a doctor.",
    "I refuse to breathe the same air as anyone else, ever.",
    "No local may see us.",
    "It must not get dark.",
    "My father never leaves the ground floor, not for anything.",
    "We will not sleep on land at all.",
    "In no case will I be woken by a rooster.",
]
HARMLESS = [
    "Can't wait!", "We don't mind early starts.", "I've never been to Velmora.", "Not fussy.",
    "No rush at all.", "No worries if it rains.", "We won't need a car.", "We haven't decided.",
    "Nothing fancy.", "It's lovely, isn't it.", "He will not stop talking about it.",
    "None of us has ever been there.", "Nobody in our family speaks the language.",
    "None of us is in a hurry.", "I will never forget my first time.", "Money is no object.",
    "Without doubt the best time.", "We can't ride motorbikes.", "You cannot go wrong.",
    "We never travel without our camera.", "Must not miss: the Lindow Museum.",
    "It cannot be more than 4 days because of work.", "My boss must never know.",
    "We must not spend more than 2000 euros.", "Nobody will believe we did it.",
    "You must never trust a forecast.", "We can't ever agree, so choose for us.",
    "On no account miss the Lindow Museum.", "Under no circumstances museums!",
    "Under no circumstances do we want to fly.", "Last time nobody was allowed to speak.",
    "Not a single museum please.", "It must not be too hot.",
    "I won't have internet the whole week.",
    "Should it rain, nobody will cry.", "Why not Lindow.", "We won't be able to climb at all.",
    "Everything should be within walking distance.", "None of us drives a motorbike.",
    "The kids mustn't be bored.",
]  # fmt: skip


def told(text, atlas=None):
    atlas = atlas or velmora()
    return negotiate(read(text, atlas), atlas, today=TODAY).compromises


@pytest.mark.parametrize("ban", STRONG)
def test_a_strong_ban_that_nobody_understood_is_told_as_it_was_said(ban):
    found = [one for one in told(f"Four days in Lindow. {ban}") if "not understood" in one.reason]
    assert len(found) == 1
    assert found[0].wanted.strip("'") in ban


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_no_is_silent(text):
    assert not any("not understood" in one.reason for one in told(f"Four days in Lindow. {text}"))


def test_what_another_compromise_speaks_of_is_not_told_twice():
    text = "Four days on the Isle of Wren. Nobody may ever board a boat or a plane."
    assert [one.wanted for one in told(text)] == ["Isle of Wren without boat and flight"]


def test_a_ban_ends_with_its_clause():
    text = "No local may see us, that's non-negotiable. It must not get dark because I am afraid."
    assert [one.said for one in strong_bans(text)] == [
        "No local may see us",
        "It must not get dark",
    ]


def test_a_noun_that_is_ruled_out_leaves_out_who_tells_of_it():
    organ = place_passage(
        "lindow-hall", "Music Hall", "attraction", type="hall", city="lindow", region="coast",
        lat=-30.6, lon=-15.3, offers=("barrel organ",),
    )  # fmt: skip
    atlas = make_atlas(organ)
    wish = read("Four days in Lindow, no barrel organs please", atlas)
    assert wish.avoid.words == {"barrel organs"}
    assert "barrel organs" in wish.avoid.said
    assert noun_told_of(atlas.places["lindow-hall"], wish.avoid.words) == "barrel organs"
    assert not noun_told_of(atlas.places["lindow"], wish.avoid.words)
    assert not read("Four days in Lindow, no zeppelins please", atlas).avoid.words
    assert not read("Four days in Lindow, no rush please", atlas).avoid.words
