"""What do the two groups earn, own and owe? Every figure of the sample, from one seed.

Revenue, EBITDA, volumes and headcount are drawn for each country, division and month; all else
follows from them: sums over months and places are exact, costs add up to what EBITDA leaves, cash
moves by what is earned and spent, and every balance sheet balances. Periods are named by the keys
that the pack gives them: `2025-08`, `2025-YTD-08`, `2024`, `2025-08-31`.
"""

from __future__ import annotations

import calendar
import random
import tomllib
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

ZERO = Decimal(0)
Place = tuple[str, ...]
"""Whose figure: nothing is the group, else a region, a country, a division, or the last two."""
FIRST, LAST = 2023, 2025


def rounded(value: Decimal | float, places: int = 1) -> Decimal:
    """A number with so many decimals, halves away from zero."""
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def months_of(period: str) -> list[tuple[int, int]]:
    """The months of a period, in order."""
    parts = period.split("-")
    year = int(parts[0])
    if len(parts) == 1:
        return [(year, month) for month in range(1, 13)]
    if parts[1] == "YTD":
        return [(year, month) for month in range(1, int(parts[2]) + 1)]
    if parts[1].startswith("Q"):
        first = 3 * int(parts[1][1]) - 2
        return [(year, month) for month in range(first, first + 3)]
    if parts[1].startswith("H"):
        first = 6 * int(parts[1][1]) - 5
        return [(year, month) for month in range(first, first + 6)]
    return [(year, int(parts[1]))]


def key_of(period: str) -> str:
    """The key that the pack has for a period: the first three months of a year are its quarter."""
    names = {"-YTD-03": "-Q1", "-YTD-06": "-H1", "-YTD-12": ""}
    return period[:4] + names.get(period[4:], period[4:])


def a_year_before(period: str) -> str:
    """The same period of the year before."""
    return f"{int(period[:4]) - 1}{period[4:]}"


def end_of(year: int, month: int) -> str:
    """The last day of a month, as a key."""
    return f"{year}-{month:02}-{calendar.monthrange(year, month)[1]}"


