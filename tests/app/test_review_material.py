"""What stands beside the response: the prompt by its turns, and the docked material."""

import tomllib

import pytest
from review_stage import NARROW, WIDE, sitting

from appellate.app.reading.column import shared as shares
from appellate.core.trace import Document
from appellate.session.settings import Settings, config_file
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Question, Rubric
from appellate.traits.scorer.spec import ScorerRubricTrait
from cells import RESPONSE, matrix, proposal, rubric, trace

FULL = 2
TURNS = (
    "user: Hi.",
    "assistant: Hello, what do you\nwant to know?",
    "user: What is\nBCL2?",
)
both_sizes = pytest.mark.parametrize(
    "size",
    [pytest.param(WIDE, marks=pytest.mark.slow), NARROW],
    ids=["wide", "narrow"],
)


def well_read():
    """A conversation of three turns, documents that the response cites, and a reference."""
    documents = [
        Document(id="a", text="One.\n" * 30),
        "Two says that BCL2 is on 18q21.",
    ]
    more = {
        "documents": documents,
        "reference": "It lies on chromosome 18.",
        "model": "gpt-4o",
    }
    cited = f"{RESPONSE} See [2], not [3]."
    asked = trace("bcl2", response=cited, question="\n\n".join(TURNS), **more)
    return (
        rubric(matrix()),
        [asked, trace("other", question="Why?")],
        [[proposal()], [proposal()]],
    )


def material(at):
    return at.screen.objects.parts.material


def title(at):
    return "".join(piece.text for piece in material(at).shown_tabs)


def kept():
    """The settings in their file, as far as there is one."""
    return (
        tomllib.loads(config_file().read_text("utf-8"))
        if config_file().exists()
        else {}
    )


# -- the prompt -------------------------------------------------------------------------------------


@pytest.fixture
def scene():
    return well_read()


@pytest.fixture
def cell():
    return None


@both_sizes
async def test_the_newest_turn_is_whole_and_those_before_it_are_folded(at, size):
    assert "Prompt · press K: 2 turns earlier, reference, 2 documents" in at.text
    if size == WIDE:  # a line each while there is room
        assert "user: Hi." in at.words("#asked")
        assert "assistant: Hello, what do you want to know?" in at.words("#asked")
    assert at.words("#asked").endswith("user: What is BCL2?")
    assert any(row.strip(" │").startswith("BCL2?") for row in at.text.split("\n"))
    assert "earlier" not in await at.shows("greater_than_sign")
    assert at.words("#asked").endswith("Why?")


@both_sizes
async def test_of_a_long_prompt_beginning_and_end_are_there_and_what_is_left_out_is_said(
    tmp_path,
    size,
):
    asked = "Begin. " + "word " * 5000 + "The end?"
    long = trace("long", question=asked, response=RESPONSE + "\nAnd so on." * 60)
    scene = rubric(matrix()), [long], [[proposal()]]
    async with sitting(tmp_path, scene, size=size) as at:
        words = at.words("#asked")
        assert words.startswith("Begin.") or " Begin." in words
        assert "more characters: K reads all" in words
        assert words.endswith("The end?") or size == NARROW
        assert (
            at.screen.response.region.height
            > at.screen.objects.parts.asked.region.height
        )
        await at.press("K")
        assert "Prompt │" in title(at)
        assert material(at).text == asked


MESSAGES = [
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "What is BCL2?"},
]
HIDDEN = "not shown to the judge"


def of_each_kind():
    """A trace with all that there is to read, under traits whose judges get different parts."""
    of = Rubric(
        llm_traits=[LLMRubricTrait(name="Reads", kind="boolean")],
        regex_traits=[RegexRubricTrait(name="Matches", pattern="x")],
        scorer_traits=[ScorerRubricTrait(name="Grades", scorer="model_graded_qa")],
    )
    more = {
        "reference": "A gene.",
        "choices": ["a"],
        "documents": ["One."],
        "model": "gpt-4o",
    }
    one = trace("1", messages=MESSAGES, metadata={"site": "berlin"}, **more)
    return of, [one], []


