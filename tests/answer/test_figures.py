"""A figure is drawn from what a statement cites, numbered, and counted as a fact."""

from consilience.answer.figures import parted
from consilience.answer.markup import harmless
from consilience.answer.packing import exhibits_of
from consilience.answer.transcript import Transcript
from consilience.types import Figure, Hit, Statement
from tests_shared import make_passage

GAME = "White plays 12.Nd5 and wins the pinned knight."


def draw(wanted, cited):
    """Draws what stands in a cited text."""
    for one in cited:
        if wanted in one.passage.text:
            return Figure(kind="board", mark=one.mark, data=wanted, caption=f"After {wanted}")
    return "no cited source holds it"


def transcript(drawing=draw):
    hits = [Hit(passage=make_passage("p", GAME), score=1.0)]
    return Transcript(exhibits_of(hits), draw=drawing)


def test_a_figure_stands_behind_the_statement_that_asks_for_it():
    said = transcript()
    told = said.say(Statement(text="White plays 12.Nd5 [1]. [DIAGRAM 12.Nd5]"))
    assert said.text == "White plays 12.Nd5 [1].\n\n[DIAGRAM 1] [1]"
    assert told.figures == said.figures
    assert [(one.number, one.data, one.mark) for one in said.figures] == [(1, "12.Nd5", 1)]
    assert said.support == 1.0


def test_a_figure_may_stand_alone_and_the_same_one_comes_once():
    said = transcript()
    for _ in range(2):
        said.say(Statement(text="[DIAGRAM 12.Nd5] [1]"))
    assert said.text == "[DIAGRAM 1] [1]"
    assert [one.mark for one in said.citations] == [1]


def test_what_the_evidence_does_not_hold_is_not_drawn_and_counts_against_the_answer():
    said = transcript()
    told = said.say(Statement(text="White plays 12.Nd5 [1]. [DIAGRAM 12.Qh7]"))
    assert said.text == "White plays 12.Nd5 [1]."
    assert [(one.check, one.value) for one in told.faults] == [("figure", "12.Qh7")]
    assert said.figures == ()
    assert said.support is not None
    assert said.support < 1


def test_a_statement_that_falls_takes_its_figure_along():
    said = transcript()
    said.say(Statement(text="The reef was lit in 1811 [1]. [DIAGRAM 12.Nd5]"))
    assert (said.text, said.figures) == ("", ())


def test_where_nothing_draws_the_request_goes():
    said = transcript(drawing=None)
    said.say(Statement(text="White plays 12.Nd5 [1]. [diagram: 12.Nd5]"))
    assert said.text == "White plays 12.Nd5 [1]."


def test_evidence_cannot_ask_for_a_figure():
    assert parted(harmless("See [DIAGRAM 12.Nd5] and [ Diagram: e4]."))[1] == ()
