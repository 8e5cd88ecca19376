"""The file of a gold set: it holds what every kind says, reads back to the byte, and refuses edits."""

from datetime import date, time
from importlib import import_module
from random import Random
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from all_kinds import bench_of_all_kinds
from appellate.core.cell import Cell, fold
from appellate.core.facts import Corrected, Fact, Proposed, SignedOff
from appellate.core.kind import Subject
from appellate.core.problem import Refused, Unusable
from appellate.gold import gold_sets_of, gold_sets_text, is_gold
from appellate.gold.freezing import COMPUTED, LACKING, freeze, rulings
from appellate.gold.gold_file import SIGNED, gold_cell, gold_toml, read_gold, write_gold
from appellate.store.audits.audit import load_audit
from appellate.store.files.toml import emit
from appellate.traits.kinds import kinds
from appellate.traits.llm.edits import Edit
from conversations import RUN, proposed, rubric, subject
from gold_sets import frozen

AT = "2026-11-26T12:00:00.000001Z"


def asked_kinds() -> list[str]:
    found = []
    for name, kind in kinds().items():
        examples: Any = import_module(f"traits.{name}.examples").EXAMPLES
        if any(kind.source_name(trait) == "model" for trait in examples.traits):
            found.append(name)
    return found


@pytest.mark.parametrize("name", asked_kinds())
@settings(max_examples=12)
@given(data=st.data())
def test_labels_of_every_kind_answer_and_measure_the_same_when_they_are_read_again(
    name,
    data,
):
    kind = kinds()[name]
    examples: Any = import_module(f"traits.{name}.examples").EXAMPLES
    trait = data.draw(st.sampled_from(list(examples.traits)))
    of = Subject(kind, trait, examples.trace)
    table = kind.locate(trait, of.trace, data.draw(examples.tables(trait)))
    cell = signed_off(of, table)
    gold = gold_cell(cell, ["ada"], AT, SIGNED)
    text = "".join(emit({"labels": gold.table, "edits": list(gold.edits)}))
    read = tomli.loads(text)
    again = replace(gold, table=read["labels"], edits=read["edits"]).labels
    assert kind.answers(trait, again) == cell.answers
    assert kind.measure(trait, again).values == cell.figures.values


def signed_off(of: Subject, table: Any) -> Cell:
    facts = [Fact(1, AT, "", Proposed(table, {"name": "gpt"}))]
    facts.append(Fact(2, AT, "ada", SignedOff(of.trait.sha256())))
    return fold(of, facts)


def test_labels_by_hand_that_no_table_tells_are_refused(monkeypatch):
    of = subject("llm")
    edit = Corrected(dict(Edit("set", True).to_row()))
    signed = SignedOff(of.trait.sha256())
    cell = fold(of, [Fact(1, AT, "ada", edit), Fact(2, AT, "ada", signed)])
    told = gold_cell(cell, ["ada"], AT, SIGNED)
    assert told.table["value"] is True

    monkeypatch.setattr(
        type(of.kind),
        "write",
        lambda *_: {"audited": {"value": False}},
    )
    with pytest.raises(Refused, match="No table can hold the labels of"):
        gold_cell(cell, ["ada"], AT, SIGNED)


def can_be_judged(of: Subject) -> bool:
    return of.source_name == "model" and not of.kind.lacking(of.trait, of.asked)


def test_an_audit_of_every_kind_is_frozen_as_it_was_signed_but_for_what_is_computed(
    tmp_path,
):
    with bench_of_all_kinds(tmp_path) as at:
        at.save()
    audit = load_audit(tmp_path / "x.audit.toml")
    selection = rulings(audit.cells)
    path = tmp_path / "x.gold.toml"
    digest = write_gold(
        path,
        freeze(audit.rubric, selection, [], [tmp_path / "x.audit.toml"]),
    )
    gold = read_gold(path)
    assert gold.digest == digest
    assert gold_toml(gold) == path.read_text("utf-8")
    assert is_gold(path)
    signed = {one.key: one.cell for one in audit.cells if one.cell.signed}
    judged = {key for key, cell in signed.items() if can_be_judged(cell.subject)}
    assert {cell.key for cell in gold.cells} == judged
    for cell in gold.cells:
        assert (
            cell.subject.kind.answers(cell.subject.trait, cell.labels)
            == signed[cell.key].answers
        )
        assert cell.judge["name"] == signed[cell.key].judge.judge["name"]
    assert selection.left_out.keys() == {COMPUTED, LACKING}


def test_a_conversation_is_frozen_as_it_was_read(tmp_path):
    of = subject("llm")
    cell = gold_cell(signed_off(of, proposed(of).table), ["ada"], AT, SIGNED)
    selection = rulings([])
    selection.rulings.append(cell)
    selection.traces[RUN.key] = RUN
    write_gold(tmp_path / "x.gold.toml", freeze(rubric(), selection, [], []))
    (again,) = read_gold(tmp_path / "x.gold.toml").cells
    assert again.subject.text == of.text
    assert again.text_sha256 == cell.text_sha256
    assert again.trace.messages == RUN.messages


