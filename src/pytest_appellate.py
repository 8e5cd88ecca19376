"""A plugin of pytest that tests judges on a gold set: `pytest --appellate-gold x.gold.toml`.

There is a test for each bar, one for the verdict, and one for each cell. A cell on which the judge
disagrees with people is an expected failure, since bars decide how many of these there may be.
Nothing of Appellate is imported unless the option is given, and no judge is asked before the first
of the tests runs. Workers of pytest-xdist on one machine ask once together: the first that needs
the answers asks, and leaves the outcomes of all tests in a folder that the others read.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from appellate.gold.checking import JudgeCheck

Outcome = tuple[str, str]
"""What comes of a test, one of "passed", "failed", "skipped" and "xfailed", and why, or ""."""

_OPTIONS = "appellate_options"
"""The key of an ini file that says which judges there are, and the option of the command line."""
_SHARED = "appellate_shared"
"""What a worker of pytest-xdist knows the folder by that all workers share."""
_FOLDER = pytest.StashKey[str]()
"""Where the process that starts the workers keeps that folder."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this plugin."""
    group = parser.getgroup("appellate")
    group.addoption(
        "--appellate-gold",
        action="append",
        default=[],
        metavar="GOLD",
        help="test judges on this gold set (again for several)",
    )
    help_text = (
        "which judges, as `appellate gold check` takes them:"
        " '--model NEW --base-url URL --replies replies.jsonl'"
    )
    group.addoption(
        "--appellate-options",
        default=None,
        metavar="OPTIONS",
        help=help_text,
    )
    parser.addini(_OPTIONS, help_text, default="")


def pytest_collection_modifyitems(
    session: pytest.Session,
    config: pytest.Config,
    items: list[pytest.Item],
) -> None:
    """Add the tests of each gold set that the command line names."""
    paths: Sequence[str] = config.getoption("--appellate-gold")
    for path in paths:
        full_path = config.invocation_params.dir / path
        gold_set = GoldSet.from_parent(session, path=full_path, name=path, nodeid=path)
        items += gold_set.collect()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist the folder that all workers share; the first call makes it."""
    config: pytest.Config = node.config
    if not config.getoption("--appellate-gold"):
        return
    if _FOLDER not in config.stash:
        from tempfile import mkdtemp

        config.stash[_FOLDER] = mkdtemp(prefix="appellate-gold-")
    node.workerinput[_SHARED] = config.stash[_FOLDER]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder that workers shared, if there was one."""
    if _FOLDER in config.stash:
        from shutil import rmtree

        rmtree(config.stash[_FOLDER], ignore_errors=True)


class GoldProblem(Exception):
    """Raised where a bar is not reached or a cell got no answer; the message says why."""


class GoldSet(pytest.Collector):
    """The tests of one gold set."""

    def collect(self) -> Iterator["GoldTest"]:
        """Yield the tests of each judge; raises UsageError for what cannot be used."""
        from appellate.core.problem import Unusable

        try:
            names = [name for name, _ in self._judges()]
            gold = self._gold
        except Unusable as error:
            raise pytest.UsageError("\n".join(map(str, error.problems))) from None
        for index, name in enumerate(names):
            for bar in gold.bars:
                yield self._test(f"{name}::{bar}", index, str(bar))
            yield self._test(f"{name}::verdict", index, "")
            for cell in gold.cells:
                yield self._test(f"{name}::{cell.name}", index, cell.name)

    def _test(self, name: str, judge: int, subject: str) -> "GoldTest":
        test: GoldTest = GoldTest.from_parent(self, name=name)
        test.judge = judge
        test.subject = subject
        return test

    @cached_property
    def _arguments(self) -> Any:
        """The options of `gold check`, read from those of pytest."""
        import shlex

        from appellate.cli.arguments import parser

        options = self.config.getoption("--appellate-options")
        words = shlex.split(
            self.config.getini(_OPTIONS) if options is None else options,
        )
        return parser("gold").parse_args(["gold", "check", str(self.path), *words])

    @cached_property
    def _gold(self) -> Any:
        from appellate.gold.gold_file import read_gold

        return read_gold(self.path)

    def _judges(self) -> "Sequence[tuple[str, str]]":
        """Return the name of each judge and the option that it came by."""
        from appellate.cli.gold import judges_named

        return judges_named(self._arguments)

    @cached_property
    def outcomes(self) -> "Sequence[Mapping[str, Outcome]]":
        """What comes of the tests of each judge, by their subjects; "" is the verdict.

        The judges are asked the first time, unless another worker of pytest-xdist has asked them.
        Raises GoldProblem if they cannot be asked.
        """
        shared = getattr(self.config, "workerinput", {}).get(_SHARED)
        found = _shared(shared, self._identity, self._ask) if shared else self._ask()
        if isinstance(found, str):
            raise GoldProblem(found)
        return found

    @property
    def _identity(self) -> str:
        """The name of a file for the outcomes of this gold set; another set has another one."""
        import hashlib

        return hashlib.sha256(str(self.path).encode()).hexdigest()

    def _ask(self) -> list[dict[str, Outcome]] | str:
        """Ask the judges, and return what comes of their tests, or why they cannot be asked."""
        from appellate.cli.gold import checked
        from appellate.core.problem import Refused, Unusable

        try:
            checks = checked(self._arguments, self._gold)
        except (Refused, Unusable) as error:
            return str(error)
        names = [cell.name for cell in self._gold.cells]
        return [_outcomes(check, names) for check in checks]


