"""What `check` takes for an audit, every command takes: no value in a file ends one in a traceback."""

import asyncio
import copy
import random
import tomllib
from datetime import UTC, date, datetime

import pytest

from all_kinds import bench_of_all_kinds
from app.review_stage import sitting
from appellate.cli import main
from appellate.core.deciding import Comment, Flag
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import resume
from appellate.store.files.toml import emit
from appellate.store.files.trace_record import RECORD
from cells import place
from linear.linear_stage import told

pytestmark = pytest.mark.slow

VALUES = [
    *(
        1.5,
        -1,
        0,
        1,
        2**70,
        True,
        float("nan"),
        float("-inf"),
        "",
        "[b]",
        "x\x00\x1b[31m",
        "tp",
    ),
    *(
        [],
        {},
        [1],
        [{}],
        ["a", "b"],
        {"a": {"b": [1]}},
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1),  # noqa: DTZ001 - TOML has such
        datetime(1, 1, 1, tzinfo=UTC),
        date(2026, 1, 1),
    ),
]
COMMANDS = [
    ["metrics", "--json"],
    ["metrics", "--csv"],
    ["metrics"],
    ["report"],
    ["report", "--format", "html"],
    ["report", "--format", "json"],
    ["report", "--format", "csv"],
    ["log"],
    ["gate", "f1>=.8"],
    ["check", "--lint"],
    ["judge", "--again", "--judge", "lexical"],
]
SCREENS = [
    ("f", "escape"),
    ("H", "escape"),
    ("S", "tab", "tab", "escape"),
    ("i", "escape"),
    ("n",),
] * 3


def places(value, path=()):
    """The path of everything below a value."""
    below = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        below = enumerate(value)
    for key, part in below:
        yield (*path, key)
        yield from places(part, (*path, key))


def judged_otherwise(document, chance: random.Random):
    """The document with something else said of the judge in one of its tables."""
    document = copy.deepcopy(document)
    cells = [cell for trace in document["traces"] for cell in trace["judgments"]]
    judge = chance.choice([cell["judge"] for cell in cells if "judge" in cell])
    judge[chance.choice([*RECORD, "round", "examples", "members", "n", "at", "by"])] = (
        chance.choice(VALUES)
    )
    return document


def mutated(document, chance: random.Random):
    """The document with one value replaced, left out or repeated."""
    document = copy.deepcopy(document)
    below = [path for path in places(document) if path[0] != "rubric"]
    *above, last = chance.choice(below)
    holder = document
    for key in above:
        holder = holder[key]
    match chance.choice(["replace", "replace", "remove", "repeat"]):
        case "replace":
            holder[last] = chance.choice(VALUES)
        case "remove":
            del holder[last]
        case "repeat" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case _:
            holder[f"{last} "] = holder[last]
    return document


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    with bench_of_all_kinds(folder) as at:
        at.do(1, Comment("Why?"))
        at.do(2, Flag(on=True))
        at.save()
    return tomllib.loads(next(folder.glob("*.audit.toml")).read_text())


@pytest.mark.parametrize("seed", range(150))
def test_what_check_accepts_every_command_accepts(document, seed, tmp_path):
    path = tmp_path / "x.audit.toml"
    change = mutated if seed % 2 else judged_otherwise
    path.write_text("".join(emit(change(document, random.Random(seed)))))
    if main(["check", str(path)]):
        return
    for name, *options in COMMANDS:
        assert main([name, str(path), *options]) in (0, 1, 2, 3)
    with resume(place(tmp_path)).workspace as workspace:
        shown = told(
            Workbench(workspace, path, "ada"),
            *["f", "H", "n"] * 10,
            "q",
            "",
            code=0,
        )
        assert "Response" in shown
    asyncio.run(looked_at(tmp_path))


async def looked_at(folder):
    async with sitting(folder) as at:
        for keys in SCREENS:
            await at.press(*keys)
