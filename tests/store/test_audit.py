"""The audit file: reading it and writing it again changes no byte, and nothing in it is lost unseen."""

import math
import re
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.cell import Cell, fold, proposals
from appellate.core.deciding import (
    Adopt,
    Comment,
    Flag,
    Reason,
    Receive,
    Redo,
    Show,
    Undo,
)
from appellate.core.describe import describe, members
from appellate.core.facts import Fact, Failed, Revised
from appellate.core.kind import KnownTrait, Subject
from appellate.core.problem import Unusable
from appellate.core.trace import Document, Trace
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import (
    FORMAT,
    Audit,
    AuditedCell,
    is_audit,
    load_audit,
)
from appellate.store.audits.open_audit import resume
from appellate.store.files.toml import emit
from appellate.traits.metric import KIND
from appellate.traits.metric.majority import panel_labels
from cells import (
    GENE,
    NOON,
    RESPONSE,
    SIGN,
    TRACE,
    Story,
    checklist,
    commands,
    lived,
    marks,
    matrix,
    panel,
    place,
    proposal,
    rubric,
    trace,
)
from two_kinds import signed_off

SAVED = "2026-11-21T12:00:00.123456Z"


THERE = "2026-11-21T14:00:00.123456+02:00"


def audit(*cells: tuple[Trace, Cell], of=None, **more) -> Audit:
    traces = list({one.key: one for one, _ in cells}.values())
    found = [AuditedCell(one, cell) for one, cell in cells]
    return Audit(of or rubric(), traces, found, SAVED, "0.1.0", ["ada"], **more)


def lived_in(*life) -> Cell:
    story = Story()
    for command in life or (Receive(proposal()), Flag(True), Comment("hm")):
        story.does(command)
    return story.cell


def pending(one: Trace) -> Cell:
    return fold(Subject(KIND, matrix(), one), ())


def stored(folder, text: str):
    path = folder / "x.audit.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def again(folder, text: str) -> Audit:
    return load_audit(stored(folder, text))


def problems(folder, text: str) -> list[str]:
    with pytest.raises(Unusable) as refused:
        again(folder, text)
    return [str(problem) for problem in refused.value.problems]


def changed(old: str, new: str) -> str:
    """The text of a small audit with something in it put by hand."""
    text = audit((trace(), lived_in())).text()
    assert old in text, text
    return text.replace(old, new, 1)


def full_life() -> str:
    """An audit with every kind of fact in it."""
    story = Story()
    story.does(Receive(Failed("no answer", "raw", {"name": "gpt"})))
    story.does(Receive(proposal()))
    edit = story.corrects(reason="why", action="drop", bucket="tp", index=2)
    for command in (
        Reason(edit.n, "x"),
        Flag(True),
        Comment("hm"),
        SIGN,
        Undo(edit.n),
        Redo(edit.n),
    ):
        story.does(command)
    one = trace(
        metadata={"a": 1},
        documents=["d", {"text": "e"}],
        judgments={"Accuracy": {"tp": ["x"]}},
    )
    return audit((one, story.cell)).text()


FULL_LIFE = full_life()


def rounds_and_panels() -> str:
    """An audit with a changed trait, two rounds by panels, and a member's labels adopted."""
    old = matrix(description="Looser")
    story = Story(old)
    story.does(Receive(proposal(old)))
    story.corrects(action="move", bucket="tp", index=0, to="fn")
    story.does(SIGN)
    revised = Fact(4, SAVED, "ada", Revised(old.sha256()))
    earlier = {old.sha256(): KnownTrait(KIND, old)}
    story.cell = fold(
        Subject(KIND, matrix(), TRACE, earlier),
        (*story.cell.facts, revised),
    )
    seated = story.does(Receive(panel(examples=["t2"])))
    for command in (
        Adopt(seated.n, 1),
        Show("gpt"),
        SIGN,
        Receive(panel(round=2, examples=["t2"])),
        Flag(True),
    ):
        story.does(command)
    return audit((trace(), story.cell), earlier=earlier).text()


ROUNDS = rounds_and_panels()

