"""How does a language model write an answer? Outline, expand every section, assemble."""

from consilience.answer.model.writing import write

__all__ = ["write"]
