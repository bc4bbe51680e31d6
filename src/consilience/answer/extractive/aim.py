"""Does a sentence add to an answer? It must speak of what is asked, and well enough by itself.

A share of the best score alone says little: where the best is middling everything passes, where
it is high nothing does. So the share has bounds on both sides, which were read off the sample's
judged quotations: of the sentences that score less than `LEAST` hardly any is one of them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

from consilience.answer.extractive import cells, comparing
from consilience.answer.extractive.asking import terms
from consilience.answer.extractive.scoring import (
    LINKS,
    WEIGHTS,
    WHOLE,
    Candidate,
    Reading,
    headed_scores,
)
from consilience.answer.naming import named_in
from consilience.types import Exhibit, Length, Passage

LEAST: dict[Length, float] = {"concise": 1.3, "balanced": 1.2, "in-depth": 0.75}
"""The score below which a sentence adds nothing, with a model of meaning."""
ENOUGH: dict[Length, float] = {"concise": 1.8, "balanced": 1.45, "in-depth": 1.0}
"""The score from which a sentence may be said however good the best is."""
SHARE: dict[Length, float] = {"concise": 0.8, "balanced": 0.7, "in-depth": 0.45}
AT_HOME: dict[Length, float] = {"concise": 0.75, "balanced": 0.6, "in-depth": 0.4}
"""The share of the best score that is enough in the passage which the answer begins with."""
TOUCHED = 0.1
"""The share of the question's words that a sentence there must have in it or around it."""
WITHOUT_MEANING = 0.4
"""What scores lack where there is no model of meaning."""
COVERED: dict[Length, float] = {"concise": 0.4, "balanced": 0.4, "in-depth": 0.2}
"""The share of the question's words, by rarity, in a sentence and what is above and before it."""
ALMOST = 0.6
"""The share of what the best has of them, where that is less."""
NEARLY = 0.8
"""The share of the best score that is enough where even the best is below `LEAST`."""
HALF = 0.5
"""The share that a sentence must have by itself where the question is answered already."""
CERTAIN = 0.6
"""The share that a sentence of a doubtful passage must have by itself."""
SURE = 0.8
"""That share where the headings of the passage have little of the question's words as well."""
DOUBTFUL: dict[Length, float] = {"concise": 0.1, "balanced": 0.1, "in-depth": 0.05}
"""Passages less relevant than this are doubtful."""
BEHIND: dict[Length, float] = {"concise": 0.3, "balanced": 0.25, "in-depth": 0.12}
"""The share of the best relevance below which passages are doubtful too."""
UNHEADED = 0.6
"""That share for prose under headings which have little of what the question is about."""
HEADED = 0.6
"""The share of what the best headings have of the question's words; with less they have little."""
LEADS = 0.4
"""The share of the best relevance of prose that a passage must have to begin an answer."""
BELOW = 1.5
"""How much more relevant than any game prose is that an answer begins with all the same."""
LIKELY = 0.2
"""The relevance that such a game must have."""
ABOVE = 2.0
"""How much more relevant than any prose a game is that an answer begins with."""
_ABOUT_ITSELF = re.compile(
    r"\bthis (?:chapter|book|section|paper|article|report|post|page|tutorial|guide|e-?text)\b"
    r"|\b(?:recommend|suggest) (?:that )?you (?:to )?(?:read|check|look)\b|\bcheck out\b"
    r"|\bin the (?:next|previous|last|following) (?:chapter|section|example)\b|\be-text of\b"
    r"|\bwe (?:will|shall|are going to) (?:now )?(?:see|turn|look|discuss|learn|cover|show)\b"
    r"|^(?:title|author|copyright|isbn)\b\s*:",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)\b",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:of|for|in|at)\b|['’]s\b", re.IGNORECASE)


