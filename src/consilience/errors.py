"""Everything the engine raises on purpose.

ConsilienceError
├── UsageError          the caller can fix it: bad argument, unknown name, bad setting
│   ├── MissingExtra    an optional dependency is not installed
│   └── MissingWorkspace  there is no workspace where one was looked for
├── LoadError           a file could not be read; the others go on
├── ModelError          an embedder, reranker or language model failed, or answered nonsense
├── SourceError         a source refused, timed out or answered nonsense
│   └── NoSourceAnswered  every source that was asked failed
└── StoreError          what is on disk is missing, corrupt, too new, or of another model
    ├── WorkspaceBusy   another process holds the workspace
    └── DiskFull        there is too little room on the disk to write, or to open what maps files

A message says what happened, the value, and what to do.
"""

from __future__ import annotations


class ConsilienceError(Exception):
    """The root: `except ConsilienceError` catches all that is raised on purpose."""


class UsageError(ConsilienceError):
    """The caller can fix it."""


class MissingExtra(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'consilience[{extra}]'")


class MissingWorkspace(UsageError):
    """There is no workspace where one was looked for."""


class LoadError(ConsilienceError):
    """A file could not be read."""


class ModelError(ConsilienceError):
    """An embedder, reranker or language model failed, or answered nonsense."""


class SourceError(ConsilienceError):
    """A source refused, timed out or answered nonsense."""


class NoSourceAnswered(SourceError):
    """Every source that was asked failed."""


class StoreError(ConsilienceError):
    """What is on disk is missing, corrupt, too new, or was made by another model."""


class DiskFull(StoreError):
    """There is too little room on the disk."""


class WorkspaceBusy(StoreError):
    """Another process holds the workspace."""
