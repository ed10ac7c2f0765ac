#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every source file has and has not: check_files.py ROOT."""

import pathlib
import sys

import tap

FOLDERS = ["include", "src", "tests", "tools", "web"]
ENDINGS = {".c", ".h", ".py", ".sh", ".js", ".css"}
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def sources(root):
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in ENDINGS]
    return [path for path in paths if "corpus" not in path.parts] + [root / "demo", root / "check"]


def main():
    root = pathlib.Path(sys.argv[1])
    cases = {"the licence is named": [], "no tabs, no trailing blanks, a last newline": [], "nothing is left for later": []}
    licence, blanks, unfinished = cases.values()
    for path in sources(root):
        name, text = path.relative_to(root), path.read_text()
        if LICENCE not in "\n".join(text.splitlines()[:3]):
            licence.append(f'{name}: "{LICENCE}" is not in its first three lines')
        for number, line in enumerate(text.split("\n"), 1):
            if "\t" in line or line != line.rstrip():
                blanks.append(f"{name}:{number}: a tab or a trailing blank")
            if any(mark in line for mark in ("TO" "DO", "FIX" "ME", "X" "XX ")):
                unfinished.append(f"{name}:{number}: {line.strip()}")
        if text and not text.endswith("\n"):
            blanks.append(f"{name}: no newline at its end")
    return tap.report(cases)


if __name__ == "__main__":
    sys.exit(main())
