"""What of a Markdown file is text? Not the marks that books and sites are built with.

Quarto, MyST and d2lbook write directives, labels, cross-references and cells of code between the
paragraphs. What they say is kept in words, what only steers a program is left out, and so are the
further copies of code that is given once for each of several libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"(?P<indent>\s*)(?P<marks>`{3,}|~{3,}|:{3,})\s*(?P<info>.*?)\s*")
_DIRECTIVE = re.compile(r"\{(?P<name>[A-Za-z][\w:-]*)\}\s*(?P<argument>.*)")
_CHUNK = re.compile(r"\{(?:r|python|julia|ojs|bash|sql|stata)\b[^}]*\}", re.IGNORECASE)
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s.*)?|\s*#\|.*")
_CAPTION = re.compile(r"\s*#\|\s*(?:fig-cap|tbl-cap|fig-alt):\s*[|>]?\s*(.*)")
_TAB = re.compile(r"\s*(?:%%tab|#@tab)\s+(.*)")
_SILENT_NAMES = """
toctree bibliography contents index eval-rst raw include literalinclude automodule autoclass
autofunction autosummary currentmodule footbibliography todolist nbgallery image tableofcontents
"""
_SILENT = frozenset(_SILENT_NAMES.split())
_CODE = frozenset(
    ["code", "code-block", "code-cell", "sourcecode", "ipython", "testcode", "jupyter-execute"]
)
_SECRET = re.compile(r"(?:echo|include|eval)\s*[:=]\s*(?:false|FALSE)|output\s*[:=]\s*asis")
_PREFIX = re.compile(r"^(?:sub)*(?:sec|chap|ch|fig|tab|tbl|eq|app|thm|def|lem|prop|ex|alg)[_:-]")
_LINE_OUT = re.compile(
    r"\s*(?::(?:begin|end)_tab:.*|:bibliography:.*|\[Discussions\]\(\S*\)|:(?:label|eqlabel|width|height):`.*`|"
    r"\\(?:clearpage|newpage|pagebreak|vfill|noindent|bigskip|medskip|smallskip)\b.*|"
    r"\\(?:vspace|hspace|setcounter|addcontentsline)\*?\{.*|\{\{<.*>\}\}|%\w.*interact_select.*)"
)
_D2L = re.compile(r"^\s*(?:%load_ext d2lbook|tab\.interact_select|%matplotlib)")
_REPLACED = (
    (re.compile(r"\\index\{(?:[^{}]|\{[^{}]*\})*\}"), ""),
    (re.compile(r":(?:label|eqlabel|width|height):`[^`]*`"), ""),
    (re.compile(r"\{\{<.*?>\}\}"), ""),
    (re.compile(r"\[\^[\w-]+\]:?\s*"), ""),
    (re.compile(r"\\(?:addtocounter|setcounter|vspace|label)\*?(?:\{[^{}]*\})+"), ""),
    (re.compile(r"`r\s[^`]*`"), ""),
    (re.compile(r"\[([^\]\[]+)\]\{[.#][^}]*\}"), r"\1"),
    (re.compile(r"\[([A-Za-z]*\s*-?@(?:sec|fig|tbl|tab|eq|ch)[\w:-]+)\]"), r"\1"),
)
_SLIDES = re.compile(r"\(~~.*?~~\)|\[~~.*?~~\]", re.DOTALL)
_EMPHASIS = re.compile(r"[\[(](?=\*\*\S)|(?<=\S\*\*)[\])](?!\()")
_ROLE = re.compile(r"(?:\{([a-z:]+)\}|:([a-z][a-z:]*):)`([^`]+)`")
_CROSS = re.compile(r"(?<![\w@])-?@((?:sec|fig|tbl|tab|eq|thm|def|lem|exr|exm|apx|ch)[\w:-]*[\w-])")
_CITED = re.compile(r"(?<![\w@])-?@([A-Za-z][\w:.#$%&+?<>~/-]*\w)")
_GALLERY = re.compile(r"^sphx_glr_(?:auto_)?(?:examples_)?|_py$")
_TARGET = re.compile(r"\s*<[^<>]*>$")


def without_marks(text: str) -> str:
    """The text of a Markdown file, with words in place of what tools are told."""
    if "d2lbook" in text or ":begin_tab:" in text or "{.python .input" in text:
        text = _EMPHASIS.sub("", _SLIDES.sub("", text))  # d2lbook marks what its slides show
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    at, tabs = 0, list[str]()
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.fullmatch(line)
        if fence and fence["marks"][0] != ":":
            end = _closing(lines, at, fence["marks"])
            yield from _fenced(fence["info"], lines[at + 1 : end], fence["marks"], tabs)
            at = end + 1
            continue
        if fence:
            name = _DIRECTIVE.match(fence["info"])
            if name and name["name"].lower() in _SILENT:
                at = _closing(lines, at, fence["marks"]) + 1
                continue
            yield _argument(fence["info"])
            at += 1
            while at < len(lines) and name and _OPTION.fullmatch(lines[at]):
                at += 1
            continue
        if line.strip():
            tabs.clear()
        if not _LINE_OUT.fullmatch(line):
            yield in_words(line)
        at += 1


def _closing(lines: list[str], at: int, marks: str) -> int:
    """The line that closes a fence; the last one where none does."""
    closes = re.compile(rf"\s*{re.escape(marks[0])}{{{len(marks)},}}\s*")
    return next((n for n in range(at + 1, len(lines)) if closes.fullmatch(lines[n])), len(lines))


def _argument(info: str) -> str:
    """What a directive says in its own line: the title of a card, of an admonition."""
    match = _DIRECTIVE.match(info)
    words = match["argument"] if match else ""
    if words.isdigit() or "/" in words or re.fullmatch(r"[\d\s]+", words):
        return ""
    return f"\n**{in_words(words)}**\n" if words and not words.startswith("{") else ""


def _fenced(info: str, body: list[str], marks: str, tabs: list[str]) -> Iterator[str]:
    """What is kept of a fenced part: code as code, a directive by what it says."""
    directive = _DIRECTIVE.match(info)
    if _CHUNK.match(info):
        yield from _chunk(body, marks)
    elif directive and directive["name"].lower() == "math":
        yield from ("", "$$", *(line for line in body if not _OPTION.fullmatch(line)), "$$", "")
    elif directive and directive["name"].lower() in _CODE:
        yield from (marks, *(line for line in body if not _OPTION.fullmatch(line)), marks)
    elif directive and directive["name"].lower() in _SILENT:
        return
    elif directive:
        yield _argument(info)
        yield from _lines([line for line in body if not _OPTION.fullmatch(line)])
    elif info.startswith("{="):
        return
    else:
        yield from _code(info, body, marks, tabs)


def _chunk(body: list[str], marks: str) -> Iterator[str]:
    """A cell that a program runs: its caption, and its code where the book shows it."""
    options = "\n".join(line for line in body if line.lstrip().startswith("#|"))
    for at, line in enumerate(body):
        if caption := _CAPTION.fullmatch(line):
            rest = [one.strip().removeprefix("#|").strip() for one in body[at + 1 :]]
            words = caption[1].strip("\"' ") or (rest[0] if rest else "")
            yield from ("", in_words(words), "")
            break
    code = [line for line in body if not line.lstrip().startswith("#|")]
    drawn = "fig-cap" in options or "tbl-cap" in options
    if any(map(str.strip, code)) and not drawn and not _SECRET.search(options):
        yield from (marks, *code, marks)


def _code(info: str, body: list[str], marks: str, tabs: list[str]) -> Iterator[str]:
    """Code as it is; of the same code for several libraries only the first."""
    tab = next((match for line in body[:2] if (match := _TAB.fullmatch(line))), None)
    if tab:
        tabs.append(tab[1])
        if len(tabs) > 1 and "all" not in tab[1]:
            return
    kept = [line for line in body if not _D2L.match(line) and not _TAB.fullmatch(line)]
    if any(map(str.strip, kept)):
        yield from (marks + re.sub(r"[{}.]|\binput\b", "", info).strip(), *kept, marks)


# --- lines ------------------------------------------------------------------------------


def in_words(line: str) -> str:
    """A line with its roles and cross-references in words."""
    for pattern, words in _REPLACED:
        line = pattern.sub(words, line)
    line = _ROLE.sub(_said, line)
    line = _CROSS.sub(lambda match: spelt(match[1]), line)
    return (
        _CITED.sub(lambda match: spelt(match[1]), line) if "[@" in line or "; @" in line else line
    )


def _said(match: re.Match[str]) -> str:
    role, words = match[1] or match[2], match[3]
    if role == "math":
        return f"${words}$"
    if role in ("code", "samp", "kbd", "file"):
        return f"`{words}`"
    if _TARGET.search(words):
        return _TARGET.sub("", words)
    if role.startswith(("cite", "footcite", "ref", "numref", "eqref", "cref", "doc")):
        return ", ".join(spelt(one) for one in words.split(","))
    return words.rsplit(".", 1)[-1] if words.startswith("~") else words


def spelt(label: str) -> str:
    """A label in words: `sec_weight-decay` is weight decay, `Rubin.1974` is Rubin 1974."""
    label = label.strip().rsplit("/", 1)[-1].removeprefix("~").removesuffix(".ipynb")
    bare = _PREFIX.sub("", _GALLERY.sub("", label))
    words = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", re.sub(r"[_.:-]+", " ", bare))
    return " ".join(words.split()) or label
