"""What does an assistant say when it calls a tool? The fields of each, typed and within limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from consilience.service.bodies import (
    Asked,
    AskedAnswer,
    AskedPath,
    AskedWhy,
    AskedWhyNot,
    Collections,
    Filters,
    Limit,
    Long,
    Model,
    Passage,
    Question,
)
from consilience.service.wishes import AskedTrip


class ToList(BaseModel):
    """Nothing has to be said."""

    model_config = ConfigDict(extra="forbid")


class Named(ToList):
    """A workspace by its name."""

    workspace: Annotated[
        str, Field(max_length=200, description="Which workspace; needed only where there are more")
    ] = ""


class ToPlan(Named):
    """A question, and what it is asked of."""

    query: Question
    filters: Filters = ()
    collections: Collections = ()

    def asked(self) -> Asked:
        """The same as a request of the service."""
        return Asked.model_validate(self.model_dump(exclude={"workspace"}))


class ToSearch(ToPlan):
    """The same, and how many results are wanted."""

    limit: Limit = 5


class ToAsk(ToSearch):
    """A question that is to be answered in writing."""

    length: Long = None
    model: Model = True

    def asked(self) -> AskedAnswer:
        """The same as a request of the service."""
        return AskedAnswer.model_validate(self.model_dump(exclude={"workspace"}))


class ToExplain(ToSearch):
    """A question, and the result whose place is to be explained."""

    passage: Annotated[
        str, Field(max_length=200, description="A place (1, 2, …) or an id; else the first three")
    ] = ""

    def asked(self) -> AskedWhy:
        """The same as a request of the service."""
        return AskedWhy.model_validate(self.model_dump(exclude={"workspace"}))


class ToMiss(ToSearch):
    """A question, and the passage that is missing among its results."""

    passage: Passage

    def asked(self) -> AskedWhyNot:
        """The same as a request of the service."""
        return AskedWhyNot.model_validate(self.model_dump(exclude={"workspace"}))


class ToShow(Named):
    """A passage by its id."""

    passage: Passage


class ToConnect(Named, AskedPath):
    """Two things between which a path is looked for."""

    def asked(self) -> AskedPath:
        """The same as a request of the service."""
        return AskedPath.model_validate(self.model_dump(exclude={"workspace"}))


class ToTravel(Named, AskedTrip):
    """A wish for a trip, and what goes before its words."""

    def asked(self) -> AskedTrip:
        """The same as a request of the service."""
        return AskedTrip.model_validate(self.model_dump(exclude={"workspace"}))