@both_sizes
async def test_what_the_judge_did_not_get_is_marked_where_it_is_read(tmp_path, size):
    titles = {}
    async with sitting(tmp_path, of_each_kind(), at=1, size=size) as at:
        told = {}
        for _ in range(3):
            titles[at.screen.objects.view.cell.subject.trait.name] = at.text
            await at.press("full_stop")
        await at.press("comma", "comma")
        for _ in range(4):
            await at.press("K")
            told[material(at).chosen] = material(at).text
        legend = await at.shows("question_mark")
    assert "─ Prompt · press K: 2 turns earlier, reference, " in titles["Reads"]
    assert (
        "─ Prompt · press K: 2 turns earlier (not shown to the jud" in titles["Grades"]
    )
    assert f"─ Prompt · {HIDDEN} · press K: 2 turns" in titles["Matches"]
    assert told["reference"] == f"{HIDDEN}\nA gene.\n\nChoices · {HIDDEN}\na"
    assert told["documents"] == f"[1] · {HIDDEN}\nOne."
    assert HIDDEN not in told["conversation"]
    assert told["metadata"].startswith(f"{HIDDEN}\nid: 1\n")
    if size == WIDE:  # else below the keys that are of use
        assert "you can read it, and the judge got no word of it" in " ".join(
            legend.split(),
        )


async def test_turns_that_a_grader_did_not_get_say_so_one_by_one(tmp_path):
    async with sitting(tmp_path, of_each_kind(), at=3) as at:
        await at.press("K", "K", "K")
        assert material(at).text == (
            f"1 user · {HIDDEN}\nHi.\n\n2 assistant · {HIDDEN}\nHello.\n\n3 user\nWhat is BCL2?"
        )


async def test_a_prompt_file_that_does_without_earlier_turns_has_them_marked(tmp_path):
    config_file().parent.mkdir()
    config_file().write_text('[prompts.llm]\nearlier = ""\n')
    async with sitting(tmp_path, of_each_kind(), at=1, size=WIDE) as at:
        assert "2 turns earlier (not shown to the jud" in at.text


async def test_where_nothing_was_asked_it_says_so_and_what_is_empty_has_no_tab(
    tmp_path,
):
    scene = rubric(matrix()), [trace("silent")], [[proposal()]]
    async with sitting(tmp_path, scene) as at:
        assert "No question was recorded." in at.words("#asked")
        await at.press("K")
        assert title(at).startswith("Trait")


# -- tabs -------------------------------------------------------------------------------------------


@pytest.mark.slow
@both_sizes
async def test_k_opens_it_goes_through_its_tabs_and_closes_it(at):
    seen = []
    for _ in range(6):
        await at.press("K")
        assert at.named("material")
        seen.append(material(at).chosen)
        assert at.screen.response.region.height >= 3
    assert seen == [
        "reference",
        "documents",
        "conversation",
        "metadata",
        "trait",
        "history",
    ]
    await at.press("K")
    assert not material(at).is_open
    assert at.named("pane")
    await at.answer("ctrl+p", text="tab before")
    await at.answer("ctrl+p", text="tab before")
    assert not material(at).is_open
    await at.answer("ctrl+p", text="tab before")
    await at.answer("ctrl+p", text="tab before")
    assert material(at).chosen == "trait"
    await at.press("escape")
    assert not material(at).is_open
    assert at.named("pane")


async def test_each_tab_says_what_it_has_and_stays_open_while_one_works_and_goes_on(at):
    told = {}
    for _ in range(6):
        await at.press("K")
        told[material(at).chosen] = material(at).text
    assert told["reference"] == "It lies on chromosome 18."
    assert told["documents"].startswith("[1] a\nOne.")
    assert "[2]\nTwo says that" in told["documents"]
    assert "2 assistant\nHello, what do you\nwant to know?" in told["conversation"]
    assert "model: gpt-4o" in told["metadata"]
    assert "Accuracy · metric · full matrix" in told["trait"]
    assert "TP instructions · should say\n 1 " in told["trait"]
    assert "judged by gpt" in told["history"]

    await at.press("K", "K", "tab")
    assert at.named("pane")
    await at.press("1")
    await at.press("escape")
    assert "It lies on chromosome 18." in at.words("#material")
    await at.press("greater_than_sign")
    assert "chromosome 18." not in at.words("#material")
    await at.press("less_than_sign")
    assert "It lies on chromosome 18." in at.words("#material")


@pytest.mark.slow
async def test_what_is_open_and_how_high_is_kept(tmp_path):
    async with sitting(tmp_path, well_read()) as at:
        await at.press("K", "K")
        await at.until(lambda: kept() == {"material": "documents"})
    opened = Settings(material="documents", material_rows=9)
    async with sitting(tmp_path, settings=opened) as at:
        await at.until(lambda: material(at).is_open)
        assert at.named("pane")
        assert "One." in at.words("#material")


