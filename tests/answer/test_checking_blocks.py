"""Tables are checked by rows, lines by moves, paths by steps, and any language by its words."""

import pytest
from checking_shared import exhibit, faults, judged

from consilience.answer.checker import check
from consilience.types import Statement

TABLE = "| name | height_m | first lit |\n|---|---|---|\n"


@pytest.mark.parametrize(
    "row",
    [
        "| Wolf Rock Lighthouse | 41 | 1870 [3] |",
        "| Wolf Rock Lighthouse | 41 m | 1870 | [3]",
        "| *Wolf Rock Lighthouse* | 41 | – [3] |",
    ],
)
def test_a_row_is_sound_when_its_cells_stand_in_what_it_cites(row):
    assert judged(TABLE + row, "table").faults == ()


@pytest.mark.parametrize(
    ("row", "name", "value"),
    [
        ("| Wolf Rock Lighthouse | 16 | 1870 [3] |", "number", "16"),
        ("| Wolf Rock Lighthouse | 41 | 1871 [3] |", "number", "1871"),
        ("| Bell Rock Lighthouse | 41 | 1870 [3] |", "name", "Bell Rock Lighthouse"),
    ],
)
def test_a_cell_is_compared_with_the_field_of_its_heading(row, name, value):
    assert faults(TABLE + row, "table") == [(name, value)]


def test_a_cell_without_such_a_field_is_compared_with_all_that_is_said():
    table = "| tower | country | Height (m) |\n|---|---|---|\n"
    assert judged(table + "| Wolf Rock | England | 41 [3] |", "table").sound
    assert faults(table + "| Wolf Rock | Spain | 41 [3] |", "table") == [("name", "Spain")]
    assert faults(table + "| Wolf Rock | England | 35 [3] |", "table") == [("number", "35")]
    feet = table.replace("(m)", "(ft)")
    assert faults(feet + "| Wolf Rock | England | 41 [3] |", "table") == [("number", "41")]


def test_each_row_answers_for_itself_and_is_given_the_mark_it_lacks():
    good, bad = "| Wolf Rock Lighthouse | 41 | 1870 |", "| Wolf Rock Lighthouse | 41 | 1999 [3] |"
    verdict = judged(f"{TABLE}{good}\n{bad}", "table")
    assert "| 1870 [3] |" in verdict.text
    assert [one.value for one in verdict.faults] == ["1999"]
    assert not verdict.sound


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("14. Nf5 Bxf5 15. exf5 Qd7 [5]", "lines"),
        ("14.Nf5 Bxf5 15.exf5 Qd7 16.Rxe7 [5]", "lines"),
        ("14. Nf5 Bxf5\n15. exf5 Qd7 [5]", "lines"),
        ("15... Qd7 16. Rxe7! Qxe7 [5]", "lines"),
        ("Nf5 Bxf5 exf5 [5]", "lines"),
        ("After 16.Rxe7 Qxe7 17.Qd5+ White wins [5].", "prose"),
        ("Black should have played 14...Qd7 or 14...Qc8 [5].", "prose"),
        ("18. 0-0 ends it [5].", "prose"),
    ],
)
def test_moves_that_stand_there_one_after_the_other_are_sound(text, form):
    assert judged(text, form).faults == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("14. Nf5 Bxf5 15. exf5 Qd6 [5]", "Qd6"),
        ("14. Nf5 15. exf5 [5]", "15. exf5"),
        ("15. exf5 Bxf5 [5]", "Bxf5"),
        ("15. Nf5 Bxf5 [5]", "15. Nf5"),
        ("14. Nf5 Bxf5 16. Rxe7 [5]", "16. Rxe7"),
        ("14. Ne5 [5]", "14. Ne5"),
    ],
)
def test_a_move_that_is_not_played_there_is_found(text, value):
    assert ("move", value) in faults(text, "lines")


@pytest.mark.parametrize(
    "text",
    [
        "Richard Henry Brunton → (learned from) → Thomas Stevenson [4]",
        "Richard Henry Brunton → (learned from) → Thomas Stevenson: “Brunton went to Japan” [4]",
        "Richard Henry Brunton → Thomas Stevenson [4]",
    ],
)
def test_a_path_that_stands_there_is_sound(text):
    assert judged(text, "path").faults == ()
    assert judged(text, "path").facts > 0


@pytest.mark.parametrize(
    "text",
    [
        "Thomas Stevenson → (learned from) → Richard Henry Brunton [4]",
        "Richard Henry Brunton → (built) → Thomas Stevenson [4]",
        "Richard Henry Brunton → (learned from) → Robert Stevenson [4]",
        "Thomas Stevenson → Richard Henry Brunton [4]",
    ],
)
def test_a_path_turned_round_or_changed_is_found(text):
    assert [name for name, _ in faults(text, "path")] == ["path"]


# --- other languages ----------------------------------------------------------------------

