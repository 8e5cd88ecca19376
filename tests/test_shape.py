"""How the source reads: what never happens, and thermometers beside well-kept applications.

Tests hold the few rules. `python tests/test_shape.py` prints the thermometers: figures of this source beside the same
figures of the models. None of them is a target: a figure far from the models' says where to read, not what to shuffle.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[1] / "src"
SOURCE = ROOT / "appellate"
LONGEST_LINE = 100
LONGEST_FUNCTION = 60
LARGEST_CIRCLE = 5

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
VAGUE_WORDS = """
found one given wanted here there own of at by made known kept shown whole left held came told said asked drawn taken
named standing standings now then was were before after about over beside these those other others it its mine same few
some every each what which how why who whom
"""
VAGUE_NAMES = frozenset(VAGUE_WORDS.split())
QUESTION_WORDS = frozenset(
    ("What", "Whether", "How", "Where", "Why", "Who", "Which", "That", "When"),
)


@dataclass(frozen=True)
class File:
    """A source file: its name below the package, its lines and all nodes of its syntax."""

    name: str
    lines: list[str]
    nodes: list[ast.AST]

    def place(self, node: ast.AST) -> str:
        return f"{self.name}:{node.lineno}"


@cache
def files() -> list[File]:
    source_files = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        source_files.append(
            File(str(path.relative_to(SOURCE)), text.splitlines(), nodes),
        )
    return source_files


def nodes_of(*types: type[ast.AST]) -> Iterator[tuple[File, ast.AST]]:
    for file in files():
        for node in file.nodes:
            if isinstance(node, types):
                yield file, node


# -- rules ----------------------------------------------------------------------------------------


def conditionals_inside_another() -> list[str]:
    places = []
    for file, outer in nodes_of(ast.IfExp):
        for node in ast.walk(outer):
            if isinstance(node, ast.IfExp) and node is not outer:
                places.append(file.place(node))
    return places


def long_lines() -> list[str]:
    places = []
    for file in files():
        for line_no, line in enumerate(file.lines, 1):
            if len(line) > LONGEST_LINE:
                places.append(f"{file.name}:{line_no}")
    return places


def long_functions() -> list[str]:
    places = []
    for file, function in nodes_of(*FUNCTIONS):
        length = lines_without_docstring(function)
        if length > LONGEST_FUNCTION and not is_flat_match(function):
            places.append(f"{file.place(function)} {function.name} {length}")
    return places


def lines_without_docstring(function: ast.AST) -> int:
    """Return how many lines a function has without its docstring, which may be as long as it must."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if is_docstring(first):
        lines -= first.end_lineno - first.lineno + 1
    return lines


def is_flat_match(function: ast.AST) -> bool:
    """Return whether a function does nothing but sort its cases, none of which is long itself."""
    statements = [
        statement for statement in function.body if not is_docstring(statement)
    ]
    matches = [
        statement for statement in statements if isinstance(statement, ast.Match)
    ]
    if len(matches) != 1 or len(statements) > 4:  # a guard, an assignment, a return
        return False
    lengths = []
    for case in matches[0].cases:
        lengths.append(case.body[-1].end_lineno - case.pattern.lineno + 1)
    return max(lengths) <= LONGEST_FUNCTION // 4


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def import_circles() -> list[list[str]]:
    """Return each set of modules that import each other, wherever in them; the largest first."""
    imports = {module: imported_modules(path) for module, path in modules().items()}
    reached = {module: reachable_from(module, imports) for module in imports}
    circles = []
    placed = set()
    for module in sorted(imports):
        if module in placed or module not in reached[module]:
            continue
        circle = [other for other in reached[module] if module in reached[other]]
        placed.update(circle)
        circles.append(sorted(circle))
    return sorted(circles, key=len, reverse=True)


@cache
def modules() -> dict[str, Path]:
    paths = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        paths[".".join(parts).removesuffix(".__init__")] = path
    return paths


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                names.add(submodule if submodule in modules() else node.module)
    return names & modules().keys()


def reachable_from(module: str, imports: dict[str, set[str]]) -> set[str]:
    reached = set()
    waiting = list(imports[module])
    while waiting:
        following = waiting.pop()
        if following not in reached:
            reached.add(following)
            waiting.extend(imports[following])
    return reached


@pytest.mark.parametrize(
    "rule",
    [conditionals_inside_another, long_lines, long_functions],
)
def test_the_source_keeps_the_rule_of(rule):
    assert rule() == []


