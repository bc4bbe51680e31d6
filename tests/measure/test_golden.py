import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.measure.data_model import Fact, Golden, Judgement, Question
from consilience.measure.golden import (
    add_question,
    golden_digest,
    question_digest,
    question_id,
    read_golden,
    write_golden,
)
from consilience.types import Locator

HAND_WRITTEN = """\
# what a person would write
name: lights
questions:
  - text: How tall is Cordouan?      # no id: made from the text
    category: no                     # not a truth
    language: no
    judgements:
      - document: lights.csv
        fields: {name: Cordouan, height: 67}
        grade: 3
      - {document: towers.md, section: Towers at sea › Eddystone, quote: "dovetailed: granite"}
    facts:
      - {value: 67.50, unit: m}
  - id: bread
    text: How long does dough rise?
    unanswerable: true
"""

RICH = Golden(
    name="rich",
    by="passage",
    fingerprint="0011223344556677",
    questions=(
        Question(
            id="a",
            text="Why: “this” — and – that’s ﬁne?",
            category="no",
            language="de",
            judgements=(
                Judgement(
                    document="a/b.md",
                    grade=3,
                    locator=Locator(section=("A: x", "B"), page=3, table="t", row=2),
                    quote="first line\nsecond: 'line' # no comment",
                ),
                Judgement(
                    document="c.csv",
                    grade=0,
                    locator=Locator(node="a → b", extra=(("game", 4), ("ply", 7))),
                    fields={"name": "1971", "n": 3, "x": 2.5, "t": ("a", "b"), "ok": True},
                ),
            ),
            facts=(Fact(value="1,234.50", unit="EUR/t", document="c.csv", page=2),),
            pool=("docs/bm25", "docs/dense"),
        ),
        Question(id="b", text="Nothing?", unanswerable=True),
    ),
)


def written(tmp_path, text, name="golden.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(tmp_path, text, name="golden.yaml"):
    with pytest.raises(UsageError) as caught:
        read_golden(written(tmp_path, text, name))
    return str(caught.value)


def question(body):
    """A file with one question, whose first line is line 2."""
    return "questions:\n  - text: Why?\n" + "".join(f"    {line}\n" for line in body)


def test_a_file_written_by_hand_says_what_was_meant(tmp_path):
    golden = read_golden(written(tmp_path, HAND_WRITTEN))
    tall, bread = golden.questions
    assert (golden.name, golden.by) == ("lights", "passage")
    assert (tall.id, tall.category, tall.language) == ("how-tall-is-cordouan", "no", "no")
    assert tall.judgements[0].fields == {"name": "Cordouan", "height": 67}
    assert tall.judgements[0].grade == 3
    assert tall.judgements[1].locator.section == ("Towers at sea", "Eddystone")
    assert tall.judgements[1].grade == 1
    assert tall.facts == (Fact(value="67.50", unit="m"),)  # as it is spelt
    assert bread.id == "bread"
    assert bread.unanswerable


def test_what_is_meant_as_text_stays_text(tmp_path):
    fields = "{a: no, b: 007, c: 12:30, d: 2024-05-01, e: 1e3, f: 1.50, g: -4, h: true, i: '5'}"
    text = f"- {{text: Why?, judgements: [{{document: a, fields: {fields}}}]}}\n"
    text += "- {text: What?, unanswerable: yes}\n"
    why, what = read_golden(written(tmp_path, text)).questions
    assert why.judgements[0].fields == {
        "a": "no",
        "b": "007",
        "c": "12:30",
        "d": "2024-05-01",
        "e": "1e3",
        "f": 1.5,
        "g": -4,
        "h": True,
        "i": "5",
    }
    assert what.unanswerable


@pytest.mark.parametrize("name", ["set.yaml", "set.jsonl"])
def test_what_is_written_is_read_again(tmp_path, name):
    write_golden(RICH, tmp_path / name)
    assert read_golden(tmp_path / name) == RICH
    assert golden_digest(read_golden(tmp_path / name)) == golden_digest(RICH)


def test_written_yaml_is_pleasant_to_read(tmp_path):
    write_golden(RICH, tmp_path / "set.yaml")
    text = (tmp_path / "set.yaml").read_text(encoding="utf-8")
    assert "“this” — and – that’s" in text
    assert "pool: [docs/bm25, docs/dense]" in text
    assert "\n\n  - id: b\n" in text
    assert "\\u" not in text
    assert "{name: '1971', n: 3" in text


texts = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.sampled_from(" :#'\"-›"),
    min_size=1,
).map(lambda text: " ".join(text.replace("›", "").split()))
said = texts.filter(bool)
judgements = st.builds(
    Judgement,
    document=said,
    grade=st.integers(1, 3),
    quote=texts,
    fields=st.dictionaries(said, said | st.integers(-5, 5) | st.booleans(), max_size=2),
    locator=st.builds(Locator, page=st.none() | st.integers(1, 9), section=st.tuples(said)),
)


