"""Values of foreign data: durations, months, prices, hours, coordinates, themes, kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.packs.travel.files.fields import meaning_of, sort_out
from consilience.packs.travel.files.gazetteer import Known
from consilience.packs.travel.files.nearness import NEAR_KM, NEAREST, near_pairs
from consilience.packs.travel.files.opened import hours_of
from consilience.packs.travel.files.prices import currency_in, price_of, settled
from consilience.packs.travel.files.spots import read_point, spot_of
from consilience.packs.travel.files.suiting import TAGGED, suits_of
from consilience.packs.travel.files.values import days, items, minutes, months, share, truth
from consilience.packs.travel.files.words import kind_among, kind_of
from consilience.packs.travel.geography import Point, distance_km
from consilience.packs.travel.hours import is_hours, open_spans
from consilience.packs.travel.places import in_months, in_time

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "name", "wanted"),
    [
        ("2h 30m", "", 150), ("2h30", "", 150), ("1.5 hours", "", 90), ("90 min", "", 90),
        ("2-3 hours", "", 150), ("2 to 3 hrs", "", 150), ("half day", "", 240),
        ("Full day", "", 480), ("2:30", "", 150), ("PT2H30M", "", 150), ("2 days", "", 960),
        (2, "duration", 120), (90, "duration", 90), (2, "duration_hours", 120),
        (5, "visitMinutes", 5), (0, "minutes", None), ("some time", "", None), (None, "", None),
        ("1,5 h", "", 90),
    ],
)  # fmt: skip
def test_durations_are_minutes(value, name, wanted):
    assert minutes(value, name) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("February to May", (2, 3, 4, 5)), ("Nov–Apr", (1, 2, 3, 4, 11, 12)), ([3, 4], (3, 4)),
        ("March, April and September", (3, 4, 9)), (["Feb", "march"], (2, 3)), ("2,3,4", (2, 3, 4)),
        ("All year", ()), ("January to December", ()),
        ("dry season (December-March)", (1, 2, 3, 12)),
        ("Late September to mid-October", (9, 10)), ("it may rain then in every single place", ()),
        (13, ()), (7, (7,)), (None, ()), ("May", (5,)),
    ],
)  # fmt: skip
def test_months_are_numbers(value, wanted):
    assert months(value) == wanted


@pytest.mark.parametrize(
    ("value", "amount", "currency"),
    [
        ("120,000 VND", 120_000, "VND"), ("$15", 15, "USD"), ("€12–15", 13.5, "EUR"),
        ("Free", 0, ""), ("1.200.000 đ", 1_200_000, "VND"), ("12,50 €", 12.5, "EUR"),
        ("20-30k", 25_000, ""), ("Adults $15, children $7", 15, "USD"), (0, 0, ""),
        ("from 1 500 yen", 1500, "JPY"), ("Rp 50.000", 50_000, "IDR"),
        ("CHF 1'250.50", 1250.5, "CHF"),
        ({"amount": 9, "currency": "gbp"}, 9, "GBP"), ("2.5 million dong", 2_500_000, "VND"),
    ],
)  # fmt: skip
def test_prices_have_an_amount_and_a_currency(value, amount, currency):
    found = price_of(value)
    assert found is not None
    assert (found.amount, found.currency) == (amount, currency)


def test_a_price_may_have_its_currency_in_the_name_of_its_field_and_may_be_none():
    assert price_of(30, "price_usd").currency == "USD"
    assert price_of(30, "priceEUR").currency == "EUR"
    assert [price_of(one) for one in ("ask", "$$", None, True, -3)] == [None] * 5


def test_a_dollar_sign_is_the_dollar_of_the_file():
    assert settled("USD", "AUD") == "AUD"
    assert settled("USD", "VND") == "USD"
    assert settled("", "VND") == "VND"
    assert currency_in("about 5 quatloos") == ""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("Tu-Su 08:00-11:30,13:30-17:00; Mo off", "Tu-Su 08:00-11:30,13:30-17:00; Mo off"),
        ("M-Sa 8:30AM-5PM, Su 9AM-6PM", "Mo-Sa 08:30-17:00; Su 09:00-18:00"),
        ("9AM-5PM daily", "Mo-Su 09:00-17:00"),
        ("Daily 8-5pm", "Mo-Su 08:00-17:00"),
        ("24 hours", "24/7"),
        ("10:00 AM – 10:00 PM", "Mo-Su 10:00-22:00"),
        ("Mon-Fri 9:00-17:00; Sat, Sun closed", "Mo-Fr 09:00-17:00; Sa,Su off"),
        ("Tuesday to Sunday, 9am-4:30pm", "Tu-Su 09:00-16:30"),
        ({"monday": "9:00-17:00", "sunday": "closed"}, "Mo 09:00-17:00; Su off"),
        ({"Mon": {"open": "09:00", "close": "12:00"}}, "Mo 09:00-12:00"),
        (["Mo-Fr 10:00-18:00", "Sa 10:00-14:00"], "Mo-Fr 10:00-18:00; Sa 10:00-14:00"),
        ("varies by season", ""),
        ("dawn to dusk", ""),
        ("by appointment, 9-5", ""),
        (None, ""),
    ],
)
def test_hours_are_kept_in_one_syntax_or_not_at_all(value, wanted):
    found = hours_of(value)
    assert found == wanted
    assert not found or is_hours(found)


def test_hours_in_english_mean_what_they_say():
    from datetime import date  # noqa: PLC0415

    sunday = date(2026, 6, 7)
    assert open_spans(hours_of("M-Sa 8:30AM-5PM, Su 9AM-6PM"), sunday) == ((540, 1080),)


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        ({"lat": 15.9, "lng": 108.3}, Point(15.9, 108.3)),
        ({"Latitude": "15.9", "Longitude": "108.3"}, Point(15.9, 108.3)),
        ({"y": 1, "x": 2}, Point(1, 2)),
        ({"location": "15.9, 108.3"}, Point(15.9, 108.3)),
        ({"coordinates": [108.3, 15.9]}, Point(15.9, 108.3)),
        ({"coordinates": [15.9, 108.3]}, Point(15.9, 108.3)),  # no latitude is 108
        ({"latlng": [15.9, 8.3]}, Point(15.9, 8.3)),
        ({"location": {"lat": 1.5, "lng": 2.5}}, Point(1.5, 2.5)),
        ({"geo": {"type": "Point", "coordinates": [2.5, 1.5]}}, Point(1.5, 2.5)),
        ({"coordinates": "16 10 N, 107 50 W"}, Point(16 + 1 / 6, -(107 + 5 / 6))),
        ({"wkt": "POINT(2.5 1.5)"}, Point(1.5, 2.5)),
        ({"location": "Old Town"}, None),
    ],
)
def test_coordinates_come_in_many_forms(record, wanted):
    found, fault = spot_of(sort_out(record))
    assert fault == ""
    assert (found is None) == (wanted is None)
    assert found is None or found == pytest.approx(wanted)


@pytest.mark.parametrize(
    "record",
    [{"lat": 91, "lon": 0}, {"lat": "north", "lon": 3}, {"lat": 3}, {"lat": 3, "lon": 999}],
)
def test_coordinates_of_no_place_are_told(record):
    found, fault = spot_of(sort_out(record))
    assert found is None
    assert "latitude -90 to 90" in fault


def test_themes_have_a_strength_and_tags_stay():
    suits, tags = suits_of([["Romantic", "quirky"], "food 0.9; beach"])
    assert [(one.theme, one.strength) for one in suits] == [
        ("food", 0.9), ("romance", TAGGED), ("beach", TAGGED),
    ]  # fmt: skip
    assert "quirky" in tags
    suits, _ = suits_of([[{"theme": "history", "strength": 0.8, "why": "old walls"}]])
    assert [(one.theme, one.strength, one.why) for one in suits] == [("history", 0.8, "old walls")]
    assert suits_of([{"adventure": 8}])[0][0].strength == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Hotel", "stay"), ("hotels_2024", "stay"), ("cities500", "city"), ("PPLC", "city"),
        ("Buddhist temple", "attraction"), ("tourist_attractions", "attraction"),
        ("countries", "country"), ("airports", "airport"), ("quatloo", ""), ("restaurants", "food"),
    ],
)  # fmt: skip
def test_types_and_names_of_lists_say_the_kind(words, kind):
    assert kind_of(words) == kind


def test_an_island_in_a_city_is_a_sight_and_else_somewhere_to_stay():
    assert kind_among(["island"], hint="", has_city=False, stayed_in=False) == "city"
    assert kind_among(["island"], hint="", has_city=True, stayed_in=False) == "attraction"
    assert kind_among(["area"], hint="", has_city=False, stayed_in=True) == "city"
    assert kind_among(["area"], hint="", has_city=True, stayed_in=False) == "area"
    assert kind_among([], hint="hotels", has_city=True, stayed_in=False) == "stay"


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("bestTimeToVisit", "best_months"), ("Opening Hours", "hours"), ("addr:city", "city"),
        ("name:fr", "aliases"), ("Entrance-Fee", "price"), ("price_chf", "price"), ("whatever", ""),
    ],
)  # fmt: skip
def test_fields_are_known_in_many_spellings(name, meaning):
    assert meaning_of(name) == meaning


def test_lists_truths_shares_and_days():
    assert items("a; b, c") == ["a", "b, c"]
    assert items("ES,FR") == ["ES", "FR"]
    assert items([{"name": "x"}, "y", None]) == ["x", "y"]
    assert (truth("Yes"), truth("no"), truth("maybe")) == (True, False, None)
    assert (share(0.4), share(7), share(80), share(-1), share("x")) == (0.4, 0.7, 0.8, None, None)
    assert (days([3, 2]), days("2-3 days"), days("4 hours")) == ((2, 3), (2, 3), ())


def test_months_and_times_in_words():
    assert in_months([11, 12, 1, 2, 6]) == "June and November to February"
    assert in_months([5]) == "May"
    assert (in_time(160), in_time(60), in_time(5)) == ("2 h 40 min", "1 h", "5 min")


@given(ANYTHING, st.text(max_size=12))
def test_no_value_breaks_a_reader(value, name):
    spent = minutes(value, name)
    assert spent is None or spent >= 0
    assert all(1 <= one <= 12 for one in months(value))
    price = price_of(value, name)
    assert price is None or price.amount >= 0
    assert is_hours(hours_of(value)) or hours_of(value) == ""
    point, _ = read_point(value, name)
    assert point is None or (abs(point.lat) <= 90 and abs(point.lon) <= 180)
    suits, _ = suits_of([value])
    assert all(0 <= one.strength <= 1 for one in suits)


def known(number, lat, lon):
    return Known(id=f"p{number}", name=f"P{number}", kind="attraction", point=Point(lat, lon))


POLES_AND_EDGES = st.tuples(
    st.sampled_from([0, 48.85, 89.97, -89.99]),
    st.sampled_from([0, 179.99, -179.99, 2.3]),
    st.floats(-0.03, 0.03),
    st.floats(-0.05, 0.05),
)


@given(st.lists(POLES_AND_EDGES, max_size=NEAREST + 1))
def test_what_is_near_is_what_comparing_all_with_all_finds(spots):
    places = [
        known(at, max(-90, min(90, lat + north)), (lon + east + 180) % 360 - 180)
        for at, (lat, lon, north, east) in enumerate(spots)
    ]
    wanted = {
        frozenset((one.id, other.id))
        for one in places
        for other in places
        if one.id < other.id and distance_km(one.point, other.point) <= NEAR_KM - 1e-6
    }
    found = near_pairs(places, ())
    assert all(km <= NEAR_KM + 1e-6 for _, _, km in found)
    assert wanted <= {frozenset((one.id, other.id)) for one, other, _ in found}
