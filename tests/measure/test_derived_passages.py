"""What a calculation counts for, values that are printed in several places, and their pages."""

import json
from dataclasses import replace

import pytest
from gate_shared import now
from test_gate import made

from consilience.errors import UsageError
from consilience.measure import metrics
from consilience.measure.data_model import (
    Answer,
    Fact,
    Golden,
    Judgement,
    Question,
    ResolvedLabels,
    Run,
    Way,
)
from consilience.measure.derived_passages import operands_of, resolve_derived
from consilience.measure.evaluation import signed
from consilience.measure.gate import Thresholds, decide, gate_template, read_thresholds
from consilience.measure.metrics import group_facts, states
from consilience.measure.runs import MERGED
from consilience.types import Locator
from tests_shared import make_passage


def calculation(key="sum", text="2 + 3 = 5.04 t", **more):
    operands = json.dumps([{"passage": "row"}, {"passage": "other"}, {"passage": "row"}])
    return make_passage(key, text, kind="calculation", metadata={"operands": operands}, **more)


def run_of(*passages):
    answer = Answer(question="q", passages=passages, scores=tuple(map(float, range(len(passages)))))
    return Run(way=Way(name=MERGED, kind="merged"), answers={"q": answer})


def resolved(**more):
    question = Question(id="q", text="?", judgements=(Judgement(document="a.pdf", grade=3),))
    return ResolvedLabels(
        golden=Golden(name="g", questions=(question,)),
        grades={"q": {"u": 3}},
        strict={"q": {"row": ("u",)}},
        lenient={"q": {"row": ("u",)}},
        **more,
    )


def lookup(*passages):
    return lambda ids: {one.id: one for one in passages if one.id in ids}


def test_a_calculation_knows_what_it_was_made_of():
    assert operands_of(calculation()) == ("row", "other")
    assert operands_of(make_passage("row", "2 t")) == ()
    assert operands_of(make_passage("x", "2", metadata={"operands": "no JSON"})) == ()
    assert operands_of(make_passage("x", "2", metadata={"operands": '{"a": 1}'})) == ()


def test_a_calculation_is_judged_by_its_operands():
    run = run_of("sum", "row")
    before = resolved()
    assert metrics.score(run, before, names=("MRR@10",))["MRR@10"] == {"q": 0.5}
    after = resolve_derived(before, [run], lookup(calculation()))
    for strict in (True, False):
        found = metrics.score(run, after, strict=strict, names=("MRR@10", "nDCG@10"))
        assert found == {"MRR@10": {"q": 1.0}, "nDCG@10": {"q": 1.0}}
    assert after.order("q", ("sum", "row", "x")) == ["u", "x"]
    assert after.strict["q"]["row"] == ("u",)


def test_one_of_other_passages_is_not():
    run = run_of("sum", "row")
    stranger = replace(calculation(), metadata={"operands": '[{"passage": "stranger"}]'})
    assert resolve_derived(resolved(), [run], lookup(stranger)).order("q", ("sum",)) == ["sum"]
    assert resolve_derived(resolved(), [run], lookup()) == resolved()


def test_in_a_set_by_document_it_has_the_home_of_its_operands():
    run = run_of("sum")
    by_document = resolved(homes={"other": "u"})
    assert resolve_derived(by_document, [run], lookup(calculation())).order("q", ("sum",)) == ["u"]


# --- facts ------------------------------------------------------------------------------


def test_facts_of_one_value_are_several_places_of_it():
    first = Fact(value="1.234,5", unit="€", document="a.pdf", page=2)
    again = Fact(value="1,234.5", document="b.pdf", page=7)
    other = Fact(value="1,234.5", unit="%", document="b.pdf", page=7)
    computed = Fact(value="1,234.5")
    assert group_facts([first, again, other, computed]) == [(first, again), (other,), (computed,)]
    named = [Fact(value=value, document="a.pdf") for value in ("In March", "in march", "May")]
    assert [len(one) for one in group_facts(named)] == [2, 1]


def test_a_value_is_stated_by_any_place_that_prints_it():
    facts = (
        Fact(value="35", document="a.pdf", page=2),
        Fact(value="35", document="b.pdf", page=1),
        Fact(value="12", document="a.pdf", page=2),
    )
    golden = Golden(name="g", questions=(Question(id="q", text="?", facts=facts),))

    def page(key, text, number):
        return make_passage(key, text, document="/f/a.pdf", locator=Locator(page=number))

    passages = {
        one.id: one for one in (page("both", "35, 12", 2), page("late", "35, 12", 3))
    }  # the same on another page
    right, wrong = run_of("both"), run_of("late")
    assert metrics.value_in_top(right, golden, passages) == {"q": 1}
    assert metrics.value_in_top(wrong, golden, passages) == {"q": 0}
    assert metrics.value_in_top(wrong, golden, passages, paged=False) == {"q": 1}
    assert metrics.value_on_page(right, golden, passages) == {"q": 1}
    assert metrics.value_on_page(wrong, golden, passages) == {"q": 0}
    assert metrics.value_on_page(run_of(), golden, passages) == {}


@pytest.mark.parametrize(
    ("value", "right"), [("5.0", True), ("5.04", True), ("5.1", False), ("5.041", False)]
)
def test_what_was_calculated_may_have_more_digits(value, right):
    assert states(Fact(value=value, unit="t"), calculation()) is right
    assert not states(Fact(value="5.0", unit="kg"), calculation())


def test_what_is_printed_may_not():
    assert not states(Fact(value="5.0"), make_passage("row", "5.04 t"))
    assert not states(Fact(value="5.0", document="a.pdf"), calculation(document="a.pdf"))


# --- the gate ---------------------------------------------------------------------------

ASKED = {
    "page_in_top_5": ("page in the first five", {"pages": 0.7}),
    "value_in_top_5": ("value in the first five", {"values": 0.7}),
    "value_on_page": ("value on the right page", {"on_page": 0.7}),
}


@pytest.mark.parametrize("share", ASKED)
@pytest.mark.parametrize(("every", "verdict"), [(10, "pass"), (2, "fail")])
def test_the_gate_holds_pages_and_values_against_their_least(share, every, verdict):
    evaluation = made()
    for number, one in enumerate(evaluation["questions"]):
        one["ways"][MERGED][share] = float(number % every != 0)
    name, wanted = ASKED[share]
    found = {
        one.name: one for one in decide(signed(evaluation), Thresholds(**wanted), now()).checks
    }
    assert found[name].verdict == verdict


def test_the_gate_file_says_so(tmp_path):
    path = tmp_path / "gate.toml"
    path.write_text("[pages]\nleast = 0.7\n[values]\nleast = 0.9\non_page = 0.95\n")
    found = read_thresholds(path)
    assert (found.pages, found.values, found.on_page) == (0.7, 0.9, 0.95)
    path.write_text("[pages]\nmost = 0.7\n")
    with pytest.raises(UsageError, match="has no"):
        read_thresholds(path)
    path.write_text(gate_template())
    assert read_thresholds(path).pages is None
