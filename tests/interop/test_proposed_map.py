"""What a refusal proposes to map: complete, right, and nothing that is something else."""

import csv

import pytest

from appellate.core.problem import Unusable
from appellate.interop.proposed_map import proposed_map, proposed_pair, unused_labels
from appellate.interop.table_map import map_of, read_map
from appellate.interop.taking_in import examined

YES_NO = ["yes", "no", "yes"]
TEXTS = ["because it says so", "no idea of what", "it is quite wrong"]
TABLES = {
    "judge and person": (
        {"judge_verdict": YES_NO, "human_label": YES_NO},
        "verdict.Verdict=judge_verdict,person.Verdict=human_label",
    ),
    "a topic each": (
        {
            "judge_faithfulness": YES_NO,
            "judge_tone": ["a", "b", "a"],
            "human_faithfulness": ["1", "0", "1"],
            "human_tone": ["a", "a", "b"],
        },
        (
            "verdict.faithfulness=judge_faithfulness,person.faithfulness=human_faithfulness,"
            "verdict.tone=judge_tone,person.tone=human_tone"
        ),
    ),
    "annotators": (
        {
            "gpt4_label": YES_NO,
            "annotator_1": YES_NO,
            "annotator_2": YES_NO,
            "gold": YES_NO,
        },
        "verdict.Verdict=gpt4_label,person.Verdict=annotator_1|annotator_2|gold",
    ),
    "people by their names": (
        {
            "judge": YES_NO,
            "anna": YES_NO,
            "ben": ["no", "no", "no"],
            "lang": ["de", "en", "de"],
        },
        "verdict.Verdict=judge,person.Verdict=anna|ben",
    ),
    "reasons of both": (
        {
            "judge": YES_NO,
            "human": YES_NO,
            "judge_reason": TEXTS,
            "human_comment": TEXTS,
        },
        (
            "verdict.Verdict=judge,reason.Verdict=judge_reason,person.Verdict=human,"
            "why.Verdict=human_comment"
        ),
    ),
    "people alone": (
        {"expert_rating": [1, 2, 3], "expert_note": TEXTS},
        "person.Verdict=expert_rating,why.Verdict=expert_note",
    ),
    "how far people agree": (
        {
            "llm_score": [1, 2, 3],
            "human_score": [3, 2, 1],
            "agreement": ["high", "low", "low"],
        },
        "verdict.Verdict=llm_score,person.Verdict=human_score",
    ),
    "a name with a comma": (
        {"judge, strict": YES_NO},
        'verdict.strict="judge, strict"',
    ),
    "other languages": (
        {
            "urteil": ["gut", "schlecht", "gut"],
            "experte": ["gut"] * 3,
            "begründung": TEXTS,
        },
        "verdict.Verdict=urteil,reason.Verdict=begründung,person.Verdict=experte",
    ),
    "nothing": ({"topic": YES_NO, "judge_model": ["m", "m", "m"]}, ""),
}


@pytest.mark.parametrize(("values", "entries"), TABLES.values(), ids=TABLES)
def test_the_names_and_values_of_columns_say_what_they_are(values, entries):
    assert proposed_map(values, ()) == entries
    read_map([entries])


def test_two_responses_are_a_pair_with_their_models():
    columns = ["question", "response_a", "response_b", "model_a", "model_b"]
    assert proposed_pair(columns) == {
        "response": "response_a",
        "other": "response_b",
        "model": "model_a",
        "other.model": "model_b",
    }
    assert proposed_pair(["output1", "output2"]) == {
        "response": "output1",
        "other": "output2",
    }
    assert proposed_pair(["response_a", "response"]) == {}


def test_what_looks_like_labels_and_is_not_used_is_named():
    values = {
        "judge": YES_NO,
        "human_label": YES_NO,
        "anna": YES_NO,
        "topic": ["x", "y", "x"],
    }
    assert unused_labels(values, ["judge"], ["judge"]) == ["human_label", "anna"]
    assert unused_labels(values, ["judge", "human_label", "anna"], ["judge"]) == []


def test_the_line_that_is_proposed_takes_in_every_column_of_labels(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "answer", "judge_verdict", "human_label"])
        writer.writerows([[1, "a", "yes", "no"], [2, "b", "no", "no"]])
    with pytest.raises(Unusable) as refusal:
        examined([path])
    line = str(refusal.value.problems[0]).partition("--map ")[2]
    entries = line.partition(", or give")[0]
    found = examined([path], read_map([entries]))
    assert (found.imported.verdicts, found.imported.people, found.file.lost) == (
        2,
        2,
        [],
    )
    lost = examined([path], map_of({"verdict.V": "judge_verdict"})).file.lost
    assert lost == [
        (
            '"human_label" looks like labels and is metadata (--map person.V=human_label makes a'
            " person's verdicts of it)"
        ),
    ]


def test_a_pair_is_proposed_with_its_judges_and_peoples_columns(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,question,response_a,response_b,judge,human\n"
        "1,Capital of France?,Paris.,Lyon.,A,A\n2,Is water wet?,Yes.,Yes!,tie,A\n",
        "utf-8",
    )
    line = proposed_line([path], None)
    whole = "response=response_a,other=response_b,verdict.Verdict=judge,person.Verdict=human"
    assert line == whole
    assert examined([path], read_map([line])).imported.people == 2


def test_what_was_said_already_stands_in_the_line_that_is_proposed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,bot,judge\n1,It is.,yes\n1,It was.,no\n", "utf-8")
    given = map_of({"response": "bot", "id": "#"})
    assert proposed_line([path], given) == "response=bot,id=#,verdict.Verdict=judge"


def proposed_line(paths, table_map):
    """Return the entries that the refusal of a table proposes after `--map`."""
    with pytest.raises(Unusable) as refusal:
        examined(paths, table_map) if table_map else examined(paths)
    behind_option = str(refusal.value.problems[0]).partition("--map ")[2]
    return behind_option.partition(", or ")[0].strip("'")
