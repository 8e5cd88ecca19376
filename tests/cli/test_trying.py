"""What the patterns of a rubric find in traces, before any is judged."""

import json
from contextlib import closing

import pytest

from appellate.cli.trying import EXAMPLES, patterns_of, try_patterns
from appellate.core.trace import Trace
from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.matching import STRIKES, Matcher, matcher

BH3 = {"name": "BH3", "pattern": r"\bBH3\b", "case_sensitive": False}
TOTAL = {"name": "Total", "scorer": "pattern", "pattern": r"Total: (\d+)( EUR)?"}
RESPONSES = [
    "The first line.\nIts bh3 domain, and BH3 again.",
    "none",
    "BH3",
    "also none",
]


def told(responses, *regex, matching=None, **more):
    """The lines on a rubric's patterns, for traces by number from 1."""
    table = {"regex_traits": [*regex]} | more
    rubric = parse_rubric(table, "r.toml").usable()
    traces = [
        one if isinstance(one, Trace) else Trace(id=str(number), response=one)
        for number, one in enumerate(responses, 1)
    ]
    tried = patterns_of(rubric)
    try_patterns(tried, rubric, traces, matching or matcher())
    return [line for pattern in tried for line in pattern.lines("r.toml")]


def test_a_pattern_is_told_with_its_counts_its_places_and_the_traces_without_it():
    first, *places = told(RESPONSES, BH3)
    assert first.startswith(
        r'r.toml: regex_traits[0].pattern: "BH3" looks for "\bBH3\b"',
    )
    assert first.endswith(", in any case: in 2 of 4 responses, 3 times; yes for 2")
    assert places == [
        '  "1", line 2, character 5: "bh3" in "The first line. Its bh3 domain, and BH3 aga…"',
        '  "3", line 1, character 1: "BH3" in "BH3"',
        '  not in "2", "4"',
    ]


def test_a_pattern_over_conversations_is_tried_on_what_the_assistant_says_and_calls():
    messages = [
        {"role": "user", "content": "BH3, please"},
        {"role": "assistant", "content": "One moment."},
        {"role": "assistant", "content": "It has BH3."},
    ]
    asked = Trace(id="1", messages=messages)
    silent = Trace(id="2", messages=messages[:2])
    first, *places = told([asked, silent], {**BH3, "reads": "conversation"})
    assert first.endswith(", in any case: in 1 of 2 conversations; yes for 1")
    assert places == [
        '  "1", step 3: "BH3" in "One moment. It has BH3."',
        '  not in "2"',
    ]


def test_an_inverted_pattern_says_yes_where_it_finds_nothing():
    lines = told(RESPONSES, {"name": "No BH3", "pattern": "BH3", "invert_result": True})
    assert lines[0].endswith('looks for "BH3": in 2 of 4 responses; yes for 2')
    lines = told(
        ["a", "BH3", "c"],
        {"name": "No BH3", "pattern": "BH3", "invert_result": True},
    )
    assert lines[0].endswith("in 1 of 3 responses; yes for 2")


@pytest.mark.parametrize(
    ("pattern", "tag", "found"),
    [
        ("BH4", "nothing", "in none of 4 responses; yes for 0"),
        ("(?s).*", "everything", "in all 4 responses, 8 times; yes for 4"),
        ("", "everything", "in all 4 responses, 66 times; yes for 4"),
    ],
)
def test_a_pattern_that_finds_everything_or_nothing_is_marked(pattern, tag, found):
    line = told(RESPONSES, {"name": "x", "pattern": pattern})[0]
    assert f"[{tag}]" in line
    assert line.endswith(f"{found}; it tells no response from another")


def test_of_a_single_response_nothing_is_suspected():
    assert told(["BH3"], BH3)[0].endswith("in 1 of 1 response; yes for 1")
    assert told(["x"], BH3)[0].endswith("in none of 1 response; yes for 0")


def test_a_pattern_of_a_scorer_is_told_with_the_groups_of_its_first_match():
    lines = told(["Total: 18", "Total: 9 EUR", "x"], scorer_traits=[TOTAL])
    assert lines[0].endswith("in any case: in 2 of 3 responses")
    assert lines[1].endswith('"Total: 18" in "Total: 18"; the groups are "18", none')
    assert lines[2].endswith(
        '"Total: 9 EUR" in "Total: 9 EUR"; the groups are "9", " EUR"',
    )


def test_the_patterns_of_every_scorer_that_has_one_are_tried():
    letter = {"scorer": "answer", "pattern": "letter"}
    members = [
        {"scorer": "includes"},
        letter,
        {"name": "p", "scorer": "pattern", "pattern": "z"},
    ]
    lines = told(
        ["z ANSWER: B", "y"],
        scorer_traits=[
            {"name": "A", **letter},
            {"name": "M", "scorer": "multi_scorer", "scorers": members},
            {"name": "F", "scorer": "f1"},
        ],
    )
    assert [
        line.partition(": ")[2].partition(": ")[0] for line in lines if line[0] != " "
    ] == [
        "scorer_traits[0].pattern",
        "scorer_traits[1].scorers[1].pattern",
        "scorer_traits[1].scorers[2].pattern",
    ]
    assert all("in 1 of 2 responses" in line for line in lines if line[0] != " ")


