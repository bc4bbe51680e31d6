"""What is a job? What was asked for, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from consilience.errors import ConsilienceError
from consilience.pace import Pace
from consilience.service.hiding import hidden

Kind = Literal["add", "remove", "rebuild"]
Status = Literal["waiting", "running", "done", "failed", "stopped"]


class Rebuilding(ConsilienceError):
    """A workspace cannot be asked while it is rebuilt."""


class NoJob(ConsilienceError):
    """No job of this id is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be done. `paths` are as the catalogue names them.

    `part` is a file that has arrived and is to take the place of the first path. With `delete`
    files that came by upload are deleted once they are forgotten.
    """

    kind: Kind
    paths: tuple[str, ...] = ()
    collection: str = ""
    force: bool = False
    part: str = ""
    delete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it stands. Times are seconds since 1970, 0 as long as they are not known.

    `inside` has how far the files are that are being read, of those that say so.
    `error` says what went wrong, `error_kind` is the name of its class.
    """

    id: str
    kind: Kind
    what: tuple[str, ...] = ()
    status: Status = "waiting"
    stage: str = ""
    done: int = 0
    total: int = 0
    unit: str = ""
    inside: tuple[Pace, ...] = ()
    asked: float = 0.0
    began: float = 0.0
    ended: float = 0.0
    report: Mapping[str, Any] | None = None
    error: str = ""
    error_kind: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more happens to it while this server runs."""
        return self.status in ("done", "failed", "stopped")

    @property
    def share(self) -> float:
        """How much of the stage is done, from 0 to 1."""
        begun = sum(one.done / one.total for one in self.inside if one.total)
        return min(1.0, (self.done + begun) / self.total) if self.total else 0.0

    def view(self) -> dict[str, Any]:
        """The job as JSON."""
        told: dict[str, Any] = {
            "id": self.id,
            "kind": self.kind,
            "what": list(self.what),
            "status": self.status,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "unit": self.unit,
            "inside": [asdict(one) for one in self.inside],
            "asked": _time(self.asked),
            "began": _time(self.began),
            "ended": _time(self.ended),
            "report": self.report,
            "error": self.error,
            "error_kind": self.error_kind,
        }
        return hidden(told)


def _time(seconds: float) -> str | None:
    """`2026-01-31T12:00:00+00:00`, or None as long as it is not known."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None
