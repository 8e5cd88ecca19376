"""Coroutines that ask: they run in the calls that begin and answer them, and nowhere else."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.ui.conversation import Left, PendingAnswer, begin


def test_it_runs_at_once_to_its_question_and_on_in_the_call_that_answers():
    happened = []
    question: PendingAnswer[str] = PendingAnswer()

    async def ask():
        happened.append("asked")
        happened.append(await question)

    begin(ask())
    assert happened == ["asked"]
    question.answer("yes")
    assert happened == ["asked", "yes"]
    question.answer("again")
    assert happened == ["asked", "yes"]


def test_whoever_is_left_ends_where_they_asked_and_may_put_things_away():
    happened = []
    question: PendingAnswer[str] = PendingAnswer()

    async def ask():
        try:
            happened.append(await question)
        finally:
            happened.append("put away")

    begin(ask())
    question.leave()
    question.answer("too late")
    assert happened == ["put away"]


def test_one_that_is_left_may_ask_something_else_instead():
    first: PendingAnswer[str] = PendingAnswer()
    second: PendingAnswer[str] = PendingAnswer()
    answers = []

    async def ask():
        try:
            answers.append(await first)
        except Left:
            answers.append(await second)

    begin(ask())
    first.leave()
    second.answer("of the second")
    assert answers == ["of the second"]


@given(st.lists(st.integers(), max_size=8))
def test_every_question_gets_the_answer_that_was_given_to_it(answers):
    questions: list[PendingAnswer[int]] = [PendingAnswer() for _ in answers]
    heard = []

    async def one(question):
        return await question

    async def ask():
        for question in questions:
            heard.append(await one(question))

    begin(ask())
    for question, answer in zip(questions, answers, strict=True):
        question.answer(answer)
    assert heard == answers