@pytest.mark.slow
def test_no_import_circle_is_larger_than_five_files():
    large = [circle for circle in import_circles() if len(circle) > LARGEST_CIRCLE]
    assert large == []


@pytest.mark.slow
def test_no_files_of_the_screen_import_each_other_in_a_circle():
    for circle in import_circles():
        if len(circle) > 1:
            assert not any(module.startswith("appellate.app.") for module in circle), (
                circle
            )


def test_no_two_test_modules_have_one_name():
    """Pytest imports them by it alone."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


# -- thermometers ---------------------------------------------------------------------------------

MODELS = {
    "posting 2.11": (3.35, 0.1, 1.9, 0.1, 2, 5.5, 7.9, 7, 46),
    "harlequin 2.17": (3.41, 0.7, 3.5, 0.6, 13, 8.8, 9.2, 10, 44),
    "fava 1.30": (3.84, 0.6, 4.0, 0.2, 0, 9.6, 5.1, 5, 38),
    "textual 8.2": (3.78, 0.3, 4.5, 0.4, 0, 4.7, 6.3, 10, 49),
    "inspect_scout 0.6": (3.82, 0.1, 1.5, 0.1, 1, 7.3, 8.6, 12, 83),
    "pytest 9.2": (4.12, 0.5, 4.5, 0.4, 1, 5.7, 3.6, 9, 49),
}
"""The thermometers of well-kept packages, in the order of `thermometers`, measured in November 2026 from their wheels
(docstrings are no lines of code; a share of lines is one of all lines).
"""


def thermometers() -> dict[str, float]:
    code_lines = sum(lines_of_code(file) for file in files())
    all_lines = sum(len(file.lines) for file in files())
    syntax_nodes = sum(1 for _ in nodes_of(ast.expr, ast.stmt))
    starred = sum(1 for _ in nodes_of(ast.Starred))
    comprehensions = sum(1 for _ in nodes_of(*COMPREHENSIONS))
    conditionals = sum(1 for _ in nodes_of(ast.IfExp))
    names = [name for file in files() for name in names_in(file)]
    vague = sum(name.strip("_") in VAGUE_NAMES for name in names)
    first_words = [text.split()[0] for text in docstrings()]
    questions = sum(word in QUESTION_WORDS for word in first_words)
    lengths = sorted(
        node.end_lineno - node.lineno + 1 for _, node in nodes_of(*FUNCTIONS)
    )
    return {
        "syntax nodes a line of code": syntax_nodes / code_lines,
        "a, b = x, y per 1,000 lines of code": 1000 * tuple_assignments() / code_lines,
        "*starred per 1,000 lines of code": 1000 * starred / code_lines,
        "names that say nothing, %": 100 * vague / len(names),
        "docstrings that begin What, Whether ..., %": 100
        * questions
        / len(first_words),
        "comprehensions per 1,000 lines": 1000 * comprehensions / all_lines,
        "a if c else b per 1,000 lines": 1000 * conditionals / all_lines,
        "lines a function, median": median(lengths),
        "lines a function, 95 of 100": lengths[round(0.95 * (len(lengths) - 1))],
    }


def lines_of_code(file: File) -> int:
    """Return how many lines are neither blank, nor a comment, nor a docstring."""
    count = 0
    for line in file.lines:
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            count += 1
    for node in file.nodes:
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
            docstring = node.body[0]
            count -= docstring.end_lineno - docstring.lineno + 1
    return count


def tuple_assignments() -> int:
    count = 0
    for _, node in nodes_of(ast.Assign):
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            count += 1
    return count


def names_in(file: File) -> Iterator[str]:
    """Yield the names of variables, arguments, attributes, functions and classes, each use anew."""
    for node in file.nodes:
        match node:
            case ast.Name():
                yield node.id
            case ast.arg():
                yield node.arg
            case ast.Attribute():
                yield node.attr
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name


def docstrings() -> Iterator[str]:
    for _, node in nodes_of(*DOCUMENTED):
        text = ast.get_docstring(node)
        if text:
            yield text


def main() -> None:
    print(f"{len(files())} files, {sum(len(file.lines) for file in files())} lines")
    print(f"{'':44}{'ours':>9}" + "".join(f"{model:>19}" for model in MODELS))
    for row_no, (name, figure) in enumerate(thermometers().items()):
        models = "".join(f"{figures[row_no]:19.4g}" for figures in MODELS.values())
        print(f"{name:44}{figure:9.3g}{models}")
    print("import circles:", [len(circle) for circle in import_circles()])


if __name__ == "__main__":
    sys.exit(main())
