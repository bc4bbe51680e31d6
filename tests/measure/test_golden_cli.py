"""Golden sets as a person makes them, with the shipped model and real engines."""

import json

import pytest
from typer.testing import CliRunner

from consilience.cli import app
from consilience.errors import UsageError
from consilience.measure.data_model import Golden, Judgement, Question
from consilience.measure.golden import read_golden, write_golden
from consilience.settings import FILE
from consilience.workspace import Workspace, init_workspace, open_workspace
from tests_shared import FILES


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden") / "space"
    init_workspace(folder)
    (folder / FILE).write_text('[models]\nembed = "fast"\nrerank = "none"\n', encoding="utf-8")
    (folder / "files").mkdir()
    for name, text in FILES.items():
        (folder / "files" / name).write_text(text, encoding="utf-8")
    with open_workspace(folder) as space:
        space.add([folder / "files"])
    return folder


@pytest.fixture
def run(home):
    def call(*words, typed=""):
        return CliRunner().invoke(
            app, ["golden", *map(str, words), "-w", str(home)], input=typed, catch_exceptions=False
        )

    return call


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Who worked off Arbroath?\tpeople\nWhat replaced oil?\n", encoding="utf-8")
    return path


def answers(run, own, out, phrase, grade):
    """The keys that give the passages with this phrase a grade, and pass over the others."""
    listed = json.loads(run("suggest", "--questions", own, "--out", out, "--json").output)
    keys = ["\n"]
    for one in listed[0]["candidates"]:
        keys.append(f"{grade}\n" if phrase in one["text"] else "\n")
        if phrase in one["text"] and one["quote"]:
            keys.append("\n")  # keep the quotation
    return "".join(keys)


def test_a_person_grades_and_the_question_is_saved_at_once(run, own, tmp_path, home):
    out = tmp_path / "golden.yaml"
    keys = answers(run, own, out, "off Arbroath", 3)
    result = run("suggest", "--questions", own, "--out", out, typed=keys + "q\n")
    assert result.exit_code == 0
    assert "1 added; " in result.output
    golden = read_golden(out)
    (question,) = golden.questions
    assert (question.text, question.category) == ("Who worked off Arbroath?", "people")
    assert "Robert Stevenson built a tower on a reef off Arbroath." in {
        one.quote for one in question.judgements
    }
    assert {one.grade for one in question.judgements} == {3}
    assert {"documents/bm25", "documents/dense", "fused/rrf", "search"} <= set(question.pool)
    catalogue = Workspace.peek(home)
    assert golden.fingerprint == catalogue.fingerprint()
    catalogue.close()


def test_nothing_is_shown_of_who_found_what(run, own, tmp_path):
    result = run("suggest", "--questions", own, "--out", tmp_path / "g.yaml", typed="\nd\ns\nq\n")
    for word in ("bm25", "dense", "rrf", "fused", "score", "rank", "#1"):
        assert word not in result.output
    listed = run("suggest", "--questions", own, "--json", "--out", tmp_path / "g.yaml").output
    for one in json.loads(listed)[0]["candidates"]:
        assert set(one) == {
            "passage", "document", "kind", "title", "locator", "text", "quote", "fields",
        }  # fmt: skip
    assert not (tmp_path / "g.yaml").exists()


def test_a_quotation_can_be_shortened_but_not_invented(run, own, tmp_path):
    out = tmp_path / "golden.jsonl"
    listed = json.loads(run("suggest", "--questions", own, "--json", "--out", out).output)
    texts = [one["quote"] for one in listed[0]["candidates"]]
    place = next(at for at, quote in enumerate(texts) if "Arbroath" in quote)
    keys = "\n" + "\n" * place + "3\nno such words\noff Arbroath\n" + "d\nq\n"
    result = run("suggest", "--questions", own, "--out", out, typed=keys)
    assert "these words are not in the passage" in result.output
    assert read_golden(out).questions[0].judgements[0].quote == "off Arbroath"