OLD_DROPS = Path(__file__).parent / "drops_of_instructions.audit.toml"
PLANTED = Path(__file__).parent / "planted_errors.audit.toml"

# -- round trips ----------------------------------------------------------------------------------


@given(st.lists(commands, max_size=12))
def test_any_life_survives_the_file_and_the_file_is_written_again_to_the_byte(
    tmp_path_factory,
    life,
):
    cell = lived(Story(), life).cell
    one = audit((trace(), cell))
    found = again(tmp_path_factory.mktemp("audit"), one.text())
    assert (found.cells[0].cell, found.cells[0].extra) == (cell, {})
    assert found.text() == one.text()


strings = st.text(max_size=30) | st.sampled_from(
    ["a\rb", "a\r\nb\n", "\x00", '"""\n', "\\\n", "😀\ufeff\u202e", "'''"],
)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | strings,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.builds(
        Trace,
        id=strings.filter(bool),
        question=st.none() | strings,
        response=strings,
        reference=st.none() | strings | st.lists(strings, max_size=2),
        choices=st.none() | st.lists(strings, max_size=2),
        documents=st.none()
        | st.lists(
            strings | st.builds(Document, id=st.none() | strings, text=strings),
            max_size=3,
        ),
        messages=st.none() | st.lists(anything, max_size=2),
        cluster=st.none() | strings,
        metadata=st.none() | st.dictionaries(strings, anything, max_size=3),
    ),
)
def test_any_trace_survives_the_file(tmp_path_factory, one):
    whole = audit((one, pending(one)))
    found = again(tmp_path_factory.mktemp("audit"), whole.text())
    assert found.traces == [one]
    assert found.text() == whole.text()


def test_null_nan_and_large_numbers_of_metadata_survive(tmp_path):
    one = trace(
        metadata={
            "nan": math.nan,
            "inf": -math.inf,
            "null": None,
            "huge": 10**400,
            "in": [{"null": None}],
        },
    )
    found = again(tmp_path, audit((one, pending(one))).text())
    metadata = found.traces[0].metadata
    assert math.isnan(metadata.pop("nan"))
    assert metadata == {
        "inf": -math.inf,
        "null": None,
        "huge": 10**400,
        "in": [{"null": None}],
    }


def test_an_audit_with_nothing_done_has_no_moment(tmp_path):
    whole = Audit(rubric(), [], [], None, "0.1.0", [])
    assert "saved" not in whole.text()
    assert again(tmp_path, whole.text()).text() == whole.text()


def test_unknown_keys_are_kept_and_written_back_at_every_level(tmp_path):
    text = changed(
        'appellate = "0.1.0"',
        'appellate = "0.1.0"\ntomorrow = 1\nfirst = 0001-01-01T00:00:00Z',
    )
    text = text.replace("epoch = 1", "epoch = 1\nmood = 2026-11-21T12:00:00", 1)
    text = text.replace('kind = "metric"', 'kind = "metric"\nmood = {deep = ["x"]}', 1)
    text = text.replace('name = "gpt"', 'name = "gpt"\nmood = "fair"', 1)
    text = text.replace('text = "hm"', 'text = "hm"\nmood = "low"', 1)
    found = again(tmp_path, text)
    assert found.extra == {"tomorrow": 1, "first": datetime(1, 1, 1, tzinfo=UTC)}
    assert found.trace_extra[("t1", 1)].keys() == {"mood"}
    assert found.cells[0].extra == {
        "mood": {"deep": ["x"]},
        "comments": {"3": {"mood": "low"}},
    }
    once = found.text()
    for line in (
        "tomorrow = 1",
        'mood = "fair"',
        'mood = "low"',
        "[traces.judgments.mood]",
    ):
        assert line in once
    assert again(tmp_path, once).text() == once
    assert tomllib.loads(once) == tomllib.loads(text)


def test_a_byte_order_mark_and_dos_line_ends_are_read(tmp_path):
    one = trace(response=RESPONSE + "\nA second line.")
    text = audit((one, pending(one))).text()
    assert again(tmp_path, "\ufeff" + text.replace("\n", "\r\n")).text() == text


