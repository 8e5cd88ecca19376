"""What a model took here, as far as the latest judgments tell."""

from appellate.store.facts import Usage, usage
from cells import bench, proposal, trace


def test_the_latest_judgments_of_a_model_are_told_and_no_more_than_asked_for(tmp_path):
    with bench(tmp_path, *[trace(f"t{n}") for n in range(4)]) as desk:
        for number in range(1, 5):
            taken = {"template_sha256": "x", "tokens_in": 100 * number, "tokens_out": 10}
            desk.receive(number, proposal(model="m" if number != 3 else "another", **taken))
        path = desk.workspace.path
        assert usage(path, "m", 2) == [Usage(4, "x", 0, 400, 10), Usage(2, "x", 0, 200, 10)]
        assert len(usage(path, "m")) == 3
        assert usage(path, "nobody") == []
