"""How the source reads, in numbers: a bound that is met says look, not shuffle lines.

`python tests/test_shape.py` prints every number beside its bound, and the places behind those that are over; with
`--where`, behind all. Bounds and ceilings only ever go down. There is none on lines a file, on unique names or on
rates per 1,000 lines: such bounds part what belongs together.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src/appellate"
LONGEST_LINE = 100
ALL_LINES = 75_226  # a ceiling that only falls
INTEROP = (
    "interop/"  # the room of other tools' files, which came later and has a ceiling of its own
)
INTEROP_LINES = 4_412

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.comprehension,
    ast.match_case,
)

Places = list[str]


@dataclass(frozen=True)
class File:
    """A source file, its lines and its syntax."""

    name: str
    lines: list[str]
    nodes: list[ast.AST]

    def found(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        return (node for node in self.nodes if isinstance(node, kinds))

    def place(self, node: ast.AST, told: str = "") -> str:
        return f"{self.name}:{node.lineno} {told}".rstrip()


@cache
def files() -> list[File]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [read(path, str(path.relative_to(SOURCE))) for path in paths]


def house() -> list[File]:
    """What the ceilings are of."""
    return [file for file in files() if not file.name.startswith(INTEROP)]


def read(path: Path, name: str) -> File:
    text = path.read_text("utf-8")
    return File(name, text.splitlines(), list(ast.walk(ast.parse(text))))


def all_found(*kinds: type[ast.AST]) -> Iterator[tuple[File, ast.AST]]:
    return ((file, node) for file in files() for node in file.found(*kinds))


# -- never ----------------------------------------------------------------------------------------


def conditional_inside_another() -> Places:
    """An `a if c else b` that stands anywhere in another one."""
    inner = (
        (file, node)
        for file, outer in all_found(ast.IfExp)
        for node in ast.walk(outer)
        if node is not outer
    )
    return [file.place(node) for file, node in inner if isinstance(node, ast.IfExp)]


def conditional_added() -> Places:
    """`x += a if c else b`."""
    return [
        file.place(node)
        for file, node in all_found(ast.AugAssign)
        if isinstance(node.value, ast.IfExp)
    ]


# -- how large ------------------------------------------------------------------------------------


def long_lines() -> Places:
    over = ((file, number, line) for file in files() for number, line in enumerate(file.lines, 1))
    return [f"{file.name}:{number}" for file, number, line in over if len(line) > LONGEST_LINE]


def long_functions(most: int = 50) -> Places:
    lengths = (
        (file, node, node.end_lineno - node.lineno + 1) for file, node in all_found(*FUNCTIONS)
    )
    return [
        file.place(node, f"{node.name} {length}") for file, node, length in lengths if length > most
    ]


def branching_functions(most: int = 12) -> Places:
    counted = ((file, node, complexity(node)) for file, node in all_found(*FUNCTIONS))
    return [
        file.place(node, f"{node.name} {count}") for file, node, count in counted if count > most
    ]


def complexity(function: ast.AST) -> int:
    """The ways through a function, those of the functions in it left out."""
    count, todo = 1, list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        count += isinstance(node, BRANCHES)
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        todo.extend(ast.iter_child_nodes(node))
    return count


def large_classes(most: int = 60) -> Places:
    """Classes with too many methods, those of their bases in this program included."""
    classes = {node.name: node for _, node in all_found(ast.ClassDef)}
    return [f"{name} {count}" for name in classes if (count := methods(name, classes)) > most]


def methods(name: str, classes: dict[str, ast.ClassDef], below: tuple[str, ...] = ()) -> int:
    own = sum(isinstance(part, FUNCTIONS) for part in classes[name].body)
    bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
    known = [base for base in bases if base in classes and base not in (name, *below)]
    return own + sum(methods(base, classes, (*below, name)) for base in known)


# -- how much of it -------------------------------------------------------------------------------


PARTICIPLES = re.compile(r"\b(?:\w*_)?(?:told|said|heard)(?:_\w*)?\b")


def file_names() -> Places:
    return [file.name for file in house()]


def modules_with_one_importer() -> Places:
    """They belong to their one user, unless they are a subject of their own."""
    importers: dict[str, set[str]] = defaultdict(set)
    for file, node in all_found(ast.ImportFrom):
        importers[node.module or ""].add(file.name)
    own = sorted(module for module in importers if module.startswith("appellate"))
    return [f"{one}: {min(importers[one])}" for one in own if len(importers[one]) == 1]


def functions_used_once() -> Places:
    """Functions outside of classes with a single use, an import not counted."""
    uses = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for _, node in all_found(ast.Name, ast.Attribute)
    )
    return [
        file.place(node, node.name)
        for file in house()
        for top in file.found(ast.Module)
        for node in top.body
        if isinstance(node, FUNCTIONS) and uses[node.name] == 1
    ]


def private_language() -> Places:
    """*Told*, *said* and *heard*, alone or in a name, where a field's word would say more."""
    return [
        f"{file.name}:{number} {word}"
        for file in files()
        for number, line in enumerate(file.lines, 1)
        for word in PARTICIPLES.findall(line)
    ]


PLACES = {
    "one conditional expression inside another": (conditional_inside_another, 0),
    "x += a if c else b": (conditional_added, 0),
    "lines over 100 characters": (long_lines, 0),
    "functions over 50 lines": (long_functions, 0),
    "functions with more than 12 ways through": (branching_functions, 0),
    "classes with more than 60 methods": (large_classes, 0),
    # Ceilings: lower them with what you make smaller.
    "files": (file_names, 314),
    "modules with one importer": (modules_with_one_importer, 45),
    "functions used once": (functions_used_once, 360),
    "told, said, heard": (private_language, 74),
}


@pytest.mark.parametrize("what", PLACES)
def test_the_source_has_none_or_few(what):
    find, bound = PLACES[what]
    assert len(found := find()) <= bound, "\n".join(found)


def test_the_source_grows_no_longer():
    assert sum(len(file.lines) for file in house()) <= ALL_LINES
    assert sum(len(file.lines) for file in files()) <= ALL_LINES + INTEROP_LINES


def test_no_two_test_modules_have_one_name():
    """Pytest imports them by it alone."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


def main() -> None:
    for what, (find, bound) in PLACES.items():
        found = find()
        print(f"{what:45} {len(found):6}  at most {bound}")
        for place in found if len(found) > bound or "--where" in sys.argv else ():
            print("   ", place)


if __name__ == "__main__":
    main()
