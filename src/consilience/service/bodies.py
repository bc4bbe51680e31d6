"""What can be asked over HTTP? The fields of requests, by JSON or in the address."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query as Part
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from consilience.filters import parse_filter
from consilience.plan import LONGEST_QUERY
from consilience.types import Length, Query

LONGEST = LONGEST_QUERY
"""Letters of a question at most."""
MOST = 100
"""Results at most."""
MANY = 20
"""Filters, or collections, at most."""


def readable(text: str) -> str:
    """A text without what no text has: a zero byte, half of a surrogate pair."""
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError("it holds a sign that no text has")
    if not text.strip():
        raise ValueError("it is empty; ask something")
    return text


Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST), AfterValidator(readable)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(readable)]
Question = Annotated[
    Text,
    Field(description="The question, in words", examples=["When do bees swarm?"]),
]
Limit = Annotated[int, Field(ge=1, le=MOST, description="Results at most")]
Filters = Annotated[
    tuple[Key, ...],
    Field(max_length=MANY, description="Conditions such as `year>=1960`; all must hold"),
]
Collections = Annotated[
    tuple[Key, ...], Field(max_length=MANY, description="Only these collections; none is all")
]
Expand = Annotated[bool, Field(description="Add synonyms and aliases")]
Rerank = Annotated[bool, Field(description="Use the reranker, where one is set")]
Long = Annotated[Length | None, Field(description="How long the answer is; as in the settings")]
Model = Annotated[bool, Field(description="Let the language model of the settings write")]
Bucket = Annotated[
    str,
    Field(
        pattern="^[ab]?$",
        description="`b` asks with the second settings (`serve.other`), `a` with the first; "
        "without it chance decides, where there are second settings",
    ),
]
Passage = Annotated[
    Key, Field(description="The id of a passage, or its first letters", examples=["0123abcd"])
]


_ASKED = "When do bees swarm?"


def _example(**fields: str | int) -> dict[str, JsonValue]:
    """A request as one would write it, for the description."""
    return {"example": dict(fields)}


class Asked(BaseModel):
    """A question for the search."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_example(query=_ASKED, limit=5))

    query: Question
    limit: Limit = 10
    filters: Filters = ()
    collections: Collections = ()
    expand: Expand = True
    rerank: Rerank = True
    bucket: Bucket = ""

    def wanted(self) -> Query:
        """The query that it stands for; a filter that cannot be read is a `UsageError`."""
        return Query(
            text=self.query,
            limit=self.limit,
            filters=tuple(map(parse_filter, self.filters)),
            collections=self.collections,
            expand=self.expand,
            rerank=self.rerank,
        )


class AskedAnswer(Asked):
    """A question that is to be answered in writing."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra=_example(query=_ASKED, length="concise")
    )

    length: Long = None
    model: Model = True


class AskedWhy(Asked):
    """A question, and the result whose place is to be explained."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_example(query=_ASKED, passage="1"))

    passage: Annotated[
        str, Field(max_length=200, description="A place (1, 2, …) or an id; else the first three")
    ] = ""


class AskedWhyNot(Asked):
    """A question, and the passage that is missing among its results."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra=_example(query=_ASKED, passage="0123abcd")
    )

    passage: Passage


class AskedPath(BaseModel):
    """Two things between which a path is looked for."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra=_example(start="honey bee", end="lime honey")
    )

    start: Annotated[Key, Field(description="A name of the first", examples=["honey bee"])]
    end: Annotated[Key, Field(description="A name of the other", examples=["lime honey"])]
    limit: Annotated[int, Field(ge=1, le=10, description="Paths at most")] = 3


def by_address(
    q: Annotated[Text, Part(description="The question, in words", examples=[_ASKED])],
    limit: Annotated[int, Part(ge=1, le=MOST, description="Results at most")] = 10,
    where: Annotated[list[Key], Part(max_length=MANY, description="Conditions")] = [],  # noqa: B006
    within: Annotated[
        list[Key], Part(alias="in", max_length=MANY, description="Only these collections")
    ] = [],  # noqa: B006
    expand: Annotated[bool, Part(description="Add synonyms and aliases")] = True,
    rerank: Annotated[bool, Part(description="Use the reranker")] = True,
    bucket: Annotated[str, Part(pattern="^[ab]?$", description="`a` or `b`: which settings")] = "",
) -> dict[str, Any]:
    """A question whose fields stand in the address, as those of `Asked`."""
    return {
        "query": q,
        "limit": limit,
        "filters": tuple(where),
        "collections": tuple(within),
        "expand": expand,
        "rerank": rerank,
        "bucket": bucket,
    }
