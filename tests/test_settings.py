from pathlib import Path

import pytest

from consilience.errors import UsageError
from consilience.settings import TABLE, build_settings, read_settings

DOCS = Path(__file__).parent.parent / "docs" / "settings.md"


def test_defaults_then_file_then_environment(tmp_path):
    (tmp_path / "consilience.toml").write_text(
        'pack = "general"\n[fusion]\nk = 10\nmethod = "dbsf"\nweights = {bm25 = 0.5}\n'
    )
    assert read_settings(None, {}).fusion.k == 60
    assert read_settings(tmp_path, {}).fusion.k == 10
    both = read_settings(tmp_path, {"CONSILIENCE_FUSION_K": "20", "OTHER": "x"})
    assert (both.fusion.k, both.fusion.method, both.fusion.weights) == (20, "dbsf", {"bm25": 0.5})
    named = read_settings(None, {"CONSILIENCE_FUSION_WEIGHTS": "books/bm25=2,games=0.5"})
    assert named.fusion.weights == {"books/bm25": 2.0, "games": 0.5}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fusion.k", "many"),
        ("fusion.k", True),
        ("fusion.k", -1),
        ("fusion.k", "nan"),
        ("retrieve.depth", 1.5),
        ("pack", 3),
        ("fusion.weights", {"bm25": -1}),
        ("fusion.weights", "bm25"),
        ("models.batch", 0),
        ("retrieve.depth", 0),
        ("retrieve.hard_ms", 0),
        ("retrieve.failures", "0"),
        ("refine.window", 0),
        ("refine.rerank", 0),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_and_itself(name, value):
    with pytest.raises(UsageError) as error:
        build_settings({name: value})
    assert name in str(error.value)
    assert repr(value) in str(error.value)


def test_an_unknown_setting_is_refused(tmp_path):
    (tmp_path / "consilience.toml").write_text("[fusion]\nkk = 1\n")
    with pytest.raises(UsageError, match=r"unknown setting 'fusion\.kk'"):
        read_settings(tmp_path, {})


def test_an_unknown_variable_is_refused_with_the_nearest_known_one():
    with pytest.raises(
        UsageError, match="CONSILIENCE_FUSON_K; the nearest is CONSILIENCE_FUSION_K"
    ):
        read_settings(None, {"CONSILIENCE_FUSON_K": "20", "_CONSILIENCE_COMPLETE": "x"})


def test_a_refusal_says_the_smallest_value_and_the_form_of_a_variable():
    with pytest.raises(UsageError, match="a whole number of 1 or more"):
        build_settings({"models.batch": 0})
    assert build_settings({"models.cache": 0}).models.cache == 0
    with pytest.raises(UsageError, match=r"like bm25=0\.5,books=2"):
        build_settings({"fusion.weights": "bm25"})


def test_broken_toml_names_the_file(tmp_path):
    (tmp_path / "consilience.toml").write_text("[fusion\n")
    with pytest.raises(UsageError, match=r"consilience\.toml is not valid TOML"):
        read_settings(tmp_path, {})


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_setting_is_documented_with_default_and_variable(row):
    text = DOCS.read_text(encoding="utf-8")
    assert f"### `{row.name}`" in text
    section = text.split(f"### `{row.name}`")[1].split("###")[0]
    assert row.help in section
    assert f"`{row.default}`" in section
    assert row.variable in section
    assert (f"At least {row.least}." in section) == bool(row.least)


def test_no_setting_is_documented_that_does_not_exist():
    headings = [line for line in DOCS.read_text().splitlines() if line.startswith("### `")]
    assert headings == [f"### `{row.name}`" for row in TABLE]
