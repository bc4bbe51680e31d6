"""Which places does a wish name, and what for?"""

import pytest
from atlas_shared import make_atlas, place_passage
from wishes_shared import quillas, read

from consilience.packs.travel.trips.reading import spelling

CITIES = {
    "a week in Lindow": ("lindow",),
    "five days in Lindow, Sandmouth and Port Aurel": ("lindow", "sandmouth", "aurel"),
    "Lindow then Sandmouth, a week": ("lindow", "sandmouth"),
    "I want to visit Highmere and Old Tarn, five days": ("highmere", "old-tarn"),
    "3 nights in Lindow": ("lindow",),
    "sandmouth for 4 days with kids": ("sandmouth",),
    "Old Tarn - Brackwell - Port Aurel in a week": ("old-tarn", "brackwell", "aurel"),
    "a trip including the Isle of Wren": ("wren",),
    "PORT AUREL, 3 days": ("aurel",),
    "portaurel for a weekend": ("aurel",),
    "must see Farpoint, a week": ("farpoint",),
    "do not miss Farpoint, a week": ("farpoint",),
    "not only Lindow but also Sandmouth, a week": ("lindow", "sandmouth"),
    "a week in Velmora": (),
}


@pytest.mark.parametrize("text", CITIES)
def test_cities_are_read_in_their_order(text):
    wish = read(text)
    assert wish.cities == CITIES[text]
    assert wish.must[: len(wish.cities)] == CITIES[text]
    assert wish.unknown == ()


def test_sights_are_musts_and_no_cities():
    wish = read("a week, must see the Lindow Museum and Port Aurel Old Fort")
    assert wish.must == ("lindow-museum", "aurel-old-fort")
    assert wish.cities == ()


def test_a_day_trip_goes_to_a_city_without_a_night():
    wish = read("four days in Port Aurel with a day trip to Brackwell")
    assert wish.cities == ("aurel",)
    assert wish.must == ("aurel", "brackwell")


LEFT_OUT = {
    "a week, skip Lindow": {"lindow"},
    "a week, not Lindow": {"lindow"},
    "a week without Lindow or Sandmouth": {"lindow", "sandmouth"},
    "a week anywhere but Port Aurel": {"aurel"},
    "a week, we have already been to Lindow and Old Tarn": {"lindow", "old-tarn"},
    "a week in Sandmouth instead of Lindow": {"lindow"},
    "a week, I don't want to go to Farpoint": {"farpoint"},
    "a week, please avoid Highmere": {"highmere"},
    "everything except Brackwell, two weeks": {"brackwell"},
    "a week, no Lindow Museum": {"lindow-museum"},
    "a week, but not the Hills": {"hills", "highmere", "old-tarn", "brackwell"},
}


@pytest.mark.parametrize("text", LEFT_OUT)
def test_places_that_are_not_wanted_are_left_out(text):
    wish = read(text)
    assert wish.avoid.places == LEFT_OUT[text]
    assert not LEFT_OUT[text] & {*wish.cities, *wish.must}


ENDS = {
    "a week starting in Port Aurel and flying out of Farpoint": ("aurel", "farpoint"),
    "round trip from Port Aurel, a week": ("aurel", "aurel"),
    "from Lindow to Highmere in five days": ("lindow", "highmere"),
    "Lindow to Highmere in five days": ("lindow", "highmere"),
    "a week, arriving in Port Aurel, leaving from Sandmouth": ("aurel", "sandmouth"),
    "a week ending in Lindow": ("", "lindow"),
    "we land in Port Aurel and finish in Old Tarn, a week": ("aurel", "old-tarn"),
    "a week starting and ending in Brackwell": ("brackwell", "brackwell"),
    "fly into Port Aurel, fly home from Farpoint, ten days": ("aurel", "farpoint"),
    "start in Port Aurel and return to Port Aurel, a week": ("aurel", "aurel"),
    "five days from Lindow": ("lindow", ""),
    "a journey from Sandmouth up to Old Tarn, ten days": ("sandmouth", "old-tarn"),
    "fly into Port Aurel, out of Farpoint, a week": ("aurel", "farpoint"),
    "a week of food": ("", ""),
}


@pytest.mark.parametrize("text", ENDS)
def test_the_ends_are_read(text):
    wish = read(text)
    assert (wish.start, wish.end) == ENDS[text]


def test_an_end_that_is_left_again_is_gone_to():
    wish = read("from Port Aurel to Lindow and Sandmouth and back to Port Aurel, a week")
    assert (wish.start, wish.end) == ("aurel", "aurel")
    assert set(wish.cities) == {"lindow", "sandmouth"}


