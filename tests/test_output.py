"""What a terminal, a pipe and a person with little time see of the command line."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from consilience.cli.app import app, open_for_command
from consilience.cli.evidence import _print_report
from consilience.evidence.ingest import Report
from consilience.workspace import Workspace, init_workspace

RUN = [sys.executable, "-c", "from consilience.cli import main; main()"]
LONG = "a/very/long/folder/name/" * 8 + "file.txt"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample as the command makes it: its folder, and what was printed. Tests only ask it."""
    folder = tmp_path_factory.mktemp("sample") / "general"
    done = CliRunner().invoke(app, ["init", "general", str(folder), "--sample"])
    assert done.exit_code == 0, done.output
    return folder, done.stdout


def filled(folder: Path, name: str, text: str) -> Path:
    (folder / "files" / name).parent.mkdir(parents=True)
    (folder / "files" / name).write_text(text)
    return init_workspace(folder / "space")


def test_evidence_is_printed_as_it_stands(run, tmp_path):
    text = "Press the :key: and mind [bold]brackets[/] and \\[these] in the :house:."
    space = filled(tmp_path, "keys.txt", text)
    assert run("add", "-w", space, tmp_path / "files")[0] == 0
    assert text in run("search", "-w", space, "key")[1]


def test_nothing_is_wrapped_in_a_pipe(run, tmp_path, capsys):
    space = filled(tmp_path, LONG, "Nothing but lamps.")
    assert run("add", "-w", space, tmp_path / "files")[0] == 0
    _, out, _ = run("status", "-w", space)
    assert f"{tmp_path / 'files' / LONG}\tfile\tdocuments\t1" in out.splitlines()
    _print_report(Report(failed=[(LONG, "broken")], notes=[(LONG, "half read")]))
    told = capsys.readouterr().err.splitlines()
    assert told == [f"not read: {LONG}: broken", f"note: {LONG}: half read"]


def shown_in(page: str, heading: str) -> tuple[str, list[str]]:
    """The question of the first example under a heading, and what it prints."""
    text = (Path(__file__).parent.parent / page).read_text(encoding="utf-8")
    block = text.split(f"## {heading}\n")[1].split("```")[1]
    command, *lines = block.removeprefix("console\n").strip("\n").split("\n")
    return command, lines


def test_the_answer_in_the_readme_is_what_comes_out(run, sample):
    folder, made = sample
    command, lines = shown_in("README.md", "A question and its answer")
    assert "no loader for" not in made  # of our own files all are read
    assert made.endswith(f"\nin a browser: consilience serve {folder}\n")
    _, out, _ = run("ask", "-w", folder, command.split('"')[1], "--length", "concise")
    assert out.startswith(
        "\n".join(lines) + "\n\n4 of 4 numbers, names and quotations match the sources"
    )


def test_the_answers_in_the_docs_are_what_comes_out(run, sample):
    page = (Path(__file__).parent.parent / "docs" / "answers.md").read_text(encoding="utf-8")
    part = page.split("## Three answers\n")[1].split("\n## ")[0]
    blocks = [one.removeprefix("console\n") for one in part.split("```")[1::2]]
    assert len(blocks) == 3
    for block in blocks:
        command, answer = block.split("\n", 1)
        _, out, _ = run("ask", "-w", sample[0], command.split('"')[1])
        assert out.startswith(answer), command


def test_the_answer_list_in_the_readme_is_what_comes_out(run, sample):
    command, lines = shown_in("README.md", "A search")
    _, out, _ = run("search", "-w", sample[0], command.split('"')[1])
    assert "\n".join(lines).removesuffix("\n …") in out
    assert len(lines) > 3
    _, told, _ = run("why", "-w", sample[0], command.split('"')[1], "1")
    shown = next(line for line in lines if "relevance" in line).split("·")[0].strip()
    assert f"{shown}: log odds of " in told, "why explains the relevance that search shows"
    assert "trust in tables: meaning" in told


def test_many_failures_are_counted_not_listed(capsys):
    _print_report(Report(failed=[(f"{n}.pdf", "broken") for n in range(13)]))
    captured = capsys.readouterr()
    assert "0 files read" in captured.out
    assert captured.err.count("not read:") == 10
    assert captured.err.endswith("and 3 more; `consilience status` lists them\n")


@pytest.mark.parametrize("words", ["settings", "--help"])
def test_a_reader_that_goes_away_is_no_error(words):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*RUN, words], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*RUN, "settings"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: No space left on device")
    assert done.stderr.count(b"\n") == 1


def test_an_error_of_the_disk_names_the_file(run, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.EROFS, "Read-only file system", "/x/catalogue.db")

    monkeypatch.setattr(Workspace, "peek", staticmethod(fail))
    code, out, err = run("status", "-w", init_workspace(tmp_path / "space"))
    assert (code, out) == (1, "")
    told = "error: Read-only file system: /x/catalogue.db; the workspace must be writable\n"
    assert err == told


@pytest.mark.parametrize("command", ["add", "rebuild"])
def test_stopping_a_long_job_says_how_to_go_on(run, tmp_path, monkeypatch, command):
    def stop(*_, **__):
        raise KeyboardInterrupt

    space = filled(tmp_path, "one.txt", "Nothing but lamps.")
    monkeypatch.setattr(Workspace, command, stop)
    code, out, err = run(command, "-w", space)
    assert (code, out) == (130, "")
    assert err == "stopped; run the same command again to continue\n"


def test_stopping_a_sample_names_the_command_that_goes_on(run, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Workspace, "add", stop)
    code, _, err = run("init", "general", tmp_path / "new", "--sample")
    assert code == 130
    assert f"stopped; run `consilience add -w {tmp_path / 'new'} " in err


def test_a_command_says_for_whom_it_waits(run, tmp_path, monkeypatch):
    space = init_workspace(tmp_path / "space")
    monkeypatch.setenv("CONSILIENCE_STORE_WAIT_S", "0.5")
    with open_for_command(space, "add"):
        code, _, err = run("search", "-w", space, "lamps")
    assert code == 1
    assert err.startswith(f"waiting for `consilience add` (process {os.getpid()})\n")


def test_a_make_without_a_new_enough_python_is_one_sentence(tmp_path):
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for name in ("pyproject.toml", "requirements.lock"):
        (tmp_path / name).touch()
    makefile = Path(__file__).parent.parent / "Makefile"
    done = subprocess.run(
        ["make", "-f", makefile, "demo", f"PYTHON={old}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "needs Python 3.11 or newer" in done.stderr.splitlines()[0]
    assert not (tmp_path / ".venv").exists()
