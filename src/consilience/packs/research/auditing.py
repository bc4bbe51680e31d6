"""What does a method require, how is that tested, and what can be used when it fails?

All of it is read from statements of a graph, each with the words behind it. A requirement is
direct, or comes through a part: what a method extends, requires or uses may require something
itself. When a requirement fails, these help: what addresses it, a form of it that is more general
or extended, and, instead of the method or the part that requires it, an alternative or a more
general method of which no statement says that it requires the same. That nothing says so is no
proof, and what the graph does not tell is told: each remedy has its caution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consilience.packs.research.graphs import Concept, Graph, Statement
from consilience.packs.research.relations import read_out

_PARTS = ("REQUIRES", "EXTENDS", "USES")
_DEEPEST = 3  # statements from the method to what a part of it requires
_FADES = 0.5
_WITHOUT = "no statement says that {} requires this"
_UNSAID = "what {} requires is not said here"
_CAUTIONS = {
    "EXTENDS": "whether {} asks for less is not said here",
    "ALTERNATIVE_TO": "{} may fail as well",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What can be used where a requirement fails, by which statement; `caution` is what is open.

    With `instead` it takes the place of the method, or of the part of it, that requires this.
    """

    concept: Concept
    statement: Statement
    caution: str = ""
    instead: bool = False

    @property
    def words(self) -> str:
        """The statement as it is read from the remedy: `matching is an alternative to …`."""
        forward = self.statement.start.node == self.concept.node
        other = self.statement.end if forward else self.statement.start
        said = read_out(self.statement.relation, forward=forward)
        return f"{self.concept.name} {said} {other.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """Something that a method requires: the `way` to it is one statement, or leads through parts.

    `tests` are what tests it, `remedies` what can be used when it fails; `unknown` says what the
    graph does not tell.
    """

    concept: Concept
    way: tuple[Statement, ...]
    tests: tuple[Statement, ...]
    remedies: tuple[Remedy, ...]
    unknown: tuple[str, ...] = ()

    @property
    def direct(self) -> bool:
        """Whether the method itself is said to require it."""
        return len(self.way) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All that a graph says of what a method requires; the direct first, then the strongest."""

    method: Concept
    requirements: tuple[Requirement, ...]
    unknown: tuple[str, ...] = ()


def audit(graph: Graph, node: str) -> Audit:
    """What a concept requires, directly and through its parts, and what follows from that."""
    method = graph.concept(node)
    ways = requirements_of(graph, node)
    told = tuple(_requirement(graph, way) for way in ways)
    unknown = [] if told else [f"no statement here says what {method.name} requires"]
    if method.kind not in ("method", ""):
        unknown.insert(0, f"{method.name} is of kind {method.kind}, not a method")
    return Audit(method=method, requirements=told, unknown=tuple(unknown))


def requirements_of(graph: Graph, node: str) -> list[tuple[Statement, ...]]:
    """The best way to each thing required: direct ones first, then the strongest, ties by name."""
    found: dict[str, tuple[Statement, ...]] = {}
    waiting: list[tuple[Statement, ...]] = [()]
    for _ in range(_DEEPEST):
        longer: dict[str, tuple[Statement, ...]] = {}
        for way in waiting:
            here = way[-1].end.node if way else node
            passed = {node, *(one.end.node for one in way)}
            for one in graph.leaving(here, _PARTS):
                if one.end.node in passed or not _is_part(one):
                    continue
                _keep(longer, (*way, one))
                if one.relation == "REQUIRES":
                    _keep(found, (*way, one))
        waiting = sorted(longer.values(), key=_order)
    return sorted(found.values(), key=lambda way: (len(way) > 1, _order(way)))


def _is_part(statement: Statement) -> bool:
    """What is used is a part where it is a method: an estimand or a dataset is none."""
    return statement.relation != "USES" or statement.end.kind in ("method", "")


def _keep(ways: dict[str, tuple[Statement, ...]], way: tuple[Statement, ...]) -> None:
    known = ways.get(way[-1].end.node)
    if known is None or (len(way) > 1, _order(way)) < (len(known) > 1, _order(known)):
        ways[way[-1].end.node] = way


def _order(way: Sequence[Statement]) -> tuple[float, tuple[str, ...]]:
    weight = _FADES ** (len(way) - 1)
    for one in way:
        weight *= one.weight
    return (-weight, tuple(one.end.name for one in way))


def _requirement(graph: Graph, way: tuple[Statement, ...]) -> Requirement:
    concept = way[-1].end
    tests = tuple(graph.reaching(concept.node, ("TESTS",)))
    remedies = tuple(_remedies(graph, way[-1].start.node, concept.node))
    unknown = []
    if not tests:
        unknown.append("how it is tested")
    if not remedies:
        unknown.append("what to use when it fails")
    return Requirement(
        concept=concept, way=way, tests=tests, remedies=remedies, unknown=tuple(unknown)
    )


def _remedies(graph: Graph, method: str, required: str) -> Iterable[Remedy]:
    """What helps, each concept once: first against the requirement, then instead of the method."""
    offered = {method, required}
    for one in (
        *graph.reaching(required, ("ADDRESSES",)),
        *graph.reaching(required, ("GENERALIZES",)),
        *graph.reaching(required, ("EXTENDS",)),
        *graph.beside(required, ("ALTERNATIVE_TO",)),
    ):
        concept = _other(one, required)
        if concept.node not in offered:
            offered.add(concept.node)
            caution = _CAUTIONS.get(one.relation, "").format(concept.name)
            yield Remedy(concept=concept, statement=one, caution=caution)
    for one in (
        *graph.beside(method, ("ALTERNATIVE_TO",)),
        *graph.reaching(method, ("GENERALIZES", "EXTENDS")),
    ):
        concept = _other(one, method)
        needed = {way[-1].end.node for way in requirements_of(graph, concept.node)}
        if concept.node not in offered and required not in needed:
            offered.add(concept.node)
            caution = (_WITHOUT if needed else _UNSAID).format(concept.name)
            yield Remedy(concept=concept, statement=one, caution=caution, instead=True)


def _other(statement: Statement, node: str) -> Concept:
    return statement.end if statement.start.node == node else statement.start
