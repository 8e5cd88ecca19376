"""What counts as one item: excerpts of one instruction, one sentence for several, plain lists."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.core.kind import Subject
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.trace_file import load_traces
from appellate.traits.metric import KIND
from appellate.traits.metric.rows import rows
from cells import (
    CANCER,
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    checklist,
    item,
    labels,
    matrix,
    table,
)

FULL, ONLY = matrix(), checklist()
RECALL = checklist(metrics=["recall", "weighted"])


def counted(trait, given):
    return dict(list(KIND.measure(trait, given).counts.items())[:4])


def test_three_excerpts_of_one_instruction_count_one():
    found = labels(
        FULL,
        tp=[(GENE, 1), (SURVIVE, 1), (CANCER, 1)],
        fn=[2, 3, 4],
        tn=[-1, -2],
    )
    assert counted(FULL, found) == {"tp": 1, "fn": 3, "fp": 0, "tn": 2}
    assert [row.counts for row in rows(FULL, found, "tp")] == [True, False, False]


def test_one_sentence_that_answers_three_instructions_counts_three():
    found = labels(RECALL, tp=[(GENE, 1), (GENE, 2), (GENE, 3)], fn=[4])
    measured = KIND.measure(RECALL, found)
    assert measured.counts["tp"] == 3
    assert measured.values == {"recall": 0.75, "weighted": 0.75}


def test_excerpts_of_one_forbidden_instruction_count_one():
    found = labels(
        FULL,
        tp=[(GENE, 1)],
        fp=[(PLACE, -1), (CANCER, -1)],
        fn=[2, 3, 4],
        tn=[-2],
    )
    assert counted(FULL, found) == {"tp": 1, "fn": 3, "fp": 1, "tn": 1}


def test_two_wrong_candidates_for_one_instruction_are_two_errors():
    found = labels(
        ONLY,
        tp=[(GENE, 1)],
        fp=[(PLACE, 2), (CANCER, 2), (PLACE, 2)],
        fn=[2, 3, 4],
    )
    assert counted(ONLY, found)["fp"] == 2


def test_unlinked_items_are_told_by_their_words_beside_linked_ones():
    held = labels(FULL, tp=[(GENE, 1)], fn=[2, 3, 4], tn=[-1, -2])
    held = held.put("tp", [*held.tp, item(GENE), item(GENE.upper()), item("  ")])
    assert counted(FULL, held)["tp"] == 2


def test_a_linked_excerpt_without_words_counts_by_its_instruction():
    assert FULL.counting("tp", ["", " "], [("tp", 1), None]) == [0]
    assert ONLY.counting("fp", ["", " "], [("tp", 1), None]) == []


def test_everything_counts_where_nothing_is_deduplicated():
    each = matrix(repeated_extraction=False)
    found = labels(each, tp=[(GENE, 1), (SURVIVE, 1)], fn=[2, 3, 4], tn=[-1, -2])
    assert counted(each, found)["tp"] == 2


def test_the_judges_own_table_counts_by_its_links_and_an_excerpt_in_two_parts_once():
    given = table(tp=["BCL2 is … survive", GENE, GENE])
    given["items"] = [
        {"bucket": "tp", "index": 0, "of": "tp", "instruction": 2},
        {"bucket": "tp", "index": 1, "of": "tp", "instruction": 1},
        {"bucket": "tp", "index": 2, "of": "tp", "instruction": 3},
    ]
    located = KIND.locate(FULL, TRACE, given)
    assert Subject(KIND, FULL, TRACE).measure_table(located).counts["tp"] == 3
    assert KIND.measure(FULL, KIND.labels(FULL, TRACE, located)).counts["tp"] == 3


@given(
    st.lists(
        st.tuples(st.sampled_from([GENE, PLACE, ""]), st.integers(1, 4)),
        max_size=8,
    ),
)
def test_instructions_found_are_as_many_as_are_linked(pairs):
    found = labels(FULL, tp=pairs)
    assert counted(FULL, found)["tp"] == len({number for _, number in pairs})


def test_by_instruction_seven_of_25_answers_of_k_qa_have_another_recall(shared):
    rubric = load_rubric(shared / "data" / "kqa" / "rubric.toml")
    differing = {}
    for trace in load_traces(shared / "data" / "kqa" / "traces.jsonl"):
        (known,) = rubric.traits_of(trace).values()
        subject = Subject(known.kind, known.trait, rubric.asked(trace))
        given = known.kind.asked.lexical(known.trait, subject.trace, None)
        found = subject.labels(known.kind.locate(known.trait, subject.trace, given))
        now = known.kind.measure(known.trait, found).values["recall"]
        before = known.kind.measure_as_before(known.trait, found, None).values["recall"]
        if now != before:
            differing[trace.id] = (before, now)
    assert len(differing) == 7
