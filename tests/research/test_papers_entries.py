"""References in the styles that journals print, names in any order, and what papers meet by."""

from __future__ import annotations

import pytest

from consilience.packs.research.papers.entries import read_entry, split_entries
from consilience.packs.research.papers.people import is_person, people, surname

STYLES = {
    "Rubin, D. B. (1974). Estimating effects of treatments. Journal of Psychology, 66.": (
        "rubin 1974",
        "Estimating effects of treatments",
    ),
    "Angrist, J. D., Imbens, G. W., & Rubin, D. B. (1996). Identification of effects. JASA, 91.": (
        "angrist 1996",
        "Identification of effects",
    ),
    "Rubin, Donald B. 1974. “Estimating Effects of Treatments.” Journal of Psychology 66 (5).": (
        "rubin 1974",
        "Estimating Effects of Treatments",
    ),
    "Rubin DB. Estimating effects of treatments. J Psychol. 1974;66(5):688-701.": (
        "rubin 1974",
        "Estimating effects of treatments",
    ),
    "[12] J. Pearl, Causality: Models and Inference, 2nd ed. Cambridge, U.K.: Press, 2009.": (
        "pearl 2009",
        "Causality: Models and Inference, 2nd ed",
    ),
    "[3] V. Chernozhukov et al., “Double machine learning,” Econom. J., pp. C1–C68, 2018.": (
        "chernozhukov 2018",
        "Double machine learning",
    ),
    "Doe, J., Roe, K.: A title. In: Proceedings of X, pp. 1–10. Springer, Heidelberg (2016).": (
        "doe 2016",
        "A title",
    ),
    "Donald B. Rubin and Bin Yu. Estimating effects. Journal, 66(5):688, 1974.": (
        "rubin 1974",
        "Estimating effects",
    ),
    "Athey, S. and Imbens, G. (2016), ‘Recursive partitioning’, PNAS 113(27), 7353–7360.": (
        "athey 2016",
        "Recursive partitioning",
    ),
    "Mark J. van der Laan and Sherri Rose. Targeted Learning. Springer, 2011.": (
        "van der laan 2011",
        "Targeted Learning",
    ),
    "van der Laan, M. J., and S. Rose. 2011. Targeted Learning. New York: Springer.": (
        "van der laan 2011",
        "Targeted Learning",
    ),
    "Tchetgen Tchetgen, E. J. and VanderWeele, T. J. (2012). On interference. SMMR 21.": (
        "tchetgen tchetgen 2012",
        "On interference",
    ),
    "R Core Team (2021). R: A Language for Statistical Computing. Vienna, Austria.": (
        "r core team 2021",
        "R: A Language for Statistical Computing",
    ),
    "Kingma, D. P., & Ba, J. (2014). Adam: A method. arXiv preprint arXiv:1412.6980.": (
        "kingma 2014",
        "Adam: A method",
    ),
    "Ada Quill. Beyond 1984: a title with a year. Journal of Years, 12:1900–1910, 2005.": (
        "quill 2005",
        "Beyond 1984: a title with a year",
    ),
    "Ada Quill. The “small” difference. arXiv:1905.02383, 2019.": (
        "quill 2019",
        "The “small” difference",
    ),
    "Sören Künzel, 2019. Metalearners for effects. PNAS 116.": (
        "kunzel 2019",
        "Metalearners for effects",
    ),
}


@pytest.mark.parametrize("text", STYLES)
def test_an_entry_gives_its_key_and_title_in_every_style(text: str) -> None:
    entry = read_entry(text)
    assert (entry.key, entry.title) == STYLES[text]


def test_an_entry_without_a_year_or_a_name_has_no_key() -> None:
    assert read_entry("Ada Quill. Lecture notes. Available at: https://example.org/notes").key == ""
    assert read_entry("Some words that name nobody at all").key == ""


def test_all_authors_are_told_apart() -> None:
    assert people("Angrist, J. D., Imbens, G. W., & Rubin, D. B.") == (
        "Angrist, J. D.",
        "Imbens, G. W.",
        "Rubin, D. B.",
    )
    assert people("Ada Quill, Bo Marsh, and Mia de la Cruz") == (
        "Ada Quill",
        "Bo Marsh",
        "Mia de la Cruz",
    )
    assert people("Card, David and Alan B. Krueger") == ("Card, David", "Alan B. Krueger")
    assert people("Quill, Ada; Marsh, Bo") == ("Quill, Ada", "Marsh, Bo")
    assert people("") == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Donald B. Rubin", "Rubin"),
        ("Rubin, Donald B.", "Rubin"),
        ("Rubin DB", "Rubin"),
        ("Mark van der Laan", "van der Laan"),
        ("Eric Tchetgen Tchetgen", "Tchetgen Tchetgen"),
        ("Martin Luther King Jr.", "King"),
        ("World Health Organization", "World Health Organization"),
        ("Plato", "Plato"),
    ],
)
def test_a_surname_is_found_whichever_way_round(name: str, expected: str) -> None:
    assert surname(name) == expected


def test_places_and_titles_are_no_persons() -> None:
    assert is_person("Mia O'Hara")
    assert not is_person("University of Nowhere")
    assert not is_person("a small difference")
    assert not is_person("Plato")


@pytest.mark.parametrize(
    "texts",
    [
        ["[1] Quill, A. (2001). One. [2] Marsh, B. (2002). See [7]. [3] Osei, C. (2003). Three."],
        ["1. Quill, A. (2001). One.\n2. Marsh, B. (2002). See [7].\n3. Osei, C. (2003). Three."],
        ["- Quill, A. (2001). One.\n- Marsh, B. (2002). Two, see [7].\n- Osei, C. (2003). Three."],
        ["Quill, A. (2001). One.", "Marsh, B. (2002). Two, see [7].", "Osei, C. (2003). Three."],
    ],
)
def test_lists_are_split_however_they_are_written(texts: list[str]) -> None:
    found = split_entries(texts)
    assert [read_entry(one).key for one in found] == ["quill 2001", "marsh 2002", "osei 2003"]
