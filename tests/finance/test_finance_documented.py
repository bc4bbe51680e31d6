"""What the docs of the pack show is what comes out, on the reports that the questions are about."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from consilience.packs.finance import PACK
from consilience.packs.finance.notation.periods import read_periods
from consilience.workspace import init_workspace, open_workspace

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{one}.md" for one in ("finance", "tutorial-finance")),
]
REPORTS = (
    "veldmark-2025-08-monthly.pdf",
    "veldmark-2024-annual.pdf",
    "tessenhof-2025-08-monthly.pdf",
)
ASKED = re.compile(r'^\$ consilience ask -w (?:demo/finance|reports) "([^"]+)"', re.MULTILINE)
COMPUTED = re.compile(r"^\| [a-z, ]+ \| ([^|]+\?) \| (.+) \|$", re.MULTILINE)
PERIODS = re.compile(r"^\| `(2025[^`]*)` \| ([^|]+) \|$", re.MULTILINE)


def shown() -> list[tuple[str, list[str]]]:
    """Every question that is asked in a block, and the lines of its answer up to the first `…`."""
    found = []
    for page in PAGES:
        for block in page.read_text(encoding="utf-8").split("```")[1::2]:
            for match in ASKED.finditer(block):
                rest = block[match.end() :].split("\n$ ")[0].split("\n…")[0]
                found.append((match[1], rest.split("\n")[1:]))
    return found


def computed() -> list[tuple[str, str]]:
    return COMPUTED.findall((ROOT / "docs" / "finance.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    folder = init_workspace(tmp_path_factory.mktemp("documented") / "finance", pack="finance")
    text = 'pack = "finance"\n[models]\nembed = "fast"\n'
    (folder / "consilience.toml").write_text(text, encoding="utf-8")
    for name in REPORTS:
        shutil.copy(PACK.sample.folder / name, folder)
    with open_workspace(folder) as found:
        found.add([folder / name for name in REPORTS])
        yield found


def test_the_answers_in_the_docs_are_what_comes_out(space):
    blocks = shown()
    assert len({page for page, _ in blocks}) > 3
    for question, lines in blocks:
        said = space.ask(question).text
        assert lines, question
        assert said.startswith("\n".join(lines).strip()), question


def test_the_calculations_in_the_docs_are_what_comes_out(space):
    every = computed()
    assert len(every) == 9
    for question, result in every:
        assert f": {result} [1]" in space.ask(question).text.partition("\n")[0], question


def test_the_periods_in_the_docs_have_these_keys():
    every = PERIODS.findall((ROOT / "docs" / "finance.md").read_text(encoding="utf-8"))
    assert len(every) == 6
    for key, phrases in every:
        for phrase in phrases.split("; "):
            assert [one.period.key for one in read_periods(phrase) if one.period] == [key], phrase
