"""Numbers that follow from the sources are no errors, and a negation turned round is one."""

import pytest

from consilience.answer.checker import check
from consilience.answer.exhibits import exhibits_of
from consilience.types import Hit, Statement
from tests_shared import make_passage

TEXT = (
    "The harbour had 487,000 visitors in 2019. Work on the tower began in 1805 and the lamp was "
    "lit in 1811. The final bill was 6,890 euros. The insurer paid 4,600 euros of the bill. The "
    "survey did not find any cracks in the granite of the foundation."
)


def faults(text: str) -> list[str]:
    (exhibit,) = exhibits_of([Hit(passage=make_passage("a", TEXT), score=1.0)])
    statement = Statement(text=f"{text} [{exhibit.mark}].", opens=True)
    return [one.check for one in check(statement, {exhibit.mark: exhibit}).faults]


@pytest.mark.parametrize(
    "text",
    [
        "The harbour had about half a million visitors in 2019",
        "The harbour had almost 490,000 visitors in 2019",
        "Work on the tower took six years",
        "Of the final bill of 6,890 euros the insurer paid 4,600 euros, which left 2,290 euros",
        "The survey found no cracks in the granite of the foundation",
    ],
)
def test_what_is_rounded_or_calculated_stands(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("The harbour had about 600,000 visitors in 2019", "number"),
        ("The harbour had 490,000 visitors in 2019", "number"),
        ("Work on the tower took seven years", "number"),
        (
            "Of the final bill of 6,890 euros the insurer paid 4,600 euros, which left 2,390 euros",
            "number",
        ),
        ("The survey did find cracks in the granite of the foundation", "negation"),
        ("The insurer never paid 4,600 euros of the bill", "negation"),
    ],
)
def test_what_does_not_follow_is_a_fault(text: str, check: str) -> None:
    assert faults(text) == [check]
