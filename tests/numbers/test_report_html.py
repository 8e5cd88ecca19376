"""The HTML report: one whole file, in which nothing that a trace says is more than text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report_stage import EVIL, TAME, Read, compared, lived, long_lived

from appellate.app.numbers.session import spread
from appellate.core.inert import spelled_out
from appellate.core.scale import NO_BOUND
from appellate.numbers.formatting import LIST
from appellate.numbers.html import POLICY, Markup, element, html, together
from appellate.numbers.report import Report, report
from appellate.ui.marks import ASCII

OURS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "nav",
        "section",
        "details",
    ),
    *(
        "summary",
        "h1",
        "h2",
        "p",
        "pre",
        "a",
        "bdi",
        "strong",
        "div",
        "table",
        "thead",
        "tbody",
    ),
    *("tr", "th", "td", "ol", "li", "figure", "figcaption", "span", "i"),
    *("svg", "desc", "g", "rect", "text", "line"),
}
nasty = st.text(
    st.sampled_from("<>&\"'/=!-[]x \n\t\x00\x1b\u202e\u2028ا👩\u200d`")
    | st.characters(codec="utf-8"),
)


@pytest.fixture(scope="module")
def tame(tmp_path_factory) -> Report:
    return report(lived(tmp_path_factory.mktemp("tame"), TAME))


@pytest.fixture(scope="module")
def evil(tmp_path_factory) -> Report:
    return report(lived(tmp_path_factory.mktemp("evil"), EVIL))


def test_hostile_texts_make_no_element_and_no_attribute(tame, evil):
    assert Read(html(evil)).elements == Read(html(tame)).elements


def test_every_element_is_one_of_ours(evil):
    assert {tag.removeprefix("/") for tag, _ in Read(html(evil)).elements} <= OURS


def test_every_element_is_closed(evil):
    open_ones = []
    for tag, _ in Read(html(evil)).elements:
        if tag.startswith("/"):
            assert open_ones.pop() == tag.removeprefix("/")
        elif tag != "meta":
            open_ones.append(tag)
    assert open_ones == []


def test_no_attribute_runs_loads_or_comes_from_the_audit(evil):
    for _, attributes in Read(html(evil)).elements:
        for name, value in attributes:
            assert not name.startswith("on")
            assert name not in ("src", "style", "srcset", "action")
            assert "evil" not in value
            assert name != "href" or value.startswith("#")


def test_the_policy_stands_before_anything_that_it_could_forbid(evil):
    page = Read(html(evil))
    policy = dict(page.elements[3][1])
    assert policy == {"http-equiv": "Content-Security-Policy", "content": POLICY}
    assert POLICY == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert page.comments == [" appellate-report/2 "]


def test_what_the_trace_says_is_there_to_read_as_it_was(evil):
    words = "".join(Read(html(evil)).words)
    assert f"Look {spelled_out(EVIL)}" in words


def test_nothing_that_acts_or_hides_is_left(evil):
    page = html(evil)
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2028\u2066-\u2069\U000e0000-\U000e007f]",
        page,
    )


def test_every_anchor_is_there_once_and_every_link_finds_one(evil):
    attributes = [pair for _, pairs in Read(html(evil)).elements for pair in pairs]
    anchors = [value for name, value in attributes if name == "id"]
    assert len(anchors) == len(set(anchors))
    assert {value[1:] for name, value in attributes if name == "href"} <= set(anchors)
    assert {
        part
        for name, value in attributes
        if name == "aria-labelledby"
        for part in value.split()
    } <= set(anchors)


def test_every_picture_says_what_it_shows(tame):
    page = html(tame)
    assert page.count("<svg") == page.count("<desc") == 3
    assert "judge found, person missing: 1" in page
    assert "f1: signed 0.857, judge 0.750" in page
    assert "from 0.7: signed 0, judge 1; from 0.8: signed 1, judge 0" in page


def test_instructions_are_pictured_where_they_stand_in_several_cells():
    page = html(report(long_lived(40)))
    assert "States BCL2 is on chromosome 1: found 2, missing 0, overruled 0" in page


def test_a_scale_without_bounds_has_no_histogram(tame):
    assert "How many cells have which" in html(tame)
    told = unbounded(tame)
    assert "How many cells have which" not in html(told)
    assert len(spread(tame.traits, {}, 80, ASCII)) == len(tame.traits)
    assert spread(told.traits, {}, 80, ASCII) == []


def unbounded(of: Report) -> Report:
    """The report if no measure had an upper bound."""
    traits = []
    for trait in of.traits:
        measures = [replace(one, high=NO_BOUND) for one in trait.numbers.measures]
        numbers = replace(trait.numbers, measures=tuple(measures))
        traits.append(replace(trait, numbers=numbers))
    return replace(of, traits=tuple(traits))


def test_the_means_of_groups_are_drawn(tmp_path):
    grouped = report(compared(tmp_path), "model")
    page = html(grouped)
    assert "f1 by model, with the standard error" in page
    assert ">a<" in page
    assert ">b<" in page
    assert "e+15" not in html(unbounded(grouped))


def test_an_undone_correction_is_told_apart(tame):
    page = html(tame)
    assert page.count('<li id="act-') == 4
    assert page.count('class="undone"') == page.count("undone by") == 1


@pytest.fixture(scope="module")
def plain_elements(tame):
    act = replace(tame.corrections[0], did="x", reason="x", by="x")
    page = html(replace(tame, corrections=(act,), comments=(), rubric=TAME[:50]))
    return Read(page).elements


@pytest.mark.slow
@given(said=nasty)
def test_any_text_is_only_text(tame, plain_elements, said):
    act = replace(tame.corrections[0], did=said, reason=f"because {said}", by=said)
    page = Read(
        html(replace(tame, corrections=(act,), comments=(), rubric=TAME[:50] + said)),
    )
    assert of_any_length(page.elements) == of_any_length(plain_elements)


def of_any_length(elements):
    """Elements without the class that the cell of a long text has."""
    return [
        (name, str(attributes).replace("said long", "said"))
        for name, attributes in elements
    ]


def test_a_text_of_ten_megabytes_is_cut_and_that_is_said(tame):
    words = "word <b> " * (10_000_000 // 9)
    act = replace(tame.corrections[0], did=words, reason=words, by=words)
    page = html(replace(tame, corrections=(act,), rubric=words))
    assert len(page) < 60_000
    assert (
        f"… [{LIST:,} of {len(words):,} characters; --format json has them all]" in page
    )


def test_a_plain_str_is_escaped_and_markup_is_not():
    assert (
        element("p", "<b>", element("i", "&"), class_='"x"')
        == '<p class="&quot;x&quot;">&lt;b&gt;<i>&amp;</i></p>'
    )
    assert isinstance(together("<", Markup("<br>")), Markup)
    assert together("<", Markup("<br>")) == "&lt;<br>"
