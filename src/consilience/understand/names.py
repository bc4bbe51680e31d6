"""Which names does the evidence know, and which of them does a question mention?

A name is a text in a table's cell or a whole number of three digits or more (a year, a code), a
node of a graph under any of its aliases, a paper that another one cites, or a relation. Names are
compared as `surface`: lower case, accents and punctuation gone, so that "Bell-Rock" meets "bell
rock". They are how a question turns into criteria for rows and seeds for paths, without guessing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from consilience.kinds import edge_kinds, node_kinds, visible_metadata
from consilience.types import Passage

Role = Literal["value", "number", "node", "relation"]
LONGEST = 8
TITLE = 4  # words that a paper's title has at least, to be its name
SMALLEST = 100
_WORD = re.compile(r"[^\W_]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
# Words that are also values in many a table, and say nothing of what a question is about.
_COMMON_WORDS = """
a an and are as at be by did do does for from had has have he her his how i if in into is it its
me more most my no not of on one or our she so some than that the their them then there they this
to two us was we were what when where which who why will with would yes you your true false none
all any
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# Words that ask for any relation, and so single none out.
_RELATING_WORDS = """
associate associated associates association between connect connected connecting connection
connections connects has have is are link linked linking links relate related relates relating
relation relations relationship relationships tied ties to with
"""
_RELATING = frozenset(_RELATING_WORDS.split())
_HISSING = ("s", "x", "z", "ch", "sh")
# A number after (or before) words of comparison bounds a value, and says that it is another one.
_LOOSE = r"(?:(?:the|year|years|about|around|roughly|approximately|some|a|an|of)\s+|[£$€])*"
_BEFORE = (
    r"(?:\b(?:than|over|above|under|below|before|after|since|until|till|beyond|exceed\w*|"
    r"at least|at most|up to)\s+|[<>≤≥]=?\s*)" + _LOOSE + r"(\d+)\b"
)
_RANGE = rf"\b(?:between|from)\s+{_LOOSE}(\d+)\s+(?:and|to|until|till)\s+{_LOOSE}(\d+)\b"
_DASH = r"(?<![\w-])(\d{3,})\s*[-–—]\s*(\d{3,})(?![\w-])"
_BEHIND = (
    r"\b(\d+)\s+(?:onwards?|(?:or|and)\s+(?:more|less|fewer|later|earlier|after|before|older|newer|"
    r"younger|higher|lower|above|below|over|under|taller|shorter|longer|larger|smaller|greater))\b"
)
_COMPARISONS = tuple(
    re.compile(pattern, re.IGNORECASE) for pattern in (_BEFORE, _RANGE, _DASH, _BEHIND)
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a passage gives: how it is spelt, what it is, and what it stands for."""

    surface: str
    role: Role
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in a question."""

    surface: str
    collection: str
    role: Role
    field: str
    value: str


def surface(text: str) -> str:
    """How names are compared: lower-case words without accents or punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(_WORD.findall(_NOT_ASCII.sub(_strip_accents, plain)))


def _strip_accents(letters: re.Match[str]) -> str:
    return "".join(letter for letter in letters[0] if not unicodedata.combining(letter))


def names_of(passage: Passage) -> list[Name]:
    """The names that a passage gives to questions."""
    if passage.kind == "row":
        return _values(passage)
    if passage.kind in node_kinds():
        return _node(passage)
    if passage.kind in edge_kinds() and "relation" in passage.metadata:
        relation = str(passage.metadata["relation"])
        return [*_usable([Name(surface(relation), "relation", "", relation)]), *_target(passage)]
    return []


def word_spans(text: str) -> list[str]:
    """Every run of up to eight words of a text, as surfaces, longest first."""
    words = surface(text).split()
    found: dict[str, None] = {}
    for length in range(min(LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            found[" ".join(words[start : start + length])] = None
    return list(found)


def longest_mentions(text: str, mentions: list[Mention]) -> list[Mention]:
    """Drop a mention that is only part of a longer one: `bell` inside `bell rock`."""
    words = f" {surface(text)} "
    kept: list[Mention] = []
    for length in sorted({len(mention.surface) for mention in mentions}, reverse=True):
        same = [mention for mention in mentions if len(mention.surface) == length]
        seen = [mention for mention in same if f" {mention.surface} " in words]
        kept.extend(seen)
        for mention in seen:
            words = words.replace(f" {mention.surface} ", " | ")
    return kept


def find_mentions(
    text: str, look_up: Callable[[Sequence[str]], Sequence[Mention]]
) -> list[Mention]:
    """The names that a question means, as it spells them, each once.

    Left out are parts of longer names, numbers that it only compares with (`after 1811`), and
    relations so general that every question of relation has their words. A node is found in
    singular and plural; where both are nodes, the one that is spelt as in the question.
    """
    runs = word_spans(text)
    bounds = compared_numbers(text)
    exact = [
        mention
        for mention in look_up(runs)
        if not (mention.role == "number" and mention.surface in bounds)
        and not (mention.role == "relation" and set(mention.surface.split()) <= _RELATING)
    ]
    return longest_mentions(text, [*exact, *_in_other_number(runs, exact, look_up)])


def compared_numbers(text: str) -> frozenset[str]:
    """The numbers of a question that only bound a value: `more than 300`, `from 1800 to 1850`.

    A number that also stands somewhere by itself is not among them.
    """
    places = {
        match.start(group): match[group]
        for form in _COMPARISONS
        for match in form.finditer(text)
        for group in range(1, form.groups + 1)
    }
    free = {match[0] for match in re.finditer(r"\d+", text) if match.start() not in places}
    return frozenset(places.values()) - free


def singular_or_plural(name: str) -> list[str]:
    """A name with its last word in plural instead of singular, or the other way round."""
    head, space, word = name.rpartition(" ")
    if len(word) < 3 or not word.isalpha() or word in _COMMON:
        return []
    plurals = [] if word.endswith("es") else [_plural(word)]
    return [head + space + form for form in (*_singulars(word), *plurals) if len(form) > 2]


def _singulars(word: str) -> list[str]:
    if word.endswith("ies") and len(word) > 4:
        return [word[:-3] + "y"]
    forms = []
    if word.endswith("es") and word[:-2].endswith(_HISSING):
        forms.append(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        forms.append(word[:-1])
    return forms


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_HISSING) else "s")


def _in_other_number(
    runs: Sequence[str],
    exact: Sequence[Mention],
    look_up: Callable[[Sequence[str]], Sequence[Mention]],
) -> list[Mention]:
    """Nodes whose name differs from a run of words by singular and plural alone."""
    taken = {(mention.surface, mention.collection) for mention in exact if mention.role == "node"}
    spelt: dict[str, list[str]] = {}
    for run in runs:
        for form in singular_or_plural(run):
            spelt.setdefault(form, []).append(run)
    found = [
        replace(mention, surface=run)
        for mention in look_up(list(spelt))
        if mention.role == "node"
        for run in spelt[mention.surface]
        if (run, mention.collection) not in taken
    ]
    return list(dict.fromkeys(found))


def _values(passage: Passage) -> list[Name]:
    """Texts in cells; what stands in brackets behind a name may be left out by a question."""
    texts = [
        Name(surface(spelt), "value", field, value)
        for field, values in visible_metadata(passage).items()
        for value in (values if isinstance(values, tuple) else (values,))
        if isinstance(value, str)
        for spelt in dict.fromkeys((value, _BRACKETS.sub("", value)))
    ]
    numbers = [
        Name(str(value), "number", field, str(value))
        for field, value in visible_metadata(passage).items()
        if isinstance(value, int) and value >= SMALLEST
    ]
    return [*_usable(texts), *numbers]


def _node(passage: Passage) -> list[Name]:
    """The spellings of a node. A paper has its key as well, and no spelling that is the same as
    a short title: that may be the name of what the paper is about.
    """
    node, name = (str(passage.metadata.get(field, "")) for field in ("node", "name"))
    if passage.kind != "work":
        return _nodes(node, [name, *_aliases(passage)])
    title = surface(name)
    about = title if len(title.split()) < TITLE else ""
    return [
        entry for entry in _nodes(node, [node, name, *_aliases(passage)]) if entry.surface != about
    ]


def _target(passage: Passage) -> list[Name]:
    """What a citation is to: the cited work may be here under no other name."""
    target = passage.metadata.get("target")
    if passage.kind != "citation" or target is None:
        return []
    return _nodes(str(target), [str(target), *_aliases(passage)])


def _nodes(node: str, spellings: Iterable[str]) -> list[Name]:
    found = (Name(surface(spelling), "node", "", node) for spelling in spellings)
    return _usable(list(dict.fromkeys(found)))


def _aliases(passage: Passage) -> tuple[str, ...]:
    found = passage.metadata.get("aliases", ())
    return tuple(map(str, found)) if isinstance(found, tuple) else (str(found),)


def _usable(names: list[Name]) -> list[Name]:
    return [entry for entry in names if _tells(entry.surface)]


def _tells(text: str) -> bool:
    words = text.split()
    return (
        0 < len(words) <= LONGEST
        and len(text) > 1
        and not set(words) <= _COMMON
        and not text.replace(" ", "").isdigit()
    )
