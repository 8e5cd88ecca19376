"""Text from files, models and people, hostile in every place at once: it is shown, whole and inert."""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from review_stage import both_sizes, sitting
from rich.cells import cell_len

from appellate.core.facts import Failed, Proposed
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Question, Rubric
from appellate.ui.text import flat
from cells import trace

ACTING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]",
)
PIECES = [
    *(
        "[/x]",
        "[red]",
        "[@click=app.quit]x[/]",
        "{'a': 1}",
        "$primary",
        "\\[",
        "]",
        "[",
        "[/",
    ),
    *(
        "\x1b]52;c;aGk=\x07",
        "\x1b[2J",
        "\x00",
        "\x9b31m",
        "\u202eevil\u2069",
        "\ufeff\u200b",
    ),
    *(
        "\u2028",
        "\t",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "🇩🇪",
        "测试",
        "e\u0301",
        "\u0301",
    ),
    *("word", " ", "\n", "│", "¹"),
]
MARKUP = "[red]hi[/] [/x]"
HOSTILE = MARKUP + " \x1b[2J\x00\x9b31m \u202eevil\u2069 " + "".join(PIECES)
texts = (
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=8)
    .map("".join)
    .filter(str.strip)
)


def scene(*given):
    """For each text a trace with the text as id, question, response, trait, labels, judge and rationale."""
    questions = [
        Question(id=f"q{n}", question=text, reference=text, metric_traits=[trait(text)])
        for n, text in enumerate(given)
    ]
    traces = [
        trace(f"{text}{n}", text, question_id=f"q{n}") for n, text in enumerate(given)
    ]
    return (
        Rubric(name=given[0], questions=questions),
        traces,
        [[judged(text)] for text in given],
    )


def trait(text):
    return MetricRubricTrait(
        name=text.replace(".", "") + "x",
        description=text,
        metrics=["precision", "f1"],
        evaluation_mode="full_matrix",
        tp_instructions=[text, f"other {text}"],
        tn_instructions=[f"tn {text}"],
    )


def judged(text):
    table = {
        "tp": [text, f"not there {text}"],
        "fn": [f"other {text}"],
        "fp": [],
        "tn": [f"tn {text}"],
    }
    row = {"bucket": "tp", "index": 0, "of": "tp", "instruction": 1, "rationale": text}
    return Proposed(table | {"items": [row]}, {"name": text, "model": text})


def inert(at, size):
    """Nothing on the screen acts on a terminal or sticks out of it."""
    assert not ACTING.search(at.text)
    return all(cell_len(row) <= size[0] for row in at.text.split("\n"))


@pytest.mark.slow
@both_sizes
async def test_hostile_text_in_every_place_is_shown_inert_and_not_eaten(tmp_path, size):
    async with sitting(tmp_path, scene(HOSTILE), size=size, reviewer=HOSTILE) as at:
        for keys in ("", "j", "e", "escape i", "escape C", "escape K", "escape F"):
            await at.press(*keys.split())
            assert inert(at, size), keys
            assert MARKUP in at.text, keys
        await at.press("c")
        await at.type(HOSTILE)
        assert inert(at, size)
        assert f"commented: {MARKUP}" in await at.says("enter", "u")
        await at.press("2")
        assert inert(at, size)
        assert at.screen.objects.view.trace.response == HOSTILE


@pytest.mark.slow
@both_sizes
async def test_a_hostile_reason_of_a_failure_is_shown_inert(tmp_path, size):
    of, traces, _ = scene(HOSTILE)
    async with sitting(
        tmp_path,
        (of, traces, [[Failed(HOSTILE, HOSTILE, {"name": HOSTILE})]]),
        size=size,
    ) as at:
        assert flat(MARKUP) in at.words("#pane")
        assert inert(at, size)
        await at.press("C")
        assert MARKUP in at.text


@both_sizes
async def test_hostile_notes_and_names_of_files_are_shown_inert(tmp_path, size):
    folder = tmp_path / "[red]x[" / "\x1b[2J"
    folder.mkdir(parents=True)
    async with sitting(folder, size=size, notes=[HOSTILE]) as at:
        assert at.said.startswith(MARKUP)
        assert inert(at, size)
        await at.press("ctrl+s")
        await at.until(lambda: "Exported" in at.said)
        assert "[red]x[" in at.said
        assert inert(at, size)


@pytest.mark.slow
@both_sizes
@settings(max_examples=1, phases=[Phase.generate])
@given(found=st.lists(texts, min_size=12, max_size=12, unique_by=str.strip))
async def test_whatever_the_texts_the_screen_holds(size, found):
    with tempfile.TemporaryDirectory() as folder:
        async with sitting(Path(folder), scene(*found), size=size) as at:
            for text in found:
                assert inert(at, size)
                assert at.screen.objects.view.trace.response == text
                await at.press("2" if at.no % 3 else "j", "full_stop")


@both_sizes
async def test_a_question_or_a_name_of_many_lines_takes_no_more_room_than_it_has(
    tmp_path,
    size,
):
    long = "line\n" * 200 + "word " * 500
    async with sitting(tmp_path, scene(long), size=size, notes=[long]) as at:
        assert at.screen.response.size.height > 3
        assert at.screen.pane.size.height > 4
        assert "1-4 move" in await at.shows("escape")
