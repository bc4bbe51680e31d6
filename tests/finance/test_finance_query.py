"""Is a question read as a typed query, each value from its words, and computed to its cells?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest
from figures_shared import cell, row, year

from consilience.packs.finance.figures.facts import FigureSource
from consilience.packs.finance.figures.query import parse_query
from consilience.packs.finance.figures.store import FigureStore
from consilience.packs.finance.figures.vocabulary import Vocabulary, formulas, stems_of
from consilience.protocols import Chunk
from consilience.types import Request

INCOME = {
    "Net sales": ("900.0", "1,000.0"),
    "Cost of sales": ("(540.0)", "(600.0)"),
    "Operating income": ("90.0", "120.0"),
    "Interest expense": ("(9.0)", "(10.0)"),
    "Income before income taxes": ("81.0", "110.0"),
    "Provision for income taxes": ("(20.0)", "(30.0)"),
    "Net income": ("61.0", "80.0"),
}
BALANCE = {
    "Cash and cash equivalents": ("70.0", "50.0"),
    "Receivables, net": ("110.0", "130.0"),
    "Inventories": ("100.0", "200.0"),
    "Total current assets": ("280.0", "380.0"),
    "Total assets": ("800.0", "1,000.0"),
    "Accounts payable": ("80.0", "100.0"),
    "Total current liabilities": ("160.0", "190.0"),
    "Total liabilities": ("500.0", "600.0"),
    "Retained earnings": ("200.0", "250.0"),
}
CASH = {
    "Depreciation and amortization": ("40.0", "45.0"),
    "Net cash provided by operating activities": ("95.0", "150.0"),
    "Purchases of property and equipment": ("(50.0)", "(60.0)"),
    "Net cash used in investing activities": ("(52.0)", "(61.0)"),
    "Net cash used in financing activities": ("(30.0)", "(40.0)"),
}
TABLES = (
    ("4.1", 4, "Consolidated statements of income", INCOME),
    ("5.1", 5, "Consolidated balance sheets", BALANCE),
    ("6.1", 6, "Consolidated statements of cash flows", CASH),
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory):
    store = FigureStore(tmp_path_factory.mktemp("figures") / "figures.duckdb")
    for table, page, caption, lines in TABLES:
        store.write(
            [
                row(
                    at, label, (),
                    [cell(one, text, year(2022 + one)) for one, text in enumerate(texts, start=1)],
                    table=table, page=page, caption=caption, document="norvale-2024-10k.pdf",
                    title="Norvale annual report 2024", company="Norvale Industries Inc.",
                    label=(label,),
                )
                for at, (label, texts) in enumerate(lines.items(), start=1)
            ]
        )  # fmt: skip
    note = [cell(1, "7.0", year(2023)), cell(2, "8.0", year(2024))]
    store.write(
        [
            row(
                1, "Net sales", ("Kiosks",), note, table="9.1", page=9, caption="Note 12 Segments",
                document="norvale-2024-10k.pdf", title="Norvale annual report 2024",
                company="Norvale Industries Inc.",
            )
        ]
    )  # fmt: skip
    yield FigureSource(store, "reports/sql")
    store.close()


def ask(source, text):
    return asyncio.run(source.tell(Request(text=text), limit=10))


def result_of(source, text):
    made = ask(source, text).found[0].passage
    assert made is not None, ask(source, text).steps
    return made


@pytest.mark.parametrize(
    ("question", "text", "page"),
    [
        ("What were Norvale's net sales in 2024?", "1,000.0", 4),
        ("norvale revenue FY23", "900.0", 4),
        ("NORV inventories at year-end 2024?", "200.0", 5),
        ("How much did Norvale spend on capex in FY2024?", "(60.0)", 6),
        ("Using only the balance sheet, what is Norvale's accounts payable for 2023?", "80.0", 5),
        ("What were the net sales of Norvale's Kiosks in 2024?", "8.0", 9),
    ],
)
def test_a_figure_is_found_in_the_statement_that_prints_it(source, question, text, page):
    told = ask(source, question)
    assert told.cells, told.steps
    key, column = told.cells[0]
    with source._store.reading() as cursor:
        found = cursor.execute(
            'SELECT text, page FROM figures WHERE passage = ? AND "column" = ?', [key, column]
        ).fetchone()
    assert found == (text, page)


@pytest.mark.parametrize(
    ("question", "value", "operands"),
    [
        ("Norvale's current ratio at the end of 2024?", "2.00", {"380.0", "190.0"}),
        ("What was the quick ratio of Norvale in 2024?", "0.95", {"50.0", "130.0", "190.0"}),
        ("Norvale inventory turnover 2024", "4.00", {"(600.0)", "100.0", "200.0"}),
        ("EBITDA margin of Norvale for FY2024", "16.50 %", {"120.0", "45.0", "1,000.0"}),
        ("What was Norvale's free cash flow in 2024?", "90.0 EUR million", {"150.0", "(60.0)"}),
        ("Norvale: operating income over net sales, 2024, in percent", "12.00 %",
         {"120.0", "1,000.0"}),
        ("How much did Norvale's net sales grow in 2024?", "+11.11 %", {"1,000.0", "900.0"}),
        ("What was the difference between Norvale's net income in 2024 and 2023?",
         "+19.0 EUR million (+31.1 %)", {"80.0", "61.0"}),
        ("Days payable outstanding of Norvale for 2024, one decimal", "54.8 days",
         {"80.0", "100.0", "(600.0)"}),
        ("Norvale's net sales 2024 in billions, two decimals", "1.00 EUR billion", {"1,000.0"}),
    ],
)  # fmt: skip
def test_a_calculation_leads_to_its_cells(source, question, value, operands):
    made = result_of(source, question)
    assert made.metadata["result"] == value
    assert {one["text"] for one in json.loads(made.metadata["operands"])} == operands
    assert "Norvale" in made.text


def test_an_operand_that_is_not_there_is_named(source):
    told = ask(source, "What was Norvale's goodwill to total assets ratio in 2024?")
    assert told.sure == ()


def test_a_value_has_the_words_that_it_came_from(source):
    query = parse_query(
        "As a credit analyst, give Norvale's FY2024 net sales in EUR thousands, no decimals.",
        source._store.lexicon(),
    )
    assert query.companies == ("Norvale Industries Inc.",)
    assert [one.key for one in query.periods] == ["2024"]
    assert [(one.words, one.group) for one in query.measures] == [("net sales", "revenue")]
    assert (query.unit.scale, query.unit.unit, query.unit.decimals) == (1000, "EUR", 0)
    assert "not understood: credit" in " ".join(query.lines())


def test_a_unit_that_is_asked_for_is_obeyed(source):
    made = result_of(source, "Give Norvale's FY2024 net sales in EUR thousands.")
    assert made.metadata["result"].startswith("1,000,000")
    assert Decimal(made.metadata["value"]) == 1_000_000


class Scripted:
    """A language model that gives one reply."""

    name = "scripted"

    def __init__(self, reply: str) -> None:
        self.reply = reply

    async def generate(self, prompt, *, most, schema=None) -> AsyncIterator[Chunk]:
        assert schema
        yield Chunk(text=self.reply)


def propose(source, question, **form):
    model = Scripted(json.dumps(form))
    return asyncio.run(source.propose(Request(text=question), model, limit=5))


def test_a_language_model_fills_the_same_query(source):
    question = "How well was each euro that Norvale took in by net sales kept as net income, 2024?"
    told = propose(
        source, question, measures=["net income", "net sales"], operation="ratio",
        numerator=["net income"], denominator=["net sales"],
    )  # fmt: skip
    made = told.found[0].passage
    assert made is not None
    assert {one["text"] for one in json.loads(made.metadata["operands"])} == {"80.0", "1,000.0"}


def test_what_a_model_says_counts_only_where_it_quotes_the_question(source):
    told = propose(source, "What about Norvale in 2024?", measures=["goodwill"], operation="lookup")
    assert told.found == ()
    assert "words of the question" in told.steps[0]
    broken = asyncio.run(
        source.propose(Request(text="net sales?"), Scripted("no form at all"), limit=5)
    )
    assert "gave no form" in broken.steps[0]


def test_every_operand_of_the_sheet_is_a_measure_that_is_known():
    groups = Vocabulary().groups
    assert len(formulas()) >= 40
    for name, formula in formulas().items():
        assert formula["unit"] in ("%", "x", "days", "money"), name
        for text in formula["formulas"]:
            for part in text.split("[")[1:]:
                assert part.split("]")[0] in groups, (name, part)


@pytest.mark.parametrize(
    ("label", "group"),
    [
        ("Receivables, net of allowances of $12", "trade receivables"),
        ("TOTAL CURRENT LIABILITIES", "current liabilities"),
        ("Net income (loss)", "net income"),
        ("NET INCOME ATTRIBUTABLE TO COSTCO", "net income"),
    ],
)
def test_a_label_is_known_under_its_plain_form(label, group):
    assert group in Vocabulary().groups_of(label)


def test_no_name_stands_for_two_measures():
    seen: dict[tuple[str, ...], str] = {}
    vocabulary = Vocabulary()
    for name, phrases in vocabulary.groups.items():
        if vocabulary.kinds[name] != "measure":
            continue
        for stems in phrases:
            assert seen.setdefault(stems, name) == name, (stems, name, seen[stems])
    assert stems_of("R&D") == ("r&d",)
