"""How is a zip archive read? Each file in it by its own loader, under its name as a section.

Attachments of mail are read by the same door (`load_member`). No more is unpacked than `MOST_BYTES`
in all, archives within archives included, and those only `DEEPEST` levels deep. A member that
cannot be read costs only itself, and is listed in the notes with the reason.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from consilience import plugins
from consilience.errors import LoadError, MissingExtra
from consilience.evidence.loaders.common import decode, plain, said, title_of, with_fields
from consilience.protocols import Format
from consilience.settings import Settings
from consilience.types import Block, Document, Locator

MOST_BYTES = 100_000_000  # unpacked from one file
LARGEST = 20_000_000  # bytes of one text in a book or an office file: parsed, it takes far more
MOST_MEMBERS = 2000
DEEPEST = 3
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>")
_HIDDEN = re.compile(r"(?:^|/)(?:\.(?!\.?/)|__MACOSX/)")


class Bomb(LoadError):
    """An archive that would unpack to more than anyone writes; nothing of it is given."""


class Archive:
    """A zip that gives its files by name, unpacks so much and no more, and fails with `LoadError`
    only. `kind` names the format in messages.
    """

    def __init__(self, path: Path, kind: str = "EPUB") -> None:
        self._name = path.name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise LoadError(
                f"{path.name} is not an {kind} file: {error}; download or export it again"
            ) from error
        self._files = {info.filename.lower(): info for info in self._zip.infolist()}
        self._left = MOST_BYTES

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def has(self, name: str) -> bool:
        """Whether there is a file of this name, in any case of its letters."""
        return name.lower() in self._files

    def names(self) -> list[str]:
        """The names of its files, in order, without folders and hidden files."""
        return [
            info.filename
            for info in self._zip.infolist()
            if not info.is_dir() and not _HIDDEN.search(info.filename)
        ]

    def read(self, name: str, *, largest: int = LARGEST) -> bytes:
        """The bytes of a file in the archive."""
        file = self._files.get(name.lower())
        if file is None:
            raise LoadError(f"{self._name} has no {name}; download or export it again")
        self._left -= file.file_size  # no more is unpacked, whatever follows
        if self._left < 0 or file.file_size > largest:
            raise Bomb(
                f"{self._name} has too much text to unpack at {name}: refused as a decompression "
                "bomb; unpack it yourself and add the files"
            )
        try:
            return self._zip.read(file)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError) as error:
            raise LoadError(f"{self._name} is damaged at {name}: {error}; get it again") from error
        except (RuntimeError, NotImplementedError) as error:
            raise LoadError(
                f"{self._name} is protected: {name} cannot be opened; use a copy without a password"
            ) from error

    def xml(self, name: str) -> ElementTree.Element:
        """A file as XML. Entity declarations are refused: nothing outside is ever read."""
        text, _ = decode(self.read(name), name)
        if "<!ENTITY" in text:
            raise LoadError(f"{self._name} declares entities in {name}; refused as unsafe")
        text = _DECLARATION.sub("", text)  # it names the encoding of bytes, and this is text
        try:
            return ElementTree.fromstring(text)  # noqa: S314 - no entities, see above
        except (ElementTree.ParseError, ValueError, RecursionError) as error:
            raise LoadError(f"{self._name} is damaged at {name}: {error}; get it again") from error


def refuse_bomb(path: Path, kind: str) -> None:
    """Refuse an office file, which is a zip, that would unpack to too much."""
    try:
        with zipfile.ZipFile(path) as packed:
            total = sum(info.file_size for info in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        with path.open("rb") as stream:
            old = stream.read(8) == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        advice = (
            "it has a password or the old binary format; save it without, in today's format"
            if old
            else f"{error}; download or export it again"
        )
        raise LoadError(f"{path.name} is not a readable {kind} file: {advice}") from error
    if total > 4 * MOST_BYTES:
        raise Bomb(f"{path.name} would unpack to {total:,} bytes; refused as a decompression bomb")


# --- files within files -----------------------------------------------------------------


@dataclass(slots=True)
class _Nesting:
    """How deep the file being read is in others, and how many bytes may still be unpacked."""

    depth: int = 0
    left: int = MOST_BYTES


_NESTING: ContextVar[_Nesting | None] = ContextVar("nesting", default=None)


@contextmanager
def _nested() -> Iterator[_Nesting]:
    nesting = _NESTING.get() or _Nesting()
    token = _NESTING.set(nesting)
    nesting.depth += 1
    try:
        yield nesting
    finally:
        nesting.depth -= 1
        _NESTING.reset(token)


@cache
def _formats() -> dict[str, Format]:
    """The loaders that read a file whatever the pack, by the endings of names."""
    found: Sequence[Format] = tuple(plugins.load_active("loaders", Settings()).found.values())
    return {ending: known for known in found if not known.packs for ending in known.endings}


def load_member(name: str, data: bytes) -> tuple[list[Block], list[str]]:
    """The blocks of a file inside another, each under its name, and notes on what was not read."""
    shown = plain(name)
    endings = [ending for ending in _formats() if name.lower().endswith(ending)]
    if not endings:
        ending = PurePosixPath(name).suffix.lower() or "without an ending"
        return [], [f"{shown} was not read: no loader for {ending} files"]
    with _nested() as nesting, tempfile.TemporaryDirectory() as folder:
        nesting.left -= len(data)
        if nesting.depth > DEEPEST or nesting.left < 0:
            return [], [f"{shown} was not read: it is nested too deep or too large"]
        path = Path(folder) / (PurePosixPath(name).name[-120:].replace("\0", "") or "file")
        try:
            path.write_bytes(data)
            document = _formats()[max(endings, key=len)].load(path)
        except (LoadError, MissingExtra, OSError) as error:
            return [], [f"{shown} was not read: {error}"]
    return (
        [
            replace(
                block,
                kind=block.kind or ("row" if document.kind == "table" else None),
                locator=replace(block.locator, section=(shown, *block.locator.section)),
            )
            for block in with_fields(document.blocks, document.metadata)
        ],
        [f"{shown}: {note}" for note in document.notes],
    )


def load(path: Path) -> Document:
    """Read all files of a zip archive; what cannot be read is named in the notes."""
    blocks: list[Block] = []
    notes: list[str] = []
    with closing(Archive(path, "archive")) as archive:
        names = archive.names()
        for name in names[:MOST_MEMBERS]:
            try:
                data = archive.read(name, largest=MOST_BYTES)
            except Bomb:
                raise
            except LoadError as error:
                notes.append(f"{plain(name)} was not read: {error}")
                continue
            found, remarks = load_member(name, data)
            blocks.extend(found)
            notes.extend(remarks)
    if len(names) > MOST_MEMBERS:
        notes.append(f"only the first {MOST_MEMBERS:,} of {len(names):,} files were read")
    rows = bool(blocks) and all(block.kind == "row" for block in blocks)
    return Document(
        title=title_of(path),
        kind="table" if rows else "document",
        blocks=tuple(blocks),
        notes=(*notes, *said(path, blocks)),
    )


def paragraph_blocks(text: str, place: Locator, **fields: str) -> list[Block]:
    """A block for each paragraph of a plain text."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", plain(text)))
    return [Block(text=part, locator=place, metadata=fields) for part in parts if part]


LOADER = Format(endings=(".zip",), version=1, load=load)
