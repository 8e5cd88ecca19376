import os
import re
import tomllib

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import all_kinds
from appellate.core.problem import Unusable
from appellate.store.files.rubric_file import (
    list_name_for,
    load_rubric,
    parse_rubric,
    read_rubric,
)
from appellate.store.files.text_file import text_of
from appellate.traits.metric.spec import METRICS
from appellate.traits.rubric import Rubric
from cells import cases

TRAIT = '[[metric_traits]]\nname = "x"\nmetrics = ["f1"]\ntp_instructions = ["a"]\n'


@pytest.fixture
def loaded(tmp_path):
    def load(content):
        path = tmp_path / "r.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_rubric(path)

    return load


@pytest.fixture
def problems(loaded, tmp_path):
    """The problems of a rubric file with this content, told without the file's name and the lines of keys."""

    def told(content):
        found = loaded(content)
        assert bool(found.problems) == (found.value is None)
        texts = [
            str(problem).removeprefix(f"{tmp_path / 'r.toml'}: ")
            for problem in found.problems
        ]
        return [re.sub(r"^line \d+: (?=[a-z_]+[\[.:])", "", text) for text in texts]

    return told


def test_a_problem_names_the_line_of_its_key_or_of_the_table_that_lacks_one(loaded):
    found = loaded(
        '# a rubric\n\n[[metric_traits]]\nname = "x"\ntp_instructions = [\n  "a",\n]\n\n'
        '[[metric_traits]]\nname = "y"\nmetrcs = ["f1"]\ntp_instructions = ["a"]\n',
    )
    assert [(one.place, one.wrong) for one in found.problems] == [
        ("line 3: metric_traits[0].metrics", "is missing"),
        ("line 9: metric_traits[1].metrics", "is missing"),
        ("line 11: metric_traits[1].metrcs", 'there is no key "metrcs"'),
    ]


def only(told):
    assert len(told) == 1, told
    return told[0]


def test_the_rubric_of_the_specification_loads(loaded):
    rubric = loaded("""
        name = "BCL2"
        [[metric_traits]]
        name = "BCL2 Accuracy"
        evaluation_mode = "full_matrix"
        metrics = ["precision", "recall", "specificity", "accuracy", "f1"]
        tp_instructions = ["States BCL2 is on chromosome 18"]
        tn_instructions = ["States BCL2 is on chromosome 1"]
        repeated_extraction = true
        [[questions]]
        id = "venetoclax"
        question = "What is the approved drug target of Venetoclax?"
        reference = "BCL2"
          [[questions.metric_traits]]
          name = "Mechanism"
          metrics = ["f1"]
          tp_instructions = ["Inhibits BCL2"]
        """).usable()
    assert rubric.get_metric_trait_names() == ["BCL2 Accuracy", "Mechanism"]
    assert rubric.questions[0].reference == "BCL2"


def test_the_healthbench_rubric_loads(shared):
    rubric = load_rubric(shared / "data" / "healthbench" / "rubric.toml")
    traits = [
        trait for question in rubric.questions for trait in question.metric_traits
    ]
    assert len(rubric.questions) == 57
    assert (
        sum(len(trait.tp_instructions) + len(trait.tn_instructions) for trait in traits)
        == 767
    )


def test_a_key_that_a_verdict_does_not_have_is_told_with_those_it_has(problems):
    content = """
[[steps_traits]]
name = "s"

[[steps_traits.errors]]
name = "Wrong tool"
meens = "another tool was right"
"""
    assert problems(content) == [
        'steps_traits[0].errors[0].meens: there is no key "meens"; did you mean "means"?',
    ]


def test_a_bom_and_crlf_are_handled(loaded):
    content = "\ufeff" + TRAIT.replace("\n", "\r\n")
    assert loaded(content).usable().get_metric_trait_names() == ["x"]


