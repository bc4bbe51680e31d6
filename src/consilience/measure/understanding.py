"""What does the pack read from questions, and is it right often enough to be acted on?

A soft preference that is read wrongly pushes the right passage down. So each field (company,
period, section) is measured on questions whose meaning people wrote down, and one that is right
in fewer than four of five is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from consilience.errors import UsageError
from consilience.names import mentioned
from consilience.pack import Reading
from consilience.plan import Knowledge

ENOUGH = 0.8
"""The share of questions whose field must be read right for it to be acted on."""
UNREAD = "refine.unread"
_TEXT = "text"
_NOT_FIELDS = (_TEXT, "set")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A question and what it is about, as a person says: values by field."""

    text: str
    about: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A question whose field was read as something else than its label."""

    text: str
    wanted: tuple[str, ...]
    read: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How well one field is read: `named` questions have a label, `read` were read as something,
    and of those that are one or both so many were read `right`.
    """

    field: str
    questions: int
    named: int
    read: int
    right: int
    mistakes: tuple[Mistake, ...]

    @property
    def share(self) -> float:
        """The share that was read right, of the questions that name it or were read so.

        Those that neither name it nor were read as if they did would only flatter it.
        """
        counted = self.right + len(self.mistakes)
        return self.right / counted if counted else 0.0

    @property
    def kept(self) -> bool:
        """Whether the field is acted on."""
        return self.share >= ENOUGH

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {**asdict(self), "share": self.share, "kept": self.kept}


def read_labels(path: Path, only: str = "") -> list[Labelled]:
    """The questions of a file: a list of `text` and fields; `only` those of a set."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read the labels {path}: {error}") from error
    if not isinstance(found, list) or not all(
        isinstance(one, dict) and _TEXT in one for one in found
    ):
        raise UsageError(
            f"{path} has no labels; write a list of questions, each with `text` and what it is "
            "about: - {text: …, company: …, period: …}"
        )
    fields = {name for one in found for name in one if name not in _NOT_FIELDS}
    return [
        Labelled(
            text=str(one[_TEXT]), about={name: _values(one.get(name)) for name in sorted(fields)}
        )
        for one in found
        if not only or one.get("set") == only
    ]


def _values(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(str(one) for one in values if one not in (None, ""))


def measure(labels: Sequence[Labelled], knowledge: Knowledge) -> list[Accuracy]:
    """How well each field that has labels is read."""
    read = [_read(one.text, knowledge) for one in labels]
    fields = dict.fromkeys(field for one in labels for field in one.about)
    return [_accuracy(field, labels, read) for field in fields]


def of_this(labels: Sequence[Labelled], knowledge: Knowledge) -> bool:
    """Whether labels may be about a workspace: it has one of the values that they name."""
    return any(
        value in knowledge.values(field)
        for one in labels
        for field, values in one.about.items()
        for value in values
    )


def _read(text: str, knowledge: Knowledge) -> dict[str, tuple[str, ...]]:
    """The values that the pack's preferences have for a question, by field."""
    mentions = tuple(mentioned(text, knowledge.mentions))
    reading = Reading(text=text, mentions=mentions, known=knowledge.values)
    found: dict[str, list[str]] = {}
    for one in knowledge.pack.questions.boosts(reading):
        found.setdefault(one.condition.field, []).append(str(one.condition.value))
    return {field: tuple(values) for field, values in found.items()}


def _accuracy(
    field: str, labels: Sequence[Labelled], read: Sequence[Mapping[str, tuple[str, ...]]]
) -> Accuracy:
    pairs = [
        (one, one.about.get(field, ()), own.get(field, ()))
        for one, own in zip(labels, read, strict=True)
    ]
    wrong = [
        Mistake(text=one.text, wanted=wanted, read=got)
        for one, wanted, got in pairs
        if not _same(wanted, got)
    ]
    return Accuracy(
        field=field,
        questions=len(pairs),
        named=sum(bool(wanted) for _, wanted, _ in pairs),
        read=sum(bool(got) for _, _, got in pairs),
        right=sum(bool(wanted) and _same(wanted, got) for _, wanted, got in pairs),
        mistakes=tuple(wrong),
    )


def _same(wanted: Sequence[str], read: Sequence[str]) -> bool:
    return {one.casefold() for one in wanted} == {one.casefold() for one in read}


def unread(found: Sequence[Accuracy], before: str) -> str:
    """The setting that leaves alone what is read badly, and what was left alone before for which
    there are no labels.
    """
    measured = {one.field for one in found}
    left = {one.strip() for one in before.split(",") if one.strip()} - measured
    left |= {one.field for one in found if not one.kept}
    return ", ".join(sorted(left))
