"""How is the evidence of a relation printed? Its words, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from consilience.cli.app import out, tell
from consilience.packs.research.graphs import Statement
from consilience.types import Passage
from consilience.workspace.bearing import Bearing

_MISSING = "these words stand in nothing that was read"
_NARROW = 30  # columns below which nothing is indented any more


def tell_within(text: str, indent: int, *, style: str = "") -> None:
    """A line behind so many spaces, also where a terminal has to wrap it."""
    space = " " * indent
    if out.is_terminal and out.width - indent > _NARROW:
        text = fill(text, out.width, initial_indent=space, subsequent_indent=space)
        tell(text, style=style)
    else:
        tell(space + text, style=style)


def told_evidence(relation: Passage, borne: Bearing) -> Iterator[tuple[str, str]]:
    """Lines with their style: the quotation, then document, section, page and passage id."""
    quote = " ".join(str(relation.metadata.get("quote", "")).split())
    if not quote:
        yield " ".join(relation.text.split()), ""
        yield f"  {_place(relation)}", "dim"
        return
    yield f"“{quote}”", ""
    passage = borne(relation)
    if passage is not None:
        yield f"  {_place(passage)}", "dim"
        return
    named = str(relation.metadata.get("evidence", ""))
    known = f"{named}: " if named else ""
    yield f"  {known}{_MISSING} · {_place(relation)}", "yellow"


def _place(passage: Passage) -> str:
    parts = (passage.id[:12], passage.document, str(passage.locator))
    return " · ".join(part for part in parts if part)


def told_statement(statement: Statement) -> Iterator[tuple[str, str]]:
    """The same of a statement whose evidence was looked up before."""
    return told_evidence(statement.passage, lambda _: statement.evidence)
