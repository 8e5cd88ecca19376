"""Which column of a table is probably the response, the id or a verdict, for a refusal's sentence.

Who is told the wrong column maps it, and has wrong data that look right. A column is named only if
its name speaks for it and nothing against it; else the sentence says `COLUMN`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from appellate.core.problem import closest
from appellate.core.verdict_like import names_verdict, words_of_name

COLUMN = "COLUMN"
"""What stands for the name of a column where none is likely."""
_SHORT = 60
"""Characters of a verdict or an id, at most."""
_SENTENCE = 20
"""Characters that a text column has in the mean, at least, to be free text."""
_MOST_VALUES = 20
"""Different words that a column of verdicts has, at most."""


def _words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ANSWERS = _words_in(
    """
    answer answers response responses reply replies output outputs completion completions
    prediction predicted generation generated says said text content bot assistant agent system
    sys candidate hypothesis summary translation essay
    """,
)
"""Words in the names of columns that hold what a model wrote."""
_IDS = _words_in(
    "id ids uid uuid guid key idx index no nr number hash run case row sample item name",
)
_NOT_SHARED = _words_in("id ids uid uuid guid key idx index")
"""Words of an id that say of no other column what it is."""
_QUESTIONS = _words_in(
    "question questions query prompt prompts input inputs instruction",
)
_ASKED = _QUESTIONS | _words_in("user context contexts document documents source")
_RIGHT = _words_in(
    "reference references expected ideal target targets ground truth gold golden correct",
)
PEOPLE = _words_in(
    """
    human humans person people expert experts physician physicians annotator annotators
    annotation annotations annotated rater raters reviewer reviewers consensus majority
    agreement final adjudicated mensch menschlich experte expertin gutachter humain humaine
    annotateur humano humana experto anotador
    """,
)
REASONS = _words_in(
    """
    reason reasons reasoning rationale explanation explanations note notes comment comments
    remark remarks critique justification feedback threshold why begründung grund kommentar
    raison commentaire razón comentario razão comentário
    """,
)
JUDGES = _words_in(
    """
    judge judged judges judgement judgment llm ai auto automatic grader graded evaluator eval
    evaluation verdict verdicts urteil bewertung jugement évaluation veredicto juicio evaluación
    julgamento avaliação
    """,
)
_OF_A_RUN = _words_in("answer answers model name version cost time latency tokens")
"""Words of what is no verdict, even beside the name of a judge."""
_GRADES = (
    "label",
    "labels",
    "score",
    "scores",
    "grade",
    "grades",
    "rating",
    "ratings",
    "correct",
    "correctness",
    "passed",
    "pass",
    "success",
    "accepted",
    "valid",
)
GRADES = frozenset(_GRADES)
"""Words for a grade, in the names of columns that hold one."""
OF_NO_VERDICT = _ASKED | REASONS | _NOT_SHARED | _OF_A_RUN
"""Words in the names of columns that hold no verdict."""
_MODELS = ("gpt", "claude", "gemini", "llama", "mistral", "qwen", "deepseek")

Values = Mapping[str, Sequence[Any]]
"""What each column holds, without its empty cells."""


def likely_response(values: Values, used: Collection[str]) -> str:
    """Return the column that is probably the response, or `COLUMN` if none or several are likely.

    `values` has the filled cells of the first rows by column; columns in `used` are mapped already
    and not taken, nor are those named like questions, references, people, ids or verdicts. A column
    is likely if its texts mostly differ and its name is nearly "response", else if its name has a
    word such as `answer` or `output`. If none is, and some column is named like a question, it is
    the only column of long texts. `COLUMN` as well for two answers side by side (`response_a`,
    `response_b`), and for a table whose rows are chat messages (`role`, `content`).
    """
    if {"role", "content"} <= values.keys():
        return COLUMN
    against = _ASKED | _RIGHT | PEOPLE | _NOT_SHARED
    texts = [
        column
        for column in fit(values, used, against)
        if not names_verdict(column) and _are_various_texts(values[column])
    ]
    near = [column for column in texts if closest("response", [column.lower()], 0.7)]
    if near:
        return _only_column(near)
    named = [column for column in texts if not _ANSWERS.isdisjoint(name_words(column))]
    if named:
        return _only_column(named)
    has_question = any(
        not _QUESTIONS.isdisjoint(name_words(column)) for column in values
    )
    free = [column for column in texts if _is_free_text(values[column])]
    if has_question:
        return _only_column(free)
    return COLUMN


def likely_id(values: Values, used: Collection[str], row_count: int) -> str | None:
    """Return the first column that probably has the ids, or None if no column is likely.

    `values` has the cells of the first rows by column, of which there are `row_count`. The name
    must have a word such as `id` or `row`, and none that speaks for a question, a reference, people
    or a verdict. Each cell must be short and differ from the others. Columns in `used`, which are
    mapped already, are not taken.
    """
    against = _ASKED | _RIGHT | PEOPLE
    for column in fit(values, used, against):
        texts = {str(value) for value in values[column] if _is_short(value)}
        if len(texts) < row_count or names_verdict(column):
            continue
        if not _IDS.isdisjoint(name_words(column)):
            return column
    return None


def likely_verdict(values: Values, used: Collection[str]) -> str:
    """Return the column that probably has a judge's verdicts, or `COLUMN` if none is likely.

    `values` has the first cells of each column; columns in `used` are mapped already and not taken.
    Only columns count whose cells are numbers or few different words, and whose names do not speak
    of people, reasons, ids or another field. First comes the first column that names a judge, by a
    name of one word or with a word for a grade; then the first column with the earliest word of
    `_GRADES`; then the only column with a name like a verdict's. `COLUMN` as well if several have
    such a name.
    """
    against = (
        _ASKED | (_RIGHT - {"correct"}) | PEOPLE | REASONS | _NOT_SHARED | _OF_A_RUN
    )
    fitting = [
        column for column in fit(values, used, against) if may_grade(values[column])
    ]
    for column in fitting:
        words = name_words(column)
        is_graded = not words.isdisjoint((*_GRADES, "verdict", "verdicts"))
        if speaks_of_judge(words) and (is_graded or len(words_of_name(column)) == 1):
            return column
    for grade in _GRADES:
        for column in fitting:
            if grade in name_words(column):
                return column
    return _only_column([column for column in fitting if names_verdict(column)])


def fit(values: Values, used: Collection[str], against: Collection[str]) -> list[str]:
    """Return the names of columns that could be mapped, in their order.

    A column fits if it has a cell in `values`, is not in `used`, and has no word of `against` in
    its name. The words of a name are in small letters, each also without digits at its end.
    """
    fitting = []
    for column, cells in values.items():
        if cells and column not in used and name_words(column).isdisjoint(against):
            fitting.append(column)
    return fitting


def name_words(column: str) -> frozenset[str]:
    """Return the words in a column's name, in small letters, each also without digits at its end.

    `judgeScore2` has judge, score2 and score.
    """
    words = words_of_name(column)
    return frozenset(words) | {word.rstrip("0123456789") for word in words}


def _only_column(columns: Sequence[str]) -> str:
    """Return the only one of some columns; `COLUMN`, which stands for a name, if not just one."""
    if len(columns) == 1:
        return columns[0]
    return COLUMN


def _are_various_texts(cells: Sequence[object]) -> bool:
    """Return whether most cells of a column are texts that vary, as in a column of answers.

    Texts vary if there are more than half as many different texts as texts. False without
    cells.
    """
    texts = [value for value in cells if isinstance(value, str)]
    if len(texts) * 2 <= len(cells):
        return False
    different_texts = set(texts)
    return len(different_texts) * 2 > len(texts)


def _is_free_text(cells: Sequence[object]) -> bool:
    return sum(len(str(value)) for value in cells) >= _SENTENCE * len(cells)


def _is_short(value: object) -> bool:
    """Return whether a value is short enough for a label or an id.

    True for a bool, a number, and a text of at most `_SHORT` characters, also "". False for
    anything else, None as well.
    """
    if isinstance(value, str):
        return len(value) <= _SHORT
    return isinstance(value, bool | int | float)


def may_grade(cells: Iterable[object]) -> bool:
    """Return whether the cells of a column can be verdicts: numbers, bools or few different words.

    Few are at most `_MOST_VALUES` texts, each of at most `_SHORT` characters. False as soon as one
    cell is a longer text, None, a table or a list. True without cells.
    """
    words = set()
    for value in cells:
        if not _is_short(value):
            return False
        if isinstance(value, str):
            words.add(value)
    return len(words) <= _MOST_VALUES


def speaks_of_judge(words: Collection[str]) -> bool:
    """Return whether the words of a column's name speak of a judge, or begin like a model's name.

    `words` are in small letters: "judge" and "llm" do, "gpt4" as well.
    """
    if not JUDGES.isdisjoint(words):
        return True
    return any(word.startswith(_MODELS) for word in words)
