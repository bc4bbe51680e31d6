"""What comes out when figures are computed? An expression over cells, and its formula in words.

A calculation is a tree: cells at its leaves, `+ - * /` between them. It comes from the sheet
(`formulas.toml`), from arithmetic that the question spells out, or from its operation: difference,
growth, share, average and so on. The arithmetic is SQL on DECIMAL numbers in whole units, so that
thousands and millions go together; the result is a passage of its own with each operand's place.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from consilience.packs.finance.data_model import BETWEEN, Period
from consilience.packs.finance.figures.query import FigureQuery, Term
from consilience.packs.finance.figures.search import WHOLE, FigureSearch, Found
from consilience.packs.finance.figures.store import Fact, shown
from consilience.packs.finance.figures.vocabulary import (
    LIGHT,
    book,
    countries,
    formulas,
    frame,
    outlays,
    stems_of,
    tokenize,
)
from consilience.packs.finance.notation.periods import before, shifted, told
from consilience.packs.finance.tables.items import unit_text
from consilience.types import Locator, Passage, identified

KIND = "calculation"
_DEEPEST = 3
_OPERAND = re.compile(r"(?P<how>avg|prior)?\[(?P<name>[^\]]+)\](?P<optional>\?)?")
_RATES = frozenset({"%", "pp", "bps", "percent"})
_MOST = 40
_AS_GOOD = 0.05
_JOINTS = frozenset(("and", "or", "und", "oder", "vs", "versus", "than", "minus", "plus"))
_SIGNS = {"+": "+", "-": "−", "*": "×", "/": "/"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A calculation as a passage, the passages of its operands, and the SQL that computed it."""

    passage: Passage
    operands: tuple[str, ...]
    query: str


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression: a cell, a number, or an operation on two parts."""

    sign: str = ""
    left: Node | None = None
    right: Node | None = None
    fact: Fact | None = None
    number: Decimal | None = None
    outlay: bool = False

    def facts(self) -> list[Fact]:
        """The cells in it, from left to right."""
        own = [self.fact] if self.fact else []
        return [*own, *(fact for side in (self.left, self.right) if side for fact in side.facts())]


class MissingOperand(Exception):
    """What an expression could not be made of, in words."""


@dataclass(slots=True)
class _Sql:
    """An expression as SQL: each cell is `v1`, `v2`, … by its place among the operands."""

    facts: list[Fact] = field(default_factory=list)

    def of(self, node: Node) -> str:
        if node.fact is not None:
            if node.fact not in self.facts:
                self.facts.append(node.fact)
            name = f"v{self.facts.index(node.fact) + 1}"
            return f"abs({name})" if node.outlay and node.fact.number < 0 else name
        if node.number is not None:
            return str(node.number)
        if node.left is None or node.right is None:
            return "0"
        left, right = self.of(node.left), self.of(node.right)
        return (
            f"({left} / nullif({right}, 0))"
            if node.sign == "/"
            else f"({left} {node.sign} {right})"
        )


# --- which calculation a query asks for -------------------------------------------------


class Calculator:
    """Makes the calculation that a query asks for, of the cells that a search finds."""

    def __init__(self, search: FigureSearch, query: FigureQuery, collection: str) -> None:
        self.search = search
        self.query = query
        self.collection = collection
        self.missing: list[str] = []
        self._period = query.periods[0] if query.periods else None

    def calculate(self) -> Calculation | None:
        """The calculation; None where none is asked for, or `missing` says what was not found."""
        try:
            return self._calculate()
        except MissingOperand as error:
            self.missing.append(str(error))
            return None

    def _calculate(self) -> Calculation | None:
        query = self.query
        if query.numerator:
            return self._spelt_out()
        makers = {
            "difference": self._difference,
            "higher": self._difference,
            "growth": self._difference,
            "share": self._share,
            "ratio": self._ratio,
            "average": self._several,
            "sum": self._several,
            "highest": self._picked,
            "lowest": self._picked,
            "trend": self._trend,
        }
        maker = makers.get(query.operation)
        if maker is not None and (made := maker()) is not None:
            return made
        if query.formula and query.operation in ("lookup", "average", "ratio"):
            return self._from_sheet()
        return self._converted() if query.operation == "lookup" else None

    # --- arithmetic in the question, formulas of the sheet ---

    def _spelt_out(self) -> Calculation | None:
        query = self.query
        spans = [one for _, one in (*query.numerator, *query.denominator)]
        others = [
            one
            for one in query.terms
            if one.kind == "name"
            and not any(one.start < s.end and s.start < one.end for s in spans)
        ]
        nodes = []
        for period in self._each_period():
            over = self._sum(query.numerator, period, others)
            if query.denominator:
                over = Node("/", over, self._sum(query.denominator, period, others))
            nodes.append(over)
        unit = self._unit_of_ratio() if query.denominator else "money"
        return self._result(_mean(nodes), unit, self._heading(nodes))

    def _each_period(self) -> Sequence[Period | None]:
        """The periods that an average of yearly ratios is taken over; else the first alone."""
        if (
            self.query.operation == "average"
            and len(self.query.periods) > 1
            and not any(one.average for _, one in (*self.query.numerator, *self.query.denominator))
        ):
            return self.query.periods
        return (
            (max(self.query.periods, key=lambda one: one.end),) if self.query.periods else (None,)
        )

    def _sum(
        self, terms: Sequence[tuple[int, Term]], period: Period | None, others: Sequence[Term]
    ) -> Node:
        first = terms[0][1]
        total = self._operand(first, period, average=first.average, others=others)
        for sign, term in terms[1:]:
            node = self._operand(term, period, average=term.average, others=others)
            total = Node("+" if sign > 0 else "-", total, node)
        return total

    def _from_sheet(self) -> Calculation | None:
        name = self.query.formula
        if not self.query.unit.decimals and self.query.operation == "lookup":
            printed = self._printed(name, self._period)
            if printed is not None:
                return self._converted()
        nodes = [self._formula(name, period, 0) for period in self._each_period()]
        return self._result(_mean(nodes), formulas()[name]["unit"], name)

    def _printed(self, name: str, period: Period | None) -> Fact | None:
        """A measure that a report prints itself, in the unit that its formula gives."""
        term = _named(name)
        others = [one for one in self.query.terms if one.kind == "name" and one.group != name]
        best = self.search.find([term, *others], period, measure=name).best
        if best is None:
            return None
        unit = formulas().get(name, {}).get("unit", "")
        if unit and (unit == "%") != (best.unit in _RATES):
            return None
        return best

    def _formula(self, name: str, period: Period | None, depth: int) -> Node:
        """The first formula of a measure whose operands are all there."""
        lost = MissingOperand(name)
        for text in formulas()[name]["formulas"]:
            try:
                return self._expression(text, period, depth)
            except MissingOperand as error:
                lost = error
        raise lost

    def _expression(self, text: str, period: Period | None, depth: int) -> Node:
        tokens: list[Node | str] = []
        at = 0
        for match in _OPERAND.finditer(text):
            tokens += _signs(text[at : match.start()])
            at = match.end()
            when = _before(period) if match["how"] == "prior" else period
            try:
                node = self._measure(match["name"], when, depth, average=match["how"] == "avg")
            except MissingOperand:
                if not match["optional"]:
                    raise
                node = Node(number=Decimal(0))
            tokens.append(node)
        return _parsed([*tokens, *_signs(text[at:])])

    def _measure(
        self, name: str, period: Period | None, depth: int, *, average: bool = False
    ) -> Node:
        if average:
            return _halves([self._measure(name, one, depth) for one in _ends(name, period)])
        fact = self._printed(name, period)
        if fact is not None:
            return Node(fact=fact, outlay=name in outlays())
        if name in formulas() and depth < _DEEPEST:
            return self._formula(name, period, depth + 1)
        raise _lost(name, period)

    def _operand(
        self,
        term: Term,
        period: Period | None,
        *,
        average: bool = False,
        others: Sequence[Term] = (),
    ) -> Node:
        """The cell of a measure that the question names; by the sheet where none prints it."""
        if average:
            ends = _ends(term.words, period)
            return _halves([self._operand(term, one, others=others) for one in ends])
        more = [Term(words=" ".join(one), stems=one) for one in term.more]
        for terms in ([term, *more, *others], [term, *more]):
            best = self.search.find(terms, period).best
            if best is not None:
                return Node(fact=best, outlay=term.group in outlays())
        if term.group in formulas():
            return self._formula(term.group, period, 1)
        raise _lost(f"“{term.words}”", period)

    # --- operations between the sides of a question ---

    def sides(self) -> tuple[str, list[Found]]:
        """What a question sets side by side, and by what those differ."""
        query, search = self.query, self.search
        terms = list(query.terms)
        period = self._period
        if query.operation in ("growth", "difference", "higher") and len(query.periods) > 2:
            query = replace(query, periods=(query.periods[-1], query.periods[0]))
        if len(query.companies) > 1:
            return "company", [search.find(terms, period, company=one) for one in query.companies]
        if query.against in ("budget", "forecast"):
            return "basis", [
                search.find(terms, period, basis=one) for one in ("actual", query.against)
            ]
        if query.against == "last year" and period is not None:
            return "period", [search.find(terms, one) for one in (period, _before_year(period))]
        if len(query.periods) > 1:
            periods = sorted(query.periods, key=lambda one: one.end, reverse=True)
            return "period", [search.find(terms, one) for one in periods]
        for kind in ("name", "measure", "label", "word"):
            listed = _listed(terms, kind, query.text)
            if len(listed) > 1:
                rest = [one for one in terms if one not in listed]
                found = [search.find([*rest, one], period) for one in listed]
                if all(one.best for one in found):
                    return kind, found
        return "", [search.find(terms, period)]

    def _two(self) -> tuple[str, list[Fact]]:
        by, found = self.sides()
        if len(found) == 1 and found[0].best is not None and self.query.operation != "higher":
            period = found[0].best.time
            earlier = _before_year(period) if period else None
            if earlier is not None:
                by, found = "period", [*found, self.search.find(self.query.terms, earlier)]
        for one in found:
            self.missing += [*one.missing, *([one.note] if one.note else [])]
        facts = [one.best for one in found if one.best is not None]
        return by, facts if len(facts) == len(found) else []

    def _difference(self) -> Calculation | None:
        by, facts = self._two()
        if len(facts) < 2 or not _go_together(facts[:2]):
            return None
        first, second = facts[0], facts[-1]
        is_spent = by in ("measure", "label") and second.metric and second.number < 0
        left, right = Node(fact=first), Node(fact=second, outlay=bool(is_spent))
        if self.query.operation == "growth" and first.unit not in _RATES:
            base = Node(fact=second)
            node = Node("/", Node("-", left, right), base)
            return self._result(node, "growth", self._heading([node]))
        node = Node("-", left, right)
        return self._result(node, "change", self._heading([node]))

    def _share(self) -> Calculation | None:
        """A part of a whole: of two measures the one behind `of`, else the measure without what
        else is named.
        """
        terms = list(self.query.terms)
        measures = [one for one in terms if one.kind == "measure"]
        if len(measures) > 1:
            whole, part = (
                self.search.find([measures[0]], self._period),
                self.search.find(
                    [measures[1], *(one for one in terms if one.kind == "name")], self._period
                ),
            )
        elif measures:
            behind = [one for one in terms if one.start >= measures[0].end]
            ahead = [one for one in terms if one.end <= measures[0].start]
            of_whole = [*ahead, measures[0]] if behind else [measures[0]]
            of_part = [measures[0], *(behind or ahead)]
            whole = self.search.find(of_whole, self._period)
            part = self._part_of(whole.best, of_part)
            if whole.best and part.best and not self._counts(part.best, measures[0], whole.best):
                return None
        else:
            return None
        self.missing += [*part.missing, *whole.missing]
        if part.best is None or whole.best is None or part.best == whole.best:
            return None
        if not _go_together([part.best, whole.best]) or abs(part.best.number) > abs(
            whole.best.number
        ):
            return None
        node = Node("/", Node(fact=part.best, outlay=True), Node(fact=whole.best, outlay=True))
        return self._result(node, "%", self._heading([node]))

    def _part_of(self, whole: Fact | None, terms: Sequence[Term]) -> Found:
        """A part of a whole: in the same table, where it stands there about as well."""
        found = self.search.find(terms, self._period)
        if whole is None or found.best is None:
            return found
        table = (whole.document, whole.table)
        inside = self.search.find(terms, self._period, table=table)
        near = inside.best is not None and inside.best != whole
        near = near and inside.facts[0].score >= found.facts[0].score - _AS_GOOD
        return inside if near else found

    def _counts(self, part: Fact, measure: Term, whole: Fact) -> bool:
        """Whether a part counts what the whole does: in its table, or by the measure's name."""
        groups_of = self.search.lexicon.vocabulary.groups_of
        names = (part.metric or "", part.label.rpartition(BETWEEN)[2])
        same = any(measure.group in groups_of(one) for one in names if one)
        return same or (part.document, part.table) == (whole.document, whole.table)

    def _ratio(self) -> Calculation | None:
        measures = [one for one in self.query.terms if one.kind in ("measure", "label")]
        if len(measures) < 2:
            by, facts = self._two()
            if by and len(facts) == 2:
                node = Node("/", Node(fact=facts[0]), Node(fact=facts[1]))
                return self._result(node, "x", self._heading([node]))
            return None
        others = [one for one in self.query.terms if one.kind == "name"]
        sides = [self._operand(one, self._period, others=others) for one in measures[:2]]
        node = Node("/", sides[0], sides[1])
        return self._result(node, self._unit_of_ratio(), self._heading([node]))

    def _series(self) -> list[Fact]:
        """The figures that are added up, averaged, picked from or listed."""
        by, found = self.sides()
        facts = [one.best for one in found if one.best is not None]
        if by and len(facts) == len(found):
            return facts
        if by:
            return []
        best = found[0].best
        if best is None:
            return []
        return self._parts(best) if self.query.operation != "trend" else self._times(best)

    def _times(self, best: Fact) -> list[Fact]:
        """The same row at all its times."""
        facts = self.search.find(self.query.terms, None).facts
        found: dict[str, Fact] = {}
        for one in facts:
            same = (one.metric, one.entity, one.company, one.kind) == (
                best.metric, best.entity, best.company, best.kind
            )  # fmt: skip
            if same and one.period:
                found.setdefault(one.period, one)
        return sorted(found.values(), key=lambda one: str(one.ends))

    def _parts(self, best: Fact) -> list[Fact]:
        """The figures of the same measure in the table of the best, one for each of its parts."""
        period = best.time
        facts = self.search.find(
            [one for one in self.query.terms if one.kind == "measure"], period
        ).facts
        found: dict[tuple[str, str], Fact] = {}
        groups_of = self.search.lexicon.vocabulary.groups_of
        said = {*stems_of(self.query.text)}
        of_countries, of_divisions = "country" in said, bool(said & {"division", "segment"})
        for one in facts:
            if (one.metric, one.unit, one.document) != (best.metric, best.unit, best.document):
                continue
            is_total = not one.entity or {*stems_of(one.entity)} & {"total", "group"}
            is_country = bool(groups_of(one.parts[-1] if one.parts else "") & countries())
            if (is_country and of_divisions) or (of_countries and not is_country):
                continue
            if not is_total and period is not None and self.search.fit(one, period) > 0.9:
                found.setdefault((one.table, one.entity), one)
        tables = Counter((one.document, one.table) for one in found.values())
        table = max(tables, key=lambda one: tables[one], default=None)
        same = [one for one in found.values() if (one.document, one.table) == table]
        least = min((len(one.parts) for one in same), default=0)
        return [one for one in same if len(one.parts) == least]

    def _several(self) -> Calculation | None:
        facts = self._series()
        if len(facts) < 2 or not _go_together(facts):
            return None
        total: Node = Node(fact=facts[0])
        for one in facts[1:]:
            total = Node("+", total, Node(fact=one))
        if self.query.operation == "average":
            total = Node("/", total, Node(number=Decimal(len(facts))))
        return self._result(total, "same", self._heading([total]))

    def _picked(self) -> Calculation | None:
        facts = self._series()
        if len(facts) < 2 or not _go_together(facts):
            return None
        highest = self.query.operation == "highest"
        order = sorted(facts, key=lambda one: one.number, reverse=highest)
        picked = order[: max(1, self.query.count)]
        named = ", ".join(f"{_differing(one, facts)} ({amount_of(one)})" for one in picked)
        word = self.query.operation
        return self._written(
            self._heading([Node(fact=one) for one in picked[:1]], named=False),
            f"{word} of {len(facts)}: {named}", named, picked[0].value, unit_of(picked[0]),
            picked, "",
        )  # fmt: skip

    def _trend(self) -> Calculation | None:
        facts = sorted(self._series(), key=lambda one: str(one.ends))
        if len(facts) < 2 or not _go_together(facts):
            return None
        first, last = facts[0], facts[-1]
        change = (last.number - first.number) / Decimal(last.scale or 1)
        digits = max(map(decimals_of, facts))
        percent = ""
        if last.unit not in _RATES and first.number > 0:
            percent = f" ({signed(100 * (last.number - first.number) / first.number, 1)} %)"
        unit = " pp" if last.unit in _RATES else ""
        text = f"{value_of(first)} → {amount_of(last)}, {signed(change, digits)}{unit}{percent}"
        return self._written(
            self._heading([Node(fact=one) for one in (first, last)]), text, text, change,
            unit_of(last), facts, "",
        )  # fmt: skip

    def _converted(self) -> Calculation | None:
        """A printed figure in the unit that the question asks for, where that is another."""
        found = self.search.find(self.query.terms, self._period)
        best, unit = found.best, self.query.unit
        if best is None or len(self.query.periods) > 1 or best.unit in _RATES:
            return None
        if unit.scale in (0, best.scale) or (
            best.scale == 1 and abs(best.number) < unit.scale / 1000
        ):
            return None
        node = Node(fact=best)
        return self._result(node, "same", self._heading([node]))

    # --- the result ---

    def _unit_of_ratio(self) -> str:
        unit = str(formulas().get(self.query.formula, {}).get("unit", ""))
        if unit in ("%", "x", "days"):
            return unit
        if self.query.unit.unit == "%" or "percent" in self.query.text or "%" in self.query.text:
            return "%"
        return "x"

    def _heading(self, nodes: Sequence[Node], *, named: bool = True) -> str:
        facts = [fact for node in nodes for fact in node.facts()]
        metrics = list(dict.fromkeys(one.metric or one.label for one in facts))
        name = " and ".join(metrics[:3]) + (" …" if len(metrics) > 3 else "")
        entities = list(dict.fromkeys(_entity(one) for one in facts if _entity(one)))
        if entities and named and len(entities) <= 4:
            name += f" of {' and '.join(entities)}"
        return name

    def _result(self, node: Node, unit: str, heading: str) -> Calculation | None:
        """Compute an expression, and write it down."""
        sql = _Sql()
        expression = sql.of(node)
        facts = sql.facts
        money = [one for one in facts if one.unit and len(one.unit) == 3 and one.unit.isupper()]
        if len({one.unit for one in money}) > 1:
            self.missing.append("figures in one currency")
            return None
        times = "100 * " if unit in ("%", "growth") else ""
        statement, parameters = _statement(f"{times}{expression}", facts)
        rows = self.search.asked.rows(statement, parameters)
        if not rows or rows[0][0] is None:
            return None
        number = Decimal(str(rows[0][0]))
        text, value, named = self._amount(number, unit, facts)
        formula = _shown(node, facts[0])
        query = shown(statement, parameters)
        return self._written(heading, f"{formula} = {text}", text, value, named, facts, query)

    def _amount(
        self, number: Decimal, unit: str, facts: Sequence[Fact]
    ) -> tuple[str, Decimal, str]:
        """A result in words, its number, and its unit: as asked for, else as the operands are."""
        asked, first = self.query.unit, facts[0]
        if unit in ("%", "growth"):
            digits = 2 if asked.decimals is None else asked.decimals
            write = signed if unit == "growth" else written
            return f"{write(number, digits)} %", number, "%"
        if unit in ("x", "days"):
            digits = 2 if asked.decimals is None else asked.decimals
            if asked.decimals is None and abs(number) < Decimal("0.1"):
                digits = 4
            return _joined(written(number, digits), "days" if unit == "days" else ""), number, unit
        scale = asked.scale or first.scale or 1
        value = number / scale
        digits = max(map(decimals_of, facts)) if scale == first.scale else 2
        if facts and len(facts) > 1 and unit == "same" and not digits and abs(value) < 1000:
            digits = 1
        digits = digits if asked.decimals is None else asked.decimals
        rate = first.unit in _RATES
        named = "pp" if rate and unit == "change" else unit_text(first.unit, scale)
        write = signed if unit == "change" else written
        text = _joined(write(value, min(6, digits)), named)
        if unit == "change" and not rate and len(facts) == 2 and facts[1].number > 0:
            text += f" ({signed(100 * number / facts[1].number, 1)} %)"
        return text, value, named

    def _written(
        self,
        heading: str,
        formula: str,
        text: str,
        value: Decimal,
        unit: str,
        facts: Sequence[Fact],
        query: str,
    ) -> Calculation:
        """The passage that says the result, formula first, then where each operand is printed."""
        first = facts[0]
        when = _times(facts)
        subject = ", ".join(one for one in (first.company, heading, when) if one)
        lines = [f"{subject}: {formula}", *(line_of(one) for one in facts[:_MOST])]
        passage = Passage(
            id="",
            collection=self.collection,
            document=first.document,
            kind=KIND,
            title=first.title,
            text="\n".join(lines),
            locator=Locator(
                section=(first.caption,) if first.caption else (),
                page=first.page,
                table=first.table,
            ),
            metadata={
                "metric": first.metric,
                "entity": first.entity,
                "company": first.company,
                "period": first.period or "",
                "operation": self.query.formula or self.query.operation,
                "result": text,
                "value": f"{value.normalize():f}",
                "unit": unit,
                "operands": json.dumps([_place(one) for one in facts], ensure_ascii=False),
            },
        )
        return Calculation(
            passage=identified(passage),
            operands=tuple(dict.fromkeys(one.passage for one in facts)),
            query=query or (self.search.statements[-1] if self.search.statements else ""),
        )


