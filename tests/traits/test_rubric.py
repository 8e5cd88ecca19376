"""What a rubric may hold, and what its traces get of it."""

import pytest
from pydantic import ValidationError

import all_kinds
from appellate.core.problem import Unusable
from appellate.core.trace import Trace
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Question, Rubric


def trait(name, **keys):
    return {"name": name, "metrics": ["f1"], "tp_instructions": ["a"]} | keys


def rubric(*names, questions=()):
    return Rubric(
        metric_traits=[trait(name) for name in names],
        questions=list(questions),
    )


def question(identity, *names, **keys):
    return {"id": identity, "metric_traits": [trait(name) for name in names]} | keys


def wrong(make):
    with pytest.raises(ValidationError) as refusal:
        make()
    return str(refusal.value)


@pytest.mark.parametrize(
    ("kind", "least"),
    [(LLMRubricTrait, 11), (RegexRubricTrait, 3)],
)
def test_every_trait_of_karenina_is_accepted_with_its_defaults_or_refused_alike(
    oracle,
    kind,
    least,
):
    cases = [
        case
        for case in oracle["other_trait_validation"]
        if case["cls"] == kind.__name__
    ]
    assert len(cases) >= least
    for case in cases:
        if case["outcome"]["accepted"] and "template" not in case["note"]:
            assert kind(**case["kwargs"]).model_dump() == case["outcome"]["dump"], case[
                "note"
            ]
        else:  # a trait with a template of its own is legal there, and told here to be three others
            with pytest.raises(ValidationError):
                kind(**case["kwargs"])


def only_metric(side):
    return side is None or side.keys() <= {"metric_traits"}


def test_rubrics_agree_with_karenina_as_far_as_metric_traits_go(oracle):
    cases = [
        c
        for c in oracle["rubric_validation"]
        if c["cls"] == "Rubric" and "llm_traits" not in c["kwargs"]
    ]
    assert len(cases) >= 4
    for case in cases:
        try:
            Rubric(**case["kwargs"])
        except ValidationError:
            assert not case["outcome"]["accepted"], case["note"]
        else:
            assert case["outcome"]["accepted"], case["note"]


def test_merging_global_and_question_traits_agrees_with_karenina(oracle):
    cases = [
        c
        for c in oracle["merge_cases"]
        if only_metric(c["global"]) and only_metric(c["question"])
    ]
    for case in cases:
        asked = {"id": "q", **(case["question"] or {})}
        try:
            made = Rubric(**(case["global"] or {}), questions=[asked])
        except ValidationError:
            assert not case["outcome"]["accepted"], case["note"]
        else:
            names = [t.name for _, t in made.traits_for(made.questions[0])]
            assert case["outcome"]["accepted"], case["note"]
            assert names == (case["outcome"]["names"] or [])


def test_an_empty_rubric_is_fine_in_python():
    assert Rubric().get_metric_trait_names() == []
    assert Rubric().to_file() == {}


def test_a_dot_in_a_name_is_refused_globally_and_in_a_question():
    assert '"a.b" has a dot' in wrong(lambda: rubric("a.b"))
    told = wrong(lambda: rubric(questions=[question("q", "c.d")]))
    assert 'questions[0].metric_traits[0].name: the name "c.d" has a dot' in told


def test_a_global_and_a_question_trait_never_share_a_name():
    told = wrong(lambda: rubric("x", questions=[question("q", "y", "x")]))
    assert (
        "questions[0].metric_traits[1].name: the global trait metric_traits[0] has the name"
        in told
    )


def test_two_questions_may_use_one_name():
    made = rubric("g", questions=[question("p", "x"), question("q", "x")])
    assert made.get_metric_trait_names() == ["g", "x"]


def test_names_differ_by_case():
    assert rubric("x", "X").get_metric_trait_names() == ["x", "X"]


def test_question_ids_and_texts_are_unique():
    told = wrong(
        lambda: rubric(
            questions=[question("q", question="?"), question("q", question="?")],
        ),
    )
    assert (
        'questions[1].id: another question has the id "q" already (questions[0].id)'
        in told
    )
    assert 'questions[1].question: another question asks "?" already' in told


def test_an_integer_question_id_becomes_text_and_true_does_not():
    assert Question(id=7).id == "7"
    assert "id" in wrong(lambda: Question(id=True))


