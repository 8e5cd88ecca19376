"""Files of pairs: which response is which, whose verdict is whose, and what each file comes to."""

import csv
import json

import pytest

from appellate import load_audit
from appellate.cli import main
from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.table_map import map_of
from partly import partly_quick

LLMBAR = {
    "input": "Name a prime.",
    "output_1": "Seven.",
    "output_2": "Nine.",
    "label": 1,
    "results": [
        {
            "swap = False": {"completion": ["(a) is prime.", "stop"], "winner": "1"},
            "swap = True": {"completion": ["(a) reads well.", "stop"], "winner": "2"},
        },
    ],
}
PANDALM = {
    "idx": "0",
    "cmp_key": "bloom-7b_llama-7b",
    "instruction": "Is seven prime?",
    "input": "",
    "response1": True,
    "response2": "No.",
    "annotator1": "1",
    "annotator2": "1",
    "annotator3": "0",
}
ALPACA = {
    "instruction": "Say hello.",
    "output_1": "Hi.",
    "output_2": "Hello!",
    "generator_1": "davinci",
    "generator_2": "mine",
    "annotator": "gpt4_cot",
    "preference": 1.93,
}
PROMPT = (
    "[User Question]\nHow high?\n\n"
    "[The Start of Assistant A's Answer]\nTen metres.\n[The End of Assistant A's Answer]\n\n"
    "[The Start of Assistant B's Answer]\nVery.\n[The End of Assistant B's Answer]"
)
MT_BENCH = {
    "question_id": 81,
    "model_1": "alpaca-13b",
    "model_2": "vicuna-13b",
    "g1_winner": "model_1",
    "g2_winner": "model_1",
    "judge": ["gpt-4", "pair-v2"],
    "g1_user_prompt": PROMPT,
    "g1_judgment": "A gives\na number. [[A]]",
    "g2_judgment": "B gives a number. [[B]]",
    "turn": 1,
}
ARENA = {
    "question_id": "q1",
    "model_a": "alpaca-13b",
    "model_b": "vicuna-13b",
    "winner": "tie (bothbad)",
    "judge": "arena_user_973",
    "conversation_a": [
        {"role": "user", "content": "How high?"},
        {"role": "assistant", "content": "Ten."},
    ],
    "conversation_b": [
        {"role": "user", "content": "How high?"},
        {"role": "assistant", "content": "Very."},
    ],
    "turn": 1,
}
KAGGLE = {
    "id": 7,
    "model_a": "a-model",
    "model_b": "b-model",
    "prompt": '["How high?", "And wide?"]',
    "response_a": '["Ten.", "Two."]',
    "response_b": '["Very.", null]',
    "winner_model_a": 0,
    "winner_model_b": 1,
    "winner_tie": 0,
}


def opened(folder, *rows):
    """The file that these rows are, as a JSON array, and its traces."""
    path = folder / "pairs.json"
    path.write_text(json.dumps(rows))
    file = recognise.read([path], map_of({}))
    return file, list(file.traces())


def sides(trace):
    return trace.record["response"], trace.record["other"]["response"]


def test_llmbar_has_its_experts_as_a_person_and_both_orders_of_its_judge(tmp_path):
    file, (trace,) = opened(tmp_path, LLMBAR)
    assert file.form == "LLMBar"
    assert sides(trace) == ("Seven.", "Nine.")
    assert [(person.value, person.by) for person in trace.people] == [
        ("response", "LLMBar's experts"),
    ]
    (verdict,) = trace.judged
    assert verdict.value == {"class": "tie", "orders": ["response", "other"]}
    assert (
        verdict.reason
        == "[response first] (a) is prime.\n[other first] (a) reads well."
    )


def test_an_order_without_a_verdict_is_no_verdict_and_never_a_tie(tmp_path):
    broken = json.loads(json.dumps(LLMBAR))
    broken["results"][0]["swap = True"]["winner"] = "neither"
    _, (trace,) = opened(tmp_path, broken)
    assert (
        trace.judged[0].failed
        == "The verdicts of the two orders are '1' and 'neither'."
    )


def test_pandalms_people_are_their_majority_and_a_response_that_is_no_text_is_written_as_json(
    tmp_path,
):
    _, (trace,) = opened(tmp_path, PANDALM)
    assert sides(trace) == ("true", "No.")
    assert [(person.value, person.by) for person in trace.people] == [
        ("response", "majority of annotator1, annotator2, annotator3"),
    ]
    assert (trace.record["model"], trace.record["other"]["model"]) == (
        "bloom-7b",
        "llama-7b",
    )
    _, (open_trace,) = opened(tmp_path, {**PANDALM, "annotator2": "2"})
    assert not open_trace.people


