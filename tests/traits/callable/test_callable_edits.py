"""A function's verdict is overruled by hand, taken back, and carried where it still means the same."""

import pytest

from appellate.core.kind import NotComputed
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.callable import KIND
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.verdict.kind import Edit
from appellate.traits.verdict.kind import Overrulable as Labels

TRACE = Trace(id="1", response="x")


def trait(kind="boolean", **more):
    return CallableRubricTrait(name="T", kind=kind, callable="checks:f", **more)


CLASSES = trait("literal", classes={"short": "a", "right": "b", "long": "c"})
SCORE = trait("score", min_score=0, max_score=10)


def test_a_class_is_kept_with_its_name_and_found_by_it_in_another_order():
    edit = KIND.permit(CLASSES, TRACE, Labels(0, 0), Edit("overrule", 2))
    assert edit.to_row() == {"action": "overrule", "value": 2, "class": "long"}
    turned = trait("literal", classes={"long": "c", "short": "a"})
    meant = KIND.anchor(CLASSES, Labels(0, 0), edit)
    assert KIND.carried(turned, Labels(1, 1), edit, meant) == Edit(
        "overrule",
        0,
        "long",
    )
    assert KIND.carried(turned, Labels(0, 0), edit, meant) is None
    with pytest.raises(Refused, match="There is no class long any more"):
        KIND.carried(
            trait("literal", classes={"a": "", "b": ""}),
            Labels(1, 1),
            edit,
            meant,
        )


@pytest.mark.parametrize(
    ("of", "edit", "why"),
    [
        (trait(), Edit("overrule", 1), "The verdict of this trait is true or false."),
        (
            SCORE,
            Edit("overrule", 11),
            "The verdict of this trait is a number from 0 to 10.",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_could(of, edit, why):
    labels = Labels(True, True) if of.kind == "boolean" else Labels(3, 3)
    with pytest.raises(Refused) as refusal:
        KIND.apply(of, TRACE, labels, edit)
    assert str(refusal.value) == why


def test_a_person_s_verdict_stands_under_a_changed_function_unless_it_means_something_else():
    edit, labels = Edit("overrule", 7), Labels(2, 2)
    meant = KIND.anchor(SCORE, labels, edit)
    changed = SCORE.model_copy(update={"callable": "checks:other"})
    assert KIND.carried(changed, labels, edit, meant) == edit
    with pytest.raises(Refused, match="mean something else now"):
        KIND.carried(SCORE.model_copy(update={"max_score": 100}), labels, edit, meant)


@pytest.mark.parametrize(
    ("of", "form"),
    [
        (trait(), "function, yes or no"),
        (CLASSES, "function, 3 classes"),
        (SCORE, "function, score from 0 to 10"),
    ],
)
def test_the_form_of_a_function_is_describe(of, form):
    assert KIND.form(of) == form


def test_nobody_runs_a_function_without_permission_and_a_cell_by_nobody_writes_nothing():
    assert KIND.source_name(trait()) == "code"
    with pytest.raises(
        NotComputed,
        match=r"checks:f was not run: that takes --allow-code\.",
    ):
        KIND.computed.compute(trait(), TRACE)
    assert KIND.write(KIND.blank) == {"audited": {}}
