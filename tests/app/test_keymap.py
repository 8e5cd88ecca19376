"""A person's own keys: what may be written, everything that would not work, and that the screen obeys."""

import json
import tomllib
from pathlib import Path

import pytest
from review_stage import sitting
from test_by_instruction import three

from appellate.app.keys.bindings import (
    by_id,
    character,
    every,
    friendly,
    keys_of,
    named,
)
from appellate.app.keys.keymap import (
    FIXED,
    NONE,
    PRESETS,
    Keymap,
    applied,
    document,
    load,
    presets,
)
from appellate.core.problem import Unusable
from appellate.session.settings import Settings
from appellate.traits.kinds import kinds
from appellate.ui.conversation import begin

USUAL = by_id()


@pytest.fixture
def written(tmp_path):
    def write(text: str) -> Path:
        (tmp_path / "keymap.toml").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def problems(folder, wanted="") -> list[str]:
    with pytest.raises(Unusable) as refused:
        load(wanted, folder)
    return [
        str(problem).removeprefix(f"{folder / 'keymap.toml'}: ")
        for problem in refused.value.problems
    ]


# -- what is wrong ------------------------------------------------------------------------------------


def test_without_a_file_the_keys_are_the_usual_ones(tmp_path):
    assert load("", tmp_path) == NONE
    (tmp_path / "keymap.toml").write_text("broken")
    assert load("usual", tmp_path) == NONE
    assert applied(keys_of(kinds()), NONE.keys) == keys_of(kinds())


def test_keys_are_given_to_bindings_and_taken_from_them(written):
    chosen = load(
        "",
        written(
            '[keys]\n"cell.undo" = ["Y", "ctrl+u"]\nqueue = ""\n"item.drop" = []\n',
        ),
    )
    assert chosen.keys == {"cell.undo": "Y,ctrl+u", "queue": "", "item.drop": ""}
    assert chosen.for_textual["queue"] == "unbound"
    keys = {key.id: key for key in applied(keys_of(kinds()), chosen.keys)}
    assert (keys["cell.undo"].keys, keys["cell.undo"].shown) == ("Y,ctrl+u", "Y Ctrl+U")
    assert keys["queue"].shown == "–"
    assert keys["save"] in keys_of(kinds())


def test_the_help_of_a_key_of_ones_own_names_no_usual_key():
    usual = {key.id: key.help for key in keys_of(kinds())}
    own = {
        key.id: key.help
        for key in applied(keys_of(kinds()), {"cell.undo": "x", "cell.redo": "y"})
    }
    assert usual["cell.undo"] == f"{own['cell.undo']} (Ctrl+Z too)"
    assert usual["cell.redo"] == f"{own['cell.redo']} (Ctrl+Y too)"
    assert {name for name in usual if usual[name] != own[name]} == {
        "cell.undo",
        "cell.redo",
    }


def test_everything_that_is_wrong_is_told_at_once(written):
    folder = written(
        """
        presets = "azerty"
        preset = "azert"
        [keys]
        "cell.und" = "Y"
        "cell.redo" = "ctrl+i"
        "item.drop" = ["y", "pgdwn", 3]
        "item.reword" = "y"
        "text.evidence" = "enter"
        """,
    )
    told = problems(folder)
    for expected in (
        'presets: there is no key "presets"; did you mean "preset"?',
        'preset: must be one of usual, azerty, not the text "azert"',
        'keys."cell.und": there is no such binding; did you mean "cell.undo"?',
        'keys."cell.redo": terminals send "ctrl+i" as Tab',
        'keys."item.drop"[1]: there is no key "pgdwn"; did you mean "pgdown"?',
        'keys."item.drop"[2]: a key must be text in quotes',
        'keys: "y" is the key of both item.drop and item.reword; give one of them another key',
        'keys: "enter" is the key of both lines.choose and text.evidence; give one of them another key',
    ):
        assert expected in told
    assert len(told) == len(set(told))


def test_a_key_taken_from_one_binding_may_be_given_to_another(written):
    chosen = load("", written('[keys]\n"item.drop" = "e"\n"item.reword" = "d"\n'))
    assert chosen.keys == {"item.drop": "e", "item.reword": "d"}


