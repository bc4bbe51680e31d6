"""What does a question ask of a table? A typed query; each part has the words it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Operator = Literal["=", "!=", "in", "contains", ">", ">=", "<", "<=", "month", "year"]
Operation = Literal[
    "select", "count", "sum", "average", "difference", "ratio", "previous", "next", "most_frequent"
]


@dataclass(frozen=True, slots=True)
class Condition:
    """A restriction on one column. `in` takes several values."""

    column: str
    operator: Operator
    value: str | float | tuple[str, ...]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Rank:
    """The first rows by one column; an empty column is the order of the table."""

    column: str
    descending: bool
    limit: int = 1
    words: str = ""
    place: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked of one table.

    `column` is what is selected, computed or counted; `measure` the numbers behind a difference or
    ratio. `unplaced` are words of the question that no part covers. With `sure` no part is a guess.
    """

    table: str
    operation: Operation = "select"
    column: str = ""
    conditions: tuple[Condition, ...] = ()
    rank: Rank | None = None
    distinct: bool = False
    unplaced: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    asks: bool = True

    @property
    def sure(self) -> bool:
        """Whether every word has a place and no part is a guess."""
        return not self.unplaced and not self.guesses