def test_ten_thousand_instructions_load(loaded):
    many = ", ".join(f'"i{number}"' for number in range(10_000))
    content = (
        f'[[metric_traits]]\nname = "x"\nmetrics = ["f1"]\ntp_instructions = [{many}]'
    )
    assert len(loaded(content).usable().metric_traits[0].tp_instructions) == 10_000


def test_a_loaded_file_without_problems_has_no_notes(loaded):
    assert loaded(TRAIT).notes == []


def test_ignored_tn_instructions_are_noted(loaded):
    (note,) = loaded(TRAIT + 'tn_instructions = ["b"]').notes
    assert (
        'metric_traits[0]: "x" is tp_only, so its tn_instructions are ignored' in note
    )


def test_a_questions_trait_is_noted_by_its_place(loaded):
    content = '[[questions]]\nid = 1\n[[questions.metric_traits]]\nname = "x"\nmetrics = ["f1"]\n'
    (note,) = loaded(content + 'tp_instructions = ["a"]\ntn_instructions = ["b"]').notes
    assert "questions[0].metric_traits[0]" in note


# what keeps a file from being read


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.toml", "there is no such file"),
        (".", "this is a folder; name a file in it"),
        ("/dev/zero", "this is a device, not a file"),
        ("a\0b", "null byte"),
        ("a\ud800", "no file can have this name: it is no text"),
        ("file/r.toml", "it cannot be read"),
    ],
)
def test_what_is_no_file_is_told(tmp_path, name, said):
    (tmp_path / "file").touch()
    with pytest.raises(Unusable, match=said):
        load_rubric(tmp_path / name)


