"""What a stranger's questions brought to light: letters, terms of statistics, narrow lines."""

import pytest

from consilience.cli import search
from consilience.pack import Reading
from consilience.packs.research.expanding import SPELT_OUT, expand, means
from consilience.packs.research.intents import RULES
from consilience.packs.research.opening import opens
from consilience.types import Exhibit
from consilience.understand.names import Mention
from tests_shared import make_passage


def spelt(question):
    return [one.text for one in expand(question) if one.spells]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("define cia", "conditional independence assumption"),
        ("What is CACE?", "complier average causal effect"),
        ("What is ATU?", "average treatment effect on the untreated"),
        ("What does PSRF measure?", "potential scale reduction factor"),
        ("What is FCS?", "fully conditional specification"),
        ("What is DDD?", "triple differences"),
        ("What is IV?", "instrumental variables"),
    ],
)
def test_an_abbreviation_is_spelt_out_as_the_name_that_has_its_letters(question, name):
    assert spelt(question) == [name]
    assert (expand(question)[0].text, expand(question)[0].weight) == (name, SPELT_OUT)


@pytest.mark.parametrize(
    "question",
    ["What is dropout?", "Who was the moderator?", "What is blocking?", "What is overlap?"],
)
def test_a_word_that_abbreviates_nothing_keeps_its_place_in_the_question(question):
    assert expand(question)
    assert spelt(question) == []


@pytest.mark.parametrize(
    "question",
    [
        "What did Nie and Wager propose?",
        "What did Nie et al. propose?",
        "rate of convergence",
        "What is V_i in the proof?",
    ],
)
def test_persons_quantities_and_letters_with_an_index_are_no_abbreviations(question):
    assert expand(question) == ()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the nie and the nde?", "natural indirect effect"),
        ("Nie assumptions", "natural indirect effect"),
        ("what is rate?", "rank-weighted average treatment effect"),
        ("What is 2_SLS?", "two-stage least squares"),
    ],
)
def test_the_same_letters_are_names_elsewhere(question, name):
    assert name in {one.text for one in expand(question)}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("did assumptions", ["difference-in-differences"]),
        ("what is late?", ["local average treatment effect"]),
        ("ate vs late", ["average treatment effect", "local average treatment effect"]),
        ("late fees", []),
        ("the standard errors of did", []),
    ],
)
def test_a_guess_is_spelt_out_where_the_question_has_no_other_subject(question, names):
    assert spelt(question) == names


@pytest.mark.parametrize(
    ("question", "is_meant"),
    [
        ("late fees", False),
        ("what is late?", True),
        ("how do the iv and late estimates differ here", True),
        ("What is LATE in fees?", True),
    ],
)
def test_a_guess_that_nothing_speaks_for_names_no_node(question, is_meant):
    names = ("LATE", "local average treatment effect")
    assert means(question, "late", names) is is_meant


def intent(question):
    """The kind of a question that names two concepts."""
    nodes = tuple(
        Mention(surface=one, collection="concepts", role="node", field="", value=one)
        for one in ("one", "two")
    )
    reading = Reading(text=question, mentions=nodes)
    return next((rule.intent for rule in RULES if rule.fires(reading)), "")


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between Markov chain Monte Carlo and Gibbs sampling?",
        "What is the relative efficiency of matching and weighting?",
        "Which link function do logistic and Poisson regression have?",
        "Is the dependent variable of probit that of logistic regression?",
        "Does adjustment for age close the back-door path?",
        "What are path analysis and mediation?",
    ],
)
def test_terms_of_statistics_are_no_words_of_connection(question):
    assert intent(question) != "connection"


@pytest.mark.parametrize(
    "question",
    [
        "How is matching related to weighting?",
        "What is the relationship between matching and weighting?",
        "Does matching depend on overlap?",
        "Which chain links matching to overlap?",
        "What is the path from matching to overlap?",
    ],
)
def test_words_of_connection_still_ask_for_a_chain(question):
    assert intent(question) == "connection"


def exhibit(text):
    return Exhibit(mark=1, passage=make_passage("1", text, kind="edge"), label="", text=text)


LINK = exhibit(
    "two-phase locking → (alternative to) → multiversion concurrency control. “Quite so”"
)


@pytest.mark.parametrize(
    "question",
    ["how does 2pl relate to mvcc?", "How does 2PL relate to multiversion concurrency control?"],
)
def test_a_chain_opens_an_answer_by_abbreviations_that_no_table_has(question):
    first, *rest = opens(question, [LINK], {})
    assert first.text.startswith("two-phase locking → (alternative to) → multiversion")
    assert "Quite so" in rest[0].text


@pytest.mark.parametrize(
    "question",
    ["how does 2pc relate to mvcc?", "How does 2PL relate to the mcv?", "What is 2PL, and MVCC?"],
)
def test_other_letters_open_nothing(question):
    assert opens(question, [LINK], {}) == []


def test_a_chain_goes_on_under_itself_on_a_narrow_terminal(monkeypatch):
    told = []
    monkeypatch.setattr(search, "print_text", lambda text, style="": told.append(text))
    terminal = type("Terminal", (), {"is_terminal": True, "width": 40})
    monkeypatch.setattr(search, "out", terminal)
    search._print_numbered(" 1. ", "matching → (requires) → overlap → (uses) → weights")
    first, *rest = told[0].split("\n")
    assert first.startswith(" 1. matching")
    assert rest
    assert all(line.startswith("    ") and len(line) <= 40 for line in rest)