# -- what is refused, and where -------------------------------------------------------------------


def test_a_judges_link_to_an_instruction_that_there_is_not_is_refused(tmp_path):
    text = (
        audit((trace(), lived_in(Receive(proposal()))))
        .text()
        .replace("instruction = 4", "instruction = 40")
    )
    assert any(
        "judge.items" in told and "no tp instruction 40" in told
        for told in problems(tmp_path, text)
    )


def test_an_unknown_format_is_refused_by_name(tmp_path):
    (told,) = problems(tmp_path, changed(FORMAT, "appellate-audit/2"))
    assert "appellate-audit/2" in told
    assert FORMAT in told
    assert "not an audit" in problems(tmp_path, "x = 1")[0]
    assert "not an audit" in problems(tmp_path, "format = 1")[0]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("precision = 0.75", "precision = 0.76", "traces[0].judgments[0].metrics"),
        ('state = "proposed"', 'state = "reviewed"', "traces[0].judgments[0].state"),
        ("flag = true", "flag = false", "traces[0].judgments[0].flag"),
        ("start = 0", "start = 1", "traces[0].judgments[0]"),
        ('text = "hm"', "txt = 1", "traces[0].judgments[0]"),
        ("\nn = 3", "\nn = 1", "n = 1"),
        ("\nn = 3", "\nn = 0", "traces[0].judgments[0]"),
        ("\nn = 3", '\nn = "3"', "traces[0].judgments[0]"),
        ('by = "ada"\ntext', "by = 1\ntext", "traces[0].judgments[0]"),
        ("at = 2026-11-21", 'at = "2026"#', "traces[0].judgments[0]"),
        ('act = "flagged"', 'act = "flogged"', "traces[0].judgments[0]"),
        ('trait = "Accuracy"', 'trait = "Other"', "traces[0].judgments[0]"),
        ('trait = "Accuracy"', 'trait = ["Accuracy"]', "traces[0].judgments[0]"),
        ('id = "t1"', "id = []", "traces[0]: id"),
        ("saved = 2026", 'saved = "x"#', "saved"),
        ('appellate = "0.1.0"', "appellate = 1", "appellate"),
        ('    "ada",', "    1,", "reviewers"),
        ("sha256 = ", 'sha256 = "x"#', "rubric.sha256"),
        ("metrics = [", "metric = [", "rubric"),
        ("epoch = 1", 'epoch = 1\nmetadata = "{"', "traces[0]"),
        ("epoch = 1", "epoch = 1\nmetadata = 3", "traces[0]"),
        ("epoch = 1", f"epoch = 0x{'f' * 5000}", "more than 4,300 digits"),
    ],
)
def test_what_was_changed_by_hand_is_reported_with_its_place(tmp_path, old, new, place):
    told = problems(tmp_path, changed(old, new))
    assert any(place in one for one in told), told
    assert all("x.audit.toml" in one for one in told)


@pytest.mark.parametrize(
    "added",
    ['metadata = "{}"', 'messages = "{}"', '[traces.other]\nmessages = "{}"'],
)
def test_json_that_is_nested_too_deeply_is_reported_with_its_place(tmp_path, added):
    deep = "[" * 100_000 + "]" * 100_000
    [told] = problems(
        tmp_path,
        changed("epoch = 1", f"epoch = 1\n{added.format(deep)}"),
    )
    wrong = "traces[0]: this trace cannot be read (it is nested too deeply)"
    assert wrong in told


def test_a_part_of_the_design_that_lacks_a_key_is_told_by_its_name(tmp_path):
    design = '[[design]]\nn = 9\nby = "ada"\n\n[[traces]]'
    told = problems(tmp_path, changed("[[traces]]", design))
    wrong = 'this part of the design cannot be read ("act" is missing or unknown)'
    assert any(f"design[0]: {wrong}" in one for one in told), told


