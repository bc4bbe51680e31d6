"""How is an answer written without a language model? From the evidence's own words.

The stages are those of a model: an outline by theme and kind of evidence, sentences and rows
chosen for each part, and all of it put together so that it reads. Nothing is said that is not
quoted or printed in the evidence, and the same evidence always gives the same answer.
"""

from consilience.answer.extractive.writing import outline, write

__all__ = ["outline", "write"]
