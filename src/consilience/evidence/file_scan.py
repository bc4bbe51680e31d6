"""Which files are new, changed, moved or gone?

A file is unchanged when its size and modification time are; otherwise its bytes decide. A known
file that is gone while a new one has the same bytes has moved.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType

from consilience import plugins
from consilience.errors import UsageError
from consilience.evidence.catalogue import MEMORY, Catalogue, Record, below
from consilience.protocols import Format
from consilience.settings import PluginTables, Settings

_ADVICE = {
    **dict.fromkeys((".doc", ".dot", ".wps", ".pages"), "save it as .docx"),
    **dict.fromkeys((".ppt", ".pps", ".key"), "save it as .pptx"),
    **dict.fromkeys((".xlsb", ".numbers"), "save it as .xlsx"),
    **dict.fromkeys((".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz"), "unpack it"),
    **dict.fromkeys((".mobi", ".azw", ".azw3", ".fb2"), "convert it to .epub"),
    **dict.fromkeys((".djvu", ".ps", ".xps"), "convert it to .pdf"),
    **dict.fromkeys((".heic", ".heif", ".svg", ".psd"), "save it as .png"),
    **dict.fromkeys((".parquet", ".db", ".sqlite", ".mdb", ".feather"), "export it as .csv"),
    **dict.fromkeys((".msg", ".pst"), "export it as .eml or .mbox"),
    **dict.fromkeys((".mp3", ".wav", ".m4a", ".mp4", ".mov", ".avi", ".mkv"), "add a transcript"),
}
"""What helps with files that no loader reads."""
_SHOWN_ENDINGS = 8
_SETTINGS = ("consilience.toml", "synonyms.toml")  # of the workspace itself: no evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file to read: its path, its name in the catalogue (`key`) and its loader."""

    path: Path
    key: str
    size: int
    mtime_ns: int
    loader: str
    format: Format
    collection: str = ""
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
    skipped: dict[str, str] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def formats(
    pack: str, tables: PluginTables = MappingProxyType({})
) -> Mapping[str, tuple[str, Format]]:
    """The loader of each file ending in workspaces of a pack; its own take precedence.

    `tables` are those of plug-ins in the settings. Two loaders that claim one ending are refused.
    """
    own: dict[str, tuple[str, Format]] = {}
    general: dict[str, tuple[str, Format]] = {}
    loaded: Mapping[str, Format] = plugins.load_active(
        "loaders", Settings(pack=pack, plugins=tables)
    ).found
    for name, format_ in loaded.items():
        if format_.packs and pack not in format_.packs:
            continue
        found = own if format_.packs else general
        for ending in format_.endings:
            other = found.setdefault(ending, (name, format_))
            if other[0] != name:
                raise UsageError(
                    f"two loaders claim {ending!r} files: {other[0]!r} and {name!r}; "
                    "uninstall one of the packages"
                )
    return {**general, **own}


def key_of(path: str | Path, home: Path) -> str:
    """A file's name in the catalogue: relative inside the workspace, absolute outside.

    That of a document from memory is its name already.
    """
    if isinstance(path, str) and path.startswith(MEMORY):
        return path
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - links stay links, as the user named them
    return whole.relative_to(home).as_posix() if whole.is_relative_to(home) else whole.as_posix()


def scan_files(
    roots: Mapping[Path, str],
    catalogue: Catalogue,
    home: Path,
    *,
    pack: str,
    tables: PluginTables = MappingProxyType({}),
    force: bool = False,
) -> Scan:
    """Compare the files below the roots with the catalogue.

    A root that no longer exists has been deleted or moved. What cannot be read is reported, and
    what was known of it stays.
    """
    scan = Scan()
    known = {
        record.path: record
        for record in catalogue.documents()
        if not record.path.startswith(MEMORY)
    }
    named = {key_of(root, home): collection for root, collection in roots.items()}
    every_root, excluded = {**catalogue.roots(), **named}, catalogue.excluded()
    readers = formats(pack, tables)
    present: dict[str, File] = {}
    for root in roots:
        for file in _files(root, home, scan, readers):
            collection = _claimed_collection(file.key, every_root, excluded)
            if collection is not None:
                present.setdefault(file.key, replace(file, collection=collection))
    gone = _gone(named, known, present, scan)
    missing = {path: record for path, record in known.items() if not (home / path).exists()}
    lost = {**missing, **gone}
    for file in present.values():
        _classify(file, known.get(file.key), lost, scan, force=force)
    moved = {old for old, _ in scan.move}
    scan.forget.extend(sorted(path for path in gone if path not in moved))
    return scan


def _claimed_collection(key: str, roots: Mapping[str, str], excluded: set[str]) -> str | None:
    """The collection asked for a file's nearest root; None when an exclusion is nearer."""
    root = max((root for root in roots if below(key, root)), key=_depth, default=None)
    exclusion = max((path for path in excluded if below(key, path)), key=_depth, default=None)
    if root is None or (exclusion is not None and _depth(exclusion) >= _depth(root)):
        return None
    return roots[root]


def _depth(key: str) -> int:
    return 0 if key == "." else len(key)


