"""A figure is drawn from what a statement cites, numbered, and counted as a fact."""

from consilience.answer.exhibits import exhibits_of
from consilience.answer.figures import parted
from consilience.answer.transcript import Transcript
from consilience.cli import ask
from consilience.cli.app import out
from consilience.text_markup import neutralize
from consilience.types import Answer, Done, Figure, Hit, Plan, Query, Result, Said, Statement, Trace
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
    assert parted(neutralize("See [DIAGRAM 12.Nd5] and [ Diagram: e4]."))[1] == ()


# --- what a person sees -----------------------------------------------------------------

TEXT = "White plays 12.Nd5 [1].\n\n[DIAGRAM 1] [1]\n\nBlack resigns [1]."


def answer():
    figure = Figure(kind="board", mark=1, data="12.Nd5", caption="After 12.Nd5", number=1)
    query = Query(text="Why?")
    plan = Plan(query=query, intent="open", rule="", asks=())
    result = Result(query=query, hits=(), notes=(), trace=Trace(plan=plan))
    return Answer(text=TEXT, citations=(), result=result, figures=(figure,))


def sketch(figure):
    return f"  a b c\n  {figure.caption}"


def test_a_pipe_gets_a_sketch_where_the_figure_stands(capsys):
    ask.receive_answer(iter([Done(answer=answer())]), quiet=False, sketch=sketch)
    shown = "White plays 12.Nd5 [1].\n\n  a b c\n  After 12.Nd5 [1]\n\nBlack resigns [1].\n"
    assert capsys.readouterr().out == shown


def test_a_terminal_gets_a_sketch_too(capsys, monkeypatch):
    monkeypatch.setattr(type(out), "is_terminal", property(lambda self: self is out))
    first, second, third = TEXT.split("\n\n")
    events = [
        Said(text=first),
        Said(text=f"\n\n{second}", figures=answer().figures),
        Said(text=f"\n\n{third}"),
        Done(answer=answer()),
    ]
    ask.receive_answer(iter(events), quiet=False, sketch=sketch)
    told = [line.rstrip() for line in capsys.readouterr().out.split("\n")]
    assert told[:6] == [first, "", "  a b c", "  After 12.Nd5 [1]", "", third]


def test_without_a_sketch_the_text_stays_as_it_is(capsys):
    ask.receive_answer(iter([Done(answer=answer())]), quiet=False)
    assert capsys.readouterr().out == f"{TEXT}\n"
