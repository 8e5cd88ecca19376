"""A checklist asked otherwise: every instruction is still there once, and known by what it was."""

from appellate.traits.metric import alone, negated, reordered
from cells import EXPECTED, FORBIDDEN, checklist, matrix


def backwards(count):
    return list(range(count))[::-1]


def test_another_order_keeps_every_instruction_and_knows_which_it_was():
    (made,) = reordered(matrix(), backwards)
    assert made.trait.tp_instructions == EXPECTED[::-1]
    assert made.trait.tn_instructions == FORBIDDEN[::-1]
    assert made.meant["tp", 1] == ("tp", 4, EXPECTED[3])
    assert made.meant["tn", 2] == ("tn", 1, FORBIDDEN[0])
    assert {meant.text for meant in made.meant.values()} == {*EXPECTED, *FORBIDDEN}


def test_a_single_instruction_has_no_other_order_and_stands_alone_already():
    one = matrix(tp_instructions=["A"], tn_instructions=["B"])
    assert reordered(one, backwards) == ()
    assert len(alone(one)) == 2
    assert alone(checklist(tp_instructions=["A"])) == ()


def test_the_contrary_of_a_checklist_has_no_hints_about_what_it_was():
    (made,) = negated(matrix())
    assert made.trait.tp_instructions[0] == f"Says that this is not so: {EXPECTED[0]}"
    assert (made.trait.fp_instructions, made.trait.full) == ([], True)
    assert made.meant["tn", 1] == ("tn", 1, FORBIDDEN[0])


def test_alone_each_instruction_of_either_list_is_asked_for_as_what_may_be_said():
    each = alone(matrix())
    assert [one.trait.tp_instructions for one in each] == [[text] for text in EXPECTED + FORBIDDEN]
    assert not any(one.trait.full or one.trait.fp_instructions for one in each)
    assert each[4].meant == {("tp", 1): ("tn", 1, FORBIDDEN[0])}
