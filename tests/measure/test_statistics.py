"""Intervals hold what they promise, tests equal arithmetic done by hand, seeds decide all."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.measure.data_model import Comparison, Interval
from consilience.measure.statistics import (
    EXACT,
    compare,
    correct_for_number,
    detectable_gain,
    interval,
)

NAMES = ("merged", "bm25")
values = st.floats(0, 1, allow_nan=False)
scores = values.map(lambda value: round(value, 6))  # sums differ clearly, or not at all


def numbered(some):
    return {f"q{number:04}": float(value) for number, value in enumerate(some)}


def compared(ours, theirs, **more):
    return compare(numbered(ours), numbered(theirs), names=NAMES, measure="nDCG@10", **more)


def comparison(p):
    gain = Interval(mean=0, low=0, high=0, count=1)
    return Comparison(ours="a", theirs="b", measure="m", gain=gain, p=p, p_corrected=p)


def test_the_interval_is_that_of_the_normal_law_where_it_must_be():
    sample = np.random.default_rng(1).normal(0.5, 0.1, 400)
    found = interval(sample.tolist())
    error = sample.std() / 20
    assert found.mean == pytest.approx(sample.mean())
    assert found.low == pytest.approx(sample.mean() - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(sample.mean() + 1.96 * error, abs=0.1 * error)
    assert found.count == 400


@settings(max_examples=30, deadline=None)
@given(st.lists(values, min_size=1, max_size=30))
def test_the_interval_is_repeatable_and_holds_the_values(some):
    found = interval(some)
    assert found == interval(some)
    assert min(some) <= found.low <= found.high <= max(some)
    assert min(some) <= found.mean <= max(some)


def test_equal_values_have_no_spread_and_no_values_have_no_count():
    assert interval([0.1] * 7) == Interval(mean=0.1, low=0.1, high=0.1, count=7)
    assert interval([]) == Interval(mean=0.0, low=0.0, high=0.0, count=0)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(scores, scores), min_size=1, max_size=8))
def test_few_questions_are_tested_exactly(pairs):
    gains = [one - other for one, other in pairs]
    signs = list(itertools.product((1, -1), repeat=len(gains)))
    sums = [abs(sum(s * g for s, g in zip(row, gains, strict=True))) for row in signs]
    wanted = sum(one >= abs(sum(gains)) - 1e-9 for one in sums) / len(signs)
    found = compared(*zip(*pairs, strict=True))
    assert found.p == pytest.approx(wanted)


def test_many_questions_come_near_what_all_signs_would_say():
    chance = np.random.default_rng(7)
    gains = chance.normal(0.03, 0.1, EXACT + 3)
    signs = 1 - 2 * ((np.arange(2 ** len(gains))[:, None] >> np.arange(len(gains))) & 1)
    exact = (np.abs(signs @ gains) >= abs(gains.sum()) - 1e-12).mean()
    found = compared(gains.tolist(), [0.0] * len(gains))
    assert found.p == pytest.approx(exact, abs=0.015)


def test_a_clear_gain_is_clear_and_none_is_none():
    chance = np.random.default_rng(8)
    theirs = chance.random(300)
    better = compared((theirs + chance.normal(0.1, 0.1, 300)).tolist(), theirs.tolist())
    assert better.p < 0.001
    assert 0 < better.gain.low < better.gain.mean < better.gain.high
    same = compared(theirs.tolist(), theirs.tolist())
    assert (same.p, same.gain.mean) == (1.0, 0.0)
    assert (better.ours, better.theirs, better.measure) == (*NAMES, "nDCG@10")
    worse = compared(theirs.tolist(), (theirs + 0.1).tolist())
    assert worse.gain.mean == pytest.approx(-0.1)


def test_a_question_left_out_of_one_side_is_refused():
    with pytest.raises(UsageError, match="1 are in one only, such as 'b'"):
        compare({"a": 1.0, "b": 1.0}, {"a": 1.0}, names=NAMES, measure="m")


def test_holm_corrects_for_the_number_of_comparisons():
    found = correct_for_number([comparison(p) for p in (0.04, 0.01, 0.03, 0.9)])
    assert [one.p_corrected for one in found] == pytest.approx([0.09, 0.04, 0.09, 0.9])
    assert [one.p for one in found] == [0.04, 0.01, 0.03, 0.9]
    assert [one.p_corrected for one in correct_for_number([comparison(0.6), comparison(0.7)])] == [
        1,
        1,
    ]
    assert correct_for_number([]) == []


def test_the_smallest_gain_that_can_be_seen_is_seen_four_times_in_five():
    chance = np.random.default_rng(11)
    size = detectable_gain(chance.normal(0, 0.2, 100).tolist())
    assert size == pytest.approx(2.8 * 0.2 / 10, rel=0.2)
    seen = [compared(chance.normal(size, 0.2, 100), [0.0] * 100).p < 0.05 for _ in range(100)]
    assert 65 <= sum(seen) <= 95
    assert detectable_gain([0.3]) == 0.0
    assert detectable_gain(chance.normal(0, 0.2, 400).tolist()) < size
