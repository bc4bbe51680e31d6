"""What does a trip cost, as a table? Its lines add up to its total."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.money import RATES, RATES_OF, rounded, told
from consilience.packs.travel.trips.showing.agenda import Entry, entries
from consilience.packs.travel.trips.showing.blocks import Block, Heading, Lines, Table, Told
from consilience.packs.travel.trips.types import Bill, Cost, Itinerary
from consilience.packs.travel.trips.wording import joined
from consilience.text_markup import neutralize


def bill_blocks(bill: Bill, itinerary: Itinerary, atlas: Atlas) -> Iterator[Block]:
    """The budget table, what is free, what has no price, and how it compares with the budget."""
    yield Heading("Budget")
    unit = f" ({bill.currency})" if bill.currency else ""
    rows = [*_rows(bill), (_cell("Total"), _cell(""), _cell(""), _money(bill.total, bill))]
    yield Table(
        columns=("What", "Count", f"Each{unit}", f"Sum{unit}"),
        rows=tuple(rows),
        right=frozenset((1, 2, 3)),
        total=True,
    )
    lines = [*_unpaid(itinerary, atlas), *_compared(bill, atlas)]
    if lines:
        yield Lines(tuple((name, Told(text)) for name, text in lines))


def _rows(bill: Bill) -> Iterator[tuple[Told, ...]]:
    """A row for what is bought under one name; where prices vary, how often and the sum."""
    lines: dict[str, list[Cost]] = {}
    for one in bill.costs:
        if one.total:
            lines.setdefault(one.what, []).append(one)
    for what, same in lines.items():
        times = sum(one.count for one in same)
        each = _money(same[0].each, bill) if len(same) == 1 else _cell("various")
        total = _money(sum((one.total for one in same), Decimal(0)), bill)
        yield (_cell(neutralize(what)), _cell(f"{times:,}"), each, total)


def _unpaid(itinerary: Itinerary, atlas: Atlas) -> Iterator[tuple[str, str]]:
    """What the table has no line of: it is free, or nobody knows what it costs."""
    every = [one for day in itinerary.days for one in entries(day, atlas)]
    every = [one for one in every if one.kind != "way"]
    free = dict.fromkeys(_named(one) for one in every if one.price == 0)
    unknown = dict.fromkeys(_named(one) for one in every if one.price is None)
    if free:
        yield "Free", neutralize(joined(list(free)))
    if unknown:
        yield "Not counted, as no price is known", neutralize(joined(list(unknown)))


def _named(entry: Entry) -> str:
    return f"{entry.mode} to {entry.name}" if entry.kind == "leg" else entry.name


def _compared(bill: Bill, atlas: Atlas) -> Iterator[tuple[str, str]]:
    if bill.wanted is None:
        return
    budget = told(bill.wanted, bill.in_currency)
    if bill.converted is None or bill.rate is None:
        why = f"no rate of {bill.in_currency} to {bill.currency} is known"
        yield "Budget", f"{budget}; it cannot be compared, as {why}"
        return
    if bill.in_currency != bill.currency:
        units = Context(prec=6).create_decimal(bill.rate).normalize()
        worth = f"{units:,f} {bill.currency} for 1 {bill.in_currency}"
        yield (
            f"In {bill.in_currency}",
            f"{told(bill.converted, bill.in_currency)} at {worth}{_dated(bill, atlas)}",
        )
    left = bill.wanted - bill.converted
    rest = told(abs(left), bill.in_currency)
    yield "Budget", f"{budget}, {rest} {'left' if left >= 0 else 'too little'}"


def _dated(bill: Bill, atlas: Atlas) -> str:
    """Of when a built-in rate is; those of a workspace have no date."""
    pair = (bill.currency, bill.in_currency)
    built_in = all(one in RATES and atlas.rates.get(one) == RATES[one] for one in pair)
    return f" (a rate of {RATES_OF})" if built_in else " (a rate of this workspace)"


def _money(amount: Decimal, bill: Bill) -> Told:
    return _cell(f"{rounded(amount, bill.currency):,}")


def _cell(text: str) -> Told:
    return Told(text)
