"""Of a table only wrong rows go, a fact belongs to the mark behind it, and words of a name to one
another; what follows from a source is let pass.
"""

import pytest
from checking_shared import EXHIBITS, exhibit, faults, judged

from consilience.answer.checker import check
from consilience.text_markup import escape_markdown, neutralize
from consilience.types import Statement

TABLE = "| name | height_m | first lit |\n|---|---|---|\n"
GOOD = "| Wolf Rock Lighthouse | 41 | 1870 [3] |"
BAD = "| Wolf Rock Lighthouse | 41 | 1999 [3] |"


def sound(text, *texts, form="prose", **more):
    exhibits = {mark: exhibit(mark, one, **more) for mark, one in enumerate(texts, start=1)}
    return check(Statement(text=text, form=form), exhibits).sound


# --- rows and lines -----------------------------------------------------------------------


def test_only_the_rows_that_fail_are_left_out():
    verdict = judged(f"{TABLE}{BAD}\n{GOOD}", "table")
    assert not verdict.sound
    assert verdict.kept == TABLE + GOOD
    assert [one.value for one in verdict.faults] == ["1999"]
    assert judged(TABLE + BAD, "table").kept == ""
    assert judged(TABLE + GOOD, "table").kept == TABLE + GOOD


def test_only_the_lines_that_fail_are_left_out_and_the_mark_stays():
    verdict = judged("14. Nf5 Bxf5\n15. exf5 Qd6 [5]", "lines")
    assert verdict.kept == "14. Nf5 Bxf5 [5]"
    assert [one.value for one in verdict.faults] == ["Qd6"]
    assert judged("14. Ne5\n15. exf5 Qd6 [5]", "lines").kept == ""


@pytest.mark.parametrize("row", [BAD, "| Wolf Rock Lighthouse | 41 | 1999 | [3]"])
def test_a_remark_stands_in_the_last_cell_of_the_row_that_fails(row):
    told = judged(f"{TABLE}{row}\n{GOOD}", "table").doubted("(no)")
    assert told == f"{TABLE}| Wolf Rock Lighthouse | 41 | 1999 [3] (no) |\n{GOOD}"


def test_a_bar_in_a_cell_parts_no_cells():
    name = "Reef | lamp \\ of <b>oil</b>"
    row = exhibit(1, f"name: {name}; fuel: colza", metadata={"name": name, "fuel": "colza"})
    text = f"| name | fuel |\n|---|---|\n| {escape_markdown(neutralize(name))} | colza [1] |"
    assert check(Statement(text=text, form="table"), {1: row}).faults == ()
    wrong = text.replace("colza [1]", "paraffin [1]")
    assert check(Statement(text=wrong, form="table"), {1: row}).faults[0].value == "paraffin"


def test_a_row_is_compared_with_the_source_that_its_first_cell_names():
    rows = {
        mark: exhibit(mark, f"name: {name}", metadata={"name": name, "height": height})
        for mark, (name, height) in enumerate((("Alpha", 12), ("Beta", 13)), start=1)
    }
    head = "| name | height |\n|---|---|\n"
    right = Statement(text=f"{head}| Alpha | 12 [1][2] |", form="table")
    wrong = Statement(text=f"{head}| Alpha | 13 [1][2] |", form="table")
    assert check(right, rows).sound
    assert not check(wrong, rows).sound


def test_a_cell_may_have_the_unit_that_a_field_of_its_source_gives():
    table = "| Tower | How high |\n|---|---|\n| Alpha | 12 m [1] |"
    said = "name: Alpha; height: 12"
    assert sound(table, said, form="table", metadata={"height": 12, "unit": "m"})
    assert not sound(table, said, form="table", metadata={"height": 12, "unit": "ft"})


# --- whose fact is it ---------------------------------------------------------------------

TREATY = "The Treaty of Utrecht was signed on 11 April 1713 by Strafford."
DUKE = "Marlborough, the duke, was dismissed on 31 December 1711."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The treaty was signed in 1713 [1], after the duke was dismissed in 1711 [2].", True),
        ("The treaty was signed in 1711 [1], after the duke was dismissed in 1713 [2].", False),
        ("Strafford signed the treaty [1] and Marlborough was dismissed [2].", True),
        ("Marlborough signed the treaty [1] and Strafford was dismissed [2].", False),
        ("The treaty was signed in 1711 or 1713 [1][2].", True),
        ("The treaty was signed in 1713 [1], Zorro being dismissed in 1711 [2].", False),
        ("The treaty [1] and the dismissal of the duke [2] fell in 1713 and 1711.", True),
        ("The treaty of 1713 [1] came after Marlborough, not in 1713, was dismissed [2].", True),
        ("He says “signed on 11 April [1] 1713” [1], and the duke was dismissed [2].", True),
    ],
)
def test_a_fact_belongs_to_the_marks_next_behind_it(text, expected):
    assert sound(text, TREATY, DUKE) == expected


