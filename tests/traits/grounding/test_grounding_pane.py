"""A grounding cell on the screen: two texts, what links them, and the keys that correct it."""

import pytest
from grounding_cells import CLAIMS, sample, verdicts

from app.review_stage import LEAST, NARROW, WIDE, both_sizes, sitting
from appellate.core.deciding import Draw
from appellate.ui.contract import READS_ONLY
from partly import partly_quick_sizes
from ui.ui_stage import lines_of


def labels(at):
    return at.cell.labels


def keys(at, claim):
    return labels(at).of(claim).keys


def rows(lines):
    return [" ".join(line.split()) for line in lines_of(lines) if line.strip()]


def response(at):
    """The evidence of the response: its words in each style, the selected ones last."""
    spans = at.screen.response.page.spans.in_order
    text = at.screen.response.page.text
    found = {}
    for span in spans:
        found.setdefault(span.style_key, []).append(span.mark)
        if span.selected:
            found["selected"] = text[span.start : span.end]
    return found


async def test_in_a_blind_cell_a_sentence_that_is_answered_gives_way_to_the_next_that_is_open(
    tmp_path,
):
    async with sitting(tmp_path, sample(), size=NARROW) as at:
        at.bench.do(1, Draw(True))
        at.screen.objects.navigation.open(1)
        await at.press("1", "3")
        assert verdicts(at.cell)["a"] == "full"
        assert verdicts(at.cell)["b"] == "none"
        assert at.screen.pane.items.claim == "c"
        await at.press("k", "2")
        assert at.screen.pane.items.claim == "b", "one that is answered otherwise stays"
        await at.press("a")
        assert at.said.startswith("Not ruled on yet: c, d")


# -- what is shown ----------------------------------------------------------------------------------


async def test_every_sentence_of_the_response_has_its_verdict_and_each_of_the_documents_its_marks(
    tmp_path,
):
    async with sitting(tmp_path, sample(), size=(140, 90)) as at:
        assert verdicts(at.cell) == CLAIMS
        told = at.words("#claims")
        assert (
            "+ fully supported by 0a judge: Says what 0a says. 0a SGLT2 inhibitors block"
            in told
        )
        assert "c In the large trials" in told
        assert "! not supported" in told
        assert "½ partly supported by 1d" in told
        assert "fully supported · general statement" in told
        assert "judge: all of it is supported: The answer follows" in at.words(
            "#overall",
        )
        assert "? Overall the judge says that all is supported, but c, f are not." in (
            at.words("#breaches")
        )
        assert at.words("#relevance").startswith("judge: The first abstract explains")
        told = rows(at.screen.pane.items.sources)
        assert told[0] == "Document 0 · [1] tubule 4 R 3 U of 4"
        assert told[1].startswith("▸◂ 0a RU SGLT2 inhibitors block")
        assert told[1].endswith("◂ a")
        assert any(line.startswith("1b R In each of them") for line in told)
        assert any(line.startswith("? 3c U Most people") for line in told)
        assert "? 3c is utilized, but not relevant." in told


async def test_the_claim_and_what_it_rests_on_are_seen_in_both_texts_and_l_and_h_go_between(
    tmp_path,
):
    async with sitting(tmp_path, sample()) as at:
        await at.press("j")
        assert response(at)["selected"].startswith("The extra sodium")
        assert response(at)["fp"] == ["!ᶜ"]
        assert response(at)["fn"] == ["½ᶠ"]
        texts = at.screen.pane.items
        await at.press("l")
        assert (texts.source, at.named("sources")) == ("0b", True)
        await at.press("l")
        assert texts.source == "0c"
        await at.press("l", "h")
        assert (texts.claim, texts.source, at.named("claims")) == ("b", "0b", True)
        await at.press("j", "l")
        assert "c is linked to no sentence yet" in at.said
        await at.press("tab", "k", "h")
        assert (texts.claim, at.named("claims")) == ("a", True)

        await at.press("j", "K")
        material = at.screen.objects.parts.material
        assert material.chosen == "documents"
        linked = [span for span in material.page.spans.in_order if span.selected]
        assert [span.mark for span in linked] == ["⁰ᵇᴿᵁ", "⁰ᶜᴿᵁ"]
        assert [span.style_key for span in linked] == ["evidence", "evidence"]
        await at.press("tab", "j")
        linked = [span for span in material.page.spans.in_order if span.selected]
        assert linked == []


# -- corrections ------------------------------------------------------------------------------------


@both_sizes
async def test_one_key_overrules_a_verdict_and_the_numbers_follow_and_u_takes_it_back(
    tmp_path,
    size,
):
    async with sitting(tmp_path, sample(), size=size) as at:
        await at.press("j", "j", "1")
        assert verdicts(at.cell)["c"] == "full"
        assert at.place == ("response", 2)
        assert "was not supported" in at.words("#claims")
        assert "6/7 supported" in at.text
        await at.press("2")
        assert verdicts(at.cell)["c"] == "partial"
        await at.press("u", "u")
        assert verdicts(at.cell) == CLAIMS
        assert at.state == "proposed"


