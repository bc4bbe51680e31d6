"""Notes in Markdown, Quarto, HTML, reStructuredText and LaTeX, and what is made of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path

import pytest

from consilience.errors import LoadError, MissingExtra
from consilience.packs.research.papers.loading import LOADER, load
from consilience.types import Block, Document

Read = Callable[[str, str], Document]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a file of this name and text."""

    def reading(name: str, text: str) -> Document:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load(path)

    return reading


def shown(document: Document) -> list[tuple[tuple[str, ...], str]]:
    """The blocks of text with their sections."""
    return [(one.locator.section, one.text) for one in document.blocks if not one.kind]


def of_kind(document: Document, kind: str) -> list[Block]:
    """The blocks of a kind."""
    return [block for block in document.blocks if block.kind == kind]


PAPER = """---
title: A small paper
authors: [Ada Quill, Bo Marsh]
year: 2019
key: quill2019
---

## Abstract

We say $\\hat\\tau_1 = 2$ and little else.

## References

[1] Rubin, D. B. (1974). Estimating effects. Journal, 66, 688–701.
[2] Marsh, B. (2011). Another title. Journal, 2, 1–9.
"""


def test_front_matter_makes_a_work_and_references_citations(read: Read) -> None:
    document = read("paper.md", PAPER)
    assert document.title == "A small paper"
    assert document.metadata["authors"] == ("Ada Quill", "Bo Marsh")
    assert (document.metadata["year"], document.metadata["key"]) == (2019, "quill 2019")
    assert shown(document) == [(("Abstract",), "We say $\\hat\\tau_1 = 2$ and little else.")]
    (work,) = of_kind(document, "work")
    assert work.metadata["name"] == "A small paper"
    assert "quill2019" in work.metadata["aliases"]  # type: ignore[operator]
    cited = [
        (one.metadata["source"], one.metadata["target"]) for one in of_kind(document, "citation")
    ]
    assert cited == [("quill 2019", "rubin 1974"), ("quill 2019", "marsh 2011")]


def test_authors_may_stand_deeper_in_front_matter(read: Read) -> None:
    text = "---\nauthor:\n  - name: Ada Quill\n    affiliation: Nowhere\n  - name: Bo Marsh\n"
    document = read("note.qmd", f"{text}date: 2020-05-01\n---\n\n# A note\n\nWords.\n")
    assert document.metadata["authors"] == ("Ada Quill", "Bo Marsh")
    assert document.metadata["year"] == 2020


def test_a_note_that_says_nothing_of_itself_stays_a_note(read: Read) -> None:
    document = read("note.md", "# On doors\n\nDoors open.\n\n## References\n\nAsk at the desk.\n")
    assert shown(document) == [((), "Doors open."), (("References",), "Ask at the desk.")]
    assert not document.metadata
    assert not of_kind(document, "work")


def test_prose_about_the_literature_stays_in_the_text(read: Read) -> None:
    text = "Rubin (1974) defined the effect. Holland (1986) named the problem behind it."
    other = "Pearl (2009) draws graphs, and Imbens (2004) weighs both."
    document = read("note.md", f"# Effects\n\n## Literature\n\n{text}\n\n{other}\n")
    assert shown(document) == [(("Literature",), text), (("Literature",), other)]


def test_a_sentence_among_the_references_stays_in_the_text(read: Read) -> None:
    document = read("paper.md", PAPER.replace("[1]", "These are the sources.\n\n[1]"))
    assert shown(document)[1:] == [(("References",), "These are the sources.")]
    assert len(of_kind(document, "citation")) == 2


QUARTO = """# Samples {#sec-samples}

::: {.chapterintro data-latex=""}
We resample\\index{resampling} as in [Chapter -@sec-bootstrap-methods].
:::

```{r}
#| include: false
source("_common.R")
```

```{r}
#| label: fig-bars
#| fig-cap: The bars fall from left to right.
ggplot(data)
```

\\clearpage

See {ref}`the appendix <app-one>` and {math}`x^2`.

```{note}
Mind the gap.
```
"""


def test_quarto_and_myst_keep_what_they_say(read: Read) -> None:
    words = " ".join(text for _, text in shown(read("chapter.qmd", QUARTO)))
    assert words == (
        "We resample as in Chapter bootstrap methods. The bars fall from left to right. "
        "See the appendix and $x^2$. Mind the gap."
    )


D2L = """# Decay
:label:`sec_decay`

```{.python .input}
%load_ext d2lbook.tab
tab.interact_select(['mxnet', 'pytorch'])
```

As in :numref:`sec_linear-regression` (**weights
shrink**) :cite:`Quill.Marsh.2019`.

```{.python .input}
%%tab mxnet
import mxnet
```

```{.python .input}
%%tab pytorch
import torch
```
"""


def test_books_for_several_libraries_show_their_code_once(read: Read) -> None:
    assert shown(read("decay.md", D2L)) == [
        ((), "As in linear regression weights shrink Quill Marsh 2019."),
        ((), "import mxnet"),
    ]