# --- expressions ------------------------------------------------------------------------


def _named(group: str) -> Term:
    return Term(words=group, stems=stems_of(group), group=group, kind="measure")


def _ends(name: str, period: Period | None) -> tuple[Period, Period]:
    """The beginning and the end of a period, of which a balance is averaged."""
    if period is None:
        raise MissingOperand(f"a period for the average of {name}")
    return before(period), period


def _halves(nodes: Sequence[Node]) -> Node:
    return Node("/", Node("+", nodes[0], nodes[1]), Node(number=Decimal(2)))


def _lost(name: str, period: Period | None) -> MissingOperand:
    return MissingOperand(f"{name} for {told(period)}" if period else name)


def _mean(nodes: Sequence[Node]) -> Node:
    total = nodes[0]
    for one in nodes[1:]:
        total = Node("+", total, one)
    return Node("/", total, Node(number=Decimal(len(nodes)))) if len(nodes) > 1 else total


def _signs(text: str) -> list[Node | str]:
    parts = re.findall(r"\d+(?:\.\d+)?|[-+*/()]", text)
    return [part if part in "-+*/()" else Node(number=Decimal(part)) for part in parts]


def _parsed(tokens: Sequence[Node | str]) -> Node:
    """A tree of tokens: brackets first, then `*` and `/`, then `+` and `-`, from the left."""
    rest = list(tokens)

    def factor() -> Node:
        first = rest.pop(0)
        if first == "(":
            inner = terms()
            rest.pop(0)
            return inner
        assert isinstance(first, Node)  # noqa: S101 - the sheet is ours, and tested
        return first

    def product() -> Node:
        node = factor()
        while rest and rest[0] in ("*", "/"):
            node = Node(str(rest.pop(0)), node, factor())
        return node

    def terms() -> Node:
        node = product()
        while rest and rest[0] in ("+", "-"):
            node = Node(str(rest.pop(0)), node, product())
        return node

    return terms()


