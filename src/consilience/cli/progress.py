"""How does a long job look in the terminal? One bar per stage, with rate and time left.

A large file has its own bar below that of the stage while it is read.
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

from consilience.evidence.size_limits import short
from consilience.progress import FileProgress

_HINT = "run the same command again to continue"
_VISIBLE_AFTER_S = 1.0
"""How long a file is read before its bar appears: the bars of small files would flicker."""
_NAME_LENGTH = 30


class _Rate(ProgressColumn):
    """Units per second."""

    def render(self, task: Task) -> Text:
        """`41.2 passages/s`; empty until it is known."""
        speed = task.finished_speed or task.speed
        unit = task.fields["unit"]
        return Text(f"{speed:,.1f} {unit}/s" if speed else "", style="dim")


class ProgressBars:
    """A `Progress` drawn with rich; where the output is not a terminal, once at the end.

    Stopped by Ctrl-C, it prints `hint`.
    """

    def __init__(self, console: Console, *, hint: str = _HINT) -> None:
        self._hint = hint
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
        """Start a bar; a stage with nothing to do has none."""
        self._task = None
        self.within(())
        if total:
            self._progress.start()
            self._task = self._progress.add_task(name, total=total, unit=unit)

    def advance(self, number: int = 1) -> None:
        """Advance the bar."""
        if self._task is not None:
            self._progress.advance(self._task, number)

    def within(self, paces: Sequence[FileProgress]) -> None:
        """Show a bar for each file that takes a while; in a terminal only."""
        if not self._progress.console.is_terminal:
            return
        current = {(pace.path, pace.unit, pace.total): pace for pace in paces}
        for key in self._files.keys() - current.keys():
            self._progress.remove_task(self._files.pop(key)[0])
        for key, pace in current.items():
            if key not in self._files:
                self._files[key] = self._add_file(pace), time.monotonic()
            task, started = self._files[key]
            is_visible = time.monotonic() - started >= _VISIBLE_AFTER_S
            self._progress.update(task, completed=pace.done, visible=is_visible)

    def _add_file(self, pace: FileProgress) -> TaskID:
        name = "".join(char if char.isprintable() else "?" for char in PurePath(pace.path).name)
        return self._progress.add_task(
            f"  {short(name, _NAME_LENGTH)}",
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
            self._progress.console.print(f"stopped; {self._hint}", markup=False, soft_wrap=True)
