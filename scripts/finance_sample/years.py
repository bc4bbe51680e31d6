"""How does the annual report of a group print the amounts of a year and of the one before?"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from finance_sample.figures import Place, rounded
from finance_sample.grids import Column, Kind, Line, Number
from finance_sample.monthly import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """The annual report of a group: its year, and how its amounts are printed."""

    frame: Frame

    @property
    def key(self) -> str:
        """The year."""
        return str(self.frame.year)

    @property
    def before(self) -> str:
        """The year before."""
        return str(self.frame.year - 1)

    @property
    def money(self) -> Kind:
        """Both groups' annual reports are in millions."""
        return Kind(unit=self.frame.money.unit, scale=1_000_000)

    @property
    def unit(self) -> str:
        """The unit as captions have it."""
        return "US$ million" if self.frame.dollars else "€ million"

    def amount(self, value: Decimal) -> Decimal:
        """An amount of the books as this report prints it."""
        return rounded(value if self.frame.dollars else value / 1000)

    def number(self, value: Decimal | None, kind: Kind) -> Number:
        """A number of a kind."""
        text = self.frame.style.number(value, kind.places)
        if value:
            text += kind.sign
        return Number(text=text, value=value, unit=kind.unit, scale=kind.scale)

    def find(self, metric: str, place: Place, period: str) -> Decimal:
        """A figure as printed."""
        value = self.frame.group.value(metric, place, period)
        plain = metric in ("EBITDA margin", "Headcount", "Volume", "Average price")
        return value if plain else self.amount(value)

    def change(self, now: Decimal, before: Decimal, *, share: bool = False) -> Number:
        """By how much a year differs from the one before."""
        style = self.frame.style
        if share:
            value = now - before
            text = style.number(value, 1, signed=True) + (" pp" if value else "")
            return Number(text=text, value=value, unit="pp", scale=1)
        if before == 0 or (now < 0) != (before < 0):
            return Number(text="n/m", value=None, unit="%", scale=1)
        value = rounded(100 * (now - before) / abs(before))
        text = style.number(value, 1, signed=True)
        return Number(text=text, value=value, unit="%", scale=1)

    def columns(self, change: str = "Change %") -> tuple[Column, ...]:
        """The year, the one before, and the change."""
        return (
            Column(heading=(self.key,), period=self.key),
            Column(heading=(self.before,), period=self.before),
            Column(heading=(change,), period=self.key, basis="change", against="last year"),
        )

    def line(self, label: str, metric: str, place: Place = (), **rest: object) -> Line:
        """A row of two years and their change."""
        sort: Kind = rest.pop("sort", self.money)  # type: ignore[assignment]
        now, before = (self.find(metric, place, one) for one in (self.key, self.before))
        numbers = (
            self.number(now, sort),
            self.number(before, sort),
            self.change(now, before, share=sort.share),
        )
        path: tuple[str, ...] = rest.pop("path", ()) or (label,)  # type: ignore[assignment]
        return Line(
            label=label,
            metric=metric,
            entity=place,
            numbers=numbers,
            path=path,
            **rest,  # type: ignore[arg-type]
        )

    @property
    def share(self) -> Kind:
        """A share in percent."""
        return Kind(unit="%", share=True)