def _statement(expression: str, facts: Sequence[Fact]) -> tuple[str, list[Any]]:
    names = ", ".join(
        f"max(number) FILTER (operand = {at}) AS v{at}" for at in range(1, len(facts) + 1)
    )
    sql = (
        f"WITH cells AS (SELECT {names} FROM (SELECT unnest(?::INTEGER[]) AS operand, "  # noqa: S608
        'unnest(?::VARCHAR[]) AS passage, unnest(?::INTEGER[]) AS "column") '
        f'JOIN figures USING (passage, "column")) SELECT ({expression})::VARCHAR FROM cells'
    )
    places = [list(range(1, len(facts) + 1)), [one.passage for one in facts]]
    return sql, [*places, [one.column for one in facts]]


def _before(period: Period | None) -> Period | None:
    return before(period) if period is not None else None


def _before_year(period: Period) -> Period:
    return shifted(period, -1)


def _go_together(facts: Sequence[Fact]) -> bool:
    """Units are never mixed; a number that says none goes with any."""
    return len({one.unit for one in facts if one.unit}) <= 1


def _listed(terms: Sequence[Term], kind: str, text: str) -> list[Term]:
    """Terms of a kind with nothing but a comma, `and`, `or` or `than` between them."""
    tokens = tokenize(text)
    compared = {
        tokens[at].stem
        for one in book("operations").find(tokens)
        for at in range(one.start, one.end)
    }
    same = [one for one in terms if one.kind == kind and one.stems]
    best: list[Term] = []
    run: list[Term] = []
    for term in same:
        gap = [one.stem for one in tokens[run[-1].end : term.start]] if run else []
        joined = (
            not gap and "," in text[tokens[run[-1].end - 1].end : tokens[term.start].start]
            if run
            else False
        )
        if run and (
            joined or ({*gap} & _JOINTS and {*gap} <= _JOINTS | LIGHT | frame() | compared)
        ):
            run.append(term)
        else:
            run = [term]
        best = run if len(run) > len(best) else best
    return best