def test_an_unreadable_file_is_told(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text(TRAIT)
    path.chmod(0)
    user = os.geteuid()
    try:
        os.seteuid(65534 if user == 0 else user)  # root reads everything
        with pytest.raises(Unusable, match="no permission to read it"):
            load_rubric(path)
    finally:
        os.seteuid(user)


def test_a_file_larger_than_is_read_at_once_is_refused(tmp_path):
    path = tmp_path / "r.toml"
    path.write_bytes(b"#" * (1 << 20) + b"#")
    with pytest.raises(Unusable, match=r"larger than 1 MiB.*split it"):
        text_of(path, 1 << 20)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        ('name = "x"'.encode("utf-16"), "this is UTF-16; save it as UTF-8"),
        ('name = "x"'.encode("utf-32"), "this is UTF-32; save it as UTF-8"),
        (
            b'name = "x"\n# caf\xe9\n',
            "line 2: not UTF-8: byte 0xe9 begins no character; save it as UTF-8",
        ),
        (b"\x1f\x8b\x08", "this is gzip-compressed, not text"),
        (b"PK\x03\x04", "this is a zip archive, not text"),
        (b'{"metric_traits": []}', "this looks like JSON; a rubric is TOML"),
        (b'format = "appellate-audit/1"', "this is an audit, not a rubric"),
        (
            b'[[traces]]\nid = "a"',
            "this is a file of traces, not a rubric; name the rubric first",
        ),
        (
            b"# nothing\n",
            "this rubric has no trait; add at least one [[callable_traits]] or [[ground",
        ),
        (b'name = "x"\n[[questions]]\nid = "q"', "this rubric has no trait"),
        (b"name = ", "line 1, the last: not valid TOML: Invalid value"),
        (b'a = "\x07"', "not valid TOML: Illegal character '\\x07'"),
        (b'a = "\\ud800"', "line 1, column 12: not valid TOML"),
        (b"#\na = '''\n\n", "line 2, the last: not valid TOML"),
        (b"a = " + b"[" * 5000, "nested too deeply"),
        (
            b"a = " + b"1" * 5000,
            "a number has more than 4,300 digits; write it as text",
        ),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(problems, content, said):
    assert said in only(problems(content))


# what is wrong inside


@pytest.mark.parametrize(
    ("line", "said"),
    cases("""
tn_instruction = [] → metric_traits[0].tn_instruction: there is no key "tn_instruction"; did you mean
wibble = 1 → metric_traits[0].wibble: there is no key "wibble"; keys are name, description
'a b' = 1 → metric_traits[0]."a b": there is no key "a b"
description = 5 → metric_traits[0].description: must be text in quotes, not the number 5
tn_instructions = ['ok', 1] → metric_traits[0].tn_instructions[1]: must be text in quotes, not the
tn_instructions = 'b' → metric_traits[0].tn_instructions: must be a list in square brackets, not the t
repeated_extraction = 'maybe' → must be true or false, not the text "maybe"
repeated_extraction = [] → must be true or false, not a list
evaluation_mode = 'full' → must be "tp_only", "full_matrix" or "auto", not the text "full"
evaluation_mode = 'full_matrix' → full_matrix needs at least one TN instruction
kind = 'metric' → metric_traits[0].kind: there is no key "kind"
"""),
)
def test_a_wrong_key_is_told_with_its_path(problems, line, said):
    assert said in only(problems(TRAIT + line))


IN_A_TRAIT = cases("""
metrics = ["f1"] →  → metric_traits[0].metrics: is missing
["f1"] → [] → metric_traits[0].metrics: must name at least one
["f1"] → ["accuracy"] → metric_traits[0].metrics: accuracy counts true negatives
["a"] → [] → metric_traits[0].tp_instructions: a metric trait needs at least one
"x" → "" → metric_traits[0].name: must not be empty
"x" → "x.y" → metric_traits[0].name: the name "x.y" has a dot
[[metric_traits]] → [metric_traits] → its own [[header]] in two brackets
""")
BESIDE_A_TRAIT = cases("""
questions = [true] → questions[0]: must be a table, not true
questions = 1 → questions: must be a list in square brackets, not the number 1
questions = [{}] → questions[0].id: is missing
questions = [{id = false}] → questions[0].id: must be text in quotes, not false
questions = [{id = 1, reference = 5}] → questions[0].reference: must be text or a list of texts
questions = [{id = 1, reference = ['a', 5]}] → questions[0].reference[1]: must be text in quotes
questions = [{id = 1, reference = {}}] → questions[0].reference: must be text or a list of
questions = [{id = 1, answer = 1}] → questions[0].answer: there is no key "answer"
questions = [{id = 1, agentic_traits = [{}]}] → questions[0].agentic_traits: agentic tra
metric_trait = [] → metric_trait: there is no key "metric_trait"; did you mean "metric_tr
agentic_traits = [{name = 'l'}] → agentic_traits: agentic traits are not in this version, which audits tr
""")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((TRAIT.replace(was, becomes), said) for was, becomes, said in IN_A_TRAIT),
        *((f"{line}\n{TRAIT}", said) for line, said in BESIDE_A_TRAIT),
        (
            "metric_traits = 5",
            "metric_traits: must be a list in square brackets, not the number 5",
        ),
        ("metric_traits = [5]", "metric_traits[0]: must be a table, not the number 5"),
        (TRAIT * 2, 'another trait here has the name "x" already (metric_traits[0].n'),
    ],
)
def test_a_wrong_shape_is_told_with_its_path(problems, content, said):
    assert said in only(problems(content))


@pytest.mark.parametrize("key", ["reference", "documents", "question", "judgments"])
@pytest.mark.parametrize("value", ["[]", "{}", "5", '""', '["a"]', '[""]', "[5]"])
def test_a_key_of_a_trace_in_a_trait_of_a_question_is_refused_with_its_path(
    problems,
    key,
    value,
):
    trait = TRAIT.replace("[[metric_traits]]", "[[questions.metric_traits]]")
    said = only(problems(f"[[questions]]\nid = '1'\n{trait}\n{key} = {value}"))
    assert f'questions[0].metric_traits[0].{key}: there is no key "{key}"' in said


