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
    from consilience.errors import (
        ConsilienceError,
        DiskFull,
        LoadError,
        MissingExtra,
        MissingWorkspace,
        ModelError,
        NoSourceAnswered,
        SourceError,
        StoreError,
        UsageError,
        WorkspaceBusy,
    )
    from consilience.evidence.ingest import Report
    from consilience.explain import Absence, Explanation, why
    from consilience.filters import parse_filter
    from consilience.plain_runs import (
        FusedRanking,
        RunScores,
        fuse,
        fuse_runs,
        fusion_methods,
        score_run,
    )
    from consilience.settings import Settings, read_settings
    from consilience.types import (
        Answer,
        Citation,
        Combined,
        Done,
        Drafted,
        Filter,
        Hit,
        Note,
        Passage,
        Query,
        QueryOptions,
        Result,
        Said,
        Searched,
        Withdrawn,
    )
    from consilience.workspace import Workspace, init_workspace, open_workspace

_HOMES = {
    "Absence": "explain",
    "Answer": "types",
    "Citation": "types",
    "DiskFull": "errors",
    "Combined": "types",
    "ConsilienceError": "errors",
    "Done": "types",
    "Drafted": "types",
    "Explanation": "explain",
    "Filter": "types",
    "FusedRanking": "plain_runs",
    "Hit": "types",
    "LoadError": "errors",
    "MissingExtra": "errors",
    "MissingWorkspace": "errors",
    "ModelError": "errors",
    "NoSourceAnswered": "errors",
    "Note": "types",
    "Passage": "types",
    "Query": "types",
    "QueryOptions": "types",
    "Report": "evidence.ingest",
    "Result": "types",
    "RunScores": "plain_runs",
    "Said": "types",
    "Searched": "types",
    "Settings": "settings",
    "SourceError": "errors",
    "StoreError": "errors",
    "UsageError": "errors",
    "Withdrawn": "types",
    "Workspace": "workspace",
    "WorkspaceBusy": "errors",
    "fuse": "plain_runs",
    "fuse_runs": "plain_runs",
    "fusion_methods": "plain_runs",
    "init_workspace": "workspace",
    "open_workspace": "workspace",
    "parse_filter": "filters",
    "read_settings": "settings",
    "score_run": "plain_runs",
    "why": "explain",
}
__all__ = [
    "Absence",
    "Answer",
    "Citation",
    "Combined",
    "ConsilienceError",
    "DiskFull",
    "Done",
    "Drafted",
    "Explanation",
    "Filter",
    "FusedRanking",
    "Hit",
    "LoadError",
    "MissingExtra",
    "MissingWorkspace",
    "ModelError",
    "NoSourceAnswered",
    "Note",
    "Passage",
    "Query",
    "QueryOptions",
    "Report",
    "Result",
    "RunScores",
    "Said",
    "Searched",
    "Settings",
    "SourceError",
    "StoreError",
    "UsageError",
    "Withdrawn",
    "Workspace",
    "WorkspaceBusy",
    "__version__",
    "fuse",
    "fuse_runs",
    "fusion_methods",
    "init_workspace",
    "open_workspace",
    "parse_filter",
    "read_settings",
    "score_run",
    "why",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'consilience' has no attribute {name!r}")
    return getattr(import_module(f"consilience.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
