"""A journal shows a difference that is there, none that is not, and says when it cannot tell."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.errors import UsageError
from consilience.journal import JOURNAL, Entry, Journal, Reacted, Shown
from consilience.measure.golden import read_golden
from consilience.measure.golden_health import find_problems
from consilience.measure.journal_analysis import (
    FEWEST,
    compare_buckets,
    group_questions,
    propose_labels,
)
from consilience.measure.statistics import detectable_difference, share, unpaired_gain
from consilience.settings import FILE, build_settings
from consilience.types import Query
from consilience.workspace import STORE, init_workspace, open_workspace

NOW = 1_700_000_000.0
SHOWN = tuple(Shown(f"p{place}", "document", "documents") for place in range(1, 11))
KEYS = count()


def entry(bucket, *done, text="", time=NOW, **more):
    number = next(KEYS)
    reactions = tuple(
        Reacted(kind, passage, value, time + after)
        for after, (kind, passage, value) in enumerate(done)
    )
    values = {"forced": False, "settings": f"digest {bucket}", "abstained": False, "ms": 20.0}
    return Entry(
        key=str(number), time=time, text=text or f"question {number}", filters=(), collections=(),
        bucket=bucket, shown=SHOWN, kept=(), reactions=reactions, **{**values, **more},
    )  # fmt: skip


def click(place, seconds=0):
    done = [("click", f"p{place}", 1.0)]
    return [*done, ("dwell", f"p{place}", float(seconds))] if seconds else done


def asked(number, *, rates, seed=3):
    """So many questions in each bucket, of which this share is clicked at a random place."""
    chance = random.Random(seed)
    return [
        entry(
            bucket,
            *(
                click(chance.randint(1, 10), chance.randint(1, 60))
                if chance.random() < rate
                else ()
            ),
            ms=chance.uniform(10, 30),
            abstained=chance.random() < 0.1,
        )
        for _ in range(number)
        for bucket, rate in rates.items()
    ]


def gains(found):
    return {one.measure: one for one in found.comparisons}


def test_a_difference_that_is_there_is_found():
    found = compare_buckets(asked(200, rates={"a": 0.3, "b": 0.6}))
    clicked = gains(found)["clicked"]
    assert clicked.gain.low > 0.1
    assert clicked.p_corrected < 0.01
    least = min(one.p for one in found.comparisons)
    assert clicked.p_corrected == pytest.approx(len(found.comparisons) * least)  # Holm
    assert gains(found)["abstained"].p_corrected > 0.05
    assert "b differs from a" in found.verdict()
    assert "clicked +0." in found.verdict()
    assert "better" in found.verdict()
    turned = compare_buckets(asked(200, rates={"b": 0.3, "a": 0.6}))
    assert "worse" in turned.verdict()


@pytest.mark.parametrize("seed", range(5))
def test_no_difference_is_found_where_there_is_none(seed):
    found = compare_buckets(asked(200, rates={"a": 0.4, "b": 0.4}, seed=seed))
    assert len(found.comparisons) >= 5
    assert all(one.p_corrected > 0.05 for one in found.comparisons)
    assert found.verdict().startswith("No difference is shown")
    assert "can hardly be seen" in found.verdict()


def test_too_little_is_said_to_be_too_little():
    few = compare_buckets(asked(FEWEST - 1, rates={"a": 0.1, "b": 0.9}))
    assert few.verdict().startswith("Too little to tell")
    alone = compare_buckets(asked(50, rates={"a": 0.5}))
    assert alone.verdict().startswith("There is nothing to compare")
    assert alone.comparisons == ()
    with pytest.raises(UsageError, match="no question yet"):
        compare_buckets([])


def test_every_measure_is_what_it_says():
    entries = [
        entry("a", *click(4, 20), ("up", "", 1.0), ("kept", "p4", 1.0), ms=10),
        entry("a", ("click", "p2", 1.0), ("click", "p1", 1.0), ("down", "", 1.0), ms=20),
        entry("a", abstained=True, ms=30),
        entry("a", ms=40),
    ]
    (group,) = compare_buckets(entries, {"digest a": {"fusion.k": 10}}).groups
    assert group.changes == {"fusion.k": 10}
    assert {name: one.mean for name, one in group.measured.items()} == {
        "clicked": 0.5,
        "MRR of first click": pytest.approx((1 / 4 + 1 / 2) / 4),
        "kept": 0.25,
        "thumbs up": 0.5,
        "dwell s": 20.0,
        "abstained": 0.25,
        "ms": 25,
    }
    assert all(one.low <= one.mean <= one.high for one in group.measured.values())


def test_a_question_asked_again_on_the_same_day_counts_once():
    again = [entry("a", *click(1), text=f" Same  {word}") for word in ("thing", "THING")]
    later = entry("a", text="same thing", time=NOW + 86_400)
    units, forced = group_questions([*again, entry("a", text="same thing"), later])
    assert (len(units), forced) == (2, 0)
    assert units[0].asked == 3
    assert units[0].value("clicked") == pytest.approx(2 / 3)
    assert units[0].value("up") is None


def test_what_chance_did_not_divide_is_left_out():
    fair = asked(40, rates={"a": 0.5, "b": 0.5})
    wanted = [entry("b", *click(1), forced=True) for _ in range(50)]
    before = [entry("a", *click(1), settings="older") for _ in range(7)]
    alone = [entry("a", *click(1), time=NOW - 3 * 86_400) for _ in range(5)]
    found = compare_buckets([*before, *alone, *fair, *wanted])
    assert [one.questions for one in found.groups] == [40, 40]
    assert any("50 questions were asked in a bucket on purpose" in one for one in found.notes)
    assert any("7 questions of a were answered with earlier settings" in one for one in found.notes)
    assert any("5 questions of a are of days" in one for one in found.notes)


def test_intervals_and_chance_of_two_groups():
    assert share([0.0] * 10).high == pytest.approx(0.2775, abs=1e-3)  # Wilson, by hand
    assert unpaired_gain([1.0] * 5, [0.0] * 5)[1] == 0.0
    assert unpaired_gain([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])[1] == pytest.approx(0.2879, abs=1e-4)
    assert unpaired_gain([1.0, 2.0], [1.0, 2.0])[1] == 1.0
    uneven = unpaired_gain([1.0, 9.0], [1.0, 1.1, 1.2, 1.1, 1.0, 1.2])  # Welch, not Student
    assert uneven[1] == pytest.approx(0.5080, abs=1e-3)
    assert unpaired_gain([], [1.0])[1] == 1.0
    assert share([]).count == 0
    chance = np.random.default_rng(8)
    ours, theirs = chance.normal(1, 1, 800), chance.normal(0, 1, 800)
    gain, p = unpaired_gain(ours, theirs)
    assert gain.low < 1 < gain.high
    assert p < 0.001
    assert gain.high - gain.low == pytest.approx(2 * 1.96 * np.sqrt(2 / 800), rel=0.1)
    assert detectable_difference(ours, theirs) == pytest.approx(2.8 * np.sqrt(2 / 800), rel=0.1)
    same = [unpaired_gain(*np.split(chance.normal(0, 1, 60), 2))[1] for _ in range(30)]
    assert 0.3 < np.mean(same) < 0.7
    assert np.mean(np.array(same) < 0.05) < 0.2


# --- the command, on a real workspace ---------------------------------------------------

TEXTS = ("Lamps", "Oil"), ("Lenses", "Glass"), ("Fog", "Horns")


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A workspace whose journal holds a planted difference: `b` is clicked, `a` is not."""
    folder = init_workspace(tmp_path_factory.mktemp("logged") / "lights")
    (folder / FILE).write_text('pack = "general"\n[models]\nembed = "fast"\nrerank = "none"\n')
    sections = [
        f"## {name}\n\n{name} of the lighthouse are made of {of.lower()}, and tended every night."
        for name, of in TEXTS
    ]
    (folder / "book.md").write_text("# The keeper\n\n" + "\n\n".join(sections) + "\n")
    with open_workspace(folder) as space:
        space.add([folder / "book.md"])
        found = {name: space.find(Query(text=f"{name} of what?")) for name, _ in TEXTS}
    settings = {"a": build_settings({}), "b": build_settings({"fusion.method": "rrf"})}
    journal = Journal(folder / STORE / JOURNAL, settings=settings)
    result = found["Lamps"]
    for number in range(2 * FEWEST):
        for bucket in "ab":
            query = Query(text=f"question {number} {bucket}")
            key = journal.asked(_renamed(result, query), bucket=bucket, ms=10 + number)
            if bucket == "b":
                journal.reacted(key, "click", passage=result.hits[0].passage.id)
    first, second = (hit.passage.id for hit in result.hits[:2])
    key = journal.asked(result, bucket="a", ms=5)
    journal.reacted(key, "click", passage=first)
    journal.reacted(key, "dwell", passage=first, value=45)
    journal.reacted(key, "down", passage=second)
    key = journal.asked(found["Fog"], bucket="a", ms=5)
    journal.reacted(key, "up", passage=found["Fog"].hits[0].passage.id)
    key = journal.asked(found["Lenses"], bucket="a", ms=5)
    journal.reacted(key, "click", passage=found["Lenses"].hits[0].passage.id)
    yield folder, found
    journal.close()


