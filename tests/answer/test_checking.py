"""A statement is sound when all that it says stands in what it cites."""

import pytest
from checking_shared import EXHIBITS, exhibit, faults, judged
from hypothesis import given
from hypothesis import strategies as st

from consilience.answer.checker import check
from consilience.answer.writer import marked
from consilience.text_markup import WRITTEN, escape_markdown, find_marks, neutralize
from consilience.types import Checked, Fault, Locator, Statement

TRUE = (
    "Robert Stevenson built the Bell Rock lighthouse from 1807 to 1811 [1].",
    "The Bell Rock tower was first lit on February 1, 1811 [1].",
    "The Bell Rock tower was first lit on 1811-02-01 [1].",
    "The Bell Rock tower was first lit on 1.2.1811 [1].",
    "The Bell Rock tower was first lit in February 1811 [1].",
    "The Bell Rock tower was first lit in 1811 [1].",
    "The Bell Rock tower is 35 metres or 115 feet tall [1].",
    "The Bell Rock tower cost £61.331 to build [1].",
    "The Bell Rock tower cost 61331 pounds to build [1].",
    "Stevenson kept 24 candles burning [1].",
    "R. Stevenson built the Bell Rock lighthouse with Rennie [1].",
    "Stevenson's lighthouse was built for the NLB [1].",
    "The men of the US brig saw the candles burning [1].",
    "Bell Rock Lighthouse was built by Robert Stevenson [1].",
    "He wrote: “The sea was never still” [1].",
    'He wrote that "the sea was never still" [1].',
    "He wrote “we kept … candles burning - all night - for the men” [1].",
    "He wrote «we kept twenty-four candles burning».  [1]",
    "Income of the light fell by 3.2 % [2].",
    "Income of the light changed by -3.2 percent [2].",
    "Louis de Foix finished Cordouan before John Smeaton finished Eddystone [2].",
    "Wolf Rock Lighthouse is 41 m high and seen over 16 nautical miles [3].",
    "Sales in Asia were € 3.2 million in 2019 [6].",
    "Sales in Asia were €3,200,000 in 2019 [6].",
    "Losses of 1.4 million euros were made in 2019 [6].",
    "The lamp met ISO-9001 [6].",
    "The Fl(2) lamp and the A35 line were not harmed by COVID-19 [6].",
    "1. **Bell Rock**: according to source 1 the tower is 35 m tall [1].",
    "John Smeaton's tower of 1759 and Robert Stevenson's of 1811 were lighthouses [1][2].",
)
FALSE = (
    ("The Bell Rock tower is 36 m tall [1].", "number", "36 m"),
    ("The Bell Rock tower is 35 ft tall [1].", "number", "35 ft"),
    ("The Bell Rock tower cost £613.31 to build [1].", "number", "£613.31"),
    ("The Bell Rock tower cost €61,331 to build [1].", "number", "€61,331"),
    ("The Bell Rock tower was built from 1807 to 1812 [1].", "date", "1812"),
    ("The Bell Rock tower was first lit on 2 February 1811 [1].", "date", "2 February 1811"),
    ("The Bell Rock tower was first lit in March 1811 [1].", "date", "March 1811"),
    ("The Bell Rock tower was first lit on 1 February 1812 [1].", "date", "1 February 1812"),
    ("Stevenson kept 42 candles burning [1].", "number", "42"),
    ("Stevenson kept forty-two candles burning [1].", "number", "forty-two"),
    ("Alan Stevenson built the Bell Rock lighthouse [1].", "name", "Alan Stevenson"),
    ("The Bell Rock lighthouse was built by James Walker [1].", "name", "James Walker"),
    ("Smeaton built the Bell Rock lighthouse [1].", "name", "Smeaton"),
    ("The Bell Rock lighthouse was built for the RNLI [1].", "name", "RNLI"),
    ("Louis de Vries finished Cordouan before Smeaton [2].", "name", "Louis de Vries"),
    ("He wrote that “the sea was always still” [1].", "quotation", "the sea was always still"),
    ("He wrote “candles burning … the sea was never” [1].", "quotation",
     "candles burning … the sea was never"),
    ("Income of the light rose by 3.2 % [2].", "number", "3.2 %"),
    ("The tower changed by -35 m [1].", "number", "-35 m"),
    ("Wolf Rock Lighthouse is 41 nautical miles high [3].", "number", "41 nautical miles"),
    ("Sales in Asia were € 3.2 billion in 2019 [6].", "number", "€ 3.2 billion"),
    ("Sales in Asia were € 32 million in 2019 [6].", "number", "€ 32 million"),
    ("The lamp met ISO-9002 [6].", "code", "ISO-9002"),
    ("The Fl(3) lamp was not harmed [6].", "code", "Fl(3)"),
)  # fmt: skip