def _files(
    root: Path, home: Path, scan: Scan, known: Mapping[str, tuple[str, Format]]
) -> Iterator[File]:
    """The files below a root that a loader reads; those that cannot be opened are reported."""
    for path in _walk(root, home, scan, known):
        ending = ending_of(path.name, known)
        if ending is None:
            if path == root:
                raise UsageError(f"{path.name!r}: {_why_skipped(path)}.\n{list_formats(known)}")
            scan.ignored[path.suffix.lower() or "(no ending)"] += 1
        key = key_of(path, home)
        try:
            key.encode()
            if ending is None:
                scan.skipped[key] = _why_skipped(path)
                continue
            stat = path.stat()
        except UnicodeEncodeError:
            shown = key.encode("utf-8", "replace").decode()
            scan.unreadable.append((shown, "its name is not valid UTF-8; rename it"))
            continue
        except OSError as error:
            reason = "a link to nothing" if path.is_symlink() else error.strerror or str(error)
            scan.unreadable.append((key, reason))
            continue
        if not S_ISREG(stat.st_mode):
            scan.ignored["(not a plain file)"] += 1
            continue
        loader, format_ = known[ending]
        yield File(
            path=path,
            key=key,
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
            loader=loader,
            format=format_,
        )


def _why_skipped(path: Path) -> str:
    """Why a file is not read, and what helps."""
    ending = path.suffix.lower()
    reason = f"no loader for {ending} files" if ending else "no loader for files without an ending"
    return f"{reason}; {_ADVICE[ending]}" if ending in _ADVICE else reason


def list_formats(known: Mapping[str, tuple[str, Format]]) -> str:
    """What can be added, a line for each loader: `office: .docx .odp .ods`."""
    endings: dict[str, list[str]] = {}
    for ending, (name, _) in sorted(known.items()):
        endings.setdefault(name, []).append(ending)
    lines = ["What can be added: a web address (https://…), a folder, or a file of these:"]
    for name, some in sorted(endings.items()):
        more = len(some) - _SHOWN_ENDINGS
        rest = f" and {more} more" if more > 0 else ""
        lines.append(f"  {name.replace('_', ' ')}: {' '.join(some[:_SHOWN_ENDINGS])}{rest}")
    return "\n".join(lines)


def _walk(root: Path, home: Path, scan: Scan, known: Mapping[str, object]) -> Iterator[Path]:
    """The files below a root; hidden ones and linked folders are only listed."""
    if not root.is_dir():
        if root.exists() or root.is_symlink():
            yield root
        return

    def report(error: OSError) -> None:
        key = key_of(Path(str(error.filename)), home)
        scan.unreadable.append((key, error.strerror or str(error)))

    for folder, names, files in os.walk(root, onerror=report):
        for path in (Path(folder) / name for name in names):
            if path.is_symlink() and not path.name.startswith("."):
                scan.ignored["(link to a folder)"] += 1
                scan.skipped[key_of(path, home)] = "a link to a folder; add that folder itself"
        names[:] = sorted(name for name in names if not name.startswith("."))
        own = _SETTINGS if Path(folder) == home else ()
        for name in sorted(files):
            if not name.startswith("."):
                if name not in own:
                    yield Path(folder) / name
            elif ending_of(name, known) not in (None, name.lower()):
                scan.ignored["(hidden)"] += 1
                scan.skipped[key_of(Path(folder) / name, home)] = (
                    "a hidden file: its name begins with a dot; name it without to add it"
                )


def ending_of(name: str, known: Mapping[str, object]) -> str | None:
    """The longest of the known endings that a file's name has."""
    matches = [ending for ending in known if name.lower().endswith(ending)]
    return max(matches, key=len) if matches else None


def _gone(
    roots: Iterable[str],
    known: Mapping[str, Record],
    present: Mapping[str, File],
    scan: Scan,
) -> dict[str, Record]:
    """Known files below the roots that no longer exist; an unreadable one may exist."""
    unreadable = [path for path, _ in scan.unreadable]
    return {
        path: record
        for path, record in known.items()
        if path not in present
        and path not in scan.skipped
        and any(below(path, root) for root in roots)
        and not any(below(path, folder) for folder in unreadable)
    }


def _classify(
    file: File, record: Record | None, lost: dict[str, Record], scan: Scan, *, force: bool
) -> None:
    current = record is not None and not force and _same_reading(file, record)
    if record and current and (record.size, record.mtime_ns) == (file.size, file.mtime_ns):
        scan.unchanged += 1
        return
    try:
        file = replace(file, sha256=digest(file.path))
    except OSError as error:
        scan.unreadable.append((file.key, error.strerror or str(error)))
        return
    if record and current and record.sha256 == file.sha256:
        scan.touch.append(replace(record, size=file.size, mtime_ns=file.mtime_ns))
        scan.unchanged += 1
        return
    twins = [
        path
        for path, before in lost.items()
        if before.sha256 == file.sha256 and _same_reading(file, before)
    ]
    if record or not twins:
        scan.read.append(file)
    else:
        old = min(twins)
        del lost[old]
        scan.move.append((old, file))


def _same_reading(file: File, record: Record) -> bool:
    """Whether reading the file again would give the same, if its bytes are the same."""
    return (
        record.status in ("ok", "empty")
        and (record.loader, record.version) == (file.loader, file.format.version)
        and file.collection in ("", record.collection)
    )


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def count_ignored(ignored: Mapping[str, int]) -> list[str]:
    """`.jpg (12)`, most first."""
    ordered = sorted(ignored.items(), key=lambda item: (-item[1], item[0]))
    return [f"{ending} ({count})" for ending, count in ordered]
