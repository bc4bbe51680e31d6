"""Does everything work, how is it configured, do our numbers hold? doctor, settings, claims."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from consilience import __version__, plugins
from consilience.claims import read_claims, rerun
from consilience.cli.app import (
    AsJson,
    WorkspaceOption,
    app,
    command_clashes,
    count,
    open_for_command,
    out,
    print_json,
    print_table,
    print_text,
    workspace_folder,
)
from consilience.errors import ConsilienceError, MissingExtra, MissingWorkspace, WorkspaceBusy
from consilience.evidence.token_store import TOKENS_FILE, sqlite_size
from consilience.installed_packs import load_packs
from consilience.kinds import load_kinds
from consilience.models import open_embedder, open_generator, open_reranker
from consilience.protocols import Chunk, Closable, Preparing
from consilience.settings import Settings, describe_settings, read_settings
from consilience.types import Passage, Prompt
from consilience.workspace import STORE, RemoteWorkspace, Workspace

_REQUIRED = ("qdrant-edge-py", "duckdb", "ladybug", "onnxruntime", "tokenizers")
_OPTIONAL = {
    "fastembed": "fastembed",
    "openai": "openai",
    "xllamacpp": "local",
    "sentence-transformers": "sentence-transformers",
    "httpx": "rerank-http",
    "fastapi": "serve",
    "mammoth": "office",
    "rapidocr": "ocr",
    "watchfiles": "watch",
}
"""Packages that are not always installed, and the extra that brings each."""


# --- settings and claims ------------------------------------------------------------------


@app.command()
def settings(workspace: WorkspaceOption = None, as_json: AsJson = False) -> None:
    """List all settings: the value here, the default where it differs, and the meaning.

    With `--json` also the environment variable of each.
    """
    rows = describe_settings(read_settings(_find_folder(workspace)))
    if as_json:
        print_json(rows)
        return
    shown = []
    for row in rows:
        default = "" if row["value"] == row["default"] else f" (default {row['default']})"
        shown.append((row["name"], f"{row['value']}{default}", row["help"]))
    print_table(("setting", "value", "meaning"), shown)
    print_text("\nSet them in consilience.toml or by variable, e.g. CONSILIENCE_FUSION_K=10")


@app.command()
def claims(
    file: Annotated[Path, typer.Option(help="The claims.", metavar="TOML")] = Path(
        "benchmarks/claims.toml"
    ),
    only: Annotated[str, typer.Option(help="Only claims with this in the name.")] = "",
    as_json: AsJson = False,
) -> None:
    """Run the commands behind published numbers again; exit 1 if one does not hold."""
    chosen = [claim for claim in read_claims(file) if only in claim.name]
    verdicts = []
    for verdict in rerun(chosen, file.absolute().parent.parent):
        verdicts.append(verdict)
        if not as_json:
            outcome = verdict.problem or f"{verdict.number:g}"
            text = f"{verdict.claim.name}: {outcome} (claimed: {verdict.claim.bound})"
            _print_outcome(verdict.holds, "holds", "fails", text)
    if as_json:
        print_json([{**asdict(verdict), "holds": verdict.holds} for verdict in verdicts])
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)


def _print_outcome(is_good: bool, good: str, bad: str, text: str) -> None:
    out.print(f"[green]{good}[/] " if is_good else f"[red]{bad}[/] ", end="")
    print_text(text)


# --- doctor -------------------------------------------------------------------------------


_UNREAD_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check."""

    name: str
    ok: bool
    detail: str


@app.command()
def doctor(workspace: WorkspaceOption = None, as_json: AsJson = False) -> None:
    """Check what is installed, reachable and up to date; exit 1 if something is wrong."""
    folder = _find_folder(workspace)
    settings = read_settings(folder)
    checks = [*_check_packages(settings), *_check_packs(), *_check_models(settings)]
    if folder is not None:
        checks.extend(_check_workspace(folder))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            _print_outcome(check.ok, "ok ", "!! ", f"{check.name}: {check.detail}")
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _find_folder(workspace: Path | None) -> Path | None:
    """The workspace's folder; None if none is named and there is none here."""
    try:
        return workspace_folder(workspace)
    except MissingWorkspace:
        if workspace is not None:
            raise
        return None


