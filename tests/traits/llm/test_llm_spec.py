"""An LLM trait means here what it means in Karenina: keys, defaults, rules, class indexes."""

from time import process_time

import pytest
from pydantic import ValidationError

from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.llm import KIND
from appellate.traits.llm.spec import LLMRubricTrait, RubricTrait, renew
from kind_examples import shown_in_manual

TONE = {"formal": "As in a letter", "plain": "As one talks", "rude": "Insults"}


def score(**given):
    return LLMRubricTrait(name="t", kind="score", **given)


def literal(**given):
    return LLMRubricTrait(name="t", kind="literal", classes=TONE, **given)


def wrong(**given):
    with pytest.raises(ValidationError) as failure:
        LLMRubricTrait(name="t", **given)
    return str(failure.value)


def test_every_class_that_karenina_saw_named_has_the_index_it_has_there(oracle):
    for case in oracle["literal_cases"]:
        trait = LLMRubricTrait(
            name="t",
            kind="literal",
            classes=dict.fromkeys(case["classes"], "d"),
        )
        assert trait.get_class_index(case["model_said"]) == case["outcome"][0]


def test_what_is_refused_is_told_with_what_would_be_right():
    assert 'the class "a" needs a description' in wrong(
        kind="literal",
        classes={"a": " ", "b": "B"},
    )
    assert "min_score (3) must be less than max_score (3)" in wrong(
        kind="score",
        min_score=3,
        max_score=3,
    )
    assert "there are 10001 scores, and at most 10000" in wrong(
        kind="score",
        min_score=0,
        max_score=10_000,
    )
    assert 'of kind "boolean", "score" or "literal" for each' in wrong(
        kind={"type": "template"},
    )
    assert "clases" in wrong(kind="boolean", clases=TONE)


def test_zero_is_a_legal_minimum_and_null_bounds_are_kareninas():
    assert list(score(min_score=0, max_score=2).values) == [0, 1, 2]
    assert (score(min_score=None).low, score(max_score=None).high) == (0, 5)
    assert (score().low, score().high) == (1, 5)


@pytest.mark.parametrize(
    ("trait", "legal", "illegal"),
    [
        (LLMRubricTrait(name="t", kind="boolean"), [True, False], [1, 0, "yes", None]),
        (score(min_score=0), [0, 5], [-1, 6, True, 2.0, "2", None]),
        (literal(), [0, 2], [-1, 3, True, "rude"]),
    ],
)
def test_a_value_is_a_bool_a_number_on_the_scale_or_a_class(trait, legal, illegal):
    assert all(trait.is_value(value) for value in legal)
    assert not any(trait.is_value(value) for value in illegal)


def test_a_verdict_is_told_in_words():
    boolean = LLMRubricTrait(name="t", kind="boolean")
    assert [boolean.describe(value) for value in (True, False, None)] == [
        "yes",
        "no",
        "",
    ]
    assert score().describe(3) == "3"
    assert literal().describe(2) == "rude"
    assert literal().describe(7) == "7"  # of an earlier version, which had more classes
    assert [trait.legal_values() for trait in (boolean, score(), literal())] == [
        "true or false",
        "a whole number from 1 to 5",
        "the index of a class, 0 to 2",
    ]


@pytest.mark.parametrize(
    ("description", "anchors"),
    [
        (
            "Rate from 1 (very verbose) to 5 (extremely concise).",
            {1: "very verbose", 5: "extremely concise"},
        ),
        (
            "1 = vague, no names, 3 = fair, 5 = full. Ignore greetings.",
            {1: "vague, no names", 3: "fair", 5: "full"},
        ),
        ("How clear?\n1: poor\n2: fair\n5: good", {1: "poor", 2: "fair", 5: "good"}),
        ("1 (Poor) → 2 (Fair) → 9 (beyond the scale)", {1: "Poor", 2: "Fair"}),
        ("1 - bad; 5 – good", {1: "bad", 5: "good"}),
        ("Clear? 1 = bad and 5 = good, or not", {1: "bad", 5: "good, or not"}),
        ("From 1 to 5. Give 2 (two) points for names.", {}),
        ("On a scale of 1-5, section 3.2: the tone", {}),
        (None, {}),
    ],
)
def test_scores_that_the_description_explains_are_found(description, anchors):
    assert score(description=description).anchors() == anchors