def test_no_byte_of_a_gold_set_can_be_changed_unseen(tmp_path):
    frozen(tmp_path, "judge.agreement>=.8", count=3)
    path = tmp_path / "x.gold.toml"
    text = path.read_text("utf-8")
    head = text.index("frozen = ")
    random = Random(1)
    for place in random.sample(range(head, len(text)), 60):
        changed = (
            f"{text[:place]}{'0' if text[place] != '0' else '1'}{text[place + 1 :]}"
        )
        path.write_text(changed, "utf-8")
        try:
            again = read_gold(path)
        except Unusable:
            continue
        assert gold_toml(again) == text, f"{place}: {text[place - 20 : place + 20]!r}"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda table: table["traces"][0].pop("id"), "traces[0]"),
        (
            lambda table: table["traces"][0]["cells"][0].update(trait="Nosuch"),
            "no trait 'Nosuch'",
        ),
        (
            lambda table: table["traces"][0]["cells"][0].update(how="guessed"),
            "how = 'guessed'",
        ),
        (
            lambda table: table["traces"][0]["cells"][0].update(x=1),
            "there is no key 'x'",
        ),
        (
            lambda table: table["traces"][0]["cells"][0].pop("labels"),
            'this cell cannot be read ("labels" is missing or unknown)',
        ),
        (
            lambda table: table["traces"][0]["cells"][0]["labels"].update(value=[1]),
            "cannot be read (labels.value must be",
        ),
        (
            lambda table: table["traces"][0]["cells"][0].update(judge={"value": "x"}),
            "cannot be read (judge.value must be",
        ),
        (lambda table: table["traces"][0].update(cells=3), "must be a list of tables"),
        (lambda table: table.update(bars=["nonsense"]), "is not a bar"),
        (lambda table: table.update(bars=3), "must be a list of bars"),
        (lambda table: table.update(traces=[]), "has no traces"),
        (lambda table: table.update(rubric=3), "holds no rubric"),
        (lambda table: table.update(more=3), "a gold set has no such key"),
        (lambda table: table.update(frozen="today"), "must be a date and time"),
        (lambda table: table.update(frozen=time(10)), "must be a date and time"),
        (
            lambda table: table.update(frozen=table["frozen"].replace(tzinfo=None)),
            "with a zone",
        ),
        (
            lambda table: table["traces"][0]["cells"][0].update(at=date(2026, 1, 31)),
            "2026-01-31 is not a date and time with a zone",
        ),
    ],
)
def test_a_gold_set_that_another_program_made_wrong_is_refused_with_a_place(
    tmp_path,
    change,
    why,
):
    from appellate.gold.gold_file import digest_of

    frozen(tmp_path, "judge.agreement>=.8", count=2)
    path = tmp_path / "x.gold.toml"
    table = tomli.loads(path.read_text("utf-8"))
    change(table)
    head = {"format": table.pop("format"), "appellate": table.pop("appellate")}
    table.pop("digest")
    path.write_text(
        "".join(emit({**head, "digest": digest_of(table), **table})),
        "utf-8",
    )
    with pytest.raises(Unusable) as refused:
        read_gold(path)
    assert why in str(refused.value)


def test_the_gold_sets_that_were_made_of_an_audit_are_found_beside_it(tmp_path):
    gold = frozen(tmp_path, "judge.agreement>=.6", count=3)
    audit = tmp_path / gold.source
    assert gold_sets_text(audit).startswith("Frozen as gold: x.gold.toml. ")
    assert gold_sets_of(tmp_path / "other.audit.toml") == []
    assert gold_sets_text(tmp_path / "other.audit.toml") == ""
    for number in range(3):
        text = (tmp_path / "x.gold.toml").read_text("utf-8")
        (tmp_path / f"y {number}.gold.toml").write_text(text, "utf-8")
    (tmp_path / "broken.gold.toml").write_text('format = "appellate-gold/1', "utf-8")
    (tmp_path / "z.gold.toml").write_text("no gold set", "utf-8")
    assert len(gold_sets_of(audit)) == 4
    assert "x.gold.toml, y 0.gold.toml, y 1.gold.toml and 1 more" in gold_sets_text(
        audit,
    )


@pytest.mark.parametrize(
    "sources",
    ["Doe, Jane.audit.toml", "a.toml, Doe, Jane.audit.toml, b.toml"],
)
def test_a_comma_in_an_audits_name_does_not_hide_its_gold_set(tmp_path, sources):
    head = f'format = "appellate-gold/1"\nsource = "{sources}"\n'
    (tmp_path / "x.gold.toml").write_text(head, "utf-8")
    assert len(gold_sets_of(tmp_path / "Doe, Jane.audit.toml")) == 1
    assert gold_sets_of(tmp_path / "Jane.toml") == []
