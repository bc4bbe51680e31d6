"""Is everything in order, how is it set, do our numbers hold? doctor, settings, claims."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience import __version__, plugins
from consilience.claims import read_claims, rerun
from consilience.cli import costs
from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    home,
    opened,
    out,
    print_json,
    print_table,
    tell,
)
from consilience.errors import ConsilienceError, MissingWorkspace
from consilience.settings import Settings, read_settings
from consilience.settings.telling import told
from consilience.tokens import TOKENS, size_of
from consilience.workspace import STORE, Served, Workspace

ENGINES = ("qdrant-edge-py", "duckdb", "ladybug", "onnxruntime", "tokenizers")
EXTRAS = {
    "fastembed": "fastembed",
    "openai": "openai",
    "sentence-transformers": "sentence-transformers",
    "httpx": "server",
    "chess": "chess",
    "fastapi": "serve",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


@app.command()
def settings(workspace: In = None, as_json: AsJson = False) -> None:
    """List every setting: its value here, its default where that differs, and its meaning.

    With `--json` also its variable.
    """
    rows = told(read_settings(_maybe(workspace)))
    if as_json:
        print_json(rows)
        return
    shown = [(one["name"], _shown(one), one["help"]) for one in rows]
    print_table(("setting", "value", "meaning"), shown)
    tell("\nSet them in consilience.toml or by variable, e.g. CONSILIENCE_FUSION_K=10")


@app.command()
def doctor(workspace: In = None, as_json: AsJson = False) -> None:
    """Say what is installed, reachable and stale; exit 1 when something is wrong."""
    folder = _maybe(workspace)
    checks = [*_installed(), *_models(read_settings(folder))]
    if folder is not None:
        checks.extend(_workspace(folder))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        _print_checks(checks)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _print_checks(checks: list[Check]) -> None:
    for check in checks:
        out.print("[green]ok[/]  " if check.ok else "[red]!![/]  ", end="")
        tell(f"{check.name}: {check.detail}")


def _shown(row: Mapping[str, Any]) -> str:
    value = str(row["value"])
    return value if row["value"] == row["default"] else f"{value} (default {row['default']})"


def _maybe(workspace: Path | None) -> Path | None:
    try:
        return home(workspace)
    except MissingWorkspace:
        if workspace is not None:
            raise
        return None


def _installed() -> list[Check]:
    checks = [Check("consilience", True, f"{__version__}, Python {platform.python_version()}")]
    checks.extend(Check(name, True, version(name)) for name in ENGINES)
    for package, extra in EXTRAS.items():
        try:
            checks.append(Check(f"{package} (optional)", True, version(package)))
        except PackageNotFoundError:
            hint = f"not installed; pip install 'consilience[{extra}]'"
            checks.append(Check(f"{package} (optional)", True, hint))
    groups = [
        Check(group, True, ", ".join(plugins.find(group)) or "none") for group in plugins.GROUPS
    ]
    return [*checks, *groups]


def _models(settings: Settings) -> list[Check]:
    """The models in use and their cost on this machine."""
    return [
        _tried("embedder", lambda: costs.embedding(settings)),
        _tried("reranker", lambda: costs.reranking(settings)),
        _tried("language model", lambda: costs.generating(settings)),
    ]


def _tried(name: str, call: Callable[[], str]) -> Check:
    try:
        return Check(name, True, call())
    except ConsilienceError as error:
        return Check(name, False, str(error))


def _workspace(folder: Path) -> list[Check]:
    catalogue = Workspace.peek(folder)
    failed = [record for record in catalogue.documents() if record.status == "failed"]
    pending = catalogue.pending_count()
    made_by = catalogue.fact("model")
    catalogue.close()
    unread = f"{count(len(failed), 'file')} not readable; `consilience status` says why"
    behind = f"{count(pending, 'passage')} pending; `consilience add` does them"
    checks = [
        Check("workspace", True, str(folder)),
        Check("files", not failed, unread if failed else "all readable"),
        Check("index", not pending, behind if pending else "up to date"),
        Check("token vectors", True, _kept(folder)),
    ]
    return [*checks, *_sources(folder, made_by)]


def _kept(folder: Path) -> str:
    size = size_of(folder / STORE / TOKENS)
    return f"{size / 1e6:.1f} MB kept" if size else "none kept"


def _sources(folder: Path, made_by: str) -> list[Check]:
    """Open the engines and ask each source once."""
    if not made_by:
        return [Check("sources", True, "nothing indexed yet")]
    try:
        with opened(folder, "doctor") as space:
            served = _served(space)
            result = space.search("is everything in order", limit=1)
    except ConsilienceError as error:
        return [Check("sources", False, str(error))]
    return served + [
        Check(one.source, not one.left_out, f"{one.status}, {one.ms:.0f} ms {one.reason}".strip())
        for one in result.trace.outcomes
    ]


def _served(space: Workspace) -> list[Check]:
    """Whoever serves the workspace, if anybody does."""
    if not isinstance(space, Served):
        return []
    return [Check("served", True, f"by {space.owner.name} at {space.owner.address}")]


@app.command()
def claims(
    file: Annotated[Path, typer.Option("--file", help="The claims.", metavar="TOML")] = Path(
        "benchmarks/claims.toml"
    ),
    only: Annotated[str, typer.Option("--only", help="Claims whose name has this text.")] = "",
    as_json: AsJson = False,
) -> None:
    """Rerun the commands behind published numbers; exit 1 when one does not hold."""
    chosen = [claim for claim in read_claims(file) if only in claim.name]
    verdicts = []
    for verdict in rerun(chosen, file.absolute().parent.parent):
        verdicts.append(verdict)
        if not as_json:
            mark = "[green]holds[/] " if verdict.holds else "[red]fails[/] "
            out.print(mark, end="")
            told = verdict.problem or f"{verdict.number:g}"
            tell(f"{verdict.claim.name}: {told} (claimed: {verdict.claim.bound})")
    if as_json:
        print_json([{**asdict(one), "holds": one.holds} for one in verdicts])
    if not all(one.holds for one in verdicts):
        raise typer.Exit(1)
