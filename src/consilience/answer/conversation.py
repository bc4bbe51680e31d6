"""What does a follow-up question mean, after what was asked and answered before it?

A question that stands alone is asked as it is. One that leans on what was said (a pronoun, a
beginning such as “and”, hardly a word of its own) is completed: by the language model, whose words
must all come from the conversation, or by three rules. What takes the place of something of its
kind does so (“and in 2023?” after “… in 2022?”); a pronoun is followed by what the last question
was about, in brackets; anything else stands behind the last question. The completed question is
shown, and can be edited by asking it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import aclosing
from typing import Protocol

from consilience.answer.question_words import Word, named_in, words_of
from consilience.errors import ModelError
from consilience.protocols import Generator
from consilience.text_markup import neutralize, strip_marks
from consilience.types import Answer, Length, Prompt, Query, Turn
from consilience.understand.words import LEANING, OPENING

TURNS = 3
"""Earlier questions that a language model is given."""
ANSWER = 600
"""Letters of each of their answers."""
LONGEST = 400
"""Letters of a completed question."""
_ALONE = 2  # telling words from which on a question that names something stands alone
_OWN = 3  # the same where it names nothing
_BEFORE = 2  # telling words that make a pronoun stand for something in its own question
_PLACEHOLDER = " (%s)"

RULES = (
    "You complete the last question of a conversation, so that it can be understood alone. Put in "
    "the names and the subject that it leaves out, in the words of the conversation. Do not answer "
    "it. Reply with the question only."
)


class Answering(Protocol):
    """Answers one question, as a workspace does."""

    def __call__(self, query: Query, *, length: Length | None = None, model: bool = True) -> Answer:
        """The answer to a query."""
        ...


class Conversation:
    """Questions one after another, each understood after those before it.

    `turns` is what was asked, as completed, with the answers; it may be changed.
    """

    def __init__(self, answering: Answering) -> None:
        self.turns: list[Turn] = []
        self._answering = answering

    def ask(self, text: str, *, length: Length | None = None, model: bool = True) -> Answer:
        """The answer to the next question; `answer.result.query.text` is what was asked."""
        query = Query(text=text, history=tuple(self.turns))
        answer = self._answering(query, length=length, model=model)
        self.turns.append(Turn(question=answer.result.query.text, answer=answer.text))
        return answer


async def complete_question(query: Query, generator: Generator | None) -> str:
    """The question as it is asked after its history; itself where it stands alone."""
    if not query.history or not leans(query.text):
        return query.text
    if generator is not None and (completed := await _by_model(query, generator)):
        return completed
    return complete_by_rule(query.text, query.history[-1].question)


def understood(question: str) -> str:
    """What a note says about a completed question."""
    return f"understood as: {question}"


def leans(question: str) -> bool:
    """Whether a question cannot be understood alone."""
    words = words_of(question)
    if _pronoun(words) is not None or (words and words[0].key in OPENING):
        return True
    own = sum(word.telling for word in words)
    return own < _ALONE or (own < _OWN and not named_in(question))


def _pronoun(words: Sequence[Word]) -> Word | None:
    """The first pronoun, where hardly a word before it says what it may stand for."""
    place = next((at for at, word in enumerate(words) if word.key in LEANING), None)
    if place is None or len([word for word in words[:place] if word.telling]) >= _BEFORE:
        return None
    return words[place]


def complete_by_rule(question: str, last: str) -> str:
    """The question with what the last one was about."""
    words = words_of(question)
    own, pronoun = [word for word in words if word.telling], _pronoun(words)
    topic = topic_of(last)
    if pronoun is not None and topic:
        return f"{question[: pronoun.end]}{_PLACEHOLDER % topic}{question[pronoun.end :]}"
    if replaced := _replaced(own, last):
        return replaced
    if own and topic:
        return f"{question.rstrip(' ?.!')}{_PLACEHOLDER % topic}?"
    return f"{last.rstrip()} {question}"


def topic_of(question: str) -> str:
    """What a question is about: its names, or else its longest run of telling words."""
    if names := named_in(question):
        return " and ".join(question[name[0].start : name[-1].end] for name in names)
    runs: list[list[Word]] = [[]]
    for word in words_of(question):
        if not word.telling:
            runs.append([])
        else:
            runs[-1].append(word)
    best = max(runs, key=len)
    return question[best[0].start : best[-1].end] if best else ""


def _replaced(own: Sequence[Word], last: str) -> str:
    """The last question with its one word of the same kind, a number or a name, exchanged."""
    if len(own) != 1:
        return ""
    new = own[0]
    kind = str.isdecimal if new.text.isdecimal() else _is_name
    same = [word for word in words_of(last)[1:] if word.telling and kind(word.text)]
    if not kind(new.text) or len(same) != 1 or same[0].key == new.key:
        return ""
    return f"{last[: same[0].start]}{new.text}{last[same[0].end :]}"


def _is_name(text: str) -> bool:
    return text[:1].isupper()


async def _by_model(query: Query, generator: Generator) -> str:
    """What the model makes of the question; empty where it fails or brings words of its own."""
    said = [
        f"Question: {_line(turn.question)}\nAnswer: {_line(strip_marks(turn.answer))[:ANSWER]}"
        for turn in query.history[-TURNS:]
    ]
    user = "\n".join((*said, f"Last question: {_line(query.text)}"))
    prompt = Prompt(stage="complete the question", system=RULES, user=user)
    reply = ""
    try:
        async with aclosing(generator.generate(prompt, most=LONGEST // 4)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                reply += chunk.text
    except ModelError:
        return ""  # the rules do without; the answer will say that the model fails
    lines = [line for line in reply.strip().splitlines() if line.strip()]
    completed = re.sub(r"^[^:?]{0,20}:\s*", "", lines[0]).strip(' "“”') if lines else ""
    known = [word.key for word in words_of(user)]
    foreign = [
        word
        for word in words_of(completed)
        if word.telling and not any(word.same_as(one) for one in known)
    ]
    kept = [word for word in words_of(query.text) if word.telling]
    dropped = [
        word for word in kept if not any(word.same_as(other.key) for other in words_of(completed))
    ]
    return "" if foreign or dropped or not 0 < len(completed) <= LONGEST else completed


def _line(text: str) -> str:
    return " ".join(neutralize(text).split())
