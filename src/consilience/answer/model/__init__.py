"""How does a language model write an answer? Outline, expand every section, assemble."""

from consilience.answer.model.writing import first_prompt, write

__all__ = ["first_prompt", "write"]