@dataclass(frozen=True)
class Aim:
    """What the sentences of an answer must speak of, and how well."""

    reading: Reading
    length: Length

    @cached_property
    def names(self) -> list[frozenset[str]]:
        """The words of each name in the question."""
        found = (terms(" ".join(word.text for word in one)) for one in named_in(self._text))
        return [own for one in found if (own := frozenset(term for term in one if len(term) > 1))]

    @cached_property
    def pair(self) -> tuple[comparing.Side, comparing.Side] | None:
        """The two things that the question compares, if it does; two who played one another are
        not compared.
        """
        pair = comparing.sides(self._text)
        played = {one.mark: one.exhibit.passage for one in self.reading.candidates}
        met = pair and any(_met(passage, pair) for passage in played.values())
        return None if met else pair

    @cached_property
    def least(self) -> float:
        """The score that a sentence must have to be said."""
        best = max((one.score for one in self.reading.candidates), default=0.0)
        lack = WITHOUT_MEANING if self.reading.vectors is None else 0.0
        low, high = LEAST[self.length] - lack, ENOUGH[self.length] - lack
        return max(min(low, NEARLY * best), min(high, SHARE[self.length] * best))

    @cached_property
    def least_at_home(self) -> float:
        """The score that a sentence of the passage must have which the answer begins with."""
        best = max((one.score for one in self.reading.candidates), default=0.0)
        return min(self.least, AT_HOME[self.length] * best)

    @cached_property
    def one_thing(self) -> bool:
        """Whether one thing is asked for: a name, a number, or what something of something is."""
        asked = self.reading.asked
        part = asked.kinds == {"meaning"} and bool(_OF.search(asked.text))
        return asked.one_thing or part

    @cached_property
    def yes_or_no(self) -> bool:
        """Whether a yes or a no is asked for, and not by comparing two things."""
        return self.pair is None and bool(_YES_NO.match(self._text))

    @cached_property
    def _covered(self) -> float:
        """The least share of the question's words: that of the best may be small."""
        most = max((_coverage(one) for one in self.reading.candidates), default=0.0)
        return min(COVERED[self.length], ALMOST * most)

    @property
    def _text(self) -> str:
        return self.reading.asked.text

    def hit_by(self, one: Candidate, home: Container[int] = ()) -> bool:
        """Whether a candidate adds: it speaks of what is asked, and its passage is no guess.

        Less is asked of the passages that the answer begins with, its `home`: they go on with it.
        """
        if about_itself(one):
            return False
        if one.mark in home:
            touched = _coverage(one) >= TOUCHED or not self.reading.asked.terms
            return one.score >= self.least_at_home and touched
        if one.score < self.least or not self.speaks(one):
            return False
        return not self.doubtful(one.exhibit) or self._certain(one)

    def _certain(self, one: Candidate) -> bool:
        """Whether a sentence adds by itself, however doubtful its passage and wherever in it."""
        if one.score - WEIGHTS.begins * one.signs.begins < self.least:
            return False
        kind = not self.reading.asked.kinds or one.signs.kind >= 0.5
        off = is_prose(one) and self._off(one.exhibit)
        return kind and one.signs.words >= (SURE if off else CERTAIN)

    def speaks(self, one: Candidate) -> bool:
        """Whether what the question is about stands in a sentence, its heading or its title."""
        text = above(one)
        if self.pair is not None:
            return any(side.within(text) for side in self.pair)
        held = set(terms(text))
        if self.names and not any(2 * len(own & held) >= len(own) for own in self.names):
            return False
        return _coverage(one) >= self._covered

    def doubtful(self, exhibit: Exhibit) -> bool:
        """Whether a passage is too far behind the best to be told of for its own sake."""
        if exhibit.relevance is None:
            return False
        least = max(DOUBTFUL[self.length], BEHIND[self.length] * self._most_relevant)
        if exhibit.passage.kind not in LINKS | WHOLE and self._off(exhibit):
            least = max(least, UNHEADED * self._most_relevant_prose)
        return exhibit.relevance < least

    def _off(self, exhibit: Exhibit) -> bool:
        """Whether the headings of a passage have little of what headings of others have."""
        return 0.0 < HEADED * max(self._headed.values()) > self._headed[exhibit.mark]

    def leads(self, exhibit: Exhibit) -> bool:
        """Whether an answer may begin with a passage of prose: it is among the most relevant."""
        if exhibit.relevance is None:
            return True
        return exhibit.relevance >= LEADS * self._most_relevant_prose

    def begins_with(self, exhibits: Sequence[Exhibit]) -> bool:
        """Whether a game among exhibits is so much more relevant than all prose that it leads."""
        games = [one for one in exhibits if one.passage.kind == "game"]
        best = max((one.relevance or 0.0 for one in games), default=0.0)
        return best >= max(LIKELY, ABOVE * self._most_relevant_prose)

    def is_behind(self, exhibits: Sequence[Exhibit]) -> bool:
        """Whether all games among exhibits are much less relevant than some prose."""
        games = [one for one in exhibits if one.passage.kind == "game"]
        best = max((one.relevance or 0.0 for one in games), default=0.0)
        return any(one.relevance is not None for one in games) and (
            self._most_relevant_prose >= BELOW * best
        )

    @cached_property
    def nearest(self) -> set[int]:
        """The mark of the most relevant passage of prose, if it is not doubtful."""
        found = {one.mark: one.exhibit for one in self.reading.candidates if is_prose(one)}
        sure = [one for one in found.values() if not self.doubtful(one)]
        best = max(sure, key=lambda one: (one.relevance or 0.0, -one.mark), default=None)
        return set() if best is None else {best.mark}

    @cached_property
    def _headed(self) -> dict[int, float]:
        """The share of the question's words in the headings of each exhibit."""
        found = {one.mark: one.exhibit for one in self.reading.candidates}
        return headed_scores(self.reading.asked, list(found.values()))

    @cached_property
    def _most_relevant_prose(self) -> float:
        found = (one.exhibit.relevance or 0.0 for one in self.reading.candidates if is_prose(one))
        return max(found, default=0.0)

    @cached_property
    def _most_relevant(self) -> float:
        return max((one.exhibit.relevance or 0.0 for one in self.reading.candidates), default=0.0)


def _met(passage: Passage, pair: tuple[comparing.Side, comparing.Side]) -> bool:
    """Whether a game was played by the two whom a question names."""
    white, black = (str(passage.metadata.get(side, "")) for side in ("white", "black"))
    one, other = pair
    return bool(white and black) and (
        (one.within(white) and other.within(black)) or (one.within(black) and other.within(white))
    )


def about_itself(one: Candidate) -> bool:
    """Whether a sentence speaks of the text that it stands in."""
    return _ABOUT_ITSELF.search(one.sentence.text) is not None


def _coverage(one: Candidate) -> float:
    return one.signs.words + one.signs.around


def above(one: Candidate) -> str:
    """A sentence with the headings and the title that it stands under."""
    passage = one.exhibit.passage
    return " ".join((passage.title, *passage.locator.section, one.sentence.text))


def is_prose(one: Candidate) -> bool:
    """Whether a candidate is a sentence of prose."""
    return one.exhibit.passage.kind not in LINKS | WHOLE


def is_record(one: Candidate) -> bool:
    """Whether a candidate is a line of names and values inside a document."""
    return cells.record(one.exhibit, one.sentence.text) is not None
