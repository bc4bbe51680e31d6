"""Formulas are set as MathML, amounts are not, and nothing but MathML comes through."""

from __future__ import annotations

import pytest

from consilience.service.pages.cards import KindViews
from consilience.service.pages.mathematics import render_mathematics
from consilience.service.pages.prose import split_answer
from consilience.service.pages.words import highlighted

NONE = KindViews({})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (r"is $\frac{1}{n}$ here", "<mfrac><mrow><mn>1</mn></mrow>"),
        (r"$$\sigma^2$$", "<msup><mi>σ</mi><mn>2</mn></msup>"),
        (r"so \(x_1\) and", "<msub><mi>x</mi><mn>1</mn></msub>"),
        (r"\[a = b\]", "<mi>a</mi><mo>=</mo><mi>b</mi>"),
        ("let $x$ be", "<mi>x</mi>"),
    ],
)
def test_formulas_are_set(text, part):
    assert part in render_mathematics(text)
    [piece] = split_answer(text, (), (), kinds=NONE)
    assert part in piece.html


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "US$100m rose to US$200m",
        "from $5 to $x",
        "price $4,300 (or $5)",
        r"$\notacommand{$",
        "$$",
        "",
    ],
)
def test_amounts_and_broken_formulas_stay_text(text):
    assert "<math" not in render_mathematics(text)


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{<b>x</b>}",
        r"\href{javascript:alert(1)}{x^2}",
        r"\style{color:red}{x}",
        r"\class{cite}{x}",
    ],
)
def test_nothing_but_mathematics_comes_through(tex):
    for html in (
        render_mathematics(f"${tex}$"),
        split_answer(f"${tex}$", (), (), kinds=NONE)[0].html,
    ):
        assert "<script" not in html
        assert "<b>" not in html
        assert 'href="' not in html
        assert "style=" not in html


def test_a_displayed_formula_has_a_line_of_its_own_where_it_may():
    assert '<math display="block">' in render_mathematics("$$a$$", blocks=True)
    assert '<math display="inline">' in render_mathematics("$$a$$")


def test_words_of_a_formula_are_not_marked():
    html = highlighted(r"The mean $\bar{mean}$", "mean")
    assert html.count("<mark>") == 1
    assert "<math" in html
