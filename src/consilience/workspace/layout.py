"""How does a folder become a workspace, how is one found, and what does it hold?"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from consilience import plugins
from consilience.errors import MissingWorkspace, StoreError, UsageError
from consilience.evidence.catalogue import Catalogue
from consilience.evidence.size_limits import check_free_space
from consilience.evidence.token_store import TOKENS_FILE, disk_size, sqlite_size
from consilience.pack import Pack
from consilience.settings import FILE

STORE = ".consilience"
GATE = "gate.toml"
_PIECE = 2**16  # bytes copied at a time
SAMPLE = "sample"
"""The folder in a workspace that a sample is copied to."""


def workspace_at(folder: Path) -> Path:
    """The folder, if it is a workspace itself; a parent that is one does not count."""
    if (folder / FILE).is_file():
        return folder.absolute()
    raise MissingWorkspace(
        f"{folder} is not a workspace: it has no {FILE}; name another folder, or create one with "
        f"`consilience init {folder}`"
    )


def find_workspace(start: Path) -> Path:
    """The nearest folder upwards that has a `consilience.toml`."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder
    raise MissingWorkspace(
        f"no {FILE} in {start} or above it; make a workspace with `consilience init DIR`, "
        "or name one with -w DIR"
    )


def init_workspace(folder: str | Path, *, pack: str = "general") -> Path:
    """Make a folder a workspace; one that is one already is refused."""
    folder = Path(folder)
    chosen: Pack = plugins.load("packs", pack)
    chosen.ready()
    if (folder / FILE).exists():
        raise UsageError(f"{folder} is a workspace already; add to it with `consilience add`")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        store_folder(folder)
        (folder / FILE).write_text(_settings_file(chosen), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot make a workspace in {folder}: {error.strerror}") from error
    return folder


def _settings_file(pack: Pack) -> str:
    """The settings file of a new workspace: its pack, and what the pack sets."""
    text = (
        "# A Consilience workspace. `consilience settings` lists every setting with its meaning.\n"
        f'pack = "{pack.name}"\n'
    )
    section = ""
    for name, value in sorted(pack.settings.items()):
        table, _, key = name.rpartition(".")
        text += f"\n[{table}]\n" if table != section else ""
        text += f"{key} = {json.dumps(value) if isinstance(value, str) else repr(value)}\n"
        section = table
    return text


def copy_sample(folder: Path, pack: str) -> Path:
    """Copy a pack's sample, golden sets and gate into a workspace; the folder of the files."""
    sample = plugins.load("packs", pack).sample
    if sample is None:
        raise UsageError(f"the pack {pack!r} has no sample; leave out --sample")
    target = folder / SAMPLE
    shutil.copytree(sample.folder, target, dirs_exist_ok=True)
    if sample.golden is not None:
        beside, name = sample.golden.parent, f"{sample.golden.stem}*{sample.golden.suffix}"
        for file in (*beside.glob(name), *beside.glob(GATE)):
            if not (folder / file.name).exists():
                shutil.copyfile(file, folder / file.name)
    return target


def store_folder(folder: Path) -> Path:
    """The folder of a workspace's stores, created if it is missing; only its owner can enter it."""
    store = folder / STORE
    try:
        store.mkdir(mode=0o700, exist_ok=True)
        with suppress(OSError):  # another's, or a disk without rights
            if store.stat().st_mode & 0o077:
                store.chmod(0o700)
    except OSError as error:
        raise StoreError(
            f"cannot make {store}: {error.strerror}; is the disk read-only?"
        ) from error
    return store


def is_read_only(store: Path) -> bool:
    """Whether stores are there, on a disk or in a folder that cannot be written to."""
    return store.exists() and not os.access(store, os.W_OK)


def copy_store(store: Path) -> TemporaryDirectory[str]:
    """A copy of stores, to search where they cannot be written: engines write when they open."""
    copy = TemporaryDirectory(prefix="consilience-")
    check_free_space(Path(copy.name), sum(map(disk_size, store.rglob("*"))), "copy its stores")
    for path in store.rglob("*"):
        target = Path(copy.name) / path.relative_to(store)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif path.name != "lock":
            target.parent.mkdir(parents=True, exist_ok=True)
            _copy_sparse(path, target)
    return copy


def _copy_sparse(source: Path, target: Path) -> None:
    """Copy a file; what is empty in it takes no room."""
    with source.open("rb") as reading, target.open("wb") as writing:
        while piece := reading.read(_PIECE):
            if piece.count(0) == len(piece):
                writing.seek(len(piece), os.SEEK_CUR)
            else:
                writing.write(piece)
        writing.truncate()


def workspace_status(folder: Path, catalogue: Catalogue) -> dict[str, Any]:
    """What a workspace holds, with every file and how reading it went."""
    return {
        "workspace": str(folder),
        "model": catalogue.fact("model"),
        "collections": catalogue.counts(),
        "pending": catalogue.pending_count(),
        "bytes": stored_bytes(folder),
        "roots": catalogue.roots(),
        "documents": [asdict(record) for record in catalogue.documents()],
    }


def stored_bytes(folder: Path) -> dict[str, int]:
    """The size on disk of everything built from the evidence, and of the token vectors in it."""
    files = [path for path in (folder / STORE).rglob("*") if path.is_file()]
    return {"all": sum(map(disk_size, files)), "tokens": sqlite_size(folder / STORE / TOKENS_FILE)}
