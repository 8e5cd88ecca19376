"""The question of an LLM trait asked otherwise."""

from llm_traits import CLEAR, TONE, TRACE, WARNS, labels

from appellate.core.kind import UNBRIEFED
from appellate.traits.llm import KIND, alone, negated, reordered


def backwards(count):
    return list(range(count))[::-1]


def test_classes_in_another_order_are_the_same_classes_to_the_same_question():
    (made,) = reordered(TONE, backwards)
    assert made.trait.class_names == ["rude", "plain", "formal"]
    (told,) = KIND.answers(made.trait, labels(made.trait, {"value": 2})).items()
    (plain,) = KIND.answers(TONE, labels(TONE, {"value": 0}))
    assert told == (plain, "formal")
    assert made.meant == {("verdict", 1): plain}
    assert [reordered(one, backwards) for one in (WARNS, CLEAR)] == [(), ()]


def test_only_a_yes_has_a_contrary_and_one_question_is_by_itself_already():
    (made,) = negated(WARNS)
    assert made.trait.description.endswith(WARNS.question)
    assert made.meant["verdict", 1].text == WARNS.question
    assert "does not hold" in next(KIND.asked.dialogue(made.trait, TRACE, UNBRIEFED)).user
    assert [negated(one) for one in (CLEAR, TONE)] == [(), ()]
    assert alone(WARNS) == ()