def test_the_numbers_of_sources_are_facts_in_the_words_of_others_alone():
    river = "Source 2 of the river lies at Bonn, and there are three of them."
    assert sound("“Source 2 of the river lies at Bonn” [1].", river)
    assert not sound("“It of the river lies at Bonn” [1].", river)
    table = "| where |\n|---|\n| Source 2 of the river [1] |"
    assert sound(table, river, form="table")
    assert not sound(table.replace("2", "7"), river, form="table")
    assert sound("According to source 7, the river has its source at Bonn [1].", river)


# --- names --------------------------------------------------------------------------------

BOSTON = (
    "George Worthylake was the first keeper of the Boston light. He drowned in 1718 with his wife "
    "and a daughter, and a boy of twelve, Benjamin Franklin, wrote a ballad of it. The Board of "
    "Trade heard Lord Edward Hawke, R. L. Stevenson and Queen Anne; the tower was of stone."
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("George Worthylake", True),
        ("Benjamin Worthylake", False),
        ("George Franklin", False),
        ("B. Franklin", True),
        ("G. Franklin", False),
        ("Mr. Franklin", True),
        ("Sir Edward Hawke", True),
        ("Robert Louis Stevenson", True),
        ("Robert Stevenson", True),
        ("Queen Anne", True),
        ("Worthylake Tower", True),
        ("Boston Board of Trade", False),
    ],
)
def test_the_words_of_a_name_stand_near_each_other_in_one_source(name, expected):
    assert sound(f"The ballad of the keeper speaks of {name} [1].", BOSTON) == expected


def test_the_two_sides_of_a_game_are_no_names():
    assert judged("After 16.Rxe7 Qxe7 17.Qd5+ it is Black who is lost [5].").faults == ()
    assert faults("The reef of Eddystone was found by Black [2].") == [("name", "Black")]


def test_signs_that_nobody_sees_part_no_names():
    assert sound(
        "Strafford signed the treaty in 1713 [1].", TREATY.replace("aff", "a\u00adf\u200bf")
    )


# --- numbers ------------------------------------------------------------------------------

RISING = (
    "Sales rose by 3.2 % to 1,234.5 million euros. Costs were 4 % lower, and fell to 200 million "
    "euros."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sales rose by 3.2 % [1].", True),
        ("Sales increased 3.2 percent [1].", True),
        ("Sales came to 1,234.5 million euros after 3.2 % [1].", True),
        ("Sales fell by 3.2 % [1].", False),
        ("Costs were up while sales went down by 3.2 % [1].", False),
        ("Costs fell by 4 % [1].", True),
        ("Costs rose by 4 % [1].", False),
        ("There was a 4 % increase in costs [1].", False),
        ("Costs rose from 200 million euros [1].", True),
    ],
)
def test_a_rise_is_no_fall(text, expected):
    assert sound(text, RISING) == expected


def test_a_negative_number_is_borne_by_a_fall_and_not_by_a_rise():
    claim = "The income of the light changed by -3.2 % [1]."
    assert sound(claim, "The income of the light fell by 3.2 % in a year.")
    assert not sound(claim, "The income of the light rose by 3.2 % in a year.")
    assert not sound(claim, "The income of the light was 3.2 % of the whole.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The treaty was signed in the 18th century [1].", True),
        ("It is an 18th-century treaty that was signed [1].", True),
        ("The treaty was signed in the 17th century [1].", False),
        ("The treaty was signed in the 1710s [1].", True),
        ("The treaty was signed in the 1700s [1].", True),
        ("The treaty was signed in the 1720s [1].", False),
        ("The treaty was signed for the 18th time [1].", False),
        ("Begun in 1702, the treaty was signed 11 years later, in 1713 [1].", True),
        ("Begun in 1702, the treaty was signed 12 years later, in 1713 [1].", False),
        ("Begun in 1702, the treaty was signed in 1713, for 11 years [1].", False),
    ],
)
def test_what_follows_from_years_is_let_pass(text, expected):
    assert sound(text, TREATY + " Talks had begun in 1702.") == expected


# --- long and strange ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "part", ["Ab ", "A.", "A. ", "*", " ", "\n", "*a ", "_a", "[source ", "“", "| ", "\\"]
)
def test_fifty_thousand_letters_are_read_to_their_end(part):
    text = part * (50_000 // len(part))
    shown = escape_markdown(neutralize(text))
    verdict = check(Statement(text=f"{shown} [1]"), {1: exhibit(1, text), 2: EXHIBITS[2]})
    assert set(verdict.marks) <= {1}
