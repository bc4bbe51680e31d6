"""Which names a question has, what they mean there, and what is added for them."""

import pytest

from consilience.packs.research.expanding import SPELT_OUT, WEIGHT, expanded, meant, offered
from consilience.packs.research.spelling import key_of
from consilience.packs.research.table import Entry, table_of

TABLE = table_of(
    [
        Entry(names=("IV", "instrumental variables")),
        Entry(names=("CF", "control function", "control function approach")),
        Entry(names=("2SLS", "two-stage least squares", "TSLS")),
        Entry(names=("RCT", "randomized controlled trial")),
        Entry(names=("DAG", "directed acyclic graph"), about=frozenset({"graphs"})),
        Entry(
            names=("SCM", "structural causal model"),
            about=frozenset({"graphs"}),
            contexts={"scm": ("structural equations", "intervention")},
        ),
        Entry(
            names=("SCM", "synthetic control method"),
            contexts={"scm": ("donor", "treated unit", "difference-in-differences")},
        ),
        Entry(
            names=("DiD", "difference-in-differences"),
            cased=frozenset({"DiD", "DID"}),
        ),
        Entry(
            names=("LATE", "local average treatment effect"),
            cased=frozenset({"LATE"}),
            contexts={"late": ("complier", "monotonicity", "instrument")},
        ),
        Entry(names=("ITS", "interrupted time series"), cased=frozenset({"ITS"})),
        Entry(names=("ATE", "average treatment effect"), cased=frozenset({"ATE"})),
        Entry(names=("cross-validation", "CV")),
        Entry(names=("randomised", "randomized")),
        Entry(names=("GLM", "generalized linear model")),
    ]
)


def added(question):
    return {term.text: term.weight for term in expanded(question, TABLE)}


@pytest.mark.parametrize(
    "question",
    [
        "What does IV assume?",
        "what does iv assume",
        "are IVs strong",
        "an IV-based estimate",
        "the non-IV part",
        "the I.V. estimator",
        "iv_estimate",
        "(IV)",
    ],
)
def test_a_short_name_is_found_whatever_its_case_number_and_neighbours(question):
    assert added(question)["instrumental variables"] == SPELT_OUT


@pytest.mark.parametrize(
    "question",
    ["what gives", "the divan", "ivory", "an RCTX", "ivs2", "two stages", "least squares"],
)
def test_a_name_is_never_found_inside_another_word_or_in_part(question):
    assert added(question) == {}


@pytest.mark.parametrize(
    "question",
    [
        "Two-Stage Least Squares",
        "two_stage_least_squares",
        "two stage least square",
        "2-SLS",
        "tsls",
    ],
)
def test_names_are_found_across_hyphens_and_underscores(question):
    assert set(added(question)) & {"2SLS", "two-stage least squares"}


@pytest.mark.parametrize("question", ["crossvalidation", "cross validation", "cross–validation"])
def test_a_long_name_is_known_without_its_spaces(question):
    assert added(question)["CV"] == WEIGHT


def test_abbreviations_work_both_ways_and_the_rarer_name_weighs_less():
    assert added("TSLS") == {"2SLS": WEIGHT, "two-stage least squares": SPELT_OUT}
    assert added("2SLS")["TSLS"] == pytest.approx(0.8 * WEIGHT)
    assert added("instrumental variable") == {"IV": WEIGHT}
    assert added("RCTs")["randomized controlled trial"] == SPELT_OUT


def test_a_name_that_only_lengthens_another_is_left_out():
    assert added("CF") == {"control function": SPELT_OUT}


def test_a_name_in_the_other_spelling_is_found_and_the_table_s_spelling_added():
    assert added("randomised controlled trials")["RCT"] == WEIGHT
    assert "randomized controlled trial" in added("randomised controlled trials")
    assert added("randomised")["randomized"] == WEIGHT
    assert added("randomized")["randomised"] == WEIGHT
    assert set(added("Generalised Linear Models")) == {"GLM", "generalized linear model"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("randomisation", "randomization"),
        ("centred", "centered"),
        ("labour", "labor"),
        ("neighbours", "neighbor"),
        ("modelling", "modeling"),
        ("heteroscedasticity", "heteroskedasticity"),
        ("analyses", "analysis"),
        ("biases", "bias"),
        ("sample sizes", "sample size"),
        ("studies", "study"),
        ("programme", "programs"),
        ("criteria", "criterion"),
        ("Two-Stage", "two_stage"),
    ],
)
def test_two_spellings_of_one_name_have_one_key(one, other):
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("our", "or"), ("four", "for"), ("its", "it"), ("case", "cas"), ("gas", "ga")],
)
def test_short_words_are_compared_as_they_are(one, other):
    assert key_of(one) != key_of(other)


