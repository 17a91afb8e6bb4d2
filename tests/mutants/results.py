"""The results so far, a line of JSON for each mutant, so that a run can go on where it ended."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from catalogue import AREAS, Catalogue


class Outcome(StrEnum):
    """What may become of a mutant."""

    CAUGHT = "caught"
    """A test fails."""
    TIMEOUT = "timeout"
    """A test does not come to an end."""
    ESCAPED = "escaped"
    """No test of its crate notices; those of other crates have not been run yet."""
    SURVIVED = "survived"
    """No test notices."""
    UNVIABLE = "unviable"
    """It does not compile."""
    UNSWITCHED = "unswitched"
    """It cannot be switched on while the program runs, so it was not tried."""
    UNTRIED = "untried"


@dataclass
class Result:
    """What became of a mutant."""

    key: str
    name: str
    area: str
    mark: str
    """The hash of its function: the result is of this text."""
    outcome: Outcome = Outcome.UNTRIED
    by: str = ""
    """The test that noticed it."""
    own: bool = False
    """Set when that is a test of the crate itself."""
    reached: int = 0
    """The number of tests that reach its function."""
    partly: bool = False
    """Set when not all of them were run, as they would have taken too long."""


class Results:
    """All results that are known, in a file that grows."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, Result] = {}
        if file.is_file():
            for line in file.read_text().splitlines():
                result = Result(**json.loads(line))
                result.outcome = Outcome(result.outcome)
                self._known[result.key] = result

    def add(self, result: Result) -> None:
        """Keeps a result, in place of an earlier one of the mutant."""
        self._known[result.key] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as file:
            file.write(json.dumps(asdict(result)) + "\n")

    def of(self, key: str, mark: str) -> Result | None:
        """Returns the result of a mutant, unless its function has changed since."""
        result = self._known.get(key)
        return result if result and result.mark == mark else None


# The columns of the report.
COLUMNS = [
    "mutants",
    Outcome.UNVIABLE,
    "own tests",
    "end to end",
    Outcome.TIMEOUT,
    Outcome.SURVIVED,
    Outcome.UNSWITCHED,
    Outcome.ESCAPED,
    Outcome.UNTRIED,
]


def report(catalogue: Catalogue, results: Results) -> str:
    """Returns a table of the areas, the survivors, and what was not tried."""
    rows: dict[str, Counter[str]] = {area: Counter() for area in AREAS.values()}
    listed = defaultdict(list)
    for function in catalogue.functions:
        for mutant in function.mutants:
            result = results.of(mutant.key, function.mark)
            outcome = result.outcome if result else Outcome.UNTRIED
            column: str = outcome
            if result and outcome is Outcome.CAUGHT:
                column = "own tests" if result.own else "end to end"
            rows[mutant.area].update(["mutants", column])
            reached = f"{result.reached} tests reach it" if result else ""
            partly = ", not all were run" if result and result.partly else ""
            listed[outcome].append(f"{mutant.name} ({reached}{partly})")
    for mutant in catalogue.constants:
        rows[mutant.area].update(["mutants", Outcome.UNSWITCHED])
        listed[Outcome.UNSWITCHED].append(mutant.name)
    rows["all"] = sum(rows.values(), Counter())
    lines = ["| area | " + " | ".join(COLUMNS) + " | share that survived |"]
    lines.append("|---" * (len(COLUMNS) + 2) + "|")
    for area, row in rows.items():
        tried = row["own tests"] + row["end to end"] + row["timeout"] + row["survived"]
        share = f"{100 * row['survived'] / tried:.1f} %" if tried else ""
        cells = " | ".join(str(row[column]) for column in COLUMNS)
        lines.append(f"| {area} | {cells} | {share} |")
    for outcome in (Outcome.SURVIVED, Outcome.ESCAPED, Outcome.UNSWITCHED):
        lines += ["", f"{outcome}:", *sorted(listed[outcome])]
    return "\n".join(lines)