@pytest.mark.parametrize(
    ("keys", "both"),
    [
        ('"cell.flag" = "ö"\n"cell.sign" = "ö"', "cell.flag and cell.sign"),
        ('"cell.flag" = "ö"\n"item.drop" = "ö"', "cell.flag and item.drop"),
        ('"verdict.3" = "ö"\n"scorer.answer" = "ö"', "scorer.answer and verdict.3"),
        ('"lines.up" = "ö"\n"llm.add" = "ö"', "lines.up and llm.add"),
        ('"item.drop" = "escape"', "item.drop and leave"),
    ],
)
def test_a_key_of_two_acts_in_one_place_is_told(written, keys, both):
    assert any(
        f"is the key of both {both};" in one
        for one in problems(written(f"[keys]\n{keys}"))
    )


@pytest.mark.parametrize(
    ("keys", "lost"),
    [
        ('"cell.flag" = "w"', {"step.next": ""}),
        ('"cell.flag" = "E"', {"step.previous": ""}),
        ('"cell.flag" = "*"', {"step.assistants": ""}),
        ('"item.drop" = "q"', {"quit": "ctrl+q"}),
        ('"item.drop" = "ctrl+p"', {"palette": ""}),
        ('"move.tp" = "w"', {"select.word": ""}),
        ('"text.evidence" = "j"', {"lines.down": "down", "response.down": "down"}),
        ('"item.drop" = ["w", "E"]', {"step.next": "", "step.previous": ""}),
    ],
)
def test_a_key_that_is_given_is_taken_from_whoever_has_it_there(written, keys, lost):
    chosen = load("", written(f"[keys]\n{keys}")).keys
    assert {name: chosen[name] for name in lost} == lost
    printed = load("", written(document(Keymap("", chosen)))).keys
    assert {name: printed[name] for name in chosen} == chosen


def test_a_key_that_a_file_gives_is_taken_from_its_preset_too(written):
    chosen = load(
        "",
        written('preset = "azerty"\n[keys]\n"item.drop" = "ampersand"'),
    ).keys
    assert (chosen["move.tp"], chosen["item.drop"]) == ("1", "ampersand")


def test_every_key_of_the_program_can_be_given_to_another_act_but_those_that_answer_and_leave(
    written,
):
    usual = {key for bound in every() for key in bound.keys}
    for key in sorted(usual - {*FIXED}):
        keys = load(
            "",
            written(f'[keys]\n"cell.flag" = {json.dumps(friendly(key))}'),
        ).keys
        assert keys["cell.flag"] == key


@pytest.mark.parametrize(
    "keys",
    [
        '"llm.add" = "ö"\n"item.drop" = "ö"',  # of two kinds
        '"history.undo" = "ö"\n"cell.flag" = "ö"',  # of two screens
        '"select.sentence" = "ö"\n"cell.flag" = "ö"',  # which waits while words are selected
    ],
)
def test_a_key_of_two_acts_in_two_places_may_be_had(written, keys):
    assert set(load("", written(f"[keys]\n{keys}")).keys.values()) == {"ö"}


@pytest.mark.parametrize(
    "pair",
    ["page.on item.turn", "select.down response.down", "docked.next docked.select_on"],
)
def test_two_acts_that_share_a_key_of_the_program_may_share_another(written, pair):
    one, other = pair.split()
    assert load("", written(f'[keys]\n"{one}" = "ö"\n"{other}" = "ö"')).keys[one] == "ö"


def test_acts_that_are_on_no_key_can_be_given_one_and_those_that_are_gone_are_left_out(
    written,
):
    """As `appellate config --keys` printed them when they were on keys."""
    chosen = load(
        "",
        written(
            """
            [keys]
            "item.merge" = ["_"]
            "item.repeat" = ["R"]
            "item.mark_to_here" = ["w"]
            "item.mark_down" = ["shift+down"]
            "item.mark_up" = ["shift+up"]
            "item.mark_all" = ["*"]
            "instruction.mark_to" = ["w"]
            "instruction.mark_up" = ["shift+up"]
            "instruction.mark_down" = ["shift+down"]
            "instruction.mark_all" = ["*"]
            "material.first" = ["g"]
            "material.last" = ["G"]
            "cell.copy_again" = ["Y"]
            "text.plea" = ["A"]
            "material.before" = ["L"]
            "last" = ["G"]
            "cell.bookmark" = ["B"]
            "bookmarks" = ["'", ";"]
            """,
        ),
    )
    assert chosen.keys == {
        "item.merge": "underscore",
        "item.repeat": "R",
        "cell.copy_again": "Y",
        "text.plea": "A",
        "material.before": "L",
        "last": "G",
        "cell.bookmark": "B",
        "bookmarks": "apostrophe,semicolon",
    }
    keys = {key.id: key.shown for key in applied(keys_of(kinds()), chosen.keys)}
    assert (keys["item.merge"], keys["bookmarks"]) == ("_", "' ;")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("keys = 3", "keys: must be a table"),
        ("keys = {", "not valid TOML"),
        ("preset = 3", "preset: must be one of"),
    ],
)
def test_a_file_of_another_shape_is_told(written, text, told):
    assert told in problems(written(text))[0]


