"""A copy of the tree with all mutants woven in, built to test programs."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import weave
from catalogue import AREAS, Catalogue, Function

PACKAGES = [*AREAS, "connect-tests"]
# rustc stops at the first of its stages that finds errors, so there is a round for each stage at least.
MOST_ROUNDS = 40


@dataclass
class Program:
    """A program with tests."""

    package: str
    executable: Path
    folder: Path
    """The folder of its package, in which tests run."""
    is_library: bool
    """Set for the unit tests inside a library."""


def copy(root: Path, tree: Path, woven: set[Path]) -> None:
    """Makes `tree` what `root` is, without what git ignores and without the files that are woven."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    wanted = {Path(name) for name in listed.split("\0") if name and (root / name).is_file()}
    for file in [file for file in tree.rglob("*") if file.is_file()]:
        if file.relative_to(tree) not in wanted | woven:
            file.unlink()
    for name in wanted - woven:
        _write(tree / name, (root / name).read_bytes(), (root / name).stat().st_mode)


def _write(file: Path, content: bytes, mode: int | None = None) -> None:
    """Writes a file unless it has that content, so that cargo does not build what is the same."""
    if file.is_file() and file.read_bytes() == content:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    if mode is not None:
        file.chmod(mode)


class Builder:
    """Builds the tree, and takes out what does not compile."""

    def __init__(self, root: Path, scratch: Path, catalogue: Catalogue) -> None:
        self._root = root
        self._tree = scratch / "tree"
        self._target = scratch / "build"
        self._catalogue = catalogue
        self._markers: dict[str, weave.Markers] = {}
        self.numbered: dict[int, Function] = {}
        """The functions by the numbers of their mutants in the present build."""
        self.unviable: set[str] = set()
        """The keys of mutants that do not compile; those known before are not tried again."""
        self.unswitched: set[str] = set()
        """The keys of mutants that compile, if at all, only on their own."""

    def build(self) -> list[Program]:
        """Builds the tree with all mutants that compile, and numbers them."""
        for turn in range(MOST_ROUNDS):
            woven = self._weave()
            if turn == 0:
                copy(self._root, self._tree, set(woven))
            for file, text in woven.items():
                _write(self._tree / file, text.encode())
            programs, errors = self._cargo()
            if not errors:
                return programs
            before = len(self.unviable) + len(self.unswitched)
            for error in errors:
                self._blame(error)
            dropped = len(self.unviable) + len(self.unswitched) - before
            print(f"   round {turn + 1}: {len(errors)} errors, {dropped} mutants taken out", flush=True)
            if dropped == 0:
                raise SystemExit("These errors belong to no mutant:\n" + _rendered(errors))
        raise SystemExit("The mutants that do not compile never came to an end.")

    def _weave(self) -> dict[Path, str]:
        """Numbers the mutants that are left, and returns the files with them."""
        taken_out = self.unviable | self.unswitched
        left = defaultdict(list)
        number = 0
        self.numbered.clear()
        for function in self._catalogue.functions:
            kept = [mutant for mutant in function.mutants if mutant.key not in taken_out]
            for mutant in function.mutants:
                mutant.number = 0
            for mutant in kept:
                number += 1
                mutant.number = number
                self.numbered[number] = function
            if kept:
                left[function.file].append(replace(function, mutants=kept))
        files: dict[Path, str] = {}
        switch = (Path(__file__).parent / "switch.rs").read_text()
        for crate in AREAS:
            for file, text in weave.declare(self._root / crate, switch).items():
                files[file.relative_to(self._root)] = text
        for name in {function.file for function in self._catalogue.functions}:
            text = weave.weave((self._root / name).read_text(), left[name])
            self._markers[name] = weave.Markers(text)
            files[Path(name)] = text
        return files

    def _cargo(self) -> tuple[list[Program], list[dict[str, Any]]]:
        """Builds all tests. Returns the programs, or the errors."""
        command = ["cargo", "test", "--no-run", "--locked"]
        command += ["--message-format", "json"]
        for package in PACKAGES:
            command += ["--package", package]
        environment = os.environ | {
            "CARGO_TARGET_DIR": str(self._target),
            "CARGO_PROFILE_DEV_DEBUG": "0",
            "RUSTFLAGS": "--cap-lints allow",
        }
        done = subprocess.run(
            command,
            cwd=self._tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        errors = [
            message["message"]
            for message in messages
            if message["reason"] == "compiler-message"
            and message["message"]["level"] == "error"
            and message["message"]["spans"]
        ]
        if done.returncode != 0 and not errors:
            raise SystemExit(done.stderr)
        return [program for message in messages for program in _programs(message)], errors

    def _blame(self, error: dict[str, Any]) -> None:
        """Takes out the mutant that an error is about, or else all mutants of its function."""
        spans = _spans(error)
        for span in spans:
            number = self._at("mutant", span)
            if number:
                function = self.numbered[number]
                key = next(m.key for m in function.mutants if m.number == number)
                # With an `impl` in its type each body has a type of its own, so it may compile alone.
                alone = "impl " in function.returns
                (self.unswitched if alone else self.unviable).add(key)
                return
        for span in spans:
            number = self._at("function", span)
            if number:
                keys = [m.key for m in self.numbered[number].mutants if m.number]
                self.unswitched.update(keys)
                return

    def _at(self, kind: str, span: dict[str, Any]) -> int | None:
        """Returns the number of the mutant or the function at a place."""
        markers = self._markers.get(span["file_name"])
        return markers.at(kind, span["line_start"]) if markers else None


def _spans(error: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the places that an error names, those that it is about first."""
    spans = sorted(error["spans"], key=lambda span: not span["is_primary"])
    for span in list(spans):
        # What a macro wrote is blamed on where it was called.
        while span.get("expansion"):
            span = span["expansion"]["span"]
            spans.append(span)
    for child in error["children"]:
        spans += child["spans"]
    return spans


def _programs(message: dict[str, Any]) -> list[Program]:
    """Returns the program with tests that a message of cargo is about, if it is about one."""
    if message["reason"] != "compiler-artifact" or not message["profile"]["test"]:
        return []
    if not message["executable"]:
        return []
    folder = Path(message["manifest_path"]).parent
    is_library = "lib" in message["target"]["kind"]
    return [Program(folder.name, Path(message["executable"]), folder, is_library)]


def _rendered(errors: list[dict[str, Any]]) -> str:
    """Returns the first few errors as the compiler shows them."""
    count = Counter(error["message"] for error in errors)
    shown = "\n".join(error["rendered"] for error in errors[:5])
    return f"{shown}\n{count.most_common(20)}"
