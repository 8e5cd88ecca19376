"""What queries can ask of grounding cells, and what they are told that these have instead."""

import pytest

from appellate.query.language import QueryUnreadable, parse
from appellate.store.queue import vocabulary
from appellate.traits.rubric import Rubric
from cells import checklist, opened
from traits.grounding.grounding_traits import TRACE, TRAIT

COUNTS = (
    "grounding cells have counts (relevant, utilized, supported, partly, unsupported)"
)


def refusal(query, folder, rubric):
    with opened(folder, TRACE, of=rubric).workspace as kept:
        known = vocabulary(kept.path)
        with pytest.raises(QueryUnreadable) as refused:
            parse(query, known)
        return str(refused.value)


@pytest.mark.parametrize("field", ["answer", "judged"])
def test_where_no_cell_shares_an_instruction_the_counts_are_named(field, tmp_path):
    told = refusal(f"{field}:full", tmp_path, Rubric(grounding_traits=[TRAIT]))
    assert told == f"No instruction is answered full: {COUNTS}, as in unsupported>0."


def test_beside_other_kinds_both_are_named(tmp_path):
    both = Rubric(grounding_traits=[TRAIT], metric_traits=[checklist()])
    told = refusal("answer:relevant", tmp_path, both)
    begins = f"No instruction is answered relevant: {COUNTS}, as in relevant>0; in other cells write"
    assert told.startswith(begins)