def test_audited_lists_changed_by_hand_are_reported_with_their_place(tmp_path):
    head, lists = (
        audit((trace(), lived_in())).text().split("[traces.judgments.audited]")
    )
    told = problems(
        tmp_path,
        head + "[traces.judgments.audited]" + lists.replace(GENE, "BCL3", 1),
    )
    place = f"{tmp_path / 'x.audit.toml'}: traces[0].judgments[0].audited"
    wrong = (
        "is not what the judge and history in this file give: it was changed by hand; "
        "put it back, and correct it in a review"
    )
    assert told == [f'{place}: {wrong} (trace "t1")']
    pending_with = (
        audit((trace(), pending(trace()))).text()
        + '\n[traces.judgments.audited]\ntp = ["x"]\n'
    )
    assert "judgments[0].audited" in problems(tmp_path, pending_with)[0]


def test_drops_that_an_earlier_version_kept_still_take_instructions_out_of_the_ledger(
    tmp_path,
):
    """The file was written by the version before `d` was refused on FN and TN."""
    text = OLD_DROPS.read_text()
    assert load_audit(OLD_DROPS).text() == text
    place(tmp_path).audit.write_text(text)
    with resume(place(tmp_path)).workspace as workspace:
        bench = Workbench(workspace, place(tmp_path).audit, "ada", lambda: NOON)
        assert marks(bench.open(1)[1].labels) == {"tp": [2, 3], "tn": [-2]}
        bench.undo()
        bench.undo()
        assert marks(bench.open(1)[1].labels) == {"tp": [2, 3], "fp": [-1], "tn": [-2]}


def test_where_errors_were_planted_people_see_what_the_judge_said_and_no_byte_changes(
    tmp_path,
):
    """The file was written by a version that showed known errors in place of the judge's labels."""
    text = PLANTED.read_text()
    assert load_audit(PLANTED).text() == text
    place(tmp_path).audit.write_text(text)
    with resume(place(tmp_path)).workspace as workspace:
        bench = Workbench(workspace, place(tmp_path).audit, "ada", lambda: NOON)
        cells = {
            bench.open(number)[0].id: bench.open(number)[1] for number in range(1, 5)
        }
        seen = {name: (cell.state, marks(cell.labels)) for name, cell in cells.items()}
        assert seen == {
            "waiting": ("proposed", {"tp": [1, 2]}),
            "corrected": ("corrected", {"tp": [1], "fn": [2]}),
            "caught": ("proposed", {"tp": [1, 2]}),
            "missed": ("reviewed", {"tp": [1, 2]}),
        }
        assert all(
            marks(cell.judge_labels) == {"tp": [1, 2]} for cell in cells.values()
        )
        bench.save()
        assert bench.audit.read_text() == text


def test_where_an_error_waits_to_be_found_a_sign_off_counts_and_a_correction_can_be_undone(
    tmp_path,
):
    place(tmp_path).audit.write_bytes(PLANTED.read_bytes())
    with resume(place(tmp_path)).workspace as workspace:
        bench = Workbench(workspace, place(tmp_path).audit, "ada", lambda: NOON)
        bench.sign_off(1)
        assert bench.open(1)[1].state == "reviewed"
        for _ in range(3):
            bench.undo()
        assert [bench.open(number)[1].state for number in range(1, 5)] == [
            "proposed",
        ] * 4
        bench.save()
    assert load_audit(bench.audit).text() == bench.audit.read_text()


def test_a_correction_that_cannot_be_applied_is_reported(tmp_path):
    story = Story()
    story.does(Receive(proposal()))
    story.corrects(action="drop", bucket="tp", index=2)
    text = audit((trace(), story.cell)).text()
    assert (
        "cannot be applied"
        in problems(tmp_path, text.replace("index = 2\nto", "index = 7\nto"))[0]
    )
    assert (
        "no longer there"
        in problems(tmp_path, text.replace("index = 2\nto", "index = 1\nto"))[0]
    )


@pytest.mark.parametrize("first", ["9", "0", '"1"', "true"])
def test_a_fact_is_no_part_of_an_act_that_came_later(tmp_path, first):
    text = changed('by = "ada"', f'by = "ada"\npart_of = {first}')
    assert "is not the number of an earlier act" in problems(tmp_path, text)[0]