@pytest.mark.parametrize("text", TRUE)
def test_what_stands_in_what_is_cited_is_sound(text):
    verdict = judged(text)
    assert verdict.faults == ()
    assert verdict.sound
    assert verdict.facts > 0


@pytest.mark.parametrize(("text", "name", "value"), FALSE)
def test_what_does_not_stand_there_is_found(text, name, value):
    assert faults(text) == [(name, value)]
    assert not judged(text).sound


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (
            "The Bell Rock tower was built in 1812 [1].",
            '"1812" is not in [1] (nearest there: 1811)',
        ),
        ("The tower is 35 ft tall [1].", '"35 ft" is not in [1] (nearest there: 35 m)'),
        ("Robert Stephenson built it [1].", "nearest there: Stevenson"),
        ("It was lit on 2 February 1811 [1].", "nearest there: 1 February"),
        ("He wrote “the sea was never very still” [1].", "(there: “"),
        ("Then 15.Rxe7 won [5].", "nearest there: 15. exf5"),
    ],
)
def test_a_fault_says_what_stands_there_instead(text, near):
    assert near in judged(text).faults[0].told


FORMS = (
    *(
        "[1, 2]",
        "[Source 1]",
        "[Sources 1 and 2]",
        '[1: Book - "X", y]',
        "【1】",
        "【1†notes】",
        "[^1]",
    ),
    *("[1-3]", "[ref 1]", "[refs. 1, 2]", "[1 and 2]", "[1/2]", "[1 - Smith 1999]", "[source1]"),
    *("[Ref: 1]", "[sources: 1]", "[source:1]", "[Source\u00a01]", "[1 ]", "[\n1]", "(Source 1)"),
)
"""How models write marks."""


@pytest.mark.parametrize("form", FORMS)
def test_marks_are_read_in_one_form_which_what_a_model_writes_is_brought_into(form):
    said = f"The Bell Rock tower is 35 m tall {form}."
    assert marked(said).startswith("The Bell Rock tower is 35 m tall [1]")
    verdict = judged(marked(said))
    assert verdict.sound
    assert 1 in verdict.marks
    assert find_marks(said) == ()
    assert judged(f"“{said}” [2]").marks == (2,)


@pytest.mark.parametrize("said", ["It is 35 m tall [1] [1].", "It is 35 m tall [1][1]."])
def test_a_mark_stands_once_in_a_row(said):
    assert judged(said).text == "It is 35 m tall [1]."
    assert judged("It is 35 m tall [1][2].").text == "It is 35 m tall [1] [2]."


SAID = st.lists(
    st.one_of(
        st.sampled_from([f" {form} " for form in FORMS]), st.text("ab1 [](),*_`|\\.", max_size=8)
    ),
    max_size=6,
)


@given(SAID)
def test_evidence_forges_no_mark_and_is_quoted_as_it_stands(parts):
    said = f"The lamp of the reef {''.join(parts)} burns colza oil"
    known = {1: exhibit(1, said), 2: EXHIBITS[2], 3: EXHIBITS[3]}
    verdict = check(Statement(text=f"“{escape_markdown(neutralize(said))}” [1]"), known)
    assert verdict.faults == ()
    assert verdict.marks == (1,)
    assert all(one[0].startswith("(") for one in WRITTEN.finditer(neutralize(said)))


def test_a_mark_that_leads_nowhere_is_taken_out_and_told():
    verdict = judged("The Bell Rock tower is 35 m tall [1] [9].")
    assert verdict.text == "The Bell Rock tower is 35 m tall [1]."
    assert [(one.check, one.value) for one in verdict.faults] == [("mark", "[9]")]
    assert verdict.sound
    assert verdict.marks == (1,)


def test_what_cites_only_a_stray_mark_cites_nothing():
    assert judged("The Bell Rock tower is 35 m tall [9].").text.endswith("tall [1].")
    assert [name for name, _ in faults("The Bell Rock tower is 36 m tall [9].")] == [
        "mark",
        "citation",
    ]


def test_a_true_sentence_with_the_mark_of_another_source_is_astray():
    told = judged("The builder kept candles burning for the men all night [6].").faults[0]
    assert told.check == "citation"
    assert "[1] is nearer" in told.told
    assert judged("The builder kept candles burning for the men all night [1].").sound


def test_what_cites_nothing_is_given_the_source_that_bears_all_of_it():
    text = "The Eddystone tower was finished by John Smeaton in 1759."
    assert judged(text).text == "The Eddystone tower was finished by John Smeaton in 1759 [2]."
    assert judged(text).marks == (2,)
    assert [name for name, _ in faults(text.replace("1759", "1758"))] == ["citation"]