def _shared(
    folder: str,
    name: str,
    ask: Callable[[], list[dict[str, Outcome]] | str],
) -> list[dict[str, Outcome]] | str:
    """Return what `ask` returns, of which all workers that share a folder call it once.

    While one of them asks, the others wait. On a machine without the folder `ask` is called.
    """
    import json
    from pathlib import Path

    from filelock import FileLock

    path = Path(folder, f"{name}.json")
    if not path.parent.is_dir():
        return ask()
    with FileLock(f"{path}.lock"):
        if not path.exists():
            path.write_text(json.dumps(ask()), "utf-8")
        found: list[dict[str, Outcome]] | str = json.loads(path.read_text("utf-8"))
    return found


class GoldTest(pytest.Item):
    """One test of a judge on a gold set: of a bar, of a cell, or of the verdict."""

    judge: int
    """The position of the judge."""
    subject: str
    """The bar or the cell; "" for the verdict."""

    def runtest(self) -> None:
        """Raise GoldProblem for a bar that is not reached, or a cell without an answer.

        A stale cell is skipped, and one on which judge and people differ an expected failure.
        """
        assert isinstance(self.parent, GoldSet)  # noqa: S101 - it made the test
        outcome, reason = self.parent.outcomes[self.judge][self.subject]
        if outcome == "failed":
            raise GoldProblem(reason)
        if outcome == "skipped":
            pytest.skip(reason)
        if outcome == "xfailed":
            pytest.xfail(reason)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,
    ) -> Any:
        """Return only the reason of a failure, without a traceback."""
        if isinstance(excinfo.value, GoldProblem):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> "tuple[Path, None, str]":
        """Return where the test is: the gold set, and the name."""
        return self.path, None, self.name


def _outcomes(check: "JudgeCheck", names: Sequence[str]) -> dict[str, Outcome]:
    """Return what comes of each test of a judge: of its bars, its cells, and "", the verdict.

    `names` are those of all cells of the gold set.
    """
    from appellate.gold.telling import agreement_text
    from appellate.numbers.such_traces import bar_text

    verdict: Outcome = ("passed", "")
    if check.verdict != "passed":
        text = " ".join([agreement_text(check), *check.reasons])
        verdict = ("failed", f"{check.verdict}: {text}")
    outcomes = {"": verdict}
    for result in check.bars:
        is_reached = result.decision == "reached"
        outcomes[str(result.bar)] = (
            ("passed", "") if is_reached else ("failed", bar_text(result))
        )
    for name in names:
        outcomes[name] = _outcome_of_cell(check, name)
    return outcomes


def _outcome_of_cell(check: "JudgeCheck", name: str) -> Outcome:
    """Return what comes of the test of a cell.

    It fails without an answer, and is skipped if it is stale or was not asked about. A cell on
    which the judge disagrees with people is an expected failure.
    """
    if name in check.answers.missing:
        return "failed", "No reply is recorded about this cell."
    if name in check.failures:
        return "failed", check.failures[name]
    for stale in check.stale:
        if stale.cell.name == name:
            return "skipped", f"stale: another is {stale.what}"
    if name in check.unasked:
        return "skipped", check.unasked[name]
    differing = check.disagreements(name)
    if differing:
        return "xfailed", "; ".join(
            f"{judge} (people: {person})" for judge, person in differing
        )
    return "passed", ""