async def test_the_frame_tells_what_relevance_divides_by_and_a_verdict_turned_back_has_what_it_rested_on(
    tmp_path,
):
    async with sitting(tmp_path, sample()) as at:
        counts = str(at.screen.pane.sources.border_title)
        relevance = at.numbers["relevance"]
        marked, _, denominator = counts.rpartition(" Rel ")[2].partition("/")
        assert int(marked) / int(denominator) == relevance
        assert counts.startswith(f"Documents {marked} ")
        foot = str(at.screen.pane.border_subtitle)
        assert foot == "◂ supports  R relevant  U utilized"

        await at.press("j", "space")
        assert "↑ changed by you" in str(at.screen.pane.border_subtitle)
        assert (verdicts(at.cell)["b"], keys(at, "b")) == ("none", ())
        before = at.facts
        await at.press("space")
        assert (verdicts(at.cell)["b"], keys(at, "b")) == ("full", ("0b", "0c"))
        assert at.facts == before + 3
        await at.press("u")
        assert verdicts(at.cell)["b"] == "none"
        await at.press("j", "space")
        assert (verdicts(at.cell)["c"], keys(at, "c")) == ("full", ())


async def test_what_a_verdict_of_one_trait_rested_on_is_not_given_to_another_trait(
    tmp_path,
):
    rubric, traces, happened = sample()
    of_first = rubric.questions[0].grounding_traits[0]
    second = of_first.model_copy(update={"name": "Second Grounding"})
    question = rubric.questions[0].model_copy(
        update={"grounding_traits": [of_first, second]},
    )
    both = rubric.model_copy(update={"questions": [question]})
    scene = both, traces[:1], happened[:1]
    async with sitting(tmp_path, scene, size=WIDE) as at:
        await at.press("j", "space")
        assert (verdicts(at.cell)["b"], keys(at, "b")) == ("none", ())
        at.screen.objects.navigation.open(2)
        await at.press("j", "space")
        assert at.cell.subject.trait.name == "Second Grounding"
        assert (verdicts(at.cell)["b"], keys(at, "b")) == ("full", ())


@pytest.mark.slow
@both_sizes
async def test_a_claim_is_linked_by_typing_keys_and_unlinked_by_typing_them_again(
    tmp_path,
    size,
):
    async with sitting(tmp_path, sample(), size=size) as at:
        await at.press("j", "j", "i")
        await at.type("1b")
        await at.press("enter")
        assert (verdicts(at.cell)["c"], keys(at, "c")) == ("full", ("1b",))
        assert "1b" in labels(at).utilized
        assert at.screen.pane.items.source == "1b"
        before = at.numbers
        await at.press("i")
        await at.type("1c, 1d")
        await at.press("enter")
        assert keys(at, "c") == ("1b", "1c", "1d")
        assert at.numbers == before
        await at.press("u")
        assert keys(at, "c") == ("1b",)
        await at.press("i")
        await at.type("1b")
        await at.press("enter")
        assert keys(at, "c") == ()
        assert "by no sentence" in at.words("#claims")


async def test_keys_of_no_sentence_change_nothing_and_special_ones_are_words(tmp_path):
    async with sitting(tmp_path, sample()) as at:
        await at.answer("i", text="9z 0b")
        assert "Nothing matches what you typed" in at.text
        await at.press("escape")
        assert keys(at, "a") == ("0a",)
        await at.answer("i", text="calculating")
        assert keys(at, "a") == ("0a", "numerical_reasoning")
        assert "by 0a · follows by calculating" in at.words("#claims")


async def test_enter_lists_what_can_be_done_in_either_text_and_who_only_reads_corrects_nothing(
    tmp_path,
):
    async with sitting(tmp_path, sample()) as at:
        await at.press("enter")
        assert "it is not supported: a hallucinated claim" in at.text
        await at.press("escape", "tab")
        assert "it does not support claim a" in await at.shows("enter")
        await at.type("not relevant")
        await at.press("enter")
        assert "0a" not in labels(at).relevant
        await at.press("u")
    async with sitting(tmp_path, readonly=True) as at:
        for key in ("3", "space", "i", "tab", "4"):
            await at.press(key)
            assert at.said in ("", READS_ONLY)
        assert verdicts(at.cell) == CLAIMS
        await at.press("!")
        assert at.said.startswith("Sent 2")


@pytest.mark.slow
async def test_in_the_documents_space_links_the_sentence_to_the_claim_in_sight(
    tmp_path,
):
    async with sitting(tmp_path, sample()) as at:
        texts = at.screen.pane.items
        await at.press("j", "j", "tab")
        texts.go_to("1b")
        await at.press("space")
        assert keys(at, "c") == ("1b",)
        assert (texts.source, texts.claim, at.named("sources")) == ("1b", "c", True)
        await at.press("space")
        assert keys(at, "c") == ()
        await at.press("i")
        await at.type("d")
        await at.press("enter")
        assert keys(at, "d") == ("1b", "1c")