def _shown(node: Node, first: Fact) -> str:
    """An expression with the numbers as printed."""
    if node.fact is not None:
        fact = node.fact
        same = (fact.unit, fact.scale) == (first.unit, first.scale)
        text = value_of(fact) if same else amount_of(fact)
        if fact.value < 0:
            return f"|{text}|" if node.outlay else f"({text})"
        return text
    if node.number is not None:
        return f"{node.number.normalize():f}"
    if node.left is None or node.right is None:
        return ""
    left, right = _shown(node.left, first), _shown(node.right, first)
    if node.left.number == 0 or node.right.number == 0:
        return left if node.right.number == 0 else right
    if node.sign in "*/":
        left = f"({left})" if node.left.sign in ("+", "-") else left
        right = f"({right})" if node.right.sign else right
    elif node.sign == "-" and node.right.sign in ("+", "-"):
        right = f"({right})"
    return f"{left} {_SIGNS[node.sign]} {right}"


# --- how numbers are written ------------------------------------------------------------


def amount_of(fact: Fact) -> str:
    """A number with its unit, as printed."""
    return _joined(value_of(fact), unit_of(fact))


def value_of(fact: Fact) -> str:
    """A number with the decimals that it has in print."""
    return written(fact.value, decimals_of(fact))


def unit_of(fact: Fact) -> str:
    """Its unit with the scale: USD million."""
    return unit_text(fact.unit, fact.scale)


