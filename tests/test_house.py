"""The house rules that a machine can check."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import consilience
from consilience import errors
from consilience.engine.fusion import FUSERS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "consilience"
MODULES = sorted(SOURCE.rglob("*.py"))
PAGES = sorted([ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md")])


def name(path):
    return str(path.relative_to(ROOT))


def test_public_names_are_all_there_and_nothing_else():
    assert set(dir(consilience)) == set(consilience.__all__)
    for one in consilience.__all__:
        assert getattr(consilience, one) is not None
    with pytest.raises(AttributeError):
        consilience.nothing  # noqa: B018


def test_importing_is_cheap_and_loads_no_engine():
    code = (
        "import sys, json, time; started = time.perf_counter(); import consilience;"
        "print(json.dumps([time.perf_counter() - started, sorted(sys.modules)]))"
    )
    runs = [
        json.loads(
            subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        )
        for _ in range(3)
    ]
    heavy = {"numpy", "qdrant_edge", "duckdb", "ladybug", "onnxruntime", "tokenizers", "typer"}
    assert not heavy & set(runs[0][1])
    assert min(seconds for seconds, _ in runs) < 0.15


def test_every_error_is_in_the_tree_and_drawn_there():
    found = [one for one in vars(errors).values() if isinstance(one, type)]
    assert found
    for one in found:
        assert issubclass(one, errors.ConsilienceError)
        assert one.__name__ in errors.__doc__


def prints(path):
    return "cli" in path.parts or ("packs" in path.parts and path.name == "commands.py")


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_settings_read_the_environment_and_only_commands_print(path):
    text = path.read_text(encoding="utf-8")
    if path.name != "settings.py":
        assert not re.search(r"os\.(environ|getenv)", text)
    if not prints(path):
        assert not re.search(r"(?<![\w.])print\(|sys\.std(out|err)", text)


def test_the_core_names_no_domain():
    """Packs are guests: neither the path of a question nor what prints it knows their subjects."""
    parts = ("cli", "engine", "evidence", "service", "stores", "workspace")
    files = [path for part in parts for path in (SOURCE / part).rglob("*.py")]
    for path in [*files, *(SOURCE / f"{one}.py" for one in ("explain", "json_output"))]:
        words = re.findall(r"(?i)\b(?:chess|finance|travel|trips?)\b", path.read_text("utf-8"))
        assert not words, (name(path), words)


def test_no_name_is_shared_by_more_than_two_modules_of_the_core():
    core = [path.stem for path in MODULES if "packs" not in path.parts and path.stem != "__init__"]
    assert not {stem for stem in core if core.count(stem) > 2}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_readme_is_short_and_its_commands_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 150
    known = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in re.findall(r"consilience ([a-z-]+) ", text):
        assert f"## {command}\n" in known


def test_the_readme_counts_fusers_right():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"reciprocal rank fusion and {len(FUSERS) - 2} others" in text


def test_the_changelog_knows_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = "Unreleased" if "dev" in consilience.__version__ else consilience.__version__
    assert f"## [{heading}]" in text


def test_every_dependency_is_explained_and_locked():
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    project = tomllib.loads("\n".join(lines))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").casefold()
    for one in wanted:
        line = next(line for line in lines if f'"{one}"' in line)
        assert "#" in line, one
        assert re.search(rf"^{re.split('[>=]', one)[0].casefold()}==", locked, re.MULTILINE), one


def test_every_claim_has_a_command_and_stands_in_the_docs():
    claims = tomllib.loads((ROOT / "benchmarks" / "claims.toml").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert claims["claim"]
    for one in claims["claim"]:
        assert one["name"] in page, one["name"]
        files = re.findall(r"\b(?:benchmarks|models|src)/\S+", one["command"])
        assert files
        assert all((ROOT / file).exists() for file in files), one["command"]