@pytest.mark.slow
@both_sizes
async def test_relevant_and_utilized_are_one_key_each_and_several_marked_are_one_act(
    tmp_path,
    size,
):
    async with sitting(tmp_path, sample(), size=size) as at:
        texts = at.screen.pane.items
        await at.press("4")
        assert "Tab goes to the documents" in at.said
        await at.press("tab")
        texts.go_to("2a")
        relevance = at.numbers["relevance"]
        await at.press("4")
        assert "2a" not in labels(at).relevant
        assert at.numbers["relevance"] < relevance
        assert "was relevant" in at.words("#sources")
        assert texts.source == "2a"
        await at.press("5")
        assert "2a" in labels(at).utilized
        await at.press("x", "x", "4")
        assert {"2a", "2b"} <= set(labels(at).relevant)
        await at.press("u")
        assert not {"2a", "2b"} & set(labels(at).relevant)
        await at.press("escape")
        assert not texts.sources.marked


async def test_where_the_documents_have_no_sentence_keys_on_them_say_so(tmp_path):
    rubric, traces, _ = sample()
    bare = traces[0].model_copy(update={"documents": None})
    async with sitting(tmp_path, (rubric, [bare], [[]])) as at:
        await at.press("tab")
        for key in ("4", "5", "space"):
            await at.press(key)
            assert at.said == "The documents have no sentence here."
            await at.press("escape")
        await at.press("x")
        assert at.said == "There is no item here to mark."


async def test_the_claims_that_are_not_supported_are_a_list_that_one_key_copies(
    tmp_path,
):
    async with sitting(tmp_path, sample()) as at:
        await at.press("!")
        assert at.app.clipboard == (
            "- In the large trials fewer people lost kidney function or needed dialysis.\n"
            "- Expect a small early dip of the eGFR, which is gone after two weeks. (partly supported)"
        )
        assert at.said.startswith("Sent 2 unsupported claims")
        await at.press("t")
        texts = at.screen.pane.items
        assert [sentence.key for sentence in texts.claims.every] == ["c", "f"]
        await at.press("1")
        assert [sentence.key for sentence in texts.claims.every] == ["f"]
        await at.press("1")
        assert "every sentence is supported" in at.words("#claims")
        await at.press("!")
        assert "nothing to copy" in at.said
        await at.press("t")
        assert len(texts.claims.every) == len(CLAIMS)


@pytest.mark.slow
async def test_a_cell_that_nobody_judged_is_answered_by_hand_sentence_by_sentence(
    tmp_path,
):
    async with sitting(tmp_path, sample(), at=3) as at:
        assert "Not judged yet" in at.words("#overall")
        assert "○ not labelled" in at.words("#claims")
        await at.press("i")
        await at.type("0b")
        await at.press("enter", "j", "1", "j", "3")
        assert verdicts(at.cell) == {"a": "full", "b": "full", "c": "none"}
        assert at.state == "corrected"
        await at.press("a")
        assert "b is said to be fully supported, by no sentence." in at.said
        await at.press("a")
        assert at.bench.workspace.totals()["state:reviewed"] == 1


async def test_a_sentence_that_the_judge_left_out_is_said_to_be_so(tmp_path):
    async with sitting(tmp_path, sample(), at=2) as at:
        await at.press("j")
        assert "? b is not labelled" in at.words("#claims")
        assert "○ᵇ" in response(at)["evidence"]


# -- around it --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size",
    partly_quick_sizes([LEAST, NARROW, (100, 30), (200, 60)], 2),
    ids=str,
)
async def test_both_texts_are_there_at_every_size(tmp_path, size):
    async with sitting(tmp_path, sample(), size=size) as at:
        assert "5/7 supported" in at.text
        await at.press("l")
        assert at.screen.pane.items.sources.size.height > 0
        assert "0a RU" in at.words("#sources")


async def test_a_click_goes_to_a_claim_from_the_response_and_to_the_other_text_by_its_tab(
    tmp_path,
):
    async with sitting(tmp_path, sample(), size=NARROW) as at:
        await at.pilot.click("#response", offset=(30, 4))
        assert at.place[0] == "response"
        await at.pilot.click("#tabs", offset=(30, 0))
        assert at.place[0] == "documents"


async def test_of_a_corrected_cell_it_is_told_how_near_it_is_to_the_judge(tmp_path):
    async with sitting(tmp_path, sample(), at=4, size=WIDE) as at:
        assert "off judge" not in at.text
        await at.press("3")
        assert "1/2 supported" in at.text
        assert ".50 off judge's" in at.text
