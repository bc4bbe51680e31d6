"""How does evidence come in? Scan, read, split, store, index; each step can be taken up again.

Reading a file ends in one transaction of the catalogue, indexing works off what that left
pending. So a second run does only what changed, and a killed run is completed by the next.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from consilience.catalogue import Catalogue, Record, below
from consilience.errors import LoadError, MissingExtra, UsageError
from consilience.ingest.index import average_length, check_language, check_model, index
from consilience.ingest.progress import Detailed, Paces, Progress, Silent
from consilience.ingest.scan import File, Scan, ending_of, formats, key_of, look, summary
from consilience.pack import Pack
from consilience.protocols import Embedder, Room
from consilience.settings import Settings
from consilience.sources.qdrant_edge import token_counts
from consilience.split import split
from consilience.stores import Stores, checked_name
from consilience.tokens import Keeping
from consilience.types import Document, Passage, identified

__all__ = [
    "Detailed",
    "Evidence",
    "Progress",
    "Report",
    "Silent",
    "add",
    "average_length",
    "below",
    "bring_up_to_date",
    "check_language",
    "check_model",
    "ending_of",
    "formats",
    "key_of",
    "remove",
]

READERS = 2  # files read at a time
SAMPLED = 20_000  # passages of one document from which on only some have their words counted
AHEAD = 16  # files read ahead of the one being stored: bounds memory
TOLD_S = 0.1  # how often it is told how far the files are that are being read


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What ingest works on: the catalogue, the engines, the model, and what the pack knows."""

    home: Path
    catalogue: Catalogue
    stores: Stores
    embedder: Embedder
    keeping: Keeping | None
    settings: Settings
    pack: Pack

    @property
    def room(self) -> Room:
        """How much fits into a passage."""
        embedder = self.embedder
        target = self.settings.passages.target
        return Room(count=embedder.count, limit=embedder.limit, target=target)

    def collection(self, document: Document, asked: str) -> str:
        """Where a document goes: as asked, else as the pack says for its kind."""
        known = self.pack.files.collections
        return checked_name(asked or known.get(document.kind) or known["*"])


@dataclass(slots=True)
class Report:
    """What a run did."""

    read: int = 0
    unchanged: int = 0
    moved: int = 0
    removed: int = 0
    new: int = 0
    kept: int = 0
    gone: int = 0
    indexed: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def add(
    evidence: Evidence,
    roots: Mapping[Path, str],
    *,
    progress: Progress | None = None,
    force: bool = False,
) -> Report:
    """Take in files and folders, with what changed, moved or went since the last time.

    `roots` gives each path the collection asked for, or an empty text. A file that cannot be
    read is reported and stays listed; the others go on. With `force` everything is read again.
    """
    progress = progress or Silent()
    check_model(evidence.catalogue, evidence.embedder)
    check_language(evidence.catalogue, evidence.settings.passages.language)
    pack = evidence.pack.name
    scan = look(roots, evidence.catalogue, evidence.home, pack=pack, force=force)
    for root, collection in roots.items():
        _remember(root, collection, evidence)
    report = Report(unchanged=scan.unchanged, ignored=list(summary(scan.ignored)))
    _list_unreadable(scan, evidence.catalogue, report)
    _follow(scan, evidence.catalogue, report)
    _take_in(scan.read, evidence, report, progress)
    report.indexed = bring_up_to_date(evidence, progress)
    return report


def bring_up_to_date(evidence: Evidence, progress: Progress) -> int:
    """Have the engines do what is pending; how many passages that took."""
    return index(
        evidence.catalogue,
        evidence.stores,
        evidence.embedder,
        settings=evidence.settings,
        progress=progress,
        keeping=evidence.keeping,
    )


def remove(evidence: Evidence, paths: Sequence[Path]) -> Report:
    """Forget files and folders that were added; the files themselves stay where they are.

    What lies below something else that was added stays out until it is asked for by name.
    """
    catalogue = evidence.catalogue
    check_model(catalogue, evidence.embedder)
    keys = [key_of(path, evidence.home) for path in paths]
    for key in keys:
        if not catalogue.documents(key) and key not in catalogue.roots():
            raise UsageError(f"nothing was added from {key!r}; `consilience status` lists what was")
    report = Report()
    for key in keys:
        for root in (key, *(one for one in catalogue.roots() if below(one, key))):
            catalogue.drop_root(root)
        if any(below(key, root) for root in catalogue.roots()):
            catalogue.exclude(key)
        for record in catalogue.documents(key):
            report.gone += catalogue.forget(record.path)
            report.removed += 1
    report.indexed = bring_up_to_date(evidence, Silent())
    return report


def _remember(root: Path, collection: str, evidence: Evidence) -> None:
    """What was added is looked at again later; what is not there any more is not."""
    key = key_of(root, evidence.home)
    if root.exists() or root.is_symlink():
        evidence.catalogue.add_root(key, checked_name(collection) if collection else "")
    else:
        evidence.catalogue.drop_root(key)