def test_a_trait_of_a_question_is_tried_on_its_traces_alone():
    asked = [
        Trace(id="a", question_id="q", response="BH3"),
        Trace(id="b", response="BH3"),
    ]
    questions = [{"id": "q", "regex_traits": [BH3]}, {"id": "p", "regex_traits": [BH3]}]
    lines = told(asked, questions=questions)
    assert lines[0].startswith("r.toml: questions[0].regex_traits[0].pattern:")
    assert lines[0].endswith("in 1 of 1 response; yes for 1")
    assert lines[2].endswith("no response gets this trait")


def test_examples_are_few_and_short_and_epochs_are_named():
    traces = [
        Trace(id="a", epoch=n, response="x" * 500 + "y" * 5000) for n in range(1, 10)
    ]
    lines = told(traces, {"name": "Y", "pattern": "y+"})
    assert len(lines) == 1 + EXAMPLES
    assert lines[2].startswith('  "a#2", line 1, character 501: "yyy')
    assert max(map(len, lines[1:])) < 250


def test_a_slow_pattern_fails_as_in_judging_and_is_given_up():
    hard = "a" * 40 + "b"
    slow = {"name": "Slow", "pattern": "(a+)+$"}
    with closing(Matcher(limit=0.05)) as hurried:
        lines = told([hard, "aaa", *[hard] * STRIKES], slow, matching=hurried)
        (line, _) = told(
            [hard],
            {"name": "Slow", "pattern": "(a+)+x?$"},
            matching=hurried,
        )
        looked_again = told([hard] * 2, slow, matching=hurried)
    assert "[slow]" in lines[0]
    assert lines[0].endswith("in 1 of 1 response; yes for 1")
    named = '"1", "3", "4" and 3 more'
    assert lines[-1].startswith(
        f"  too slow on {named}: The pattern took longer than 0.05 s",
    )
    assert line.endswith("in no response in time")
    assert "so it was not tried on this one" in looked_again[-1]


HOSTILE = "\x1b]0;x\x07\u202e\n\x9b31m"


def test_hostile_texts_are_inert(tmp_path, cli):
    table = {"id": HOSTILE, "response": f"{HOSTILE}BH3{HOSTILE}"}
    (tmp_path / "t.jsonl").write_text(json.dumps(table) + "\n")
    pattern = 'name = "\\u001b[31m"\npattern = "\\u001b|BH3|\\u202e"\n'
    (tmp_path / "r.toml").write_text(f"[[regex_traits]]\n{pattern}")
    shown = cli("check --try", tmp_path / "r.toml", tmp_path / "t.jsonl").out
    assert "in 1 of 1 response, 5 times" in shown
    assert not set(shown) & {"\x1b", "\x07", "\u202e", "\x9b"}
    assert len(shown.splitlines()) == 4


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": n, "response": text} for n, text in enumerate(RESPONSES, 1)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "r.toml").write_text(
        '[[regex_traits]]\nname = "BH3"\npattern = "BH3"\n',
    )
    return tmp_path


def test_check_tries_the_patterns_behind_what_it_says_of_the_files(files, cli):
    shown = cli("check --try r.toml t.jsonl").out.splitlines()
    assert shown[:2] == [
        "r.toml: a rubric, 1 global trait, 0 questions (1 regex).",
        "t.jsonl: 4 traces.",
    ]
    assert (
        shown[2]
        == 'r.toml: regex_traits[0].pattern: "BH3" looks for "BH3": in 2 of 4 responses; yes for 2'
    )
    assert "BH3" not in cli("check r.toml t.jsonl").out.replace("r.toml: a rubric", "")


@pytest.mark.slow
def test_a_slow_pattern_is_a_failure_and_lint_goes_on_beside_it(files, cli):
    (files / "r.toml").write_text('[[regex_traits]]\nname = "S"\npattern = "(e+)+$"\n')
    (files / "t.jsonl").write_text(
        json.dumps({"id": 1, "response": "e" * 40 + "x"}) + "\n",
    )
    told = cli("check --try --lint r.toml t.jsonl", code=1)
    assert "[slow]" in told.out
    assert "No weakness found" in told.err


@pytest.mark.parametrize("given", ["r.toml", "t.jsonl", "t.jsonl r.toml"])
def test_there_must_be_traces_behind_a_rubric(given, files, cli):
    told = cli(f"check --try {given}", code=2).err
    assert "--try: there are no traces to try the patterns of a rubric on" in told


def test_problems_come_before_anything_is_tried(files, cli):
    (files / "bad.jsonl").write_text("{oops\n")
    told = cli("check --try r.toml t.jsonl bad.jsonl", code=2)
    assert "looks for" not in told.out


def test_a_rubric_without_a_pattern_says_so(files, cli):
    (files / "r.toml").write_text('[[llm_traits]]\nname = "L"\nkind = "boolean"\n')
    assert "No pattern to try" in cli("check --try r.toml t.jsonl").err
