"""Answers from several kinds of evidence at once: searched in parallel, fused, explained.

    >>> import consilience
    >>> with consilience.open_workspace("notes") as workspace:
    ...     answer = workspace.ask("who built the bell rock lighthouse?")

Importing this package loads no model and opens no file: names are imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from consilience.answer.pipeline import ask
    from consilience.engine import Engine, search
    from consilience.errors import ConsilienceError
    from consilience.explain import why, why_not
    from consilience.filters import parse_filter
    from consilience.plain_runs import fuse, fuse_runs, fusion_methods, score_run
    from consilience.settings import Settings, read_settings
    from consilience.types import (
        Answer,
        Citation,
        Done,
        Drafted,
        Filter,
        Hit,
        Passage,
        Query,
        Result,
        Said,
        Searched,
        Withdrawn,
    )
    from consilience.workspace import Workspace, init_workspace, open_workspace

_HOMES = {
    "Answer": "types",
    "Citation": "types",
    "ConsilienceError": "errors",
    "Done": "types",
    "Drafted": "types",
    "Engine": "engine",
    "Filter": "types",
    "Hit": "types",
    "Passage": "types",
    "Query": "types",
    "Result": "types",
    "Said": "types",
    "Searched": "types",
    "Settings": "settings",
    "Withdrawn": "types",
    "Workspace": "workspace",
    "ask": "answer.pipeline",
    "fuse": "plain_runs",
    "fuse_runs": "plain_runs",
    "fusion_methods": "plain_runs",
    "score_run": "plain_runs",
    "init_workspace": "workspace",
    "open_workspace": "workspace",
    "parse_filter": "filters",
    "read_settings": "settings",
    "search": "engine",
    "why": "explain",
    "why_not": "explain",
}
__all__ = [
    "Answer",
    "Citation",
    "ConsilienceError",
    "Done",
    "Drafted",
    "Engine",
    "Filter",
    "Hit",
    "Passage",
    "Query",
    "Result",
    "Said",
    "Searched",
    "Settings",
    "Withdrawn",
    "Workspace",
    "__version__",
    "ask",
    "fuse",
    "fuse_runs",
    "fusion_methods",
    "init_workspace",
    "open_workspace",
    "parse_filter",
    "read_settings",
    "score_run",
    "search",
    "why",
    "why_not",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'consilience' has no attribute {name!r}")
    return getattr(import_module(f"consilience.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
