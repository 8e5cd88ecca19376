"""Judges of one's own in `config.toml`: what they may say, and that every slip is told with its place."""

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import Unusable
from appellate.judging.planning import Profile, load_profiles, profile_named
from appellate.session import settings

KEY = "sk-verysecret0123456789"
FAST = """\
theme = "nord"

[judges.fast]
base_url = "http://localhost:8000/v1"
model = "my-model"
api_key_env = "VLLM_KEY"
api = "responses"
concurrency = 32
rpm = 600
tpm = 100_000
timeout = 30
prices = {input = 0.25, output = 2}
params = {temperature = 0.2, chat_template_kwargs = {enable_thinking = false}}
prompt = "mine.toml"
few_shot = 2
context = 32768

[prompts.metric]
system = "You sort."
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    return tmp_path


def refusal(home, text: str) -> list[str]:
    (home / "config.toml").write_text(text)
    with pytest.raises(Unusable) as refused:
        load_profiles()
    return [
        str(problem).removeprefix(f"{home / 'config.toml'}: ")
        for problem in refused.value.problems
    ]


def test_without_a_config_file_there_are_none():
    assert load_profiles() == ({}, {})


def test_a_profile_says_all_that_asking_takes(home):
    (home / "config.toml").write_text(FAST)
    fast = load_profiles().judges["fast"]
    assert (fast.base_url, fast.model) == ("http://localhost:8000/v1", "my-model")
    assert fast.api_key_env == "VLLM_KEY"
    assert (fast.api, fast.concurrency, fast.rpm, fast.tpm) == (
        "responses",
        32,
        600,
        100_000,
    )
    assert fast.timeout == 30
    assert fast.context == 32_768
    assert fast.prices.model_dump() == {
        "input": 0.25,
        "output": 2,
        "cached_input": None,
    }
    assert fast.params["chat_template_kwargs"] == {"enable_thinking": False}
    assert (fast.prompt, fast.few_shot) == (str(home / "mine.toml"), 2)
    assert load_profiles().prompts == {"metric": {"system": "You sort."}}


def test_profiles_are_no_settings_and_a_slip_in_them_stops_nobody_who_asks_no_model(
    home,
):
    (home / "config.toml").write_text(f'{FAST}\n[judges.slow]\nmodle = "x"\n')
    assert settings.load({"reviewer": "ada"}).settings.theme == "nord"
    settings.save("theme", "light")
    assert (
        (home / "config.toml")
        .read_text()
        .startswith('theme = "light"\n\n[judges.fast]')
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "judges = 1",
            "judges: must be a table, not the number 1; write [judges.NAME]",
        ),
        (
            "[judges]\nx = 1",
            "judges.x: must be a table, not the number 1; write [judges.x]",
        ),
        (
            "[judges.openai]",
            "judges.openai: openai is one of Appellate's own judges; give it another name",
        ),
        (
            '[judges."a b"]',
            'judges."a b": is not a valid name for a judge; letters, digits, _, . and -, at most 60',
        ),
        (
            "[judges.x]\nrpn = 1",
            'judges.x.rpn: there is no key "rpn"; did you mean "rpm"?',
        ),
        (
            "[judges.x]\nrpm = 0",
            "judges.x.rpm: must be a whole number from 1 on, not the number 0",
        ),
        (
            "[judges.x]\ntpm = true",
            "judges.x.tpm: must be a whole number from 1 on, not true",
        ),
        (
            "[judges.x]\ntimeout = inf",
            "judges.x.timeout: must be a number of seconds, at most a day, not an infinite number",
        ),
        (
            '[judges.x]\nmodel = ""',
            'judges.x.model: must be the name of a model, not the text ""',
        ),
        (
            '[judges.x]\napi = "Chat"',
            'judges.x.api: must be "chat" or "responses", not the text "Chat"',
        ),
        (
            "[judges.x]\ncontext = 0",
            "judges.x.context: must be a whole number of tokens, from 1 on, not the number 0",
        ),
        (
            "[judges.x]\nfew_shot = -1",
            "judges.x.few_shot: must be a whole number, 0 or more, not the number -1",
        ),
        (
            "[judges.x]\nprices = {input = 1}",
            "judges.x.prices.output: is missing; it is a price for a million tokens, 0 or more",
        ),
        (
            "[judges.x.prices]\ninput = nan\noutput = 1",
            "judges.x.prices.input: must be a price for a million tokens, 0 or more, not nan, which is no number",
        ),
        (
            "[judges.x]\nmembers = ['lexical', 1]",
            "judges.x.members[1]: must be the name of a judge, not the number 1",
        ),
        (
            "[judges.x]\nmembers = []",
            "judges.x.members: must be a list of the names of judges, which are a panel, not a list",
        ),
        (
            '[judges.x]\nmodel = "m"\nmembers = ["a"]',
            "judges.x.members: makes it a panel; leave out the other keys, or give them to its members",
        ),
        ("prompts = 1", "prompts: must be a table with a table for each kind of trait"),
    ],
)
def test_a_slip_is_told_with_its_place_and_what_would_be_right(home, text, told):
    assert refusal(home, text) == [told]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            '[judges.x]\nbase_url = "localhost:8000"',
            "judges.x.base_url: cannot be used: ",
        ),
        ('[judges.x]\nparams = {model = "x"}', "judges.x.params: cannot be used: "),
        (
            "[judges.x]\nparams = {day = 2026-01-01}",
            "judges.x.params: cannot be used: ",
        ),
        ('[prompts.metric]\nsystem = "$nonsense"', "prompts.metric.system: "),
        ('[prompts.regex]\nsystem = "x"', "prompts.regex: "),
    ],
)
def test_what_no_request_can_be_made_from_is_told_before_one_is(home, text, place):
    (told,) = refusal(home, text)
    assert told.startswith(place)


def test_all_slips_are_told_at_once(home):
    told = refusal(
        home,
        "[judges.a]\nrpm = 0\ntpm = 0\n[judges.b]\nx = 1\n[prompts]\nmetric = 1\n",
    )
    assert [line.split(":")[0] for line in told] == [
        "judges.a.rpm",
        "judges.a.tpm",
        "judges.b.x",
        "prompts.metric",
    ]


@pytest.mark.parametrize(
    "pasted",
    [
        f'api_key_env = "{KEY}"',
        f'api_key = "{KEY}"',
        f'token = "{KEY}"',
        f'base_url = "http://me:{KEY}@host/v1"',
        f'base_url = "http://host/v1?key={KEY}"',
        f'base_url = "{KEY}"',
        f'params = {{api_key = "{KEY}"}}',
        f'params = {{Authorization = "{KEY}"}}',
    ],
)
def test_a_key_that_was_pasted_there_is_refused_and_never_told_back(home, pasted):
    told = refusal(home, f"[judges.x]\n{pasted}\n")
    assert len(told) == 1
    assert KEY not in told[0]
    assert "variable" in told[0] or "base_url" in told[0]


def test_a_name_that_is_not_known_says_which_there_are():
    with pytest.raises(
        Unusable,
        match=r'there is no judge "fats"; did you mean "fast"\?',
    ):
        profile_named("fats", {"fast": Profile()})
    with pytest.raises(
        Unusable,
        match=r"judges are openai, lexical, recorded, fast; you can add others as profiles in config.toml",
    ):
        profile_named("\x1b", {"fast": Profile()})


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
tables = st.fixed_dictionaries(
    {},
    optional={
        "model": texts,
        "rpm": st.integers(1, 10**9),
        "timeout": st.floats(0.1, 600),
        "prices": st.fixed_dictionaries(
            {"input": st.floats(0, 99), "output": st.integers(0, 99)},
        ),
        "params": st.dictionaries(
            texts.map("x_".__add__),
            st.one_of(texts, st.booleans(), st.integers(0, 9)),
            max_size=3,
        ),
    },
)


@given(tables)
def test_what_a_profile_says_is_what_is_asked_by(table):
    text = tomli_w.dumps({"judges": {"x": table}})
    (settings.folder() / "config.toml").write_text(text, "utf-8", newline="\n")
    profile = load_profiles().judges["x"]
    assert profile.model_dump(exclude_unset=True) == table | (
        {"prices": {**table["prices"]}} if "prices" in table else {}
    )