@given(
    st.lists(
        st.builds(
            Question,
            id=st.text(string.ascii_letters + string.digits, min_size=1),
            text=said,
            category=texts,
            judgements=st.lists(judgements, min_size=1, max_size=2).map(tuple),
            facts=st.lists(st.builds(Fact, value=said, unit=texts), max_size=1).map(tuple),
        ),
        unique_by=lambda one: one.id,
        max_size=3,
    ),
    st.sampled_from(["set.yaml", "set.jsonl"]),
)
def test_any_set_survives_writing_and_reading(tmp_path_factory, questions, name):
    path = tmp_path_factory.mktemp("sets") / name
    golden = Golden(name="any", questions=tuple(questions))
    write_golden(golden, path)
    assert read_golden(path) == golden


def test_a_question_is_added_without_losing_comments(tmp_path):
    path = written(tmp_path, HAND_WRITTEN)
    new = Question(id="new", text="And now?", facts=(Fact(value="007"),))
    golden = add_question(read_golden(path), new, path)
    assert "# what a person would write" in path.read_text(encoding="utf-8")
    assert golden.questions[-1] == new
    assert read_golden(path) == golden


# --- what is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (["judgments: []"], "line 2, question 1: unknown key 'judgments'; the nearest is "),
        (["category: x"], "nothing answers it: give `judgements`"),
        (["unanswerable: perhaps"], "`unanswerable` is true or false, not 'perhaps'"),
        (["unanswerable: true", "facts: [{value: 1}]"], "marked `unanswerable`, yet has a fact"),
        (
            ["unanswerable: true", "judgements: [{document: a, grade: 1}]"],
            "marked `unanswerable`, yet",
        ),
        (["judgements: [{document: a, grade: 0}]"], "nothing answers it"),
        (
            ["judgements:", "  - document: a", "  - {document: b, grade: 4}"],
            "line 5, question 1 ('Why?'), judgement 2: `grade` is 0, 1, 2 or 3, not 4",
        ),
        (["judgements: [{document: a, grade: high}]"], "takes a whole number of 0 or more"),
        (["judgements: [{document: a, grade: true}]"], "takes a whole number of 0 or more"),
        (["judgements: [{document: a, grade: -1}]"], "whole number of 0 or more, not '-1'"),
        (["judgements: [{quote: a}]"], "it has no `document`; name the file"),
        (["judgements: [{document: a, quot: b}]"], "unknown key 'quot'; the nearest is 'quote'"),
        (["judgements: [{document: a, fields: b}]"], "`fields` takes names with values"),
        (["judgements: [{document: a, fields: {b: }}]"], "the field 'b' takes a text"),
        (["judgements: a.md"], "`judgements` takes a list of mappings"),
        (["facts: [{unit: m}]"], "fact 1: it has no `value`"),
        (["facts: [{value: 3, page: x}]"], "`page` takes a whole number of 0 or more, not 'x'"),
        (["id: a b", "facts: [{value: 3}]"], "the id 'a b' has spaces; use hyphens"),
        (["facts: [{value: 3}]", "facts: [{value: 4}]"], "line 4: the key 'facts' is given twice"),
        (["category: [a]", "facts: [{value: 3}]"], "`category` takes one text"),
        (["pool: [{a: b}]", "facts: [{value: 3}]"], "`pool` takes a list of texts"),
    ],
)
def test_mistakes_are_told_with_line_question_key_and_value(tmp_path, body, told):
    message = refusal(tmp_path, question(body))
    assert message.startswith("golden.yaml, line ")
    assert told in message


