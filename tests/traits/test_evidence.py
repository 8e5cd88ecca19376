"""Where an excerpt stands in its response, however it is typed."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, item_faults, span_faults, text_faults

GENE = Trace(id="1", response="gene")


def found(
    response: str,
    excerpt: str,
    taken: tuple[tuple[int, int], ...] = (),
) -> list[str]:
    return [
        response[start:end]
        for start, end in Finder(response).find_parts(excerpt, taken)
    ]


def test_an_excerpt_is_found_verbatim_before_anything_is_folded():
    response = "bcl2 and BCL2"
    assert Finder(response).find("BCL2") == (9, 13)


@pytest.mark.parametrize(
    ("response", "excerpt", "slice_"),
    [
        (
            "It helps\n  cells\tsurvive.",
            "helps cells survive",
            "helps\n  cells\tsurvive",
        ),
        ("no\u00a0break\u2009here", "no break here", "no\u00a0break\u2009here"),
        ("BCL2 Inhibits ΑΣ", "bcl2 inhibits ας", "BCL2 Inhibits ΑΣ"),
        (
            "the “guardian” gene’s role",
            'the "guardian" gene\'s',
            "the “guardian” gene’s",
        ),
        (
            "anti‑apoptotic — really",
            "anti-apoptotic - really",
            "anti‑apoptotic — really",
        ),
        ("cafe\u0301 au lait", "café au", "cafe\u0301 au"),
        ("café au lait", "cafe\u0301 au", "café au"),
        ("\u2126 5", "ω 5", "\u2126 5"),
        ("\u1f71λφα", "\u03acλφα", "\u1f71λφα"),
        ("\u0958लम से", "\u0915\u093cलम", "\u0958लम"),
        ("한글이다", unicodedata.normalize("NFD", "한글"), "한글"),
        (
            unicodedata.normalize("NFD", "한글이다"),
            "한글",
            unicodedata.normalize("NFD", "한글"),
        ),
        (
            "it is **very** _important_ in cancer",
            "is very important in",
            "is **very** _important_ in",
        ),
        ("it is very important", "is **very** important", "is very important"),
        ("a ** b", "a b", "a ** b"),
        ("a ~~ * b", "a b", "a ~~ * b"),
        ("it is `42`, and ~~not~~ so", "is 42, and not so", "is `42`, and ~~not~~ so"),
        ("it is 42 here", "is `42` here", "is 42 here"),
        ("it isn`t so", "isn't so", "isn`t so"),
        (r"5 \* 3 is \"15\"", '5 * 3 is "15', r"5 \* 3 is \"15"),
        (r"so \(x^2\) \\ is", r"(x^2) \ is", r"(x^2\) \\ is"),
        (
            "Donau\u00addampf\u00adschiff is",
            "donaudampfschiff is",
            "Donau\u00addampf\u00adschiff is",
        ),
        ("Donaudampfschiff", "Donau\u00addampf\u200bschiff", "Donaudampfschiff"),
        ("می\u200cروم \u200fهذا", "میروم هذا", "می\u200cروم \u200fهذا"),
        ("a \ufe0f\u2060 b", "a b", "a \ufe0f\u2060 b"),
        ("答案是４２（Adams）。", "42(adams)", "４２（Adams）"),
        (
            r"Here \theta = \nabla f\nand",
            "Here \theta = \nabla f",
            r"Here \theta = \nabla f",
        ),
        ("😀 𝒜 helps 😀", "HELPS 😀", "helps 😀"),
        ("İstanbul and Ankara", "and ANKARA", "and Ankara"),
        ("İstanbul", "İSTANBUL", "İstanbul"),
        ("  padded ", "\n padded\t", "padded"),
    ],
)
def test_a_folded_hit_is_the_exact_slice_of_the_response(response, excerpt, slice_):
    assert found(response, excerpt) == [slice_]


@pytest.mark.parametrize("excerpt", ["", "  ", "**", "\u0301", "nowhere", "HELP me"])
def test_what_does_not_stand_there_is_not_found(excerpt):
    assert found("It helps", excerpt) == []


def test_no_folded_hit_begins_or_ends_within_a_composed_character():
    assert found("X\u0302 and cafe\u0301", "CAFE") == []
    assert found("cafe\u0301s", "CAFE\u0301") == ["cafe\u0301"]
    assert found("ax\u0302x\u0302", "X\u0302X") == []
    assert found("\u0302X y", "x Y") == ["X y"]


def test_offsets_are_code_points_of_the_response_as_stored():
    response = "𝒜e\u0301 “Helps”  cells"
    assert Finder(response).find('"helps" cells') == (4, len(response))


def test_an_ellipsis_becomes_two_excerpts():
    response = "BCL2 is a gene that, in all, helps cells survive."
    for mark in ("…", " ... ", "[...]", " […] "):
        assert found(response, f"BCL2 is a gene{mark}cells survive") == [
            "BCL2 is a gene",
            "cells survive",
        ]


def test_an_ellipsis_at_an_end_is_only_left_out():
    assert found("It helps cells.", "… helps cells...") == ["helps cells"]
    assert found("It helps cells.", "…") == []


def test_an_ellipsis_that_stands_in_the_response_is_an_ellipsis():
    assert found("First … last", "first … LAST") == ["First … last"]


def test_the_second_part_is_looked_for_behind_the_first():
    response = "cancer: a gene in cancer"
    assert Finder(response).find_parts("gene … cancer") == [(10, 14), (18, 24)]
    assert Finder("cancer: a gene").find_parts("gene … cancer") == [(10, 14), (0, 6)]


def test_all_parts_must_be_found():
    assert found("BCL2 is a gene", "BCL2 … nowhere") == []


def test_a_place_that_is_taken_is_passed_over_while_there_is_another():
    response = "gene, gene and Gene"
    finder = Finder(response)
    assert finder.find("gene", [(0, 4)]) == (6, 10)
    assert finder.find("gene", [(0, 4), (5, 11)]) == (15, 19)
    assert finder.find("GENE", [(0, 2), (1, 5)]) == (6, 10)
    assert finder.find("gene", [(0, 19)]) == (0, 4)


def test_a_place_given_with_the_labels_holds_if_the_words_stand_there():
    finder = Finder("a **gene** and a gene")
    assert finder.has("Gene", (17, 21))
    assert finder.has("gene … and", (17, 21))
    assert not finder.has("gene", (0, 4))
    assert not finder.has("gene", (40, 50))
    assert not finder.has("gene", (4, 4))


@pytest.mark.parametrize(
    ("response", "excerpt", "taken"),
    [
        ("a" * 200_000, "a" * 50_000 + "b", ()),
        ("a" * 200_000, "A" * 50_000 + "b", ()),
        ("a" * 200_000, "a" * 100_000, ((0, 150_000),)),
        ("The " * 50_000, "the " * 5_000 + "end", ()),
        ("*_ " * 66_000, "a" + "* _" * 20_000 + "b", ()),
        (" " * 200_000, "a" + " " * 100_000 + "b", ()),
        ("e\u0301" * 100_000, "\u0301" * 50_000 + "x", ()),
        ("é **x**  " * 22_000, "É X " * 5_000 + "end", ()),
        ("word " * 40_000, "word … " * 30 + "end", ()),
        ("\\" * 200_000, "\\" * 100_000 + "a", ()),
        ("~`" * 100_000, "~`" * 50_000 + "b", ()),
        ("\u00ad*\\ " * 50_000, "a" + "\u00ad*\\ " * 20_000 + "b", ()),
        ("\\theta\t" * 20_000, "\theta" * 10_000, ()),
        ("a " * 100_000, "A", tuple((at, at + 1) for at in range(0, 20_000, 2))),
    ],
)
def test_what_is_found_in_200_kb_lies_within_it_and_is_not_taken(
    response,
    excerpt,
    taken,
):
    for start, end in Finder(response).find_parts(excerpt, taken):
        assert 0 <= start < end <= len(response)
        assert (start, end) not in taken


def test_what_people_quote_of_real_markdown_is_found(shared):
    field = (shared / "data" / "field" / "marked_response.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in field.splitlines()]
    responses = {line["id"]: line["response"] for line in lines}
    quoted = {
        "nbsp": 'Preis beträgt 4,90 € - "inklusive" Versand',
        "nfd": "xuất tiếng Việt cho",
        "bold": "The answer is 42, and the author is Adams",
        "shy": "Donaudampfschifffahrt ist ein",
        "rtl": "هذا هو الجواب الصحيح على",
        "cjk": "42。作者是亚当斯(Adams)",
        "nbhy": "state-of-the-art method wins by 3-to-1",
    }
    assert [key for key in quoted if not found(responses[key], quoted[key])] == []


words = st.lists(
    st.sampled_from(
        [
            *("BCL2", "is", "é", "e\u0301", "“x”", "**bold**", "𝒜", "x\u0302", "—"),
            *("so\u00adft", "`42`", "~~no~~", r"\"x\"", "a\u200fb", "４", r"\theta"),
        ],
    ),
    min_size=1,
)


@given(words, st.data())
def test_every_stretch_of_words_is_found_however_it_is_folded(said, data):
    response = "  ".join(said)
    start = data.draw(st.integers(0, len(said) - 1))
    stretch = said[start : data.draw(st.integers(start + 1, len(said)))]
    excerpt = unicodedata.normalize(
        "NFD",
        "\n".join(stretch).swapcase().replace("*", "").replace("“", '"'),
    )
    place = Finder(response).find(excerpt)
    assert place
    assert Finder(response[place[0] : place[1]]).find(excerpt)


@pytest.mark.parametrize("between", [" ", "  ", " * ", " ** "])
def test_a_backslash_of_a_command_is_no_escape_behind_blanks(between):
    response = f"BCL2{between}\\theta"
    assert Finder(response).find("bcl2 \\THETA") == (0, len(response))
    assert Finder(response).find("\\THETA") == (len(response) - 6, len(response))


@given(st.text(max_size=60), st.data())
def test_every_slice_without_space_round_it_is_found_verbatim(response, data):
    start = data.draw(st.integers(0, len(response)))
    excerpt = response[start : data.draw(st.integers(start, len(response)))].strip()
    place = Finder(response).find(excerpt)
    assert place is None if not excerpt else response[slice(*place)] == excerpt


# -- what is wrong with a table -------------------------------------------------------------------


def told(faults):
    return [(fault.path, fault.wrong) for fault in faults]


def test_a_list_of_texts_is_told_where_it_is_none_and_where_it_holds_others():
    assert (
        told(text_faults({}, "tp")) == told(text_faults({"tp": ["gene"]}, "tp")) == []
    )
    (wrong,) = told(text_faults({"tp": "gene"}, "tp"))
    assert wrong[0] == ("tp",)
    assert wrong[1].startswith("must be a list of texts, not")
    assert [path for path, _ in told(text_faults({"tp": ["gene", 4, []]}, "tp"))] == [
        ("tp", 1),
        ("tp", 2),
    ]


@pytest.mark.parametrize(
    ("item", "wrong"),
    [
        ({}, []),
        ({"start": 0, "end": 4}, []),
        ({"start": 0}, ["must both be whole numbers"]),
        ({"start": True, "end": 4}, ["must both be whole numbers"]),
        ({"start": 2, "end": 5}, ["mark no part of a response of 4 characters"]),
        ({"start": 2, "end": 2}, ["mark no part"]),
    ],
)
def test_offsets_have_to_mark_a_part_of_the_response(item, wrong):
    found = told(span_faults(item, GENE))
    assert [path for path, _ in found] == [("start",)] * len(wrong)
    assert all(
        part in sentence for part, (_, sentence) in zip(wrong, found, strict=True)
    )


def test_faults_of_an_item_say_which_of_the_items_it_is():
    table = {"items": [{}, 4, {"start": 9, "end": 12, "strat": 1}]}
    found = item_faults(table, ("start", "end"), lambda item: span_faults(item, GENE))
    assert [path for path, _ in told(found)] == [
        ("items", 1),
        ("items", 2, "start"),
        ("items", 2, "strat"),
    ]
    assert [path for path, _ in told(item_faults({"items": 4}, (), lambda _: []))] == [
        ("items",),
    ]