def test_a_question_can_be_edited_marked_unanswerable_and_skipped(run, tmp_path):
    out, own = tmp_path / "golden.yaml", tmp_path / "q.txt"
    own.write_text("What is bread?\nHow are cakes risen?\n", encoding="utf-8")
    keys = "e\nHow is  bread baked?\nd\nu\n" + "s\n"
    result = run("suggest", "--questions", own, "--out", out, typed=keys)
    assert result.exit_code == 0
    (question,) = read_golden(out).questions
    assert question.text == "How is bread baked?"
    assert question.unanswerable
    assert question.judgements == ()
    again = run("suggest", "--questions", own, "--out", out, typed="")
    assert "nothing new to ask" in again.output  # neither what was rewritten nor what was skipped


def test_who_quits_loses_only_the_question_at_hand(run, own, tmp_path):
    out = tmp_path / "golden.yaml"
    keys = answers(run, own, out, "off Arbroath", 3)
    result = run("suggest", "--questions", own, "--out", out, typed=keys + "\n2\nq\n")
    assert len(read_golden(out).questions) == 1
    result = run("suggest", "--questions", own, "--out", out, typed="\n9\n")  # and then the end
    assert "type one of Enter, 0, 1, 2, 3, d, q" in result.output
    assert result.exit_code == 0
    assert len(read_golden(out).questions) == 1


def test_questions_are_made_by_rule_when_none_are_given(run, tmp_path):
    out = tmp_path / "golden.yaml"
    result = run("suggest", "--count", 3, "--seed", 4, "--out", out, typed="q\n")
    assert "1 of 3: " in result.output
    assert "questions of your own" in result.output
    first = json.loads(run("suggest", "--count", 5, "--seed", 4, "--json").stdout)
    assert len(first) == 5
    only = json.loads(run("suggest", "--collection", "tables", "--count", 2, "--json").stdout)
    assert {one["kind"] for question in only for one in question["candidates"]} == {"row"}


# --- health and convert -----------------------------------------------------------------


def test_health_tells_faults_and_ends_with_status_1_for_errors(run, tmp_path):
    path = tmp_path / "g.yaml"
    good = Judgement(document="lamps.txt", quote="Oil gave way to electricity", grade=3)
    one = Question(id="oil", text="What replaced it?", judgements=(good,), pool=("reading",))
    write_golden(Golden(name="mine", questions=(one,)), path)
    result = run("health", path)
    assert result.exit_code == 0
    assert "warning: few" in result.output
    assert "1 question, 1 judgement: 0 errors, 2 warnings" in result.output
    lost = Question(
        id="lost", text="Where?", judgements=(Judgement(document="lamps.txt", quote="nowhere"),)
    )
    write_golden(Golden(name="mine", questions=(one, lost)), path)
    result = run("health", path)
    assert result.exit_code == 1
    assert "error: unresolved" in result.output
    assert "questions: lost" in result.output
    assert "to do: correct the judgement" in result.output
    told = run("health", path, "--json")
    assert told.exit_code == 1
    found = json.loads(told.stdout)["findings"][0]
    assert (found["level"], found["name"], found["questions"]) == ("error", "unresolved", ["lost"])


def test_sets_are_converted(tmp_path):
    def convert(*words):
        return CliRunner().invoke(app, ["golden", "convert", *map(str, words)])

    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "x"}\n')
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "what is x"}\n')
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\n")
    result = convert(beir, tmp_path / "g.yaml")
    assert result.exit_code == 0, result.output
    assert "1 question written" in result.output
    golden = read_golden(tmp_path / "g.yaml")
    assert golden.by == "_id"
    assert golden.questions[0].judgements[0].fields == {"_id": "d1"}
    assert convert(tmp_path / "g.yaml", tmp_path / "g.jsonl", "--json").exit_code == 0
    assert read_golden(tmp_path / "g.jsonl") == golden
    assert isinstance(convert(beir, tmp_path / "g.yaml").exception, UsageError)
