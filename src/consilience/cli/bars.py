"""How does a long job look in the terminal? A bar a stage, with rate and time left.

A large file that is being read has a bar below that of its stage, as long as it is read.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import PurePath
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

from consilience.bounds import short
from consilience.pace import Pace


class _Rate(ProgressColumn):
    """Units a second."""

    def render(self, task: Task) -> Text:
        """`41.2 passages/s`; nothing until it is known."""
        speed = task.finished_speed or task.speed
        unit = task.fields["unit"]
        return Text(f"{speed:,.1f} {unit}/s" if speed else "", style="dim")


AGAIN = "run the same command again to go on"
LARGE_S = 1.0
"""How long a file is read before it has a bar: many small ones would only flicker."""
_NAME = 30  # letters of a file's name


class Bars:
    """A `Progress` drawn with rich; where the output is not a terminal, once at the end.

    Stopped by Ctrl-C, it says how to go on.
    """

    def __init__(self, console: Console, *, again: str = AGAIN) -> None:
        self._again = again
        self._progress = Progress(
            TextColumn("{task.description:<10}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
        )
        self._task: TaskID | None = None
        self._files: dict[tuple[str, str, int], tuple[TaskID, float]] = {}

    def stage(self, name: str, *, total: int, unit: str) -> None:
        """A new bar; a stage with nothing to do has none."""
        self._task = None
        self.within(())
        if total:
            self._progress.start()
            self._task = self._progress.add_task(name, total=total, unit=unit)

    def advance(self, number: int = 1) -> None:
        """Move the bar on."""
        if self._task is not None:
            self._progress.advance(self._task, number)

    def within(self, paces: Sequence[Pace]) -> None:
        """A bar for each file that takes a while; on a terminal only."""
        if not self._progress.console.is_terminal:
            return
        now = {(one.path, one.unit, one.total): one for one in paces}
        for key in self._files.keys() - now.keys():
            self._progress.remove_task(self._files.pop(key)[0])
        for key, pace in now.items():
            if key not in self._files:
                self._files[key] = self._file(pace), time.monotonic()
            task, begun = self._files[key]
            is_large = time.monotonic() - begun >= LARGE_S
            self._progress.update(task, completed=pace.done, visible=is_large)

    def _file(self, pace: Pace) -> TaskID:
        name = "".join(one if one.isprintable() else "?" for one in PurePath(pace.path).name)
        return self._progress.add_task(
            f"  {short(name, _NAME)}",
            total=pace.total,
            completed=pace.done,
            visible=False,
            unit=pace.unit,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.within(())
        if self._progress.tasks:
            self._progress.stop()
        if kind is KeyboardInterrupt:
            self._progress.console.print(f"stopped; {self._again}", markup=False, soft_wrap=True)