@pytest.mark.parametrize("moment", ["2026-11-21T12:00:00", "2026-11-21", "12:00:00"])
@pytest.mark.parametrize("key", ["at", "saved"])
def test_a_moment_without_a_zone_is_refused_as_each_machine_would_read_another(
    tmp_path,
    key,
    moment,
):
    text = re.sub(rf"\n{key} = .*", f"\n{key} = {moment}", full_life(), count=1)
    told = problems(tmp_path, text)
    assert "a date and time with a zone, as 2026-01-31T09:05:00Z" in told[0]


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:00:00-14:00",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:00:00Z",
        "0002-01-01T00:00:00+01:00",
    ],
)
@pytest.mark.parametrize(
    ("key", "place"),
    [("at", "traces[0].judgments[0]"), ("saved", "saved")],
)
def test_a_moment_that_not_every_zone_has_is_refused_with_its_place(
    tmp_path,
    key,
    place,
    moment,
):
    text = re.sub(rf"\n{key} = .*", f"\n{key} = {moment}", full_life(), count=1)
    assert place in problems(tmp_path, text)[0]


def test_a_moment_of_another_zone_is_the_same_in_utc(tmp_path):
    text = full_life()
    there = text.replace("saved = 2026-11-21T12:00:00.123456Z", f"saved = {THERE}")
    assert there != text
    assert again(tmp_path, there).text() == text


def test_all_problems_come_at_once(tmp_path):
    text = changed('state = "proposed"', 'state = "failed"').replace(
        "saved = 2026",
        'saved = "x"#',
    )
    assert len(problems(tmp_path, text)) == 2


def test_a_trace_or_a_judgment_that_stands_twice_is_reported(tmp_path):
    one = trace()
    head, body = audit((one, pending(one))).text().split("\n[[traces]]", 1)
    assert any(
        "'t1' 1: stands here twice" in p
        for p in problems(tmp_path, head + ("\n[[traces]]" + body) * 2)
    )
    before, judgment = body.split("\n[[traces.judgments]]", 1)
    twice = f"{head}\n[[traces]]{before}" + ("\n[[traces.judgments]]" + judgment) * 2
    assert "'t1' 1 'Accuracy': stands here twice" in problems(tmp_path, twice)[0]


HEAD, _, REST = (
    Audit(rubric(checklist()), [], [], None, "0.1.0", []).text().partition("\n")
)
UNJUDGED = audit((trace(), pending(trace()))).text().split("\n[[traces.judgments]]")[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = ",
        HEAD,
        f"{HEAD}\nrubric = 1",
        f'{HEAD}\nrubric = ["abc"]',
        "a = " + "[" * 5000,
        "a = " + "9" * 5000,
        f"{HEAD}\ntraces = 1\n{REST}",
        f'{HEAD}\ntraces = ["x"]\n{REST}',
        f"{HEAD}\n{REST}\n[traces]\nid = 1\n",
        f"{HEAD}\n{REST}\n[[traces]]\njudgments = 3\nid = 't'\n",
        f'{UNJUDGED}\njudgments = ["x"]\n',
        f"{UNJUDGED}\njudgments = [{{trait = 'Accuracy', judge = 1, recorded = 2}}]\n",
        f"{UNJUDGED}\njudgments = [{{recorded = 2}}]\n",
    ],
)
def test_what_is_no_audit_or_no_list_of_traces_or_judgments_is_refused_with_a_sentence(
    tmp_path,
    text,
):
    assert problems(tmp_path, text)


