"""The floor under every judge: what word overlap makes of a set that was labelled by hand, as the manual says it."""

from itertools import chain

from appellate import manual
from appellate.traits.metric.lexical import propose
from benchmarks.agreement import agreement, compared, labelled, met, rates

PAGE = manual.page("kinds")


def test_the_set_has_enough_of_both_and_every_excerpt_is_verbatim():
    cells = list(labelled())
    met_by_hand = sum(len(met(labels, of)) for _, _, labels in cells for of in ("tp", "tn"))
    assert len(cells) >= 8
    assert 30 <= met_by_hand <= 70
    for _, trace, labels in cells:
        assert all(excerpt in trace.response for excerpt in (*labels["tp"], *labels["fp"]))
        assert len(set(labels["tp"])) == len(labels["tp"])


def test_every_instruction_is_labelled_once():
    for trait, trace, labels in labelled():
        assert len(met(labels, "tp")) + len(labels["fn"]) == len(trait.tp_instructions), trace.id
        assert len(met(labels, "tn")) + len(labels["tn"]) == len(trait.tn_instructions), trace.id
        assert not {trait.tp_instructions[number - 1] for number in met(labels, "tp")} & set(
            labels["fn"]
        )


def test_lexical_is_as_good_as_the_manual_says():
    cells = [(trait, propose(trait, trace.response), labels) for trait, trace, labels in labelled()]
    found = agreement(chain.from_iterable(compared(*cell) for cell in cells))
    assert rates(found) in PAGE
