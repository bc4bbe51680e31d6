"""Commands that packs add: listed without being imported, and a broken pack costs only itself."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from consilience import installed_packs, plugins
from consilience.cli.app import PackCommand

BREWING = """
from consilience.cli.app import AsJson, print_json, print_text
from consilience.errors import MissingExtra
from consilience.pack import Command, Pack

def missing():
    raise MissingExtra("brewing", "brewing")

def brew(leaves: str, as_json: AsJson = False) -> None:
    "Brew tea."
    print_json({"leaves": leaves}) if as_json else print_text(f"tea of {leaves}")

PACK = Pack(
    name="brewing",
    summary="Tea",
    commands=(
        Command(name="brew", summary="Brew tea.", load="brewing_pack:brew"),
        Command(name="search", summary="Search tea.", load="brewing_pack:brew"),
        Command(name="spill", summary="Spill tea.", load="brewing_pack:nothing"),
    ),
)
NOT_READY = Pack(
    name="kettle",
    summary="Kettles",
    ready=missing,
    commands=(Command(name="boil", summary="Boil water.", load="brewing_pack:brew"),),
)
"""


@pytest.fixture
def brewing(tmp_path, monkeypatch):
    """Packs that somebody else wrote: one that works, one without its extra, one that is broken."""
    (tmp_path / "brewing_pack.py").write_text(BREWING)
    monkeypatch.syspath_prepend(tmp_path)
    references = {
        "brewing": "brewing_pack:PACK",
        "broken": "no_such_module:PACK",
        "kettle": "brewing_pack:NOT_READY",
    }
    points = {
        name: EntryPoint(name, value, plugins.GROUPS["packs"]) for name, value in references.items()
    }
    whole = plugins.find
    monkeypatch.setattr(
        plugins,
        "find",
        lambda group: {**whole(group), **points} if group == "packs" else whole(group),
    )
    installed_packs.load_packs.cache_clear()
    yield
    installed_packs.load_packs.cache_clear()
    sys.modules.pop("brewing_pack", None)


def test_a_command_of_a_pack_is_listed_and_runs(run, brewing):
    _, out, err = run("--help")
    assert "Brew tea." in out
    assert "no_such_module" not in out + err
    assert run("brew", "assam") == (0, "tea of assam\n", "")
    assert run("brew", "assam", "--json")[1] == '{\n  "leaves": "assam"\n}\n'
    assert run("brew")[0] == 2


def test_a_missing_extra_says_what_to_install(run, brewing):
    code, out, err = run("boil", "assam")
    assert (code, out) == (1, "")
    assert "pip install 'consilience[brewing]'" in err


def test_a_command_that_cannot_be_loaded_is_one_line(run, brewing):
    code, _, err = run("spill", "assam")
    assert code == 1
    assert "the command 'spill' of the pack 'brewing' cannot be loaded" in err
    assert err.count("\n") == 1


def test_the_core_keeps_its_commands_and_doctor_names_what_is_wrong(run, brewing, monkeypatch):
    assert "Search all sources" in run("search", "--help")[1]
    monkeypatch.setattr("consilience.cli.doctor._check_models", lambda settings: ())
    code, out, _ = run("doctor")
    assert code == 1
    assert "pack broken: cannot be loaded: no_such_module:PACK: ModuleNotFoundError" in out
    assert "pack brewing: its command 'search' is hidden by a command of Consilience" in out
    assert "pack kettle: not ready: brewing needs an extra" in out
    assert "pack general: ready" in out


def test_the_summary_of_a_command_is_the_first_line_of_its_help():
    packs = installed_packs.load_packs().packs.values()
    commands = [(pack, command) for pack in packs for command in pack.commands]
    assert {command.name for _, command in commands} >= {"trip", "concepts", "neighbourhood"}
    for pack, command in commands:
        loaded = PackCommand(pack, command).load()
        assert loaded.help.split("\n\n")[0].replace("\n", " ") == command.summary


def test_listing_imports_no_implementation():
    code = (
        "import sys; from typer.main import get_command; from consilience.cli import app;"
        "names = get_command(app).list_commands(None); assert 'trip' in names;"
        "assert not [m for m in sys.modules if m.endswith('.commands')], names"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
