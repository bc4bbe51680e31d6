"""Which structured facts answer a question about places at once: a way, a fact of a place, a list?

The engine writes and checks the rest of the answer. Every line is taken from the fields or the text
of the passage that it cites; where nothing fits, the answer begins with nothing of ours.
"""

from __future__ import annotations

import re
from calendar import day_name
from collections.abc import Iterator, Mapping, Sequence

from consilience.packs.travel.atlas import Place, read_place, texts_of
from consilience.packs.travel.graph import ALIKE, CONTAINERS
from consilience.packs.travel.hours import closed_weekdays, is_hours
from consilience.packs.travel.place_question import asked_kinds, asks_itinerary
from consilience.packs.travel.terms import Term, find_terms, tokens
from consilience.types import Exhibit, Passage, Statement
from consilience.understand.names import surface

MOST = 6
"""Places or ways that an answer begins with, at most."""
_LIMITED = re.compile(
    r"\d|\b(?:under|below|less than|cheaper|cheapest|best|nearest)\b", re.IGNORECASE
)
"""Limits and superlatives, which a list of what fits does not answer."""
_OPENING = re.compile(r"\b(?:open|opens|closed|closes?|shut)\b", re.IGNORECASE)
_STEM = 5
_ASKING = frozenset(
    ("which", "where", "there", "could", "should", "would", "please", "these", "those", "places")
)
SUITS = 0.5
"""From which strength on a place suits a theme that is asked for."""
_TRAVELS = re.compile(
    r"\b(?:get|travel|trains?|bus|buses|flights?|fly|ferr(?:y|ies)|boats?|drive|car|way|route|"
    r"how (?:far|long)|reach|hours|minutes)\b",
    re.IGNORECASE,
)
_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\b(?:open\w*|clos\w+|what time|hours)\b", ("Open ", "Closed on ")),
    (r"\b(?:cost\w*|pric\w+|fees?|how much|tickets?|expensive|free)\b", ("Price: ", "Free of ")),
    (r"\b(?:best (?:time|months?|season)|when (?:is|should|to|do))\b", ("Best in ",)),
    (r"\bhow (?:long|much time)\b", ("A visit takes ", "Stay ")),
    (r"\bhow many (?:days|nights)\b", ("Stay ",)),
    (r"\b(?:known|famous) for\b", ("Known for: ",)),
    (r"\b(?:serves?|dish\w*|menu|eat)\b", ("Serves: ",)),
)
"""Words that ask for a field, and how the sentences of a place's text that state it begin."""


def open_answer(
    question: str, exhibits: Sequence[Exhibit], cells: Mapping[str, Sequence[int]]
) -> list[Statement]:
    """The statements that answer a question directly; none where that is not known."""
    del cells  # of tables
    if asks_itinerary(question):
        return []
    found = list(_ways(question, exhibits)) or list(_facts(question, exhibits))
    return found or list(_list(question, exhibits))


def _statement(text: str, exhibit: Exhibit, *, opens: bool) -> Statement:
    text = text.strip().rstrip(".")
    return Statement(text=f"{text[:1].upper()}{text[1:]} [{exhibit.mark}].", opens=opens)


def _names(passage: Passage) -> list[str]:
    fields = passage.metadata
    return [
        surface(name) for name in (str(fields.get("name", "")), *texts_of(fields.get("aliases")))
    ]


def _is_named(names: Sequence[str], question: str) -> bool:
    words = f" {surface(question)} "
    return any(name and f" {name} " in words for name in names)


def _ways(question: str, exhibits: Sequence[Exhibit]) -> Iterator[Statement]:
    """The connections between two places that a question names, by the means it names."""
    if not _TRAVELS.search(question):
        return
    ways = [
        exhibit
        for exhibit in exhibits
        if exhibit.passage.metadata.get("relation") == "CONNECTED_TO"
        and all(
            _is_named([surface(str(exhibit.passage.metadata.get(f"{side}_name", "")))], question)
            for side in ("source", "target")
        )
    ]
    stems = {token.stem for token in tokens(question)}
    modes = {exhibit.mark: str(exhibit.passage.metadata.get("mode", "")) for exhibit in ways}
    by_mode = [one for one in ways if stems & {token.stem for token in tokens(modes[one.mark])}]
    for at, exhibit in enumerate((by_mode or ways)[:MOST]):
        ends, _, details = exhibit.text.partition(": ")
        ends = re.sub(r" → \([^)]*\) → ", " to ", ends)
        yield _statement(f"{ends}: {details}", exhibit, opens=at == 0)