HEADERS = {
    "recorded": "[[scorer_traits]]\nname = 's'\nscorer = 'recorded'\n",
    "panel": "[[scorer_traits]]\nname = 's'\nscorer = 'multi_scorer'\n",
    "function": "[[callable_traits]]\nname = 'c'\nkind = 'score'\ncallable = 'a:f'\n",
    "asked": "[[llm_traits]]\nname = 'l'\nkind = 'score'\n",
}


@pytest.mark.parametrize(
    ("header", "line", "said"),
    cases("""
panel → scorers = [{scorer='f1', stop_word=[]}, {scorer='f1'}] → scorers[0].stop_word: there is no key "stop_word"; did
panel → scorers = [{scorer='exact'}, {scorer='f1', scorers=[]}] → scorers[1].scorers: there is no key "scorers"
panel → scorers = [{scorer='f1'}, {scorer='f1'}] → scorers[1]: another member is called "f1" too; give
panel → scorers = [{scorer='exact'}, {scorer='f1', name='a b'}] → scorers[1]: the name "a b" is no key
recorded → max_score = 1e305 → max_score: must be 1000000000 or less, not a huge number
recorded → min_score = -inf → min_score: must be a finite number, not an infinite number
recorded → min_score = nan → min_score: must be a finite number, not nan, which is no number
recorded → min_score = 'low' → min_score: must be a number, not the text "low"
asked → max_score = 99999999999999999999 → max_score: must be 1000000000 or less, not the number 99999999999999
function → min_score = -1000000001 → min_score: must be -1000000000 or more, not the number -1000000001
function → min_score = 1.5 → min_score: must be a whole number, not the number 1.5
"""),
)
def test_what_is_wrong_with_a_score_or_a_panel_is_told_with_its_path(
    problems,
    header,
    line,
    said,
):
    traits = HEADERS[header].partition("]]")[0].removeprefix("[[")
    assert only(problems(HEADERS[header] + line)).startswith(f"{traits}[0].{said}")


def test_all_faults_of_a_file_come_at_once(problems):
    told = problems("""
        nam = "typo"
        [[metric_traits]]
        name = "same"
        metrics = ["mcc"]
        [[metric_traits]]
        name = "same"
        metrics = ["f1"]
        tp_instructions = [1]
        [[agentic_traits]]
        [[questions]]
        id = "q"
        question = "?"
        [[questions]]
        id = "q"
        question = "?"
        [[questions.metric_traits]]
        name = "same"
        metrics = ["f1"]
        tp_instructions = ["a"]
        """)
    assert sorted(line.split(":")[0] for line in told) == [
        "agentic_traits",
        "metric_traits[0].metrics",
        "metric_traits[0].tp_instructions",
        "metric_traits[1].name",
        "metric_traits[1].tp_instructions[0]",
        "nam",
        "questions[1].id",
        "questions[1].metric_traits[0].name",
        "questions[1].question",
    ]


def test_no_sentence_speaks_the_librarys_language(problems):
    told = "\n".join(
        problems(
            '[[metric_traits]]\nname = 1\nmetrics = "f1"\nx = {a = 1}\nevaluation_mode = 3',
        ),
    )
    assert not any(
        word in told
        for word in ("Input should", "Value error", "pydantic", "http", "type=")
    )


def test_hostile_text_in_a_fault_is_shown_inert(problems):
    told = only(problems(TRAIT + '"\\u001b]0;owned\\u0007\\u202e" = 1'))
    assert told.isprintable()
    assert "\\x1b]0;owned\\x07\\u202e" in told


def test_a_text_is_quoted_in_part_where_it_is_long(problems):
    told = only(problems(TRAIT.replace('"x"', f'"{"n" * 500}."')))
    assert len(told) < 250


def test_a_lone_surrogate_in_a_parsed_table_is_told():
    table = {
        "metric_traits": [
            {"name": "\ud800", "metrics": ["f1"], "tp_instructions": ["a"]},
        ],
    }
    (problem,) = parse_rubric(table, "f").problems
    assert "metric_traits[0].name: holds a lone surrogate" in str(problem)