async def test_a_verdict_is_given_to_items_and_never_by_a_digit_in_the_material(at):
    assert await at.says("K", "d") == "d is for the items: Tab goes back to them."
    assert (
        await at.says("4") == "Nothing here has a number. Tab goes back to the items."
    )
    await at.press("K", "4")
    assert (
        at.said == "There is no 4 here; these are 1 to 2. Tab goes back to the items."
    )
    assert at.state == "proposed"


# -- going about in it --------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_digit_an_arrow_or_a_letter_goes_to_a_document(at):
    await at.press("K", "K", "2")
    assert "Two says that BCL2" in at.words("#material")
    await at.press("left")
    assert at.words("#material").count("One.") > 1
    await at.press("escape", "g")
    label = next(
        mark.jump_label
        for mark in at.app.screen.marks
        if mark.jump_label.target.name == "document 2"
    )
    await at.press(*label.label)
    assert material(at).chosen == "documents"
    assert "Two says that BCL2" in at.words("#material")
    assert at.named("pane")


@pytest.mark.slow
@both_sizes
async def test_a_click_on_a_citation_goes_to_its_document(at):
    response = at.screen.response
    response.reveal(response.text.index("[2]"))
    await at.pilot.pause()
    spot = response.spot(response.text.index("[2]") + 1)
    await at.pilot.click(offset=spot)
    await at.until(lambda: "Two says that BCL2" in at.words("#material"))
    assert material(at).chosen == "documents"
    await at.press("K", "escape")
    response.reveal(response.text.index("[3]"))
    await at.pilot.pause()
    await at.pilot.click(offset=response.spot(response.text.index("[3]") + 1))
    assert not material(at).is_open


@pytest.mark.slow
async def test_a_click_on_a_tab_opens_it(at):
    await at.press("K")
    rows = at.text.split("\n")
    y = material(at).region.y
    await at.pilot.click(offset=(rows[y].index("Documents") + 1, y))
    assert material(at).chosen == "documents"


@pytest.mark.slow
async def test_it_is_searched_where_it_has_the_focus(at):
    await at.answer("K", "K", "slash", text="one.")
    assert at.named("material")
    assert at.line("keys").startswith(
        "READING · FIND one. 1/30   n next hit  N before  Esc end",
    )
    await at.press("n")
    assert at.line("keys").startswith("READING · FIND one. 2/30")
    assert not at.screen.response.searching
    assert "FIND" not in await at.shows("escape")
    assert material(at).is_open
    await at.press("end", "slash")
    await at.type("zeppelin")
    assert "not in what is shown beside the response" in at.text


def with_tools():
    """A conversation with a call of a tool, its long result, choices and metadata."""
    call = {
        "id": "c1",
        "function": {"name": "search", "arguments": '{"q": "BCL2", "n": 3}'},
    }
    messages = [
        {"role": "user", "content": "What is BCL2?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "Found a gene. " * 90 + "18q21.33",
        },
        {"role": "assistant", "content": RESPONSE},
    ]
    held = {"site": "berlin", "judge": {"name": "gpt-5"}}
    of = trace(
        "a",
        messages=messages,
        choices=["chromosome 1", "chromosome 18"],
        metadata=held,
    )
    return rubric(matrix()), [of], [[proposal()]]


async def test_the_whole_of_a_shortened_result_is_beside_the_conversation(tmp_path):
    _, traces, _ = with_tools()
    shortening = matrix(reads="conversation", longest_result=40)
    opened = Settings(material="results")
    scene = rubric(shortening), traces, [[]]
    async with sitting(tmp_path, scene, settings=opened) as at:
        assert "(1,228 characters left out)" in at.screen.response.text
        assert "18q21.33" in at.screen.response.text
        assert "Found a gene. " * 3 not in at.screen.response.text
        await at.press("K")
        assert "Whole results 1" in title(at)
        text = material(at).text
        judged = "1,228 characters left out of what is judged"
        assert f"[4] tool search · {judged} · not shown to the judge" in text
        assert "Found a gene. " * 90 + "18q21.33" in text


@pytest.mark.slow
@both_sizes
async def test_calls_and_results_are_read_found_and_copied(tmp_path, size):
    opened = Settings(material="conversation")
    async with sitting(tmp_path, with_tools(), size=size, settings=opened) as at:
        await at.press("K")
        assert "Conversation 4" in title(at)
        text = material(at).text
        assert '3 assistant calls search\nq: "BCL2"\nn: 3' in text
        assert "4 tool search\nFound a gene." in text
        assert "more characters: Enter" in text
        assert "Enter unfold" in at.line("keys")
        await at.answer("slash", text="18q21")
        assert "FIND 18q21 1/1" in at.line("keys")
        assert (
            await at.says("v", "y")
            == "Sent what is selected to the terminal: 8 characters."
        )
        assert at.app.clipboard == "18q21.33"
        await at.press("h")
        assert at.line("keys").count("Esc") == 1
        await at.press("tab")
        assert not material(at).selection.on
        await at.press("K", "escape", "4", "y", "enter")
        assert at.app.clipboard == "Found a gene. " * 90 + "18q21.33"
        assert at.said.startswith("Sent 4 tool search")
        await at.press("escape")
        assert not material(at).is_open