def test_what_lies_between_the_ends_is_to_be_gone_to():
    wish = read("from Port Aurel via Lindow to Sandmouth, a week")
    assert (wish.start, wish.end, wish.cities) == ("aurel", "sandmouth", ("lindow",))


REGIONS = {
    "a week in the Hills": "hills",
    "a week on the Coast": "coast",
    "a week in Outer Velmora": "outer",
    "a week of food": "",
}


@pytest.mark.parametrize("text", REGIONS)
def test_the_region_is_read(text):
    assert read(text).region == REGIONS[text]


@pytest.mark.parametrize(
    "text",
    [
        "a week in the north",
        "a week in northern quillas",
        "explore the north for a week",
        "family trip north, a week",
    ],
)
def test_a_region_is_found_by_the_compass(text):
    assert read(text, quillas()).region == "northern-quillas"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a week in Lindwo", "lindow"),
        ("Sandmuth for a week", "sandmouth"),
        ("a week in Port Arel", "aurel"),
        ("a week in hihgmere", "highmere"),
        ("see the Lindow Musem, a week", "lindow-museum"),
    ],
)
def test_typing_errors_are_read_and_told(text, place, monkeypatch):
    for library in (True, False):
        if not library:
            monkeypatch.setitem(__import__("sys").modules, "rapidfuzz.fuzz", None)
        spelling._ratio.cache_clear()
        wish = read(text)
        assert wish.must == (place,)
        assert any("read '" in one for one in wish.assumed)
    monkeypatch.undo()
    spelling._ratio.cache_clear()


def test_ordinary_words_are_names_only_where_they_stand_as_such():
    assert read("a nice week with good food", quillas()).must == ()
    assert read("a week in Nice with good food", quillas()).must == ("nice",)
    assert read("a week in nice, good food", quillas()).must == ("nice",)
    assert read("five days of old town strolls", quillas()).must == ()
    assert read("five days, see the Old Town", quillas()).must == ("old-town",)


def test_accents_and_other_names_are_the_same_place():
    for text in ("a week on Ile Doree", "a week on Île Dorée", "a week on the Golden Isle"):
        assert read(text, quillas()).cities == ("ile-doree",)


def test_a_name_that_two_places_have_is_that_of_a_city_in_the_wish():
    assert read("Nice and the Central Market, 3 days", quillas()).must == (
        "nice",
        "nice-central-market",
    )
    wish = read("see the Central Market, 3 days", quillas())
    assert wish.must == ("kepala-central-market",)
    assert any("more have that name" in one for one in wish.assumed)


UNKNOWN = {
    "a week in Paris": ("Paris",),
    "a week in paris": ("paris",),
    "four days in Lindow and Luang Prabang": ("Luang Prabang",),
    "trip to Bangkok, 5 days": ("Bangkok",),
    "visit Xanadu and Lindow, a week": ("Xanadu",),
    "from Narnia to Lindow in a week": ("Narnia",),
    "ten days in Lindow, Mordor and Sandmouth": ("Mordor",),
    "a week in New York": ("New York",),
    "A Week Of Food And Beaches": (),
    "a week in the town of Brigadoon": ("Brigadoon",),
    "El Dorado for 3 days": ("El Dorado",),
    "Got 5 days off work, mountains please": (),
    "Dear Sir or Madam, a week in Lindow please": (),
    "I'm American, never been to Asia, a week in Lindow": (),
    "We fly from London for a week in Lindow": (),
    "I'm from Germany and want a week in Lindow": (),
    "a week with Anna and Italian food": (),
    "Please plan a week. Good food. Beaches.": (),
    "a week in October in Lindow": (),
    "a Michelin restaurant and a UNESCO site, a week": (),
}


@pytest.mark.parametrize("text", UNKNOWN)
def test_places_that_are_not_here_are_told(text):
    assert read(text).unknown == UNKNOWN[text]


def test_home_is_told_and_no_destination():
    assert any("London" in one for one in read("We fly from London for a week in Lindow").assumed)


def test_a_sight_is_known_by_the_beginning_of_its_name():
    extra = place_passage(
        "zorn", "Zorn Hild Tower", "attraction", type="tower", city="lindow", price=1.0
    )
    wish = read("a week in Lindow (Zorn Hild), good food", make_atlas(extra))
    assert wish.must == ("lindow", "zorn")


def test_a_list_of_nights_and_ends_is_read_from_notes():
    wish = read(
        "- who: 2 adults\n- when: 4-11 November 2027\n"
        "- where: Port Aurel (2 nights), Lindow (2), Sandmouth (3)\n- avoid: Highmere"
    )
    assert wish.off_topic == ""
    assert wish.nights == {"aurel": 2, "lindow": 2, "sandmouth": 3}
    assert wish.avoid.places == {"highmere"}
    assert wish.days == 8