# laws

LINE = st.text(st.characters(codec="utf-8"), max_size=12)
TEXT = st.none() | LINE
NAME = st.text(
    st.characters(codec="utf-8", exclude_characters="."),
    min_size=1,
    max_size=8,
)
LISTS = st.lists(LINE, min_size=1, max_size=3)
TRAITS = st.one_of(
    st.fixed_dictionaries(
        {
            "metrics": st.lists(
                st.sampled_from(["precision", "recall", "f1"]),
                min_size=1,
            ),
            "tp_instructions": LISTS,
        },
        optional={
            "tn_instructions": LISTS,
            "description": TEXT,
            "repeated_extraction": st.booleans(),
        },
    ),
    st.fixed_dictionaries(
        {
            "metrics": st.lists(st.sampled_from(METRICS), min_size=1),
            "tp_instructions": LISTS,
            "tn_instructions": LISTS,
            "evaluation_mode": st.sampled_from(["full_matrix", "auto"]),
        },
        optional={
            "fp_instructions": LISTS,
            "fn_instructions": LISTS,
            "higher_is_better": st.booleans(),
        },
    ),
)


@st.composite
def rubrics(draw):
    names = draw(st.lists(NAME, min_size=1, max_size=6, unique=True))
    traits = [{"name": name, **draw(TRAITS)} for name in names]
    cut = draw(st.integers(0, len(traits)))
    questions = [
        {
            "id": f"q{i}",
            "question": draw(st.none() | st.just(f"Q{i}?")),
            "metric_traits": [trait],
        }
        | {"reference": draw(TEXT | LISTS)}
        for i, trait in enumerate(traits[cut:])
    ]
    return TypeAdapter(Rubric).validate_python(
        {"metric_traits": traits[:cut], "questions": questions},
    )


@given(rubrics())
def test_a_rubric_written_and_read_again_is_the_same(rubric):
    text = tomli_w.dumps(rubric.to_file())
    again = parse_rubric(tomllib.loads(text), "r.toml").usable()
    assert again == rubric
    assert again.sha256() == rubric.sha256()
    assert tomli_w.dumps(again.to_file()) == text


def test_parts_of_the_prompt_are_checked_with_the_rest_and_told_once(problems):
    assert problems(
        '[prompts.metric]\nsystem = 3\ntp = "x"\nsytsem = ""\n' + TRAIT,
    ) == [
        "prompts.metric.system: must be text in quotes, not the number 3",
        "prompts.metric.tp: lacks $tp",
        'prompts.metric.sytsem: there is no part "sytsem" of a prompt; did you mean "system"?',
    ]
    assert problems('prompts = "x"\n' + TRAIT) == [
        'prompts: must be a table, not the text "x"',
    ]
    assert problems('[prompts]\nmetric = "x"\n' + TRAIT) == [
        'prompts.metric: must be a table, not the text "x"',
    ]


def test_a_rubric_with_a_prompt_of_its_own_is_loaded(loaded):
    worded = loaded('[prompts.metric]\nsystem = """\nBe brief.\n"""\n' + TRAIT)
    assert worded.usable().prompts == {"metric": {"system": "Be brief.\n"}}
    [note] = worded.notes
    assert note.endswith(
        "prompts: this rubric has its own words for what a model is told: metric.system",
    )


# -- keys of other tools ------------------------------------------------------------------------------

UNUSED = """
[[llm_traits]]
name = "Warns"
kind = "boolean"
deep_judgment_enabled = true
deep_judgment_max_excerpts = 2
deep_judgment_fuzzy_match_threshold = 1
deep_judgment_excerpt_retry_attempts = 3
deep_judgment_search_enabled = true
include_ground_truth = true

[[scorer_traits]]
name = "Graded"
scorer = "model_graded_qa"
model_role = "grader"
partial_credit = true

[[questions]]
id = "q"
[[questions.scorer_traits]]
name = "Both"
scorer = "multi_scorer"
scorers = [{scorer = "includes"}, {scorer = "model_graded_qa", model_role = "grader"}]
"""


