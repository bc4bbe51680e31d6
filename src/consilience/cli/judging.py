"""How does a person judge in the terminal? Passage by passage, by one key each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import typer
from rich.markup import escape

from consilience.cli.app import say, tell
from consilience.measure.golden.ideas import Idea
from consilience.measure.golden.suggest import Candidate, Proposal, Suggester, is_quoted
from consilience.measure.values import Judgement

_ABOUT_QUESTION = "question: Enter judge it, e edit it, s skip it, q quit"
_ABOUT_PASSAGE = "grade 3 fully, 2 well, 1 in part, 0 not at all; Enter pass over, d done, q quit"
_ABOUT_QUOTE = "quotation: Enter keep it, or type a shorter one"
_NOTHING = "nothing answers it: u it is unanswerable, s skip it, q quit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question as it was asked in the end, with what a person made of its passages."""

    proposal: Proposal
    judgements: tuple[Judgement, ...]


Verdict = Judged | Literal["skip", "quit"]


class Judge:
    """Asks a person about one proposal after another."""

    def __init__(self, maker: Suggester) -> None:
        self._maker = maker

    def ask(self, proposal: Proposal, *, place: int, total: int) -> Verdict:
        """What a person says of a proposal. The end of the input means quit."""
        try:
            return self._ask(proposal, place=place, total=total)
        except (typer.Abort, EOFError):
            tell("")
            return "quit"

    def _ask(self, proposal: Proposal, *, place: int, total: int) -> Verdict:
        say(f"\n[bold]{place} of {total}: {escape(proposal.text)}[/]  [dim]{proposal.category}[/]")
        answer = _choice(_ABOUT_QUESTION, ("", "e", "s", "q"))
        if answer == "q":
            return "quit"
        if answer == "s":
            return "skip"
        if answer == "e":
            proposal = self._edited(proposal)
        judgements = self._graded(proposal)
        if judgements is None:
            tell("this question was not saved")
            return "quit"
        if any(one.grade > 0 for one in judgements):
            return Judged(proposal=proposal, judgements=tuple(judgements))
        answer = _choice(_NOTHING, ("u", "s", "q"))
        if answer == "u":
            return Judged(proposal=proposal, judgements=tuple(judgements))
        return "skip" if answer == "s" else "quit"

    def _edited(self, proposal: Proposal) -> Proposal:
        """The question in other words; its passages are looked for again."""
        text = " ".join(_typed("the question in your words").split())
        if not text:
            return proposal
        return self._maker.propose(Idea(text=text, category=proposal.category))

    def _graded(self, proposal: Proposal) -> list[Judgement] | None:
        """The judgements of a question's passages; None for one who quits."""
        judgements: list[Judgement] = []
        for place, one in enumerate(proposal.candidates, start=1):
            _print_candidate(place, len(proposal.candidates), one)
            answer = _choice(_ABOUT_PASSAGE, ("", "0", "1", "2", "3", "d", "q"))
            if answer == "q":
                return None
            if answer == "d":
                break
            if answer:
                judgements.append(_quoted(one, int(answer)))
        return judgements


def _quoted(one: Candidate, grade: int) -> Judgement:
    """The judgement, with a quotation that stands in the passage."""
    judgement = replace(one.judgement, grade=grade)
    if grade == 0 or not judgement.quote:
        return judgement
    tell(f"  “{judgement.quote}”", style="italic")
    while True:
        shorter = " ".join(_typed(_ABOUT_QUOTE).split())
        if not shorter:
            return judgement
        if is_quoted(shorter, one.passage):
            return replace(judgement, quote=shorter)
        tell("  these words do not stand in the passage")


def _print_candidate(place: int, total: int, one: Candidate) -> None:
    where = str(one.passage.locator)
    told = f" · {escape(where)}" if where else ""
    say(f"\n[cyan]{place}/{total}[/] {escape(one.judgement.document)}{told}")
    tell(one.passage.text)


def _choice(prompt: str, known: tuple[str, ...]) -> str:
    while True:
        answer = _typed(prompt).strip().lower()
        if answer in known:
            return answer
        tell(f"  type one of {', '.join(one or 'Enter' for one in known)}")


def _typed(prompt: str) -> str:
    typed: str = typer.prompt(prompt, default="", show_default=False)
    return typed
