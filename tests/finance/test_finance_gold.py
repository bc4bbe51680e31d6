"""Does the judge of real filings hold evidence to what it says, and only of the right page?"""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from consilience.packs.finance.loading import LOADER
from consilience.types import Locator, Passage

PATH = Path(__file__).parents[2] / "benchmarks" / "finance_gold.py"
SPEC = importlib.util.spec_from_file_location("finance_gold", PATH)
gold = importlib.util.module_from_spec(SPEC)
sys.modules["finance_gold"] = gold
SPEC.loader.exec_module(gold)

TATQA = [
    {
        "table": {
            "uid": "t1",
            "table": [
                ["", "2019", "2018"],
                ["Lamps sold", "$1,831.7", "8.7"],
                ["Lenses", "(3.1)", "2.2"],
            ],
        },
        "paragraphs": [
            {
                "uid": "p1",
                "order": 1,
                "text": "We changed the method. Lamps were counted by the full cost method since "
                "May. Nobody objected to that at all.",
            },
            {"uid": "p2", "order": 2, "text": "Sales of lamps and lenses were as follows:"},
        ],
        "questions": [
            {
                "uid": "q1",
                "question": "How were lamps counted?",
                "answer": ["the full cost method"],
                "derivation": "",
                "answer_type": "span",
                "answer_from": "text",
                "rel_paragraphs": ["1"],
                "mappings": [{"paragraph_1": [45, 65]}],
            },
            {
                "uid": "q2",
                "question": "By how much did sales of lamps change?",
                "answer": 1823.0,
                "derivation": "1,831.7 - 8.7",
                "answer_type": "arithmetic",
                "answer_from": "table",
                "rel_paragraphs": [],
            },
        ],
    }
]
FINQA = [
    {
        "id": "ABC/2009/page_3.pdf-1",
        "filename": "ABC/2009/page_3.pdf",
        "pre_text": ["the company sold lamps in all of its markets .", "."],
        "post_text": ["rent is paid every month to the harbour office ."],
        "table_ori": [["Item", "2009"], ["Rent<sup>(1)</sup>", "$ (1,250)"]],
        "table": [["item", "2009"], ["rent ( 1 )", "$ -1250 ( 1250 )"]],
        "qa": {
            "question": "what is the monthly rent?",
            "gold_inds": {
                "table_1": "the rent of 2009 is $ 1250 ;",
                "text_2": "rent is paid every month to the harbour office .",
            },
        },
    }
]


@pytest.fixture(scope="module")
def passages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gold")
    found, questions = {}, {}
    for name, data in (("tatqa", TATQA), ("finqa", FINQA)):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        pages, asked = getattr(gold, name)(path, name)
        questions.update((one.text, one) for one in asked)
        for page in pages:
            file = folder / page.name
            file.write_text(page.markup(), encoding="utf-8")
            found[page.name] = [
                Passage(
                    id=f"{page.name}{at}",
                    collection="reports",
                    document=page.name,
                    kind=block.kind or "report",
                    title=page.title,
                    text=block.text,
                    locator=block.locator,
                )
                for at, block in enumerate(LOADER.load(file).blocks)
            ]
    return found, questions


def held(passages, text):
    """The beginnings of the passages that hold a piece, by piece."""
    found, questions = passages
    question = questions[text]
    pieces = {number: [] for number in range(len(question.pieces))}
    for one in (one for each in found.values() for one in each):
        for number in gold.met(one, question):
            pieces[number].append(one.text)
    return pieces


def test_a_span_is_held_by_the_prose_that_has_its_sentence(passages):
    assert [len(one) for one in held(passages, "How were lamps counted?").values()] == [1]


def test_numbers_of_a_calculation_are_held_by_their_row_alone(passages):
    pieces = held(passages, "By how much did sales of lamps change?")
    assert len(pieces) == 2
    assert all(len(one) == 1 and "Lamps sold" in one[0] for one in pieces.values())


def test_rows_and_sentences_of_a_page_are_held_each_by_its_own(passages):
    row, prose = held(passages, "what is the monthly rent?").values()
    assert len(row) == 1
    assert "1,250" in row[0]
    assert any("harbour office" in one for one in prose)
    assert not any("1,250" in one for one in prose)


def test_the_same_words_on_another_page_are_no_evidence(passages):
    _, questions = passages
    question = questions["How were lamps counted?"]
    other = Passage(
        id="x",
        collection="reports",
        document="elsewhere.html",
        kind="report",
        title="",
        text=question.pieces[0][0].words,
        locator=Locator(),
    )
    assert list(gold.met(other, question)) == []
