"""Every known way to fool a measurement, on a real workspace: each turns a control red.

The honest set beside them stays green in all.
"""

from dataclasses import replace
from itertools import product

import pytest

from consilience.measure import controls
from consilience.measure.data_model import Fact, Golden, Judgement, Question
from consilience.measure.golden import question_digest
from consilience.measure.golden_health import find_problems
from consilience.measure.label_resolver import resolve
from consilience.measure.runs import run_questions
from consilience.settings import build_settings
from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors

NAMES = [
    "".join(parts).capitalize()
    for parts in product(
        ("bor", "kel", "tam", "vis"), ("da", "lo", "nur"), ("mer", "sund", "vik", "holm")
    )
]
MAKERS = ("Aldous Finch", "Berta Krone", "Cosmo Pell", "Dora Whitlock", "Emil Strand", "Fay Ortega")
WAYS = ("granite", "limestone", "iron", "brick", "oak")


def lights():
    """48 lighthouses, a section each: who built it, of what, how high, at what cost."""
    for number, name in enumerate(NAMES):
        yield (
            name,
            f"{MAKERS[number % 6]} built {name} of {WAYS[number % 5]} in {1700 + 3 * number}.",
            f"The tower of {name} is {20 + number} m high and cost {300 + 7 * number} EUR/ton.",
        )


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    home = tmp_path_factory.mktemp("lights")
    parts = [f"## {name}\n\n{built}\n\n{high}\n" for name, built, high in lights()]
    (home / "lights.md").write_text("# Lights\n\n" + "\n".join(parts), encoding="utf-8")
    init_workspace(home / "space")
    settings = build_settings({"models.rerank": "none"})
    with open_workspace(home / "space", settings=settings, embedder=WordVectors()) as workspace:
        workspace.add([home / "lights.md"])
        yield workspace


def honest(count=24):
    """Questions with a quotation that answers them, its place and its value."""
    return Golden(
        name="honest",
        questions=tuple(
            Question(
                id=f"q{number}",
                text=f"How high is the tower of {name}?",
                judgements=(Judgement(document="lights.md", quote=high, grade=3),),
                facts=(Fact(value=str(20 + number), unit="m", document="lights.md"),),
                pool=("documents/bm25", "documents/dense"),
            )
            for number, (name, _, high) in enumerate(list(lights())[:count])
        ),
    )


def relabelled(golden, judgements, facts=()):
    """The same questions with other labels, which `judgements` gives for each."""
    return replace(
        golden,
        questions=tuple(
            replace(one, judgements=judgements(one), facts=facts, pool=())
            for one in golden.questions
        ),
    )


def passages(space):
    return [one for name in space.catalogue.counts() for one in space.catalogue.each(name)]


def all_controls(space, golden, runs=None, tuned=None):
    runs = runs or run_questions(golden.questions, space).runs
    resolved = resolve(golden, space.catalogue)
    found = (
        controls.every_way_counted(runs, {}, golden),
        controls.shuffled_labels(runs["merged"], resolved, size=len(passages(space))),
        controls.labels_not_from_ranker(runs, resolved),
        controls.not_tuned_on(golden, tuned or {}),
    )
    return {one.name for one in found if not one.passed}


def errors(space, golden):
    found = find_problems(golden, space.catalogue)
    return {one.name for one in found if one.level == "error"}


def test_an_honest_set_is_green(space):
    assert all_controls(space, honest()) == set()


def test_labels_made_by_the_ranker_are_red(space):
    golden = honest()
    runs = run_questions(golden.questions, space).runs
    ranker = next(name for name in runs if name.endswith("bm25"))

    def first_places(question):
        found = runs[ranker].answers[question.id].passages[:3]
        texts = space.catalogue.get(found)
        return tuple(
            Judgement(document="lights.md", quote=texts[key].text, grade=grade)
            for key, grade in zip(found, (3, 2, 1), strict=True)
        )

    made = relabelled(golden, first_places)
    assert "labels not from a ranker" in all_controls(space, made, runs)


def test_a_set_pooled_from_one_method_is_red(space):
    golden = honest()
    alone = tuple(replace(one, pool=("merged",)) for one in golden.questions)
    assert all_controls(space, replace(golden, questions=alone)) == {"labels not from a ranker"}


def test_keyword_labels_are_red_and_an_error_of_the_set(space):
    made = relabelled(honest(), lambda _: (Judgement(document="lights.md", quote="EUR/ton"),))
    assert "shuffled labels" in all_controls(space, made)
    assert "keyword" in errors(space, made)


def test_a_unit_counted_as_an_answer_is_an_error_of_the_set(space):
    golden = honest()
    assert errors(space, golden) == set()
    made = relabelled(golden, lambda one: one.judgements, (Fact(value="EUR/ton"),))
    assert errors(space, made) == {"keyword"}


def test_a_whole_document_as_the_answer_to_everything_is_red(space):
    made = relabelled(honest(), lambda _: (Judgement(document="lights.md"),))
    assert "shuffled labels" in all_controls(space, made)


def test_questions_used_in_tuning_are_red(space):
    golden = honest()
    tuned = [question_digest(golden.questions[3])]
    assert all_controls(space, golden, tuned=tuned) == {"not tuned on these questions"}


def test_questions_without_results_cannot_be_dropped(space):
    golden = honest()
    nothing = Question(id="empty", text="?!", judgements=golden.questions[0].judgements)
    golden = replace(golden, questions=(*golden.questions, nothing))
    runs = run_questions(golden.questions, space).runs
    assert runs["merged"].answers["empty"].passages == ()
    assert all_controls(space, golden, runs) == set()
    kept = {key: one for key, one in runs["merged"].answers.items() if one.passages}
    dropped = {**runs, "merged": replace(runs["merged"], answers=kept)}
    assert all_controls(space, golden, dropped) == {"every question counted"}


def test_an_engine_that_answers_everything_is_red(space):
    asked = [
        Question(id=str(number), text=text, unanswerable=True)
        for number, text in enumerate(controls.off_topic_questions(space.catalogue))
    ]
    results = run_questions(asked, space)
    run = results.runs["merged"]
    assert any(one.passages for one in run.answers.values())
    for refused in (False, True):
        answers = {key: replace(one, refused=refused) for key, one in run.answers.items()}
        runs = {"merged": replace(run, answers=answers)}
        assert controls.off_topic_refused(replace(results, runs=runs), None).passed is refused
