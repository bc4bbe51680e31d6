r"""How is mathematics shown? TeX between dollars, `\(…\)` or `\[…\]` becomes MathML.

What the converter writes is read again, and only elements and attributes of MathML are kept. What
cannot be converted is shown as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup, escape

FORMULA = re.compile(
    r"\$\$(?P<shown>[^$]{1,2000}?)\$\$"
    r"|\\\[(?P<bracketed>.{1,2000}?)\\\]"
    r"|\\\((?P<inline>.{1,2000}?)\\\)"
    r"|(?<![\w$])\$(?P<dollars>(?![\s$])[^$\n]{0,500}?[^$\s\\])\$(?![\w$])",
    re.DOTALL,
)
"""A formula; a dollar before an amount begins none, as no space may stand inside of the dollars."""
_IS_TEX = re.compile(r"[\\^_=<>+]|^[A-Za-z]['′]?$")
_ESCAPED = re.compile(r"\\([*<>&_#])")  # what escapes Markdown in quotations
_XMLNS = "{http://www.w3.org/1998/Math/MathML}"
_ELEMENT_NAMES = """math mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover
mfrac msqrt mroot mtable mtr mtd mstyle mpadded mphantom mmultiscripts mprescripts menclose"""
_ATTRIBUTE_NAMES = """display accent accentunder stretchy mathvariant linethickness columnalign form
fence separator minsize maxsize lspace rspace width height depth displaystyle scriptlevel"""
_ELEMENTS, _ATTRIBUTES = frozenset(_ELEMENT_NAMES.split()), frozenset(_ATTRIBUTE_NAMES.split())


def render_mathematics(
    text: str, rest: Callable[[str], Markup] = escape, *, blocks: bool = False
) -> Markup:
    """A plain text as HTML: formulas as MathML, what is between them by `rest`.

    With `blocks` displayed formulas have a line of their own.
    """
    return Markup("").join(_parts(text, rest, blocks=blocks))


def _parts(text: str, rest: Callable[[str], Markup], *, blocks: bool) -> Iterator[Markup]:
    last = 0
    for match in FORMULA.finditer(text):
        formula = render_formula(match, blocks=blocks)
        if formula is not None:
            yield rest(text[last : match.start()])
            yield formula
            last = match.end()
    yield rest(text[last:])


def render_formula(match: re.Match[str], *, blocks: bool = False) -> Markup | None:
    """A match of `FORMULA` as MathML; None where it is no formula or cannot be shown."""
    tex = next(group for group in match.groups() if group is not None).strip()
    if match["dollars"] is not None and not _IS_TEX.search(tex):
        return None
    return _to_mathml(tex, block=blocks and bool(match["shown"] or match["bracketed"]))


@lru_cache(1024)
def _to_mathml(tex: str, *, block: bool) -> Markup | None:
    try:
        written = convert(_ESCAPED.sub(r"\1", tex), display="block" if block else "inline")
        return Markup(_clean(ElementTree.fromstring(written)))  # noqa: S314, S704 - see `_clean`
    except Exception:  # noqa: BLE001 - the converter fails on wrong TeX in many ways
        return None


def _clean(node: ElementTree.Element) -> str:
    """An element of MathML with what it may hold; any other is refused."""
    name = node.tag.removeprefix(_XMLNS)
    if name not in _ELEMENTS:
        raise ValueError(f"{name} is not an element of MathML")
    known = ((key, value) for key, value in node.attrib.items() if key in _ATTRIBUTES)
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in known)
    inner = "".join(f"{_clean(child)}{escape(child.tail or '')}" for child in node)
    return f"<{name}{attributes}>{escape(node.text or '')}{inner}</{name}>"