def test_two_questions_with_one_id_are_refused(tmp_path):
    text = question(["facts: [{value: 1}]"]) + "  - {text: why, facts: [{value: 2}]}\n"
    message = refusal(tmp_path, text)
    assert "golden.yaml, line 4, question 2" in message
    assert "the id 'why' is that of the question on line 2 as well" in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"),
        ("name: x\n", "there is no list `questions`"),
        ("questions: 3\n", "`questions` must be a list"),
        ("questions: []\nnames: x\n", "unknown key 'names'; the nearest is 'name'"),
        ("questions:\n  - why\n", "question 1: a question is a mapping"),
        ("questions:\n  - {category: x}\n", "it has no `text`"),
        ("questions:\n  - text: a: b\n", "line 2: not valid YAML"),
    ],
)
def test_a_file_that_is_no_golden_set_is_refused(tmp_path, text, told):
    assert told in refusal(tmp_path, text)


def test_a_faulty_line_of_json_is_named(tmp_path):
    good = json.dumps({"text": "Why?", "facts": [{"value": 3.5}]})
    assert "line 3: not valid JSON" in refusal(tmp_path, f"{good}\n\n{{\n", "g.jsonl")
    message = refusal(tmp_path, f'{{"golden": "x", "bye": "y"}}\n{good}\n', "g.jsonl")
    assert "line 1: unknown key 'bye'; the nearest is 'by'" in message
    assert read_golden(written(tmp_path, good, "g.jsonl")).questions[0].facts[0].value == "3.5"


def test_a_file_of_another_kind_and_a_missing_one_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"does not look like a golden set; name a file that ends"):
        read_golden(tmp_path / "golden.toml")
    with pytest.raises(UsageError, match=r"no such golden set: .*golden suggest"):
        read_golden(tmp_path / "golden.yaml")
    (tmp_path / "latin.yaml").write_bytes("text: é".encode("latin-1"))
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_golden(tmp_path / "latin.yaml")


# --- ids and digests --------------------------------------------------------------------


def test_ids_come_from_words_and_stay_short():
    assert question_id("How tall is Île Vierge?") == "how-tall-is-ile-vierge"
    long = "Which of the many towers " * 5
    assert len(question_id(long)) <= 56
    assert question_id(long) != question_id(long + "burned?")
    assert question_id("灯台はどこ?").startswith("question-")
    assert question_id("灯台はどこ?") != question_id("灯台は何?")


def test_a_question_s_digest_is_that_of_its_words():
    one = Question(id="a", text="How  Tall?", facts=(Fact(value="1"),))
    other = Question(id="b", text="how tall?", unanswerable=True)
    assert question_digest(one) == question_digest(other)
    assert question_digest(one) != question_digest(Question(id="a", text="How small?"))


def test_a_set_s_digest_changes_with_its_judgements_not_with_order_or_name():
    first, second = RICH.questions
    turned = Golden(name="other", questions=(second, first))
    assert golden_digest(turned) == golden_digest(RICH)
    assert golden_digest(Golden(name="rich", questions=(first,))) != golden_digest(RICH)
    regraded = Golden(
        name="rich", questions=(Question(id="a", text=first.text, facts=first.facts), second)
    )
    assert golden_digest(regraded) != golden_digest(RICH)