def _check_packages(settings: Settings) -> Iterator[Check]:
    yield Check("consilience", True, f"{__version__}, Python {platform.python_version()}")
    for name in _REQUIRED:
        yield Check(name, True, version(name))
    for name, extra in _OPTIONAL.items():
        try:
            detail = version(name)
        except PackageNotFoundError:
            detail = f"not installed; pip install 'consilience[{extra}]'"
        yield Check(f"{name} (optional)", True, detail)
    for group in plugins.GROUPS:
        yield Check(group, True, ", ".join(plugins.find(group)) or "none")
    for group in ("loaders", "stores", "federated"):
        for name, error in plugins.load_active(group, settings).errors.items():
            yield Check(f"{group} {name}", False, f"cannot be loaded: {error}")
    for name, error in load_kinds()[1].items():
        yield Check(f"kinds {name}", False, f"cannot be loaded: {error}")


def _check_packs() -> Iterator[Check]:
    """Whether each installed pack can be loaded and has what it needs."""
    installed, clashes = load_packs(), command_clashes()
    for name, error in installed.errors.items():
        yield Check(f"pack {name}", False, f"cannot be loaded: {error}; update or uninstall it")
    for name, pack in installed.packs.items():
        try:
            pack.ready()
        except MissingExtra as error:
            yield Check(f"pack {name}", True, f"not ready: {error}")
        except Exception as error:  # noqa: BLE001 - a pack may raise anything
            yield Check(f"pack {name}", False, f"{type(error).__name__}: {error}")
        else:
            yield Check(f"pack {name}", name not in clashes, clashes.get(name, "ready"))


def _check_models(settings: Settings) -> Iterator[Check]:
    """The models of the settings, and how fast they are on this machine."""
    measurements: dict[str, Callable[[Settings], str]] = {
        "embedder": measure_embedder,
        "reranker": measure_reranker,
        "language model": measure_generator,
    }
    for name, measure in measurements.items():
        try:
            yield Check(name, True, measure(settings))
        except ConsilienceError as error:
            yield Check(name, False, str(error))


def _check_workspace(folder: Path) -> Iterator[Check]:
    yield Check("workspace", True, str(folder))
    with closing(Workspace.peek(folder)) as catalogue:
        unread = catalogue.unread()
        is_indexed = bool(catalogue.fact("model"))
        # First: opening the sources finds out what the stores have lost.
        sources = list(_check_sources(folder)) if is_indexed else []
        pending = catalogue.pending_count()
    yield Check("files", True, f"{count(len(unread), 'file')} not read" if unread else "all read")
    for record in unread[:_UNREAD_SHOWN]:
        yield Check("not read", True, f"{record.path}: {record.reason}")
    if len(unread) > _UNREAD_SHOWN:
        more = f"{len(unread) - _UNREAD_SHOWN:,} more; `consilience status` lists them"
        yield Check("not read", True, more)
    behind = f"{count(pending, 'passage')} not indexed; `consilience add` indexes them"
    yield Check("index", not pending, behind if pending else "up to date")
    size = sqlite_size(folder / STORE / TOKENS_FILE)
    yield Check("token vectors", True, f"{size / 1e6:.1f} MB stored" if size else "none stored")
    yield from sources or [Check("sources", True, "nothing indexed yet")]


def _check_sources(folder: Path) -> Iterator[Check]:
    try:
        with open_for_command(folder, "doctor") as space:
            if isinstance(space, RemoteWorkspace):
                yield Check("served", True, f"by {space.owner.name} at {space.owner.address}")
            result = space.search("is everything in order", limit=1)
    except WorkspaceBusy as error:  # no fault: someone works with it
        yield Check("sources", True, f"not checked: {error}")
        return
    except ConsilienceError as error:
        yield Check("sources", False, str(error))
        return
    for outcome in result.trace.outcomes:
        detail = f"{outcome.status}, {outcome.ms:.0f} ms {outcome.reason}".strip()
        yield Check(outcome.source, not outcome.left_out, detail)


# --- how fast the models are here, on made-up passages --------------------------------------