def _renamed(result, query):
    return replace(result, query=query)


def run(folder, *arguments):
    return CliRunner().invoke(app, ["evaluate", "--journal", "-w", str(folder), *arguments])


def test_the_command_compares_while_the_journal_is_open(logged):
    result = run(logged[0])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("journal: a: 63 questions")
    assert any(line.startswith("  b ") and "fusion.method = rrf" in line for line in lines)
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in lines if "\t" in line}
    assert rows["measure"] == ["a", "b", "b − a"]
    assert rows["clicked"][1].startswith("1.000 [")
    assert rows["clicked"][2].endswith("p < 0.001 *")
    assert lines[-1].startswith("b differs from a: clicked +0.9")


def test_the_json_has_everything(logged):
    told = json.loads(run(logged[0], "--json").stdout)
    assert told["journal"].endswith(JOURNAL)
    assert told["buckets"]["a"]["questions"] == 63
    assert told["buckets"]["b"]["measures"]["clicked"]["mean"] == 1.0
    assert told["comparisons"][0]["measure"] == "clicked"
    assert told["comparisons"][0]["shown"]
    assert told["verdict"].startswith("b differs")


def test_what_was_read_or_praised_is_proposed_and_not_believed(logged, tmp_path):
    folder, found = logged
    target = tmp_path / "proposed.yaml"
    result = run(folder, "--as-golden", str(target))
    assert result.exit_code == 0, result.output
    assert "2 proposals" in result.stderr
    assert target.read_text().startswith("# Proposals")
    golden = read_golden(target)
    by_text = {one.text: one for one in golden.questions}
    assert set(by_text) == {"Lamps of what?", "Fog of what?"}  # a click alone is no hint
    grades = [one.grade for one in by_text["Lamps of what?"].judgements]
    assert grades == [1, 0]
    (praised,) = by_text["Fog of what?"].judgements
    assert praised.grade == 2
    assert praised.document == "book.md"
    text = " ".join(found["Fog"].hits[0].passage.text.split())
    assert praised.quote
    assert praised.quote in text
    assert all(one.pool == ("journal",) for one in golden.questions)
    with open_workspace(folder) as space:
        told = [one for one in find_problems(golden, space.catalogue) if one.level == "error"]
    assert any("judged on the results of journal only" in one.message for one in told)
    assert "is there already" in str(run(folder, "--as-golden", str(target)).exception)


def test_passages_that_are_gone_are_counted(logged):
    folder, found = logged
    shown = tuple(Shown(hit.passage.id, "document", "documents") for hit in found["Fog"].hits)
    one = entry("a", ("up", shown[0].passage, 1.0), ("kept", "00", 1.0), text="Fog?")
    with open_workspace(folder) as space:
        golden, gone = propose_labels([one], space.catalogue, name="x")
    assert gone == 1
    assert len(golden.questions[0].judgements) == 1
