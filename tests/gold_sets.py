"""Gold sets for tests: traces of which people say whether they are polite, and judges of known error."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.gold.gold_file import Gold, read_gold
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench
from loopback import Answer, Asked, Script, completion, reply_to, shaped

POLITE = LLMRubricTrait(name="Polite", kind="boolean", description="Is it polite?")
RUBRIC = Rubric(name="Leaflets", llm_traits=[POLITE])


def is_polite(number: int) -> bool:
    """What people say of a trace."""
    return number % 3 != 0


def traces(count: int, first: int = 1) -> list[Trace]:
    return [
        Trace(id=f"t{number}", response=f"Reply number {number} is polite.")
        for number in range(first, first + count)
    ]


def said(number: int, wrong: Collection[int]) -> Proposed:
    """What a judge says that errs on some traces."""
    value = is_polite(number) != (number in wrong)
    return Proposed({"value": value, "evidence": [], "rationale": ""}, {"name": "old"})


@contextmanager
def audited(
    folder: Path,
    count: int = 30,
    own_errors: Collection[int] = (),
    signed: int | None = None,
) -> Iterator[Workbench]:
    """An audit of so many traces, of which the first are signed off as people see them."""
    with bench(folder, *traces(count), of=RUBRIC) as at:
        at.receive_many(
            (number, said(number, own_errors)) for number in range(1, count + 1)
        )
        for number in range(1, (count if signed is None else signed) + 1):
            if number in own_errors:
                at.do(number, Correct(Edit("set", is_polite(number))))
            at.sign_off(number, 9.0)
        yield at


def erring(*wrong: int, yes: str = "yes", no: str = "no") -> Script:
    """A server whose model says what people say, but for some traces."""

    def script(asked: Asked) -> Answer:
        number = int(re.findall(r"Reply number (\d+)", asked.user)[-1])
        is_yes = is_polite(number) != (number in wrong)
        reply = reply_to(asked)
        excerpt = [f"Reply number {number}"] if is_yes else []
        reply["answer"] |= {"verdict": yes if is_yes else no, "excerpts": excerpt}
        return completion(shaped(asked, reply))

    return script


def frozen(folder: Path, *bars: str, name: str = "x.gold.toml", **how: object) -> Gold:
    """The gold set of such an audit, in a file; the audit stays as x.audit.toml."""
    from appellate.cli import main

    with audited(folder, **how) as at:  # type: ignore[arg-type]
        at.save()
    options = [word for bar in bars for word in ("--bar", bar)]
    assert (
        main(
            [
                "gold",
                "freeze",
                str(folder / "x.audit.toml"),
                "-o",
                str(folder / name),
                *options,
            ],
        )
        == 0
    )
    return read_gold(folder / name)


def sign_all(path: Path) -> None:
    """Sign off every cell of an audit as its judge labelled it."""
    with resume(AuditFiles.of(path)).workspace as workspace:
        at = Workbench(workspace, path, "ada")
        for number in range(1, workspace.cells.count() + 1):
            at.sign_off(number, 9.0)
        at.save()