def test_a_gap_within_a_meaning_takes_no_time():
    gap = " " * 20_000
    began = process_time()
    meanings = score(description=f"1 = bad{gap}indeed, 5 = good").anchors()
    assert process_time() - began < 2
    assert meanings == {1: f"bad{gap}indeed", 5: "good"}


def test_any_number_of_joints_behind_a_meaning_takes_no_time():
    joints = "and, " * 20_000
    began = process_time()
    meanings = score(description=f"1 = bad {joints}5 = good").anchors()
    assert process_time() - began < 2
    assert meanings == {1: "bad", 5: "good"}


def test_only_a_scale_has_anchors():
    assert (
        LLMRubricTrait(name="t", kind="boolean", description="1 (a) to 5 (b)").anchors()
        == {}
    )


def test_a_trait_is_written_with_what_differs_from_the_defaults():
    assert literal().to_file() == {"name": "t", "kind": "literal", "classes": TONE}
    assert literal().sha256() == literal().sha256() != score().sha256()


def test_a_judge_is_asked_the_same_where_only_the_direction_or_an_unused_key_changed():
    assert (
        score().asked()
        == score(
            higher_is_better=False,
            summary="s",
            deep_judgment_enabled=True,
        ).asked()
    )
    assert score().asked() != score(min_score=0).asked()
    assert score().asked() != score(include_ground_truth=True).asked()
    assert score().asked() != score(deep_judgment_max_excerpts=2).asked()
    no_excerpts = score(deep_judgment_max_excerpts=0).asked()
    assert (
        no_excerpts
        == score(deep_judgment_excerpt_enabled=False).asked()
        != score().asked()
    )
    boolean = LLMRubricTrait(name="t", kind="boolean")
    assert (
        boolean.asked()
        == boolean.model_copy(update={"classes": TONE, "min_score": 0}).asked()
    )


def test_a_judge_is_asked_otherwise_where_a_class_means_something_else():
    other = literal().model_copy(update={"classes": {**TONE, "rude": "Swears"}})
    assert not KIND.asked.asks_the_same(literal(), other)
    assert KIND.asked.asks_the_same(literal(), literal(higher_is_better=False))
    assert score(classes=TONE).class_names == []


def test_classes_of_another_kind_are_noted():
    assert score(deep_judgment_enabled=True, deep_judgment_max_excerpts=2).notes() == []
    assert score(classes=TONE).notes() == ["is score, so its classes are ignored"]


def test_old_spellings_are_noted_and_written_back_in_the_form_of_today():
    old = {
        "traits": [{"name": "a", "kind": "binary"}],
        "llm_traits": [{"name": "b", "kind": "binary"}],
    }
    loaded = parse_rubric(old, "r.toml")
    both = [{"name": "b", "kind": "boolean"}, {"name": "a", "kind": "boolean"}]
    assert sorted(loaded.usable().to_file()["llm_traits"], key=str) == sorted(
        both,
        key=str,
    )
    assert sorted(loaded.notes) == [
        'r.toml: llm_traits[0]: kind = "binary" is called "boolean" now',
        'r.toml: traits[0]: [[traits]] is called [[llm_traits]] now; kind = "binary" is called "boolean" now',
    ]


def test_binary_is_boolean_in_python_too():
    made = RubricTrait(name="t", kind="binary")
    assert isinstance(made, LLMRubricTrait)
    assert made.to_file() == {"name": "t", "kind": "boolean"}
    assert made.sha256() == LLMRubricTrait(name="t", kind="boolean").sha256()
    with pytest.raises(ValidationError, match="kind"):
        RubricTrait(name="t", kind="binry")


def test_what_is_of_today_is_left_as_it_is():
    assert renew("llm_traits", {"name": "a", "kind": "score"}) == (
        {"name": "a", "kind": "score"},
        "",
    )
    assert renew("llm_traits", {"kind": 3}) == ({"kind": 3}, "")


