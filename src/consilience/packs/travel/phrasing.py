"""How are times, months, amounts and lists put in words?"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from datetime import date
from decimal import Decimal

from consilience.packs.travel.money import rounded
from consilience.text_markup import neutralize

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def clock(minutes: int) -> str:
    """`09:30`; past midnight as the clock shows it."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def duration(minutes: int) -> str:
    """`45 min`, `2 h`, `3 h 10 min`."""
    hours, rest = divmod(minutes, 60)
    parts = ([f"{hours} h"] if hours else []) + ([f"{rest} min"] if rest or not hours else [])
    return " ".join(parts)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def long_date(on: date) -> str:
    """`Monday 1 March 2027`."""
    return f"{WEEKDAYS[on.weekday()]} {on.day} {MONTHS[on.month - 1]} {on.year}"


def month_span(months: Iterable[int]) -> str:
    """Months in words, runs as such and over the end of the year: `from November to February`."""
    wanted = {month for month in months if 1 <= month <= 12}
    if len(wanted) == 12:
        return "all year"
    runs = [_run(first, wanted) for first in sorted(wanted) if (first - 2) % 12 + 1 not in wanted]
    if all(len(run) < 3 for run in runs):
        names = [MONTHS[month - 1] for run in runs for month in run]
        return f"in {join_words(names)}" if runs else ""
    return join_words([_run_words(run) for run in runs])


def _run_words(run: Sequence[int]) -> str:
    first, last = MONTHS[run[0] - 1], MONTHS[run[-1] - 1]
    if len(run) < 3:
        return f"in {join_words(list(dict.fromkeys((first, last))))}"
    return f"from {first} to {last}"


def _run(first: int, wanted: Container[int]) -> list[int]:
    """The months from the first on that follow one another."""
    run = [first]
    while run[-1] % 12 + 1 in wanted:
        run.append(run[-1] % 12 + 1)
    return run


def weekday_names(days: Iterable[int]) -> str:
    """`Mondays`, `Mondays and Tuesdays`."""
    return join_words([f"{WEEKDAYS[day]}s" for day in sorted(set(days))])


def show_amount(amount: Decimal, currency: str) -> str:
    """`1,250,000 VND`, `48.50 USD`."""
    return f"{rounded(amount, currency):,} {currency}".strip()


def show_price(amount: Decimal | None, currency: str, per: str = "") -> str:
    """`12.50 EUR a person`; `free` for nothing, `price not known` where none is."""
    if amount is None:
        return "price not known"
    return f"{show_amount(amount, currency)} {per}".strip() if amount else "free"


def as_sentence(text: str) -> str:
    """A text with a stop at its end."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def shorten(text: str, most: int = 60) -> str:
    """The first sentences of a text on one line, no more than so many words."""
    words = neutralize(text).split()
    if len(words) <= most:
        return " ".join(words)
    kept: list[str] = []
    for found in _SENTENCE_END.split(" ".join(words)):
        if len(kept) + len(found.split()) > most:
            break
        kept += found.split()
    return " ".join(kept) if kept else f"{' '.join(words[:most])} …"
