"""How are files ingested? Scan, read, split, store, index; each step can be resumed.

Reading a file ends in one transaction of the catalogue, indexing works off what that left pending.
So a second run does only what changed, and a killed run is completed by the next.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from consilience.errors import LoadError, MissingExtra, UsageError
from consilience.evidence.catalogue import MEMORY, Catalogue, Record, below
from consilience.evidence.file_scan import (
    File,
    Scan,
    count_ignored,
    ending_of,
    formats,
    key_of,
    scan_files,
)
from consilience.evidence.indexer import (
    Evidence,
    average_length,
    bring_up_to_date,
    check_language,
    check_model,
)
from consilience.evidence.ingest_progress import Detailed, Progress, ProgressRelay, Silent
from consilience.evidence.memory_documents import (
    DocumentValue,
    MemoryDocument,
    key_of_id,
    plain_documents,
    read_document,
)
from consilience.evidence.splitter import split
from consilience.open_stores import check_collection_name
from consilience.stores.word_vectors import token_counts
from consilience.types import Block, Document, Passage, identified

__all__ = [
    "Detailed",
    "DocumentValue",
    "Evidence",
    "Progress",
    "Report",
    "Silent",
    "add",
    "add_documents",
    "average_length",
    "below",
    "bring_up_to_date",
    "check_language",
    "check_model",
    "ending_of",
    "formats",
    "key_of",
    "key_of_id",
    "plain_documents",
    "remove",
]

READERS = 2  # files read at a time
SAMPLED = 20_000  # passages of one document from which on only some have their words counted
AHEAD = 16  # files read ahead of the one being stored: bounds memory
AT_ONCE = 200  # documents from memory stored at a time
REPORT_S = 0.1  # how often the progress of files is reported


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
    """Ingest files and folders: new, changed, moved and deleted files since the last time.

    `roots` gives each path the collection asked for, or an empty text. A file that cannot be read
    is reported and stays listed; the others go on. With `force` everything is read again.
    """
    progress = progress or Silent()
    check_model(evidence.catalogue, evidence.embedder)
    check_language(evidence.catalogue, evidence.settings.passages.language)
    scan = scan_files(
        roots,
        evidence.catalogue,
        evidence.home,
        pack=evidence.pack.name,
        tables=evidence.settings.plugins,
        force=force,
    )
    for root, collection in roots.items():
        _remember_root(root, collection, evidence)
    report = Report(unchanged=scan.unchanged, ignored=count_ignored(scan.ignored))
    _list_unreadable(scan, evidence.catalogue, report)
    _follow_changes(scan, evidence.catalogue, report)
    _read_and_store(scan.read, evidence, report, progress)
    if is_rebuilt := bool(evidence.catalogue.fact("rebuild")):
        _split_again(evidence)
    report.indexed = bring_up_to_date(evidence, progress)
    if is_rebuilt:
        evidence.catalogue.end_rebuild()
    report.notes.extend(("stores", note) for note in evidence.stores.notes())
    return report


def add_documents(
    evidence: Evidence,
    values: DocumentValue | Iterable[DocumentValue],
    *,
    collection: str = "",
    progress: Progress | None = None,
) -> Report:
    """Ingest values of a program; one whose id is known replaces what was there.

    A list is added whole or, where one value is no document, not at all. Of an iterator, what came
    before such a value is stored, and indexed by the next call.
    """
    progress = progress or Silent()
    catalogue, report = evidence.catalogue, Report()
    check_model(catalogue, evidence.embedder)
    check_language(catalogue, evidence.settings.passages.language)
    if collection:
        check_collection_name(collection)
    total = len(values) if isinstance(values, Sized) else 0
    known = {record.path: record for record in catalogue.documents(MEMORY)}
    progress.stage("Reading", total=total, unit="documents")
    documents = map(read_document, plain_documents(values))
    while batch := list(islice(documents, AT_ONCE)):
        fresh: dict[str, tuple[Record, list[Passage]]] = {}
        for document in batch:
            place = evidence.collection(document.document, collection or document.collection)
            before = known.get(document.key)
            if before and (before.sha256, before.collection) == (document.sha256, place):
                report.unchanged += 1
                continue
            known[document.key], passages = fresh[document.key] = _split_memory(
                document, place, evidence
            )
            if not passages:
                report.notes.append((document.key, "it holds no text"))
        _store_all(list(fresh.values()), evidence, report)
        report.read += len(fresh)
        progress.advance(len(batch))
    report.indexed = bring_up_to_date(evidence, progress)
    report.notes.extend(("stores", note) for note in evidence.stores.notes())
    return report


def _split_memory(
    value: MemoryDocument, collection: str, evidence: Evidence
) -> tuple[Record, list[Passage]]:
    passages = split(value.document, collection=collection, path=value.key, room=evidence.room)
    annotated = evidence.pack.files.annotate(passages)
    record = Record(
        path=value.key,
        collection=collection,
        sha256=value.sha256,
        loader="memory",
        version=1,
        title=value.document.title,
    )
    return record, [identified(passage) for passage in annotated]


def _split_again(evidence: Evidence) -> None:
    """Cut passages of documents from memory that are too long for the encoder of today."""
    room = evidence.room
    for record in evidence.catalogue.documents(MEMORY):
        passages = evidence.catalogue.of_document(record.path)
        sizes = room.count([passage.indexed for passage in passages])
        if all(size <= room.limit for size in sizes):
            continue
        blocks = tuple(
            Block(
                text=passage.text,
                locator=passage.locator,
                kind=passage.kind,
                whole=True,
                metadata=passage.metadata,
                search=passage.search,
            )
            for passage in passages
        )
        document = Document(title=record.title, kind="document", blocks=blocks)
        value = MemoryDocument(record.path, document, record.sha256)
        _store_all([_split_memory(value, record.collection, evidence)], evidence, Report())


def _store_all(
    documents: Sequence[tuple[Record, list[Passage]]], evidence: Evidence, report: Report
) -> None:
    passages = [passage for _, passages in documents for passage in passages]
    words = _count_words(passages, evidence.settings.passages.language)
    stored = evidence.catalogue.store_all(documents, words)
    report.new += stored.new
    report.kept += stored.kept
    report.gone += stored.gone


def remove(evidence: Evidence, paths: Sequence[str | Path]) -> Report:
    """Forget files, folders and documents from memory; the files themselves are not touched.

    What lies below something else that was added stays out until it is added by name.
    """
    catalogue = evidence.catalogue
    check_model(catalogue, evidence.embedder)
    keys = [key_of(path, evidence.home) for path in paths]
    for key in keys:
        if not catalogue.documents(key) and key not in catalogue.roots():
            raise UsageError(f"nothing was added from {key!r}; `consilience status` lists what was")
    report = Report()
    for key in keys:
        for root in (key, *(root for root in catalogue.roots() if below(root, key))):
            catalogue.drop_root(root)
        if any(below(key, root) for root in catalogue.roots()):
            catalogue.exclude(key)
        for record in catalogue.documents(key):
            report.gone += catalogue.forget(record.path)
            report.removed += 1
    report.indexed = bring_up_to_date(evidence, Silent())
    return report


def _remember_root(root: Path, collection: str, evidence: Evidence) -> None:
    """What was added is scanned again later; what no longer exists is not."""
    key = key_of(root, evidence.home)
    if root.exists() or root.is_symlink():
        evidence.catalogue.add_root(key, check_collection_name(collection) if collection else "")
    else:
        evidence.catalogue.drop_root(key)


def _list_unreadable(scan: Scan, catalogue: Catalogue, report: Report) -> None:
    """Keep unreadable files listed, with what was known of them."""
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
    for path, reason in scan.skipped.items():
        known = catalogue.document(path)
        if known is not None and known.passages:  # read by a loader that is gone: as it was
            continue
        record = Record(
            path=path,
            collection="",
            loader="",
            version=0,
            title=Path(path).name,
            status="skipped",
            reason=reason,
        )
        if record != known:
            catalogue.touch(record)


def _follow_changes(scan: Scan, catalogue: Catalogue, report: Report) -> None:
    """Files that were touched, moved or deleted."""
    for record in scan.touch:
        catalogue.touch(record)
    for old, file in scan.move:
        before = catalogue.document(old)
        if before is None or _has_title_of_file(before, old):
            scan.read.append(file)
            scan.forget.append(old)
            continue
        catalogue.rename(old, file.key)
        catalogue.touch(replace(before, path=file.key, size=file.size, mtime_ns=file.mtime_ns))
        report.moved += 1
    for path in scan.forget:
        report.gone += catalogue.forget(path)
        report.removed += 1


def _has_title_of_file(record: Record, path: str) -> bool:
    """Whether the title came from the file's name, so that a new name means a new title."""
    stem = Path(path).name.split(".")[0].replace("-", " ").replace("_", " ")
    return record.title.casefold() == stem.strip().casefold()


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """A file as read: its document without blocks, its passages, and their words by id."""

    document: Document
    passages: list[Passage]
    words: Mapping[str, float]


