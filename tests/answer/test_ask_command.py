"""What a person sees of `consilience ask`, in a pipe, in a terminal and as JSON."""

import json
import sys

import pytest

from consilience.cli import ask, main
from consilience.cli.app import out
from consilience.testing import ScriptedGenerator
from consilience.types import Answer, Done, Plan, Query, Result, Said, Trace, Withdrawn

QUESTION = "Who built the tower on the Bell Rock?"


@pytest.fixture
def call(capsys, monkeypatch, workspace, embedder):
    workspace.close()
    monkeypatch.setattr("consilience.workspace.local.open_embedder", lambda *_: embedder)

    def run(*words):
        monkeypatch.setattr(
            sys, "argv", ["consilience", "ask", "-w", str(workspace.folder), *words]
        )
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    monkeypatch.setenv("CONSILIENCE_REFINE_FLOOR", "0")
    monkeypatch.setenv("CONSILIENCE_MODELS_RERANK", "none")
    return run


@pytest.fixture
def model(monkeypatch):
    sentence = "Robert Stevenson built a tower on a reef off Arbroath in 1911 [1]."
    generator = ScriptedGenerator(lambda prompt: sentence)

    def opened(name, settings):
        return None if name == "none" else generator

    monkeypatch.setattr("consilience.workspace.local.open_generator", opened)
    monkeypatch.setenv("CONSILIENCE_MODELS_GENERATE", "openai:small")
    return generator


def test_the_answer_its_sources_and_its_check_are_printed(call):
    code, text, _ = call(QUESTION, "--length", "concise")
    assert code == 0
    assert "Robert Stevenson built a tower on a reef off Arbroath" in text
    assert "\nSources\n" in text
    assert 'Document - "Towers at sea", Bell Rock' in text
    assert "numbers, names and quotations match the sources · " in text
    assert " · extractive, concise · from" in text


def test_json_has_what_the_design_promises(call):
    _, text, _ = call(QUESTION, "--json", "-n", "3")
    answer = json.loads(text)
    wanted = "text citations results outcomes plan notes abstained support timing_ms"
    assert set(wanted.split()) <= set(answer)
    assert len(answer["results"]) == 3
    for one in answer["citations"]:
        assert {"mark", "passage", "kind", "title", "locator", "quote"} <= set(one)
        assert f"[{one['mark']}]" in answer["text"]


def test_the_length_is_the_one_asked_for_and_an_unknown_one_is_refused(call):
    for length in ask.LENGTHS:
        assert json.loads(call(QUESTION, "--json", "--length", length)[1])["length"] == length
    code, _, told = call(QUESTION, "--length", "endless")
    assert code == 1
    assert "unknown --length 'endless'; known: concise, balanced, in-depth" in told


def test_no_model_means_that_none_is_asked(call, model):
    assert "extractive" in call(QUESTION, "--no-model")[1]
    assert model.prompts == []


def test_asking_for_a_model_where_none_is_set_is_refused(call):
    code, _, told = call(QUESTION, "--model")
    assert code == 1
    assert "--model: no language model is set; set models.generate" in told


def test_what_the_model_got_wrong_is_listed_and_its_failure_is_told(call, model):
    _, text, told = call(QUESTION, "--length", "in-depth")
    assert model.prompts
    assert "of 5 statements that language model 'scripted' wrote, 0 are borne out" not in text
    assert "“Robert Stevenson built a tower on a reef off Arbroath.”" in text
    assert "1911" not in text.split("Sources")[1]
    assert "of 5 statements that language model" in told


@pytest.mark.parametrize("length", ["concise", "balanced"])
def test_an_answer_in_one_pass_needs_no_outline(call, length):
    _, text, _ = call(QUESTION, "--show-prompt", "--length", length)
    assert "--- expand" in text
    assert "--- outline" not in text


@pytest.mark.parametrize("with_model", [True, False])
def test_the_prompt_can_be_read(call, model, with_model):
    options = ["--show-prompt", "--length", "in-depth", *([] if with_model else ["--no-model"])]
    _, text, _ = call(QUESTION, *options)
    assert "--- outline: user ---" in text
    assert '[Source 2: Document - "Towers at sea", Bell Rock]' in text
    _, text, _ = call(QUESTION, "--json", *options)
    assert json.loads(text)["prompts"][0]["stage"] == "outline"


def test_a_question_that_nothing_answers_gets_no_answer(call, monkeypatch):
    monkeypatch.setenv("CONSILIENCE_REFINE_FLOOR", "0.2")
    code, text, _ = call("zzz qqq", "--where", "country=Nowhere")
    assert code == 0
    assert "Nothing that was found here is likely to answer this question." in text
    assert "no answer" in text


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(type(out), "is_terminal", property(lambda self: self is out))
    monkeypatch.setattr(out, "_width", 40)


def test_a_terminal_gets_wrapped_lines_bold_headings_and_a_table(terminal, capsys):
    page = ask._Page()
    page.write("“One \\*two\\* three four five six seven eight nine.” [1]")
    page.write(" *Ten* **eleven**.")
    page.write(
        "\n\n## In the table\n\n| name | height |\n| --- | --- |\n| Bell \\| Rock | 35 [2] |"
    )
    page.write("\n\nEnd.")
    page.end_line()
    text = capsys.readouterr().out
    lines = [line.rstrip() for line in text.split("\n")]
    assert lines[:3] == ["“One *two* three four five six seven", "eight nine.” [1] Ten eleven.", ""]
    assert "In the table" in lines[3]
    assert not any("##" in line or "---" in line for line in lines)
    assert any(line.startswith("Bell | Rock") for line in lines)
    assert lines[-2] == "End."


def test_what_a_model_said_before_it_failed_is_withdrawn_in_a_terminal(terminal, capsys):
    answer = Answer(text="It stands.", citations=(), result=result())
    events = [
        Said(text="It fell."),
        Withdrawn(reason="gone"),
        Said(text="It stands."),
        Done(answer=answer),
    ]
    assert ask.receive_answer(iter(events), quiet=False) is answer
    captured = capsys.readouterr()
    assert captured.out == "It fell.\nIt stands.\n"
    assert "what stands above is withdrawn" in captured.err


def test_a_pipe_gets_only_what_was_not_withdrawn(capsys):
    answer = Answer(text="It stands.", citations=(), result=result())
    ask.receive_answer(iter([Said(text="It fell."), Done(answer=answer)]), quiet=False)
    assert capsys.readouterr().out == "It stands.\n"


def result():
    plan = Plan(query=Query(text="?"), intent="open", rule="", asks=())
    return Result(query=Query(text="?"), hits=(), notes=(), trace=Trace(plan=plan))


def test_a_question_follows_those_before_it(call):
    _, text, _ = call("When was it lit?", "--after", QUESTION, "--json")
    assert json.loads(text)["query"] == "When was it (Bell Rock) lit?"


def test_follow_ups_are_asked_until_an_empty_line(call, monkeypatch):
    typed = iter(["When was it lit?", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    _, text, said = call(QUESTION, "-i")
    assert text.count("\nSources\n") == 2
    assert "understood as: When was it (Bell Rock) lit?" in said
