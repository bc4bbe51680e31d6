"""How long may a way take at most, for those who travel? "A baby who lasts two hours in a car"."""

from __future__ import annotations

import re

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import Sentence


def _time(number: int) -> str:
    """The form of a time that is the so-manieth of a pattern."""
    return (
        rf"(?P<count{number}>{NUMBER}|an?)(?P<half{number}> and a half)?[ -]?"
        rf"(?P<unit{number}>hours?|hrs?|h|minutes?|mins?)\b"
    )


_MOST = (
    r"(?:max(?:imum)?(?: of)?|at most|no more than|not more than|never more than|no longer than"
    r"|under|less than|up to|within|below|not over|not exceed(?:ing)?)"
)
_LEG = (
    r"(?:legs?|drives?|journeys?|transfers?|rides?|stretch(?:es)?|stages?|ways?|trips? between"
    r"|travel(?:l?ing)?(?: times?)?|driving|transport)"
)
_RIDING = (
    r"(?:(?:in|on) (?:an? |the |any )?(?:car|bus|train|van|coach|road|vehicle|seat|taxi)"
    r"|(?:of )?(?:travel(?:l?ing)?|driving|transfers?|transport|sitting|being driven))"
)
_FORMS = {
    # at most three hours of driving a day
    1: rf"\b{_MOST}\s+{_time(1)}\s+{_RIDING}",
    # a baby who lasts two hours in a car
    2: rf"\b(?:lasts?|manages?|bears?|stands?|tolerates?|endures?|can (?:only )?(?:sit|manage|stand"
    rf"|take|do|bear|handle))\s+(?:only |at most |just )?{_time(2)}\s+{_RIDING}",
    # no leg longer than two hours
    3: rf"\b(?:no|not one|never an?)\s+(?:single |one )?(?:\w+ )?{_LEG}(?: [\w ]{{1,18}}?)?\s+"
    rf"(?:longer than|over|more than|above|exceeding|of more than)\s+{_time(3)}",
    # every drive under an hour
    4: rf"\b(?:every|each|any|all)\s+(?:single |the )?{_LEG}(?: [\w ]{{1,18}}?)?\s+{_MOST}\s+"
    rf"{_time(4)}",
    # in no vehicle for longer than 45 minutes
    5: rf"\b(?:not|never|n't|cannot|no one|nobody|no) "
    rf"(?:[\w']+ ){{0,5}}?(?:in|on) (?:an? |the |any )?"
    rf"(?:car|bus|train|van|coach|road|vehicle|seat|taxi)s? (?:for )?(?:longer"
    rf"|more) than {_time(5)}",
}
_BOUND = re.compile("|".join(_FORMS.values()), re.IGNORECASE)


def read_bound(sentence: Sentence) -> tuple[int, str] | None:
    """The most minutes that a way may take, and how that is said; None where nothing is."""
    for match in sentence.find(_BOUND):
        number = next(n for n in _FORMS if match[f"count{n}"])
        said = match[f"count{number}"].casefold()
        count = 1 if said in ("a", "an") else value(said)
        each = 60 if match[f"unit{number}"].casefold().startswith("h") else 1
        half = each // 2 if match[f"half{number}"] else 0
        return count * each + half, match[0].strip()
    return None