Outcome = _ReadFile | str
"""What was read, or why that failed."""


def _read_and_store(
    files: Sequence[File], evidence: Evidence, report: Report, progress: Progress
) -> None:
    progress.stage("Reading", total=len(files), unit="files")
    file_progress = ProgressRelay(progress)
    with closing(_read_all(files, evidence, file_progress)) as outcomes:
        for file, outcome in outcomes:
            _store(file, outcome, evidence, report)
            file_progress.relay()
            progress.advance()


def _read_all(
    files: Sequence[File], evidence: Evidence, progress: ProgressRelay
) -> Generator[tuple[File, Outcome], None, None]:
    """Read in a few threads, in order, never far ahead of what is being stored."""
    pool = ThreadPoolExecutor(READERS, thread_name_prefix="read")
    try:
        queue = []
        for file in files:
            queue.append((file, pool.submit(_read, file, evidence, progress)))
            if len(queue) >= AHEAD:
                first, outcome = queue.pop(0)
                yield first, _await_outcome(outcome, progress)
        for file, outcome in queue:
            yield file, _await_outcome(outcome, progress)
    finally:  # a caller that stops early waits for the pages being read, not for the next
        progress.stop()
        pool.shutdown(cancel_futures=True)


def _await_outcome(outcome: Future[Outcome], progress: ProgressRelay) -> Outcome:
    """The outcome of a file; meanwhile the progress of all files is reported."""
    while wait([outcome], REPORT_S).not_done:
        progress.relay()
    progress.relay()
    return outcome.result()


