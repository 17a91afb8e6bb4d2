"""Looking for the tests that notice each mutant."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from catalogue import AREAS, Function, Mutant
from programs import Runner, Test, Verdict
from results import Outcome, Result

Item = TypeVar("Item")
# A mutant with its function.
Tried = tuple[Function, Mutant]

# How many mutants are tried at a time.
WORKERS = 2


@dataclass
class Reach:
    """Which tests reach which functions, and how long they take."""

    seconds: dict[Test, float] = field(default_factory=dict)
    tests: dict[int, list[Test]] = field(default_factory=lambda: defaultdict(list))
    """The tests that reach a function, by the number of its first mutant."""
    failing: list[Test] = field(default_factory=list)
    """The tests that fail without a mutant, such as those that read the sources. They are left out."""


def reach(runner: Runner, tests: list[Test], file: Path, build: str) -> Reach:
    """Runs all tests once, and notes what they reach. What was noted of the same build is in `file`."""
    if file.is_file():
        noted = json.loads(file.read_text())
        if noted["build"] == build:
            return _read(noted, tests)
    found = Reach()
    lock = threading.Lock()

    def run(test: Test) -> None:
        verdict, seconds, reached = runner.noting(test)
        if verdict is not Verdict.PASSED:
            verdict, seconds, reached = runner.noting(test)
        with lock:
            if verdict is not Verdict.PASSED:
                found.failing.append(test)
                return
            found.seconds[test] = seconds
            for first in reached:
                found.tests[first].append(test)

    _all(run, tests)
    noted = {
        "build": build,
        "seconds": {str(test): seconds for test, seconds in found.seconds.items()},
        "tests": {first: [str(test) for test in by] for first, by in found.tests.items()},
        "failing": [str(test) for test in found.failing],
    }
    file.write_text(json.dumps(noted))
    return found


def _read(noted: dict[str, Any], tests: list[Test]) -> Reach:
    """Reads what an earlier run noted."""
    named = {str(test): test for test in tests}
    found = Reach({named[name]: seconds for name, seconds in noted["seconds"].items()})
    for first, names in noted["tests"].items():
        found.tests[int(first)] = [named[name] for name in names]
    found.failing = [named[name] for name in noted["failing"]]
    return found


class Hunt:
    """Tries mutants, one test after the other, until one notices."""

    def __init__(
        self, runner: Runner, reach: Reach, budget: float, done: Callable[[Result], None]
    ) -> None:
        self._runner = runner
        self._reach = reach
        # The seconds of tests that a mutant is tried with, of its own crate and of the others.
        self._budget = budget
        self._done = done
        self._lock = threading.Lock()
        # How often a test noticed a mutant of a function or of a file: it is tried first on the next.
        self._noticed: dict[str, dict[Test, int]] = defaultdict(lambda: defaultdict(int))

    def run(self, mutants: list[Tried], own: bool) -> None:
        """Tries mutants with the tests of their crate, or with those of others, and hands over the
        result of each as it is known."""

        def try_one(entry: Tried) -> None:
            function, mutant = entry
            result, test = self._try(function, mutant, own)
            with self._lock:
                if test:
                    self._noticed[function.mark][test] += 1
                    self._noticed[function.file][test] += 1
                self._done(result)

        _all(try_one, mutants)

    def _try(self, function: Function, mutant: Mutant, own: bool) -> tuple[Result, Test | None]:
        """Returns what becomes of one mutant, and the test that notices it."""
        first = next(other.number for other in function.mutants if other.number)
        tests = self._reach.tests.get(first, [])
        result = Result(mutant.key, mutant.name, mutant.area, function.mark)
        result.outcome = Outcome.ESCAPED if own else Outcome.SURVIVED
        result.reached = len(tests)
        tests = [test for test in tests if _is_own(mutant, test) == own]
        spent = 0.0
        for test in self._ordered(function, tests):
            spent += self._reach.seconds[test]
            if spent > self._budget:
                result.partly = True
                break
            verdict = self._verdict(test, mutant)
            if verdict is not Verdict.PASSED:
                result.outcome = Outcome.CAUGHT if verdict is Verdict.FAILED else Outcome.TIMEOUT
                result.by = str(test)
                result.own = own
                return result, test
        return result, None

    def _verdict(self, test: Test, mutant: Mutant) -> Verdict:
        """Runs a test with a mutant on. A failure end to end, where a busy machine may be the reason,
        counts when the test fails a second time."""
        usual = self._reach.seconds[test]
        verdict = self._runner.with_mutant(test, mutant.number, usual)
        if verdict is Verdict.FAILED and not _is_own(mutant, test):
            verdict = self._runner.with_mutant(test, mutant.number, usual)
        return verdict

    def _ordered(self, function: Function, tests: list[Test]) -> list[Test]:
        """Returns the quick tests first, and those that noticed mutants nearby earlier than others."""
        with self._lock:
            here = dict(self._noticed[function.mark])
            nearby = dict(self._noticed[function.file])

        def cost(test: Test) -> float:
            chances = 1 + 20 * here.get(test, 0) + 5 * nearby.get(test, 0)
            return self._reach.seconds[test] / chances

        return sorted(tests, key=cost)


def _is_own(mutant: Mutant, test: Test) -> bool:
    """Returns true for a test of the crate of the mutant."""
    return AREAS.get(test.package) == mutant.area


def _all(function: Callable[[Item], None], items: list[Item]) -> None:
    """Calls a function for each item, on a few threads. The first exception ends it."""
    with ThreadPoolExecutor(WORKERS) as pool:
        for _ in pool.map(function, items):
            pass
