"""Which concepts and relations is a graph asked for?"""

from dataclasses import replace

from consilience.engine.plan import plan
from consilience.pack import Rule
from consilience.types import Query, Term
from test_plan import knowledge
from tests_shared import with_questions


def asked(text, *, expand=True, **more):
    known = knowledge()
    known = replace(known, pack=with_questions(known.pack, **more))
    todo = plan(Query(text=text, expand=expand), known)
    return next(ask.request for ask in todo.asks if ask.source == "graph/graph")


def rule(**more):
    return (Rule(name="r", intent="i", fires=lambda reading: True, **more),)


def test_a_rule_says_which_relations_are_wanted_where_the_question_names_none():
    assert asked("what of Bell Rock?", rules=rule(relations=("LIT_BY",))).intents == ("LIT_BY",)
    named = asked("Bell Rock built by whom?", rules=rule(relations=("LIT_BY",)))
    assert named.intents == ("BUILT_BY",)


def test_a_short_form_that_is_spelt_out_names_its_concept():
    spelt = Term(text="Bell Rock", weight=0.8, origin="did", spells=True)
    text = "what of DiD?"
    assert _seeds(text, spelt) == ("bell",)
    assert _seeds(text, replace(spelt, spells=False)) == ()
    assert _seeds(text, spelt, wanted=False) == ()


def _seeds(text, term, *, wanted=True):
    known = knowledge()
    pack = with_questions(known.pack, expand=lambda text: (term,))
    todo = plan(Query(text=text, expand=wanted), replace(known, pack=pack))
    return next(ask.request.seeds for ask in todo.asks if ask.source == "graph/graph")
