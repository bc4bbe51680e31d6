"""Which kinds of passages are there, and what is special about them? A registry of entry points.

Most kinds need no entry: a passage of an unknown kind is text that is searched. A kind is
registered when it is a node or an edge of a graph, when it is not searched as text, when it brings
parts of a locator of its own, or when some of its metadata is for look-ups only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Literal

from consilience.types import FIELDS, Metadata, Passage

GROUP = "consilience.kinds"
Role = Literal["text", "node", "edge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a plug-in registers about a kind of passage.

    A `node` or an `edge` goes into the graph. Without `searched` it is only walked, not found as
    text. `locator` names parts of its place besides those that every locator has, and `hidden` are
    metadata fields that look-ups use and people do not read. With `prose` a node is described at
    such length that its text answers questions by itself. A `whole` kind is not cut into sentences
    by the writers of answers. `notation` refers to a `consilience.notations.Notation` as
    `package.module:name`, for text that is not prose.
    """

    name: str
    role: Role = "text"
    searched: bool = True
    prose: bool = False
    locator: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    whole: bool = False
    notation: str = ""


FEDERATED = "federated"
"""The kind of a passage of an index elsewhere: it is shown and cited, and never kept here."""
TABLE_ANSWER = "table answer"
"""The kind of a passage that says what a query over a table gave."""
KINDS = (
    Kind(name="node", role="node"),
    Kind(name="edge", role="edge"),
    Kind(name=TABLE_ANSWER, whole=True),
)
"""The kinds of plain graphs, and of answers from tables."""


@cache
def load_kinds() -> tuple[tuple[Kind, ...], dict[str, str]]:
    """All registered kinds, by the names of their entry points, and the errors of the others."""
    found: list[Kind] = []
    errors: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        try:
            found.extend(point.load())
        except Exception as error:  # noqa: BLE001 - code of others
            errors[point.name] = f"{point.value}: {type(error).__name__}: {error}"
    return tuple(found), errors


def registered_kinds() -> tuple[Kind, ...]:
    """All registered kinds; an entry point that cannot be imported costs only its own."""
    return load_kinds()[0]


@cache
def node_kinds() -> frozenset[str]:
    """The kinds of passages that describe a node of a graph."""
    return frozenset(kind.name for kind in registered_kinds() if kind.role == "node")


@cache
def edge_kinds() -> frozenset[str]:
    """The kinds of passages that join two nodes."""
    return frozenset(kind.name for kind in registered_kinds() if kind.role == "edge")


@cache
def graph_kinds() -> frozenset[str]:
    """The kinds of passages that are nodes or edges of a graph."""
    return node_kinds() | edge_kinds()


@cache
def record_kinds() -> frozenset[str]:
    """The kinds of passages that hold facts to look up rather than prose."""
    prose = {kind.name for kind in registered_kinds() if kind.prose}
    return (graph_kinds() | {"row", "path"}) - prose


@cache
def unsearched_kinds() -> frozenset[str]:
    """The kinds of passages that are walked, and not searched as text."""
    return frozenset(kind.name for kind in registered_kinds() if not kind.searched)


@cache
def whole_kinds() -> frozenset[str]:
    """The kinds of passages that are not cut into sentences, such as rows of tables."""
    return frozenset({"row", *(kind.name for kind in registered_kinds() if kind.whole)})


@cache
def hidden_fields() -> frozenset[str]:
    """Metadata fields that look-ups use and people do not read."""
    return frozenset(name for kind in registered_kinds() for name in kind.hidden)


@cache
def locator_fields() -> tuple[str, ...]:
    """The parts of a place that registered kinds add to those of every locator."""
    return tuple(dict.fromkeys(name for kind in registered_kinds() for name in kind.locator))


@cache
def filter_fields() -> tuple[str, ...]:
    """What filters can name in every passage, whatever its metadata."""
    return (*FIELDS, *locator_fields())


def visible_metadata(passage: Passage) -> Metadata:
    """The metadata of a passage that people read."""
    hidden = hidden_fields()
    return {name: value for name, value in passage.metadata.items() if name not in hidden}
