"""What scikit-learn, statsmodels, krippendorff, irrCAC, pingouin and scipy say of random tables.

`python tests/benchmarks/agreement_oracles.py` compares `appellate.stats` with those of them that are
installed, and tells how far off it is. With `--write` it keeps what they say, for the tests, which
need none of them: `tests/stats/agreement_oracles.json`.
"""

import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

from appellate.stats import agreement_tables, alt_test
from appellate.stats.clustered import clustered, effective_votes, shared_errors

KEPT = Path(__file__).parents[1] / "stats" / "agreement_oracles.json"
SEED = 13
WORDS = ("1", "2", "3", "4", "5")
Case = dict[str, Any]


def cases(count: int = 24) -> Iterator[Case]:
    """Tables of two to four raters over two to five words, half of them with answers missing."""
    chance = random.Random(SEED)
    for number in range(count):
        raters = 2 if number % 2 == 0 else chance.randint(3, 4)
        words = WORDS[: chance.randint(2, 5)]
        missing = 0.0 if number % 4 in (0, 1) else 0.2
        rows: list[list[str | None]] = []
        for _ in range(chance.randint(35, 90)):
            true = chance.choices(words, [2**-place for place in range(len(words))])[0]
            row: list[str | None] = []
            for _ in range(raters):
                said: str | None = (
                    true if chance.random() < 0.6 else chance.choice(words)
                )
                row.append(None if chance.random() < missing else said)
            rows.append(row)
        yield {"words": list(words), "rows": rows}


# -- ours ------------------------------------------------------------------------------------------


def _value(found: agreement_tables.Coefficient | None) -> float | None:
    return None if found is None else found.value


def ours(case: Case) -> dict[str, float | None]:
    """Every statistic of a case, by name."""
    rows = [tuple(row) for row in case["rows"]]
    patterns, at = Counter(rows), {word: float(word) for word in WORDS}
    found: dict[str, float | None] = {
        "alpha": _value(agreement_tables.krippendorff_alpha(patterns)),
        "alpha interval": _value(agreement_tables.krippendorff_alpha(patterns, at)),
        "ac1": _value(agreement_tables.gwet_ac1(patterns, len(case["words"]))),
        "icc": _value(agreement_tables.intraclass(patterns, at)),
    }
    pairs, positive = agreement_tables.between(patterns, (0, 1)), case["words"][:1]
    others = case["words"][1:]
    found |= {
        "kappa": _value(agreement_tables.cohen_kappa(pairs)),
        "kappa weighted": _value(agreement_tables.cohen_kappa(pairs, at)),
        "observed": _value(agreement_tables.alike(pairs)),
        "sensitivity": _value(
            agreement_tables.share(pairs, given=positive, rater=1, matching=positive),
        ),
        "specificity": _value(
            agreement_tables.share(pairs, given=others, rater=1, matching=others),
        ),
        "precision": _value(
            agreement_tables.share(pairs, given=positive, rater=0, matching=positive),
        ),
        "prevalence": _value(agreement_tables.given_share(pairs, positive, 1)),
        "macro f1": _value(agreement_tables.macro_f1(pairs, positive)),
    }
    if len(rows[0]) > 2:
        known = [row for row in rows if None not in row]
        found["shared errors"] = _value(shared_errors(Counter(known)))
        votes = effective_votes(clustered(Counter([row]) for row in known))
        found["effective votes"] = votes.votes if votes else None
        found |= _alt_test(rows)
    return found


def _alt_test(rows: list[tuple[str | None, ...]]) -> dict[str, float | None]:
    items = []
    for number, (judge, *people) in enumerate(rows):
        if judge is not None:
            items.append(alt_test.JudgedItem(judge, tuple(people), number))
    found: dict[str, float | None] = {}
    for name, at in (
        ("alt-test", None),
        ("alt-test scores", {word: float(word) for word in WORDS}),
    ):
        told = alt_test.alt_test(items, positions=at)
        if told is None:
            continue
        found[f"{name} winning rate"], found[f"{name} advantage"] = told[:2]
        for place, one in enumerate(told.against):
            if one is not None:
                found[f"{name} p {place}"] = one.p
    return found


# -- theirs ----------------------------------------------------------------------------------------


def theirs(case: Case) -> dict[str, float]:
    """The same by those of the libraries that are installed."""
    found: dict[str, float] = {}
    for library, of in LIBRARIES.items():
        if find_spec(library):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found |= of(case)
    return {name: float(value) for name, value in found.items()}


def _pairs(case: Case) -> tuple[list[str], list[str]]:
    both = [row[:2] for row in case["rows"] if None not in row[:2]]
    return [one for one, _ in both], [other for _, other in both]


def _numbers(case: Case) -> Any:
    import numpy as np

    rows = [
        [float("nan") if one is None else float(one) for one in row]
        for row in case["rows"]
    ]
    return np.array(rows)


def by_scikit_learn(case: Case) -> dict[str, float]:
    from sklearn import metrics

    judge, person = _pairs(case)
    words, positive = case["words"], case["words"][0]
    yes = [word == positive for word in judge], [word == positive for word in person]
    no = [not one for one in yes[0]], [not one for one in yes[1]]
    return {
        "kappa": metrics.cohen_kappa_score(judge, person),
        "kappa weighted": metrics.cohen_kappa_score(
            judge,
            person,
            labels=words,
            weights="quadratic",
        ),
        "observed": metrics.accuracy_score(person, judge),
        "sensitivity": metrics.recall_score(yes[1], yes[0]),
        "specificity": metrics.recall_score(no[1], no[0]),
        "precision": metrics.precision_score(yes[1], yes[0]),
        "prevalence": sum(yes[1]) / len(person),
        "macro f1": metrics.f1_score(yes[1], yes[0], average="macro"),
    }