def test_a_keymap_that_is_not_there_is_told(tmp_path):
    with pytest.raises(
        Unusable,
        match='no preset and no file "nope"; presets are usual, azerty',
    ):
        load("nope", tmp_path)


def test_a_file_is_looked_for_beside_the_settings_too(written):
    assert load("keymap.toml", written('[keys]\nqueue = "f9"\n')).keys == {
        "queue": "f9",
    }


# -- presets ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", presets())
def test_every_preset_gives_no_key_twice_and_leaves_no_act_without_one(name, tmp_path):
    assert all(load(name, tmp_path).keys.values())


def test_on_a_french_keyboard_verdicts_need_no_shift_and_digits_still_work():
    keys = load("azerty", PRESETS).keys
    assert [keys[f"move.{bucket}"] for bucket in ("tp", "fn", "fp", "tn")] == [
        *("1,ampersand", "2,é", "3,quotation_mark", "4,apostrophe"),
    ]
    assert keys["sides.scroll"] == keys["instruction.scroll"] == "plus,equals_sign"


def test_a_file_builds_on_a_preset(written):
    chosen = load(
        "",
        written('preset = "azerty"\n[keys]\n"move.tp" = ["1"]\n"cell.undo" = "Y"\n'),
    )
    assert chosen.keys["move.tp"] == "1"
    assert chosen.keys["move.fn"] == "2,é"
    assert chosen.keys["cell.undo"] == "Y"


# -- other layouts ------------------------------------------------------------------------------------


USUAL_LAYOUT = (
    r"""qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?-=_+"""
)
LAYOUTS = {
    "colemak": r"""qwfpgjluy;[]arstdhneio'zxcvbkm,./QWFPGJLUY:{}ARSTDHNEIO"ZXCVBKM<>?-=_+""",
    "dvorak": r"""',.pyfgcrl/=aoeuidhtns-;qjkxbmwvz"<>PYFGCRL?+AOEUIDHTNS_:QJKXBMWVZ[]{}""",
    "russian": r"""йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,-=_+""",
}
"""What the keys of a keyboard type, in the order of `USUAL_LAYOUT`."""


def typed_on(layout: str, key: str) -> str:
    """The key that types on a layout what is at the same place as a key of the usual one."""
    return named(friendly(key).translate(str.maketrans(USUAL_LAYOUT, LAYOUTS[layout])))


def keymap_for(layout: str) -> str:
    """Every binding that is on characters, where the hands have it on the usual layout."""
    lines = ["[keys]"]
    for name, bound in USUAL.items():
        keys = [typed_on(layout, key) if character(key) else key for key in bound.keys]
        if keys != list(bound.keys):
            written = json.dumps([friendly(key) for key in keys], ensure_ascii=False)
            lines.append(f'"{name}" = {written}')
    return "\n".join(lines)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_whole_keyboard_can_be_had_on_another_layout(written, layout):
    keys = load("", written(keymap_for(layout))).keys
    assert len(keys) > 30
    assert keys["cell.undo"].split(",")[0] == typed_on(layout, "u")
    assert keys["select.sentence"] == keys["side_by_side"] == typed_on(layout, "s")


# -- as a file ----------------------------------------------------------------------------------------


def test_the_printed_keymap_changes_nothing(written):
    chosen = load("", written(document()))
    assert set(tomllib.loads(document())["keys"]) == set(USUAL) == set(chosen.keys)
    assert {name: ",".join(bound.keys) for name, bound in USUAL.items()} == chosen.keys


# -- on the screen ------------------------------------------------------------------------------------


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    folder = tmp_path / "settings"
    folder.mkdir()
    monkeypatch.setenv("APPELLATE_CONFIG", str(folder))
    return folder / "keymap.toml"


async def test_the_screen_obeys_a_keymap(tmp_path, chosen):
    chosen.write_text(
        '[keys]\n"move.fn" = "Y"\n"cell.flag" = ""\n"cell.comment" = ["c", "f5"]\n'
        '"docked.next" = "ö"\n',
        encoding="utf-8",
    )
    async with sitting(tmp_path / "audit", at=2) as at:
        await at.press("2", "F")
        assert at.marks["fn"] == [4]
        assert not at.cell.flag
        await at.press("Y")
        assert at.marks["fn"] == [1, 4]
        await at.press("f5", *"2EFc", "enter")
        assert [fact.what.text for fact in at.cell.comments] == ["2EFc"]
        await at.press("K", "v")
        kept = at.app.screen.active_bindings["l"].binding.id
        assert kept == "docked.select_on", "it stays with the act that shares it"


