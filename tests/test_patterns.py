"""No text takes longer than its length: every pattern of the source, found by looking for them, is linear.

Time is the processor's, and is compared with a plain scan of the same text in the same run.
"""

import ast
import importlib
import inspect
import re
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from re import _parser
from typing import Any, NamedTuple, get_args

import pytest

import appellate
from appellate.injection import _patterns_by_cue as injection_patterns
from appellate.injection import injections
from appellate.interop.pairs import _mt_bench_trace
from appellate.traits.weak_words import WordSort, find_weaknesses

ALPHABETS = [
    *(
        " ",
        "\n",
        "\t",
        "a",
        "0",
        "\\",
        '"',
        "'",
        "{",
        "[",
        "(",
        "<",
        "*",
        "-",
        ".",
        "é",
        "漢",
        "\u200b",
    ),
    *("a ", "a.", "1,", "**", "\\u0041", "ANSWER: A,", "GRADE: ", '{"a":1}', "““-"),
]
AT_A_PLACE = ("match", "fullmatch")
"""Ways to use a pattern that try one place of a text; all others try each."""
SEARCHED = ("search", "finditer", "findall", "sub", "subn", "split")
PLAIN = re.compile(r"\w|\W")
"""Looks at each letter once, and makes a match of each."""


class Known(NamedTuple):
    """A pattern, where it is, and by which methods it is used: none known stands for all."""

    pattern: re.Pattern[str]
    uses: frozenset[str]


# -- finding them ----------------------------------------------------------------------------------


@cache
def sources() -> dict[str, ast.Module]:
    """What every module is written as."""
    root = Path(appellate.__file__).parent
    found = {}
    for file in sorted(root.rglob("*.py")):
        parts = ["appellate", *file.relative_to(root).with_suffix("").parts]
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(
            file.read_text("utf-8"),
        )
    return found


@cache
def origins(module: str) -> dict[str, str]:
    """The names that a module has from others, each with the place where it is from."""
    found = {}
    for node in ast.walk(sources()[module]):
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
    return found


@cache
def uses() -> dict[str, set[str]]:
    """By which methods each name is used, `MODULE.NAME` of the module that has it."""
    found: dict[str, set[str]] = {}
    for module, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in (
                *AT_A_PLACE,
                *SEARCHED,
            ):
                owner = node.value
                while isinstance(owner, ast.Subscript | ast.Call):
                    owner = (
                        owner.value if isinstance(owner, ast.Subscript) else owner.func
                    )
                if isinstance(owner, ast.Name):
                    named = origins(module).get(owner.id, f"{module}.{owner.id}")
                    found.setdefault(named, set()).add(node.attr)
    return found


