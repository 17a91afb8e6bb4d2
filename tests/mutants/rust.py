"""The little that has to be understood of Rust's syntax: where the body of a function is."""

from __future__ import annotations

import re

# Comments, strings and characters, in which braces mean nothing; lifetimes are no characters.
OPAQUE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | r(\#*)".*?"\1
      | "(?:\\.|[^"\\])*"
      | '(?:\\[^\n]+?|[^\\\n'])'
    """,
    re.VERBOSE | re.DOTALL,
)


def offset(text: str, place: dict[str, int]) -> int:
    """Returns the place in `text` of a line and a column, which both count from 1."""
    before = 0
    for _ in range(place["line"] - 1):
        before = text.index("\n", before) + 1
    return before + place["column"] - 1


def body_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the places behind the opening brace and at the closing one of the function `start..end`."""
    depth = 0
    at = start
    while at < end:
        opaque = OPAQUE.match(text, at)
        if opaque:
            at = opaque.end()
            continue
        character = text[at]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "{" and depth == 0:
            if text[end - 1] != "}":
                raise ValueError(f"no body ends at {text[end - 20 : end]!r}")
            return at + 1, end - 1
        at += 1
    raise ValueError(f"no body in {text[start:end]!r}")
