"""`judge --show-prompt` and `--dry-run`: exactly what would be sent, and what it would take; nothing is."""

import json

import pytest

from appellate.cli.arguments import parser
from appellate.cli.prompting import preview
from appellate.core.problem import Unusable
from appellate.judges.proposal import JudgmentFailed
from appellate.judging.choice import choose
from appellate.judging.questions import PendingCells, open_again
from appellate.traits.metric.asking import TEMPLATE
from cells import TRACE, bench, matrix, proposal, rubric, trace
from loopback import completion, served

HERE = "http://localhost:1/v1"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with bench(
        tmp_path,
        *[trace(f"t{n}", question="What is BCL2?") for n in range(3)],
        of=rubric(matrix()),
    ) as at:
        yield at


def told(desk, *options):
    return preview(parser().parse_args(["judge", "x.audit.toml", *options]), desk)


def test_the_prompt_is_printed_as_a_person_reads_it(desk, capsys):
    told(desk, "--model", "m", "--base-url", HERE, "--show-prompt")
    printed = capsys.readouterr()
    assert printed.err == "Cell 1, trace t0, trait Accuracy. Nothing is sent.\n"
    assert printed.out.startswith(f'POST {HERE}/chat/completions\nmodel = "m"\n')
    assert "── system ──\nYou sort what one recorded response says." in printed.out
    assert "── user ──\nThe checklist is " in printed.out
    assert '── response_format ──\n{"type": "json_schema"' in printed.out


async def test_what_is_printed_is_what_is_sent(desk, capsys):
    with served(lambda _: completion("no")) as server:
        told(desk, "--model", "m", "--base-url", server.url, "--show-prompt", "--json")
        assert not server.asked
        choice = choose({"model": ["m"], "base_url": server.url}, desk.workspace.meta)
        ask = PendingCells(desk.workspace, choice).question(1)
        with pytest.raises(JudgmentFailed, match="no usable reply"):
            await choice.judge.judge(ask)
        await choice.judge.close()
        assert server.asked[0].body == json.loads(capsys.readouterr().out)


def test_no_key_is_needed(desk, capsys):
    told(desk, "--model", "gpt-5-mini", "--show-prompt")
    assert "POST https://api.openai.com/v1/chat/completions" in capsys.readouterr().out


def test_what_a_response_would_do_to_a_terminal_is_shown_inert(tmp_path, capsys):
    with bench(tmp_path, trace(response="a\x1b[2Jb\u202e")) as at:
        told(at, "--model", "m", "--base-url", HERE, "--show-prompt")
    assert "a\\x1b[2Jb\\u202e" in capsys.readouterr().out


def test_the_name_of_a_long_request_is_shown_inert(tmp_path, capsys):
    with bench(tmp_path, trace("a\x1b[2Jb")) as at:
        told(at, "--model", "m", "--base-url", HERE, "--dry-run")
    assert "The longest requests: a\\x1b[2Jb · Accuracy" in capsys.readouterr().out


def test_what_the_members_of_a_panel_are_told_alike_stands_once(desk, capsys):
    told(desk, "--model", "m", "--model", "n", "--base-url", HERE, "--show-prompt")
    printed = capsys.readouterr().out
    assert printed.count("POST ") == 2
    assert printed.count("── system ──") == 1
    told(
        desk,
        "--model",
        "m",
        "--model",
        "n",
        "--base-url",
        HERE,
        "--show-prompt",
        "--json",
    )
    bodies = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [body["model"] for body in bodies] == ["m", "n"]


def test_the_responses_api_is_shown_by_its_own_names(desk, tmp_path, capsys):
    profile = f'[judges.r]\nbase_url = "{HERE}"\nmodel = "m"\napi = "responses"\n'
    (tmp_path / "config.toml").write_text(profile)
    told(desk, "--judge", "r", "--show-prompt")
    printed = capsys.readouterr().out
    assert printed.startswith(f"POST {HERE}/responses\n")
    assert "You sort what one recorded response says." in printed


def test_examples_are_named(desk, capsys):
    desk.receive(1, proposal())
    desk.sign_off(1)
    told(desk, "--model", "m", "--base-url", HERE, "--few-shot", "2", "--show-prompt")
    assert (
        "Cell 2, trace t1, trait Accuracy; shown as examples: t0."
        in capsys.readouterr().err
    )
    told(desk, "--model", "m", "--base-url", HERE, "--few-shot", "2", "--dry-run")
    assert "2 cells, 2 requests with 1 example each" in capsys.readouterr().out