def _facts(question: str, exhibits: Sequence[Exhibit]) -> Iterator[Statement]:
    """The fields that a question asks of a place that it names, as the place's text states them."""
    places = [one for one in exhibits if one.passage.kind == "place"]
    named = [one for one in places if _is_named(_names(one.passage), question)]
    if not named:
        return
    exhibit = max(named, key=lambda one: max(map(len, _names(one.passage))))
    place = read_place(exhibit.passage)
    if place.kind in CONTAINERS and asked_kinds(_without(question, named)):
        return  # it asks for something in it
    begins = [start for words, starts in _FIELDS if re.search(words, question, re.I)
              for start in starts]  # fmt: skip
    sentences = [
        part for line in exhibit.text.split("\n") for part in re.split(r"(?<=[.!?])\s", line)
    ]
    lines = [part for part in sentences if part.startswith(tuple(begins))] if begins else []
    for term in find_terms(_without(question, named), ("attribute",)):
        fact = place.fact(term.name)
        if fact is not None and fact.source == "text":
            lines.append(fact.quote)
        elif fact is not None:
            lines.append(f"{term.name}: {'yes' if fact.value else 'no'} ({fact.quote})")
    for at, line in enumerate(dict.fromkeys(lines)):
        yield _statement(f"{place.name}: {line}" if at == 0 else line, exhibit, opens=at == 0)


def _without(question: str, named: Sequence[Exhibit]) -> str:
    """The question without the names of these places: a museum's name asks for no museum."""
    for name in sorted((n for one in named for n in _names(one.passage)), key=len, reverse=True):
        form = r"\b" + r"\W+".join(map(re.escape, name.split())) + r"\b"
        question = re.sub(form, "_", question, flags=re.IGNORECASE) if name else question
    return question


def _list(question: str, exhibits: Sequence[Exhibit]) -> Iterator[Statement]:
    """The places of the kind that a question asks for, where it says, with all that it names."""
    places = [one for one in exhibits if one.passage.kind == "place"]
    rest = _without(question, [one for one in places if _is_named(_names(one.passage), question)])
    kinds = asked_kinds(rest)
    terms = find_terms(rest, ("theme", "attribute"))
    if _is_unknown(rest, exhibits) or _LIMITED.search(rest):
        return
    wheres = {one.mark: _where(one.text) for one in places}
    inside = {mark for mark, names in wheres.items() if _is_named(names, question)}
    fitting = [
        one
        for one in places
        if kinds
        and (not inside or one.mark in inside)
        and _fits(read_place(one.passage), kinds, terms)
        and _is_open(read_place(one.passage), rest)
    ]
    for at, exhibit in enumerate(fitting[:MOST]):
        yield _statement(_describe(exhibit), exhibit, opens=at == 0)


def _is_unknown(text: str, exhibits: Sequence[Exhibit]) -> bool:
    """Whether a word of a question is neither a term nor in any exhibit: the list may lack it."""
    spans = [(term.start, term.end) for term in find_terms(text)]
    said = {token.stem[:_STEM] for one in exhibits for token in tokens(one.text)}
    return any(
        len(token.stem) >= _STEM
        and token.stem not in _ASKING
        and token.stem[:_STEM] not in said
        and not any(start <= token.start < end for start, end in spans)
        for token in tokens(text)
    )


def _where(text: str) -> list[str]:
    """The names of what a place is in, as its first line says."""
    match = re.search(r"\bin ([^.(]+)[.(]", text.split("\n", maxsplit=1)[0])
    return [surface(name) for name in match[1].split(",")] if match else []


def _fits(place: Place, kinds: Sequence[tuple[str, str]], terms: Sequence[Term]) -> bool:
    of_kind = any(
        ALIKE.get(kind, {kind: 1.0}).get(place.kind, 0.0) >= SUITS
        and (not of_type or place.type == of_type or place.type.endswith(f" {of_type}")
             or place.type in of_type)
        for kind, of_type in kinds
    )  # fmt: skip
    return of_kind and all(_has(place, term) is not term.negated for term in terms)


def _is_open(place: Place, question: str) -> bool:
    """Whether a place is known to be open, or closed, on the weekdays that a question names."""
    days = [at for at, name in enumerate(day_name) if re.search(rf"\b{name}s?\b", question, re.I)]
    if not days or not _OPENING.search(question):
        return not _OPENING.search(question)
    closed = closed_weekdays(place.hours) if is_hours(place.hours) else None
    wanted = bool(re.search(r"\b(?:closed|closes?|shut)\b", question, re.IGNORECASE))
    return closed is not None and all((day in closed) is wanted for day in days)


def _has(place: Place, term: Term) -> bool:
    if term.category == "theme":
        return place.themes.get(term.name, 0.0) >= SUITS or place.kind == term.name
    fact = place.fact(term.name)
    return fact is not None and fact.value is True


def _describe(exhibit: Exhibit) -> str:
    """`Still Pond (restaurant): Price: 80,000 VND for a meal; Serves: …`."""
    fields = exhibit.passage.metadata
    starts = ("Open ", "Price: ", "Serves: ")
    lines = [line for line in exhibit.text.split("\n") if line.startswith(starts)]
    details = "; ".join(line.rstrip(".") for line in lines)
    kind = fields.get("type") or fields.get("node_kind", "")
    return f"{fields.get('name')} ({kind}){f': {details}' if details else ''}"
