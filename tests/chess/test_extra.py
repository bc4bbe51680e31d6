"""What works without python-chess? Everything but chess, which says what it needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ENTRIES = ("", ".pgn", ".positions", ".extra")
WITHOUT = """
import sys
from importlib.machinery import PathFinder

find = PathFinder.find_spec
PathFinder.find_spec = staticmethod(
    lambda name, path=None, target=None: None if name == "chess" else find(name, path, target)
)
"""
GENERAL = """
import json
from pathlib import Path
from consilience.errors import MissingExtra
from consilience.settings import build_settings
from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors

folder = Path(sys.argv[1])
told = {}
try:
    init_workspace(folder / "chess", pack="chess")
except MissingExtra as error:
    told["init"] = str(error)
init_workspace(folder / "space")
values = {"models.rerank": "none", "retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000}
settings = build_settings(values)
with open_workspace(folder / "space", settings=settings, embedder=WordVectors()) as space:
    report = space.add([folder / "files"])
    told["failed"] = {Path(path).name: reason for path, reason in report.failed}
    told["found"] = [hit.passage.text for hit in space.search("outposts for knights").hits]
told["imported"] = "chess" in sys.modules
print(json.dumps(told))
"""


def without_chess(code, *given):
    """What a program says where python-chess is not installed."""
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT + code, *map(str, given)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(TESTS)},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bare")
    files = folder / "files"
    files.mkdir()
    (files / "game.pgn").write_text("1. e4 e5 *\n", encoding="utf-8")
    (files / "notes.md").write_text("Knights want outposts in the middle.\n", encoding="utf-8")
    return without_chess(GENERAL, folder)


def test_a_chess_workspace_says_what_to_install(told):
    assert "pip install 'consilience[chess]'" in told["init"]


def test_a_file_of_games_is_reported_and_the_others_are_read(told):
    assert list(told["failed"]) == ["game.pgn"]
    assert "pip install 'consilience[chess]'" in told["failed"]["game.pgn"]
    assert told["found"] == ["Knights want outposts in the middle."]
    assert told["imported"] is False


def test_what_is_registered_is_imported_without_it():
    code = "import json\nfrom importlib import import_module\n" + "".join(
        f"import_module('consilience.packs.chess{entry}')\n" for entry in ENTRIES
    )
    assert without_chess(f"{code}print(json.dumps('chess' in sys.modules))") is False
