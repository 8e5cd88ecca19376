"""Scores as queries ask for them."""

import pytest

from appellate.core.facts import Proposed
from appellate.query.language import parse
from appellate.store.queue import look_up, vocabulary
from appellate.traits.rubric import Rubric
from cells import opened, seat, trace

TRAITS = [
    {"name": "Style and facts", "scorer": "recorded", "keys": ["style", "facts"]},
    {"name": "Whole", "scorer": "recorded"},
]
VALUES = [{"style": 1, "facts": 0.25}, 1, {"style": 0, "facts": 0.5}, 0.5]


@pytest.mark.parametrize(
    ("query", "cells"),
    [
        ("value:1", [1, 2]),
        ("value:0.25,0.5", [1, 3, 4]),
        ("value:0", [3]),
        ("-value:0.5", [1, 2]),
        ("value:0.*", [1, 3, 4]),
        ('value:"style 1*"', [1]),
        ("value:style", []),
    ],
)
def test_a_score_is_found_by_any_of_its_values(query, cells, tmp_path):
    at = seat(
        opened(tmp_path, trace("a"), trace("b"), of=Rubric(scorer_traits=TRAITS)),
        tmp_path,
    )
    with at.workspace:
        for number, value in enumerate(VALUES, 1):
            at.receive(number, Proposed({"value": value}, {"name": "by hand"}))
        known = vocabulary(at.workspace.path)
        assert known.words["value"] == ("0", "0.25", "0.5", "1")
        assert list(look_up(at.workspace.path, parse(query, known)).numbers) == cells
