"""The step beside the offsets of an excerpt of a conversation: written, checked, kept nowhere else."""

import re
import tomllib

import pytest

from appellate.core.deciding import Correct, Receive
from appellate.core.facts import Proposed
from appellate.core.kind import KnownTrait
from appellate.core.problem import Unusable
from appellate.store.audits.audit import Audit, AuditedCell, load_audit
from appellate.traits.metric.edits import Edit
from cells import Story
from conversations import PROPOSED, RUN, proposed, rubric, subject

KINDS = ("metric", "llm")
"""The kinds whose tables have items."""


def story(kind: str, reads: str = "conversation") -> Story:
    lived = Story(of=subject(kind, reads))
    lived.does(Receive(proposed(lived.cell.subject)))
    return lived


def audit(
    *stories: Story,
    reads: str = "conversation",
    earlier=None,
    trace=RUN,
) -> Audit:
    cells = [AuditedCell(trace, one.cell) for one in stories]
    of = rubric(reads)
    of.metric_traits[:] = [one.cell.subject.trait for one in stories if _is_metric(one)]
    return Audit(of, [trace], cells, None, "0.1.0", ["ada"], earlier=earlier or {})


def _is_metric(story: Story) -> bool:
    return story.cell.subject.kind.name == "metric"


def again(folder, text: str) -> Audit:
    path = folder / "x.audit.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return load_audit(path)


def problems(folder, text: str) -> list[str]:
    with pytest.raises(Unusable) as refused:
        again(folder, text)
    return [f"{problem.place}: {problem.wrong}" for problem in refused.value.problems]


def judgments(text: str) -> list[dict]:
    return tomllib.loads(text)["traces"][0]["judgments"]


def steps_in(items: list[dict]) -> list[int]:
    return [item["step"] for item in items if "start" in item]


def test_excerpts_of_a_conversation_stand_in_an_audit_with_their_steps():
    metric, llm = judgments(audit(story("metric"), story("llm")).text())
    assert steps_in(metric["items"]) == [3, 5]
    assert steps_in(metric["judge"]["items"]) == [3, 5]
    assert steps_in(metric["judge"]["members"][0]["items"]) == [3, 5]
    assert steps_in(llm["items"]) == steps_in(llm["judge"]["items"]) == [2]
    assert list(metric["items"][0]) == [
        *("bucket", "index", "instruction", "of", "start", "end", "step", "rationale"),
    ]


def test_such_an_audit_reads_back_byte_for_byte_and_its_facts_have_no_steps(tmp_path):
    for kind in KINDS:
        text = audit(story(kind)).text()
        read = again(tmp_path, text)
        assert read.text() == text
        assert [one.cell for one in read.cells] == [story(kind).cell]


def test_excerpts_of_a_response_have_no_steps(tmp_path):
    lived = Story(of=subject("metric", "response"))
    table = {**PROPOSED["metric"], "tp": ["It is booked.", "booked"]}
    located = lived.cell.subject.kind.locate(lived.cell.subject.trait, RUN, table)
    lived.does(Receive(Proposed(located, {"name": "gpt"})))
    text = audit(lived, reads="response").text()
    assert "start = " in text
    assert "step = " not in text
    assert again(tmp_path, text).text() == text


@pytest.mark.parametrize(
    ("at", "place"),
    [
        (0, "items[0].step"),
        (2, "judge.items[0].step"),
        (4, "judge.members[0].items[0].step"),
    ],
)
def test_a_wrong_step_is_a_fault_by_name(tmp_path, at, place):
    text = audit(story("metric")).text()
    found = [match.start() for match in re.finditer(r"step = \d", text)]
    assert len(found) == 6
    where = sorted(
        found,
        key=lambda spot: (
            "judge.members" in head(text, spot),
            "judge.items" in head(text, spot),
        ),
    )[at]
    wrong = f"{text[:where]}step = 9{text[where + len('step = 0') :]}"
    (problem,) = problems(tmp_path, wrong)
    assert problem.startswith(f"traces[0].judgments[0].{place}: is 9, but start ")
    assert problem.endswith("are in step 3")


def head(text: str, spot: int) -> str:
    """The last header before a place."""
    return text[text.rindex("\n[", 0, spot) : spot]


def test_an_audit_that_leaves_the_steps_out_is_read(tmp_path):
    text = audit(story("metric")).text()
    bare = re.sub(r"step = \d+\n", "", text)
    assert bare != text
    assert again(tmp_path, bare).text() == text


def test_rounds_have_the_steps_of_what_was_read_then(tmp_path):
    for reads, expected in (("response", []), ("conversation", [3, 5])):
        before = story("metric", reads)
        other = "conversation" if reads == "response" else "response"
        (trait,) = rubric(other).metric_traits
        old = before.cell.subject.trait
        now = before.revised(trait)
        earlier = {old.sha256(): KnownTrait(now.cell.subject.kind, old)}
        text = audit(now, reads=other, earlier=earlier).text()
        (judgment,) = judgments(text)
        found = [
            item.get("step")
            for item in judgment["rounds"][0]["items"]
            if "start" in item
        ]
        assert found == (expected or [None])
        assert again(tmp_path, text).text() == text


@pytest.mark.parametrize("known", [True, False])
def test_a_round_over_longer_results_keeps_the_steps_of_what_it_read(tmp_path, known):
    long = {"role": "tool", "tool_call_id": "1", "content": "booked " * 60}
    run = RUN.model_copy(
        update={"messages": [*RUN.messages[:2], long, *RUN.messages[3:]]},
    )
    lived = Story(of=subject("metric", trace=run))
    lived.does(Receive(proposed(lived.cell.subject)))
    old = lived.cell.subject.trait
    now = lived.revised(old.model_copy(update={"longest_result": 50}))
    versions = {old.sha256(): KnownTrait(now.cell.subject.kind, old)}
    audited = audit(now, earlier=versions, trace=run)
    text = audited.text()
    if not known:  # another reader made that text
        text = re.sub('(?<=text_sha256 = ")....', "0000", text, count=1)
        text = re.sub(r"step = \d+\n", "", text)
    read = again(tmp_path, text)
    assert read.text() == text
    (judgment,) = judgments(text)
    found = [
        item.get("step") for item in judgment["rounds"][0]["items"] if "start" in item
    ]
    assert found == ([3, 5] if known else [None, None])


def test_a_correction_to_other_words_has_their_step():
    lived = story("metric")
    words = "One moment."
    start = lived.cell.subject.text.index(words)
    edit = Edit("reword", bucket="tp", index=0, start=start, end=start + len(words))
    lived.does(Correct(edit))
    (judgment,) = judgments(audit(lived).text())
    assert steps_in(judgment["items"]) == [2, 5]
    assert steps_in(judgment["judge"]["items"]) == [3, 5]


def test_recorded_labels_may_name_the_step_which_is_checked():
    of = subject("metric")
    table = of.kind.locate(of.trait, of.trace, PROPOSED["metric"])
    first = table["items"][0]
    assert not list(
        of.kind.faults(of.trait, of.trace, {**table, "items": [{**first, "step": 3}]}),
    )
    (fault,) = of.kind.faults(
        of.trait,
        of.trace,
        {**table, "items": [{**first, "step": 4}]},
    )
    assert fault.path == ("items", 0, "step")
    assert fault.wrong.endswith("are in step 3")
