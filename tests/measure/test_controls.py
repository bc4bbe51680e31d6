"""Each control knows its limits: when it can tell, when it cannot, and what it says."""

import random
import re
from dataclasses import replace

import pytest

from consilience.measure import controls
from consilience.measure.controls import off_topic_questions, read_off_topic_data
from consilience.measure.data_model import (
    Answer,
    Golden,
    Judgement,
    Question,
    ResolvedLabels,
    Run,
    Way,
)
from consilience.measure.golden import question_digest
from consilience.measure.runs import RunResults

WAY = Way(name="merged", kind="merged")

OFF_TOPIC = [one["text"] for one in read_off_topic_data()["off_topic"]]


def answer(key, *passages, refused=False):
    return Answer(question=key, passages=passages, scores=(1.0,) * len(passages), refused=refused)


def run_of(answers):
    return Run(way=WAY, answers={key: answer(key, *found) for key, found in answers.items()})


def judged_set(grades, *, homes, pool=()):
    questions = tuple(
        Question(
            id=key,
            text=f"question {key}",
            judgements=tuple(Judgement(document=one, grade=grade) for one, grade in some.items()),
            pool=pool,
        )
        for key, some in grades.items()
    )
    golden = Golden(name="set", questions=questions, by="document")
    return ResolvedLabels(golden=golden, grades=grades, strict={}, lenient={}, homes=homes)


def shuffled(items, seed):
    return random.Random(seed).sample(items, len(items))


DOCUMENTS = [f"d{number:03}" for number in range(200)]
HOMES = {one: one for one in DOCUMENTS}
KEYS = [f"q{number}" for number in range(24)]


def honest():
    """24 questions with three labels each that a way finds among its first ten."""
    labels = {key: shuffled(DOCUMENTS, key)[:3] for key in KEYS}
    found = {
        key: (*shuffled([*labels[key], *shuffled(DOCUMENTS, key)[100:107]], key + "!"),)
        for key in KEYS
    }
    grades = {key: dict(zip(some, (3, 2, 1), strict=True)) for key, some in labels.items()}
    return judged_set(grades, homes=HOMES), run_of(found)


def test_shuffled_labels_fall_to_chance():
    resolved, run = honest()
    control = controls.shuffled_labels(run, resolved)
    assert control.passed, control.message
    assert control == controls.shuffled_labels(run, resolved)
    numbers = [float(one) for one in re.findall(r"0\.\d+", control.message)]
    assert numbers[0] > 0.5 > 0.1 > numbers[1]


def test_one_document_for_all_questions_is_no_test():
    """Where every question has the same answer, any question's labels do."""
    grades = {key: {"d001": 1} for key in KEYS}
    run = run_of(dict.fromkeys(KEYS, ("d001", *DOCUMENTS[2:9])))
    control = controls.shuffled_labels(run, judged_set(grades, homes=HOMES))
    assert not control.passed
    assert "narrow them" in control.message


def test_questions_that_are_much_alike_are_no_cheat():
    """All ask for a height: all find the 24 heights of 200 texts, each its own first."""
    heights = DOCUMENTS[:24]
    grades = {key: {heights[number]: 1} for number, key in enumerate(KEYS)}
    found = {
        key: (*grades[key], *(one for one in shuffled(heights, key) if one not in grades[key]))
        for key in KEYS
    }
    control = controls.shuffled_labels(run_of(found), judged_set(grades, homes=HOMES), size=200)
    assert control.passed, control.message
    wide = {one: one if one not in heights[:12] else "half" for one in DOCUMENTS}
    half = {key: {"half": 1} for key in KEYS}
    control = controls.shuffled_labels(run_of(found), judged_set(half, homes=wide), size=200)
    assert not control.passed, control.message


def copied(seed="x"):
    """A ranking, and labels that are its first three places."""
    found = {key: tuple(shuffled(DOCUMENTS, key + seed)[:10]) for key in KEYS}
    grades = {key: dict(zip(some[:3], (3, 2, 1), strict=True)) for key, some in found.items()}
    return run_of(found), grades


def test_labels_that_are_a_ranking_are_seen_through():
    run, grades = copied()
    other, _ = copied("y")
    resolved = judged_set(grades, homes=HOMES)
    control = controls.labels_not_from_ranker({"bm25": run, "dense": other}, resolved)
    assert not control.passed
    assert "first places of bm25" in control.message


def test_labels_are_not_suspected_when_every_way_finds_them_or_few_are_there():
    run, grades = copied()
    other, _ = copied("y")
    both = {"bm25": run, "dense": run}
    assert controls.labels_not_from_ranker(both, judged_set(grades, homes=HOMES)).passed
    runs = {"bm25": run, "dense": other}
    few = {key: grades[key] for key in KEYS[:9]}
    control = controls.labels_not_from_ranker(runs, judged_set(few, homes=HOMES))
    assert control.passed
    assert "too few" in control.message


