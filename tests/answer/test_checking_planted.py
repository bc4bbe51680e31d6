"""Planted errors are caught, and true statements of the sample and of games are let pass."""

import pytest
from planted_shared import cases, game_cases, proper_names, said, tally

from consilience.answer.checker import check
from consilience.types import Exhibit, Statement
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


# A phrase of a passage, and sentences about it as a model might write them.
WRITTEN = """
# the railway steamer Stella
The railway steamer Stella sank on 30 March 1899 after racing through thick fog from Southampton
  to Guernsey.
The Stella went down in just eight minutes, claiming more than 100 lives.
Competition with a rival company encouraged captains to maintain speed even in fog.
# put his tower on a sounder part
James Nicholas Douglass built the fourth tower about 40 metres from Smeaton's and over twice as
  high; it was lit in May 1882.
Rather than a curve down to the rock, Douglass used a vertical drum of stone.
# the relief tender Hesperus
On 26 December 1900 the relief tender Hesperus arrived at the Flannan Isles and found all three
  keepers gone.
The missing keepers were James Ducat, Thomas Marshall, and Donald MacArthur.
A box wedged more than 30 metres above the sea had been broken, and turf torn away.
# were sent John Smeaton
John Smeaton, a 31-year-old instrument maker with no experience of lighthouses, was sent by the
  Royal Society.
His experiments with lime led to a mortar that was the forerunner of Portland cement.
# a handful of light-emitting diodes
Modern lamps use LEDs, which consume very little power, run on solar panels and last for years.
# set out from Cowes
During the 1979 Fastnet race, more than 300 yachts set out from Cowes, and 15 sailors died in an
  unforecast storm.
Survivors recalled the white beam on the rock, which came round every 5 seconds.
# with a spring dynamometer
Thomas Stevenson used a spring dynamometer in the Hebrides in the 1840s, recording 6083 pounds
  per square foot (around 290 kN/m²) at Skerryvore in March 1845.
Water is roughly 800 times denser than air, so towers on a reef face far greater loads than
  towers on land.
# plundering of wrecks in plenty
Historians searching Cornish court records found much plundering of wrecks but hardly any
  evidence of false lights.
"""


def written():
    """By phrase, the sentences about its passage."""
    found = {}
    for line in WRITTEN.replace("\n  ", " ").strip().split("\n"):
        if line.startswith("# "):
            found[line[2:]] = []
        else:
            found[list(found)[-1]].append(line)
    return found


def test_sentences_in_words_of_their_own_are_borne_out_by_their_passage_alone(sampled):
    chosen = [next(one for one in sampled if phrase in one.text) for phrase in written()]
    exhibits = {
        mark: Exhibit(mark=mark, passage=one, label=one.title, text=one.text)
        for mark, one in enumerate(chosen, start=1)
    }
    for mark, sentences in enumerate(written().values(), start=1):
        for sentence in sentences:
            told = check(said(sentence, mark), exhibits)
            assert told.faults == (), sentence
            assert not check(said(sentence, 1 + mark % len(exhibits)), exhibits).sound, sentence
            assert check(Statement(text=sentence), exhibits).marks == (mark,), sentence
