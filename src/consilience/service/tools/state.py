"""What does a tool tell of a workspace itself? What it holds, and what it would be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Self

from pydantic import BaseModel, Field

from consilience.service.core import Space
from consilience.service.hiding import hidden
from consilience.service.tools.told import Told

FIELDS = 40
"""Fields of a collection that are named at most."""
PROBLEMS = 10
"""Files that could not be read that are named at most."""


class Source(BaseModel):
    """What one source would be asked."""

    source: str
    weight: float
    depth: int = Field(description="How many passages it is asked for")
    skip: str = Field(description="Why it is not asked; empty where it is")
    named: list[str] = Field(description="What the question names there: values, nodes, relations")


class Planned(Told):
    """What a question would ask of each source, and by which rule."""

    intent: str
    rule: str
    terms: list[str] = Field(description="What is searched for as well: synonyms, other names")
    sources: list[Source]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Self:
        """The plan that the service gives."""
        sources = [
            Source(
                source=name,
                weight=one["weight"],
                depth=one["depth"],
                skip=one["skip"],
                named=[
                    *(f"{each['field']} = {each['value']}" for each in one["criteria"]),
                    *one["seeds"],
                    *one["intents"],
                ],
            )
            for name, one in found["sources"].items()
        ]
        terms = [term["text"] for term in found["terms"]]
        return cls(intent=found["intent"], rule=found["rule"], terms=terms, sources=sources)

    def text(self) -> str:
        """A line for each source."""
        lines = [f"intent: {self.intent} ({self.rule})"]
        lines += [f"searched for as well: {', '.join(self.terms)}"] if self.terms else []
        for one in self.sources:
            asked = f"weight {one.weight:g}, {one.depth} passages"
            named = f"; named here: {', '.join(one.named)}" if one.named else ""
            lines.append(f"{one.source}: {f'not asked: {one.skip}' if one.skip else asked}{named}")
        return "\n".join(lines)


class Collection(BaseModel):
    """What one collection holds."""

    name: str
    passages: dict[str, int] = Field(description="How many of each kind")
    fields: list[str] = Field(description="What filters can name")


class Held(Told):
    """What a workspace holds, and what it can be asked."""

    workspace: str
    pack: str
    summary: str
    collections: list[Collection]
    files: int
    pending: int = Field(description="Passages that are not indexed yet")
    problems: list[str] = Field(description="Files that could not be read, and why")
    examples: list[str]

    @classmethod
    def of(cls, space: Space) -> Self:
        """What the catalogue of a workspace says."""
        catalogue, pack = space.workspace.catalogue, space.workspace.pack
        fields, documents = catalogue.fields(), catalogue.documents()
        failed = [hidden(asdict(one)) for one in documents if one.status == "failed"][:PROBLEMS]
        return cls(
            workspace=space.name,
            pack=pack.name,
            summary=pack.summary,
            collections=[
                Collection(name=name, passages=kinds, fields=sorted(fields.get(name, ()))[:FIELDS])
                for name, kinds in catalogue.counts().items()
            ],
            files=len(documents),
            pending=catalogue.pending_count(),
            problems=[f"{one['path']}: {one['reason']}" for one in failed],
            examples=list(pack.examples),
        )

    def text(self) -> str:
        """A line for each collection, then what is wrong."""
        lines = [f"{self.workspace} ({self.pack}: {self.summary}), {self.files} files"]
        for one in self.collections:
            held = ", ".join(f"{number} {kind}" for kind, number in one.passages.items())
            lines.append(f"{one.name}: {held}; fields: {', '.join(one.fields) or 'none'}")
        lines += [f"{self.pending} passages are not indexed yet"] if self.pending else []
        lines += [f"not read: {one}" for one in self.problems]
        return "\n".join((*lines, *(f"for example: {one}" for one in self.examples)))


class Offered(BaseModel):
    """A workspace by its name, and what it is about."""

    name: str
    pack: str
    summary: str
    passages: int


class Workspaces(Told):
    """The workspaces that can be asked."""

    workspaces: list[Offered]

    @classmethod
    def of(cls, spaces: Mapping[str, Space]) -> Self:
        """Those that are served."""
        return cls(
            workspaces=[
                Offered(
                    name=name,
                    pack=space.workspace.pack.name,
                    summary=space.workspace.pack.summary,
                    passages=sum(
                        sum(kinds.values()) for kinds in space.workspace.catalogue.counts().values()
                    ),
                )
                for name, space in spaces.items()
            ]
        )

    def text(self) -> str:
        """A line for each."""
        return "\n".join(
            f"{one.name}: {one.summary} ({one.pack}, {one.passages} passages)"
            for one in self.workspaces
        )
