"""The judge against the person, from what is kept of each cell, as a fold of all cells has it."""

from all_kinds import NAMES, bench_of_all_kinds
from appellate.core.facts import Proposed
from appellate.core.kind import KnownTrait
from appellate.store.agreements import agreements, panels
from appellate.store.breakdowns import breakdown
from appellate.traits.metric import KIND as METRIC
from cells import (
    GENE,
    MOVED,
    TRACE,
    bench,
    corrects,
    link,
    matrix,
    panel,
    proposal,
    rubric,
    rules,
    sample_of,
    select,
    trace,
    worked_example,
)

FOUND = corrects({"action": "move", "bucket": "fn", "index": 0, "to": "tp", **select(GENE)})


def named(at) -> dict[str, list[KnownTrait]]:
    found = {}
    for known in at.workspace.rubric.every_trait():
        found.setdefault(known.trait.name, []).append(known)
    return found


def counts(of) -> dict[tuple[str, str], int]:
    return {pair: count for pair, count in of.counts.items() if count}


def test_every_kind_is_compared_as_its_folded_cells_are(tmp_path):
    with bench_of_all_kinds(tmp_path) as at:
        found = agreements(at.workspace.path, named(at))
        for name in NAMES:
            folded = breakdown(at.workspace.path, name)
            if name in found:
                whole = found[name].whole
                assert counts(whole) == counts(folded.whole.agreement)
                assert set(whole.words) == set(folded.whole.agreement.words)
                assert whole.rates == folded.whole.agreement.rates
                for one in folded.instructions:
                    key = one.stats.of, one.stats.instruction
                    own = found[name].instructions.get(key)
                    assert counts(own or one.agreement) == counts(one.agreement)
        assert {"Accuracy", "Safe", "Clarity", "Coverage", "Cites"} <= found.keys()


def test_only_cells_that_a_judge_judged_and_a_person_signed_off_are_compared(tmp_path):
    with bench(tmp_path, *(trace(name) for name in "abcde"), of=rubric(matrix())) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.do(1, MOVED)
        at.sign_off(1)
        at.sign_off(2)
        at.do(2, MOVED)  # and so it is signed off no more
        by_hand = {"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}
        at.do(4, corrects(by_hand))
        at.sign_off(4)
        found = agreements(at.workspace.path, named(at))["Accuracy"]
        assert found.whole.n == 6
        assert counts(found.whole) == {
            ("found", "found"): 3,
            ("found", "missing"): 1,
            ("missing", "missing"): 2,
        }
        assert found.instructions["tp", "Mentions BCL2 gene"].counts == {("found", "missing"): 1}


def test_verdicts_ruled_blind_are_apart_from_labels_signed_in_sight_and_hidden_ones_in_neither(
    tmp_path,
):
    with bench(tmp_path, *(trace(name) for name in "abcd")) as at:
        for number in (1, 2, 3, 4):
            at.receive(number, proposal())
        at.draw(sample_of("a", "b", of=4))
        rules(at, 1)  # a verdict that calls every instruction missing
        at.do(1, FOUND)  # a change of mind: the verdict stays what it was
        at.sign_off(1)
        at.sign_off(3)
        found = agreements(at.workspace.path, named(at))["Accuracy"]
        assert counts(found.whole) == {("found", "found"): 4, ("missing", "missing"): 2}
        assert counts(found.blind) == {("found", "missing"): 4, ("missing", "missing"): 2}
        assert found.blind_instructions["tp", "Mentions BCL2 gene"].n == 1
        folded = breakdown(at.workspace.path, "Accuracy")
        assert counts(folded.whole.blind) == counts(found.blind)
        assert counts(folded.whole.agreement) == counts(found.whole)
        assert [one.blind.n for one in folded.instructions] == [1] * 6


def test_traces_of_one_cluster_and_epochs_of_one_trace_belong_together(tmp_path):
    apart = [trace("a", cluster="x"), trace("b", cluster="x"), trace("c"), trace("c", epoch=2)]
    with bench(tmp_path, *apart) as at:
        for number in (1, 2, 3, 4):
            at.receive(number, proposal())
            at.sign_off(number)
        found = agreements(at.workspace.path, named(at))["Accuracy"].whole
        assert (found.n, found.traces) == (24, 2)
        assert breakdown(at.workspace.path, "Accuracy").whole.agreement.clusters == found.clusters
        assert found.known("kappa").bounds.clusters == 2


def test_a_trait_of_which_nothing_is_signed_off_has_nothing_compared(tmp_path):
    with bench(tmp_path) as at:
        found = agreements(at.workspace.path, named(at))["Accuracy"]
        assert (found.whole.n, found.instructions) == (0, {})


def test_what_a_person_left_open_is_no_answer_and_what_the_judge_left_open_is_one(tmp_path):
    whole = worked_example()
    # the judge says nothing of the first instruction
    short = {**whole, "tp": whole["tp"][1:], "items": []}
    said = Proposed(METRIC.locate(matrix(), TRACE, short), {"name": "gpt"})
    with bench(tmp_path, *(trace(name) for name in "ab"), of=rubric(matrix())) as at:
        at.receive(1, said)
        at.receive(2, said)
        assert "unclear" in at.known(1)[1].answers.values()
        at.do(2, corrects({"action": "add", "bucket": "fn", **link(1)}))
        for number in (1, 2):
            at.sign_off(number)
        found = counts(agreements(at.workspace.path, named(at))["Accuracy"].whole)
        folded = counts(breakdown(at.workspace.path, "Accuracy").whole.agreement)
    assert found == folded
    assert found["unclear", "missing"] == 1
    assert "unclear" not in {person for _, person in found}


# -- panels ----------------------------------------------------------------------------------------


TRACES = [f"t{number}" for number in range(6)]


def test_members_are_compared_with_each_other_and_with_who_signed_off(tmp_path):
    with bench(tmp_path, *map(trace, TRACES)) as at:
        for number in range(1, 7):
            at.receive(number, panel())
            if number <= 4:
                at.sign_off(number)
        found = panels(at.workspace.path)["Accuracy"]
        assert len(found.members) == 2
        assert (found.n, found.compared, found.blind) == (36, 24, False)
        first, second = found.against
        assert (first.n, first.agreed) == (24, 24)
        assert second.agreed < 24
        assert found.between[0, 1].agreed == second.agreed * 6 // 4
        assert found.alpha.value == found.between[0, 1].known("alpha").value
        assert found.votes is None  # the first member never errs


def test_hidden_cells_are_in_no_panel_and_verdicts_are_not_pooled_with_labels(tmp_path):
    with bench(tmp_path, *map(trace, TRACES)) as at:
        for number in range(1, 7):
            at.receive(number, panel())
        at.draw(sample_of(*TRACES[:5], of=6))
        at.sign_off(6)
        found = panels(at.workspace.path)["Accuracy"]
        assert (found.n, found.compared) == (6, 6)


def test_a_trait_that_no_panel_judged_has_none(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        assert panels(at.workspace.path) == {}
