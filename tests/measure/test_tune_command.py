"""`consilience tune`: what it prints, writes, refuses and exits with."""

import json
from dataclasses import replace

import library_shared as library
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.cli.tune import NOT_CONNECTED
from consilience.measure.data_model import Golden
from consilience.measure.golden import golden_digest, question_digest, write_golden
from consilience.measure.tuning import list_parameters
from consilience.settings import read_settings
from consilience.workspace import init_workspace, open_workspace


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace as a person has one, with a model that comes along."""
    home = tmp_path_factory.mktemp("tuned") / "space"
    init_workspace(home)
    with (home / "consilience.toml").open("a") as stream:
        stream.write('\n[models]\nembed = "fast"\n\n[fusion]\nalpha = 1.0  # all meaning\n')
    library.write(home)
    with open_workspace(home) as space:
        space.add([home / "library.md"])
    write_golden(library.golden(), home / "golden.yaml")
    return home


def test_the_command_tells_and_applies(folder):
    out = folder / "tuning.html"
    command = ["tune", "-w", str(folder), "--keep-out=0.7", "--report", str(out), "--apply"]
    command += all_but(folder, "fusion.alpha (adaptive)")
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "not tried: refine.blend: there is no reranker" in result.output
    assert "kept out, scored once" in result.output
    assert "+alpha = " in result.output
    assert "change: the questions kept out show" in result.output
    assert out.read_text().startswith("<!doctype html>")
    written = (folder / "consilience.toml").read_text()
    assert "# all meaning" in written
    assert read_settings(folder).fusion.alpha < 1
    record = json.loads((folder / ".consilience" / "tuned.json").read_text())
    assert record["golden"] == golden_digest(library.golden())
    assert (len(record["questions"]), len(record["held_out"])) == (14, 34)


def test_the_command_exits_with_3_where_something_is_not_connected(folder, monkeypatch):
    monkeypatch.setenv("CONSILIENCE_RETRIEVE_DEPTHS", "documents=20")
    command = ["tune", "-w", str(folder), *all_but(folder, "retrieve.depth")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == NOT_CONNECTED, result.output
    assert "not connected: retrieve.depth: retrieve.depths decides it" in result.output


def all_but(folder, title):
    """Options that leave all parameters but one as they are."""
    with open_workspace(folder) as space:
        titles = [parameter.title for parameter in list_parameters(space.engine)]
    assert title in titles
    return [f"--skip={one}" for one in titles if one != title]


def test_the_command_gives_json_and_keeps_to_its_record_until_told_to_forget(folder):
    record = folder / ".consilience" / "tuned.json"
    digests_kept = [question_digest(one) for one in library.golden(30).questions]
    record.write_text(json.dumps({"questions": [], "held_out": digests_kept}))
    quick = all_but(folder, "refine.mmr")
    command = ["tune", "-w", str(folder), "--json", *quick]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["questions"] == {"tuning": 9, "kept_out": 39}
    assert "0 of these questions were chosen on and 30 kept out" in result.stderr
    assert "fusion.method" not in {one["name"] for one in found["parameters"]}
    result = CliRunner().invoke(app, ["tune", "-w", str(folder), "--forget"])
    assert "forgotten" in result.output
    assert not record.exists()
    assert (
        "nothing to forget"
        in CliRunner().invoke(app, ["tune", "-w", str(folder), "--forget"]).output
    )


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (["--keep-out", "50"], "the part to keep out is 50"),
        (["--report", "nowhere/x.html"], "nowhere/x.html: there is no folder nowhere"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_any_work(tmp_path, option, reason):
    """The workspace is empty: work would end with another error."""
    init_workspace(tmp_path)
    result = CliRunner().invoke(app, ["tune", "-w", str(tmp_path), *option])
    assert reason in str(result.exception)


def test_an_unknown_parameter_is_refused_before_any_question_is_asked(folder, tmp_path):
    (one,) = library.golden(1).questions
    twice = Golden(name="twice", questions=(one, replace(one, id="again")))
    write_golden(twice, tmp_path / "twice.yaml")  # would be refused, too
    command = ["tune", str(tmp_path / "twice.yaml"), "-w", str(folder), "--skip", "refine.mrr"]
    assert "no parameter is called" in str(CliRunner().invoke(app, command).exception)
