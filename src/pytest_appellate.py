"""A plugin of pytest that tests judges on a gold set: `pytest --appellate-gold x.gold.toml`.

There is a test for each bar, one for the verdict, and one for each cell. A cell on which the judge
disagrees with people is an expected failure, since bars decide how many of these there may be.
Nothing of Appellate is imported unless the option is given, and no judge is asked before the first
of the tests runs.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from appellate.gold.checking import JudgeCheck

_OPTIONS = "appellate_options"
"""The key of an ini file that says which judges there are, and the option of the command line."""


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
    group.addoption("--appellate-options", default=None, metavar="OPTIONS", help=help_text)
    parser.addini(_OPTIONS, help_text, default="")


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the tests of each gold set that the command line names."""
    paths: Sequence[str] = config.getoption("--appellate-gold")
    for path in paths:
        full_path = config.invocation_params.dir / path
        gold_set = GoldSet.from_parent(session, path=full_path, name=path, nodeid=path)
        items += gold_set.collect()


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
                yield self._test(f"{name}::{bar}", index, "bar", str(bar))
            yield self._test(f"{name}::verdict", index, "verdict", "")
            for cell in gold.cells:
                yield self._test(f"{name}::{cell.name}", index, "cell", cell.name)

    def _test(self, name: str, judge: int, sort: str, subject: str) -> "GoldTest":
        test: GoldTest = GoldTest.from_parent(self, name=name)
        test.judge = judge
        test.sort = sort
        test.subject = subject
        return test

    @cached_property
    def _arguments(self) -> Any:
        """The options of `gold check`, read from those of pytest."""
        import shlex

        from appellate.cli.arguments import parser

        options = self.config.getoption("--appellate-options")
        words = shlex.split(self.config.getini(_OPTIONS) if options is None else options)
        return parser("gold").parse_args(["gold", "check", str(self.path), *words])

    @cached_property
    def _gold(self) -> Any:
        from appellate.gold.gold_file import read_gold

        return read_gold(self.path)

    def _judges(self) -> list[tuple[str, str]]:
        """Return the name of each judge and the option that it came by."""
        from appellate.cli.gold import judges_named

        return judges_named(self._arguments)

    @cached_property
    def checks(self) -> "list[JudgeCheck]":
        """How each judge does; they are asked the first time.

        Raises GoldProblem if they cannot be asked.
        """
        from appellate.cli.gold import checked
        from appellate.core.problem import Refused, Unusable

        try:
            return checked(self._arguments, self._gold)
        except (Refused, Unusable) as error:
            raise GoldProblem(str(error)) from None


class GoldTest(pytest.Item):
    """One test of a judge on a gold set: of a bar, of a cell, or of the verdict."""

    judge: int
    """The position of the judge."""
    sort: str
    subject: str
    """The bar or the cell; "" for the verdict."""

    def runtest(self) -> None:
        """Raise GoldProblem for a bar that is not reached, or a cell without an answer."""
        from appellate.gold.telling import agreement_text
        from appellate.numbers.such_traces import bar_text

        assert isinstance(self.parent, GoldSet)  # noqa: S101 - it made the test
        check = self.parent.checks[self.judge]
        if self.sort == "verdict":
            if check.verdict != "passed":
                text = " ".join([agreement_text(check), *check.reasons])
                raise GoldProblem(f"{check.verdict}: {text}")
        elif self.sort == "bar":
            for result in check.bars:
                if str(result.bar) == self.subject and result.decision != "reached":
                    raise GoldProblem(bar_text(result))
        else:
            _test_cell(check, self.subject)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return only the reason of a failure, without a traceback."""
        if isinstance(excinfo.value, GoldProblem):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> "tuple[Path, None, str]":
        """Return where the test is: the gold set, and the name."""
        return self.path, None, self.name


def _test_cell(check: "JudgeCheck", name: str) -> None:
    """Raise GoldProblem for a cell that got no answer; skip a stale one.

    A cell on which the judge disagrees with people is an expected failure.
    """
    if name in check.answers.missing:
        raise GoldProblem("No reply is recorded about this cell.")
    if name in check.failures:
        raise GoldProblem(check.failures[name])
    for stale in check.stale:
        if stale.cell.name == name:
            pytest.skip(f"stale: another is {stale.what}")
    if name in check.unasked:
        pytest.skip(check.unasked[name])
    differing = check.disagreements(name)
    if differing:
        pytest.xfail("; ".join(f"{judge} (people: {person})" for judge, person in differing))
