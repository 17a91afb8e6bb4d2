"""Weaving all mutants into the code: each function gets a copy of its body for each of its mutants.

The text between two markers is one copy. The markers stand on lines of their own, so that an error of the
compiler leads to the mutant that it is about.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from catalogue import Function

MARKER = re.compile(r"^/\*(function|mutant|end) ?(\d*)\*/$")


def weave(text: str, functions: list[Function]) -> str:
    """Returns the text of a file in which the mutants of `functions` can be switched on.

    A mutant is switched on by its number; those of a function have consecutive ones.
    """
    # From the last to the first: a function inside another is done before that one, and moves its end.
    grown: list[tuple[int, int]] = []
    for function in sorted(functions, key=lambda f: f.start, reverse=True):
        inner = sum(by for at, by in grown if function.start <= at < function.end)
        end = function.end + inner
        original = text[function.start : end]
        woven = _switch(function, original)
        text = text[: function.start] + woven + text[end:]
        grown.append((function.start, len(woven) - len(original)))
    return text


def _switch(function: Function, original: str) -> str:
    """Returns the body of a function that chooses between its mutants and what it was."""
    first, last = function.mutants[0].number, function.mutants[-1].number
    before, after = _boxed(function.returns)
    parts = [f"\n/*function {first}*/\nmatch crate::mutant::among({first}, {last}) {{"]
    parts.append(f"0 => {before}{{\n{original}\n}}{after}")
    for mutant in function.mutants:
        parts.append(f"\n/*mutant {mutant.number}*/")
        parts.append(f"{mutant.number} => {before}{{\n{mutant.body}\n}}{after}")
        parts.append("\n/*end*/")
    parts.append("_ => unreachable!() }\n/*end*/\n")
    return "\n".join(parts)


def _boxed(returns: str) -> tuple[str, str]:
    """Returns what goes around a body so that all have one type, also when each returns an `impl`."""
    if not returns.startswith("impl "):
        return "", ","
    bounds = re.sub(r"\+\s*use\s*<[^>]*>?", "", returns.removeprefix("impl "))
    if bounds.startswith("Future"):
        return "Box::pin(", f") as std::pin::Pin<Box<dyn {bounds} + '_>>,"
    return "Box::new(", f") as Box<dyn {bounds} + Send + '_>,"


class Markers:
    """The lines that belong to each mutant and to each function of a woven file."""

    def __init__(self, text: str) -> None:
        self._spans: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        opened: list[tuple[str, int, int]] = []
        for line, content in enumerate(text.splitlines(), start=1):
            marker = MARKER.match(content)
            if not marker:
                continue
            if marker.group(1) == "end":
                kind, number, begin = opened.pop()
                self._spans[kind].append((begin, line, number))
            else:
                opened.append((marker.group(1), int(marker.group(2)), line))

    def at(self, kind: str, line: int) -> int | None:
        """Returns the number of the innermost mutant or function at a line."""
        around = [span for span in self._spans[kind] if span[0] <= line <= span[1]]
        return min(around, key=lambda span: span[1] - span[0])[2] if around else None


def declare(crate: Path, switch: str) -> dict[Path, str]:
    """Returns the files that give a crate the switch."""
    root = crate / "src" / "lib.rs"
    return {
        root: root.read_text() + "\n#[allow(dead_code)]\nmod mutant;\n",
        crate / "src" / "mutant.rs": switch,
    }
