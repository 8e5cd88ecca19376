"""The instructions of a rubric by their wording, and the cells that are asked each of them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.kind import Instruction
from appellate.store.files.wordings import Wordings, cells_asked
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import EXPECTED, bench, checklist, matrix, opened, proposal, rubric, trace

LISTS = st.lists(
    st.lists(
        st.sampled_from(["Says it.", "says  IT", "Names BAX", "Is kind"]),
        min_size=1,
    ),
    min_size=1,
    max_size=4,
)


def of_questions(*lists):
    """A rubric in which each question has a list of its own."""
    asked = [
        Question(id=f"q{place}", metric_traits=[checklist(tp_instructions=texts)])
        for place, texts in enumerate(lists)
    ]
    return Rubric(name="R", questions=asked)


def test_a_global_instruction_is_asked_of_every_cell_of_its_trait(tmp_path):
    with bench(
        tmp_path,
        trace("a"),
        trace("b"),
        of=rubric(matrix(), checklist()),
    ) as at:
        check_global(at)


def check_global(at):
    at.receive(1, proposal())
    wording = Wordings(at.workspace.rubric).of(
        "Accuracy",
        Instruction("tp", 4, EXPECTED[3]),
    )
    found = [
        (asked.cell, asked.instruction.number, word)
        for asked, word in cells_asked(at.workspace, wording)
    ]
    assert found == [(1, 4, "missing"), (3, 4, "")]


def test_traits_of_every_kind_have_their_question_as_their_instruction():
    clear = LLMRubricTrait(name="Clear", description="Is it clear?", kind="boolean")
    wordings = Wordings(Rubric(name="R", llm_traits=[clear]))
    assert wordings.of("Clear", Instruction("verdict", 1, "Is it clear?")).is_global
    assert wordings.of("Clear", Instruction("verdict", 1, "Is it dear?")) is None


def test_a_full_stop_after_a_blank_makes_no_difference():
    wordings = Wordings(of_questions(["Says it .", "Names BAX"]))
    for text in ("says it", "Says it."):
        assert wordings.of("Coverage", Instruction("tp", 1, text)) is not None, text


def test_like_wordings_come_the_nearest_first_and_never_the_wording_itself():
    texts = (
        ["States that BCL2 is on chromosome 18"],
        ["States that BCL2 lies on chromosome 18"],
        ["States that BCL2 is located on the long arm of chromosome 18"],
        ["Names a physician to call"],
    )
    wordings = Wordings(of_questions(*texts))
    wording = wordings.of("Coverage", Instruction("tp", 1, texts[0][0]))
    assert [one.text for one in wordings.like(wording)] == [texts[1][0], texts[2][0]]


@settings(max_examples=20)
@given(LISTS)
def test_every_instruction_of_every_cell_is_in_the_list_of_one_wording(
    tmp_path_factory,
    lists,
):
    folder = tmp_path_factory.mktemp("asked")
    traces = [
        trace(f"t{place}", question_id=f"q{place}") for place in range(len(lists))
    ]
    with opened(folder, *traces, of=of_questions(*lists)).workspace as workspace:
        wordings = Wordings(workspace.rubric)
        asked = {}
        for place, texts in enumerate(lists):
            for number, text in enumerate(texts, 1):
                instruction = Instruction("tp", number, text)
                wording = wordings.of("Coverage", instruction)
                asked.setdefault(id(wording), (wording, set()))[1].add(
                    (place + 1, instruction),
                )
        for wording, cells in asked.values():
            found = [tuple(one) for one, _ in cells_asked(workspace, wording)]
            assert len(found) == len(set(found))
            assert set(found) == cells
