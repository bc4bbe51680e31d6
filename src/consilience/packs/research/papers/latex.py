"""What do the commands of LaTeX mean here? Which are headings, which say nothing, which are lists.

A file may define commands of its own; those are put in before it is read. All other unknown
commands are dropped and what stands in their braces is kept, unless it is a name or a number.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from consilience.errors import LoadError, MissingExtra

LEVELS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_FORMULAS_NAMES = """
equation align gather multline eqnarray displaymath alignat flalign math dmath
"""
FORMULAS = frozenset(_FORMULAS_NAMES.split())
TABLES = frozenset(["tabular", "tabularx", "tabulary", "longtable", "array", "supertabular"])
VERBATIM = frozenset(["verbatim", "lstlisting", "minted", "Verbatim", "alltt"])
SKIPPED = frozenset(
    ["tikzpicture", "pspicture", "axis", "comment", "filecontents", "picture", "forest"]
)
NUMBERED = frozenset(["enumerate", "parts", "subparts", "compactenum"])
STATEMENTS = {
    "theorem": "Theorem",
    "thm": "Theorem",
    "lemma": "Lemma",
    "lem": "Lemma",
    "proposition": "Proposition",
    "prop": "Proposition",
    "corollary": "Corollary",
    "cor": "Corollary",
    "definition": "Definition",
    "defn": "Definition",
    "assumption": "Assumption",
    "assumptions": "Assumptions",
    "example": "Example",
    "remark": "Remark",
    "proof": "Proof",
    "claim": "Claim",
    "conjecture": "Conjecture",
    "exercise": "Exercise",
    "algorithm": "Algorithm",
}
_DROPPED = {  # commands that say nothing, with their arguments
    "{": (
        "label vspace hspace vskip hskip index input include includeonly bibliographystyle "
        "bibliography pagestyle thispagestyle setstretch linespread documentclass usepackage "
        "geometry graphicspath addbibresource hypersetup captionsetup color definecolor raisebox "
        "indexthis pagenumbering hyphenation graphicspath theoremstyle markright vref pageref "
        "phantom vphantom hphantom tikzset selectlanguage fontsize stepcounter refstepcounter"
    ),
    "{{": "setcounter addtocounter setlength addtolength renewcommand markboth addtotoc",
    "{{{": "addcontentsline",
}
_STARRED = frozenset(["vspace", "hspace", "renewcommand"])
_OPTIONED = frozenset(["documentclass", "usepackage", "includegraphics", "renewcommand"])
_KEPT_LAST = {
    "textcolor": "{{",
    "href": "{{",
    "colorbox": "{{",
    "resizebox": "{{{",
    "scalebox": "{{",
}
_ENVIRONMENTS = {
    "minipage": "[{",
    "multicols": "{",
    "adjustwidth": "{{",
    "wrapfigure": "[{{",
    "tabularx": "{{",
    "tabulary": "{{",
    "longtable": "[{",
    "subfigure": "[{",
    "array": "[{",
    "thebibliography": "{",
    "alignat": "{",
    "alignat*": "{",
    "tabular*": "{[{",
    "spacing": "{",
    "minted": "[{",
    "lstlisting": "[",
    "supertabular": "{",
}
_DEFINITION = re.compile(
    r"\\(?:re)?newcommand\*?\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*(?:\[(?P<count>\d)\])?(?P<optional>\[[^\]]*\])?\s*\{"
    r"|\\def\s*\\(?P<plain>[A-Za-z]+)\s*\{"
)
_PASSES = 4
_GROWTH = 3  # times its length that a file may grow to


def parse(text: str, name: str) -> list[Any]:
    """The nodes of a LaTeX text; faults in it are passed over as far as that goes."""
    walker, specs = _library()
    context = walker.get_default_latex_context_db()
    context.add_context_category("here", prepend=True, **_specs(specs))
    try:
        nodes, _, _ = walker.LatexWalker(
            expanded(text), latex_context=context, tolerant_parsing=True
        ).get_latex_nodes()
    except (RecursionError, ValueError, IndexError, walker.LatexWalkerError) as error:
        raise LoadError(
            f"{name} is not LaTeX that can be read: {type(error).__name__}: {error}; "
            "look for braces that are not closed"
        ) from error
    return list(nodes or ())


def symbol(node: Any) -> str:
    """What a command stands for where it is a letter, an accent or a sign; else empty."""
    known, converter = _signs()
    spec = known.get_macro_spec(node.macroname)
    if spec is None or not getattr(spec, "macroname", ""):
        return ""
    return str(converter.nodelist_to_text([node]))


@cache
def _signs() -> tuple[Any, Any]:
    from pylatexenc import latex2text  # noqa: PLC0415 - comes with the extra

    known = latex2text.get_default_latex_context_db()
    return known, latex2text.LatexNodes2Text(math_mode="verbatim", keep_comments=False)


def _library() -> tuple[Any, Any]:
    try:
        from pylatexenc import latexwalker, macrospec  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("research (sources in LaTeX)", "research") from error
    return latexwalker, macrospec


def _specs(specs: Any) -> dict[str, list[Any]]:
    macros = [
        specs.MacroSpec(name, _stars(name) + arguments)
        for arguments, names in _DROPPED.items()
        for name in names.split()
    ]
    macros += [specs.MacroSpec(name, arguments) for name, arguments in _KEPT_LAST.items()]
    macros += [specs.MacroSpec("caption", "*[{"), specs.MacroSpec("includegraphics", "*[[{")]
    macros += [specs.MacroSpec(name, "*[{") for name in LEVELS]
    macros += [specs.MacroSpec("bibitem", "[{"), specs.MacroSpec("author", "[{")]
    macros += [specs.MacroSpec("date", "{"), specs.MacroSpec("title", "[{")]
    macros += [specs.MacroSpec("footnotetext", "[{"), specs.MacroSpec("footnotemark", "[")]
    environments = [specs.EnvironmentSpec(name, args) for name, args in _ENVIRONMENTS.items()]
    return {"macros": macros, "environments": environments}


def _stars(name: str) -> str:
    return ("*" if name in _STARRED else "") + ("[" if name in _OPTIONED else "")


DROPPED = frozenset(name for names in _DROPPED.values() for name in names.split()) | {
    "footnotemark",
    "maketitle",
    "tableofcontents",
    "listoffigures",
    "listoftables",
    "printbibliography",
    "printindex",
    "today",
    "includegraphics",
    "newcommand",
    "providecommand",
    "def",
}


# --- commands of the file's own ---------------------------------------------------------


def expanded(text: str) -> str:
    """The text with the commands that it defines itself put in, where that ends."""
    known: dict[str, tuple[int, str]] = {}
    kept, at = [], 0
    for match in _DEFINITION.finditer(text):
        if match.start() < at:
            continue
        end = closing(text, match.end() - 1)
        if end < 0:
            continue
        name, count = match["name"] or match["plain"], int(match["count"] or 0)
        if not match["optional"]:
            known[name] = (count, text[match.end() : end])
        kept.append(text[at : match.start()])
        at = end + 1
    result = "".join([*kept, text[at:]])
    for _ in range(_PASSES if known else 0):
        result, changed = _put_in(result, known)
        if not changed or len(result) > _GROWTH * len(text) + 10_000:
            break
    return result


def closing(text: str, at: int) -> int:
    """Where the brace that opens at a place is closed; -1 when it is not."""
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def _put_in(text: str, known: dict[str, tuple[int, str]]) -> tuple[str, bool]:
    names = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    parts, at, changed = [], 0, False
    for match in re.finditer(rf"\\({names})(?![A-Za-z])(?:\{{\}})?", text):
        if match.start() < at:
            continue
        count, body = known[match[1]]
        given, end = _given(text, match.end(), count)
        if given is None or match[0].rstrip("{}") in body:
            continue
        for number, words in enumerate(given, start=1):
            body = body.replace(f"#{number}", words)
        parts += [text[at : match.start()], body]
        at, changed = end, True
    return "".join([*parts, text[at:]]), changed


def _given(text: str, at: int, count: int) -> tuple[list[str] | None, int]:
    """The arguments behind a command, and where they end."""
    found: list[str] = []
    for _ in range(count):
        start = at
        while text[start : start + 1].isspace():
            start += 1
        if text[start : start + 1] != "{" or (end := closing(text, start)) < 0:
            return None, at
        found.append(text[start + 1 : end])
        at = end + 1
    return found, at
