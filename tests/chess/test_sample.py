"""The sample holds what it promises, golden sets point into it, its examples are answered."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import chess
import pytest
import yaml

from consilience import plugins
from consilience.measure.golden import read_golden
from consilience.measure.label_resolver import resolve
from consilience.pack import Reading
from consilience.packs.chess import PACK
from consilience.packs.chess.notation import epd
from consilience.settings import build_settings
from consilience.workspace import copy_sample, init_workspace, open_workspace

ROOT = Path(__file__).parents[2]
BOOKS = sorted((ROOT / "scripts/chess_sample").iterdir())
GOLDEN = {name: PACK.sample.golden.with_stem(name) for name in ("golden", "golden-tuning")}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample in a workspace, by the quick embedder, and what reading it remarked on."""
    folder = init_workspace(tmp_path_factory.mktemp("sample") / "space", pack="chess")
    settings = build_settings({"pack": "chess", "models.embed": "fast", "retrieve.hard_ms": 30_000})
    with open_workspace(folder, settings=settings) as space:
        report = space.add([copy_sample(folder, "chess")])
        yield space, report


def test_there_are_six_books_and_a_hundred_and_twenty_games_or_more(sample):
    space, report = sample
    counts = space.catalogue.counts()
    games = {
        (one.document, one.locator.number("game"))
        for one in space.catalogue.each("games")
        if one.metadata.get("notes")
    }
    assert len(BOOKS) >= 6
    assert counts["books"]["book"] >= 250
    assert len(games) >= 120
    assert report.failed == []


def test_only_front_and_back_matter_is_left_out(sample):
    _, report = sample
    told = {Path(path).name: note for path, note in report.notes}
    assert set(told) == {
        "quiet-beginnings.epub",
        "small-advantages.epub",
        "the-kings-pawn.epub",
        "the-tactical-eye.epub",
    }
    assert all(note.startswith("left out as no part of the text: ") for note in told.values())


def test_the_books_are_made_from_their_sources(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    sys.modules.pop("build_chess_sample", None)
    import build_chess_sample as build  # noqa: PLC0415 - a script

    for folder in BOOKS:
        made = build.build_book(folder, build.about(folder))
        assert made == (PACK.sample.folder / f"{folder.name}.epub").read_bytes(), folder.name


@pytest.mark.parametrize("name", GOLDEN)
def test_every_judgement_points_into_the_sample(sample, name):
    space, _ = sample
    golden = read_golden(GOLDEN[name])
    resolved = resolve(golden, space.catalogue)
    kinds = Counter(one.category for one in golden.questions)
    assert (kinds["opening"], kinds["concept"], kinds["mixed"]) == (24, 24, 12)
    judged = {key for units in resolved.strict.values() for key in units}
    both = {one.kind for one in space.catalogue.get(sorted(judged)).values()}
    assert both == {"book", "game"}


def test_both_golden_sets_come_with_the_sample(sample):
    space, _ = sample
    assert all((space.folder / path.name).exists() for path in GOLDEN.values())


def test_no_question_is_both_tuned_on_and_held_out():
    texts = [{one.text for one in read_golden(path).questions} for path in GOLDEN.values()]
    assert not texts[0] & texts[1]
    assert sum(one.unanswerable for one in read_golden(GOLDEN["golden"]).questions) == 30


@pytest.mark.parametrize(("name", "least"), [("chess_routing", 0.95), ("chess_routing_blind", 0.9)])
def test_the_router_reads_questions_as_people_do(name, least):
    listed = yaml.safe_load((ROOT / f"benchmarks/{name}.yaml").read_text(encoding="utf-8"))
    route = plugins.load("packs", "chess").questions.route
    right = [
        (rule := route(Reading(text=one["text"]))) is not None and rule.intent == one["intent"]
        for one in listed["questions"]
    ]
    assert len(right) == 100
    assert sum(right) / len(right) >= least


@pytest.mark.parametrize("question", PACK.examples)
def test_the_examples_are_answered_with_books_games_and_boards_that_stand_in_them(sample, question):
    space, _ = sample
    answer = space.ask(question, length="balanced")
    assert not answer.abstained
    assert answer.citations
    assert answer.support == 1.0
    cited = {one.mark: one.passage for one in answer.exhibits}
    for figure in answer.figures:
        board = chess.Board(figure.data)
        known = cited[figure.mark].metadata
        assert board.is_valid()
        assert epd(board) in (*known.get("positions", ()), *known.get("mentioned", ()))
    assert {one.passage.kind for one in answer.result.hits} == {"book", "game"}