def test_a_dry_run_counts_cells_requests_tokens_and_cost(desk, tmp_path, capsys):
    profile = f'[judges.fast]\nbase_url = "{HERE}"\nmodel = "m"\nprices = {{input = 1000.0, output = 1000.0}}\n'
    (tmp_path / "config.toml").write_text(profile)
    told(desk, "--judge", "fast", "--dry-run")
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first == "3 cells, 3 requests. Nothing was sent."
    assert second.startswith("m at localhost:1: about ")
    assert second.endswith(" (without what the model may think before it answers)")
    assert "1,260 out, cost about " in second
    shared, longest = rest
    assert shared == (
        "About 65% of what is sent is in beginnings that prompts share: what a trait asks of all"
        " traces."
    )
    assert longest.startswith(
        "The longest requests: t0 · Accuracy (about 1,120 tokens), t1 · ",
    )
    told(desk, "--judge", "fast", "--dry-run", "--json")
    counted = json.loads(capsys.readouterr().out)
    assert counted["shared"] == pytest.approx(0.655, abs=0.005)
    assert (counted["cells"], counted["requests"], counted["tokens_out"]) == (
        3,
        3,
        1260,
    )
    assert counted["cost"] == pytest.approx((counted["tokens_in"] + 1260) / 1000)


def test_a_panel_is_counted_by_member_and_together(desk, capsys):
    told(desk, "--model", "m", "--model", "n", "--base-url", HERE, "--dry-run")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "3 cells, 6 requests. Nothing was sent.",
        "m at localhost",
        "n at localhost",
        "together",
        "The cost is not known",
        "About 65% of what is sent is in beginnings that prompts share",
        "The longest requests",
    ]


LONG = "BCL2 is a gene, and this sentence says so again. "