def test_a_file_that_cannot_be_read_is_refused_with_a_sentence(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(Unusable):
            load_audit(path)
    (tmp_path / "latin").write_bytes(b'x = "\xe4"')
    with pytest.raises(Unusable, match="UTF-8"):
        load_audit(tmp_path / "latin")


def test_an_audit_says_what_it_is_in_its_first_lines(tmp_path):
    assert is_audit(stored(tmp_path, audit((trace(), lived_in())).text()))
    assert not is_audit(stored(tmp_path, "x = 1"))
    assert not is_audit(tmp_path / "none")
    assert not is_audit(tmp_path)


def places(value, path=()):
    """The path of every value in a document."""
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in inner:
        yield from places(below, (*path, key))


JUNK = [
    None,
    0,
    -1,
    2**70,
    1.5,
    math.nan,
    True,
    "",
    "tp",
    "x" * 9,
    [],
    ["x"],
    [{}],
    {},
    {"n": 1},
    date(2026, 1, 1),
]


def spoilt(text: str, data) -> str:
    """The text of an audit with one value gone, or another in its place."""
    document = tomllib.loads(text)
    *path, last = data.draw(st.sampled_from(list(places(document))[1:]))
    holder = document
    for step in path:
        holder = holder[step]
    junk = data.draw(st.sampled_from(JUNK))
    if junk is None:
        del holder[last]
    else:
        holder[last] = junk
    return "".join(emit(document))


@settings(max_examples=80)
@given(st.data())
def test_no_value_put_by_hand_anywhere_is_more_than_a_sentence(tmp_path_factory, data):
    text = spoilt(FULL_LIFE, data)
    try:
        found = again(tmp_path_factory.mktemp("audit"), text)
    except Unusable as refused:
        assert str(refused)  # noqa: PT017 - a law: any refusal says why
        return
    once = found.text()
    assert again(tmp_path_factory.mktemp("audit"), once).text() == once


@settings(max_examples=40)
@given(st.data())
def test_no_value_put_by_hand_into_rounds_and_panels_is_more_than_a_sentence(
    tmp_path_factory,
    data,
):
    folder = tmp_path_factory.mktemp("audit")
    stored(folder, spoilt(ROUNDS, data))
    try:
        workspace = resume(place(folder)).workspace
    except Unusable as refused:
        assert str(refused)  # noqa: PT017 - a law: any refusal says why
        return
    with workspace:
        if not workspace.cells.count():
            return
        _, cell = workspace.cell(1)
        assert all(describe(cell, fact) or not fact.is_act for fact in cell.facts)
        assert all(
            member.name
            for fact in proposals(cell)
            for member in members(fact.what.judge)
        )
        panel_labels(cell)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("judge", "round"), 10**20, "judge.round"),
        (("judge", "examples"), [1], "judge.examples"),
        (("judge", "members"), ["x"], "judge.members"),
        (("judge", "name"), 1.5, "judge.name: must be text"),
        (("judge", "latency"), True, "judge.latency: must be a number"),
        (("judge", "cost"), 10**400, "judge.cost: must be a number, not a huge number"),
        (
            ("judge", "members", 0, "parameters"),
            [],
            "judge.members[0].parameters: must be a table",
        ),
        (
            ("rounds", 0, "tokens_in"),
            "9",
            "rounds[0].tokens_in: must be a whole number",
        ),
        (
            ("judge", "members", 1, "items", 0, "start"),
            "x",
            "judge.members[1].items[0].start",
        ),
        (("rounds", 1, "items", 0, "bucket"), [], "judgments[0]"),
        (
            ("judge", "members", 0, "items", 0, "instruction"),
            40,
            "judge.members[0].items[0].instruction",
        ),
        (("judge", "mood"), date(2026, 1, 1), "judgments[0]"),
        (("history", -1, "on"), [1], "judgments[0]"),
    ],
)
def test_a_judges_record_changed_by_hand_is_reported_with_its_place(
    tmp_path,
    path,
    value,
    place,
):
    document = tomllib.loads(ROUNDS)
    holder = document["traces"][0]["judgments"][0]
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert any(place in one for one in problems(tmp_path, "".join(emit(document))))


def test_labels_that_came_with_a_trace_are_read_by_its_own_kind(tmp_path):
    with signed_off(tmp_path, judge="recorded") as at:
        traces = load_audit(at.audit).traces
    first, second, *_ = [trace.judgments["Safe"] for trace in traces]
    assert first["value"] is True
    assert len(second["tp"]) == 3