_WORDS = (
    "keeper lamp tower stone harbour engine signal reef captain oil prism lens storm glass "
    "granite light ship coast winter crew report survey charter table figure payment owner"
)
_LENGTH = 120  # words in a passage
_SECONDS = 0.25  # about how long embedding is measured
_RERANKED = 40
_QUESTION = "which report tells how the lamp of the tower was paid for"


def measure_embedder(settings: Settings) -> str:
    """The embedder's name and size, the time for a question, and passages per second."""
    embedder = open_embedder(settings.models.embed, settings)
    embedder.embed(_texts(2))  # loads it
    started = perf_counter()
    embedder.embed_query(_QUESTION + " again")
    question_ms = _ms_since(started)
    number, seconds = 2, 0.0
    while seconds < _SECONDS / 2 and number <= 4096:  # more until it takes long enough
        number *= 4
        texts = _texts(number)
        started = perf_counter()
        embedder.embed(texts)
        seconds = perf_counter() - started
    return (
        f"{embedder.name}, {embedder.dimensions} dimensions, {question_ms:.1f} ms a question, "
        f"about {number / seconds:,.0f} passages of {_LENGTH} words a second"
    )


def measure_reranker(settings: Settings) -> str:
    """The reranker's name, and how long it takes for as many passages as usual."""
    reranker = open_reranker(settings.models.rerank, settings)
    if reranker is None:
        return "none"
    passages = [
        Passage(id=f"{place:016x}", collection="", document="", kind="text", title="", text=text)
        for place, text in enumerate(_texts(_RERANKED))
    ]

    def rerank(passages: Sequence[Passage]) -> str:
        started = perf_counter()
        scores = asyncio.run(reranker.rerank(_QUESTION, passages))
        scored = sum(score is not None for score in scores)
        return f"{scored} passages in {_ms_since(started):.0f} ms"

    rerank(passages[:2])  # loads it
    live = rerank(passages)
    if not isinstance(reranker, Preparing):
        return f"{reranker.name}, {live}"
    embedder = open_embedder(settings.models.embed, settings)
    _, packed = reranker.prepare([passage.indexed for passage in passages], embedder)
    stored = dict(zip((passage.id for passage in passages), packed, strict=True))
    reranker.reads_from(lambda ids: {key: stored[key] for key in ids if key in stored})
    size = sum(map(len, packed)) / len(packed) / 1000
    return (
        f"{reranker.name}, {rerank(passages)} with stored token vectors "
        f"({size:.1f} kB a passage), {live} without"
    )


def measure_generator(settings: Settings) -> str:
    """The language model's name, and how fast it starts, reads and writes."""
    generator = open_generator(settings.models.generate, settings)
    if generator is None:
        return "none: answers are excerpts of the evidence"

    async def measure(text: str, most: int) -> tuple[float, float, Chunk]:
        prompt = Prompt(stage="doctor", system="Do what is asked.", user=text)
        started, first, last = perf_counter(), 0.0, Chunk()
        async for chunk in generator.generate(prompt, most=most):
            first = first or perf_counter()
            last = chunk
        return first - started, perf_counter() - first, last

    with closing(generator) if isinstance(generator, Closable) else nullcontext():
        count = "Count from one to forty in words, separated by commas."
        start_s, _, _ = asyncio.run(measure(count, 1))
        _, writing_s, written = asyncio.run(measure(count, 48))
        text = f"How many keepers are named here? {' '.join(_texts(4))}"
        reading_s, _, read = asyncio.run(measure(text, 1))
    rates = [
        f"{verb} about {tokens / seconds:,.0f} tokens a second"
        for verb, tokens, seconds in (
            ("reads", read.asked, reading_s),
            ("writes", written.written, writing_s),
        )
        if tokens and seconds > 0
    ]
    return ", ".join([f"{generator.name}, first word after {start_s:,.1f} s", *rates])


def _ms_since(started: float) -> float:
    return (perf_counter() - started) * 1000


def _texts(number: int) -> list[str]:
    """Different texts of `_LENGTH` words each."""
    words, texts = _WORDS.split(), []
    for step in range(number):
        places = (at * at + step * number + step for at in range(_LENGTH - 1))
        texts.append(f"{' '.join(words[place % len(words)] for place in places)} {step}")
    return texts
