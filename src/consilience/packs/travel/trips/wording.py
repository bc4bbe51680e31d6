"""How are times, months, amounts and lists put in words?"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from datetime import date
from decimal import Decimal

from consilience.packs.travel.money import told
from consilience.text_markup import neutralize

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def duration(minutes: int) -> str:
    """`45 min`, `2 h`, `3 h 10 min`."""
    hours, rest = divmod(minutes, 60)
    parts = ([f"{hours} h"] if hours else []) + ([f"{rest} min"] if rest or not hours else [])
    return " ".join(parts)


def joined(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def day_of(on: date) -> str:
    """`Monday 1 March 2027`."""
    return f"{WEEKDAYS[on.weekday()]} {on.day} {MONTHS[on.month - 1]} {on.year}"


def months_of(months: Iterable[int]) -> str:
    """Months in words, runs as such and over the end of the year: `from November to February`."""
    wanted = {one for one in months if 1 <= one <= 12}
    if len(wanted) == 12:
        return "all year"
    runs = [_run(one, wanted) for one in sorted(wanted) if (one - 2) % 12 + 1 not in wanted]
    if all(len(run) < 3 for run in runs):
        return f"in {joined([MONTHS[one - 1] for run in runs for one in run])}" if runs else ""
    return joined([_told_run(run) for run in runs])


def _told_run(run: Sequence[int]) -> str:
    first, last = MONTHS[run[0] - 1], MONTHS[run[-1] - 1]
    if len(run) < 3:
        return f"in {joined(list(dict.fromkeys((first, last))))}"
    return f"from {first} to {last}"


def _run(first: int, wanted: Container[int]) -> list[int]:
    """The months from one on that follow one another."""
    run = [first]
    while run[-1] % 12 + 1 in wanted:
        run.append(run[-1] % 12 + 1)
    return run


def weekdays_of(days: Iterable[int]) -> str:
    """`Mondays`, `Mondays and Tuesdays`."""
    return joined([f"{WEEKDAYS[one]}s" for one in sorted(set(days))])


def priced(amount: Decimal | None, currency: str, per: str = "") -> str:
    """`12.50 EUR a person`; `free` for nothing, `price not known` where none is."""
    if amount is None:
        return "price not known"
    if not amount:
        return "free"
    return f"{told(amount, currency).strip()} {per}".strip()


def sentence(text: str) -> str:
    """A text with a stop at its end."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def briefly(text: str, most: int = 60) -> str:
    """The first sentences of a text on one line, no more than so many words."""
    words = neutralize(text).split()
    if len(words) <= most:
        return " ".join(words)
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(" ".join(words)):
        if len(kept) + len(sentence.split()) > most:
            break
        kept += sentence.split()
    return " ".join(kept) if kept else f"{' '.join(words[:most])} …"
