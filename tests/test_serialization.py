"""Whatever goes over the wire comes out as it went in."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience import serialization
from consilience.errors import UsageError
from consilience.protocols import Likeness
from consilience.types import Filter, Found, Locator, Passage, Plan, Query, Request, Result, Vote

FEW = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
LETTERS = st.text(st.characters(), max_size=20)  # those that no encoding takes as well
FIELDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)  # loaders name them
SCALARS = st.one_of(
    LETTERS, st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=3).map(tuple))
LOCATORS = st.builds(
    Locator,
    section=st.lists(LETTERS, max_size=3).map(tuple),
    page=st.none() | st.integers(),
    table=st.none() | LETTERS,
)
PASSAGES = st.builds(
    Passage,
    id=LETTERS,
    collection=LETTERS,
    document=LETTERS,
    kind=LETTERS,
    title=LETTERS,
    text=LETTERS,
    locator=LOCATORS,
    metadata=st.dictionaries(FIELDS, VALUES, max_size=4),
)
FOUND = st.builds(Found, LETTERS, st.floats(allow_nan=False), st.none() | PASSAGES)
FILTERS = st.builds(Filter, LETTERS, st.sampled_from(["=", "<", "contains"]), SCALARS)
QUERIES = st.builds(
    Query,
    text=LETTERS,
    limit=st.integers(),
    filters=st.lists(FILTERS, max_size=3).map(tuple),
    collections=st.lists(LETTERS, max_size=3).map(tuple),
    expand=st.booleans(),
)


def sent(kind, value):
    """A value after its way through bytes; its spelling tells 1 from 1.0 and from True."""
    data = serialization.encode_json(serialization.to_plain(kind, value))
    found = serialization.from_plain(kind, serialization.decode_json(data))
    assert repr(found) == repr(value)
    return found


@FEW
@given(PASSAGES)
def test_passages_come_out_as_they_went_in(passage):
    assert sent(Passage, passage) == passage


@FEW
@given(st.lists(FOUND, max_size=4), QUERIES)
def test_what_is_found_and_asked_comes_out_as_it_went_in(found, query):
    assert all(isinstance(one, Found) for one in sent(list[Found], found))
    assert sent(Query, query) == query


def test_votes_within_votes_come_out_as_they_went_in():
    inner = Vote(source="a", rank=None, score=0.1 + 0.2, weight=1.0, contribution=1 / 3)
    outer = Vote(source="b", rank=1, score=1e-300, weight=2.0, contribution=0.0, parts=(inner,))
    assert sent(Vote, outer) == outer


@pytest.mark.parametrize("question", ["Bell Rock", "How tall is Cordouan?"])
def test_real_results_answers_and_plans_come_out_as_they_went_in(shared, question):
    result = shared.search(question)
    assert result.hits
    assert sent(Result, result) == result
    assert sent(Plan, result.trace.plan) == result.trace.plan
    for ask in result.trace.plan.asks:
        assert sent(Request, ask.request) == ask.request
    for event in shared.stream(question):
        again = serialization.event_from_plain(
            serialization.decode_json(
                serialization.encode_json(serialization.event_to_plain(event))
            )
        )
        assert again == event
        assert repr(again) == repr(event)


def test_likeness_keeps_every_digit():
    matrix = np.random.default_rng(1).random((3, 3), dtype=np.float32)
    found = serialization.likeness_from_plain(
        json.loads(
            serialization.encode_json(
                serialization.likeness_to_plain(Likeness(ids=("a", "b", "c"), matrix=matrix))
            )
        )
    )
    assert found.ids == ("a", "b", "c")
    assert found.matrix.dtype == np.float32
    assert np.array_equal(found.matrix, matrix)
    assert found.between(["c", "a"])[0, 1] == matrix[2, 0]


def test_what_is_something_else_is_refused():
    for wrong in ({}, {"text": 3}, {"text": "a", "filters": [["a", "~", 1]]}, None, []):
        with pytest.raises(UsageError, match="this is not a Query"):
            serialization.from_plain(Query, wrong)
    with pytest.raises(UsageError, match="unknown event 'shouted'"):
        serialization.event_from_plain({"event": "shouted", "value": {}})
    with pytest.raises(UsageError, match="is not JSON"):
        serialization.decode_json(b"{")
    assert math.isinf(serialization.decode_json(serialization.encode_json(math.inf)))