def test_the_exhibits_of_its_section_are_asked_first():
    twin = exhibit(7, EXHIBITS[2].passage.text)
    said = Statement(text="John Smeaton finished the Eddystone tower in 1759.", within=(7,))
    assert check(said, {**EXHIBITS, 7: twin}).marks == (7,)


@pytest.mark.parametrize("text", ["The moon is cheese.", "It stands on a sandbox of gold."])
def test_a_short_uncited_sentence_of_what_is_nowhere_needs_a_source(text):
    verdict = judged(text)
    assert not verdict.sound
    assert [one.check for one in verdict.faults] == ["citation"]


@pytest.mark.parametrize(
    "text", ["There are three reasons.", "This matters.", "Both sources agree.", "In short:"]
)
def test_a_sentence_with_nothing_to_check_needs_no_source(text):
    verdict = judged(text)
    assert verdict.sound
    assert verdict.facts == 0
    assert verdict.text == text


def test_headings_are_not_checked_but_their_stray_marks_go():
    verdict = judged("## The Tower of 1492 [9]", "heading")
    assert (verdict.text, verdict.sound, verdict.facts) == ("## The Tower of 1492", True, 0)


def test_title_headings_page_fields_and_label_count_as_said():
    one = exhibit(
        1,
        "It stood for sixteen months.",
        title="Minot's Ledge",
        locator=Locator(section=("Iron towers",), page=12),
        metadata={"author": "William Swift"},
        label="Report of 1851",
    )
    for text in ("Minot's Ledge stood", "On page 12 it stood", "William Swift's tower stood"):
        assert check(
            Statement(text=f"{text} for sixteen months, says the report of 1851 [1]."), {1: one}
        ).sound
    assert not check(Statement(text="On page 13 it stood for sixteen months [1]."), {1: one}).sound


def test_a_pack_adds_its_own_checks():
    seen = []

    def known_places(text, cited):
        seen.append((text, [one.mark for one in cited]))
        fault = Fault(check="place", value="Atlantis", told="Atlantis is no place")
        return Checked(facts=2, faults=(fault,))

    text = "The Bell Rock tower is 35 m tall [1]."
    verdict = judged(text, checks=[known_places])
    assert seen == [("The Bell Rock tower is 35 m tall.", [1])]
    assert verdict.facts == judged(text).facts + 2
    assert [one.check for one in verdict.faults] == ["place"]
    assert not verdict.sound


def test_escapes_and_marks_of_others_do_not_part_a_quotation_from_its_source():
    one = exhibit(1, "He wrote: see [3] and <b>mind</b> the *stars* above.")
    text = "He wrote “see (3) and \\<b>mind\\</b> the \\*stars\\* above” [1]."
    assert check(Statement(text=text), {1: one}).sound


@given(st.text(max_size=120), st.sampled_from(["prose", "table", "lines", "path", "heading"]))
def test_any_text_can_be_checked(text, form):
    verdict = judged(text, form)
    assert set(verdict.marks) <= set(EXHIBITS)
    assert verdict.sound == (not [one for one in verdict.faults if one.check != "mark"])


@pytest.mark.parametrize("part", ["a → ", "12, 13, ", "1 234 ", "[1, ", "“a b c ", "1. e4 e5 "])
def test_a_long_and_strange_text_is_read_to_its_end(part):
    text = 1000 * part
    assert check(Statement(text=f"{text}[1]"), {1: exhibit(1, text)}).marks == (1,)


def test_quotation_marks_inside_a_quotation_may_have_any_shape():
    one = exhibit(1, "He called the South its “principal enemy” in a speech.")
    for inner in ("‘principal enemy’", "'principal enemy'", '"principal enemy"'):
        said = Statement(text=f"“He called the South its {inner} in a speech.” [1]")
        assert check(said, {1: one}).sound, inner


def test_every_mark_behind_a_quotation_must_hold_it():
    home = exhibit(1, "The segment earned its revenue abroad, outside the United States.")
    away = exhibit(2, "The segment earned its revenue at home, in the United States.")
    said = Statement(text="“The segment earned its revenue abroad” [1] [2], it says.")
    verdict = check(said, {1: home, 2: away})
    assert verdict.text == "“The segment earned its revenue abroad” [1], it says."
    assert verdict.sound
    assert [(one.check, one.value) for one in verdict.faults] == [("mark", "[2]")]
    assert check(
        Statement(text="“The segment earned its revenue” [1] [2]"), {1: home, 2: away}
    ).marks == (1, 2)
