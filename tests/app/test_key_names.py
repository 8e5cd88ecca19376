"""The keys that screens name are the person's own, on every screen and in every mode."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from review_stage import sitting
from test_by_instruction import three
from textual.widgets import Static

import appellate
from appellate.app import header
from appellate.app.keys.bindings import by_id, keys_of, named, pane_of, shown
from appellate.app.keys.help import keys_help, needed_here
from appellate.app.keys.keymap import Keymap, given_twice
from appellate.app.requests import Standing
from appellate.core.problem import with_keys
from appellate.linear.linear_session import BESIDES
from appellate.ui.bar import KeyStrip
from appellate.ui.conversation import begin
from appellate.ui.key import Hint, as_remapped, keys_described
from appellate.ui.marks import UNICODE

NAMED = re.compile(r"\{([a-z_]+(?:\.\w+)?):([^{} ]+)\}")
BOUND = by_id()
IN_LINES = {key.id: key for key in BESIDES}
"""The bindings that line mode has besides."""
LETTERS = [
    chr(code)
    for code in (*range(0xE0, 0x180), *range(0x3B1, 0x587))
    if chr(code).islower()
]
"""Those that are the usual key of nothing."""
WITH_TEXT = ("picker.", "prompt.", "note.")
"""How the ids of keys begin that act where letters are typed."""
WITHOUT_LETTERS = [f"alt+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def other_keys() -> Keymap:
    """Every binding on a key of its own, and that of nothing else."""
    letters, others = iter(LETTERS), iter(WITHOUT_LETTERS)
    keys = {
        name: named(next(others if name.startswith(WITH_TEXT) else letters))
        for name in BOUND
    }
    return Keymap("", keys)


def constants(tree):
    return (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and type(node.value) is str
    )


def named_in_source():
    """The ids that the source names in texts and hints, and what it calls their keys."""
    for path in sorted(Path(appellate.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for constant in constants(tree):
            for name, usual in NAMED.findall(constant.value):
                yield path.name, name, usual
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Hint":
                given = [
                    one.value for one in call.args if isinstance(one, ast.Constant)
                ]
                if len(given) >= 3 and given[2] in BOUND and "{" not in given[0]:
                    yield path.name, given[2], given[0]


@pytest.mark.slow
def test_a_key_named_in_a_text_is_one_that_its_binding_has():
    bound = {**BOUND, **IN_LINES}
    wrong = [
        (file, name, usual)
        for file, name, usual in named_in_source()
        if name not in bound or usual not in map(shown, bound[name].keys)
    ]
    assert not wrong


BARE = re.compile(
    r"(?<![\w{:'’+])([B-Zb-z])`? (?:compares|shows|lists|asks|about one|has one|finds|widens|is:)"
    r"|: [A-Z]$",
)
"""A letter that is told as a key without the id of its binding."""


@pytest.mark.slow
def test_no_sentence_of_a_screen_tells_a_letter_that_may_be_on_another_key():
    told = []
    for room in ("app", "judging", "numbers", "session", "traits", "ui"):
        folder = Path(appellate.__file__).parent / room
        for path in sorted(folder.rglob("*.py")):
            tree = ast.parse(path.read_text())
            docstrings = {
                node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)
            }
            for constant in constants(tree):
                if constant not in docstrings and BARE.search(constant.value):
                    told.append((path.name, constant.value))
    assert not told


def test_a_hint_has_the_persons_key_and_goes_with_it():
    mark = Hint("{a.one:x} {a.two:w}", "mark", "a.one")
    assert as_remapped(
        [mark, Hint("o", "open", "a.open")],
        {"a.two": "ö", "a.open": ""},
    ) == [Hint("x ö", "mark", "a.one")]
    assert not as_remapped([mark], {"a.one": "", "a.two": ""})


def test_a_text_has_the_persons_keys_and_says_nothing_of_keys_that_are_gone():
    text = "{a.keep:Enter} saves it · {a.line:Ctrl+O} a new line · Esc leaves"
    assert with_keys(text, {}) == "Enter saves it · Ctrl+O a new line · Esc leaves"
    assert with_keys(text, {"a.keep": "F5", "a.line": ""}) == "F5 saves it · Esc leaves"
    for code in ("{value:.2f}", "{x:y}", '{"name":1}', "{width:>{room}}"):
        assert with_keys(code, {}) == code


@pytest.mark.parametrize("words", ["Done. Then", "a · b", "Why? So · it {a.keep:s}"])
def test_words_in_quotes_stay_whole_beside_a_key_that_is_gone(words):
    text = f"3 lines with “{words}”, 2 in what {{a.line:K}} shows."
    assert with_keys(text, {"a.line": ""}) == (
        f"3 lines with “{words}”, 2 in what (no key) shows."
    )


def test_of_a_message_only_the_sentence_on_a_key_that_is_gone_goes():
    text = "It is locked. {a.undo:u} takes it back. Nothing was changed."
    assert with_keys(text, {"a.undo": ""}) == "It is locked. Nothing was changed."
    refusal = "There is no verdict yet: give one first, with {a.yes:y}."
    assert with_keys(refusal, {"a.yes": ""}) == (
        "There is no verdict yet: give one first, with (no key)."
    )
    assert with_keys("{a.undo:u} takes it back", {"a.undo": ""}) == ""


def test_keys_are_described_by_what_a_person_calls_them():
    table = "{a.up:k} {a.down:j}  go; {a.end:Esc} leaves\n{a.gone:x}  mark\n"
    found = keys_described(table, {"a.up": "ü", "a.end": "F9", "a.gone": ""})
    assert found == [("ü j", "go; F9 leaves")]


def test_what_marks_and_words_mean_is_told_with_the_persons_keys():
    names = {"save": "F2", "cell.comments": "ö", "cell.proposals": "ü"}
    tooltip = header.describe(UNICODE, names)
    assert "could not be written; F2 says why" in tooltip
    assert "somebody commented; ö shows what" in tooltip
    keys = [as_pressed(key, named("ö")) for key in keys_of(["metric"])]
    for rows in (
        keys_help(UNICODE, keys, pane_of("metric")),
        needed_here(UNICODE, keys, pane_of("metric"), {}, UNICODE.comment),
    ):
        texts = [row.text for row in rows if row.number == UNICODE.comment]
        assert "somebody commented on it: ö shows what" in texts


def as_pressed(key, pressed):
    """A key of the bench, pressed by another one if it opens the comments."""
    if key.id != "cell.comments":
        return key
    return replace(key, keys=pressed, shown=shown(pressed))


@pytest.mark.parametrize(
    ("key", "remedy"),
    [
        ("F2", "F2 saves everything elsewhere"),
        ("", "Save everything elsewhere"),
    ],
)
def test_what_cannot_be_saved_stays_on_screen_with_the_persons_key_or_none(key, remedy):
    standing = Standing(
        SimpleNamespace(lost="x.db was deleted"),
        turned=lambda: None,
        key_names=lambda: {"save": key},
    )
    standing.not_kept("x.db was deleted")
    assert standing.trouble == (
        f"NOT SAVED: x.db was deleted. {remedy}; nothing was changed."
    )


async def test_with_other_keys_the_end_of_a_queue_names_them(tmp_path):
    keymap = other_keys()
    async with sitting(tmp_path, three(), keys=keymap) as at:
        names = at.app.key_names
        queue = at.screen.objects.parts.queue
        one_model = queue.lineup.but(filter="model:gpt-4o")
        at.screen.objects.queue_control.line_up(one_model)
        await at.until(lambda: len(queue.cells) == 1)
        await at.press(keymap.keys["cell.next"])
        own = with_keys("of this queue ({queue.filter:f} widens it).", names)
        assert f"This is the last cell {own}" in at.said
        await at.press(keymap.keys["text.none"])
        assert at.said.startswith(with_keys("{text.none:0} answers where", names))


PLACES = {
    "the bench": (),
    "the response": ("text.evidence", "text.evidence"),
    "the queue": ("queue",),
    "words being selected": ("text.select",),
    "what is read beside it": ("material",),
    "by instruction": ("by_instruction",),
    "the numbers": ("session",),
    "the sample": ("sample",),
    "what was done": ("history",),
    "the sizes": ("sizes",),
    "a menu": ("item.menu",),
    "a line": ("trace.go",),
    "a comment": ("cell.comment",),
    "the proposals": ("cell.proposals",),
    "help": ("help",),
}
FIXED = {"Enter", "Esc", "0…9", "1-4", "Ctrl+U", "digits"}
"""What is typed into lists and fields, and is no binding's."""


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
async def test_with_other_keys_every_screen_names_them_and_obeys_them(tmp_path, place):
    keymap = other_keys()
    assert not given_twice(keymap.keys, "")
    usual = {shown(key) for bound in BOUND.values() for key in bound.keys} - FIXED
    async with sitting(tmp_path, three(), keys=keymap) as at:
        for name in PLACES[place]:
            await at.press(keymap.keys[name])
            await at.pilot.pause()
        for text in named_on(at.app.screen):
            assert not usual.intersection(text.split()), text