async def test_an_act_that_lost_its_key_is_on_none_in_the_palette_and_the_other_acts(
    tmp_path,
    chosen,
):
    chosen.write_text('[keys]\n"cell.flag" = "b"\n')
    async with sitting(tmp_path / "audit", at=2) as at:
        await at.press("b")
        assert at.cell.flag
        await at.press("ctrl+p", *"by instruction")
        assert "▸         By instruction:" in at.text  # where keys are, there is none
        await at.press("enter")
        assert "Only this cell is asked this instruction" in at.text


async def test_a_screen_over_the_bench_shows_the_keys_that_a_person_gave_it(
    tmp_path,
    chosen,
):
    chosen.write_text(
        '[keys]\n"instruction.mark" = "m"\n"instruction.only" = ""\n"instruction.help" = ["f1", "H"]\n',
    )
    async with sitting(tmp_path / "audit", three()) as at:
        await at.press("b")
        strip = " ".join(at.text.split())
        assert "m mark" in strip
        assert "F1 keys" in strip
        assert "f only" not in strip
        await at.press("m", "H")
        assert "m mark the row, or unmark it" in " ".join(at.text.split())


async def test_a_bad_keymap_is_said_and_the_usual_keys_are_in_use(tmp_path, chosen):
    chosen.write_text('[keys]\nnone = "x"\n"move.fn" = "Y"\n')
    async with sitting(tmp_path / "audit", at=2) as at:
        assert "there is no such binding" in at.said
        assert "The usual keys are in use" in at.said
        await at.press("2")
        assert at.marks["fn"] == [1, 4]


async def test_a_preset_is_put_on_by_the_settings(tmp_path):
    async with sitting(tmp_path, at=2, settings=Settings(keymap="azerty")) as at:
        await at.press("é")
        assert at.marks["fn"] == [1, 4]
        await at.press("u", "2")
        assert at.marks["fn"] == [1, 4]
        assert (
            next(key.shown for key in at.screen.objects.keys if key.id == "move.fn")
            == "2 é"
        )
        await at.press("v")
        assert "1 & into TP" in at.line("keys")


def test_names_that_the_keys_of_verdicts_had_before_mean_those_of_today(tmp_path):
    path = tmp_path / "keymap.toml"
    path.write_text(
        '[keys]\n"regex.yes" = ["1", "&", "y"]\n"scorer.p" = ["2", "é"]\n"callable.ask" = "f7"\n'
        '"llm.3" = "x"\n"verdict.3" = ["3", "£"]\n"lines.up" = "up"\n"verdict.yes" = "y"\n',
    )
    keys = load(str(path), tmp_path).keys
    assert keys["verdict.1"] == "1,ampersand"
    assert keys["verdict.2"] == "2,é"
    assert keys["verdict.pick"] == "f7"
    assert keys["verdict.3"].startswith("3,")
    assert "verdict.yes" not in keys, "y rules nowhere"
    assert not [
        name
        for name in keys
        if name.startswith(("regex.", "scorer.", "callable.", "llm."))
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.slow
async def test_hands_find_every_key_where_it_was_on_another_layout(
    tmp_path,
    chosen,
    layout,
):
    chosen.write_text(keymap_for(layout), encoding="utf-8")

    def keys(usual: str) -> list[str]:
        return [typed_on(layout, key) for key in usual.split()]

    async with sitting(tmp_path / "audit", at=2, size=(100, 30)) as at:
        await at.press(*keys("j x x 2"))
        assert at.marks["fn"] == [2, 3, 4]
        await at.press(*keys("u"))
        assert at.marks["fn"] == [4]
        await at.press(*keys("v s"))  # a sentence, while words are selected
        assert at.selected.endswith(".")
        await at.press("escape", *keys("Q j j k"), "escape")  # lists
        await at.press(*keys("K l h"), "escape")  # beside the response
        await at.press("escape", *keys("F"))
        assert at.cell.flag
        strip = at.line("keys").split()
        assert keys("u")[0] in strip
        assert keys("a")[0] in strip
        begin(at.screen.objects.dialogs.confirm("Really?"))
        await at.pilot.pause()
        await at.press(*keys("q"))
        assert "Answer the question first" in at.said
        await at.press(*keys("n"))
        assert not at.screen.objects.parts.confirm.asking