FRENCH = exhibit(
    1,
    "Le phare de Cordouan fut achevé en 1611 par François Beuscher, après la mort de Louis de "
    "Foix. Sa tour mesure 67,5 mètres et fut rehaussée par Joseph Teulère entre 1782 et 1789. "
    "L'ingénieur écrivit : « la mer ne pardonne jamais rien » le 12 mars 1788.",
)
GERMAN = exhibit(
    1,
    "Der Leuchtturm Roter Sand wurde am 1. November 1885 in Betrieb genommen. Das Bauwerk in der "
    "Nordsee ist 52,5 Meter hoch und kostete 1.234.567 Mark. Die Gründung auf einem Senkkasten war "
    "eine technische Leistung, die Ludwig Franzius und Otto Offergeld geplant hatten.",
)
SPANISH = exhibit(
    1,
    "La Torre de Hércules, en La Coruña, mide 55 metros y fue reformada por Eustaquio Giannini en "
    "1788. Se encendió de nuevo el 12 de marzo de 1791 y su alcance es de 23 millas.",
)
JAPANESE = exhibit(
    1,
    "観音埼灯台は1869年に点灯した日本で最初の洋式灯台である。設計者はフランス人技師ヴェルニーで、塔の高さは19メートルであった。",
)
CHINESE = exhibit(1, "北堡灯塔建于1852年，塔高33米，是中国沿海最古老的灯塔之一。")
RUSSIAN = exhibit(
    1,
    "Осиновецкий маяк построен в 1910 году на берегу Ладожского озера. Высота башни 70 метров, "
    "её проектировал инженер Иван Ушаков.",
)
THAI = exhibit(1, "ประภาคารนี้สร้างขึ้นในปี 1874 และสูง 35 เมตร ตั้งอยู่บนเกาะกลางทะเล")


def alone(one, text):
    """A statement about one exhibit, with others of other languages beside it."""
    others = [FRENCH, GERMAN, SPANISH, JAPANESE, CHINESE, RUSSIAN, THAI]
    known = {place: exhibit(place, other.text) for place, other in enumerate(others, start=2)}
    return check(Statement(text=text), {1: one, **known})


@pytest.mark.parametrize("one", [FRENCH, GERMAN, SPANISH, JAPANESE, CHINESE, RUSSIAN, THAI])
def test_sentences_of_any_language_are_borne_out_by_themselves(one):
    for sentence in one.text.replace("。", "。\n").replace(". ", ".\n").split("\n"):
        if sentence:
            assert alone(one, f"{sentence} [1]").faults == (), sentence


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (FRENCH, "François Beuscher acheva le phare de Cordouan en 1611 [1]."),
        (FRENCH, "La tour de Cordouan, rehaussée par Teulère, mesure 67.5 m [1]."),
        (FRENCH, "D'après l'ingénieur, «la mer ne pardonne jamais rien» (12 mars 1788) [1]."),
        (GERMAN, "Roter Sand ging am 1.11.1885 in Betrieb [1]."),
        (GERMAN, "Ludwig Franzius und Otto Offergeld planten das Bauwerk in der Nordsee [1]."),
        (GERMAN, "Der Turm ist 52,5 m hoch und hat 1 234 567 Mark gekostet [1]."),
        (GERMAN, "Eine Leistung der Technik war die Gründung des Turms auf dem Senkkasten [1]."),
        (SPANISH, "Eustaquio Giannini reformó la Torre de Hércules en 1788 [1]."),
        (SPANISH, "Se encendió el 12.3.1791 la torre de La Coruña [1]."),
        (JAPANESE, "観音埼灯台は日本で最初の洋式灯台で、1869年に点灯した [1]。"),
        (CHINESE, "北堡灯塔高33米，建于1852年 [1]。"),
        (RUSSIAN, "Маяк построен в 1910 году, его башню проектировал Иван Ушаков [1]."),
    ],
)
def test_what_is_said_otherwise_is_still_borne_out(one, text):
    assert alone(one, text).faults == ()


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (FRENCH, "Le phare de Cordouan fut achevé en 1612 par François Beuscher [1]."),
        (FRENCH, "Le phare de Cordouan fut achevé par Augustin Fresnel [1]."),
        (FRENCH, "Il écrivit : « la mer pardonne toujours tout » [1]."),
        (GERMAN, "Roter Sand ging am 2. November 1885 in Betrieb [1]."),
        (GERMAN, "Das Bauwerk hatten Ludwig Franzius und Otto Lilienthal geplant [1]."),
        (GERMAN, "Der Turm ist 52,5 Kilometer hoch [1]."),
        (SPANISH, "La Torre de Hércules mide 56 metros [1]."),
        (SPANISH, "La Torre de Hércules fue reformada por Antonio Gaudí [1]."),
        (JAPANESE, "観音埼灯台は1870年に点灯した [1]。"),
        (JAPANESE, "観音埼灯台は日本で最初の洋式灯台である [6]。"),
        (CHINESE, "北堡灯塔建于1852年，塔高34米 [1]。"),
        (RUSSIAN, "Башню маяка проектировал Алан Стивенсон [1]."),
    ],
)
def test_errors_are_found_in_any_language(one, text):
    assert not alone(one, text).sound
