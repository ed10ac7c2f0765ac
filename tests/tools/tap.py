# SPDX-License-Identifier: Apache-2.0
"""Checks of the source as test cases: each says what is wrong with the tree, in the TAP form that Meson reads."""


def report(cases):
    """cases: name -> list of complaints. Prints one TAP line each; returns the exit code."""
    print(f"1..{len(cases)}")
    for number, (name, complaints) in enumerate(cases.items(), 1):
        for complaint in complaints:
            print(f"# {complaint}")
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}")
    return 1 if any(cases.values()) else 0