def decimals_of(fact: Fact) -> int:
    """The decimals that a number has in print: three of 12.500, though the last say nothing."""
    exponent = fact.value.normalize().as_tuple().exponent
    least = max(0, -exponent) if isinstance(exponent, int) else 0
    digits = "".join(one for one in fact.text if one.isdecimal())
    for at in range(least, least + 5):
        if "".join(one for one in f"{fact.value:.{at}f}" if one.isdecimal()) == digits:
            return min(6, at)
    return min(6, least)


def written(value: Decimal, digits: int) -> str:
    """A number with commas between thousands and so many decimals."""
    rounded = value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{abs(rounded):,.{digits}f}"
    return f"−{text}" if rounded < 0 else text


def signed(value: Decimal, digits: int) -> str:
    """The same with its sign, also where it is above zero."""
    text = written(value, digits)
    return text if text.startswith("−") or not text.strip("0.,") else f"+{text}"


def line_of(one: Fact) -> str:
    """Where an operand is printed: what it is, its text, document, page, table and row."""
    what = ", ".join(part for part in (_subject(one), told(one.time) if one.time else "") if part)
    place = [one.title or one.document]
    place += [f"page {one.page}"] if one.page is not None else []
    place += [f"table {one.table}"] if one.table else []
    place += [f"row {one.row}"] if one.row is not None else []
    basis = "" if one.basis == "actual" else f", {one.basis}"
    unit = f" {unit_of(one)}" if unit_of(one) and unit_of(one) not in one.text else ""
    return f"{one.text}{unit}: {what}{basis} ({', '.join(place)})"


