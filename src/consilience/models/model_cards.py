"""Are a shipped model's files the ones that its card names? Read the card, check each file."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from consilience.errors import ModelError

Loaded = TypeVar("Loaded")

DATA = Path(__file__).parent / "data"  # a folder for each shipped model


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What `card.json` must say for a model to be used; `files` gives each file's SHA-256."""

    identity: str
    dimensions: int
    limit: int
    files: Mapping[str, str]


class Lazy(Generic[Loaded]):
    """Something that is loaded when it is first used; a second thread waits for the first."""

    def __init__(self, load: Callable[[], Loaded]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Loaded | None = None

    def get(self) -> Loaded:
        """What was loaded; a failure is raised, and loading is tried again the next time."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


class Shipped(Generic[Loaded]):
    """A model from the files of a folder: named by its card, loaded by `load` when first used.

    Raises `ModelError` when a file is missing or is not the one that the card names.
    """

    def __init__(self, kind: str, folder: Path, load: Callable[[Card], Loaded]) -> None:
        self._kind = kind
        self._card_file = Lazy(lambda: read_card(folder))
        self._files = Lazy(lambda: load(self._card))

    @property
    def name(self) -> str:
        """The kind, and the first 12 digits of the hash over all files that it depends on."""
        return f"{self._kind}:{self._card.identity[:12]}"

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._card.dimensions

    @property
    def limit(self) -> int:
        """How many tokens of a text are read, the two special ones of `fine` among them."""
        return self._card.limit

    @property
    def files(self) -> Mapping[str, str]:
        """The SHA-256 of each file that it depends on."""
        return self._card.files

    @property
    def _card(self) -> Card:
        return self._card_file.get()

    @property
    def _loaded(self) -> Loaded:
        return self._files.get()


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