def test_alpacaevals_win_rate_is_that_of_its_second_output(tmp_path):
    _, traces = opened(
        tmp_path,
        ALPACA,
        {**ALPACA, "preference": 1.5},
        {**ALPACA, "preference": 1},
        {**ALPACA, "preference": None},
    )
    assert sides(traces[0]) == ("Hello!", "Hi.")
    assert [trace.judged[0].value for trace in traces] == [
        "response",
        "tie",
        "other",
        None,
    ]
    assert traces[3].judged[0].failed == "The verdict is missing."
    assert traces[0].record["model"] == "mine"


def test_mt_benchs_answers_are_read_out_of_the_prompt_of_the_first_order(tmp_path):
    _, (trace,) = opened(tmp_path, MT_BENCH)
    assert trace.record["question"] == "How high?"
    assert sides(trace) == ("Ten metres.", "Very.")
    assert trace.judged[0].value == {
        "class": "response",
        "orders": ["response", "response"],
    }
    assert trace.judged[0].judge == "gpt-4"
    assert trace.record["cluster"] == "81"


def test_of_two_turns_of_mt_bench_the_whole_conversation_is_the_response(tmp_path):
    def side(letter, first, second):
        begun = f"<|The Start of Assistant {letter}'s Conversation with User|>\n\n"
        turns = (
            f"### User:\nHow high?\n\n### Assistant {letter}:\n{first}\n\n"
            f"### User:\nAnd wide?\n\n### Assistant {letter}:\n{second}\n\n"
        )
        return (
            f"{begun}{turns}<|The End of Assistant {letter}'s Conversation with User|>"
        )

    prompt = side("A", "Ten.", "Two.") + "\n\n\n" + side("B", "Very.", "Less.")
    row = {**MT_BENCH, "turn": 2, "g1_user_prompt": prompt}
    _, (trace,) = opened(tmp_path, row)
    first, second = sides(trace)
    assert trace.record["question"] == "How high?"
    assert first.startswith("### User:\nHow high?")
    assert second.endswith("### Assistant:\nLess.")
    assert "Very." not in first


def test_an_arenas_votes_on_one_pair_are_one_trace_and_further_people_are_counted(
    tmp_path,
):
    file, (trace,) = opened(
        tmp_path,
        ARENA,
        {**ARENA, "judge": "gpt4_pair", "winner": "model_a"},
        {**ARENA, "judge": "arena_user_2", "winner": "model_b"},
    )
    assert sides(trace) == ("Ten.", "Very.")
    assert [(person.value, person.by) for person in trace.people] == [
        ("tie", "arena_user_973"),
    ]
    assert [verdict.value for verdict in trace.judged] == ["response"]
    assert file.notes() == [
        "1 further verdict of people left out: a pair keeps the first.",
    ]


def test_a_vote_on_no_certain_turn_is_on_the_whole_conversation(tmp_path):
    second_turn = [
        {"role": "user", "content": "And wide?"},
        {"role": "assistant", "content": "Two."},
    ]
    row = {
        **ARENA,
        "turn": None,
        "conversation_a": [*ARENA["conversation_a"], *second_turn],
    }
    _, (trace,) = opened(tmp_path, row)
    assert sides(trace) == (
        "assistant: Ten.\n\nuser: And wide?\n\nassistant: Two.",
        "Very.",
    )


def test_messages_of_an_arena_whose_content_is_a_list_are_read_as_text(tmp_path):
    picture = {"type": "image", "text": None, "image": "a.png"}
    question = {"type": "text", "text": "How high?", "image": None}
    answer = {"type": "text", "text": "Ten.", "image": None}
    row = {
        **ARENA,
        "conversation_a": [
            {"role": "user", "content": [question, picture]},
            {"role": "assistant", "content": [answer]},
        ],
        "conversation_b": [
            {"role": "user", "content": [question, picture]},
            {"role": "assistant", "content": None},
        ],
    }
    _, (trace,) = opened(tmp_path, row)
    assert trace.record["question"] == "How high?"
    assert sides(trace) == ("Ten.", "")


def test_winners_of_the_kaggle_export_may_be_true_and_false(tmp_path):
    winners = {"winner_model_a": False, "winner_model_b": True, "winner_tie": False}
    _, (trace,) = opened(tmp_path, {**KAGGLE, **winners})
    assert [person.value for person in trace.people] == ["other"]


