"""A trace and its key."""

import pytest
from pydantic import ValidationError

from appellate.core.trace import Trace
from cells import trace


def test_id_and_epoch_tell_a_trace_from_others():
    assert trace("a").key == ("a", 1)
    assert trace("a", epoch=2).key == ("a", 2)


@pytest.mark.parametrize(
    "given",
    [{"id": ""}, {"id": "a", "epoch": -1}, {"id": "a", "epoch": 2**63}, {"id": "a", "x": 1}],
)
def test_what_is_no_trace_is_refused(given):
    with pytest.raises(ValidationError):
        Trace(**given)
