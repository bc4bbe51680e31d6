"""Is something asked for, or only told: of home, the past, a habit, or as a figure of speech?"""

import pytest
from wishes_shared import read

from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.spoken.figures import in_figure
from consilience.packs.travel.wording import is_unwanted

TOLD = [
    "Lindow, 4 days. My knees are old but they hike in the *Rockies* every month",
    "In *Brazil* it will be 40 degrees, so a week in Sandmouth please",
    "No snow for us, in *Grenoble* we have that until May. Lindow, 3 days",
    "Last time I tried in *Perth* I fell in. Sandmouth, 4 days",
    "My sister in *Toronto* swears by Lindow: 3 days",
    "They say *Venice* is sinking. Lindow, 3 days",
    "We run a bakery in *Lyon*. Lindow, 3 days",
    "I owe her this after the holidays we missed (*Crete*, Malta). Lindow, 3 days",
    "My boss (in *Boston*) told me to rest. Lindow, 3 days",
    "Dave once ate a spider in *Cambodia*. Lindow, 3 days",
    "Who needs *Switzerland* when there is Lindow? Lindow, 3 days from Port Aurel",
    "It would cost the earth in *Tokyo*. Lindow, 3 days",
    "Weather in *Cologne*: do not ask. Lindow, 3 days",
]
ASKED = [
    "a week in *Brazil* and Lindow",
    "visit *Grenoble* and Lindow, 4 days",
    "*Perth* and Lindow, 4 days",
    "we have 5 days in *Osaka* and 2 in Lindow",
    "last year we did Lindow, this year we want *Kyoto* and Lindow",
    "Lindow and *Timbuktu*, ten days",
    "Lindow, 3 days, then two nights in *Bangkok*",
    "I was in Lindow last year. This year *Prague* and Lindow, 5 days please",
    "We want to see *Xabor Gant* waterfall from Lindow, 4 days",
    "We spend the weekend on *Texel* with a tent",
    "Lindow, 4 days, and *Nairobi* is the reason of the whole trip",
]
FIGURES = [
    "free as a *bird*",
    "I could *sleep* for a week",
    "I could eat one *thousand* bowls",
    "a deadline since *Thanksgiving*",
    "my knees date from *1968*",
    "over the *moon*",
    "*wild* horses could not stop us",
    "he snores like a *bear*",
    "raining *cats* and dogs",
]
LITERAL = [
    "we want to watch *birds*",
    "a cabin to *sleep* in for a week",
    "food for one *thousand* guests",
    "at *Thanksgiving*",
    "things like a *cooking* class",
    "ride *horses*",
]
UNWANTED = [
    "We don't need a casino, a *ski* lift or a foam party",
    "*ski*: no, helicopter: no",
    "neither skiing nor *casinos*",
    "not here for the *museums*",
    "you can keep your *theme* parks",
    "nobody wants *karaoke*",
    "we dont do *casinos*",
    "Not needed: spa, golf, *karaoke*.",
    "*casinos*? No thanks",
]
WANTED = [
    "*beaches*, no museums",
    "don't forget the *temples*",
    "nobody should leave without trying the *coffee*",
    "must not be far from the *beach*",
    "we don't want to miss the *museum*",
    "no temples, but *beaches*",
]


def _marked(text: str) -> tuple[str, int, int]:
    start = text.index("*")
    end = text.index("*", start + 1) - 1
    return text.replace("*", ""), start, end


@pytest.mark.parametrize("text", TOLD)
def test_a_place_that_is_only_told_of_is_no_place_to_go_to(text):
    plain, _, _ = _marked(text)
    wish = read(plain)
    assert wish.off_topic == ""
    assert wish.unknown == ()


@pytest.mark.parametrize("text", ASKED)
def test_a_place_that_is_asked_for_stays_unknown(text):
    plain, start, end = _marked(text)
    wish = read(plain)
    assert plain[start:end] in wish.unknown or wish.off_topic
    assert not is_aside(plain, start, end)


@pytest.mark.parametrize("text", FIGURES)
def test_figures_of_speech_do_not_mean_what_they_say(text):
    plain, start, end = _marked(text)
    assert in_figure(plain, start)
    assert is_aside(plain, start, end)


@pytest.mark.parametrize("text", LITERAL)
def test_what_is_meant_is_no_figure(text):
    plain, start, _ = _marked(text)
    assert not in_figure(plain, start)


@pytest.mark.parametrize("text", UNWANTED)
def test_what_is_ruled_out_in_a_list_or_by_what_follows_is_unwanted(text):
    assert is_unwanted(*_marked(text))


@pytest.mark.parametrize("text", WANTED)
def test_what_only_looks_ruled_out_is_wanted(text):
    assert not is_unwanted(*_marked(text))


def test_figures_are_not_read_as_themes_lengths_or_budgets():
    wish = read("Lindow. I am free as a bird and could sleep for a week, 4 days, 900 euros")
    assert "wildlife" not in wish.themes
    assert wish.days == 4
    assert wish.budget is not None
    assert wish.budget.amount == 900


def test_themes_of_a_habit_are_not_those_of_the_trip():
    wish = read("We hike every weekend. Now food and museums: Lindow, 3 days")
    assert "hiking" not in wish.themes
    assert "food" in wish.themes


def test_a_narrower_thing_that_is_not_wanted_keeps_its_theme():
    wish = read("beaches in Sandmouth, no beach bars, 3 days")
    assert "beach" in wish.themes
    assert "beach" not in wish.avoid.themes
