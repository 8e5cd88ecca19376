"""What `--map` says, in entries and in a TOML file."""

import re

import pytest

from appellate.core.problem import Unusable
from appellate.interop.table_map import (
    Bounds,
    PeopleColumns,
    TableMap,
    TraitMap,
    differing_key,
    in_quotes,
    map_of,
    read_map,
)


def test_each_entry_says_one_thing():
    read = read_map(
        [
            "response=answer, id = #, other.model=rival",
            "verdict.V=label,reason.V=note,kind.V=classes,classes.V=fail<partial<pass",
            "verdict.Q=points,scale.Q=1..5,none.Q=-1|N/A,criterion.Q=Is it polite?",
            "verdict.F=says,positive.F=faithful|grounded,negative.F=hallucinated",
            "verdict.C=n,cut.C=3",
        ],
    )
    assert read == TableMap(
        {"response": "answer", "id": "#", "other.model": "rival"},
        {
            "V": TraitMap(
                verdict="label",
                reason="note",
                kind="classes",
                classes=("fail", "partial", "pass"),
                is_ordered=True,
            ),
            "Q": TraitMap(
                verdict="points",
                scale=Bounds(1, 5),
                none=("-1", "N/A"),
                criterion="Is it polite?",
            ),
            "F": TraitMap(
                verdict="says",
                positive=("faithful", "grounded"),
                negative=("hallucinated",),
            ),
            "C": TraitMap(verdict="n", cut=3),
        },
    )


def test_people_are_one_or_several_or_what_most_of_them_say():
    read = read_map(["person.A=anna,person.B=anna|ben,person.C=majority(a|b|c)"])
    assert read.traits["A"].person == PeopleColumns(("anna",))
    assert read.traits["B"].person == PeopleColumns(("anna", "ben"))
    assert read.traits["C"].person == PeopleColumns(("a", "b", "c"), is_majority=True)
    assert read.all_columns == ["anna", "ben", "a", "b", "c"]
    assert read.columns == {
        "person.A": "anna",
        "person.B": "anna|ben",
        "person.C": "majority(a|b|c)",
    }


def test_people_have_reasons_and_times_of_their_own():
    read = read_map(["person.V=anna|ben,why.V=note_a|note_b,when.V=day"])
    assert read.traits["V"].why == ("note_a", "note_b")
    assert read.traits["V"].when == ("day",)


@pytest.mark.parametrize(
    ("entry", "bounds"),
    [
        ("0..1", Bounds(0, 1)),
        ("-1..1", Bounds(-1, 1)),
        ("0.5..2.5", Bounds(0.5, 2.5)),
        ("0..", Bounds(0, None)),
        ("..10", Bounds(None, 10)),
    ],
)
def test_a_scale_may_be_open(entry, bounds):
    assert read_map([f"scale.Q={entry}"]).traits["Q"].scale == bounds


def test_names_with_marks_stand_in_quotes():
    read = read_map(
        [
            'response="answer, final",verdict."Safe, sound"="label=x"',
            'classes.V="a|b"|"c<d",criterion.V="Says \\"yes\\", and why"',
        ],
    )
    assert read.fields == {"response": "answer, final"}
    assert read.traits["Safe, sound"].verdict == "label=x"
    assert read.traits["V"].classes == ("a|b", "c<d")
    assert read.traits["V"].criterion == 'Says "yes", and why'


def test_marks_that_part_nothing_need_no_quotes():
    read = read_map(
        ['verdict.R=rouge_score(mode=recall),response=outputs.answer,id=5" screen'],
    )
    assert read.traits["R"].verdict == "rouge_score(mode=recall)"
    assert read.fields == {"response": "outputs.answer", "id": '5" screen'}


@pytest.mark.parametrize(
    "name",
    ["plain", "a, b", 'say "so"', "a|b", '"x"', " blank ", "a\\b=c"],
)
def test_a_name_in_quotes_is_read_as_it_was(name):
    assert map_of({"response": in_quotes(name)}).fields == {"response": name}


