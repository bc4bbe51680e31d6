"""Does the pack read companies, periods and sections from questions correctly often enough?

A soft preference that is read wrongly pushes the right passage down. So each field is measured on
questions whose meaning people wrote down, and one that is right in fewer than four of five is
ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from consilience.engine.plan import Knowledge
from consilience.errors import UsageError
from consilience.pack import Reading
from consilience.understand.names import find_mentions

ENOUGH = 0.8
"""The share of questions whose field must be read correctly for it to be used."""
UNREAD = "refine.unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question and what it is about, as a person says: values by field."""

    text: str
    about: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A question whose field was read as something else than its label."""

    text: str
    wanted: tuple[str, ...]
    read: tuple[str, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether label and reading differ, in more than case and order."""
        wanted, read = ({value.casefold() for value in side} for side in (self.wanted, self.read))
        return wanted != read


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAccuracy:
    """How well one field is read.

    `named` questions have a label, `read` were read as having one, and `right` have a label that
    was read correctly.
    """

    field: str
    questions: int
    named: int
    read: int
    right: int
    mistakes: tuple[Mistake, ...]

    @property
    def share(self) -> float:
        """The share that was read correctly, of the questions that name it or were read so.

        Questions that neither name it nor were read so would only flatter it.
        """
        counted = self.right + len(self.mistakes)
        return self.right / counted if counted else 0.0

    @property
    def kept(self) -> bool:
        """Whether the field is used."""
        return self.share >= ENOUGH

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {**asdict(self), "share": self.share, "kept": self.kept}


def read_labels(path: Path, only: str = "") -> list[LabelledQuestion]:
    """The questions of a file: a list of `text` and fields; `only` those of a set."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read the labels {path}: {error}") from error
    if not isinstance(found, list) or not all(
        isinstance(entry, dict) and "text" in entry for entry in found
    ):
        raise UsageError(
            f"{path} has no labels; write a list of questions, each with `text` and what it is "
            "about: - {text: …, company: …, period: …}"
        )
    fields = sorted({name for entry in found for name in entry} - {"text", "set"})

    def values(value: object) -> tuple[str, ...]:
        items = value if isinstance(value, list) else [value]
        return tuple(str(item) for item in items if item not in (None, ""))

    return [
        LabelledQuestion(
            text=str(entry["text"]), about={name: values(entry.get(name)) for name in fields}
        )
        for entry in found
        if not only or entry.get("set") == only
    ]


def measure_fields(labels: Sequence[LabelledQuestion], knowledge: Knowledge) -> list[FieldAccuracy]:
    """How well each field that has labels is read."""
    read = [_read_fields(label.text, knowledge) for label in labels]
    measured = []
    for name in dict.fromkeys(name for label in labels for name in label.about):
        readings = [
            Mistake(text=label.text, wanted=label.about.get(name, ()), read=own.get(name, ()))
            for label, own in zip(labels, read, strict=True)
        ]
        measured.append(
            FieldAccuracy(
                field=name,
                questions=len(readings),
                named=sum(bool(one.wanted) for one in readings),
                read=sum(bool(one.read) for one in readings),
                right=sum(bool(one.wanted) and not one.is_wrong for one in readings),
                mistakes=tuple(one for one in readings if one.is_wrong),
            )
        )
    return measured


def concerns_workspace(labels: Sequence[LabelledQuestion], knowledge: Knowledge) -> bool:
    """Whether labels may be about a workspace: it has one of the values that they name."""
    return any(
        value in knowledge.values(name)
        for label in labels
        for name, values in label.about.items()
        for value in values
    )


def _read_fields(text: str, knowledge: Knowledge) -> dict[str, tuple[str, ...]]:
    """The values that the pack's preferences have for a question, by field."""
    mentions = tuple(find_mentions(text, knowledge.mentions))
    reading = Reading(text=text, mentions=mentions, known=knowledge.values)
    found: dict[str, tuple[str, ...]] = {}
    for boost in knowledge.pack.questions.boosts(reading):
        condition = boost.condition
        found[condition.field] = (*found.get(condition.field, ()), str(condition.value))
    return found


def unread_setting(found: Sequence[FieldAccuracy], before: str) -> str:
    """The setting that ignores fields that are read badly.

    Fields that were ignored before and have no labels stay ignored.
    """
    measured = {one.field for one in found}
    ignored = {name.strip() for name in before.split(",") if name.strip()} - measured
    ignored |= {one.field for one in found if not one.kept}
    return ", ".join(sorted(ignored))