@pytest.fixture
def long_desk(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    traces = [
        trace(f"t{n}", response=f"{TRACE.response} {LONG * n}")
        for n in (1, 900, 2, 700, 3)
    ]
    profile = f'[judges.small]\nbase_url = "{HERE}"\nmodel = "m"\ncontext = 8192\n'
    large = (
        profile.replace("small", "large").replace("8192", "32768").replace('"m"', '"n"')
    )
    (tmp_path / "config.toml").write_text(profile + large)
    with bench(tmp_path, *traces, of=rubric(matrix())) as at:
        yield at


def test_a_dry_run_names_the_longest_requests_and_those_that_a_model_does_not_take(
    long_desk,
    capsys,
):
    told(long_desk, "--judge", "small", "--judge", "large", "--dry-run")
    lines = capsys.readouterr().out.splitlines()
    first, second, third = lines[-3:]
    assert first.startswith(
        "The longest requests: t900 · Accuracy (about 10,900 tokens), t700 · ",
    )
    assert second.startswith(
        "2 of 5 requests do not fit into m's context of 8,192 tokens, with ",
    )
    assert second.endswith(", t700 · Accuracy (about 8,730 tokens).")
    assert third == "All fit into n's context of 32,768 tokens."
    told(long_desk, "--judge", "small", "--dry-run", "--json")
    counted = json.loads(capsys.readouterr().out)["lengths"]
    assert counted["measured"] == 5
    assert [row["trace"] for row in counted["longest"]] == ["t900", "t700", "t3"]
    (too_long,) = counted["too_long"]
    assert (too_long["model"], too_long["context"]) == ("m", 8192)
    assert [(row["trace"], row["cell"]) for row in too_long["requests"]] == [
        ("t900", 2),
        ("t700", 4),
    ]


def test_a_dry_run_says_what_requests_about_one_run_share(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    runs = []
    for n in range(3):
        said = [{"role": "user", "content": f"{n} {LONG * 100}"}]
        runs.append(
            trace(f"t{n}", messages=[*said, {"role": "assistant", "content": "Yes."}]),
        )
    traits = [matrix(name=name, reads="conversation") for name in ("One", "Other")]
    with bench(tmp_path, *runs, of=rubric(*traits)) as at:
        told(at, "--model", "m", "--base-url", HERE, "--dry-run")
        printed = capsys.readouterr().out
        told(at, "--model", "m", "--base-url", HERE, "--dry-run", "--json")
        shared = json.loads(capsys.readouterr().out)["shared_by"]
    assert "in beginnings that prompts share: the rules " in printed
    assert f"a trace that several traits read {shared['traces']:.0%}." in printed
    assert shared["traces"] > shared["rules"] > 0


def test_where_nothing_says_what_a_model_takes_a_dry_run_says_where_to_say_it(
    long_desk,
    capsys,
):
    told(long_desk, "--model", "m", "--base-url", HERE, "--dry-run")
    said = (
        "How much m takes is not known: a profile in config.toml can say it (context)."
    )
    assert said in capsys.readouterr().out.splitlines()


def test_the_context_of_a_profile_is_of_its_own_model(long_desk, capsys):
    told(long_desk, "--judge", "small", "--model", "other", "--dry-run")
    assert "How much other takes is not known" in capsys.readouterr().out


def test_examples_are_told_with_the_longest(long_desk, capsys):
    for cell in (1, 2):
        long_desk.receive(cell, proposal())
        long_desk.sign_off(cell)
    told(long_desk, "--judge", "small", "--few-shot", "2", "--dry-run")
    printed = capsys.readouterr().out
    assert "Examples are about " in printed
    assert "the longest, t900, is about 10," in printed


def test_a_model_that_is_asked_several_times_has_one_line(desk, capsys):
    told_once = {
        "model": "m",
        "template_sha256": TEMPLATE.wording({}).sha256,
        "tokens_in": 3000,
        "tokens_out": 800,
    }
    desk.receive(1, proposal(**told_once))
    told(desk, "--model", "m", "--times", "3", "--base-url", HERE, "--dry-run")
    first, second, third, *_ = capsys.readouterr().out.splitlines()
    assert first == "2 cells, 6 requests. Nothing was sent."
    assert (
        second
        == "m at localhost:1 3 times, each: about 6,000 tokens in, 1,600 out (going by 1 judgment of it here)"
    )
    assert third == "together: about 18,000 tokens in, 4,800 out"


def test_judging_again_is_counted_without_a_round_being_begun(desk, capsys):
    for number in (1, 2, 3):
        desk.receive(number, proposal())
    told(desk, "--model", "m", "--base-url", HERE, "--dry-run")
    assert "Every cell is judged: nothing would be sent." in capsys.readouterr().out
    told(desk, "--model", "m", "--base-url", HERE, "--dry-run", "--again")
    assert "3 cells, 3 requests" in capsys.readouterr().out
    told(desk, "--model", "m", "--base-url", HERE, "--show-prompt")
    assert "Every cell is judged" in capsys.readouterr().err
    assert desk.round.no == 1


def test_a_query_that_finds_nothing_is_said_before_a_round_as_in_one(desk):
    with pytest.raises(Unusable, match='no judged cell fits "state:reviewed"'):
        told(
            desk,
            "--model",
            "m",
            "--base-url",
            HERE,
            "--dry-run",
            "--again",
            "--where",
            "state:reviewed",
        )


def test_a_round_is_gone_on_with_by_its_own_judge_only(desk, capsys):
    for number in (1, 2, 3):
        desk.receive(number, proposal())
    open_again(
        desk,
        choose({"model": ["m"], "base_url": HERE}, desk.workspace.meta, sending=False),
    )
    desk.receive(1, proposal(round=2))
    for again in ([], ["--again"]):
        told(desk, "--model", "m", "--base-url", HERE, "--dry-run", *again)
        assert "2 cells, 2 requests" in capsys.readouterr().out
    told(desk, "--model", "another", "--base-url", HERE, "--dry-run")
    assert "Every cell is judged: nothing would be sent." in capsys.readouterr().out
    told(desk, "--model", "another", "--base-url", HERE, "--dry-run", "--again")
    assert "3 cells, 3 requests" in capsys.readouterr().out


def test_a_judge_that_sends_nothing_has_no_prompt(desk, capsys):
    for option in ("--show-prompt", "--dry-run"):
        told(desk, "--judge", "lexical", option)
        assert (
            capsys.readouterr().err
            == "The judge lexical sends nothing: it has no prompt.\n"
        )
    for judge in ("lexical", "recorded"):
        told(desk, "--judge", judge, "--dry-run")
        assert capsys.readouterr().out == "3 cells, 0 requests. Nothing was sent.\n"


def test_what_cannot_be_asked_is_refused_with_a_sentence(desk):
    desk.workspace.set_meta("judge", "openai")
    with pytest.raises(Unusable, match="say which one is meant"):
        told(desk, "--show-prompt")
    with pytest.raises(Unusable, match="Which model"):
        told(desk, "--judge", "openai", "--show-prompt")
    again = ("--model", "m", "--base-url", HERE, "--again", "--where")
    with pytest.raises(Unusable, match="--where: "):
        told(desk, *again, "is:nonsense", "--dry-run")
    for option in ("--show-prompt", "--dry-run"):
        with pytest.raises(Unusable, match='--where: no judged cell fits "id:nowhere"'):
            told(desk, *again, "id:nowhere", option)
