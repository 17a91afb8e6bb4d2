"""The mutants, as cargo-mutants lists them, grouped by the function that they change."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from diffs import patched
from rust import body_of, offset

# The crates whose mutants are looked for, each with the name of its part of the report.
AREAS = {"connect-core": "core", "connect-client": "client", "connect-server": "server"}


@dataclass
class Mutant:
    """One change of the code."""

    key: str
    """The name without its place: the same as long as the function has as many mutants of the kind."""
    name: str
    area: str
    file: str
    body: str
    """The body of the function with the change, or nothing for a mutant outside of functions."""
    number: int = 0
    """The number that switches it on in the present build."""


@dataclass
class Function:
    """A function with its mutants."""

    file: str
    name: str
    returns: str
    start: int
    """The place in the file's text behind the opening brace of the body."""
    end: int
    """The place of the closing brace."""
    mark: str
    """A hash of the function's text: results are only kept as long as it stays the same."""
    mutants: list[Mutant] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The name by which tests that reach it are noted. It stays when the function changes."""
        return f"{self.file}: {self.name}"


@dataclass
class Catalogue:
    """All mutants: those of functions, and those of constants, which no switch can turn on."""

    functions: list[Function]
    constants: list[Mutant]

    def mutants(self) -> list[Mutant]:
        """Returns the mutants of functions, in the order of the source."""
        return [mutant for function in self.functions for mutant in function.mutants]


def read(root: Path) -> Catalogue:
    """Lists the mutants of the tree at `root`, in the scope of its `.cargo/mutants.toml`."""
    command = ["cargo", "mutants", "--list", "--json", "--diff"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    texts: dict[str, str] = {}
    functions: dict[tuple[str, int], Function] = {}
    constants: list[Mutant] = []
    seen: Counter[str] = Counter()
    for entry in json.loads(listed.stdout):
        file = entry["file"]
        text = texts.setdefault(file, (root / file).read_text())
        without_place = file + ": " + re.sub(r"^.*?:\d+:\d+: ", "", entry["name"])
        seen[without_place] += 1
        key = f"{without_place} #{seen[without_place]}"
        mutant = Mutant(key, entry["name"], AREAS[entry["package"]], file, "")
        if entry["function"] is None:
            constants.append(mutant)
            continue
        span = entry["function"]["span"]
        begin = offset(text, span["start"])
        start, end = body_of(text, begin, offset(text, span["end"]))
        changed = patched(text, entry["diff"])
        mutant.body = changed[start : len(changed) - (len(text) - end)]
        function = functions.get((file, start))
        if function is None:
            mark = hashlib.sha256(text[begin:end].encode()).hexdigest()[:16]
            function = Function(
                file,
                entry["function"]["function_name"],
                entry["function"]["return_type"].removeprefix("->").strip(),
                start,
                end,
                mark,
            )
            functions[file, start] = function
        function.mutants.append(mutant)
    return Catalogue(list(functions.values()), constants)