def _read(file: File, evidence: Evidence, progress: ProgressRelay) -> Outcome:
    try:
        with progress.track(file.key):
            document, passages = _split_file(file, evidence)
        words = _count_words(passages, evidence.settings.passages.language)
    except (LoadError, MissingExtra) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - one file's loader must not cost the others
        return f"{type(error).__name__} while reading: {error}"
    return _ReadFile(replace(document, blocks=()), passages, words)


def _split_file(file: File, evidence: Evidence) -> tuple[Document, list[Passage]]:
    """A file as its loader and the pack read it, split and annotated by the pack."""
    room, pack = evidence.room, evidence.pack
    document = file.format.load(file.path)
    if file.format.cut is not None:
        document = file.format.cut(document, room)
    document = pack.files.prepare(document, file.path, room)
    collection = evidence.collection(document, file.collection)
    passages = split(document, collection=collection, path=file.key, room=room)
    return document, [identified(passage) for passage in pack.files.annotate(passages)]


def _count_words(passages: Sequence[Passage], language: str) -> dict[str, float]:
    """How many words BM25 counts in each passage, by id: only their mean matters.

    Of a document of very many passages a sample is counted, spread over it; the others get its
    mean.
    """
    sample = passages[:: 1 + len(passages) // SAMPLED]
    counts = token_counts((passage.indexed for passage in sample), language=language)
    mean = sum(counts) / max(1, len(counts))
    counted = {passage.id: count for passage, count in zip(sample, counts, strict=True)}
    return {passage.id: counted.get(passage.id, mean) for passage in passages}


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
    if not outcome.passages:
        reason = "; ".join(document.notes) or f"{file.path.name} holds no text"
        record = replace(record, status="empty", reason=reason)
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
