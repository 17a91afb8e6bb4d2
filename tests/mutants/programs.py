"""Running single tests, with a mutant on or with a note of what they reach."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from build import Program

# A mutant may ask for memory or disk without end.
MOST_MEMORY = 8 << 30
MOST_FILE = 2 << 30
# What a test may take: so long, and so many times what it takes otherwise.
GRACE = 10.0
TIMES = 5.0


class Verdict(Enum):
    """How a test ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class Test:
    """One test of a program."""

    program: int
    """Its place in the list of programs."""
    package: str
    name: str

    def __str__(self) -> str:
        return f"{self.package}::{self.name}"


def tests_of(programs: list[Program]) -> list[Test]:
    """Lists all tests."""
    tests = []
    for index, program in enumerate(programs):
        command = [str(program.executable), "--list", "--format", "terse"]
        listed = subprocess.run(
            command, cwd=program.folder, check=True, capture_output=True, text=True
        ).stdout
        for line in listed.splitlines():
            if line.endswith(": test"):
                tests.append(Test(index, program.package, line.removesuffix(": test")))
    return tests


class Runner:
    """Runs tests, each in a process of its own with a folder of its own for temporary files."""

    def __init__(self, programs: list[Program], scratch: Path) -> None:
        self._programs = programs
        self._scratch = scratch / "tmp"
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(parents=True)

    def with_mutant(self, test: Test, number: int, usual: float) -> Verdict:
        """Runs a test with a mutant on. `usual` is how long it takes otherwise, in seconds."""
        return self._run(test, {"MUTANT": str(number)}, GRACE + TIMES * usual)[0]

    def noting(self, test: Test) -> tuple[Verdict, float, set[int]]:
        """Runs a test without a mutant. Returns also the seconds it took and the functions it reached."""
        with tempfile.NamedTemporaryFile(dir=self._scratch) as reached:
            verdict, seconds = self._run(test, {"MUTANTS_REACHED": reached.name}, 300.0)
            lines = Path(reached.name).read_text().split()
        return verdict, seconds, {int(line) for line in lines}

    def _run(self, test: Test, variables: dict[str, str], limit: float) -> tuple[Verdict, float]:
        program = self._programs[test.program]
        folder = tempfile.mkdtemp(dir=self._scratch)
        # PostgreSQL does not run as root, and the user that it gets then has to find its files.
        os.chmod(folder, 0o755)
        begun = time.monotonic()
        process = subprocess.Popen(
            [str(program.executable), "--exact", test.name, "--test-threads", "1"],
            cwd=program.folder,
            # Stacks of unoptimised code with several copies of each body are large.
            env=os.environ | variables | {"TMPDIR": folder, "RUST_MIN_STACK": str(16 << 20)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for kind, most in (
            (resource.RLIMIT_AS, MOST_MEMORY),
            (resource.RLIMIT_FSIZE, MOST_FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            try:
                resource.prlimit(process.pid, kind, (most, most))
            except ProcessLookupError:
                break
        try:
            code = process.wait(timeout=limit)
            verdict = Verdict.PASSED if code == 0 else Verdict.FAILED
        except subprocess.TimeoutExpired:
            verdict = Verdict.TIMEOUT
        seconds = time.monotonic() - begun
        # The test and the servers that it may have left behind.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
        return verdict, seconds