def by_statsmodels(case: Case) -> dict[str, float]:
    import numpy as np
    from statsmodels.stats import inter_rater

    words = case["words"]
    table = np.zeros((len(words), len(words)))
    for one, other in zip(*_pairs(case), strict=True):
        table[words.index(one), words.index(other)] += 1
    weights = np.subtract.outer(np.arange(len(words)), np.arange(len(words))) ** 2
    return {
        "kappa by statsmodels": inter_rater.cohens_kappa(table, return_results=False),
        "kappa weighted by statsmodels": inter_rater.cohens_kappa(
            table,
            weights=weights,
            return_results=False,
        ),
    }


def by_krippendorff(case: Case) -> dict[str, float]:
    import krippendorff

    rows = _numbers(case).T
    return {
        "alpha": krippendorff.alpha(rows, level_of_measurement="nominal"),
        "alpha interval": krippendorff.alpha(rows, level_of_measurement="interval"),
    }


def by_irrcac(case: Case) -> dict[str, float]:
    import pandas as pd
    from irrCAC.raw import CAC

    numbers = pd.DataFrame(_numbers(case))
    categories = [float(word) for word in case["words"]]
    known = CAC(numbers, categories=categories, digits=15)
    return {
        "ac1": known.gwet()["est"]["coefficient_value"],
        "alpha by irrCAC": known.krippendorff()["est"]["coefficient_value"],
    }


def by_pingouin(case: Case) -> dict[str, float]:
    import pandas as pd
    import pingouin

    rows = [row for row in case["rows"] if None not in row]
    long = [
        {"item": item, "rater": rater, "score": float(score)}
        for item, row in enumerate(rows)
        for rater, score in enumerate(row)
    ]
    table = pingouin.intraclass_corr(
        pd.DataFrame(long),
        targets="item",
        raters="rater",
        ratings="score",
    )
    found = dict(zip(table["Type"], table["ICC"], strict=True))
    return {"icc": found.get("ICC2", found.get("ICC(A,1)"))}


def by_scipy(case: Case) -> dict[str, float]:
    """The alt-test as its authors' program does it (nitaytech/AltTest), and errors that go together."""
    import numpy as np
    from scipy.stats import ttest_1samp
    from statsmodels.stats.multitest import multipletests

    found: dict[str, float] = {}
    if len(case["rows"][0]) == 2:
        return found
    complete = [row for row in case["rows"] if None not in row]
    wrong = np.array([[one != row[0] for one in row[1:]] for row in complete], float)
    between = np.corrcoef(wrong.T)
    members = wrong.shape[1]
    mean = np.mean([between[pair] for pair in combinations(range(members), 2)])
    found["shared errors"] = mean
    found["effective votes"] = members / (1 + (members - 1) * max(mean, 0))

    def equal(one: float, others: list[float]) -> float:
        return float(np.mean([one == other for other in others]))

    def near(one: float, others: list[float]) -> float:
        return -float(np.sqrt(np.mean([(one - other) ** 2 for other in others])))

    for name, closeness in ("alt-test", equal), ("alt-test scores", near):
        chances, advantages = {}, []
        for place in range(members):
            judge, person = _indicators(case, place, closeness)
            if len(judge) < alt_test.LEAST:
                continue
            apart = np.subtract(person, judge)
            told = ttest_1samp(apart, popmean=alt_test.EPSILON, alternative="less")
            chances[f"{name} p {place}"] = told.pvalue
            advantages.append(np.mean(judge))
        if chances:
            beaten = multipletests(list(chances.values()), alpha=0.05, method="fdr_by")[
                0
            ]
            found |= chances
            found[f"{name} winning rate"] = np.mean(beaten)
            found[f"{name} advantage"] = np.mean(advantages)
    return found


def _indicators(
    case: Case,
    place: int,
    closeness: Callable[[float, list[float]], float],
) -> tuple[list[int], list[int]]:
    judge, person = [], []
    for said, *people in case["rows"]:
        own = people[place]
        others = [
            float(one)
            for by, one in enumerate(people)
            if by != place and one is not None
        ]
        if said is None or own is None or not others:
            continue
        by_judge, by_person = (
            closeness(float(said), others),
            closeness(float(own), others),
        )
        judge.append(int(by_judge >= by_person))
        person.append(int(by_person >= by_judge))
    return judge, person


LIBRARIES: dict[str, Callable[[Case], dict[str, float]]] = {
    "sklearn": by_scikit_learn,
    "statsmodels": by_statsmodels,
    "krippendorff": by_krippendorff,
    "irrCAC": by_irrcac,
    "pingouin": by_pingouin,
    "scipy": by_scipy,
}


def main() -> None:
    missing = [library for library in LIBRARIES if not find_spec(library)]
    print("not installed:", ", ".join(missing) or "none")
    kept, worst, count = [], {}, Counter[str]()
    for case in cases():
        said, own = theirs(case), ours(case)
        rows = " ".join("".join(one or "-" for one in row) for row in case["rows"])
        kept.append({"words": case["words"], "rows": rows, "said": said})
        for name, value in said.items():
            mine = own.get(name.split(" by ")[0])
            count[name] += 1
            apart = float("inf") if mine is None else abs(mine - value)
            worst[name] = max(worst.get(name, 0.0), apart)
    for name, apart in sorted(worst.items()):
        print(f"{name:32} {count[name]:4} tables, {apart:.1e} apart at the most")
    print(
        sum(count.values()),
        "values,",
        f"{max(worst.values(), default=0):.1e} apart at the most",
    )
    if "--write" in sys.argv and not missing:
        lines = ",\n".join(json.dumps(one) for one in kept)
        KEPT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