async def test_a_long_name_of_a_model_is_among_the_metadata(tmp_path):
    model = "hf/models--allenai--OLMo-2-1124-7B-Instruct/snapshots/" + "0f" * 20
    scene = rubric(matrix()), [trace("a", model=model)], [[proposal()]]
    async with sitting(tmp_path, scene, settings=Settings(material="metadata")) as at:
        assert f"id: a\nepoch: 1\nmodel: {model}" in material(at).text


async def test_a_tab_is_a_letter_away_once_it_is_open(tmp_path):
    async with sitting(tmp_path, with_tools()) as at:
        await at.press("K", "tab", "g")
        label = next(
            mark.jump_label
            for mark in at.app.screen.marks
            if mark.jump_label.target.name == "tab metadata"
        )
        await at.press(*label.label)
        assert material(at).chosen == "metadata"
        assert at.named("material")
        assert "site: berlin" in material(at).text
        await at.answer("ctrl+p", text="tab before")
        await at.answer("ctrl+p", text="tab before")
        assert material(at).text == "Choices\nchromosome 1\nchromosome 18"


async def test_its_height_is_moved_with_the_other_borders_and_kept(tmp_path):
    async with sitting(tmp_path, well_read(), size=NARROW) as at:
        await at.press("K", "K", "tab", "W", "tab", "down", "down", "enter")
        assert at.said == "Saved in config.toml."
        assert tomllib.loads(config_file().read_text("utf-8"))["material_rows"] == 10


# -- history ------------------------------------------------------------------------------------------


async def test_history_grows_while_one_works(tmp_path):
    async with sitting(tmp_path, at=FULL) as at:
        await at.press("C", "tab", "2")
        assert (
            "from TP to FN" in material(at).text
            or "FN" in material(at).text.splitlines()[-1]
        )
        await at.press("C", "C")
        assert not material(at).is_open
        assert at.named("pane")


# -- room ---------------------------------------------------------------------------------------------


def test_room_that_one_part_does_not_need_goes_to_what_is_cut():
    assert shares(40, 3, 60, 0, 0) == (3, 0)
    assert shares(40, 30, 60, 0, 0) == (13, 0)
    assert shares(40, 30, 10, 0, 0) == (30, 0)
    assert shares(40, 3, 60, 50, 12) == (3, 12)
    assert shares(40, 3, 10, 50, 12) == (3, 27)
    assert shares(40, 3, 10, 8, 12) == (3, 12)
    assert shares(11, 0, 60, 50, 12) == (0, 5)


async def test_the_prompt_names_the_key_that_shows_what_else_a_verdict_may_need(
    tmp_path,
):
    asked = Question(
        id="q",
        question="Why?",
        reference="On 18.",
        metric_traits=[matrix()],
    )
    one = trace("1", question_id="q", documents=["It is a gene."], choices=["a", "b"])
    bare = Question(id="bare", question="How?", metric_traits=[matrix()])
    of = Rubric(questions=[asked, bare])
    async with sitting(
        tmp_path,
        (of, [one, trace("2", question_id="bare")], []),
        at=1,
    ) as at:
        assert "─ Prompt · press K: reference, choices, 1 document ─" in at.text
        await at.press("full_stop")
        assert "─ Prompt ─" in at.text


async def test_what_a_run_cites_is_what_its_assistant_cites_and_no_number_of_a_step(
    tmp_path,
):
    messages = [
        {"role": "user", "content": "See [1]?"},
        {"role": "assistant", "content": "BCL2 is on 18q21 [2]."},
    ]
    more = {"documents": ["One.", "Two."], "messages": messages}
    run = trace("run", response="BCL2 is on 18q21 [2].", **more)
    of = rubric(matrix(reads="conversation"))
    async with sitting(tmp_path, (of, [run], [[]])) as at:
        text = at.screen.objects.view.trace.text
        cited = at.screen.objects.material.cited()
        assert [text[one.start : one.end] for one in cited] == ["[2]"]
        assert cited[0].start == text.rindex("[2]")
