"""Does the grammar give back what was put into words, and list every word that it did not read?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wish_shared import TODAY, atlas

from consilience.packs.travel import constraints as c
from consilience.packs.travel.constraints import Constraint, Scope, Thing
from consilience.packs.travel.wish import Wish, read_wish, wish_from_json, wish_to_json

ATLAS = atlas()
Stated = tuple[Constraint, str]
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
CITIES = {"oltova": "Oltova", "varn": "Varn", "port-selm": "Port Selm"}
TYPES = {"museum": "museums", "castle": "castles", "beach": "beaches", "cave": "caves"}
MODES = {"train": "trains", "bus": "buses", "plane": "flights"}


def read(text: str) -> Wish:
    return read_wish(text, ATLAS, today=TODAY)


def stripped(wish: Wish) -> list[Constraint]:
    """The constraints without the words they came from."""
    return [replace(found, span=None) for found in wish.constraints]  # type: ignore[type-var]


def number(draw: st.DrawFn, low: int, high: int) -> tuple[int, str]:
    value = draw(st.integers(low, high))
    spelt = [str(value), *([WORDS[value - 1]] if value <= len(WORDS) else [])]
    return value, draw(st.sampled_from(spelt))


# --- constraints and ways to say them -----------------------------------------------------


@st.composite
def lengths(draw: st.DrawFn) -> Stated:
    days, said = number(draw, 2, 21)
    pattern = draw(
        st.sampled_from(["{} days", "a trip of {} days", "we have {} days", "{}-day trip"])
    )
    return c.Length(least=days, most=days), pattern.format(said)


@st.composite
def groups(draw: st.DrawFn) -> Stated:
    adults, said = number(draw, 2, 6)
    children, young = number(draw, 1, 3)
    plain = draw(st.sampled_from(["{} people", "{} adults", "{} ppl"])).format(said)
    if draw(st.booleans()):
        return c.Group(adults=adults), plain
    kids = "kid" if children == 1 else "kids"
    return c.Group(adults=adults, children=children), f"{said} adults with {young} {kids}"


@st.composite
def amounts(draw: st.DrawFn) -> Stated:
    amount = draw(st.integers(20, 900))
    bound = draw(
        st.sampled_from(["under", "at most", "no more than", "max", "up to", "not more than"])
    )
    money = draw(st.sampled_from([f"{amount} euros", f"€{amount}", f"{amount} EUR"]))
    per, said = draw(
        st.sampled_from(
            [
                ("trip", "{} {} in total"),
                ("bed", "{} {} a night"),
                ("bed", "hotels {} {}"),
                ("meal", "dinners {} {}"),
                ("person", "{} {} per person"),
                ("day", "{} {} a day"),
                ("person day", "{} {} per person per day"),
                ("ticket", "tickets {} {}"),
            ]
        )
    )
    return c.Money(amount=Decimal(amount), currency="EUR", per=per), said.format(bound, money)


@st.composite
def clocks(draw: st.DrawFn) -> Stated:
    hour = draw(st.integers(8, 11))
    early = ["no earlier than {}", "nothing before {}", "not before {}", "start after {}"]
    late = ["back by {}", "in bed by {}", "nothing after {}", "no later than {}"]
    if draw(st.booleans()):
        said = draw(st.sampled_from(early)).format(draw(st.sampled_from([f"{hour}", f"{hour}:00"])))
        return c.ClockWindow(earliest=hour * 60), said
    said = draw(st.sampled_from(late)).format(f"{hour} pm")
    return c.ClockWindow(latest=(hour + 12) * 60), said


@st.composite
def ends(draw: st.DrawFn) -> Stated:
    key = draw(st.sampled_from(sorted(CITIES)))
    start = draw(st.booleans())
    verbs = ["start in {}", "begin in {}", "arrive in {}", "landing in {}"]
    verbs = verbs if start else ["end in {}", "finish in {}", "back in {} at the end"]
    said = draw(st.sampled_from(verbs)).format(CITIES[key])
    return (c.Start(place=key) if start else c.End(place=key)), said


@st.composite
def nights(draw: st.DrawFn) -> Stated:
    count, said = number(draw, 1, 5)
    key = draw(st.sampled_from(sorted(CITIES)))
    noun = "night" if count == 1 else "nights"
    pattern = draw(st.sampled_from(["{n} {noun} in {p}", "{p} for {n} {noun}", "{p} {n} {noun}"]))
    return c.Nights(place=key, least=count, most=count), pattern.format(
        n=said, noun=noun, p=CITIES[key]
    )


@st.composite
def bans(draw: st.DrawFn) -> Stated:
    key = draw(st.sampled_from(sorted(TYPES)))
    pattern = draw(
        st.sampled_from(
            [
                "no {}",
                "without {}",
                "we hate {}",
                "avoid {}",
                "we don't like {}",
                "no {} please",
                "please skip {}",
            ]
        )
    )
    return c.Avoid(things=(Thing(by="type", name=_type(key)),)), pattern.format(TYPES[key])


def _type(key: str) -> str:
    return "fort" if key == "castle" else key  # as the words for kinds have it


@st.composite
def wants(draw: st.DrawFn) -> Stated:
    key = draw(st.sampled_from(sorted(TYPES)))
    count, said = number(draw, 2, 4)
    thing = (Thing(by="type", name=_type(key)),)
    if draw(st.booleans()):
        return c.Want(things=thing, least=count), f"we want at least {said} {TYPES[key]}"
    pattern = draw(st.sampled_from(["we want to see {}", "{} are a must", "we need {}"]))
    return c.Want(things=thing), pattern.format(TYPES[key])


@st.composite
def means(draw: st.DrawFn) -> Stated:
    key = draw(st.sampled_from(sorted(MODES)))
    rule, patterns = draw(
        st.sampled_from(
            [
                ("never", ["no {}", "without {}", "we hate {}"]),
                ("only", ["only {}", "{} only"]),
            ]
        )
    )
    return c.Means(modes=(key,), rule=rule), draw(st.sampled_from(patterns)).format(MODES[key])


@st.composite
def paces(draw: st.DrawFn) -> Stated:
    count, said = number(draw, 1, 5)
    bound = draw(st.sampled_from(["at most", "max", "not more than", "no more than"]))
    noun = draw(st.sampled_from(["sights", "visits", "activities"]))
    if draw(st.booleans()):
        return c.Pace(measure="visits", most=count), f"{bound} {said} {noun} a day"
    unit = draw(st.sampled_from(["hours", "h", "hrs"]))
    way = draw(st.sampled_from(["on the road", "of travel", "of transfers"]))
    return c.Pace(measure="travel", most=count * 60), f"{bound} {said} {unit} {way} per day"


@st.composite
def dates(draw: st.DrawFn) -> Stated:
    first = date(2027, 5, draw(st.integers(1, 10)))
    last = date(2027, 5, draw(st.integers(12, 28)))
    pattern = draw(
        st.sampled_from(
            [
                "from {a} to {b} May",
                "{a}-{b} May",
                "from {a} May to {b} May",
                "from May {a} to May {b}",
                "from {a} May until {b} May 2027",
            ]
        )
    )
    return c.Dates(start=first, end=last), pattern.format(a=first.day, b=last.day)


@st.composite
def needs(draw: st.DrawFn) -> Stated:
    return draw(
        st.sampled_from(
            [
                (c.Need(need="vegetarian"), "I am vegetarian"),
                (c.Need(need="vegan"), "we are vegan"),
                (c.Need(need="wheelchair"), "I use a wheelchair"),
                (c.Need(need="halal"), "all food must be halal"),
                (c.Need(need="without pork"), "we don't eat pork"),
                (c.Need(need="without nuts"), "I am allergic to nuts"),
            ]
        )
    )


STATED: Sequence[Callable[[], st.SearchStrategy[Stated]]] = (
    lengths, groups, amounts, clocks, ends, nights, bans, wants, means, paces, dates, needs,
)  # fmt: skip


@st.composite
def wishes(draw: st.DrawFn) -> tuple[list[Constraint], str]:
    """A set of constraints of unlike kinds, and one text that says them all."""
    kinds = draw(st.lists(st.sampled_from(range(len(STATED))), min_size=1, max_size=5, unique=True))
    stated = [draw(STATED[kind]()) for kind in kinds]
    opening, joint, end = draw(
        st.sampled_from(
            [
                ("", ". ", "."),
                ("", "; ", ""),
                ("- ", "\n- ", "\n"),
                ("Hello! ", ". ", ". Thanks!"),
                ("Is this doable: ", "; ", "?"),
                ("Hi, please plan a trip. ", ". ", "!"),
            ]
        )
    )
    text = opening + joint.join(words for _, words in stated) + end
    return [constraint for constraint, _ in stated], text


@pytest.mark.parametrize("kind", range(len(STATED)), ids=lambda at: STATED[at].__name__)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_stated_is_read_and_nothing_is_left_over(kind: int, data: st.DataObject) -> None:
    constraint, words = data.draw(STATED[kind]())
    wish = read(words)
    assert constraint in stripped(wish), (words, stripped(wish))
    assert not wish.leftover, (words, wish.leftover)


@settings(max_examples=150, deadline=None)
@given(wishes())
def test_several_are_read_from_one_text(drawn: tuple[list[Constraint], str]) -> None:
    constraints, text = drawn
    wish = read(text)
    missing = [each for each in constraints if each not in stripped(wish)]
    assert not missing, (text, stripped(wish))
    assert not wish.leftover, (text, wish.leftover)


@settings(max_examples=60, deadline=None)
@given(wishes(), st.sampled_from(["flumbert", "grolly snarf", "qwixels"]))
def test_words_that_mean_nothing_here_are_listed(
    drawn: tuple[list[Constraint], str], nonsense: str
) -> None:
    text = f"{drawn[1]}\nThe {nonsense} must be there."
    left = " ".join(span.text for span in read(text).leftover)
    assert nonsense in left, text


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=120))
def test_any_text_is_read_without_a_failure(text: str) -> None:
    wish = read(text)
    for span in (*wish.leftover, *(found.span for found in wish.constraints if found.span)):
        assert text[span.start : span.end] == span.text
    assert wish_from_json(wish_to_json(wish, ATLAS)) == wish


SENTENCES = [
    ("2 ppl, 10d, oltova->port selm", [c.Group(adults=2), c.Length(least=10, most=10),
                                       c.Start(place="oltova"), c.End(place="port-selm")]),
    ("four days romantic, then three days adventure",
     [c.Theme(theme="romance", scope=Scope(days=(1, 2, 3, 4))),
      c.Theme(theme="adventure", scope=Scope(days=(5, 6, 7)))]),
    ("No museums please except the Glass Museum.",
     [c.Avoid(things=(Thing(by="type", name="museum"),), but=("glass",))]),
    ("No museums, castles or caves.",
     [c.Avoid(things=(Thing(by="type", name=name),)) for name in ("museum", "fort", "cave")]),
    ("My husband and I, with our kids (4, 7)",
     [c.Group(adults=2, children=2, ages=(4, 7), company="couple")]),
    ("First Oltova, then Varn, then Port Selm.",
     [c.Order(places=("oltova", "varn", "port-selm"))]),
    ("max 3 h in a bus per day", [c.Pace(measure="travel", most=180, modes=("bus",))]),
    ("back in Oltova by Sunday evening", [c.End(place="oltova"), c.Dates(end_weekday=6)]),
    ("She needs a lift in every hotel.", [c.Need(need="lift")]),
    ("one hotel the whole time", [c.Pace(measure="beds", most=0)]),
    ("a free afternoon on day 2", [c.FreeTime(scope=Scope(days=(2,), part="afternoon"))]),
    ("nothing north of Oltova", [c.Avoid(things=(Thing(by="place", name="varn"),))]),
    ("Oltva and Varn, 4 days", [c.GoTo(place="oltova"), c.GoTo(place="varn")]),
    ("We would like to visit Atlantis.", [c.Missing(name="Atlantis")]),
    ("flights are fine, buses are not", [c.Means(modes=("plane",), rule="may", hard=False),
                                         c.Means(modes=("bus",), rule="never")]),
    ("We arrive in Oltova at 14:00 on Friday and our flight home leaves at 18:30 on Tuesday.",
     [c.ClockWindow(earliest=840, scope=Scope(days=(1,))), c.Start(place="oltova"),
      c.ClockWindow(latest=1110, scope=Scope(days=(-1,))),
      c.Dates(start_weekday=4, end_weekday=1)]),
    ("a meeting in Oltova on Tuesday 10:00–12:00",
     [c.Appointment(title="meeting", start=600, end=720,
                    scope=Scope(weekdays=(1,), city="oltova"))]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_people_say_it_so(text: str, expected: list[Constraint]) -> None:
    found = stripped(read(text))
    assert not [each for each in expected if each not in found], found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I want to come in 3 days if my aunt is better", "better"),
        ("temples only if there is a ramp", "only if"),
        ("She can do about 20 stairs", "20 stairs"),
        ("needs a trouser press in every hotel", "trouser press"),
        ("exactly as Mrs Pemberton explained it over tea", "Pemberton"),
        ("no strip clubs", "strip clubs"),
    ],
)
def test_what_is_not_understood_is_said_and_not_guessed(text: str, words: str) -> None:
    assert words in " | ".join(span.text for span in read(text).leftover)


def test_every_word_of_a_constraint_is_shown_with_it() -> None:
    wish = read("Under 40 euros a night, please.")
    assert [found.span.text for found in wish.constraints if found.span] == [
        "Under 40 euros a night"
    ]


def test_what_is_not_said_is_assumed_and_marked() -> None:
    wish = read("castles please")
    assumed = [found for found in wish.constraints if found.assumed]
    assert {type(found) for found in assumed} == {c.Length, c.Group}
    assert not any(found.hard for found in assumed)


@pytest.mark.parametrize(
    "text", ["5 days, no airplane inside of Aurelia", "5 days, no flights within Aurelia"]
)
def test_where_something_is_ruled_out_is_not_ruled_out_itself(text):
    found = stripped(read(text))
    assert c.Means(modes=("plane",), rule="never") in found
    assert not [each for each in found if isinstance(each, c.Avoid)]


def test_a_ban_for_a_part_of_the_country_holds_there() -> None:
    wish = read("4 days, no buses in Highmark")
    assert c.Means(modes=("bus",), rule="never", scope=Scope(city="highmark")) in stripped(wish)
    assert not wish.of(c.Avoid)
    assert not wish.leftover


def test_a_plural_in_ies_is_a_means_of_transport():
    assert c.Means(modes=("boat",), rule="never") in stripped(read("3 days, no ferries"))


HEADS = [
    ("5 days, no castles in Oltova", [c.Avoid(things=(Thing(by="type", name="fort"),),
                                              scope=Scope(city="oltova"))]),
    ("In Varn, no museums please.", [c.Avoid(things=(Thing(by="type", name="museum"),),
                                             scope=Scope(city="varn"))]),
    ("a hotel with a pool and a bathtub in Port Selm",
     [c.Need(need="pool", of="stay")]),
    ("Seven days: first three days of food, then four days of hiking.",
     [c.Theme(theme="food", scope=Scope(days=(1, 2, 3))),
      c.Theme(theme="hiking", scope=Scope(days=(4, 5, 6, 7)))]),
    ("trains and buses are not ok", [c.Means(modes=("train",), rule="never"),
                                     c.Means(modes=("bus",), rule="never")]),
    ("The Glass Museum, but not on Sunday",
     [c.Avoid(things=(Thing(by="place", name="glass"),), scope=Scope(weekdays=(6,)))]),
    ("I'd rather go by train than fly",
     [c.Means(modes=("train",), rule="only", hard=False)]),
    ("On Sunday, a castle and a museum",
     [c.Want(things=(Thing(by="type", name="fort"),), scope=Scope(weekdays=(6,))),
      c.Want(things=(Thing(by="type", name="museum"),), scope=Scope(weekdays=(6,)))]),
    ("200 euros a day without hotels",
     [c.Money(amount=Decimal(200), currency="EUR", per="day", without=("bed",))]),
    ("no more than two museums",
     [c.Want(things=(Thing(by="type", name="museum"),), least=0, most=2)]),
    ("Round trip from Varn", [c.Start(place="varn"), c.End(place="varn")]),
    ("Varn to Port Selm in 9 days", [c.Length(least=9, most=9), c.Start(place="varn"),
                                     c.End(place="port-selm")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), HEADS, ids=[text for text, _ in HEADS])
def test_words_go_with_their_heads(text: str, expected: list[Constraint]) -> None:
    found = stripped(read(text))
    assert not [each for each in expected if each not in found], found


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("No flight within 24 hours after the dive!", (c.Means, c.Avoid)),
        ("Skip the museums on rainy days.", (c.Avoid,)),
        ("I get seasick in a castle", (c.Want,)),
        ("a cafe is worth more to me than any castle", (c.Avoid,)),
        ("We eat vegetarian that day", (c.Need,)),
        ("she won't stop talking about the castles", (c.Avoid, c.Want)),
        ("Ten days - no, I mean something else", (c.Length,)),
    ],
)
def test_what_would_be_stronger_than_said_is_listed(
    text: str, kinds: tuple[type[Constraint], ...]
) -> None:
    wish = read(text)
    assert not [each for each in wish.constraints if isinstance(each, kinds) and not each.assumed]
    assert wish.leftover


# --- what is uncertain is listed, what is stated is kept -----------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Beginning and ending: Varn, 6 days",
        "6 days, Varn at either end",
        "6 days that start in and return to Varn",
        "6 days from and then back to Varn",
    ],
)
def test_a_pair_of_ends_is_about_one_place(text):
    found = stripped(read(text))
    assert {c.Start(place="varn"), c.End(place="varn")} <= set(found)
    assert not any(isinstance(one, c.GoTo) for one in found)


def test_an_end_that_is_ruled_out_is_no_place_that_is_avoided():
    wish = read("4 days, we never want to begin in Varn")
    assert not wish.of(c.Avoid)
    assert not wish.of(c.Start)
    assert any("Varn" in span.text for span in wish.leftover)


def test_nights_in_several_places_are_shared_or_repeated():
    each = read("at least 3 nights in each of Oltova, Varn and Port Selm")
    assert {(one.place, one.least) for one in each.of(c.Nights)} == {
        (place, 3) for place in ("oltova", "varn", "port-selm")
    }
    divided = read("8 nights in Varn and Oltova")
    assert not divided.of(c.Nights)
    assert divided.of(c.Length) == (c.Length(least=9, most=9, span=divided.of(c.Length)[0].span),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We leave on 7 May, 4 days", "7 May"),
        ("4 days, beginning after 7 May", "7 May"),
        ("4 days, see the Salt Mine before 7 May", "7 May"),
        ("4 days, three castle days at most", "three castle days at most"),
        ("4 days, a single night on the train at most", "train"),
        ("4 days, two flights of steps are too much", "flights"),
        ("4 days, and rest after the flight", "flight"),
        ("4 days, no bus stops under my window", "bus stops"),
        ("4 days, 3 euros above the usual price", "3 euros"),
    ],
)
def test_what_is_uncertain_is_listed(text, words):
    wish = read(text)
    hard = [one for one in wish.constraints if one.hard and not one.assumed]
    assert not [one for one in hard if isinstance(one, c.Dates | c.Means | c.Money | c.Want)]
    assert wish.of(c.Length)[0].least == 4
    listed = " ".join(span.text for span in wish.leftover)
    assert all(word in listed for word in words.split())


def test_the_end_of_a_trip_is_no_beginning():
    for text in ("5 days, until Monday 10 May", "5 days, back home by the 10 May"):
        (dates,) = read(text).of(c.Dates)
        assert (dates.start, dates.end) == (None, date(2027, 5, 10))


@pytest.mark.parametrize(
    "text", ["one castle at most", "at most one castle", "castles: one at most"]
)
def test_an_upper_bound_stays_one(text):
    (want,) = read(f"3 days, {text}").of(c.Want)
    assert (want.least, want.most) == (0, 1)


def test_an_appointment_keeps_its_days():
    (nap,) = read("5 days; my toddler sleeps each day from 12:30 to 14:00").of(c.Appointment)
    assert nap.each_day
    (race,) = read("5 days; the rowing final is on 9 May, 9:00-11:00").of(c.Appointment)
    assert race.scope.dates == (date(2027, 5, 9),)


def test_a_place_in_a_longer_name_is_not_meant():
    wish = read("4 days; my team, the Varn Rovers, plays in Oltova")
    assert "varn" not in {one.place for one in wish.of(c.GoTo)}