def test_the_longest_name_wins():
    assert "GLM" in added("generalized linear model")
    assert "randomised" not in added("randomized controlled trial")


@pytest.mark.parametrize(
    "question",
    [
        "Did the treatment work?",
        "why did trends differ",
        "DID THE TREATMENT WORK AT ALL",
        "it was too late to measure the outcome",
        "Late arrivals of data",
        "what are its assumptions",
        "the patients ate before the trial began",
    ],
)
def test_an_ordinary_word_is_no_name(question):
    assert not {"difference-in-differences", "local average treatment effect"} & set(
        added(question)
    )
    assert not {"interrupted time series", "average treatment effect"} & set(added(question))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What does DiD assume?", "difference-in-differences"),
        ("DID with two periods", "difference-in-differences"),
        ("Is the LATE identified?", "local average treatment effect"),
        ("LATEs of two groups", "local average treatment effect"),
        ("an ITS design", "interrupted time series"),
    ],
)
def test_a_cased_name_counts_in_its_spelling(question, name):
    assert added(question)[name] == SPELT_OUT


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("did assumptions", "difference-in-differences"),
        ("what does did assume", "difference-in-differences"),
        ("the standard errors of did", "difference-in-differences"),
        ("what is late?", "local average treatment effect"),
        ("ate vs late", "local average treatment effect"),
        ("how do the iv and late estimates differ here", "local average treatment effect"),
        ("does late hold for every complier under monotonicity", "local average treatment effect"),
    ],
)
def test_a_cased_name_in_small_letters_is_a_guess_where_the_question_speaks_for_it(question, name):
    assert added(question)[name] == pytest.approx(SPELT_OUT / 2)


@pytest.mark.parametrize(
    ("question", "meaning"),
    [
        ("SCM with a small donor pool", "synthetic control method"),
        ("SCM for one treated unit", "synthetic control method"),
        ("SCM or DiD", "synthetic control method"),
        ("what an intervention does in an SCM", "structural causal model"),
        ("SCM and DAG", "structural causal model"),
        ("the synthetic control method (SCM)", "synthetic control method"),
    ],
)
def test_an_ambiguous_name_is_resolved_by_what_else_the_question_says(question, meaning):
    others = {"synthetic control method", "structural causal model"} - {meaning}
    assert not others & set(added(question))
    assert meaning in added(question) or meaning in question
    assert offered(question, TABLE) == ()


def test_an_ambiguous_name_that_nothing_resolves_is_offered_and_all_meanings_weigh_less():
    found = added("What does SCM assume?")
    assert found == {
        "structural causal model": SPELT_OUT / 2,
        "synthetic control method": SPELT_OUT / 2,
    }
    assert offered("What does SCM assume?", TABLE) == (
        "“SCM” may mean structural causal model or synthetic control method; say which",
    )


def test_a_name_means_the_thing_that_the_question_speaks_of():
    model, method = ("scm", "structural causal model"), ("scm", "synthetic control method")
    assert meant("SCM with donors", "scm", method, TABLE)
    assert not meant("SCM with donors", "scm", model, TABLE)
    assert meant("SCM", "scm", model, TABLE)
    assert meant("SCM", "scm", method, TABLE)


def test_an_ordinary_word_means_no_node_and_what_the_table_does_not_know_is_meant():
    late = ("late", "local average treatment effect")
    assert not meant("it was too late for that", "late", late, TABLE)
    assert meant("the LATE", "late", late, TABLE)
    assert meant("of lighthouses", "lighthouse", ("lighthouse", "beacon"), TABLE)
