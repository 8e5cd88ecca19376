"""A function may give a scorer trait C, P, I or N, a number, or a dictionary of them by key."""

import json
import tomllib

import pytest

from appellate.cli import main
from appellate.core.kind import NotComputed
from appellate.core.trace import Trace
from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.scorer import KIND
from appellate.traits.scorer.running import table_of
from appellate.traits.scorer.spec import ScorerRubricTrait

FUNCTIONS = """
def graded(response, reference): return "C" if reference in response else "N"
def keyed(response): return {"style": "P", "facts": len(response) / 100, "tone": None}
def wrong(response): return {"style": "P"}
def spoken(response): return "very good"
"""
RUBRIC = """
[[scorer_traits]]
name = "Right"
scorer = "callable"
callable = "own_scores:graded"

[[scorer_traits]]
name = "Marks"
scorer = "callable"
callable = "own_scores:keyed"
keys = ["style", "facts", "tone"]

[[scorer_traits]]
name = "Wrong"
scorer = "callable"
callable = "own_scores:wrong"
keys = ["style", "facts"]

[[scorer_traits]]
name = "Spoken"
scorer = "callable"
callable = "own_scores:spoken"
"""


def trait(**settings):
    return ScorerRubricTrait(name="T", scorer="callable", callable="m:f", **settings)


@pytest.mark.parametrize(
    ("settings", "returned", "value"),
    [
        *(({}, letter, letter) for letter in ("C", "P", "I", "N", "unscored")),
        ({}, 0.5, 0.5),
        ({}, True, True),
        ({}, "yes", True),
        ({}, float("nan"), "unscored"),
        ({"min_score": 1, "max_score": 5}, 4, 4.0),
        ({"keys": ["a", "b"]}, {"b": "I", "a": 1}, {"a": 1.0, "b": "I"}),
        ({"keys": ["a"]}, {"a": None}, {"a": "unscored"}),
    ],
)
def test_what_a_function_returns_is_the_score_or_the_scores_by_key(
    settings,
    returned,
    value,
):
    assert table_of(trait(**settings), returned) == {"value": value}


@pytest.mark.parametrize(
    ("settings", "returned", "told"),
    [
        ({}, "Z", 'returned the text "Z", not a number from 0 to 1, C, P, I, N'),
        ({}, "c", 'the text "c", not'),
        ({}, "", 'the text "", not'),
        ({}, 7, "the number 7, not a number from 0 to 1"),
        ({}, float("inf"), "an infinite number, not"),
        ({}, "\x1b[31mC", "not a number from 0 to 1"),
        (
            {},
            {"a": 1, "b": 0},
            'returned a dictionary: say keys = ["a", "b"] in the trait',
        ),
        ({"keys": ["a"]}, "C", 'the text "C", not a dictionary of a'),
        ({"keys": ["a"]}, {}, "a dictionary without a; None is unscored"),
        ({"keys": ["a"]}, {"a": 1, "z\x1b": 1}, "the key .*, which is none of a"),
        (
            {"keys": ["a"]},
            {"a": "good"},
            'the text "good" for a, not a number from 0 to 1',
        ),
    ],
)
def test_what_is_no_score_of_the_trait_is_refused_with_what_would_be(
    settings,
    returned,
    told,
):
    with pytest.raises(ValueError, match=told.replace("[", r"\[")) as refusal:
        table_of(trait(**settings), returned)
    assert "\x1b" not in str(refusal.value)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"scorer": "callable"}, "callable needs a function"),
        ({"scorer": "callable", "callable": "nowhere"}, "names no function"),
        ({"scorer": "match", "callable": "m:f"}, "callable is no setting of match"),
        (
            {"scorer": "callable", "callable": "m:f", "pattern": "x"},
            "no setting of callable",
        ),
        (
            {
                "scorer": "multi_scorer",
                "scorers": [
                    {"scorer": "exact"},
                    {"scorer": "callable", "callable": "m:f"},
                ],
            },
            "callable cannot be a member of a multi_scorer",
        ),
    ],
)
def test_a_trait_that_could_not_run_is_refused_as_the_rubric_is_read(entry, told):
    loaded = parse_rubric({"scorer_traits": [{"name": "T", **entry}]}, "r.toml")
    assert told in "\n".join(map(str, loaded.problems))


def test_the_oldest_list_takes_one_too_and_it_never_runs_without_a_session():
    entry = {"name": "T", "scorer": "callable", "callable": "m:f"}
    rubric = parse_rubric({"traits": [entry]}, "r.toml").usable()
    assert rubric.get_scorer_trait_names() == ["T"]
    source = KIND.source(rubric.scorer_traits[0])
    with pytest.raises(NotComputed, match="m:f was not run: that takes --allow-code"):
        source.compute(rubric.scorer_traits[0], Trace(id="1", response="x"))


def test_judge_runs_them_where_it_may_and_fails_a_cell_with_a_sentence(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_scores.py").write_text(FUNCTIONS, "utf-8")
    (tmp_path / "r.toml").write_text(RUBRIC, "utf-8")
    trace = {"id": "1", "response": "It is 42.", "reference": "42"}
    (tmp_path / "t.jsonl").write_text(json.dumps(trace) + "\n", "utf-8")
    assert main(["check", "r.toml", "t.jsonl"]) == 0
    assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"]) == 0
    told = capsys.readouterr().err
    assert (
        "4 cells wait for code that was not run (own_scores:graded, own_scores:keyed"
        in told
    )
    assert "start with --allow-code" in told
    assert (
        main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", "--allow-code"]) == 1
    )
    (kept,) = tomllib.loads((tmp_path / "x.audit.toml").read_text("utf-8"))["traces"]
    judged = {one["trait"]: one for one in kept["judgments"]}
    assert judged["Right"]["judge"]["value"] == "C"
    assert judged["Right"]["metrics"] == {"score": 1.0}
    assert judged["Marks"]["judge"]["value"] == {
        "style": "P",
        "facts": 0.09,
        "tone": "unscored",
    }
    assert judged["Marks"]["metrics"]["score.style"] == 0.5
    assert (
        "own_scores:wrong returned a dictionary without facts"
        in judged["Wrong"]["error"]
    )
    assert (
        'own_scores:spoken returned the text "very good", not'
        in judged["Spoken"]["error"]
    )
    assert main(["metrics", "x.audit.toml"]) == 0