@pytest.mark.parametrize("least", [0, 1])
def test_a_copied_ranking_is_seen_whatever_its_grades(least):
    run, grades = copied()
    other, _ = copied("y")
    chance = random.Random(1)
    mixed = {key: {one: chance.randint(least, 3) for one in some} for key, some in grades.items()}
    for some in mixed.values():
        some[next(iter(some))] = 2  # every question is judged
    control = controls.labels_not_from_ranker(
        {"bm25": run, "dense": other}, judged_set(mixed, homes=HOMES)
    )
    assert not control.passed, control.message
    assert "first places of bm25" in control.message


def easy(*, pool=()):
    """30 questions with one label each: merged is right everywhere, dense nearly."""
    keys = [f"q{number}" for number in range(30)]
    labels = {key: shuffled(DOCUMENTS, key)[0] for key in keys}
    wrong = {key: (*shuffled(DOCUMENTS, key)[1:3], labels[key]) for key in keys[:4]}
    right = {key: (labels[key],) for key in keys}
    runs = {"merged": run_of(right), "dense": run_of({**right, **wrong})}
    return runs, judged_set({key: {one: 1} for key, one in labels.items()}, homes=HOMES, pool=pool)


def test_an_easy_set_with_one_label_a_question_is_no_copy():
    control = controls.labels_not_from_ranker(*easy())
    assert control.passed, control.message
    assert "too few to show a copy" in control.message
    assert controls.labels_not_from_ranker(*easy(pool=("bm25", "dense"))).passed


@pytest.mark.parametrize("pool", [("bm25", "dense"), ("reading",)])
def test_a_pool_is_believed_and_what_is_seen_is_told(pool):
    run, grades = copied()
    other, _ = copied("y")
    runs = {"bm25": run, "dense": other}
    control = controls.labels_not_from_ranker(runs, judged_set(grades, homes=HOMES, pool=pool))
    assert control.passed
    assert "100% of the labels are just the first places of bm25" in control.message
    assert "believe it only if that is so" in control.message


def test_a_pool_of_one_method_is_a_ranker_that_judged():
    _, run = honest()
    grades = {key: {"d001": 1} for key in KEYS[:2]}
    one = judged_set(grades, homes=HOMES, pool=("bm25",))
    assert not controls.labels_not_from_ranker({"merged": run}, one).passed
    two = judged_set(grades, homes=HOMES, pool=("bm25", "dense"))
    assert controls.labels_not_from_ranker({"merged": run}, two).passed


# --- questions --------------------------------------------------------------------------


def test_every_question_must_be_there_and_no_other():
    golden = Golden(name="g", questions=tuple(Question(id=key, text="?") for key in "abc"))

    def counted(answers):
        return controls.every_way_counted({"merged": run_of(answers)}, {}, golden)

    full = counted({"a": ("p",), "b": (), "c": ()})
    assert full.passed
    assert "2 found nothing" in full.message
    dropped = counted({"a": ("p",)})
    assert not dropped.passed
    assert "is without 2 questions: b, c" in dropped.message
    assert not counted(dict.fromkeys("abcz", ("p",))).passed


def test_questions_that_were_tuned_on_are_known_by_their_words():
    questions = tuple(Question(id=key, text=f"What is {key}?") for key in "abc")
    golden = Golden(name="g", questions=questions)
    assert controls.not_tuned_on(golden, ()).passed
    held = {"questions": ["0000"], "held_out": [question_digest(one) for one in questions]}
    assert controls.not_tuned_on(golden, held).passed
    again = Question(id="other", text="  what is  B? ")
    control = controls.not_tuned_on(golden, [question_digest(again)])
    assert not control.passed
    assert "1 of 3" in control.message


@pytest.mark.parametrize(
    ("refused", "answerable", "passed"),
    [(10, 0.0, True), (8, 0.2, True), (8, None, True), (7, 0.0, False), (10, 0.3, False)],
)
def test_most_off_topic_questions_and_few_others_must_be_refused(refused, answerable, passed):
    answers = {str(n): answer(str(n), "p", refused=n < refused) for n in range(10)}
    results = RunResults(runs={"merged": Run(way=WAY, answers=answers)})
    assert controls.off_topic_refused(results, answerable).passed is passed


def test_off_topic_questions_that_failed_count_as_not_refused_and_nothing_found_as_refused():
    results = RunResults(runs={"merged": run_of({"a": (), "b": ()})})
    assert controls.off_topic_refused(results, None).passed
    assert not controls.off_topic_refused(replace(results, failed=frozenset("b")), None).passed
    nothing = RunResults(runs={"merged": run_of({})})
    assert controls.off_topic_refused(nothing, None).message.startswith("not checked")


def test_off_topic_questions_leave_out_what_the_evidence_speaks_of(workspace, tmp_path):
    assert len(set(OFF_TOPIC)) == len(OFF_TOPIC) >= 40
    assert off_topic_questions(workspace.catalogue) == OFF_TOPIC
    note = tmp_path / "kitchen.md"
    note.write_text("# Kitchen\n\nOur SOURDOUGHS rest overnight, beside the kettle.\n")
    workspace.add([note])
    left = set(OFF_TOPIC) - set(off_topic_questions(workspace.catalogue))
    assert {re.search(r"sourdough|kettle", one)[0] for one in left} == {"sourdough", "kettle"}
