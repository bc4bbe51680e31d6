"""How does a long job look in the terminal? A bar a stage, with rate and time left."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    """Units a second."""

    def render(self, task: Task) -> Text:
        """`41.2 passages/s`; nothing until it is known."""
        speed = task.finished_speed or task.speed
        unit = task.fields["unit"]
        return Text(f"{speed:,.1f} {unit}/s" if speed else "", style="dim")


AGAIN = "run the same command again to go on"


class Bars:
    """A `Progress` drawn with rich; where the output is not a terminal, once at the end.

    Stopped by Ctrl-C, it says how to go on.
    """

    def __init__(self, console: Console, *, again: str = AGAIN) -> None:
        self._again = again
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
        )
        self._task: TaskID | None = None

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A new bar; a stage with nothing to do has none."""
        self._task = None
        if total:
            self._progress.start()
            self._task = self._progress.add_task(name, total=total, unit=unit)

    def advance(self, number: int = 1) -> None:
        """Move the bar on."""
        if self._task is not None:
            self._progress.advance(self._task, number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress.tasks:
            self._progress.stop()
        if kind is KeyboardInterrupt:
            self._progress.console.print(f"stopped; {self._again}", markup=False, soft_wrap=True)
