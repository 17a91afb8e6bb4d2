"""Applying a unified diff to a text."""

from __future__ import annotations

import re

HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


def patched(text: str, diff: str) -> str:
    """Returns `text` with `diff` applied, which must fit it exactly."""
    old = text.splitlines(keepends=True)
    new: list[str] = []
    at = 0
    for line in diff.splitlines(keepends=True)[2:]:
        hunk = HUNK.match(line)
        if hunk:
            begin = int(hunk.group(1)) - 1
            new += old[at:begin]
            at = begin
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith(("-", " ")):
            if old[at] != line[1:]:
                raise ValueError(f"the diff does not fit: {old[at]!r} is not {line[1:]!r}")
            if line.startswith(" "):
                new.append(old[at])
            at += 1
    return "".join(new + old[at:])
