"""An audit of two questions, each with a trait "Safe" of its own kind."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.session.workbench import Workbench
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.edits import Edit
from appellate.traits.rubric import Question, Rubric
from cells import bench, matrix, proposal, trace

VERDICT = LLMRubricTrait(name="Safe", kind="boolean", description="?")
CHECKLIST = matrix(name="Safe")
QUESTIONS = [
    Question(id="verdict", question="Is it safe?", llm_traits=[VERDICT]),
    Question(id="list", question="What of it?", metric_traits=[CHECKLIST]),
]
YES = {"value": True, "evidence": [], "rationale": ""}


@contextmanager
def signed_off(folder: Path, judge: str = "gpt") -> Iterator[Workbench]:
    """Ten traces of each question, judged and signed off; each checklist is corrected."""
    traces = []
    for no in range(20):
        question = QUESTIONS[no % 2]
        traces.append(
            trace(f"t{no}", question=question.question, question_id=question.id),
        )
    with bench(folder, *traces, of=Rubric(questions=QUESTIONS)) as at:
        for number, each in enumerate(traces, 1):
            if each.question_id == "verdict":
                labels = LLM.locate(VERDICT, each, YES)
                at.receive(number, Proposed(labels, {"name": judge}))
            else:
                labels = proposal(CHECKLIST).table
                at.receive(number, Proposed(labels, {"name": judge}))
                at.do(number, Correct(Edit("drop", "fp"), reason="Not said."))
            at.sign_off(number)
        at.save()
        yield at
