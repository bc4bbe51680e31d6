"""Concepts in the terminal: propose what texts say and the graph lacks, accept what is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.answer.sentences import sentences
from consilience.catalogue import Catalogue
from consilience.cli.app import (
    AsJson,
    In,
    app,
    count,
    err,
    home,
    opened,
    print_json,
    tell,
    warn,
    writable,
)
from consilience.cli.bars import AGAIN, Bars
from consilience.errors import UsageError
from consilience.models import open_generator
from consilience.packs.research.proposing import (
    LIMIT,
    Proposals,
    Source,
    propose,
    read_source,
)
from consilience.packs.research.proposing.accepting import Accepted, accepted, check, merge, undone
from consilience.packs.research.proposing.files import (
    ENDING,
    Entered,
    Keys,
    read_proposals,
    read_rejected,
    rejected_of,
    remember,
    write_proposals,
)
from consilience.packs.research.proposing.values import one_line
from consilience.protocols import Generator
from consilience.settings import read_settings
from consilience.types import Passage
from consilience.workspace import STORE, Workspace

concepts_app = typer.Typer(
    help="The graph of concepts: propose what texts say, accept what is right.",
    no_args_is_help=True,
)
app.add_typer(concepts_app, name="concepts")

DEFAULT = f"proposals{ENDING}"
INTO = f"my{ENDING}"


@concepts_app.command("propose")
def propose_command(
    workspace: In = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help=f"The file; {DEFAULT} in the workspace."),
    ] = None,
    limit: Annotated[
        int, typer.Option("-n", "--limit", min=1, help="How many concepts, and how many relations.")
    ] = LIMIT,
    model: Annotated[
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Ask the language model as well; by default if one is set.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Propose concepts and relations that the texts state and the graph lacks.

    They are written to a file for you to read. None of them is used before you accept it.
    """
    folder = home(workspace)
    path = out or folder / DEFAULT
    writable(path, "--out")
    generator = _generator(folder, wanted=model)
    source, rejected = _source(folder), read_rejected(folder / STORE)
    _refuse_undone(path, source, rejected)
    found = propose(source, generator=generator, limit=limit, rejected=rejected)
    write_proposals(found, path, kinds=source.known.kinds)
    for note in found.notes:
        warn(f"note: {note}", style="yellow")
    if as_json:
        print_json(_proposals_json(found, path))
        return
    _print_proposals(found, path)


