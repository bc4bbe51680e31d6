"""How do texts become weighted words? BM25 as sparse vectors, the same for every engine.

The words and their weights come from Qdrant Edge's `Bm25`, which is here anyway: stems, without
stop words, accents folded. What an engine adds is the IDF of each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import qdrant_edge

from consilience.errors import UsageError
from consilience.stores.common import replace_surrogates
from consilience.types import Passage, Term

K1, B, K3 = 1.2, 0.75, 8.0
_LINEAR_K1 = 1e6  # with a k1 this large and b = 0, a BM25 weight is the word's count


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Words by their numbers, and the weight of each."""

    indices: list[int]
    values: list[float]


class WordEncoder:
    """Weighs the words of passages and questions.

    `average_length` is the mean of `token_counts` over the collection's `Passage.indexed`; it is
    part of the weights of passages.
    """

    def __init__(self, language: str, average_length: float) -> None:
        self.language = language
        self._passages = _bm25(language, average_length)
        self._questions = _bm25(language, 1.0, k1=K3, b=0.0)

    def weigh_passage(self, passage: Passage) -> WordWeights:
        """The BM25 weights of a passage's words, without their IDF."""
        weights = self._passages.embed_document(replace_surrogates(passage.indexed))
        return WordWeights(weights.indices, weights.values)

    def weigh_question(self, text: str, terms: Sequence[Term]) -> WordWeights:
        """A question as weighted words; a word of a term has the term's weight if that is larger.

        A word that the question has n times weighs n · 9 / (n + 8): BM25's curve with k3 = 8,
        without regard to length.
        """
        question = self._questions.embed_document(replace_surrogates(text))
        weights = dict(zip(question.indices, question.values, strict=True))
        for term in terms:
            for index in self._passages.embed_query(replace_surrogates(term.text)).indices:
                weights[index] = max(weights.get(index, 0.0), term.weight)
        return WordWeights(list(weights), list(weights.values()))


def token_counts(texts: Iterable[str], *, language: str = "english") -> list[int]:
    """How many words of each text BM25 counts: no stop words, a repeated word each time."""
    model = _bm25(language, 1.0, k1=_LINEAR_K1, b=0.0)
    counts = (model.embed_document(replace_surrogates(text)).values for text in texts)
    return [sum(map(round, values)) for values in counts]


def _bm25(language: str, average: float, *, k1: float = K1, b: float = B) -> qdrant_edge.Bm25:
    try:
        return qdrant_edge.Bm25(
            qdrant_edge.Bm25Config(
                k=k1, b=b, avg_len=average, language=language, ascii_folding=True
            )
        )
    except ValueError as error:
        raise UsageError(
            f"BM25 cannot read {language!r} with an average length of {average}: {error}; set "
            "passages.language to a language such as 'english' or 'german'"
        ) from error
