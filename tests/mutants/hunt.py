"""Looking for the tests that notice each mutant."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

from catalogue import AREAS, Function, Mutant
from programs import Runner, Test, Verdict
from results import Outcome, Result, Results

Item = TypeVar("Item")
# A mutant with its function.
Tried = tuple[Function, Mutant]

# How many mutants are tried at a time.
WORKERS = 5
# A test that does not end is no proof: others are tried, up to so many that do not end either.
MOST_TIMEOUTS = 3


@dataclass
class Reach:
    """Which tests reach which functions, and how long they take."""

    seconds: dict[str, float] = field(default_factory=dict)
    functions: dict[str, list[str]] = field(default_factory=dict)
    """The mutated functions that a test reaches, each as `Function.key`."""
    failing: list[str] = field(default_factory=list)
    """The tests that fail without a mutant, such as those that read the sources. They are left out."""

    def of(self, function: Function, tests: list[Test]) -> list[Test]:
        """Returns those of the tests that reach a function."""
        return [test for test in tests if function.key in self.functions.get(str(test), [])]


def reach(runner: Runner, tests: list[Test], numbered: dict[int, Function], file: Path) -> Reach:
    """Returns what tests reach. Those that an earlier run noted in `file` are not run again."""
    found = Reach(**json.loads(file.read_text())) if file.is_file() else Reach()
    lock = threading.Lock()

    def run(test: Test) -> None:
        verdict, seconds, reached = runner.noting(test)
        if verdict is not Verdict.PASSED:
            verdict, seconds, reached = runner.noting(test)
        with lock:
            if verdict is Verdict.PASSED:
                found.seconds[str(test)] = seconds
                found.functions[str(test)] = sorted(numbered[first].key for first in reached)
            else:
                found.failing.append(str(test))

    known = set(found.seconds) | set(found.failing)
    _all(run, [test for test in tests if str(test) not in known])
    file.write_text(json.dumps(asdict(found)))
    return found


class Hunt:
    """Tries mutants, one test after the other, until one notices."""

    def __init__(
        self,
        runner: Runner,
        tests: list[Test],
        reach: Reach,
        budget: float,
        known: Results,
        done: Callable[[Result], None],
    ) -> None:
        self._runner = runner
        self._tests = tests
        self._reach = reach
        # The seconds of tests that a mutant is tried with, of its own crate and of the others.
        self._budget = budget
        self._known = known
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
        tests = self._reach.of(function, self._tests)
        result = Result(mutant.key, mutant.name, mutant.area, function.mark)
        result.outcome = Outcome.ESCAPED if own else Outcome.SURVIVED
        result.reached = len(tests)
        # Also of another crate: the test that noticed it in an earlier run most likely does so again.
        known = self._known.of(mutant.key, function.mark)
        last = [test for test in tests if known and str(test) == known.by]
        others = [test for test in tests if _is_own(mutant, test) == own and test not in last]
        spent = 0.0
        timeouts = 0
        for test in last + self._ordered(function, others):
            spent += self._reach.seconds[str(test)]
            if spent > self._budget:
                result.partly = True
                break
            verdict = self._verdict(test, mutant)
            if verdict is Verdict.PASSED:
                continue
            failed = verdict is Verdict.FAILED
            result.outcome = Outcome.CAUGHT if failed else Outcome.TIMEOUT
            result.by, result.own = str(test), _is_own(mutant, test)
            timeouts += not failed
            if failed or timeouts == MOST_TIMEOUTS:
                return result, test
        return result, None

    def _verdict(self, test: Test, mutant: Mutant) -> Verdict:
        """Runs a test with a mutant on. A failure end to end, where a busy machine may be the reason,
        counts when the test fails a second time."""
        usual = self._reach.seconds[str(test)]
        verdict = self._runner.with_mutant(test, mutant.number, usual)
        if verdict is Verdict.FAILED and not _is_own(mutant, test):
            verdict = self._runner.with_mutant(test, mutant.number, usual)
        return verdict

    def _ordered(self, function: Function, tests: list[Test]) -> list[Test]:
        """Returns the quick tests and those about little first, and those that noticed mutants nearby
        earlier than others."""
        with self._lock:
            here = dict(self._noticed[function.mark])
            nearby = dict(self._noticed[function.file])

        def cost(test: Test) -> float:
            chances = 1 + 20 * here.get(test, 0) + 5 * nearby.get(test, 0)
            # A test that reaches few functions is about them.
            breadth = len(self._reach.functions[str(test)]) ** 0.5
            return self._reach.seconds[str(test)] * breadth / chances

        return sorted(tests, key=cost)


def _is_own(mutant: Mutant, test: Test) -> bool:
    """Returns true for a test of the crate of the mutant."""
    return AREAS.get(test.package) == mutant.area


def _all(function: Callable[[Item], None], items: list[Item]) -> None:
    """Calls a function for each item, on a few threads. The first exception ends it."""
    with ThreadPoolExecutor(WORKERS) as pool:
        for _ in pool.map(function, items):
            pass
