"""A panel's members against each other and against the person, from a workspace."""

from appellate.core.design_facts import Sampled
from appellate.store.agreements import panels
from cells import bench, panel, proposal, trace

NAMES = [f"t{number}" for number in range(6)]


def test_members_are_compared_with_each_other_and_with_who_signed_off(tmp_path):
    with bench(tmp_path, *map(trace, NAMES)) as at:
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
    with bench(tmp_path, *map(trace, NAMES)) as at:
        for number in range(1, 7):
            at.receive(number, panel())
        strata = [{"name": "all", "units": 6, "drawn": 5}]
        drawn = [{"traces": [[name, 1]], "stratum": "all"} for name in NAMES[:5]]
        how = Sampled("simple", [], 1, True, 6, "ab" * 32, "0", strata, drawn)
        at.draw(how)
        at.sign_off(6)
        found = panels(at.workspace.path)["Accuracy"]
        assert (found.n, found.compared) == (6, 6)


def test_a_trait_that_no_panel_judged_has_none(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        assert panels(at.workspace.path) == {}