def test_a_toml_file_has_the_same_keys(tmp_path):
    path = tmp_path / "map.toml"
    path.write_text(
        'response = "answer, final"\n"other.model" = "rival"\n'
        'verdict."Safe, sound" = "label"\nclasses.V = "bad<good"\nclasses.W = ["a<b", "c"]\n'
        'scale.Q = "1..5"\ncut.C = 3\nnone.Q = ["-1", "N/A"]\n[criterion]\nQ = "Is it so, or not?"\n'
        '[person]\nV = ["anna", "ben"]\nW = "majority(a|b|c)"\n',
        "utf-8",
    )
    read = read_map([str(path), "scale.Q=1..7"])
    assert read.fields == {"response": "answer, final", "other.model": "rival"}
    assert read.traits["Safe, sound"].verdict == "label"
    assert read.traits["V"].classes == ("bad", "good")
    assert read.traits["V"].is_ordered
    assert read.traits["W"].classes == ("a<b", "c")
    assert not read.traits["W"].is_ordered
    assert read.traits["Q"].scale == Bounds(1, 7), (
        "a later entry replaces an earlier one"
    )
    assert read.traits["Q"].criterion == "Is it so, or not?"
    assert read.traits["C"].cut == 3
    assert read.traits["V"].person == PeopleColumns(("anna", "ben"))
    assert read.traits["W"].person == PeopleColumns(("a", "b", "c"), is_majority=True)


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("response=", "names no column"),
        ("=answer", "names no column"),
        ("respons=answer", 'did you mean "response"'),
        ("verdct.V=label", 'did you mean "verdict.V"'),
        ("verdict=label", "verdict.TRAIT=… is right"),
        ('response="answer', "a quote does not end"),
        ("scale.Q=five", '"five" is no scale'),
        ("scale.Q=5..1", "does not go upwards"),
        ("scale.Q=..", "is no scale"),
        ("cut.Q=high", '"high" is no number'),
        ("kind.Q=colour", '"colour" is no kind'),
        ("classes.V=a", "two classes or more"),
        ("classes.V=a<b|c", "both < and |"),
        ("kind.V=boolean,classes.V=a|b", "contradict one another"),
        ("positive.V=yes,scale.V=1..5", "contradict one another"),
        ("positive.V=ok,negative.V=OK", "is yes and no"),
        ("why.V=note", "is of people"),
        ("person.V=a|b|c,why.V=x|y", "2 columns for 3 of people"),
    ],
)
def test_what_says_nothing_sound_is_refused_with_what_would_be_right(argument, wrong):
    with pytest.raises(Unusable) as refusal:
        read_map([argument])
    assert wrong in str(refusal.value.problems[0])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("response = 'a", "this is no map"),
        (f"id = {'1' * 5000}", "a number has more than 4,300 digits"),
        (f"id = 0x{'f' * 5000}", "a number has more than 4,300 digits"),
        (f"id = {'[' * 5000}", "nested too deeply"),
        ("respons = 'a'", 'did you mean "response"'),
        ("response = true", "must be a text or a number"),
        ("verdict.V = ['a', 'b']", "takes one text"),
        ("[verdict.V]\na = 1", "must be a text or a number"),
    ],
)
def test_a_wrong_file_is_refused_by_its_name(tmp_path, text, wrong):
    path = tmp_path / "map.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(Unusable) as refusal:
        read_map([str(path)])
    assert wrong in str(refusal.value.problems[0])
    assert str(path) in str(refusal.value.problems[0])


@pytest.mark.parametrize(
    ("entry", "several"),
    [
        ("person.V=anna|ben", True),
        ("person.V=majority(a|b)", False),
        ("person.V=anna", False),
    ],
)
def test_a_majority_is_one_person(entry, several):
    assert read_map([entry]).has_several_people is several


def test_blanks_around_a_majority_do_not_matter():
    plain = read_map(["person.A=majority(a|b)"])
    assert (
        read_map(["person.A = majority( a | b ) , response=r"]).traits == plain.traits
    )


@pytest.mark.parametrize(
    "name",
    ["majority(a)", 'answer ("final")', 'a."b"', '5" screen', '"a"', "a|b", "a\\b"],
)
def test_a_name_in_quotes_is_read_as_that_name(name):
    assert read_map([f"person.A={in_quotes(name)}"]).all_columns == [name]


def test_a_cut_of_zero_contradicts_another_cut():
    assert differing_key(TraitMap(cut=0.0), TraitMap(cut=0.5)) == "cut"
    assert differing_key(TraitMap(cut=0.0), TraitMap(cut=0.0)) == ""


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("verdict.=label", "verdict.TRAIT=… is right"),
        ('verdict.""=label', "verdict.TRAIT=… is right"),
        ("person.A=|", "person.A: has no name"),
        ("person.A=majority(|)", "person.A: has no name"),
        ("verdict.A=x,positive.A=|", "positive.A: has no name"),
    ],
)
def test_an_entry_that_names_nothing_is_refused(argument, told):
    with pytest.raises(Unusable, match=re.escape(told)):
        read_map([argument])


def test_small_numbers_of_a_file_are_numbers(tmp_path):
    path = tmp_path / "map.toml"
    path.write_text('verdict.A = "x"\ncut.A = 0.00001\n')
    assert read_map([str(path)]).traits["A"].cut == 0.00001
