#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes point only downward through the rooms of src/: check_layers.py ROOT.

The order of the rooms is the one in the top meson.build, and cli is above them all.
"""

import pathlib
import re
import sys
import tempfile

import tap

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROOMS = re.compile(r"foreach room : \[(.*?)\]", re.DOTALL)


def read_rooms(root):
    found = ROOMS.search((root / "meson.build").read_text())
    return re.findall(r"'([^']+)'", found.group(1)) + ["cli"]


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))


def wrong_include(room, header, rooms):
    """Why a file of this room must not include this header, or None."""
    if header.startswith("weir/"):
        return None
    if "/" not in header:
        return f'write "{room}/{header}": includes name the room'
    other = header.split("/")[0]
    if other not in rooms:
        return f'there is no room "{other}"'
    if rooms.index(other) > rooms.index(room):
        return f"{other} is above {room}"
    if other != room and header.endswith("_private.h"):
        return f"{header} is {other}'s own"
    return None


def complaints_of_room(root, room, rooms):
    complaints = []
    for path in sources(root / "src" / room):
        for header in INCLUDE.findall(path.read_text()):
            reason = wrong_include(room, header, rooms)
            if reason:
                complaints.append(f"{path.relative_to(root)} includes {header}: {reason}")
    return complaints


def complaints_of_public(root):
    return [f"{path.relative_to(root)} includes {header}: a public header can rely on public ones only"
            for path in sources(root / "include")
            for header in INCLUDE.findall(path.read_text()) if not header.startswith("weir/")]


def unlisted_rooms(root, rooms):
    return [f"src/{path.name} is in no list of rooms in meson.build"
            for path in sorted((root / "src").iterdir()) if path.is_dir() and path.name not in rooms]


def check(root):
    rooms = read_rooms(root)
    cases = {f"{room} includes only what is below it": complaints_of_room(root, room, rooms) for room in rooms}
    cases["public headers include only public headers"] = complaints_of_public(root)
    cases["each room has its place"] = unlisted_rooms(root, rooms)
    return cases


def self_test():
    """A tree with one fault of each kind has each of them found."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        files = {
            "meson.build": "foreach room : ['low', 'high']\n",
            "src/low/a.c": '#include "high/b.h"\n#include "low/a.h"\n#include <stdio.h>\n',
            "src/high/b.c": '#include "low/a.h"\n#include "low/a_private.h"\n#include "b.h"\n',
            "src/cli/main.c": '#include "attic/c.h"\n',
            "src/attic/c.h": "",
            "include/weir/d.h": '#include "low/a.h"\n#include "weir/e.h"\n',
        }
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = [len(complaints) for complaints in check(root).values()]
    expected = [1, 2, 1, 1, 1]
    return [] if found == expected else [f"expected {expected} complaints in low, high, cli, public, list; found {found}"]


def main():
    root = pathlib.Path(sys.argv[1])
    return tap.report({**check(root), "an upward include is found": self_test()})


if __name__ == "__main__":
    sys.exit(main())