def within(value: Any, depth: int = 3) -> Iterator[re.Pattern[str]]:
    """The patterns in a value of a module, also in what it holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth:
        for each in value.values():
            yield from within(each, depth - 1)
    elif isinstance(value, list | tuple | set | frozenset) and depth:
        for each in value:
            yield from within(each, depth - 1)


def kept(module: Any) -> Iterator[tuple[str, Any]]:
    """What a module holds of its own, and what its functions without arguments compute once."""
    for name, value in list(vars(module).items()):
        if name in origins(module.__name__):
            continue
        yield name, value
        if hasattr(value, "cache_info") and not inspect.signature(value).parameters:
            yield name, value()


def inline() -> Iterator[tuple[str, Known]]:
    """Patterns that are written where they are used."""
    for module, tree in sources().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(
                node.func,
                ast.Attribute,
            ):
                continue
            is_of_re = (
                isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            )
            if not is_of_re or node.func.attr not in (*AT_A_PLACE, *SEARCHED):
                continue
            (first, *_) = node.args
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                place = f"{module}:{node.lineno}"
                yield place, Known(re.compile(first.value), frozenset([node.func.attr]))


@cache
def patterns() -> dict[str, Known]:
    """Every pattern of the source by its name, or by where it is written."""
    found = dict(inline())
    for module_name in sources():
        if module_name.endswith("__main__"):
            continue
        module = importlib.import_module(module_name)
        for name, value in kept(module):
            for number, pattern in enumerate(within(value)):
                if isinstance(pattern.pattern, bytes):
                    continue
                named = f"{module_name}.{name}"
                known = Known(pattern, frozenset(uses().get(named, ())))
                found[f"{named}[{number}]" if number else named] = known
    return found


# -- the law ---------------------------------------------------------------------------------------


def seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    """The processor's seconds for one use of a pattern over a text."""
    started = time.process_time()
    if method in AT_A_PLACE:
        getattr(pattern, method)(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.process_time() - started


@cache
def scan(text: str) -> float:
    """The processor's seconds for a plain scan of a text."""
    return seconds(PLAIN, "finditer", text)


TRIES = 8
"""So often a text is measured before it counts as slow: something else may have come in between."""


def is_linear(text: str, times: float, work: Callable[[], float]) -> bool:
    """Return whether some work on a text once takes no more `times` than a plain scan of it."""
    for _ in range(TRIES):
        if work() <= times * scan(text):
            return True
        scan.cache_clear()
    return False


def slow(known: Known, size: int, times: float) -> Iterator[str]:
    """The alphabets of which a text takes so many times as long as a plain scan of it."""
    methods = {"finditer"}
    if known.uses and known.uses <= set(AT_A_PLACE):
        methods = set(known.uses)
    for unit in ALPHABETS:
        text = (unit * size)[:size]
        for method in methods:
            if not is_linear(
                text,
                times,
                partial(seconds, known.pattern, method, text),
            ):
                yield f"{method} {unit!r}"


SIZE, TIMES = 20_000, 20
"""What begins again at each letter takes a hundred times as long as a scan of so many."""


@pytest.mark.slow
def test_patterns_are_found_wherever_they_are_and_with_how_they_are_used():
    names = patterns().keys()
    assert "appellate.judges.endpoint._ESCAPED" in names
    assert "appellate.traits.scorer.spec.LAST_WORD" in names
    assert "appellate.ui.text._strays" in names
    assert any(name.startswith("appellate.numbers.markdown:") for name in names)
    assert patterns()["appellate.judges.completion._NUMBER"].uses == {"fullmatch"}
    assert patterns()["appellate.store.files.trace_source.TOML_START"].uses == {"match"}
    assert len(names) > 120


@pytest.mark.slow
def test_a_pattern_that_begins_again_at_each_letter_is_found_out():
    assert list(slow(Known(re.compile(r"\\+u"), frozenset()), SIZE, TIMES)) == [
        "finditer '\\\\'",
    ]
    assert not list(slow(Known(re.compile(r"\\+u"), frozenset(["match"])), SIZE, TIMES))


@pytest.mark.slow
def test_no_pattern_takes_longer_than_the_length_of_a_text():
    found = {name: list(slow(known, SIZE, TIMES)) for name, known in patterns().items()}
    assert {name: alphabets for name, alphabets in found.items() if alphabets} == {}


@pytest.mark.slow
def test_a_million_letters_take_each_pattern_under_a_second_where_a_plain_scan_takes_a_tenth():
    found = {
        name: list(slow(known, 1_000_000, 10)) for name, known in patterns().items()
    }
    assert {name: alphabets for name, alphabets in found.items() if alphabets} == {}


def seconds_to_look(text: str) -> float:
    """The processor's seconds for looking for passages to the judge in a text."""
    started = time.process_time()
    injections(text)
    return time.process_time() - started


MANY_PATTERNS = 4
"""A look tries several patterns at each letter: up to 18 times a plain scan, with no load beside it.
What begins again at each letter takes hundreds of times as long.
"""
PADDINGS = (
    "",
    pytest.param(" ", marks=pytest.mark.slow),
    pytest.param("_", marks=pytest.mark.slow),
    pytest.param("ai ", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("padding", PADDINGS)
def test_words_that_a_passage_to_the_judge_begins_with_take_no_longer_however_often_they_come(
    padding,
):
    size = 5_000
    late = []
    for cue in injection_patterns():
        text = ((cue + padding) * size)[:size]
        if not is_linear(text, MANY_PATTERNS * TIMES, partial(seconds_to_look, text)):
            late.append(cue)
    assert late == []


MOST_TEXTS = 24


def matched_texts(tokens: Any) -> list[str]:
    """Short texts that a parsed pattern matches, with a way through each of its branches."""
    texts = [""]
    for code, argument in tokens:
        parts = ["a"]  # of any letter, and of all but some
        match str(code):
            case "LITERAL":
                parts = [chr(argument)]
            case "IN":
                parts = [letter_of(argument)]
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                fewest, _, repeated = argument
                parts = [text * max(fewest, 1) for text in matched_texts(repeated)[:3]]
                if fewest == 0:
                    parts.append("")
            case "SUBPATTERN":
                parts = matched_texts(argument[3])
            case "ATOMIC_GROUP":
                parts = matched_texts(argument)
            case "BRANCH":
                parts = [
                    text for branch in argument[1] for text in matched_texts(branch)
                ]
            case "ANY" | "NOT_LITERAL":
                pass
            case _:  # a place, or a look around
                continue
        texts = [text + part for text in texts for part in parts][:MOST_TEXTS]
    return texts


def letter_of(members: list[tuple[Any, Any]]) -> str:
    """One letter of a class of letters."""
    code, argument = members[0]
    match str(code):
        case "LITERAL":
            return chr(argument)
        case "RANGE":
            return chr(argument[0])
        case "CATEGORY":
            letters = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "1"}
            return letters.get(str(argument), "a")
    return "a"


def beginnings(pattern: re.Pattern[str]) -> set[str]:
    """What a pattern may have matched before it fails: repeated, it begins at each of them."""
    units = set()
    tokens = _parser.parse(pattern.pattern, pattern.flags)
    for text in matched_texts(tokens):
        for length in range(1, min(len(text), 60) + 1):
            units |= {text[:length], f"{text[:length]} "}
    return units


@pytest.mark.slow
def test_what_a_pattern_begins_with_takes_no_longer_however_often_it_comes():
    slow_units = []
    for name, known in patterns().items():
        if known.uses and known.uses <= set(AT_A_PLACE):
            continue
        for unit in beginnings(known.pattern):
            text = (unit * SIZE)[:SIZE]
            work = partial(seconds, known.pattern, "finditer", text)
            if not is_linear(text, TIMES, work):
                slow_units.append(f"{name} {unit!r}")
    assert slow_units == []


CRITERIA = (
    *(
        "covers ",
        "contains “",
        "contains (",
        'contains "a',
        "mentions 'a ",
        "states that ",
    ),
    *(
        "a; ",
        "well ",
        "has wrong ",
        "is the answer ",
        "key points ",
        "answer is  ",
        "and   ",
    ),
)
"""Beginnings of what a pattern for weak criteria looks for, which never comes to an end."""


@pytest.mark.parametrize("unit", CRITERIA)
def test_a_criterion_is_searched_for_weak_words_in_the_time_of_its_length(unit):
    text = (unit * SIZE)[:SIZE]

    def work() -> float:
        started = time.process_time()
        list(find_weaknesses(text, (), *get_args(WordSort)))
        return time.process_time() - started

    assert is_linear(text, 3 * TIMES, work)


@pytest.mark.parametrize(
    "unit",
    ["### User:\n", "[The Start of Assistant A's Answer]\n", "### Assistant A:\n"],
)
def test_a_prompt_of_mt_bench_is_parted_in_the_time_of_its_length(unit):
    text = unit * SIZE
    row = {
        "question_id": 1,
        "model_1": "a",
        "model_2": "b",
        "g1_user_prompt": text,
        "g1_winner": "model_1",
        "g2_winner": "model_1",
        "turn": 1,
    }

    def work() -> float:
        started = time.process_time()
        assert _mt_bench_trace(row, 1).record["response"] is None
        return time.process_time() - started

    assert is_linear(text, TIMES, work)