def _list_unreadable(scan: Scan, catalogue: Catalogue, report: Report) -> None:
    """What cannot be read stays listed, with what was known of it."""
    for path, reason in scan.unreadable:
        report.failed.append((path, reason))
        before = catalogue.document(path) or Record(
            path=path,
            collection="",
            loader="",
            version=0,
            title=Path(path).name,
        )
        catalogue.touch(replace(before, status="failed", reason=reason))


def _follow(scan: Scan, catalogue: Catalogue, report: Report) -> None:
    """Files that were touched, moved or deleted."""
    for record in scan.touch:
        catalogue.touch(record)
    for old, file in scan.move:
        before = catalogue.document(old)
        if before is None or _named_after(before, old):
            scan.read.append(file)
            scan.forget.append(old)
            continue
        catalogue.rename(old, file.key)
        catalogue.touch(replace(before, path=file.key, size=file.size, mtime_ns=file.mtime_ns))
        report.moved += 1
    for path in scan.forget:
        report.gone += catalogue.forget(path)
        report.removed += 1


def _named_after(record: Record, path: str) -> bool:
    """Whether the title came from the file's name, so that a new name means a new title."""
    stem = Path(path).name.split(".")[0].replace("-", " ").replace("_", " ")
    return record.title.casefold() == stem.strip().casefold()


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a file says: its document, without the blocks, and the passages made of them."""

    document: Document
    passages: list[Passage]
    words: Mapping[str, float]


Outcome = _Reading | str


def _take_in(files: Sequence[File], evidence: Evidence, report: Report, progress: Progress) -> None:
    """Read and store; what was read is let go of before it is indexed."""
    progress.stage("Reading", total=len(files), unit="files")
    paces = Paces(progress)
    with closing(_read_all(files, evidence, paces)) as outcomes:
        for file, outcome in outcomes:
            _store(file, outcome, evidence, report)
            paces.relay()
            progress.advance()


def _read_all(
    files: Sequence[File], evidence: Evidence, paces: Paces
) -> Generator[tuple[File, Outcome], None, None]:
    """Read in a few threads, in order, never far ahead of what is being stored."""
    pool = ThreadPoolExecutor(READERS, thread_name_prefix="read")
    try:
        queue = []
        for file in files:
            queue.append((file, pool.submit(_read, file, evidence, paces)))
            if len(queue) >= AHEAD:
                first, outcome = queue.pop(0)
                yield first, _awaited(outcome, paces)
        for file, outcome in queue:
            yield file, _awaited(outcome, paces)
    finally:  # whoever stops early waits for the pages that are being read, not for the next
        paces.stop()
        pool.shutdown(cancel_futures=True)


def _awaited(outcome: Future[Outcome], paces: Paces) -> Outcome:
    """What became of a file; until then it is told how far those are that are being read."""
    while wait([outcome], TOLD_S).not_done:
        paces.relay()
    paces.relay()
    return outcome.result()


def _read(file: File, evidence: Evidence, paces: Paces) -> Outcome:
    try:
        with paces.of(file.key):
            document, passages = _passages(file, evidence)
        words = _words(passages, evidence.settings.passages.language)
    except (LoadError, MissingExtra) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - one file's loader must not cost the others
        return f"{type(error).__name__} while reading: {error}"
    return _Reading(replace(document, blocks=()), passages, words)


def _passages(file: File, evidence: Evidence) -> tuple[Document, list[Passage]]:
    """A file as its loader and the pack read it, split; the pack adds what it knows of each."""
    room, pack = evidence.room, evidence.pack
    document = file.format.load(file.path)
    if file.format.cut is not None:
        document = file.format.cut(document, room)
    document = pack.files.prepare(document, file.path, room)
    collection = evidence.collection(document, file.collection)
    passages = split(document, collection=collection, path=file.key, room=room)
    return document, [identified(one) for one in pack.files.annotate(passages)]


def _words(passages: Sequence[Passage], language: str) -> dict[str, float]:
    """How many words BM25 counts in each passage, by id: what matters is their mean.

    Of a document of very many passages some are counted, spread over it; the others are given
    the mean of those.
    """
    some = passages[:: 1 + len(passages) // SAMPLED]
    counts = token_counts((one.indexed for one in some), language=language)
    mean = sum(counts) / max(1, len(counts))
    counted = {one.id: number for one, number in zip(some, counts, strict=True)}
    return {one.id: counted.get(one.id, mean) for one in passages}


def _store(file: File, outcome: Outcome, evidence: Evidence, report: Report) -> None:
    record = Record(
        path=file.key,
        collection=file.collection,
        sha256=file.sha256,
        size=file.size,
        mtime_ns=file.mtime_ns,
        loader=file.loader,
        version=file.format.version,
    )
    if isinstance(outcome, str):
        report.failed.append((file.key, outcome))
        before = evidence.catalogue.document(file.key)
        title = before.title if before else file.path.name
        evidence.catalogue.touch(replace(record, title=title, status="failed", reason=outcome))
        return
    document = outcome.document
    stored = evidence.catalogue.store(
        replace(
            record,
            collection=evidence.collection(document, file.collection),
            title=document.title,
            notes=document.notes,
        ),
        outcome.passages,
        outcome.words,
    )
    report.read += 1
    report.new += stored.new
    report.kept += stored.kept
    report.gone += stored.gone
    report.notes.extend((file.key, note) for note in document.notes)
