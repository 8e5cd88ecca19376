"""Which judge is asked: options over profiles, panels, one gate a server, and nothing sent unasked."""

import sqlite3

import pytest

from appellate.core.kind import Subject
from appellate.core.problem import Refused, Unusable
from appellate.core.trace import Trace
from appellate.judges.endpoint import Prices
from appellate.judges.offline import Lexical, Recorded
from appellate.judges.openai import OpenAIJudge
from appellate.judges.panel import Panel
from appellate.judges.proposal import Question
from appellate.judges.rate_limiter import Limits
from appellate.judging.choice import choose
from appellate.judging.planning import load_template
from appellate.session.settings import KEYS
from appellate.traits.metric import KIND
from appellate.traits.metric.spec import MetricRubricTrait
from loopback import Loopback, truthful

CONFIG = """\
[judges.fast]
base_url = "http://fast.example/v1"
model = "small"
api_key_env = "FAST_KEY"
concurrency = 32
rpm = 600
timeout = 30
prices = {input = 1.0, output = 10.0}
params = {temperature = 0.2}

[judges.slow]
base_url = "http://slow.example/v1"
model = "large"
tpm = 1000
prices = {input = 5.0, output = 50.0}

[judges.bare]
base_url = "http://fast.example/v1"
api_key_env = "FAST_KEY"
rpm = 60
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        *(f"APPELLATE_{key.upper()}" for key in KEYS),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("APPELLATE_REVIEWER", "ada")
    monkeypatch.setenv("FAST_KEY", "sk-verysecret0123456789")
    (tmp_path / "config.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chosen(meta=None, *, workspace=None, sending=True, **given):
    return choose(given, (meta or {}).get, workspace=workspace, sending=sending)


def refusal(**given) -> str:
    with pytest.raises((Refused, Unusable)) as refused:
        chosen(**given)
    return str(refused.value)


# -- which ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "seconds", "connecting"),
    [
        ({}, 600, 15),
        ({"patience": "90s"}, 90, 90),
        ({"patience": "5s"}, 5, 5),
        ({"patience": "1m", "timeout": 900}, 60, 60),
        ({"timeout": 900}, 900, 15),
    ],
)
def test_patience_is_ten_minutes_or_as_long_as_one_request_may_take_unless_it_is_said(
    more,
    seconds,
    connecting,
):
    choice = choose({"model": "m", "base_url": "http://127.0.0.1:9/v1", **more}, {}.get)
    limits = choice.members[0].limiter.limits
    assert (limits.patience, limits.connecting) == (seconds, connecting)


def test_without_a_word_the_traces_decide():
    assert isinstance(chosen().judge, Lexical)
    assert isinstance(chosen({"recorded": "1"}).judge, Recorded)
    assert chosen({"judge": "lexical", "recorded": "1"}).name == "lexical"


@pytest.mark.parametrize("name", ["lexical:0.5", "lexical:.5", "lexical:0.50"])
def test_word_overlap_may_have_a_share_of_words_to_find(name):
    for choice in (chosen(judge=[name]), chosen({"judge": name})):
        assert isinstance(choice.judge, Lexical)
        assert (choice.judge.share, choice.judge.name) == (0.5, "lexical:0.5")
    panel = chosen(judge=[name, "fast"])
    assert [member.name for member in panel.judge.members] == ["lexical:0.5", "small"]
    assert chosen({"judge": "lexical:nonsense"}).judge is None


@pytest.mark.parametrize("before", ["openai", "fast", "fast, slow"])
def test_going_on_with_an_audit_never_asks_a_model_unasked(before):
    choice = chosen({"judge": before})
    assert (choice.name, choice.judge, choice.sends) == (before, None, False)


def test_a_model_is_asked_at_the_endpoint_that_is_named():
    choice = chosen(model=["m"], base_url="http://localhost:1/v1")
    assert isinstance(choice.judge, OpenAIJudge)
    assert (choice.name, choice.model, choice.host) == ("openai", "m", "localhost:1")
    assert choice.sends is True
    assert choice.members[0].limiter.limits == Limits(8)


def test_an_address_on_the_command_line_is_used_in_place_of_a_wrong_variable(
    monkeypatch,
):
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:11434")
    assert "base URL should look like" in refusal(model=["m"])
    assert chosen(model=["m"], base_url="http://localhost:1/v1").host == "localhost:1"


def test_a_profile_is_asked_as_it_says():
    choice = chosen(judge=["fast"])
    (member,) = choice.members
    assert (choice.name, choice.model, choice.host) == ("fast", "small", "fast.example")
    assert choice.concurrency == 32
    assert member.limiter.limits == Limits(32, 600)
    assert (member.endpoint.api_key_env, member.endpoint.timeout) == ("FAST_KEY", 30)
    assert member.endpoint.params == {"temperature": 0.2}


def test_the_command_line_goes_before_a_profile():
    choice = chosen(judge=["fast"], concurrency=4, rpm=30, timeout=5)
    assert (choice.concurrency, choice.members[0].limiter.limits) == (4, Limits(4, 30))
    assert choice.members[0].endpoint.timeout == 5
    assert choice.members[0].endpoint.prices


def test_prices_are_of_the_profiles_own_model():
    assert chosen(judge=["fast"], model=["small"]).members[0].endpoint.prices == Prices(
        1.0,
        10.0,
    )
    other = chosen(judge=["fast"], model=["other"])
    assert (other.model, other.members[0].endpoint.prices) == ("other", None)


def test_a_profiles_key_goes_to_no_other_server():
    (member,) = chosen(judge=["fast"], base_url="http://elsewhere.example/v1").members
    assert (member.host, member.endpoint.api_key_env) == ("elsewhere.example", None)
    assert member.endpoint.prices is None
    assert (
        chosen(judge=["fast"], base_url=" http://fast.example/v1/ ")
        .members[0]
        .endpoint.api_key_env
        == "FAST_KEY"
    )


def test_without_sending_no_key_is_needed(monkeypatch):
    monkeypatch.delenv("FAST_KEY")
    assert "FAST_KEY is not set" in refusal(judge=["fast"])
    assert chosen(judge=["fast"], sending=False).who == "small at fast.example"
    assert chosen(model=["m"], sending=False).who == "m at api.openai.com"


# -- what cannot be ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"judge": ["openai"]}, "Which model? Name it with --model."),
        ({"judge": ["bare"]}, "Which model? Name it with --model."),
        ({"judge": ["fats"]}, 'there is no judge "fats"; did you mean "fast"?'),
        ({"judge": ["lexical"], "model": ["m"]}, "The judge lexical asks no model"),
        (
            {"judge": ["lexical:0"]},
            '"lexical:0" is no setting of lexical; write a share',
        ),
        ({"judge": ["lexical:1.5"]}, '"lexical:1.5" is no setting of lexical'),
        (
            {"judge": ["fast", "lexical:much"]},
            '"lexical:much" is no setting of lexical',
        ),
        ({"judge": ["recorded"], "times": 3}, "--times needs a model: name one"),
        ({"few_shot": 3}, "--few-shot needs a model: name one"),
        ({"judge": ["recorded", "lexical"]}, "A panel needs a model"),
        ({"judge": ["fast"], "times": 100}, "A panel has at most 99 members."),
        (
            {"judge": ["fast", "slow"], "model": ["a", "b"]},
            "Several --judge and several --model",
        ),
        ({"model": ["m"], "base_url": "nowhere"}, "The base URL should look like"),
        (
            {"judge": ["fast"], "prompt": "none.toml"},
            "none.toml: there is no such file",
        ),
        (
            {"judge": ["fast"], "cache": "none/x.db"},
            "Replies cannot be saved in none/x.db",
        ),
        ({"judge": ["fast"], "cache": "config.toml"}, "file is not a database"),
        ({"judge": ["fast"], "cache": "."}, "Replies cannot be saved in"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(given, told):
    assert told in refusal(**given)


def test_a_key_in_place_of_its_variables_name_is_refused_and_never_told_back():
    told = refusal(
        model=["m"],
        base_url="http://x/v1",
        api_key_env="sk-verysecret0123456789",
    )
    assert "--api-key-env takes the name of an environment variable" in told
    assert "sk-" not in told


def test_a_slip_in_any_profile_is_told_when_a_model_is_to_be_asked(home):
    (home / "config.toml").write_text(f"{CONFIG}\n[judges.x]\nrpn = 1\n")
    assert 'judges.x.rpn: there is no key "rpn"; did you mean "rpm"?' in refusal(
        judge=["fast"],
    )
    assert chosen().name == "lexical"


# -- panels -----------------------------------------------------------------------------------------


def test_several_judges_are_a_panel():
    choice = chosen(judge=["fast", "slow"])
    assert isinstance(choice.judge, Panel)
    assert [member.name for member in choice.members] == ["small", "large"]
    assert (choice.name, choice.host) == ("fast, slow", "fast.example, slow.example")
    assert choice.who == "small at fast.example and large at slow.example"
    assert [member.limiter.limits for member in choice.members] == [
        Limits(32, 600),
        Limits(8, None, 1000),
    ]
    assert choice.concurrency == 32
    assert choice.question(40, requests_to_each=40).endswith(
        " about 40 cells (80 requests)?",
    )


def test_a_profile_may_be_a_panel_of_other_judges(home):
    panels = '[judges.three]\nmembers = ["fast", "slow", "lexical"]\n'
    panels += '[judges.four]\nmembers = ["three", "fast"]\n[judges.odd]\nmembers = ["nosuch"]\n'
    (home / "config.toml").write_text(CONFIG + panels)
    choice = chosen(judge=["three"])
    assert isinstance(choice.judge, Panel)
    assert [member.name for member in choice.judge.members] == [
        "small",
        "large",
        "lexical",
    ]
    assert choice.name == "three"
    with pytest.raises(Refused, match="three is a panel itself"):
        chosen(judge=["four"])
    with pytest.raises(Unusable, match='there is no judge "nosuch"'):
        chosen(judge=["odd"])


def test_several_models_are_a_panel_at_one_server():
    choice = chosen(judge=["fast"], model=["a", "b"])
    assert choice.who == "a, b at fast.example"
    assert [member.name for member in choice.members] == ["a", "b"]


def test_a_model_given_beside_several_judges_is_for_those_that_name_none():
    choice = chosen(judge=["fast", "bare"], model=["m"])
    assert [member.endpoint.model for member in choice.members] == ["small", "m"]


def test_one_model_asked_several_times_gives_different_samples_that_may_differ():
    choice = chosen(judge=["slow"], times=3)
    assert choice.who == "large (3 times) at slow.example"
    assert choice.judge.name == "panel of large (3 times)"
    assert [member._sample for member in choice.members] == [0, 1, 2]
    assert all(
        member.endpoint.params == {"temperature": None} for member in choice.members
    )
    assert all(
        member.endpoint.params == {"temperature": 0.2}
        for member in chosen(judge=["fast"], times=2).members
    )
    assert chosen(judge=["slow"], times=1).members[0].endpoint.params == {}


def test_members_at_one_server_with_one_key_share_its_gate_and_the_tightest_limits():
    fast, bare, slow = (
        m.limiter for m in chosen(judge=["fast", "bare", "slow"], model=["m"]).members
    )
    assert fast is bare
    assert fast is not slow
    assert fast.limits == Limits(32, 60)


def test_openais_key_is_the_same_key_whether_a_profile_names_it_or_not(
    home,
    monkeypatch,
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret0123456789")
    named = '[judges.named]\nmodel = "m"\napi_key_env = "OPENAI_API_KEY"\nrpm = 60\n'
    addressed = (
        '[judges.addressed]\nmodel = "m"\nbase_url = "https://api.openai.com/v1"\n'
    )
    (home / "config.toml").write_text(CONFIG + named + addressed)
    first, second = (m.limiter for m in chosen(judge=["named", "addressed"]).members)
    assert first is second
    assert first.limits.rpm == 60


def test_a_judge_that_sends_nothing_may_sit_on_a_panel():
    choice = chosen(judge=["lexical", "fast"])
    assert isinstance(choice.judge, Panel)
    assert [type(member) for member in choice.judge.members] == [Lexical, OpenAIJudge]
    assert choice.question(10, requests_to_each=10).endswith(" about 10 cells?")


# -- what is asked of the person --------------------------------------------------------------------


def test_the_person_is_told_host_models_cells_requests_and_cost_before_anything_is_sent():
    choice = chosen(judge=["fast", "slow"])
    assert choice.question(40, requests_to_each=40, cost=0.48) == (
        "Ask small at fast.example and large at slow.example about 40 cells (80 requests, about 0.48 by your prices)?"
    )
    assert chosen(judge=["fast"]).question(9, requests_to_each=9, cost=0.001) == (
        "Ask small at fast.example about 9 cells (less than 0.01 by your prices)?"
    )
    assert chosen(judge=["fast"]).question(
        9,
        requests_to_each=9,
        cost=0.2,
        too_long="2",
    ) == (
        "Ask small at fast.example about 9 cells (about 0.20 by your prices, 2 too long)?"
    )
    assert (
        chosen(judge=["fast"]).question(1, requests_to_each=1)
        == "Ask small at fast.example about this cell?"
    )


# -- prompts and replies ----------------------------------------------------------------------------


def test_prompts_are_taken_from_the_command_line_then_the_profile_then_the_config(home):
    (home / "config.toml").write_text(
        f'{CONFIG}\n[judges.mine]\nmodel = "m"\nbase_url = "http://x/v1"\nprompt = "mine.toml"\n'
        '[prompts.metric]\nsystem = "config"\nhint = "config"\n',
    )
    (home / "mine.toml").write_text('system = "profile"\n')
    (home / "said.toml").write_text('[prompts.metric]\nwrong = "said"\n')
    assert chosen(judge=["fast"]).prompts == {
        "metric": {"system": "config", "hint": "config"},
    }
    assert chosen(judge=["mine"]).prompts == {
        "metric": {"system": "profile", "hint": "config"},
    }
    told = chosen(judge=["mine"], prompt="said.toml").prompts
    assert told == {"metric": {"system": "config", "hint": "config", "wrong": "said"}}


def test_a_template_is_told_with_every_slip_of_its_parts(home):
    (home / "t.toml").write_text('system = "$nonce"\nsytem = ""\n')
    with pytest.raises(Unusable) as refused:
        load_template(home / "t.toml")
    assert [problem.place for problem in refused.value.problems] == ["system", "sytem"]


def test_a_panel_is_asked_by_one_prompt_with_as_many_examples(home):
    (home / "config.toml").write_text(CONFIG.replace("rpm = 600", "few_shot = 2"))
    assert chosen(judge=["fast"]).few_shot == 2
    assert chosen(judge=["fast", "slow"], few_shot=3).few_shot == 3
    assert "differ in few_shot: say --few-shot" in refusal(judge=["fast", "slow"])
    (home / "config.toml").write_text(CONFIG.replace("rpm = 600", "few_shot = 0"))
    assert chosen(judge=["fast", "slow"]).few_shot == 0


def test_replies_are_kept_in_the_workspace_unless_another_file_is_said(
    home,
    monkeypatch,
):
    assert (
        chosen(judge=["fast"], workspace=home / "x.audit.db").plan.cache
        == home / "x.audit.db"
    )
    assert (
        chosen(judge=["fast"], workspace=home / "x.audit.db", no_cache=True).plan.cache
        is None
    )
    (home / "config.toml").write_text(f'cache = "all.db"\n{CONFIG}')
    assert (
        chosen(judge=["fast"], workspace=home / "x.audit.db").plan.cache
        == home / "all.db"
    )
    monkeypatch.setenv("APPELLATE_CACHE", "env.db")
    assert str(chosen(judge=["fast"]).plan.cache) == "env.db"
    with sqlite3.connect(home / "said.db") as db:
        db.execute("CREATE TABLE x (y)")
    db.close()
    assert str(chosen(judge=["fast"], cache="said.db").plan.cache) == "said.db"


# -- with a server ----------------------------------------------------------------------------------

TRAIT = MetricRubricTrait(name="T", metrics=["recall"], tp_instructions=["Says BCL2"])
TRACE = Trace(id="t", question="What?", response="BCL2 is a gene.")


async def proposed(choice):
    try:
        return await choice.judge.judge(Question(Subject(KIND, TRAIT, TRACE), TRACE))
    finally:
        await choice.judge.close()


async def test_a_panel_of_profiles_costs_what_they_say_once_and_nothing_when_asked_again(
    home,
    monkeypatch,
):
    monkeypatch.setenv("SLOW_KEY", "sk-slow")
    async with Loopback(truthful) as server:
        profile = (
            f'base_url = "{server.url}"\nprices = {{input = 1.0, output = 10.0}}\n'
        )
        (home / "config.toml").write_text(
            f'[judges.fast]\nmodel = "small"\napi_key_env = "FAST_KEY"\n{profile}'
            f'[judges.slow]\nmodel = "large"\napi_key_env = "SLOW_KEY"\nparams = {{seed = 7}}\n{profile}',
        )
        first = await proposed(chosen(judge=["fast", "slow"], workspace=home / "x.db"))
        again = await proposed(chosen(judge=["fast", "slow"], workspace=home / "x.db"))
    assert {
        asked.body["model"]: asked.headers["authorization"] for asked in server.asked
    } == {
        "small": "Bearer sk-verysecret0123456789",
        "large": "Bearer sk-slow",
    }
    assert [
        asked.body.get("seed")
        for asked in server.asked
        if asked.body["model"] == "large"
    ] == [7]
    assert first.record.cost == pytest.approx(2 * (100 * 1.0 + 20 * 10.0) / 1_000_000)
    assert first.labels == again.labels
    assert (again.record.cached, again.record.cost or 0, len(server.asked)) == (
        True,
        0,
        2,
    )
    assert b"sk-" not in b"".join(path.read_bytes() for path in home.glob("x.db*"))