def _subject(one: Fact) -> str:
    parts = [*one.label.split(BETWEEN), one.metric, *one.parts]
    return BETWEEN.join(dict.fromkeys(part for part in parts if part))


def _times(facts: Sequence[Fact]) -> str:
    """The times of numbers; of more than two the first and the last."""
    known = {one.time.key: one.time for one in facts if one.time}
    if len(known) <= 2:
        return ", ".join(told(one) for one in known.values())
    order = sorted(known.values(), key=lambda one: one.end)
    return f"{told(order[0])} to {told(order[-1])}"


def _entity(one: Fact) -> str:
    return BETWEEN.join(part for part in one.parts if not {*stems_of(part)} <= WHOLE)


def _differing(fact: Fact, facts: Sequence[Fact]) -> str:
    """By what a number differs from the others it is listed with."""
    for of in (
        _entity,
        lambda one: told(one.time) if one.time else "",
        lambda one: one.company,
        lambda one: one.metric,
    ):
        if len({of(one) for one in facts}) > 1 and of(fact):
            return of(fact)
    return fact.label


def _joined(text: str, unit: str) -> str:
    return f"{text} {unit}".strip()


def _place(one: Fact) -> Mapping[str, Any]:
    return {
        "passage": one.passage,
        "row": one.row,
        "column": one.column,
        "text": one.text,
        "label": one.label,
        "header": one.header,
        "page": one.page,
        "table": one.table,
        "document": one.document,
    }
