"""How does long work tell where it stands? Through a `Progress` that it is handed."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears of the stages of a long job; the command line draws bars from it."""

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A stage begins; so many units lie ahead."""
        ...

    def advance(self, number: int = 1) -> None:
        """So many units are done."""
        ...


class Silent:
    """A progress nobody watches."""

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """Nothing is shown."""

    def advance(self, number: int = 1) -> None:
        """Nothing is shown."""
