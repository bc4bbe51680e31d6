"""Are a shipped model's files the ones that its card names? Read the card, check each file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import ModelError

DATA = Path(__file__).parent / "data"  # a folder for each shipped model


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What `card.json` must say for a model to be used; `files` gives each file's SHA-256."""

    identity: str
    dimensions: int
    limit: int
    files: Mapping[str, str]


def read_card(folder: Path) -> Card:
    """The card of the model in a folder; `ModelError` when it cannot be read or lacks a field."""
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        return Card(**{name: card[name] for name in Card.__slots__})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise broken(folder / "card.json", f"{type(error).__name__}: {error}") from error


def checked_bytes(path: Path, card: Card) -> bytes:
    """The content of a file; `ModelError` when it is missing or not the one of the card."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise broken(path, f"{type(error).__name__}: {error}") from error
    if hashlib.sha256(data).hexdigest() != card.files.get(path.name):
        raise broken(path, "its content is not what the model's card says")
    return data


def broken(path: Path, reason: str) -> ModelError:
    """The error for a file that cannot be used, with the way out."""
    return ModelError(
        f"the model file {path} cannot be used ({reason}); reinstall the package: "
        f"pip install --force-reinstall consilience"
    )


def cores() -> int:
    """The cores that this process may run on, where the system can say so."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
