"""Which files are there, and what has become of those that are known?

A file is unchanged when size and time of change are; otherwise its bytes decide. A known file
that is gone while a new one has the same bytes has moved.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from consilience import plugins
from consilience.catalogue import Catalogue, Record
from consilience.errors import UsageError
from consilience.protocols import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file to read: where it is, how it is called in the catalogue, and who reads it."""

    path: Path
    key: str
    loader: str
    format: Format
    collection: str
    size: int
    mtime_ns: int
    sha256: str = ""


@dataclass(slots=True)
class Scan:
    """What there is to do."""

    read: list[File] = field(default_factory=list)
    touch: list[Record] = field(default_factory=list)
    move: list[tuple[str, File]] = field(default_factory=list)
    forget: list[str] = field(default_factory=list)
    unchanged: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def formats() -> Mapping[str, tuple[str, Format]]:
    """Which loader reads which ending; two loaders that claim one ending are refused."""
    found: dict[str, tuple[str, Format]] = {}
    for name, point in plugins.find("loaders").items():
        format_: Any = point.load()
        for ending in format_.endings:
            other = found.setdefault(ending, (name, format_))
            if other[0] != name:
                raise UsageError(
                    f"two loaders claim {ending!r} files: {other[0]!r} and {name!r}; "
                    "uninstall one of the packages"
                )
    return found


def key_of(path: Path, home: Path) -> str:
    """A file's name in the catalogue: relative inside the workspace, absolute outside."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - links stay links, as the user named them
    return whole.relative_to(home).as_posix() if whole.is_relative_to(home) else whole.as_posix()


def look(
    roots: Mapping[Path, str], catalogue: Catalogue, home: Path, *, force: bool = False
) -> Scan:
    """Compare what is on disk below the roots with what the catalogue knows of it."""
    scan = Scan()
    excluded = catalogue.excluded()
    known = {record.path: record for record in catalogue.documents()}
    present: dict[str, File] = {}
    for root, collection in roots.items():
        for file in _files(root, collection, home, scan):
            if file.key not in excluded:
                present.setdefault(file.key, file)
    gone = _gone(roots, known, present, home)
    for file in present.values():
        _sort_out(file, known.get(file.key), gone, scan, force=force)
    scan.forget.extend(sorted(record.path for record in gone.values()))
    return scan


def _files(root: Path, collection: str, home: Path, scan: Scan) -> Iterator[File]:
    known = formats()
    for path in _walk(root, home, scan):
        ending = _ending(path.name, known)
        if ending is None:
            if path == root:
                raise UsageError(
                    f"nothing here reads {path.name!r}; known endings: {' '.join(sorted(known))}"
                )
            scan.ignored[path.suffix.lower() or "(no ending)"] += 1
            continue
        name, format_ = known[ending]
        try:
            stat = path.stat()
        except OSError as error:
            scan.unreadable.append((key_of(path, home), error.strerror or str(error)))
            continue
        yield File(
            path=path,
            key=key_of(path, home),
            loader=name,
            format=format_,
            collection=collection,
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
        )


def _walk(root: Path, home: Path, scan: Scan) -> Iterator[Path]:
    if not root.exists():
        raise UsageError(f"no such file or folder: {root}")
    if root.is_file():
        yield root
        return

    def refused(error: OSError) -> None:
        scan.unreadable.append((str(error.filename), error.strerror or str(error)))

    for folder, names, files in os.walk(root, onerror=refused):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and not _own(Path(folder), name, home):
                yield Path(folder) / name


def _own(folder: Path, name: str, home: Path) -> bool:
    """The workspace's own settings and synonyms are not evidence."""
    return folder == home and name in ("consilience.toml", "synonyms.toml")


def _ending(name: str, known: Mapping[str, object]) -> str | None:
    fits = [ending for ending in known if name.lower().endswith(ending)]
    return max(fits, key=len) if fits else None


def _gone(
    roots: Mapping[Path, str],
    known: Mapping[str, Record],
    present: Mapping[str, File],
    home: Path,
) -> dict[str, Record]:
    """Known files below the roots that are no longer on disk."""
    keys = [key_of(root, home) for root in roots]
    return {
        path: record
        for path, record in known.items()
        if path not in present and any(below(path, key) for key in keys)
    }


def below(path: str, root: str) -> bool:
    """Whether a catalogue name lies at or below another; `.` is the workspace itself."""
    if root == ".":
        return not Path(path).is_absolute()
    return path == root or path.startswith(root.rstrip("/") + "/")


def _sort_out(
    file: File, record: Record | None, gone: dict[str, Record], scan: Scan, *, force: bool
) -> None:
    settled = record is not None and not force and _read_alike(file, record)
    if record and settled and (record.size, record.mtime_ns) == (file.size, file.mtime_ns):
        scan.unchanged += 1
        return
    try:
        file = replace(file, sha256=digest(file.path))
    except OSError as error:
        scan.unreadable.append((file.key, error.strerror or str(error)))
        return
    if record and settled and record.sha256 == file.sha256:
        scan.touch.append(replace(record, size=file.size, mtime_ns=file.mtime_ns))
        scan.unchanged += 1
        return
    old = None if record else _moved_from(file, gone)
    if old is None:
        scan.read.append(file)
    else:
        del gone[old]
        scan.move.append((old, file))


def _read_alike(file: File, record: Record) -> bool:
    """Whether reading the file again would give the same, if its bytes are the same."""
    return (
        record.status == "ok"
        and (record.loader, record.version) == (file.loader, file.format.version)
        and file.collection in ("", record.collection)
    )


def _moved_from(file: File, gone: Mapping[str, Record]) -> str | None:
    twins = [
        path
        for path, record in gone.items()
        if record.sha256 == file.sha256 and _read_alike(file, record)
    ]
    return min(twins) if twins else None


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def summary(ignored: Mapping[str, int]) -> Sequence[str]:
    """`.jpg (12)`, most first."""
    return [f"{ending} ({n})" for ending, n in sorted(ignored.items(), key=lambda i: (-i[1], i[0]))]
