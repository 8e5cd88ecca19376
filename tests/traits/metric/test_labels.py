"""A judge's table becomes labels, and labels become a table."""

from appellate.traits.metric.labels import (
    Item,
    Labels,
    from_table,
    located,
    to_lists,
    to_rows,
)
from cells import (
    EXPECTED,
    GENE,
    HINTS,
    PLACE,
    RESPONSE,
    TRACE,
    checklist,
    item,
    marks,
    matrix,
    table,
    trace,
)

FULL, ONLY = matrix(), checklist()


def read(trait, given, response=RESPONSE) -> Labels:
    about = trace(response=response)
    return from_table(trait, about, located(trait, about, given))


def test_a_hit_replaces_the_text_by_the_exact_slice_and_the_judges_wording_stays_in_its_table():
    given = table(tp=["bcl2  IS an *anti-apoptotic* gene"])
    found = located(FULL, TRACE, given)
    assert found["tp"] == given["tp"]
    assert from_table(FULL, TRACE, found).tp == (item(GENE),)


def test_what_is_not_found_keeps_its_words_and_has_no_place():
    assert read(FULL, table(tp=["BCL3"])).tp == (Item("BCL3"),)


def test_an_ellipsis_becomes_two_items_of_one_instruction():
    rows = [{"bucket": "tp", "index": 0, "instruction": 2, "rationale": "both"}]
    found = read(FULL, table(tp=["BCL2 is … survive"]) | {"items": rows})
    assert [(one.text, one.link, one.rationale) for one in found.tp] == [
        ("BCL2 is", ("tp", 2), "both"),
        ("survive", ("tp", 2), "both"),
    ]
    assert read(FULL, to_lists(found) | {"items": to_rows(found)}) == found


def test_an_fp_that_is_worded_as_a_hint_links_to_it():
    assert marks(read(FULL, table(fp=[HINTS[1]]))) == {"fp": ["~2"]}
    assert marks(read(ONLY, table(fp=[HINTS[0], EXPECTED[1]]))) == {"fp": ["~1", 2]}


def test_an_instruction_without_its_list_is_of_the_list_that_its_bucket_is_about():
    rows = [
        {"bucket": name, "index": 0, "instruction": 1}
        for name in ("tp", "fn", "fp", "tn")
    ]
    given = table(tp=[GENE], fn=["x"], fp=[PLACE], tn=["y"]) | {"items": rows}
    assert marks(read(FULL, given)) == {"tp": [1], "fn": [1], "fp": [-1], "tn": [-1]}
    assert marks(read(ONLY, given))["fp"] == [1]


def test_a_place_recorded_later_is_not_taken_by_an_item_before_it():
    rows = [{"bucket": "tp", "index": 1, "start": 0, "end": 4}]
    found = read(FULL, table(tp=["gene", "gene"]) | {"items": rows}, "gene or gene")
    assert [one.span for one in found.tp] == [(8, 12), (0, 4)]


def test_an_item_says_only_what_is_known_of_it():
    assert Item("x").detail() == {}
    assert Item("x", of="tp", instruction=1, rationale="why").detail() == {
        "of": "tp",
        "instruction": 1,
        "rationale": "why",
    }
    assert Item("x", of="tp").link is None
    assert Item("x", start=3).span is None


def test_hundreds_of_equal_excerpts_take_all_the_places_there_are():
    found = read(FULL, table(fp=["A"] * 500), "a " * 300)
    assert len({one.span for one in found.fp}) == 300