def test_a_question_id_decides_alone():
    made = rubric(
        "g",
        questions=[
            question("p", "x", question="P?"),
            question("q", "y", question="Q?"),
        ],
    )
    trace = Trace(id="1", question_id="q", question="P?")
    assert [t.name for _, t in made.traits_for(made.question_of(trace))] == ["g", "y"]


def test_without_an_id_the_exact_text_decides():
    made = rubric(questions=[question("p", "x", question="P?")])
    assert made.question_of(Trace(id="1", question="P?")).id == "p"
    assert made.question_of(Trace(id="1", question="p?")) is None
    assert made.question_of(Trace(id="1")) is None
    assert made.question_of(Trace(id="1", question_id="nowhere", question="P?")) is None


def test_a_trace_without_a_question_gets_the_global_traits():
    made = rubric("g", questions=[question("p", "x")])
    assert [t.name for _, t in made.traits_for(made.question_of(Trace(id="1")))] == [
        "g",
    ]


def test_a_question_lends_its_traces_reference_and_text():
    made = rubric(questions=[question("p", "x", question="P?", reference=["r"])])
    bare, own = (
        Trace(id="1", question_id="p"),
        Trace(id="2", question_id="p", question="!", reference="o"),
    )
    assert (made.reference_for(bare), made.question_text(bare)) == (["r"], "P?")
    assert (made.reference_for(own), made.question_text(own)) == ("o", "!")
    assert (made.reference_for(Trace(id="3")), made.question_text(Trace(id="3"))) == (
        None,
        None,
    )


def test_the_file_form_reads_back_as_the_same_rubric():
    made = Rubric(
        name="R",
        description="d",
        metric_traits=[trait("g", evaluation_mode="auto", tn_instructions=["n"])],
        questions=[question("p", "x", question="P?", reference="r"), {"id": "q"}],
    )
    assert Rubric(**made.to_file()) == Rubric.kept(made.to_file()) == made
    assert Rubric(**made.to_file()).sha256() == made.sha256()
    assert list(made.to_file()) == ["name", "description", "metric_traits", "questions"]


def test_the_fingerprint_is_that_of_canonical_json():
    assert (
        Rubric().sha256()
        == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )
    assert rubric("é").sha256() != rubric("e").sha256()


def test_unknown_keys_are_refused():
    assert "traits" in wrong(lambda: Rubric(traits=[]))


def test_the_names_of_every_kind_are_given_as_karenina_calls_it():
    made = all_kinds.RUBRIC
    for kind in ("metric", "llm", "regex", "callable", "grounding", "scorer"):
        names = getattr(made, f"get_{kind}_trait_names")()
        assert names
        assert names == made.trait_names(kind)
    assert made.get_manual_trait_names() == ["Cites"]
    assert made.get_trait_names() == made.trait_names()


GONE = {"gone_traits": [{"name": "A"}]}


@pytest.mark.parametrize("kept", [GONE, {"questions": [{"id": "q"} | GONE]}])
def test_kept_traits_of_a_kind_whose_package_is_gone_are_refused(kept):
    with pytest.raises(
        Unusable,
        match="gone_traits: no kind of trait that is installed has this",
    ):
        Rubric.kept(kept)


def test_a_rubric_can_word_the_prompt_and_what_is_wrong_with_it_is_told():
    worded = Rubric(
        prompts={"metric": {"system": "Be brief."}},
        metric_traits=[trait("g")],
    )
    assert Rubric(**worded.to_file()) == worded
    assert worded.sha256() != rubric("g").sha256()
    assert worded.metric_traits[0].sha256() == rubric("g").metric_traits[0].sha256()
    told = wrong(lambda: Rubric(prompts={"metric": {"tp": "x"}, "lmm": {}}))
    assert "prompts.metric.tp: lacks $tp" in told
    assert "prompts.lmm: there is no kind" in told


def test_a_trace_is_asked_about_with_what_its_question_lends():
    made = rubric(questions=[question("p", "x", question="P?", reference=["r"])])
    asked = made.asked(Trace(id="1", question_id="p", response="a"))
    assert (asked.question, asked.reference, asked.response) == ("P?", ["r"], "a")