@concepts_app.command()
def accept(
    file: Annotated[Path, typer.Argument(help="A file of proposals, with your decisions.")],
    workspace: In = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help=f"Where to; {INTO} in the workspace."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Accept what is still proposed as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in the proposals that you marked `status: accepted`; remember the rejected ones.

    They are checked, merged into a file of concepts, and added to the workspace.
    """
    folder = home(workspace)
    path = into or folder / INTO
    writable(path, "--into")
    entries = read_proposals(file)
    taken = accepted(entries, everything=everything)
    source = _source(folder)
    check(taken, source.known, _standing(source), file=file.name)
    if refused := rejected_of(entries):
        remember(folder / STORE, read_rejected(folder / STORE) | refused)
    if taken.concepts or taken.relations:
        merge(taken, path, source.known)
        _add(folder, path)
    _tell_taken(taken, entries, path, as_json=as_json)


# --- proposing ----------------------------------------------------------------------------


def _source(folder: Path) -> Source:
    """The texts and the graph of a workspace; reading its catalogue is enough."""
    catalogue = Workspace.peek(folder)
    try:
        source = read_source(
            _passages(catalogue), lambda text: [one.text for one in sentences(text)]
        )
    finally:
        catalogue.close()
    if not source.texts:
        raise UsageError(
            "this workspace holds no text to read concepts from; add papers or notes with "
            "`consilience add PATH`"
        )
    return source


def _passages(catalogue: Catalogue) -> Iterator[Passage]:
    for collection in catalogue.counts():
        yield from catalogue.each(collection)


def _generator(folder: Path, *, wanted: bool | None) -> Generator | None:
    if wanted is False:
        return None
    settings = read_settings(folder)
    generator = open_generator(settings.models.generate, settings)
    if generator is None and wanted:
        raise UsageError(
            "no language model is set; name one as models.generate in the settings, or leave "
            "--model out"
        )
    return generator


def _refuse_undone(path: Path, source: Source, rejected: Keys) -> None:
    """Refuse to write over decisions that were not taken in yet."""
    marked = undone(read_proposals(path), source.known, rejected) if path.exists() else 0
    if marked:
        raise UsageError(
            f"{path} holds {count(marked, 'decision')} that were not taken in; run "
            f"`consilience concepts accept {path}` first, or name another file with --out"
        )


def _print_proposals(found: Proposals, path: Path) -> None:
    types = Counter(one.type or "without a type" for one in found.relations)
    told = ", ".join(f"{number} {name}" for name, number in types.most_common())
    tell(
        f"{count(len(found.concepts), 'concept')} and {count(len(found.relations), 'relation')} "
        f"proposed{f' ({told})' if told else ''}"
    )
    tell(f"written to {path}; none is used yet")
    if found.concepts or found.relations:
        tell(
            "next: set status to accepted or rejected there, then run "
            f"`consilience concepts accept {path}`"
        )


def _proposals_json(found: Proposals, path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "concepts": [
            {
                "name": one.name,
                "kind": one.kind,
                "known": one.known,
                "aliases": list(one.aliases),
                "definition": one.definition,
                "confidence": one.confidence,
                "why": one.why,
                "document": one.evidence.document,
                "passage": one.evidence.passage,
                "quote": one.evidence.quote,
            }
            for one in found.concepts
        ],
        "relations": [
            {
                "source": one.source,
                "type": one.type or None,
                "target": one.target,
                "confidence": one.confidence,
                "why": one.why,
                "document": one.evidence.document,
                "passage": one.evidence.passage,
                "quote": one.evidence.quote,
            }
            for one in found.relations
        ],
        "notes": list(found.notes),
    }


# --- accepting ----------------------------------------------------------------------------


def _standing(source: Source) -> Callable[[str], bool]:
    """Whether words stand in a passage of the texts, letter by letter."""
    bodies = [one_line(body) for body in source.bodies.values()]
    return lambda quote: any(one_line(quote) in body for body in bodies)


def _add(folder: Path, path: Path) -> None:
    """Add the file of concepts to the workspace, as `consilience add` would."""
    with opened(folder, "concepts accept") as space, Bars(err, again=AGAIN) as bars:
        report = space.add([path], progress=bars)
    for name, note in report.notes:
        warn(f"note: {name}: {note}", style="yellow")
    if report.failed:
        name, reason = report.failed[0]
        raise UsageError(f"{name} was written, but could not be read: {reason}")
    if report.ignored:
        raise UsageError(f"{path} was written, but no loader here reads files that end in {ENDING}")


def _tell_taken(taken: Accepted, entries: Sequence[Entered], path: Path, *, as_json: bool) -> None:
    new = sum(not one.known for one in taken.concepts)
    rejected = len(rejected_of(entries))
    used = bool(taken.concepts or taken.relations)
    if as_json:
        print_json(
            {
                "file": str(path) if used else None,
                "concepts": new,
                "renamed": len(taken.concepts) - new,
                "relations": len(taken.relations),
                "rejected": rejected,
                "untyped": taken.untyped,
            }
        )
        return
    if not used:
        tell("nothing is marked `status: accepted`; nothing was taken in")
    else:
        tell(
            f"{count(new, 'concept')} and {count(len(taken.relations), 'relation')} taken in, "
            f"{count(len(taken.concepts) - new, 'known concept')} with further names; see {path}"
        )
    if rejected:
        tell(f"{rejected:,} rejected, and not proposed again")
    if taken.untyped:
        warn(
            f"note: {count(taken.untyped, 'relation')} without a type left; give each a type first",
            style="yellow",
        )
