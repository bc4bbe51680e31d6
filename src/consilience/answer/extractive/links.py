"""How do nodes, edges and paths of a graph read in an answer? As chains, with what they rest on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.extractive.asking import SAME, Asked, terms
from consilience.answer.extractive.scoring import Candidate, chain_end
from consilience.answer.extractive.wording import quoted, said
from consilience.answer.sentences import one_line, sentences
from consilience.names import surface
from consilience.types import Exhibit, Form, Statement

COMMON = 3
"""Names that end in a word, from which on the word tells none of them apart."""
_SUBJECT = re.compile(r"\b(?:whom|who did|what did|which \w+ did|what does|whose)\b", re.IGNORECASE)


def chain(exhibit: Exhibit) -> str:
    """The arrows of a path or edge, or the name of a node."""
    passage = exhibit.passage
    if passage.kind == "node":
        return str(passage.metadata.get("name") or passage.locator.node or passage.title)
    end = chain_end(passage.kind, passage.text) or len(passage.text)
    return one_line(passage.text[:end]).rstrip(".")


@dataclass(frozen=True, slots=True)
class Names:
    """Which names of nodes a question says: words that many names share say nothing of one.

    Where it says a name in full, another name that only has a part of the same words is not meant.
    """

    asked: Asked
    general: frozenset[str]
    full: frozenset[str]

    @classmethod
    def among(cls, exhibits: Sequence[Exhibit], asked: Asked) -> Names:
        """The names of the nodes of these exhibits."""
        names = {name for one in exhibits for name in _nodes(one)}
        counts = Counter(last[-1] for name in sorted(names) if (last := _telling(name)))
        titles = {term for one in exhibits for term in terms(one.passage.title)}
        general = frozenset(
            term for term, count in counts.items() if count >= COMMON or term in titles
        )
        full = {
            term
            for name in sorted(names)
            if (own := set(_telling(name)) - general) and own <= set(asked.terms)
            for term in own
        }
        return cls(asked, general, frozenset(full))

    def shared(self, name: str) -> frozenset[str]:
        """The words of a name that the question says, if they are at least half of it."""
        own = frozenset(_telling(name)) - self.general
        said_of = own & frozenset(self.asked.terms)
        if own - said_of and said_of <= self.full:
            return frozenset()
        return said_of if 2 * len(said_of) >= len(own) else frozenset()


def joins(exhibit: Exhibit, names: Names) -> bool:
    """Whether a path or edge joins two things that the question names, each by its own words."""
    if exhibit.passage.kind not in ("path", "edge"):
        return False
    found: list[frozenset[str]] = []
    for name in _nodes(exhibit):
        shared = names.shared(name)
        if shared and not any(shared & other for other in found):
            found.append(shared)
    return len(found) >= 2


def answering(exhibits: Sequence[Exhibit], names: Names) -> list[Exhibit]:
    """The edges whose relation the question says and of which it names one end.

    Where it names the near end of some and the far end of others, those that answer it by their
    direction come alone: from whom X learned begins with X, who learned from X ends there.
    """
    asked = names.asked
    ends = {}
    for one in exhibits:
        nodes = _nodes(one)
        if one.passage.kind == "edge" and len(nodes) == 2 and _relates(one, asked):
            at_source, at_target = (bool(names.shared(name)) for name in nodes)
            if at_source or at_target:
                ends[one.mark] = (one, at_source, at_target)
    near = [one for one, at_source, _ in ends.values() if at_source and _forward(one, asked)]
    far = [one for one, _, at_target in ends.values() if at_target and not _forward(one, asked)]
    related = near or far or [one for one, _, _ in ends.values()] or _between_kin(exhibits, asked)
    return _by_verb(_also_related(related, exhibits, asked), asked)


def defining(exhibits: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """The node that a question for a meaning names, which says what it is."""
    return [
        one
        for one in exhibits
        if one.passage.kind == "node" and asked.subject and surface(chain(one)) == asked.subject
    ][:1]


def _also_related(found: list[Exhibit], exhibits: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """With them those whose relation the question says earlier, and which have a word of it."""
    first = min((_verb_place(one, asked) for one in found), default=0)
    return found + [
        one
        for one in exhibits
        if one.passage.kind == "edge"
        and _relates(one, asked)
        and _verb_place(one, asked) < first
        and any(set(_telling(name)) & set(asked.terms) for name in _nodes(one))
    ]


def _by_verb(found: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """Those whose relation is the verb that the question asks by: the first it says.

    `Who invented the lens used in lighthouses?` asks who invented, not who used.
    """
    first = min((_verb_place(one, asked) for one in found), default=0)
    return [one for one in found if _verb_place(one, asked) == first]


def _verb_place(exhibit: Exhibit, asked: Asked) -> int:
    own = _relation(exhibit)
    places = [at for at, word in enumerate(asked.terms) if any(_fits(one, word) for one in own)]
    return min(places, default=len(asked.terms))


def _between_kin(exhibits: Sequence[Exhibit], asked: Asked) -> list[Exhibit]:
    """The edges of a relation that the question says, the ends of which have a word of it.

    Where none has at both, those that have at one, if they are few.
    """
    related = [one for one in exhibits if one.passage.kind == "edge" and _relates(one, asked)]
    shared = {
        one.mark: [bool(set(terms(name)) & set(asked.terms)) for name in _nodes(one)]
        for one in related
    }
    some = [one for one in related if any(shared[one.mark])]
    return [one for one in some if all(shared[one.mark])] or (some if len(some) < COMMON else [])


def _forward(exhibit: Exhibit, asked: Asked) -> bool:
    """Whether the end that the question names should be where the edge begins."""
    relation = str(exhibit.passage.metadata.get("relation", "")).casefold()
    return relation.endswith(("_by", " by")) or bool(_SUBJECT.search(asked.text))


def _relation(exhibit: Exhibit) -> set[str]:
    relation = str(exhibit.passage.metadata.get("relation", "")).replace("_", " ")
    return {term for term in terms(relation) if len(term) > 2}


def _relates(exhibit: Exhibit, asked: Asked) -> bool:
    return any(_fits(term, word) for term in _relation(exhibit) for word in asked.terms)


def _fits(term: str, word: str) -> bool:
    """Whether a word says a relation, in whatever form: `learned` answers `learn`."""
    if word == term or word in SAME.get(term, frozenset()):
        return True
    return min(len(word), len(term)) > 3 and (word.startswith(term) or term.startswith(word))


def _nodes(exhibit: Exhibit) -> list[str]:
    if exhibit.passage.kind == "node":
        return [chain(exhibit)]
    parts = re.split(r"[→←]", chain(exhibit))
    return [part.strip() for part in parts if part.strip() and not part.strip().startswith("(")]


def _telling(name: str) -> list[str]:
    return [term for term in terms(name) if len(term) > 2]


def _of_node(exhibit: Exhibit, texts: list[str]) -> list[str]:
    """What a node says of itself, after its name and its other names in brackets."""
    passage = exhibit.passage
    name, others = passage.metadata.get("name"), passage.metadata.get("aliases") or ()
    if not name or isinstance(others, str | int | float):
        return texts
    head = re.escape(str(name))
    if others:
        head += rf"(?: \({', '.join(re.escape(str(one)) for one in others)}\))?"
    cut = re.match(rf"{head}\.\s+", passage.text)
    rest = passage.text[cut.end() :] if cut else ""
    return [one.text for one in sentences(rest)] if rest else texts


def statements(
    exhibit: Exhibit, candidates: Sequence[Candidate], told: set[str]
) -> list[Statement]:
    """A path as a line of arrows and then its sentences; an edge or node as one line.

    Sentences that were `told` are not told again; a node that has nothing to tell is left out.
    """
    mark, kind = exhibit.mark, exhibit.passage.kind
    every = [one.sentence.text for one in candidates if one.sentence.text != exhibit.passage.text]
    if kind == "node":
        every = _of_node(exhibit, every)
    texts = [text for text in every if one_line(text) not in told]
    known = bool(every)
    told.update(one_line(text) for text in texts)
    if (kind == "node" or known) and not texts:
        return []
    lead = said(chain(exhibit))
    quotes = {mark: " … ".join(texts) or exhibit.passage.text}
    if kind == "path":
        found = [Statement(text=f"{lead} [{mark}]", form="path", opens=True, quotes=quotes)]
        if texts:
            found.append(Statement(text=f"{quoted(texts)} [{mark}]", opens=True, quotes=quotes))
        return found
    if kind == "node":
        lead = f"**{lead}**"
    text = f"{lead}: {quoted(texts)} [{mark}]" if texts else f"{lead} [{mark}]"
    form: Form = "path" if kind == "edge" else "prose"
    return [Statement(text=text, form=form, opens=True, quotes=quotes)]
