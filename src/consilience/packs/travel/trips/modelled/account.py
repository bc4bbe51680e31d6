"""Which implementation made each step of a trip, and what went otherwise than it should?

Steps that may fall back keep an account while they run; `account_of` reads it when a trip is done.
This module needs no library.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from consilience.packs.travel.trips.steps import Steps
from consilience.types import Note

NAMES = ("analyse", "plan", "compose", "advise", "check")
"""The steps of a trip, by the names that an account gives them."""
RECKONED = "reckoned"


@dataclass(slots=True)
class Account:
    """Who `made` each step, and `notes` of what went otherwise."""

    made: dict[str, str] = field(default_factory=lambda: dict.fromkeys(NAMES, RECKONED))
    notes: list[Note] = field(default_factory=list)

    def tell(self, step: str, message: str) -> None:
        """Keep a note on a step, once."""
        note = Note(step, message)
        if note not in self.notes:
            self.notes.append(note)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelledSteps(Steps):
    """The five steps by a language model, and the account of them."""

    account: Account = field(default_factory=Account)


def account_of(steps: Steps) -> Account:
    """The account that steps keep; for those that keep none, all of them are reckoned."""
    return steps.account if isinstance(steps, ModelledSteps) else Account()