def test_a_plain_text_of_the_kaggle_export_may_begin_with_a_bracket(tmp_path):
    plain = {"prompt": "Capital?", "response_a": "[1] Paris.", "response_b": "Lyon."}
    _, (trace,) = opened(tmp_path, {**KAGGLE, **plain})
    assert sides(trace) == ("[1] Paris.", "Lyon.")


def test_the_turn_of_a_vote_may_have_a_point(tmp_path):
    row = {**ARENA, "turn": "1.0"}
    row["conversation_a"] = ARENA["conversation_a"] * 2
    _, (trace,) = opened(tmp_path, row)
    assert sides(trace) == ("Ten.", "Very.")


def test_votes_without_a_questions_id_are_a_pair_each(tmp_path):
    rows = [{**ARENA, "question_id": None}, {**ARENA, "question_id": None}]
    file, traces = opened(tmp_path, *rows)
    assert [trace.record["id"] for trace in traces] == ["1-1", "2-2"]
    assert not file.notes()


def test_a_vote_for_kaggle_without_an_id_has_its_number(tmp_path):
    _, traces = opened(tmp_path, {**KAGGLE, "id": None}, {**KAGGLE, "id": None})
    assert [trace.record["id"] for trace in traces] == ["1", "2"]


def test_kaggles_export_has_whole_conversations_as_responses(tmp_path):
    _, (trace,) = opened(tmp_path, KAGGLE)
    first, second = sides(trace)
    assert first == "assistant: Ten.\n\nuser: And wide?\n\nassistant: Two."
    assert second.endswith("user: And wide?\n\nassistant: ")
    assert trace.people[0].value == "other"


@pytest.mark.parametrize("row", [LLMBAR, PANDALM, ALPACA, MT_BENCH, ARENA, KAGGLE])
def test_each_form_becomes_an_audit_whose_ids_name_no_model(tmp_path, monkeypatch, row):
    monkeypatch.chdir(tmp_path)
    opened(tmp_path, row)
    assert main(["import", "pairs.json", "-o", "x.audit.toml"]) == 0
    audit = load_audit(tmp_path / "x.audit.toml")
    (trace,) = audit.traces
    for name in ("7b", "13b", "davinci", "mine", "model"):
        assert name not in trace.id
    assert [kind.name for kind, _ in audit.rubric.every_trait()] == ["pairwise"]


def test_verdicts_without_their_test_set_are_refused_with_the_command(tmp_path):
    path = tmp_path / "gpt.json"
    path.write_text('[{"idx": "0", "gpt_result": "1", "gpt_reason": "x"}]')
    with pytest.raises(Unusable, match="give PandaLM's test set as well"):
        recognise.read([path], map_of({}))


MAPPED = "response=answer_a,other=answer_b,other.model=by_b,model=by_a,verdict.Better=says,person.Better=human"


def test_any_table_with_two_responses_is_mapped_to_pairs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text(
        "id,question,answer_a,answer_b,by_a,by_b,says,human\n"
        "1,q,Yes.,No.,x,y,A,model_b\n"
        "2,q,Yes.,No.,x,y,tie (bothbad),Tie\n"
        "3,q,Yes.,No.,x,y,perhaps,B wins\n",
    )
    assert main(["import", "own.csv", "--map", MAPPED, "-o", "x.audit.toml"]) == 0
    audit = load_audit(tmp_path / "x.audit.toml")
    (known,) = audit.rubric.every_trait()
    assert (known.kind.name, known.trait.name) == ("pairwise", "Better")
    assert [trace.other.model for trace in audit.traces] == ["y"] * 3
    cells = [audited.cell for audited in audit.cells]
    assert [cell.judge and cell.judge.table["class"] for cell in cells] == [
        "response",
        "tie",
        None,
    ]
    assert "'perhaps', and not A, B or a tie" in cells[2].error.error
    assert [cell.labels.value for cell in cells] == [1, 2, 1]


def test_a_rubric_of_ones_own_takes_both_responses_of_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.toml").write_text('[[pairwise_traits]]\nname = "Kinder"\n')
    (tmp_path / "own.csv").write_text("id,one,two\n1,Yes.,No.\n")
    mapped = ["--map", "response=one,other=two"]
    out = ["-o", "x.audit.toml"]
    assert (
        main(["judge", "r.toml", "own.csv", *mapped, "--judge", "lexical", *out]) == 0
    )
    (trace,) = load_audit(tmp_path / "x.audit.toml").traces
    assert (trace.response, trace.other.response) == ("Yes.", "No.")