def test_keys_of_other_tools_that_change_nothing_are_said_once(loaded):
    (note,) = loaded(UNUSED).notes
    assert note.endswith(
        "r.toml: deep_judgment_enabled, deep_judgment_excerpt_retry_attempts,"
        " deep_judgment_fuzzy_match_threshold, deep_judgment_search_enabled, model_role"
        " are kept and change nothing",
    )
    _, _, questions = UNUSED.partition("[[questions]]")
    (note,) = loaded(f"[[questions]]{questions}").notes
    assert note.endswith("model_role is kept and changes nothing")


def test_keys_of_other_tools_are_written_back_in_their_places_and_in_the_fingerprint(
    loaded,
):
    """The fingerprint is that of the version in which each had a note of its own."""
    rubric = loaded(UNUSED).usable()
    assert (
        rubric.sha256()
        == "08e7757e4f944727284440805a5b3998a902510514e1d5a26fa3fa5e6b36fe1c"
    )
    assert rubric.to_file() == tomllib.loads(UNUSED)
    assert list(rubric.to_file()["llm_traits"][0]) == [
        "name",
        "kind",
        "deep_judgment_enabled",
        "deep_judgment_max_excerpts",
        "deep_judgment_fuzzy_match_threshold",
        "deep_judgment_excerpt_retry_attempts",
        "deep_judgment_search_enabled",
        "include_ground_truth",
    ]


# -- the oldest form -------------------------------------------------------------------------------

OLDEST = r"""
name = "Oldest"

[[traits]]
name = "Conciseness"
description = "From 1 (very verbose) to 5 (extremely concise)."
kind = "score"

[[traits]]
name = "Mentions BH3"
pattern = '\bBH3\b'
invert = true

[[traits]]
name = "Safety"
kind = "binary"

[[traits]]
name = "Which Are"
metrics = ["precision", "accuracy"]
tp_instructions = ["asthma"]
tn_instructions = ["emphysema"]
fp_instructions = ["sarcoidosis"]

[[traits]]
name = "All Of Them"
metrics = ["recall"]
tp_instructions = ["pleurisy"]

[[questions]]
id = "q"
  [[questions.traits]]
  name = "Length"
  kind = "boolean"
  callable = "m:f"

  [[questions.traits]]
  name = "Total"
  scorer = "pattern"
  pattern = "Total: (.*)"
"""


def test_the_oldest_list_holds_traits_of_every_kind_and_is_written_as_a_list_for_each(
    loaded,
):
    read = loaded(OLDEST)
    written = read.usable().to_file()
    assert written == {
        "name": "Oldest",
        "llm_traits": [
            {
                "name": "Conciseness",
                "description": "From 1 (very verbose) to 5 (extremely concise).",
                "kind": "score",
            },
            {"name": "Safety", "kind": "boolean"},
        ],
        "metric_traits": [
            {
                "name": "Which Are",
                "evaluation_mode": "full_matrix",
                "metrics": ["precision", "accuracy"],
                "tp_instructions": ["asthma"],
                "tn_instructions": ["emphysema"],
                "fp_instructions": ["sarcoidosis"],
            },
            {
                "name": "All Of Them",
                "metrics": ["recall"],
                "tp_instructions": ["pleurisy"],
            },
        ],
        "regex_traits": [
            {
                "name": "Mentions BH3",
                "pattern": r"\bBH3\b",
                "case_sensitive": False,
                "invert_result": True,
            },
        ],
        "questions": [
            {
                "id": "q",
                "callable_traits": [
                    {"name": "Length", "kind": "boolean", "callable": "m:f"},
                ],
                "scorer_traits": [
                    {"name": "Total", "scorer": "pattern", "pattern": "Total: (.*)"},
                ],
            },
        ],
    }
    again = parse_rubric(written, "again.toml")
    assert again.usable() == read.value
    assert again.notes == []


