"""What a person can say of a draw, line by line."""

from textwrap import wrap

from appellate.app.sample import SampleForm, expected_text
from appellate.core.design_facts import Sample, Sampled, SampleStratum
from appellate.store.samples.sample_plans import STANDING_OUT, ExpectedWidth, SampleWish

PANEL = ["model", "disagreement"]


def said(form: SampleForm) -> list[tuple[str, str]]:
    return [(line.name, line.value) for line in form.lines]


def test_where_audits_are_too_few_no_interval_wider_than_the_number_is_expected() -> (
    None
):
    rare = [ExpectedWidth("Rare", "recall", 3.0, 20.0, 100)] * 5
    tall = ExpectedWidth("Tall", "score", 3.0, 20.0, 100, range=40)
    lines = list(expected_text([tall, *rare], 20, 70))
    assert "score  ± " in lines[2]
    assert lines[3].endswith("recall  too few to say")
    assert lines[-1] == "  and 2 traits more: appellate sample AUDIT --power"
    assert list(expected_text(rare, 20, 70))[-1].startswith("  and 1 trait more")


def test_a_first_draw_is_of_sixty_simple_and_blind() -> None:
    form = SampleForm([], 1000, None)
    assert said(form) == [
        ("Draw", "60"),
        ("Group by", "nothing"),
        ("Judge", "hidden"),
        ("Seed", "1"),
    ]
    assert form.wish == SampleWish(60)
    assert SampleForm([], 21, None).wish.n == 21


def test_arrows_go_through_what_a_line_may_say() -> None:
    form = SampleForm(PANEL, 1000, None)
    form.turn(0, 1)
    form.turn(2, 1)
    form.turn(3, 1)
    assert form.wish == SampleWish(70, seed=2, blind=False)
    ways = []
    for _ in range(3):
        form.turn(1, 1)
        ways.append((form.lines[1].value, form.wish.by))
    assert ways == [
        ("model", ("model",)),
        ("disagreement", ("disagreement",)),
        ("nothing", ()),
    ]


def test_the_largest_are_offered_whole_where_some_stand_out() -> None:
    form = SampleForm(["model"], 1000, None, offers_whole=True)
    ways = []
    for _ in range(3):
        form.turn(1, 1)
        ways.append((form.lines[1].value, form.wish.by, form.wish.giants))
    assert ways == [
        ("model", ("model",), None),
        ("largest", (), STANDING_OUT),
        ("nothing", (), None),
    ]


def test_digits_take_the_place_of_a_number_and_go_on_within_what_there_is() -> None:
    form = SampleForm([], 1000, None)
    sizes = []
    for digit in ("8", "5", "", "0000"):
        assert form.type(0, digit)
        sizes.append(form.wish.n)
    assert sizes == [8, 85, 8, 1000]
    assert form.type(3, "7")
    assert form.wish.seed == 7
    assert not form.type(1, "7")


def test_to_a_sample_only_so_many_are_added() -> None:
    last = Sampled("simple", [], 1, True, 100, "", "100a", [], [])
    sample = Sample(last, [SampleStratum("all", 100, 90, 0.9)], [])
    form = SampleForm(PANEL, 120, sample)
    assert said(form) == [("Add", "40")]
    form.turn(0, 30)
    assert form.wish.n == 100


def test_every_choice_is_explained_in_sentences_that_fit() -> None:
    form = SampleForm(PANEL, 1000, None)
    told = set()
    for line in range(4):
        for _ in range(4):
            told.add(form.lines[line].why)
            form.turn(line, 1)
    assert len(told) == 1 + 3 + 2 + 1
    assert all(len(wrap(why, 70)) <= 2 for why in told)


def drawn_sample(drawn: int, frame: int) -> Sample:
    """A sample of a first draw that nobody gave a name, seed 4, in sight of the judge."""
    strata = [{"name": "all", "units": frame, "drawn": drawn}]
    last = Sampled("simple", [], 4, False, frame, "", f"{frame}a", strata, [])
    return Sample(
        last,
        [SampleStratum("all", frame, drawn, drawn / frame)],
        [None] * drawn,
    )


def test_what_is_new_is_offered_as_a_wave_by_another_seed_ruled_on_alike() -> None:
    form = SampleForm(PANEL, 200, drawn_sample(40, 120), new=80)
    assert said(form) == [("From", "what is new"), ("Draw", "60"), ("Seed", "5")]
    assert form.wish == SampleWish(60, seed=5, blind=False, wave="wave 2")
    form.turn(1, 5)
    assert form.wish.n == 80, "no more than there are"
    assert not form.type(0, "3")
    form.turn(0, 1)
    assert said(form) == [("From", "the last draw"), ("Add", "40")]
    assert not form.wish.wave
    form.turn(0, 1)
    assert form.wish.wave == "wave 2"


def test_a_draw_that_has_nothing_left_leaves_only_what_is_new() -> None:
    form = SampleForm([], 200, drawn_sample(120, 120), new=80)
    form.turn(0, 1)
    assert form.wish.wave == "wave 2"