def named_on(screen):
    """The keys in the strip and in lines of keys; of a line, what each of its parts begins with."""
    for strip in screen.query(KeyStrip):
        if strip.display:
            yield from (hint.key for hint in strip.hints)
    for line in screen.query(Static):
        if any(name.endswith("--keys") for name in line.classes):
            for part in str(line.visual).split(" · "):
                yield part.split(" ")[0]


MESSAGES = {
    "an empty bucket": ((), "{text.select:v} adds words"),
    "no word is selected": (
        ("bucket.next", "text.select", "move.tp"),
        "{select.word:w} {select.word_back:b} and {select.sentence:s} take more",
    ),
    "no bookmark": (
        ("bookmarks",),
        "There are no bookmarks; {palette:Ctrl+P} bookmark sets one",
    ),
    "a rule of the kind": (("move.fp",), "select the wrong words ({text.select:v})"),
    "a page without rows": (
        ("session", "dashboard.page"),
        "On the bench it is {sample:%}.",
    ),
}


async def test_with_other_keys_a_question_names_them(tmp_path):
    keymap = other_keys()
    async with sitting(tmp_path, three(), keys=keymap) as at:
        names = at.app.key_names
        begin(at.screen.objects.dialogs.confirm("Again ({cell.proposals:V})?"))
        await at.until(
            lambda: f"Again ({names['cell.proposals']})?" in at.words("Confirm"),
        )


async def test_with_other_keys_messages_and_empty_pages_name_them(tmp_path):
    keymap = other_keys()
    async with sitting(tmp_path, three(), keys=keymap) as at:
        first = at.place
        for what, (ids, text) in MESSAGES.items():
            at.screen.objects.put_away()
            at.screen.pane.go(*first)
            for name in ids:
                await at.press(keymap.keys[name])
                await at.pilot.pause()
            shown_text = at.text + "".join(
                str(one.visual) for one in at.app.screen.query(Static)
            )
            own = with_keys(text, at.app.key_names)
            assert own != with_keys(text, {}), what
            assert own in shown_text, what
            assert with_keys(text, {}) not in shown_text, what