def test_faults_of_a_rubric_name_their_place():
    table = {
        "llm_traits": [
            {"name": "a", "kind": "literal"},
            {"name": "b", "kind": "score", "max_scor": 3},
        ],
    }
    told = [str(problem) for problem in parse_rubric(table, "r.toml").problems]
    assert told == [
        'r.toml: llm_traits[0]: a trait of kind "literal" needs classes: a table of names and descriptions',
        'r.toml: llm_traits[1].max_scor: there is no key "max_scor"; did you mean "max_score"?',
    ]


def test_the_traits_that_the_manual_shows_are_traits_with_every_key_that_means_something():
    traits = [LLMRubricTrait(**table) for table in shown_in_manual("llm_traits")]
    keys = {key for trait in traits for key in trait.model_fields_set}
    unused = {
        key for key in LLMRubricTrait.model_fields if key.startswith("deep_judgment_")
    } - keys
    of_conversations = {"longest_result"}
    assert keys | unused | of_conversations | {"summary"} == set(
        LLMRubricTrait.model_fields,
    )
    assert [list(trait.notes()) for trait in traits] == [[], []]
    assert list(traits[0].anchors()) == [1, 5]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kind": "boolean"}, ["bare"]),
        ({"kind": "boolean", "description": "Does it warn of warfarin?"}, []),
        ({"kind": "boolean", "description": "Is it at most 100 words?"}, ["format"]),
        (
            {"kind": "boolean", "description": "Warns of it and explains why?"},
            ["compound"],
        ),
        (
            {"kind": "score", "description": "How sufficient is it?"},
            ["vague", "anchors"],
        ),
        ({"kind": "score", "description": "1 = no step, 5 = every step in order"}, []),
        ({"kind": "score", "description": "15 is the limit; 51 is not"}, ["anchors"]),
        (
            {
                "kind": "literal",
                "description": "Who speaks?",
                "classes": {"a": "A", "b": "B"},
            },
            [],
        ),
    ],
)
def test_a_description_is_weak_by_its_words_and_a_scale_by_ends_without_them(
    given,
    expected,
):
    trait = LLMRubricTrait(name="x", **given)
    assert [one.id for one in KIND.weaknesses(trait)] == expected


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Does the answer mention BCL2?", ["keyword"]),
        ("The answer must mention BH3 proteins (how it works)", ["keyword"]),
        ('Does it contain "on an empty stomach"?', ["keyword"]),
        ("The response uses the word venetoclax", ["keyword"]),
        ("Is the answer good?", ["vague"]),
        ("How good is the response?", ["vague"]),
        ("Does the answer contain citations?", []),
        ("Is the tone professional?", []),
        ("Does the answer include any mention of safety concerns or warnings?", []),
        ("Does the answer include the DNA test's result?", []),
        ("Is the advice good for a patient with asthma?", []),
        ("The first sentence of the answer should be a summary of the answer.", []),
    ],
)
def test_a_question_of_yes_and_no_is_weak_where_it_looks_for_words_or_for_nothing_named(
    description,
    expected,
):
    trait = LLMRubricTrait(name="T", kind="boolean", description=description)
    assert [one.id for one in KIND.weaknesses(trait)] == expected


def test_the_name_alone_may_be_a_keyword_and_a_score_is_never_one():
    assert [
        one.id
        for one in KIND.weaknesses(LLMRubricTrait(name="Mentions BCL2", kind="boolean"))
    ] == [
        "bare",
        "keyword",
    ]
    score = LLMRubricTrait(
        name="T",
        kind="score",
        description="1 = no, 5 = it mentions BCL2",
    )
    assert not list(KIND.weaknesses(score))


@pytest.mark.parametrize("typed", ["", "  ", "3"])
def test_a_score_or_nothing_may_be_typed(typed):
    assert score().fault(typed) == ""


@pytest.mark.parametrize("typed", ["9", "three"])
def test_what_is_typed_and_is_no_score_is_told(typed):
    assert score().fault(typed)
