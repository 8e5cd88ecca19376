"""Judge and person read the same.

No word of a trace is hidden from its judge without being said, and none that the judge read is out
of the person's reach. *Difference of words*: the words that a person can see of a trace, less those
of the request about it, less those under *not shown to the judge*. It is nothing, for every trace
of `../shared/data`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from review_stage import WIDE, sitting

from appellate.app.reading.material_pages import MaterialPages
from appellate.cli.opening import trace_reader
from appellate.core.cell import Cell
from appellate.core.kind import Briefing, Subject
from appellate.core.messages import ChatTurn, asked, last_asked, turns_of
from appellate.core.trace import NAMES_HIDDEN, RESPONSE_PART, Trace
from appellate.store.files.trace_file import read_traces
from appellate.talk.dialogue import Unreadable
from appellate.traits.rubric import KnownTrait, Rubric
from appellate.traits.unread import said_of_newest, unread_in
from partly import partly_quick

FORMATS = {
    "native": "healthbench/traces.jsonl",
    "native, with sentences": "expertqa/traces.jsonl",
    "Inspect": "inspect/security-guide.json",
    "Inspect with tools": "agents/inspect/weather_tools_4x1.eval",
    "ATIF": "agents/atif/made_parts_1.8.trajectory.json",
    "OpenTelemetry": "agents/otel/genai_parallel_calls.json",
    "OpenInference": "agents/openinference/openai_agents.json",
    "Claude Code": "agents/claude_code/with_agent.jsonl",
    "Codex": "agents/codex/three_tasks.jsonl",
    "Who&When": "agents/who_and_when/handcrafted_24.json",
    "tau-bench": "agents/tau_bench/airline.json",
    "SWE-agent": "agents/swe_agent/function_calling_simple.traj",
}
MOST = 6
"""Traces of a file that the quick tests look at."""
MOST_OF_ALL = 100
"""Traces of a file that the slow test looks at."""
RUBRIC = Rubric.model_validate(
    {
        "metric_traits": [
            {"name": "M", "metrics": ["recall"], "tp_instructions": ["x"]},
            {
                "name": "M all",
                "metrics": ["recall"],
                "tp_instructions": ["x"],
                "reads": "conversation",
            },
        ],
        "llm_traits": [
            {"name": "L", "kind": "boolean"},
            {"name": "L truth", "kind": "boolean", "include_ground_truth": True},
            {"name": "L all", "kind": "boolean", "reads": "conversation"},
            {
                "name": "L short",
                "kind": "boolean",
                "reads": "conversation",
                "longest_result": 200,
            },
        ],
        "scorer_traits": [
            {"name": "S", "scorer": "model_graded_qa", "description": "Good?"},
            {
                "name": "S history",
                "scorer": "model_graded_qa",
                "description": "Good?",
                "include_history": True,
            },
            {
                "name": "S all",
                "scorer": "model_graded_qa",
                "description": "Good?",
                "reads": "conversation",
            },
        ],
        "grounding_traits": [{"name": "G"}],
    },
)
OF_THE_TRACE = ("reference", "documents", "conversation", "metadata")
"""The tabs with what there is of a trace."""
_HEADING_WORDS = frozenset(
    ["user", "assistant", "system", "tool", "calls", "thinks", "failed"],
)
_OF_REQUESTS = re.compile(r"[0-9a-f]{16}|\d+|\d*[a-z]{1,3}")
"""The code of a tag, the number of a step, the key of a sentence."""

Words = Counter[str]


def words(text: str) -> Words:
    """The words of a text, without the characters that keep markers of chats from acting."""
    return Counter(re.findall(r"\w+", text.replace("\u2060", "")))


def traces_of(path: Path, most: int) -> list[Trace]:
    """The first traces of a file; none of one that holds none."""
    read = read_traces(str(path), None, read=trace_reader({}))
    if read.problems:
        return []
    return list(read.value or ())[:most]


class Reading:
    """What a person and a judge read of a trace under one trait."""

    def __init__(self, known: KnownTrait, trace: Trace) -> None:
        self.known = known
        self.trace = trace
        self.subject = Subject(known.kind, known.trait, trace)
        self.turns: Sequence[ChatTurn] = ()
        if self.subject.transcript is None:  # which has all turns
            self.turns = turns_of(trace, trace.question)
        self.cell = Cell(self.subject)
        self.left = unread_in(self.cell, trace, self.turns, [{}])
        read = self.subject.trace
        pages = MaterialPages(RUBRIC, read, self.cell, self.turns, self.left, long=True)
        self.sections = []
        for tab in pages.tabs():
            if tab.name in OF_THE_TRACE:
                self.sections += [
                    (tab.name, section) for section in pages.sections(tab.name)
                ]

    def request(self) -> str | None:
        """The first request about the trace; None where nobody can be asked."""
        source = self.known.kind.asked
        try:
            prompt = next(
                source.dialogue(self.known.trait, self.subject.trace, Briefing()),
            )
        except Unreadable:
            return None
        return f"{prompt.system}\n{prompt.user}"

    def shown(self) -> Iterator[tuple[str, str, str]]:
        """Where a person sees words, the heading above them and the words.

        Without what is not shown to the judge.
        """
        if RESPONSE_PART not in self.left:
            yield "response", "", self.subject.text
        prompt = asked(self.turns)
        if prompt and not said_of_newest(self.turns, self.left):
            yield "prompt", "", prompt.newest.text
        for tab, section in self.sections:
            if section.text == NAMES_HIDDEN:
                continue  # the program's own sentence
            if not section.note:
                yield tab, section.head, section.text
            elif section.note.startswith("name "):
                yield tab, "", section.text

    def everything(self) -> set[str]:
        """All words that a person can see."""
        found = set(words(self.subject.text))
        prompt = asked(self.turns)
        if prompt:
            found |= set(words(prompt.newest.text))
        for _, section in self.sections:
            found |= set(words(f"{section.head}\n{section.text}"))
        return found


def hidden_words(reading: Reading, request: str) -> list[tuple[str, str]]:
    """Words that a person sees and the judge does not get, without its being said."""
    known = words(request)
    question = reading.trace.question or last_asked(reading.turns)
    found = []
    for where, heading, text in reading.shown():
        found += [(where, word) for word in words(text) - known]
        names = set(words(heading)) - set(known) - _HEADING_WORDS
        if text.strip() != question.strip():  # whose words alone a judge may get
            found += [(where, word) for word in names if not word.isdecimal()]
    return found


def words_out_of_reach(reading: Reading, request: str) -> list[str]:
    """Words that the judge read and that a person cannot see."""
    fields = {"response": "", "question": None, "reference": None, "documents": None}
    nothing = {**fields, "messages": None, "metadata": None, "choices": None}
    blank = (
        Reading(reading.known, reading.trace.model_copy(update=nothing)).request() or ""
    )
    own = set(words(blank)) | set(words(reading.known.kind.asked.prompt()))
    found = set(words(request)) - own - reading.everything()
    return sorted(word for word in found if not _is_of_requests(word))


def _is_of_requests(word: str) -> bool:
    return bool(_OF_REQUESTS.fullmatch(word)) or word.casefold() in _HEADING_WORDS


def differences(traces: list[Trace]) -> list[object]:
    """Every difference of words over some traces, whatever judges them."""
    found: list[object] = []
    for trace in traces:
        for known in RUBRIC.every_trait():
            reading = Reading(known, trace)
            request = reading.request()
            if request is None:
                continue
            place = (trace.id, known.trait.name)
            found += [(*place, *one) for one in hidden_words(reading, request)]
            found += [
                (*place, "out of reach", one)
                for one in words_out_of_reach(reading, request)
            ]
    return found


@pytest.mark.parametrize("name", partly_quick(FORMATS.values(), 4), ids=FORMATS)
def test_no_word_of_a_trace_is_hidden_from_its_judge_without_being_said(shared, name):
    traces = traces_of(shared / "data" / name, MOST)
    assert traces
    assert differences(traces) == []


def test_metadata_without_any_value_are_neither_shown_nor_said_to_be_unread():
    trace = Trace(id="a1", question="Why?", response="So.", metadata={"site": None})
    assert differences([trace]) == []


@pytest.mark.slow
def test_there_is_no_word_of_difference_in_any_trace_that_there_is(shared):
    count = 0
    for path in sorted((shared / "data").rglob("*")):
        if path.is_file() and path.suffix not in (".md", ".toml"):
            traces = traces_of(path, MOST_OF_ALL)
            assert differences(traces) == [], path
            count += len(traces)
    assert count >= 700


ON_SCREEN = ("M", "L", "L all", "S", "G")
"""A trait of each kind that a model is asked about, and one that reads the conversation."""


@pytest.mark.parametrize(
    "name",
    [
        "Inspect with tools",
        pytest.param("native, with sentences", marks=pytest.mark.slow),
        pytest.param("tau-bench", marks=pytest.mark.slow),
    ],
)
async def test_the_screen_shows_these_words_and_marks_the_others(
    tmp_path,
    shared,
    name,
):
    (trace,) = traces_of(shared / "data" / FORMATS[name], 1)
    numbers = {known.trait.name: no for no, known in enumerate(RUBRIC.every_trait(), 1)}
    for trait in ON_SCREEN:
        folder = tmp_path / trait
        folder.mkdir()
        async with sitting(
            folder,
            (RUBRIC, [trace], []),
            at=numbers[trait],
            size=WIDE,
        ) as at:
            known = RUBRIC.traits_of(trace)[trait]
            reading = Reading(known, trace)
            pane = at.screen.objects.parts.material
            tabs: dict[str, str] = {}
            for _ in range(len(OF_THE_TRACE)):
                await at.press("K")
                if pane.chosen in OF_THE_TRACE:
                    tabs[pane.chosen] = pane.shown.whole
            expected: dict[str, list[str]] = {}
            for tab, section in reading.sections:
                expected.setdefault(tab, []).append(section.whole)
            if len(reading.turns) == 1:  # it is whole above the response
                tabs.setdefault("conversation", reading.turns[0].text)
            assert tabs == {tab: "\n\n".join(texts) for tab, texts in expected.items()}
            assert at.screen.response.text == reading.subject.text