REST = """.. _models:

=============
Linear Models
=============

.. currentmodule:: sklearn.linear_model

:class:`~sklearn.linear_model.Ridge` minimizes ``loss`` with *penalty* :math:`\\alpha`:

.. math::
   \\min_w ||Xw - y||^2
   :label: ridge

.. toctree::
   :maxdepth: 2

   other

Details
=======

.. note:: It is slow.

   And it is stable, see `the guide <https://example.org>`_ [1]_.

.. code-block:: python

   Ridge().fit(X, y)

.. rubric:: References

.. [1] Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression. Technometrics 12, 55–67.
"""


def test_restructured_text_loses_what_steers_sphinx(read: Read) -> None:
    document = read("models.rst", REST)
    assert document.title == "Linear Models"
    assert shown(document) == [
        ((), "Ridge minimizes loss with penalty $\\alpha$:"),
        ((), "$$\n\\min_w ||Xw - y||^2\n$$"),
        (("Details",), "It is slow."),
        (("Details",), "And it is stable, see the guide [1]."),
        (("Details",), "Ridge().fit(X, y)"),
    ]
    assert [one.metadata["target"] for one in of_kind(document, "citation")] == ["hoerl 1970"]


PAGE = """<html><head><title>Old</title><meta name="citation_author" content="Quill, Ada">
<meta name="citation_author" content="Bo Marsh"><meta name="date" content="2018-02-03"></head>
<body><h1>On pages</h1><p>Words of a page.</p><h2>References</h2>
<ol><li>Rubin, D. B. (1974). Estimating effects. Journal.</li>
<li>Pearl, J. (2009). Causality. Cambridge.</li></ol></body></html>"""


def test_a_page_says_its_authors_in_its_meta_fields(read: Read) -> None:
    document = read("page.html", PAGE)
    assert document.metadata["authors"] == ("Quill, Ada", "Bo Marsh")
    assert document.metadata["key"] == "quill 2018"
    assert shown(document) == [((), "Words of a page.")]
    assert [one.metadata["target"] for one in of_kind(document, "citation")] == [
        "rubin 1974",
        "pearl 2009",
    ]


TEX = r"""\documentclass{article}
\newcommand{\size}{1{,}200}
\title{On \emph{sources}}
\author{Ada Quill\thanks{Nowhere.} \and Bo M\"arsh\\ University of Nowhere}
\date{March 2016}
\begin{document}\maketitle
\begin{abstract}We have \size{} rows.\end{abstract}
\section{Method}\label{sec:m}
The model~\cite{rubin} is $y_i = \beta x_i$ and  % a comment
\begin{equation}\label{eq:one}
  \hat\beta = 2
\end{equation}
as 50\% of ``all'' know.

\begin{itemize}\item one \item two\end{itemize}
\begin{tabular}{ll} a & b \\ \hline 1 & 2 \end{tabular}
\begin{theorem}It holds.\end{theorem}
\begin{thebibliography}{9}
\bibitem{rubin} Rubin, D.~B. (1974). Estimating effects. \emph{Journal}, 66.
\end{thebibliography}
\end{document}
"""


def test_latex_is_read_by_its_structure(read: Read) -> None:
    document = read("paper.tex", TEX)
    assert document.title == "On sources"
    assert document.metadata == {
        "authors": ("Ada Quill", "Bo Märsh"),
        "year": 2016,
        "key": "quill 2016",
    }
    assert shown(document) == [
        (("Abstract",), "We have 1,200 rows."),
        (
            ("Method",),
            "The model [1] is $y_i = \\beta x_i$ and\n$$\\hat\\beta = 2$$\nas 50% of “all” know.",
        ),
        (("Method",), "- one\n- two"),
        (("Method",), "a | b\n1 | 2"),
        (("Method",), "Theorem. It holds."),
    ]
    assert [one.metadata["target"] for one in of_kind(document, "citation")] == ["rubin 1974"]


@pytest.mark.parametrize(
    "text",
    [r"\section{One \textbf{two", r"\begin{itemize}\item", "}}}", "$x", r"\newcommand{\a}{\a}\a"],
)
def test_broken_latex_is_read_as_far_as_it_goes(read: Read, text: str) -> None:
    assert read("broken.tex", text).title == "broken"


def test_latex_without_an_end_is_refused_with_a_reason(read: Read) -> None:
    with pytest.raises(LoadError, match=r"broken\.tex .* braces that are not closed"):
        read("broken.tex", "{" * 5000)


def test_without_the_library_a_latex_file_names_the_extra(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = builtins.__import__

    def refused(name: str, *given: object, **named: object) -> object:
        if name.startswith("pylatexenc"):
            raise ImportError(name)
        return known(name, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refused)
    with pytest.raises(MissingExtra, match=r"pip install 'consilience\[research\]'"):
        read("paper.tex", TEX)


def test_the_format_is_there_in_workspaces_of_this_pack_only() -> None:
    assert LOADER.packs == {"research"}
    assert {".pdf", ".md", ".qmd", ".html", ".rst", ".tex"} <= set(LOADER.endings)