class Group:
    """One of the two groups, with all of its figures."""

    def __init__(self, source: Path) -> None:
        self.about: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
        self.divisions: list[str] = self.about["divisions"]
        self.regions: dict[str, list[str]] = self.about["regions"]
        self.countries = [one for each in self.regions.values() for one in each]
        self.units = [(land, part) for land in self.countries for part in self.about["base"][land]]
        self._drawn: dict[tuple[str, Place, int, int, str], Decimal] = {}
        self._draw(random.Random(self.about["slug"]))  # noqa: S311 - figures, no secrets
        self._costs: dict[tuple[int, int, str], dict[str, Decimal]] = {}
        self._states: dict[tuple[int, int], dict[str, Decimal]] = {}
        self._close_months(random.Random(self.about["slug"] + " books"))  # noqa: S311

    def parts(self, country: str) -> list[str]:
        """The divisions that a country has."""
        return list(self.about["base"][country])

    # --- what is drawn ------------------------------------------------------------------

    def _draw(self, dice: random.Random) -> None:
        for land, part in self.units:
            base, price, margin, staff = self.about["base"][land][part]
            for year in range(FIRST, LAST + 1):
                for month in range(1, 13):
                    growth = (1 + self.about["growth"]) ** (year - 2024)
                    level = base * growth * self.about["season"][month - 1]
                    self._put(
                        ("actual", land, part, year, month),
                        (level * dice.uniform(0.965, 1.035), margin * dice.uniform(0.94, 1.06)),
                        (price * growth**0.6 * dice.uniform(0.985, 1.015), staff),
                    )
                    self._put(
                        ("budget", land, part, year, month),
                        (level * dice.uniform(0.99, 1.03), margin * dice.uniform(0.99, 1.05)),
                        (price * growth**0.6 * dice.uniform(0.995, 1.01), staff),
                    )
                    staff *= dice.uniform(0.996, 1.005)

    def _put(
        self,
        at: tuple[str, str, str, int, int],
        earned: tuple[float, float],
        rest: tuple[float, float],
    ) -> None:
        basis, land, part, year, month = at
        level, margin = earned
        earning = level * margin / 100
        for event in self.about["event"] if basis == "actual" else ():
            where, which, when, which_month = event["at"]
            here = where in ("", land) and which in ("", part)
            if here and when == year and which_month in (0, month):
                level, earning = level * event["revenue"], earning * event["ebitda"]
        price, staff = rest
        fine = 0 if self.about["currency"] == "US$" else 1
        place = (land, part)
        self._drawn["Revenue", place, year, month, basis] = rounded(level)
        self._drawn["EBITDA", place, year, month, basis] = rounded(earning)
        self._drawn["Volume", place, year, month, basis] = rounded(level * 1000 / price, 0)
        self._drawn["Headcount", place, year, month, basis] = rounded(staff, fine)

    # --- sums and what follows from them ------------------------------------------------

    def within(self, place: Place) -> list[Place]:
        """The pairs of country and division that a place has."""
        chosen: list[Place] = []
        for land, part in self.units:
            names = {land, part, next(r for r, lands in self.regions.items() if land in lands)}
            if set(place) <= names:
                chosen.append((land, part))
        return chosen

    def value(self, metric: str, place: Place, period: str, basis: str = "actual") -> Decimal:
        """A figure: a sum, or a ratio of sums."""
        if metric == "EBITDA margin":
            return self._share("EBITDA", "Revenue", place, period, basis)
        if metric == "Average price":
            volume = self.value("Volume", place, period, basis)
            return rounded(self.value("Revenue", place, period, basis) * 1000 / volume)
        if metric in ("Headcount", "Volume", "Revenue", "EBITDA"):
            return self._total(metric, place, period, basis)
        return self.line(metric, period, basis)

    def forecast(self, metric: str, place: Place, month: str) -> Decimal:
        """What is expected of a month to come: the budget, a little lowered."""
        if metric == "EBITDA margin":
            return rounded(
                100 * self.forecast("EBITDA", place, month) / self.forecast("Revenue", place, month)
            )
        pairs = self.within(place)
        found = sum(
            (rounded(self.value(metric, one, month, "budget") * Decimal("0.985")) for one in pairs),
            ZERO,
        )
        if metric == "EBITDA" and not place:
            found += self.corporate(int(month[:4]), int(month[5:]), "budget")
        return found

    def _share(self, top: str, bottom: str, place: Place, period: str, basis: str) -> Decimal:
        whole = self.value(bottom, place, period, basis)
        return rounded(100 * self.value(top, place, period, basis) / whole)

    def _total(self, metric: str, place: Place, period: str, basis: str) -> Decimal:
        months = months_of(period)
        if metric == "Headcount":
            months = months[-1:]
        units = self.within(place)
        found = sum(
            (
                self._drawn[metric, one, year, month, basis]
                for one in units
                for year, month in months
            ),
            ZERO,
        )
        if metric == "EBITDA" and (not place or place == ("Corporate",)):
            found += sum((self.corporate(year, month, basis) for year, month in months), ZERO)
        if metric == "Headcount" and not place:
            found += self.corporate_staff
        return found

    @property
    def corporate_staff(self) -> Decimal:
        """How many work for the group as a whole."""
        return Decimal(186) if self.about["currency"] == "US$" else Decimal("94.5")

    @cache  # noqa: B019 - two groups live as long as the script
    def corporate(self, year: int, month: int, basis: str) -> Decimal:
        """What the group's own costs take from EBITDA in a month."""
        dice = random.Random(f"{self.about['slug']} {year} {month} {basis}")  # noqa: S311
        spread = 0.03 if basis == "budget" else 0.12
        return rounded(self.about["corporate"] * dice.uniform(1 - spread, 1 + spread))

    # --- income, cash and balance -------------------------------------------------------

    def _close_months(self, dice: random.Random) -> None:
        state = {name: rounded(value) for name, value in self.about["opening"].items()}
        state["equity"] = self._assets(state) - self._owed(state)
        self._states[FIRST - 1, 12] = state
        for year in range(FIRST, LAST + 1):
            for month in range(1, 13):
                for basis in ("actual", "budget"):
                    self._costs[year, month, basis] = self._income(year, month, basis, state, dice)
                state = self._moved(state, self._costs[year, month, "actual"], (year, month), dice)
                self._states[year, month] = state

    @staticmethod
    def _assets(state: dict[str, Decimal]) -> Decimal:
        names = ("plant", "inventories", "receivables", "other", "cash")
        return sum((state[name] for name in names), ZERO)

    @staticmethod
    def _owed(state: dict[str, Decimal]) -> Decimal:
        return state["borrowings"] + state["payables"] + state["provisions"]

    def _income(
        self, year: int, month: int, basis: str, state: dict[str, Decimal], dice: random.Random
    ) -> dict[str, Decimal]:
        period = f"{year}-{month:02}"
        revenue = self._total("Revenue", (), period, basis)
        ebitda = self._total("EBITDA", (), period, basis)
        found = {"Revenue": revenue, "EBITDA": ebitda}
        spent = revenue - ebitda
        names = list(self.about["costs"])
        for name in names[:-1]:
            share = self.about["costs"][name] * dice.uniform(0.97, 1.03)
            found[name] = -rounded(float(spent) * share)
        found[names[-1]] = -(spent + sum((found[name] for name in names[:-1]), ZERO))
        typical = float(self.about["growth"]) * (year - 2024)
        base = sum(row[0] for each in self.about["base"].values() for row in each.values())
        worn = base * (1 + typical) * self.about["depreciation"] * dice.uniform(0.98, 1.02)
        found["Depreciation and amortisation"] = -rounded(worn)
        found["Operating profit (EBIT)"] = ebitda + found["Depreciation and amortisation"]
        owed = float(state["borrowings"] - state["cash"])
        found["Net finance costs"] = -rounded(owed * self.about["interest"])
        before = found["Operating profit (EBIT)"] + found["Net finance costs"]
        found["Profit before tax"] = before
        found["Income tax"] = -rounded(max(float(before), 0) * self.about["tax"])
        found["Net profit"] = before + found["Income tax"]
        found["Capital expenditure"] = -rounded(
            base * (1 + typical) * self.about["capex"] * dice.uniform(0.75, 1.25)
        )
        return found

    def _moved(
        self,
        state: dict[str, Decimal],
        made: dict[str, Decimal],
        when: tuple[int, int],
        dice: random.Random,
    ) -> dict[str, Decimal]:
        """The balances a month later; adds the month's cash lines to what was `made`."""
        new = dict(state)
        opening = self._net_debt(state)
        new["plant"] += -made["Capital expenditure"] + made["Depreciation and amortisation"]
        level = float(made["Revenue"])
        base = sum(row[0] for each in self.about["base"].values() for row in each.values())
        for name in ("inventories", "receivables", "payables"):
            aim = self.about["opening"][name] * (0.5 + 0.5 * level / base)
            new[name] = rounded(aim * dice.uniform(0.985, 1.015))
        tied = sum((new[n] - state[n] for n in ("inventories", "receivables")), ZERO)
        made["Change in working capital"] = -(tied - (new["payables"] - state["payables"]))
        made["Income tax paid"] = made["Income tax"]
        made["Interest paid"] = made["Net finance costs"]
        names = ("EBITDA", "Change in working capital", "Income tax paid", "Interest paid")
        made["Cash flow from operating activities"] = sum((made[name] for name in names), ZERO)
        free = made["Cash flow from operating activities"] + made["Capital expenditure"]
        made["Free cash flow"] = free
        made["Dividends paid"] = self._dividend(*when)
        new["borrowings"] += rounded(
            float(self.about["opening"]["borrowings"]) * dice.choice((0, 0, -0.006, 0.004))
        )
        made["Change in borrowings"] = new["borrowings"] - state["borrowings"]
        made["Change in cash"] = free + made["Dividends paid"] + made["Change in borrowings"]
        new["cash"] += made["Change in cash"]
        new["equity"] += made["Net profit"] + made["Dividends paid"]
        made["Net debt at start of period"] = opening
        made["Net debt at end of period"] = self._net_debt(new)
        return new

    def _dividend(self, year: int, month: int) -> Decimal:
        if month != self.about["dividend"]["month"]:
            return ZERO
        if year == FIRST:
            before = Decimal(str(self.about["history"]["2022"][2]))
        else:
            before = self.line("Net profit", str(year - 1))
        return -rounded(float(before) * self.about["dividend"]["share"])

    @staticmethod
    def _net_debt(state: dict[str, Decimal]) -> Decimal:
        return state["borrowings"] - state["cash"]

    def line(self, name: str, period: str, basis: str = "actual") -> Decimal:
        """A line of the income or cash flow statement, summed over a period's months."""
        months = months_of(period)
        if name == "Net debt at start of period":
            return self._costs[*months[0], basis][name]
        if name == "Net debt at end of period":
            return self._costs[*months[-1], basis][name]
        return sum((self._costs[*month, basis][name] for month in months), ZERO)

    def balance(self, name: str, day: str) -> Decimal:
        """A line of the balance sheet on the last day of a month."""
        year, month, _ = day.split("-")
        state = self._states[int(year), int(month)]
        sums = {
            "assets": self._assets(state),
            "current": self._assets(state) - state["plant"] - state["other"],
            "fixed": state["plant"] + state["other"],
            "owed": self._owed(state),
            "both": self._owed(state) + state["equity"],
            "net debt": self._net_debt(state),
        }
        return sums[name] if name in sums else state[name]