def test_every_trait_of_the_oldest_list_is_noted_with_the_list_that_it_is_in_now(
    loaded,
):
    notes = [note.partition(": ")[2] for note in loaded(OLDEST).notes]
    now = "[[traits]] is called [[{}_traits]] now"
    full = 'its evaluation_mode is "full_matrix", since it has tn_instructions'
    assert notes == [
        f"traits[0]: {now.format('llm')}",
        f"traits[1]: {now.format('regex')}; its case_sensitive is false",
        f'traits[2]: {now.format("llm")}; kind = "binary" is called "boolean" now',
        f"traits[3]: {now.format('metric')}; {full}",
        f"traits[4]: {now.format('metric')}",
        f"questions[0].traits[0]: {now.format('callable')}",
        f"questions[0].traits[1]: {now.format('scorer')}",
    ]


def test_a_trait_of_any_kind_and_form_is_told_by_its_keys():
    for known in all_kinds.RUBRIC.every_trait():
        table = known.trait.to_file()
        if not {*known.kind.telling_keys} & {*table}:
            continue  # a kind that no key of this trait tells
        assert list_name_for(table) == f"{known.kind.name}_traits"


@pytest.mark.parametrize("kept", ["", TRAIT])
def test_traits_of_old_and_new_lists_stand_together_and_faults_have_the_places_of_the_file(
    kept,
    problems,
):
    old = """
[[traits]]
name = "x"
patern = "a"
[[traits]]
name = "y"
metrics = ["f2"]
tp_instructions = ["a"]
[[traits]]
name = "z"
pattern = "a("
[[traits]]
name = "both"
pattern = "a"
kind = "score"
[[manual_traits]]
name = "z"
pattern = "b"
"""
    told = problems(kept + old)
    parts = [
        ("traits[1].metrics", '"f2" is not a metric'),
        ("traits[2].pattern", "is no regular expression"),
        ("traits[0]", "nothing tells what kind of trait this is"),
        (
            "traits[3]",
            "two kinds are mixed: kind is of llm traits, pattern is of regex traits",
        ),
        (
            "traits[2].name",
            'another trait here has the name "z" already (manual_traits[0].name)',
        ),
    ]
    assert len(told) == len(parts)
    for line, (place, wrong) in zip(told, parts, strict=True):
        assert line.startswith(f"{place}: {wrong}")
    assert told[2].endswith(
        "tp_instructions (metric), pattern (regex), scorer (scorer)",
    )


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (
            'traits = "x"\n',
            "traits: must be a list of tables, each under its own [[traits]], not the text",
        ),
        (
            '[traits]\nname = "x"\n',
            "traits: must be a list of tables, each under its own [[traits]], not a table",
        ),
        ("traits = [3]\n", "traits[0]: must be a table, not the number 3"),
        (
            "[[questions]]\nid = 1\ntraits = [3]\n",
            "questions[0].traits[0]: must be a table, not",
        ),
    ],
)
def test_an_oldest_list_that_is_none_is_refused_in_its_place(content, wrong, problems):
    assert any(line.startswith(wrong) for line in problems(content))


def test_an_old_list_does_not_hide_that_todays_is_none(problems):
    told = problems('regex_traits = 3\n[[manual_traits]]\nname = "a"\npattern = "a"\n')
    assert told == ["regex_traits: must be a list in square brackets, not the number 3"]
    told = problems('regex_traits = 3\n[[traits]]\nname = "a"\npattern = "a"\n')
    assert told == ["regex_traits: must be a list in square brackets, not the number 3"]


def test_a_file_whose_traits_are_in_the_oldest_list_is_no_file_of_traces(problems):
    told = problems('traces = []\n[[traits]]\nname = "x"\nkind = "score"\n')
    assert only(told).startswith('traces: there is no key "traces"')
