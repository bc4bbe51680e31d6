"""Which names of a wish are places that the atlas does not have, however they stand in it?"""

import pytest
from wishes_shared import read


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("5 days on Ly Son island in April", ("Ly Son",)),
        ("Three nights Vung Tau and two nights in Lindow", ("Vung Tau",)),
        ("A long weekend, 4 days Tbilisi and Baku", ("Tbilisi", "Baku")),
        ("Moc Chau weekend for two", ("Moc Chau",)),
        ("Son Mulu cave for next weekend, two persons", ("Son Mulu",)),
        ("Five nights in June, all five on Ly Son, nowhere else", ("Ly Son",)),
        ("A week split between Dong Hoi and Lindow", ("Dong Hoi",)),
        ("Visit Mount Fuji and Lindow, 6 days", ("Mount Fuji",)),
    ],
)
def test_a_name_keeps_words_that_are_ordinary_elsewhere(text, unknown):
    assert read(text).unknown == unknown


@pytest.mark.parametrize(
    "text",
    [
        "5 days Lindow, Kindly suggest",
        "Beautiful Lindow for 4 days, Tailor Shops and Beaches",
        "Romantic Getaway To Lindow For Two Days With Good Food",
        "4 days in Lindow with the Leeds Rotary Club, temples and food",
        "4 days Lindow. Thanks Anna",
        "Weekend in Lindow for our Golden Wedding",
    ],
)
def test_words_with_a_capital_are_no_places(text):
    assert read(text).unknown == ()
