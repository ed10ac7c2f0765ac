#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone, and twice: check_headers.py ROOT COMPILER... [-- CXX-COMPILER...].

Headers of the rooms as C11 with the project's _GNU_SOURCE, the public ones as strict C11 and as C++17.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import tap

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def compile_alone(command, language, header):
    """What the compiler says about a file that includes nothing but this header."""
    text = f'#include "{header}"\n#include "{header}"\nextern int weir_not_empty;\n'
    done = subprocess.run([*command, *WARNINGS, "-x", language, "-"], input=text, capture_output=True, text=True)
    return done.stderr.splitlines()[:5] if done.returncode else []


def wrong_guard(root, path):
    """Guards are made of the path, so that no two are the same."""
    relative = path.relative_to(root)
    parts = relative.parts[2:] if relative.parts[0] == "include" else relative.parts[1:]
    guard = "WEIR_" + re.sub(r"[^A-Z0-9]", "_", "_".join(parts).upper())
    text = path.read_text()
    return [] if f"#ifndef {guard}\n#define {guard}\n" in text else [f"{relative}: the guard is not {guard}"]


def main():
    root = pathlib.Path(sys.argv[1])
    arguments = sys.argv[2:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    cc, cxx = arguments[:split], arguments[split + 1:]
    include = [f"-I{root / 'include'}", f"-I{root / 'src'}"]
    rooms = sorted((root / "src").rglob("*.h"))
    public = sorted((root / "include").rglob("*.h"))
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path in rooms:
            header = path.relative_to(root / "src")
            jobs[f"{header} alone"] = pool.submit(
                compile_alone, [*cc, "-std=c11", "-D_GNU_SOURCE", *include], "c", header)
        for path in public:
            header = path.relative_to(root / "include")
            jobs[f"{header} alone as C11"] = pool.submit(compile_alone, [*cc, "-std=c11", include[0]], "c", header)
            if cxx:
                jobs[f"{header} alone as C++17"] = pool.submit(
                    compile_alone, [*cxx, "-std=c++17", include[0]], "c++", header)
    cases = {name: job.result() for name, job in jobs.items()}
    cases["guards are made of the path"] = [line for path in rooms + public for line in wrong_guard(root, path)]
    return tap.report(cases)


if __name__ == "__main__":
    sys.exit(main())
