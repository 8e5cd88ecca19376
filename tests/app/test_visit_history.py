"""Back and forward, as in a browser."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.app.queue.navigation import VisitHistory

cells = st.lists(st.integers(1, 9), min_size=1, max_size=8)


@given(cells)
def test_going_all_the_way_back_and_forward_again_ends_where_it_began(visited):
    trail = VisitHistory()
    for number in visited[:-1]:
        trail.note_left(number)
    here = visited[-1]
    back = [here]
    while (before := trail.back(back[-1])) is not None:
        back.append(before)
    assert back[::-1] == visited
    ahead = [back[-1]]
    while (after := trail.forward(ahead[-1])) is not None:
        ahead.append(after)
    assert ahead == visited


def test_a_new_way_forgets_what_was_ahead():
    trail = VisitHistory()
    trail.note_left(1)
    assert trail.back(2) == 1
    trail.note_left(1)
    assert trail.forward(7) is None
    assert trail.back(7) == 1


def test_a_long_walk_keeps_the_nearest_cells():
    trail = VisitHistory()
    for number in range(2000):
        trail.note_left(number)
    assert trail.back(2000) == 1999
