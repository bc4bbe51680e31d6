"""What does the SQL of a language model find? The rows that it names, or the rows it reckoned with.

Each row of its result has to lead to a passage. Where it gives one number of many instead (a sum,
an average, the highest), the numbers behind it are looked up by the same condition, and reckoned
with anew as cells of reports; where that cannot be, the number is not used, and that is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from consilience.packs.finance.figures.computing import Computed, of_many
from consilience.packs.finance.figures.cursors import Asked
from consilience.packs.finance.figures.guarding import MOST_ROWS, Selected, checked, run
from consilience.packs.finance.figures.querying import Allowed
from consilience.packs.finance.figures.selecting import Fact, cells, facts_of
from consilience.types import Found, SourceReply

if TYPE_CHECKING:
    from sqlglot import exp

MOST_CELLS = 60
"""Numbers that one is made of; of more nobody would look at each."""
_OPERATIONS = {"Sum": "sum", "Avg": "average", "Max": "highest", "Min": "lowest"}
_PLAIN = frozenset({"expressions", "from_", "where", "limit"})
_WITHOUT = "the model's SQL gives a number without the rows that it is from; it was not used"


def selected(
    asked: Asked, sql: str, collection: str, limit: int, allowed: Allowed | None = None
) -> SourceReply:
    """What a proposed statement finds, best first; `SourceError` says why it may not run.

    Rows that no passage has, or that the filters of a request keep out, are left out.
    """
    found = run(asked, sql)
    if not found.rows:
        return SourceReply(found=(), query=found.sql)
    names = [one.casefold() for one in found.columns]
    if "passage" in names:
        return _rows(asked, found, names.index("passage"), limit, allowed)
    computed = _computed(asked, found, collection, allowed)
    if computed is None:
        return SourceReply(found=(), query=found.sql, steps=(_WITHOUT,))
    ids = [computed.passage.id, *computed.operands][:limit]
    brought = {computed.passage.id: computed.passage}
    ranked = tuple(Found(key, 1 - at / 1000, brought.get(key)) for at, key in enumerate(ids))
    return SourceReply(found=ranked, query=f"{found.sql};\n{computed.query}")


def _rows(
    asked: Asked, found: Selected, at: int, limit: int, allowed: Allowed | None
) -> SourceReply:
    named = list(dict.fromkeys(row[at] for row in found.rows if isinstance(row[at], str)))
    known = {
        row[0]
        for row in asked.rows(
            "SELECT DISTINCT passage FROM figures WHERE passage IN (SELECT unnest(?::VARCHAR[]))",
            [named],
        )
    }
    kept = [one for one in named if one in known]
    if allowed is not None and kept:
        passed = set(allowed(kept))
        kept = [one for one in kept if one in passed]
    ranked = tuple(Found(key, 1 - place / 1000) for place, key in enumerate(kept[:limit]))
    steps = () if named else (_WITHOUT,)
    return SourceReply(found=ranked, query=found.sql, steps=steps)


def _computed(
    asked: Asked, found: Selected, collection: str, allowed: Allowed | None
) -> Computed | None:
    """The one number of many, made again of the cells that it is from."""
    operation, source = _behind(found.sql)
    if not operation:
        return None
    places = run(asked, source).rows
    if not 1 < len(places) <= MOST_CELLS:
        return None
    facts = facts_of(asked.rows(*cells([(str(key), int(column)) for key, column in places])))
    if allowed is not None and len(_allowed(facts, allowed)) < len(facts):
        return None  # what is kept out must not count either
    return of_many(asked, operation, facts, collection)


def _allowed(facts: Sequence[Fact], allowed: Allowed) -> list[Fact]:
    passed = set(allowed(list(dict.fromkeys(one.passage for one in facts))))
    return [one for one in facts if one.passage in passed]


def _behind(sql: str) -> tuple[str, str]:
    """What is done with numbers, and the SELECT of these; nothing where it is not that plain."""
    import sqlglot  # noqa: PLC0415 - an optional package, which has read it once
    from sqlglot import exp  # noqa: PLC0415

    tree = sqlglot.parse_one(sql, dialect="duckdb")
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return "", ""
    if any(value and name not in _PLAIN for name, value in tree.args.items()):
        return "", ""
    operation = _operation(tree.expressions[0])
    if not operation:
        return "", ""
    places = exp.select("passage", '"column"', dialect="duckdb").from_("figures")
    where = tree.args.get("where")
    if where is not None:
        places = places.where(where.this)
    return operation, checked(places.limit(MOST_ROWS).sql(dialect="duckdb"))


def _operation(one: exp.Expr) -> str:
    """The one aggregate of `number` or `value`, rounded or not, that an expression is."""
    from sqlglot import exp  # noqa: PLC0415 - an optional package

    bare = one.unalias()
    while isinstance(bare, exp.Round | exp.Cast | exp.Paren | exp.Coalesce):
        bare = bare.this
    column = bare.this if isinstance(bare, exp.Sum | exp.Avg | exp.Max | exp.Min) else None
    if not isinstance(column, exp.Column) or column.name.casefold() not in ("number", "value"):
        return ""
    return _OPERATIONS[type(bare).__name__]
