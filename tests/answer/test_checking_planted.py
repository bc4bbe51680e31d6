"""Planted errors are caught, and true statements of the sample and of games are let pass."""

import pytest
from planted_shared import cases, game_cases, proper_names, tally

from consilience.workspace import copy_sample


@pytest.fixture
def sampled(opened, tmp_path, embedder):
    embedder.limit = 400
    space = opened(**{"passages.target": 180})
    space.add([copy_sample(tmp_path / "space", "general")])
    return [
        one
        for collection in sorted(space.catalogue.counts())
        for one in space.catalogue.each(collection)
    ]


def share(counts, name):
    return counts[name][0] / counts[name][1]


def test_errors_planted_in_the_sample_are_caught(sampled):
    wrong = []
    counts = tally(cases(sampled, 150, seed=3), lambda case, told: wrong.append((case, told)))
    planted = {name: pair for name, pair in counts.items() if name}
    caught, of = (sum(pair[at] for pair in planted.values()) for at in (0, 1))
    assert {"date", "name", "quotation", "wrong source", "stray mark"} <= set(planted)
    assert of > 400
    assert caught / of >= 0.97, [one for one in wrong if one[0].planted]
    assert all(share(counts, name) >= 0.95 for name in planted if planted[name][1] >= 20), counts
    assert share(counts, "") <= 0.02, [one for one in wrong if not one[0].planted]


def test_wrong_moves_and_move_numbers_are_caught_and_right_ones_pass():
    counts = tally(game_cases(120, seed=3))
    assert share(counts, "move") >= 0.95
    assert share(counts, "move number") >= 0.95
    assert share(counts, "") <= 0.02


def test_names_that_are_planted_are_names(sampled):
    names = proper_names([one.text for one in sampled])
    assert {"Smeaton", "Eddystone", "Fresnel"} <= set(names)
    assert not {"Rock", "May", "Light"} & set(names)
