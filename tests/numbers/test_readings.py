"""Labels over the response and over the conversation are in no number together without a word."""

import json

import pytest
from msgspec.structs import replace

from appellate.cli import main
from appellate.core.cell import proposed_labels
from appellate.core.deciding import Receive
from appellate.core.describe import describe
from appellate.core.facts import Proposed
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.numbers.readings import ReadingCounts
from appellate.numbers.report import report
from appellate.numbers.sections import limits
from appellate.store.audits.audit import AuditedCell, load_audit
from appellate.store.audits.two_audits import beside
from appellate.store.files.rubric_file import parse_rubric
from cells import Story, bench
from conversations import MESSAGES, PROPOSED, RUN, proposed, rubric, subject

TOLD = (
    'In the numbers of "l" are labels about the response (1 cell) and about the whole conversation'
    " (1 cell) together."
)


def mixed_readings(cells):
    counts = ReadingCounts()
    for audited in cells:
        counts.add(audited)
    return counts.mixed()


def two_questions(*reads: str):
    """Two questions with a trait of one name each."""
    questions = []
    for number, read in enumerate(reads, 1):
        trait = {"name": "l", "kind": "boolean", "reads": read}
        questions.append(
            {"id": f"q{number}", "question": f"{number}?", "llm_traits": [trait]},
        )
    return parse_rubric({"questions": questions}, "r.toml").usable()


def audited(folder, *reads: str, reviewer: str = "ada"):
    traces = [
        Trace(
            id=f"t{number}",
            question_id=f"q{number}",
            response="It is booked.",
            messages=MESSAGES,
        )
        for number in range(1, len(reads) + 1)
    ]
    with bench(folder, *traces, of=two_questions(*reads), reviewer=reviewer) as at:
        for number in range(1, len(reads) + 1):
            at.receive(
                number,
                Proposed({"value": True, "evidence": []}, {"name": "gpt"}),
            )
            at.sign_off(number, 9.0)
        at.save()
        return at.audit


def test_traits_of_one_name_that_read_otherwise_are_named(tmp_path):
    audit = load_audit(audited(tmp_path, "response", "conversation"))
    assert [one.describe for one in mixed_readings(audit.cells)] == [TOLD]
    assert TOLD in [
        block.text for block in limits(report(audit)) if hasattr(block, "text")
    ]


def test_traits_of_one_name_that_read_the_same_are_not(tmp_path):
    for number, read in enumerate(("response", "conversation")):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert mixed_readings(load_audit(audited(folder, read, read)).cells) == []


def test_the_figures_of_a_trait_say_it_wherever_they_are_shown(tmp_path, capsys):
    path = audited(tmp_path, "response", "conversation")
    main(["metrics", str(path), "--all"])
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "Some traits of this name read the response, others the whole conversation"
        in told
    )
    other = tmp_path / "other"
    other.mkdir()
    main(["metrics", str(audited(other, "conversation", "conversation")), "--all"])
    assert "Some traits of this name" not in capsys.readouterr().out


def test_a_proposal_of_an_earlier_trait_that_read_another_text_is_refused_so():
    before = Story(of=subject("llm", "response"))
    what = replace(
        proposed(before.cell.subject),
        table={**PROPOSED["llm"], "evidence": []},
    )
    judged = before.does(Receive(what))
    (trait,) = rubric("conversation").llm_traits
    with pytest.raises(
        Refused,
        match="an earlier version of the trait, which read another text",
    ):
        proposed_labels(before.revised(trait).cell, judged.n)


def test_metrics_say_it_and_give_it_to_programs(tmp_path, capsys):
    path = audited(tmp_path, "response", "conversation")
    main(["metrics", str(path), "--all"])
    assert TOLD in " ".join(capsys.readouterr().err.split())
    main(["metrics", str(path), "--json"])
    (mixed,) = json.loads(capsys.readouterr().out)["mixed_readings"]
    assert mixed["trait"] == "l"
    assert sorted(mixed["cells"].values()) == [1, 1]


def cell(judge: dict) -> AuditedCell:
    lived = Story(of=subject("llm"))
    what = proposed(lived.cell.subject)
    lived.does(Receive(replace(what, judge={**what.judge, **judge})))
    return AuditedCell(RUN, lived.cell)


def test_labels_that_came_with_a_trace_and_other_rules_of_the_transcript_are_told_apart():
    (mixed,) = mixed_readings(
        [cell({}), cell({"transcript": 7}), cell({"name": "recorded"})],
    )
    assert list(mixed.cells) == [
        "about the whole conversation",
        "about the whole conversation by the rules of transcript 7",
        "from a judge of whom the traces do not say what it read",
    ]


def test_a_round_says_what_its_judge_read():
    lived = Story(of=subject("llm"))
    judged = lived.does(Receive(proposed(lived.cell.subject)))
    assert describe(lived.cell, judged) == "judged by gpt, of the whole conversation"
    before = Story(of=subject("llm", "response"))
    what = replace(
        proposed(before.cell.subject),
        table={**PROPOSED["llm"], "evidence": []},
    )
    judged = before.does(Receive(what))
    assert describe(before.cell, judged) == "judged by gpt"
    (trait,) = rubric("conversation").llm_traits
    now = before.revised(trait)
    assert describe(now.cell, judged) == "judged by gpt, of the response only"


def both(folder, one: str, other: str):
    paths = []
    for name, read in (("ada", one), ("bo", other)):
        own = folder / name
        own.mkdir()
        paths.append(audited(own, read, "response", reviewer=name))
    return [(path, load_audit(path)) for path in paths]


def test_two_audits_whose_traits_read_otherwise_are_not_compared_and_say_so(tmp_path):
    two = beside(*both(tmp_path, "response", "conversation"))
    assert len(two.pairs) == 1
    (note,) = [note for note in two.notes if "reads" in note]
    assert note.startswith('The trait "l" of question q1 is different in each')
    assert note.endswith("it is not compared.")


def test_two_audits_whose_judges_read_another_text_say_so(tmp_path):
    one, (path, audit) = both(tmp_path, "conversation", "conversation")
    first = audit.cells[0]
    judged = first.cell.judged
    what = replace(judged.what, judge={**judged.what.judge, "text_sha256": "0" * 64})
    other = replace(first.cell, judged=replace(judged, what=what))
    audit = replace(audit, cells=[replace(first, cell=other), *audit.cells[1:]])
    two = beside(one, (path, audit))
    assert [note for note in two.notes if "text" in note] == [
        'Of "l" the judges read another text in each, in 1 cell.',
    ]