@pytest.mark.parametrize(
    ("files", "alike", "kappa"),
    partly_quick(
        [
            (["llmbar/natural_gpt4_cot.json"], (90, 100), 0.812),
            (
                ["pandalm/testset-v1.json", "pandalm/gpt-3.5-turbo-testset-v1.json"],
                (191, 285),
                0.450,
            ),
            (
                ["pandalm/testset-v1.json", "pandalm/pandalm-7b-testset-v1.json"],
                (207, 300),
                0.507,
            ),
        ],
        3,
    ),
)
def test_from_published_files_to_their_agreement_in_one_command(
    shared,
    tmp_path,
    monkeypatch,
    capsys,
    files,
    alike,
    kappa,
):
    paths = [shared / "data/interop" / name for name in files]
    monkeypatch.chdir(tmp_path)
    assert main(["import", *map(str, paths), "-o", "x.audit.toml"]) == 0
    assert_agreement("x.audit.toml", capsys, alike, kappa)


def assert_agreement(audit, capsys, alike, kappa):
    capsys.readouterr()
    assert main(["metrics", audit, "--json"]) == 0
    (trait,) = json.loads(capsys.readouterr().out)["traits"]
    found = trait["agreement"]
    assert (found["agreed"], found["compared"]) == alike
    assert found["kappa"] == pytest.approx(kappa, abs=0.001)


def test_the_majority_of_a_joined_table_comes_to_the_same(shared, tmp_path, capsys):
    folder = shared / "data/interop/pandalm"
    paths = [folder / "testset-v1.json", folder / "gpt-3.5-turbo-testset-v1.json"]
    entries = (
        "id=idx,response=response1,other=response2,question=instruction,verdict.V=gpt_result,"
        "person.V=majority(annotator1|annotator2|annotator3)"
    )
    audit = str(tmp_path / "p.audit.toml")
    options = ["--join", "idx", "--map", entries, "-o", audit]
    assert main(["import", *map(str, paths), *options]) == 0
    assert_agreement(audit, capsys, (191, 285), 0.45)


@pytest.mark.parametrize(
    ("judged", "winners"),
    [
        (["1", "2", "0"], ["response", "other", "tie"]),
        (["1", "0", "0"], ["response", None, None]),
    ],
)
def test_in_a_table_zero_is_a_tie_only_beside_two(tmp_path, judged, winners):
    lines = [f"{number},x,y,{verdict}" for number, verdict in enumerate(judged)]
    (tmp_path / "t.csv").write_text("\n".join(["id,one,two,winner", *lines]), "utf-8")
    entries = {"response": "one", "other": "two", "verdict.V": "winner"}
    file = recognise.read([tmp_path / "t.csv"], map_of(entries))
    assert [trace.judged[0].value for trace in file.traces()] == winners


@pytest.mark.parametrize(
    "row",
    [
        {**LLMBAR, "label": 2.0, "results": None},
        {**PANDALM, "annotator1": 2.0, "annotator2": 2.0, "annotator3": 1.0},
        {**KAGGLE, "winner_model_a": 0.0, "winner_model_b": 1.0, "winner_tie": 0.0},
    ],
)
def test_a_side_is_known_where_pandas_wrote_its_number_with_a_point(tmp_path, row):
    _, (trace,) = opened(tmp_path, row)
    assert [person.value for person in trace.people] == ["other"]


@pytest.mark.parametrize(
    ("row", "column", "number"),
    [
        ({**LLMBAR, "results": ""}, "label", "2.0"),
        ({**PANDALM, "annotator2": "2.0", "annotator3": "1"}, "annotator1", "2.0"),
        ({**KAGGLE, "winner_model_a": "0.0"}, "winner_model_b", "1.0"),
        (ALPACA, "preference", "1.20"),
    ],
)
def test_pairs_may_be_in_csv_where_numbers_are_texts(tmp_path, row, column, number):
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([row, {**row, column: number}.values()])
    (trace,) = recognise.read([path], map_of({})).traces()
    assert [verdict.value for verdict in (*trace.people, *trace.judged)] == ["other"]


def test_a_table_may_write_the_numbers_of_the_sides_with_a_point(tmp_path):
    path = tmp_path / "t.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, verdict in enumerate([1.0, 2.0, 0.0]):
            row = {"id": number, "one": "x", "two": "y", "winner": verdict}
            file.write(json.dumps(row) + "\n")
    entries = {"response": "one", "other": "two", "verdict.V": "winner"}
    file = recognise.read([path], map_of(entries))
    winners = [trace.judged[0].value for trace in file.traces()]
    assert winners == ["response", "other", "tie"]
