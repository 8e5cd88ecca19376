"""`appellate check` counts what people see of traces, and their judges do not get."""

import json

import pytest

from appellate.cli import main

RUBRIC = """
[[metric_traits]]
name = "Facts"
metrics = ["recall"]
tp_instructions = ["Says yes"]

[[llm_traits]]
name = "Kind"
kind = "boolean"

[[regex_traits]]
name = "Yes"
pattern = "yes"
"""
MESSAGES = [
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "May I?"},
]
TRACES = [
    {"id": "1", "question": "May I?", "response": "yes", "reference": "yes"},
    {
        "id": "2",
        "question": "May I?",
        "response": "yes",
        "documents": ["a"],
        "reference": "yes",
    },
    {"id": "3", "messages": MESSAGES, "response": "yes", "documents": ["a"]},
]


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def checked(*files, rubric=RUBRIC, traces=TRACES):
        (tmp_path / "r.toml").write_text(rubric)
        (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, traces)))
        assert main(["check", *files]) == 0
        lines = capsys.readouterr().out.splitlines()
        return [
            line.partition(": people see ")[2]
            for line in lines
            if ": people see " in line
        ]

    return checked


BOTH = ("r.toml", "t.jsonl")


def test_each_material_is_told_with_its_traces_and_traits(told):
    assert told(*BOTH) == [
        'the reference of 2 traces, which the judge of "Kind" does not get.',
        "documents of 2 traces, which no judge gets.",
    ]


def test_a_prompt_that_does_without_earlier_turns_is_told(told):
    emptied = '[prompts.llm]\nearlier = ""\n'
    assert told(*BOTH, rubric=RUBRIC + emptied)[0] == (
        'turns before the response of 1 trace, which the judge of "Kind" does not get.'
    )


def test_the_prompts_of_the_config_file_are_in_force(told, tmp_path, monkeypatch):
    (tmp_path / "config.toml").write_text('[prompts.metric]\nquestion = ""\n')
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    texts = told(*BOTH)
    assert (
        texts[0] == 'the question of 2 traces, which the judge of "Facts" does not get.'
    )
    assert texts[1].startswith("turns before the response of 1 trace")


def test_where_there_is_no_more_than_question_and_response_nothing_is_told(told):
    assert (
        told(*BOTH, traces=[{"id": "1", "question": "May I?", "response": "yes"}]) == []
    )


def test_of_labels_that_came_with_the_traces_nobody_knows(told):
    labels = {
        "Kind": {"value": True, "evidence": []},
        "Facts": {"tp": [], "fn": ["Says yes"]},
    }
    assert told(*BOTH, traces=[{**TRACES[1], "judgments": labels}]) == []


def test_an_audit_is_told_by_who_judged_each_cell(told):
    told(*BOTH)
    assert main(["judge", *BOTH, "-o", "x.audit.toml"]) == 0
    assert told("x.audit.toml") == [
        'the question of 2 traces, which the judge of "Facts" does not get.',
        'turns before the response of 1 trace, which the judge of "Facts" does not get.',
        "the reference of 2 traces, which no judge gets.",
        "documents of 2 traces, which no judge gets.",
    ]


def test_traits_beyond_a_few_are_counted(told):
    names = [f"K{number}" for number in range(7)]
    traits = [f'[[llm_traits]]\nname = "{name}"\nkind = "boolean"\n' for name in names]
    texts = told(*BOTH, rubric=RUBRIC.replace("Kind", "Other") + "".join(traits))
    named = '"Other", "K0", "K1", "K2" and 4 more'
    assert (
        texts[0]
        == f"the reference of 2 traces, which the judges of {named} do not get."
    )


def test_results_that_a_trait_reads_shortened_are_told(told):
    shortening = """
[[llm_traits]]
name = "Kind"
kind = "boolean"
reads = "conversation"
longest_result = 40
"""
    long = [*MESSAGES, {"role": "tool", "content": "x" * 41}]
    short = [*MESSAGES, {"role": "tool", "content": "x" * 40}]
    runs = [
        {"id": str(number), "messages": messages, "response": "yes"}
        for number, messages in enumerate((long, short))
    ]
    assert told(*BOTH, rubric=shortening, traces=runs) == [
        'the whole of long results of 1 trace, which the judge of "Kind" does not get.',
    ]


def test_the_models_name_is_told_as_that_and_not_as_metadata(told):
    plain = {"question": "May I?", "response": "yes"}
    traces = [
        {**plain, "id": "1", "model": "gpt"},
        {**plain, "id": "2", "model": "gpt", "metadata": {"source": "web"}},
        {**plain, "id": "3", "metadata": {"source": "web"}},
    ]
    assert told(*BOTH, traces=traces) == [
        "metadata of 2 traces, which no judge gets.",
        "the model's name of 2 traces, which no judge gets.",
    ]
