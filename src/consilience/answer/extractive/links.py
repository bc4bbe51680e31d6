"""How do nodes, edges and paths of a graph read in an answer? As chains, with what they rest on."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.answer.extractive.asking import Asked, terms
from consilience.answer.extractive.reading import Candidate, chain_end
from consilience.answer.extractive.wording import quoted, said
from consilience.answer.sentences import one_line
from consilience.names import surface
from consilience.types import Exhibit, Statement


def chain(exhibit: Exhibit) -> str:
    """The arrows of a path or edge, or the name of a node."""
    passage = exhibit.passage
    if passage.kind == "node":
        return str(passage.metadata.get("name") or passage.locator.node or passage.title)
    end = chain_end(passage.kind, passage.text) or len(passage.text)
    return one_line(passage.text[:end]).rstrip(".")


def joins(exhibit: Exhibit, asked: Asked) -> bool:
    """Whether a path or edge joins two things that the question names."""
    if exhibit.passage.kind not in ("path", "edge"):
        return False
    words = set(asked.terms)
    ends = [part for part in _nodes(chain(exhibit)) if _telling(part, words)]
    return len(ends) >= 2


def _nodes(arrows: str) -> list[str]:
    parts = arrows.replace("←", "→").split("→")
    return [part.strip() for part in parts if part.strip() and not part.strip().startswith("(")]


def _telling(name: str, words: set[str]) -> bool:
    own = [term for term in terms(name) if len(term) > 2]
    return bool(own) and sum(term in words for term in own) * 2 >= len(own)


def statements(exhibit: Exhibit, candidates: Sequence[Candidate]) -> list[Statement]:
    """A path as a line of arrows and then its sentences; an edge or node as one line."""
    mark = exhibit.mark
    texts = [one.sentence.text for one in candidates if chain_end_is_before(exhibit, one)]
    quotes = {mark: " ".join(texts) or exhibit.passage.text}
    lead = said(chain(exhibit))
    if exhibit.passage.kind == "path":
        return [
            Statement(text=f"{lead} [{mark}]", form="path", opens=True, quotes=quotes),
            *(
                Statement(text=f"{quoted([text])} [{mark}]", opens=at == 0, quotes={mark: text})
                for at, text in enumerate(texts)
                if surface(text)
            ),
        ]
    if exhibit.passage.kind == "node":
        lead = f"**{lead}**"
    told = f"{lead}: {quoted(texts)} [{mark}]" if texts else f"{lead} [{mark}]"
    form = "path" if exhibit.passage.kind == "edge" else "prose"
    return [Statement(text=told, form=form, opens=True, quotes=quotes)]


def chain_end_is_before(exhibit: Exhibit, one: Candidate) -> bool:
    """Whether a candidate is a sentence behind the chain, rather than the chain itself."""
    end = chain_end(exhibit.passage.kind, exhibit.passage.text)
    return 0 < end <= one.sentence.start
