"""An audit file read trace by trace, or whole where a person wrote it otherwise: the same is read."""

import os
import sys
import threading

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from appellate.core.problem import Unusable
from appellate.core.step_progress import ignore_progress
from appellate.store.audits.audit import load_audit
from appellate.store.audits.audit_document import (
    NotByTrace,
    document_by_trace,
    whole_document,
)
from appellate.store.audits.audit_file import AuditFileReading
from appellate.store.audits.open_audit import rescue, resume
from appellate.store.trace_rows import AT_ONCE
from cells import place, trace
from store.test_audit import audit, lived_in, pending

TEXTS = st.lists(
    st.sampled_from(
        ["[[traces]]", "x", '"""', "'''", "# no", "\\", 'id = "t"', "a\rb"],
    ),
    max_size=4,
).map("\n".join)
LINES = st.sampled_from(
    [
        *(
            "[[traces]]",
            "[[ traces ]]",
            "  [[traces]]",
            "[[traces]] # again",
            "# [[traces]]",
        ),
        *(
            "[[traces.judgments]]",
            "[traces]",
            "traces = 3",
            "[more]",
            "[[design]]",
            "[rubric.more]",
        ),
        *('"""', "'''", "x = '''", "x = 1", "[", 'id = "a"', "]", "saved = 3", ""),
    ],
)


def of_texts(*texts: str) -> str:
    """An audit of a trace for each response, the first of them with a history."""
    cells = [(trace(), lived_in())]
    for number, text in enumerate(texts):
        one = trace(f"other {number}", text)
        cells.append((one, pending(one)))
    return audit(*cells).text()


@st.composite
def files(draw) -> bytes:
    """The bytes of an audit that a person may have edited."""
    text = of_texts(*draw(st.lists(TEXTS, min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 2))):
        lines = text.split("\n")
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["insert", "append", "remove", "repeat", "cut"])):
            case "insert":
                lines.insert(at, draw(LINES))
            case "append":
                lines += [draw(LINES), draw(LINES)]
            case "remove":
                del lines[at]
            case "repeat":
                parts = text.split("\n[[traces]]\n")
                lines = "\n[[traces]]\n".join(
                    [*parts, draw(st.sampled_from(parts))],
                ).split("\n")
            case _:
                lines = text[: draw(st.integers(0, len(text)))].split("\n")
        text = "\n".join(lines)
    octets = text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"]))).encode()
    octets = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"PK\x03\x04"])) + octets
    return draw(
        st.sampled_from(
            [octets, octets, octets, octets.replace(b"BCL2", b"BCL\xff", 1)],
        ),
    )


def outcome(read):
    """What an audit file comes to, or what is wrong with it."""
    try:
        found = read()
    except Unusable as refusal:
        return list(map(str, refusal.problems))
    return found.text(), found.is_changed, found.counted_before


def read_whole(path):
    return AuditFileReading(path, whole_document(path), ignore_progress).audit()


@settings(max_examples=150, deadline=None)
@example(of_texts("[[traces]]").encode())
@example((of_texts("x") + "[[design]]\n").encode())
@example((of_texts("x") + "[rubric.more]\n").encode())
@example(
    of_texts("x", "y").replace('"other 0"', "0").replace('"other 1"', '"""').encode(),
)
@given(files())
def test_a_file_comes_to_the_same_trace_by_trace_and_whole(tmp_path_factory, octets):
    path = tmp_path_factory.mktemp("file") / "x.audit.toml"
    path.write_bytes(octets)
    assert outcome(lambda: load_audit(path)) == outcome(lambda: read_whole(path))


def traces_by_trace(folder, text: str) -> int:
    path = folder / "x.audit.toml"
    path.write_bytes(text.encode())
    traces = document_by_trace(path).traces
    assert traces is not None
    return len(list(traces))


@pytest.mark.parametrize(
    "change",
    [str, lambda text: "\ufeff" + text.replace("\n", "\r\n")],
)
def test_a_file_as_it_was_written_is_read_trace_by_trace(tmp_path, change):
    assert (
        traces_by_trace(tmp_path, change(of_texts("x", "# [[traces]]", "[traces]\ny")))
        == 4
    )


@pytest.mark.parametrize(
    "text",
    [
        of_texts("x", "before\n[[traces]]\nbehind"),
        of_texts("x") + "\n[more]\nx = 1\n",
        of_texts("x").replace("[[traces]]", "[[ traces ]]", 1),
        of_texts("x") + "\nx = \n",
        "[[traces]]\n",
    ],
)
def test_a_file_that_does_not_part_at_its_traces_is_read_whole(tmp_path, text):
    # its top is empty, and is refused before any trace is read
    if text == "[[traces]]\n":
        assert traces_by_trace(tmp_path, text) == 1
        return
    with pytest.raises(NotByTrace):
        traces_by_trace(tmp_path, text)


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="its pipes have no place among files",
)
def test_a_pipe_is_read_whole_as_nothing_comes_out_of_it_twice(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    text = of_texts("x", "[[traces]]")
    writer = threading.Thread(target=lambda: path.write_text(text, "utf-8"))
    writer.start()
    assert load_audit(path).text() == text
    writer.join()


# -- a workspace made of the file on the way -------------------------------------------------------


def test_a_workspace_is_made_of_a_file_that_must_be_read_whole_in_the_end(tmp_path):
    texts = ["x", "before\n[[traces]]\nbehind"]
    place(tmp_path).audit.write_text(of_texts(*texts), "utf-8")
    with resume(place(tmp_path)).workspace as workspace:
        assert [workspace.traces.get(number).response for number in (2, 3)] == texts
        assert not list(tmp_path.glob("*.new*"))
        _, cell = workspace.cell(1)
    rescue(place(tmp_path).audit, [cell], tmp_path / "rescued.db")
    assert (tmp_path / "rescued.db").exists()


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("t1", "'t1' 1: stands here twice"),
        ("t2", "n = 1: two facts have this number"),
        ("", "id: must not be empty"),
    ],
)
def test_what_is_wrong_with_an_early_trace_of_many_leaves_no_workspace(
    tmp_path,
    first,
    said,
):
    head, *parts = of_texts(*map(str, range(2 * AT_ONCE))).split("\n[[traces]]\n")
    again = parts[0].replace('id = "t1"', f'id = "{first}"')
    text = "\n[[traces]]\n".join([head, parts[0], again, *parts[1:]])
    place(tmp_path).audit.write_text(text, "utf-8")
    with pytest.raises(Unusable, match=said):
        resume(place(tmp_path))
    left = [path.name for path in tmp_path.iterdir() if not path.name.endswith(".lock")]
    assert left == ["x.audit.toml"]
