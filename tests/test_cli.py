"""The command line as a person uses it, with the shipped model and real engines."""

import io
import json
import re
import shutil
import sys

import pytest

from consilience import __version__
from tests_shared import FILES, make_passage

QUESTION = "who dovetailed granite?"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "files").mkdir()
    for name, text in FILES.items():
        (folder / "files" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def space(place, run):
    folder = place / "space"
    if not folder.exists():
        assert run("init", folder)[0] == 0
        assert run("add", "-w", folder, place / "files")[0] == 0
    return folder


def test_version_and_help(run):
    assert run("--version") == (0, f"{__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    for command in ("init", "add", "remove", "status", "search", "show", "why", "why-not"):
        assert command in out
    for command in ("doctor", "settings", "rebuild", "claims", "demo"):
        assert command in out


def test_init_says_what_comes_next_and_refuses_twice(run, tmp_path):
    code, out, _ = run("init", tmp_path / "new")
    assert code == 0
    assert "next: consilience add" in out
    code, out, err = run("init", tmp_path / "new")
    assert (code, out) == (1, "")
    assert "is a workspace already" in err
    code, _, err = run("init", "cooking", tmp_path / "other")
    assert code == 1
    assert re.search(r"unknown pack 'cooking'; known: .*general", err)
    assert not (tmp_path / "other").exists()


def test_search_prints_hits_with_their_votes(run, space):
    code, out, err = run("search", "-w", space, QUESTION)
    assert code == 0
    first = out.split(" 2. ")[0]
    assert "Towers at sea" in first
    assert "Smeaton dovetailed granite blocks together." in first
    assert " · found by bm25 #1 + dense #1 · 0.0" in first
    assert first.splitlines()[2].endswith(" · towers.md")
    assert "sql skipped" in out
    assert not err


def test_the_json_has_the_documented_shape(run, space):
    code, out, _ = run("search", "-w", space, "how tall is Cordouan?", "--json", "-n", "3")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {
        "query",
        "results",
        "offset",
        "outcomes",
        "plan",
        "shares",
        "trusts",
        "abstained",
        "answerable",
        "notes",
        "timing_ms",
    }
    first = found["results"][0]
    assert first["metadata"]["height"] == 67
    assert first["locator"] == {"table": "lights", "row": 3, "text": "table lights, row 3"}
    assert {"passage", "kind", "collection", "title", "preview", "score", "votes"} <= set(first)
    assert found["outcomes"]["tables/sql"]["status"] == "ok"
    assert found["plan"]["intent"] == "lookup"
    parts = [part for vote in first["votes"] for part in vote["parts"]]
    assert {part["source"] for part in parts} >= {"tables/bm25", "tables/dense", "tables/sql"}


def test_a_question_can_come_from_a_pipe(run, space, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(QUESTION))
    assert "Smeaton dovetailed" in run("search", "-w", space, "-", "-n", "1")[1]


def test_filters_and_collections(run, space):
    code, out, _ = run("search", "-w", space, "a light", "--where", "height>40", "--json")
    names = {one["metadata"]["name"] for one in json.loads(out)["results"]}
    assert (code, names) == (0, {"Eddystone", "Cordouan"})
    _, out, _ = run("search", "-w", space, "a light", "-c", "graph", "--json")
    assert {one["collection"] for one in json.loads(out)["results"]} == {"graph"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["search", ""], "has no words"),
        (["search", "light", "-n", "-1"], "limit is -1"),
        (["search", "light", "-c", "boats"], "unknown collection 'boats'; known: documents"),
        (["search", "light", "--where", "height"], "cannot read the filter 'height'"),
        (["show", "zzzz"], "is not a passage id"),
        (["show", "0000000000"], "no passage has the id"),
        (["why", "light", "99"], "neither one of the"),
        (["add", "nowhere.md"], "no such file or folder"),
        (["remove", "nowhere.md"], "nothing was added from"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_that_says_what_to_do(run, space, words, message):
    code, out, err = run(words[0], "-w", space, *words[1:])
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("error: ")


def test_no_workspace_and_wrong_calls(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("search", "light")
    assert code == 1
    assert "consilience init DIR" in err
    assert run("serach", "light")[0] == 2
    assert run("search")[0] == 2


def test_why_adds_up_and_why_not_names_the_step(run, space):
    _, out, _ = run("why", "-w", space, QUESTION, "1")
    assert "intent: open (no rule fired)" in out
    assert "share of voice, by the best similarity found: documents 1.00" in out
    _, narrow, _ = run("why", "-w", space, QUESTION, "1", "-c", "documents", "-c", "tables")
    assert "graph" not in narrow.split("1. ")[0]
    assert "documents/bm25: rank 1" in out
    assert "score 0.0" in out
    found = json.loads(run("why", "-w", space, QUESTION, "1", "--json")[1])["results"][0]
    parts = [vote["contribution"] for vote in found["votes"]]
    parts.extend(change["delta"] for change in found["changes"])
    assert sum(parts) == pytest.approx(found["score"])
    key = found["passage"]
    _, out, _ = run("why-not", "-w", space, QUESTION, key, "--where", "height>1")
    assert "lost at: filter" in out
    assert "leave that filter out" in out
    told = json.loads(run("why-not", "-w", space, QUESTION, key, "--json")[1])
    assert (told["step"], told["place"]) == ("present", 1)


def test_show_prints_a_passage_whole(run, space):
    key = json.loads(run("search", "-w", space, QUESTION, "--json")[1])["results"][0]["passage"]
    code, out, _ = run("show", "-w", space, key[:10])
    assert code == 0
    assert "Smeaton dovetailed granite blocks together." in out
    assert f"{space.parent / 'files' / 'towers.md'}\n" in out
    assert out.index("Smeaton") < out.index("from: ")  # the text comes first
    assert json.loads(run("show", "-w", space, key, "--json")[1])["locator"]["section"] == [
        "Eddystone"
    ]


def test_show_counts_what_only_look_ups_read(run, monkeypatch, space):
    known = {"eco": "B90", "openings": ("Najdorf", "Scheveningen"), "positions": ("8/8 w", "8/7 b"),
             "focus": ("8/8 w",), "line": "9f9f9f"}  # fmt: skip
    one = make_passage("abcd", "1. e4", metadata=known)
    monkeypatch.setattr("consilience.evidence.catalogue.Catalogue.resolve", lambda *given: one)
    _, out, _ = run("show", "-w", space, "abcd")
    assert "eco: B90\nopenings: Najdorf; Scheveningen\nnot shown: 2 positions, 1 focus" in out
    for internal in ("8/8", "9f9f9f", "("):
        assert internal not in out.replace("(whole with --json)", "")


def test_status_lists_files_and_what_could_not_be_read(run, place, space):
    bad = place / "files" / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7 nothing")
    code, out, err = run("add", "-w", space, place / "files")
    bad.unlink()
    assert code == 0
    assert "1 not readable" in out
    assert "bad.pdf" in err
    _, out, _ = run("status", "-w", space)
    assert "1 file not read:" in out
    assert "tables: 3 row" in out
    found = json.loads(run("status", "-w", space, "--json")[1])
    assert found["pending"] == 0
    assert found["model"].startswith("fine:")
    assert run("add", "-w", space, place / "files")[0] == 0
    assert "not read:" not in run("status", "-w", space)[1]


def test_doctor_and_settings(run, space, monkeypatch):
    code, out, _ = run("doctor", "-w", space)
    assert code == 0
    assert "!!" not in out
    assert re.search(r"embedder: fine:\S+, 384 dimensions, .* ms a question, about \d+ pass", out)
    stored = r"reranker: late:\S+, 40 passages in \d+ ms with stored token vectors .* \d+ passages"
    assert re.search(stored, out)
    assert re.search(r"token vectors: \d+\.\d MB stored", out)
    assert "documents/dense: ok" in out
    assert "index: up to date\n" in out
    assert "files: all read\n" in out
    assert ": \n" not in out
    monkeypatch.setenv("CONSILIENCE_FUSION_K", "10")
    rows = {one["name"]: one for one in json.loads(run("settings", "-w", space, "--json")[1])}
    assert (rows["fusion.k"]["value"], rows["fusion.k"]["default"]) == (10, 60)
    assert "fusion.k\t10.0 (default 60.0)\tRank constant" in run("settings", "-w", space)[1]
    monkeypatch.setenv("CONSILIENCE_MODELS_EMBED", "nobody:x")
    code, out, _ = run("doctor", "-w", space)
    assert code == 1
    assert "!!" in out
    assert "unknown embedder 'nobody" in out


def test_doctor_and_search_report_lost_store_files_until_they_are_written_again(
    run, tmp_path, monkeypatch
):
    monkeypatch.setattr("consilience.cli.doctor._check_models", lambda settings: ())
    monkeypatch.setenv("CONSILIENCE_MODELS_EMBED", "fast")
    (tmp_path / "lamps.txt").write_text("Fresnel arranged prisms in rings around a lamp.")
    space = tmp_path / "space"
    assert run("init", space)[0] == 0
    assert run("add", "-w", space, tmp_path / "lamps.txt")[0] == 0
    shutil.rmtree(space / ".consilience" / "collections")
    code, out, _ = run("doctor", "-w", space)
    assert code == 1
    assert "!!  index: 1 passage not indexed; `consilience add` indexes them" in out
    assert "consilience add" in run("search", "-w", space, "prisms")[2]
    assert run("add", "-w", space)[0] == 0
    assert "index: up to date" in run("doctor", "-w", space)[1]


def test_status_tells_what_is_taken_on_disk(run, space):
    assert re.search(
        r"on disk: \d+\.\d MB, of which token vectors \d+\.\d MB", run("status", "-w", space)[1]
    )
    sizes = json.loads(run("status", "-w", space, "--json")[1])["bytes"]
    assert 0 < sizes["tokens"] < sizes["all"]


def test_neither_a_key_nor_a_password_is_shown(run, space, monkeypatch):
    monkeypatch.setenv("CONSILIENCE_MODELS_RERANK_KEY", "sesame")
    monkeypatch.setenv("CONSILIENCE_MODELS_RERANK_ADDRESS", "http://me:sesame@a/rerank")
    for more in ([], ["--json"]):
        out = run("settings", "-w", space, *more)[1]
        assert "sesame" not in out
        assert "http://(set)@a/rerank" in out


def test_settings_reach_the_search(run, space, monkeypatch):
    monkeypatch.setenv("CONSILIENCE_FUSION_METHOD", "nonsense")
    code, _, err = run("search", "-w", space, QUESTION)
    assert code == 1
    assert "nonsense" in err
    assert "rrf" in err


def test_claims_are_rerun(run, tmp_path):
    (tmp_path / "benchmarks").mkdir()
    file = tmp_path / "benchmarks" / "claims.toml"
    (tmp_path / "say.py").write_text('print(\'{"a": {"b": 2.5}}\')')
    entry = f'[[claim]]\nname = "{{}}"\ncommand = "{sys.executable} say.py"\nvalue = "a.b"\n{{}}\n'
    file.write_text(entry.format("right", "expect = 2.4\nwithin = 0.2"))
    assert run("claims", "--file", file)[0] == 0
    file.write_text(entry.format("right", "most = 3") + entry.format("wrong", "most = 2"))
    code, out, _ = run("claims", "--file", file)
    assert code == 1
    assert "holds right: 2.5 (claimed: at most 3)" in out
    assert "fails wrong: 2.5 (claimed: at most 2)" in out
    assert run("claims", "--file", file, "--only", "right")[0] == 0
    file.write_text(entry.format("empty", ""))
    assert "says nothing" in run("claims", "--file", file)[2]


def test_a_claim_whose_program_is_missing_is_a_verdict(run, tmp_path):
    (tmp_path / "benchmarks").mkdir()
    file = tmp_path / "benchmarks" / "claims.toml"
    file.write_text('[[claim]]\nname = "x"\ncommand = "no-such-program"\nvalue = "a"\nmost = 1\n')
    code, out, err = run("claims", "--file", file)
    assert (code, err) == (1, "")
    assert "fails x: cannot run 'no-such-program'" in out


def test_why_tells_all_that_the_plan_used(run, space):
    asked = ("how tall is the light in Scotland, Bell Rock, built by whom?", "--no-rerank")
    _, out, _ = run("why", "-w", space, *asked)
    assert "tables/sql was given rows: " in out
    assert "country = Scotland" in out
    assert "graph/paths was given from: bell rock; along: BUILT_BY" in out
    assert "also looked for: inchcape" in out
    assert "shown by place 1, if there is any: row" in out
    assert "also looked for" not in run("why", "-w", space, *asked, "--no-expand")[1]
    sources = json.loads(run("why", "-w", space, *asked, "--json")[1])["plan"]["sources"]
    assert sources["graph/paths"]["seeds"] == ["bell"]
    assert {"field": "country", "operator": "=", "value": "Scotland"} in sources["tables/sql"][
        "criteria"
    ]


def test_init_without_a_folder_says_what_is_missing(run):
    code, _, err = run("init")
    assert code == 2
    assert "DIR is missing" in err
    assert "init [OPTIONS] [PACK] DIR" in err
    assert run("init", "general", "one", "two")[0] == 2


def test_a_named_workspace_is_not_looked_for_upwards(run, space):
    inside = space / "inside"
    inside.mkdir(exist_ok=True)
    code, _, err = run("status", "-w", inside)
    assert code == 1
    assert "inside is not a workspace: it has no consilience.toml" in err


def test_remove_has_a_report_of_its_own(run, tmp_path):
    (tmp_path / "one.txt").write_text("A single remark about lamps.")
    assert run("init", tmp_path / "space")[0] == 0
    _, out, _ = run("add", "-w", tmp_path / "space", tmp_path / "one.txt")
    assert "1 file read, 0 unchanged" in out
    assert "1 passage new, 0 kept" in out
    out = run("remove", "-w", tmp_path / "space", tmp_path / "one.txt")[1]
    assert out == "forgot 1 file, 1 passage\n"


def test_pages_documents_and_joined_filters_are_options(run, space):
    options = ("search", "-w", space, "lights", "--json", "-n", "1")
    whole = json.loads(run(*options[:-1], "9")[1])["results"]
    second = json.loads(run(*options, "--offset", "1")[1])
    assert (second["offset"], second["results"][0]["passage"]) == (1, whole[1]["passage"])
    assert " 2. " in run("search", "-w", space, "lights", "-n", "1", "--offset", "1")[1]
    found = json.loads(run(*options[:-1], "9", "--per", "document")[1])["results"]
    assert len({one["document"] for one in found}) == len(found) < len(whole)
    rows = json.loads(run(*options[:-1], "9", "--where", "kind = row and not height < 40")[1])
    assert {one["metadata"]["height"] for one in rows["results"]} == {49, 67}
    assert run(*options, "--per", "page")[0] == 2
