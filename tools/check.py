#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds weir in several ways and runs the tests on each: see --help.

A phase is one way to build. Each has a build folder of its own, so a second
run compiles only what changed. Meson's tests and pytest's both leave JUnit
files; what is counted is the single cases in them.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOGS = ROOT / ".weir" / "log"
SUPPRESSIONS = ROOT / "tests" / "sanitizers"
CASE_TIMEOUT_S = 240  # of an integration test; one that hangs must not hang the run


@dataclasses.dataclass
class Phase:
    name: str
    folder: str
    options: list
    compiler: str = ""
    sanitize: str = ""
    integration: bool = True

    @property
    def build(self):
        return ROOT / self.folder

    @property
    def slowness(self):
        return {"": 1, "thread": 5}.get(self.sanitize, 3)


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def sanitized(which, compiler=""):
    folder = "build-" + which.replace(",", "-") + (f"-{compiler}" if compiler else "")
    # Optimised a little: unoptimised code with checks is too slow for tests that talk over sockets.
    options = ["-Dbuildtype=debugoptimized", "-Doptimization=1", f"-Db_sanitize={which}"]
    # Clang leaves undefined symbols of the sanitizer's runtime to the executable.
    return Phase(which, folder, options + ["-Db_lundef=false"], compiler, which)


def plain(compiler=""):
    name = compiler or os.environ.get("CC", "gcc")
    return Phase(name, "build" + (f"-{compiler}" if compiler else ""), ["-Dwerror=true"], compiler)


def choose_phases(arguments):
    if arguments.sanitize:
        return [sanitized(arguments.sanitize, arguments.compiler)]
    phases = [plain(arguments.compiler)]
    if not arguments.quick and not arguments.compiler:
        clang = plain("clang")
        clang.integration = False
        phases += [clang, sanitized("address,undefined"), sanitized("thread")]
    return phases


def environment(phase):
    env = dict(os.environ, WEIR_BINARY=str(phase.build / "weir"), WEIR_TEST_SLOWNESS=str(phase.slowness),
               WEIR_SANITIZE=phase.sanitize, PYTHONDONTWRITEBYTECODE="1")
    env["PATH"] = f"{pathlib.Path(sys.executable).parent}:{env['PATH']}"
    if phase.compiler:
        env["CC"] = phase.compiler
    if phase.sanitize:
        # OpenVINO's TBB opens a library in a way (RTLD_DEEPBIND) that the sanitizers refuse, unless told.
        env["TBB_ENABLE_SANITIZERS"] = "1"
        # Leaks and races in the runtimes' own libraries, which are not built with the sanitizer.
        env["ASAN_OPTIONS"] = "detect_stack_use_after_return=1:abort_on_error=0"
        env["LSAN_OPTIONS"] = f"suppressions={SUPPRESSIONS / 'leak.supp'}:print_suppressions=0"
        env["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
        env["TSAN_OPTIONS"] = f"suppressions={SUPPRESSIONS / 'thread.supp'}:halt_on_error=0:second_deadlock_stack=1"
    return env


def fixed_addresses(phase):
    """ThreadSanitizer of older compilers refuses the address layouts of newer kernels."""
    wrapper = ["setarch", "-R"]
    usable = phase.sanitize == "thread" and subprocess.run([*wrapper, "true"], capture_output=True).returncode == 0
    return wrapper if usable else []


def build(phase, env):
    """True when it built. Its options are set each time: a folder of ./demo's lacks -Dwerror."""
    log = LOGS / f"check-{phase.folder}.log"
    configured = (phase.build / "build.ninja").exists()
    setup = (["meson", "configure", str(phase.build)] if configured else
             ["meson", "setup", str(phase.build), str(ROOT)])
    with open(log, "wb") as output:
        # What only a test runs is not in "all".
        ninja = ["ninja", "-k", "0", "-C", str(phase.build), "all", "meson-test-prereq"]
        for command in ([*setup, *phase.options], ninja):
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, env=env).returncode != 0:
                break
        else:
            return True
    print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-40:]))
    print(f"the build failed; all of it is in {log.relative_to(ROOT)}")
    return False


def cases(junit):
    """The cases of a JUnit file: what it says of each of its test programs."""
    programs = {}
    for suite in xml.etree.ElementTree.parse(junit).iter("testsuite"):
        count = programs.setdefault(suite.get("name"), Count())
        for case in suite.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                count.failed += 1
            elif case.find("skipped") is not None:
                count.skipped += 1
            else:
                count.passed += 1
    return programs


def run_meson_tests(phase, env):
    logs = phase.build / "meson-logs"
    for old in logs.glob("testlog.j*"):
        old.unlink()
    command = ["meson", "test", "-C", str(phase.build), "--no-rebuild", "--print-errorlogs",
               "--timeout-multiplier", str(phase.slowness)]
    # Checks of the source say the same in each build.
    command += ["--no-suite", "source"] if phase.sanitize else []
    done = subprocess.run([*fixed_addresses(phase), *command], env=env)
    total = Count()
    if not (logs / "testlog.junit.xml").exists():
        print(f"meson test ended with code {done.returncode} and ran nothing")
        return Count(failed=1)
    for count in cases(logs / "testlog.junit.xml").values():
        total.add(count)
    # A program may say "ok" to each case and still end badly: a leak, a crash at exit, too few cases.
    with open(logs / "testlog.json") as file:
        bad = [test for test in map(json.loads, file) if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL")]
    total.failed = max(total.failed, len(bad))
    return total


def run_pytest(phase, env):
    junit = phase.build / "meson-logs" / "integration.junit.xml"
    junit.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-rfEs", "-p", "no:cacheprovider", "--tb=short", "--durations=5",
               f"--timeout={CASE_TIMEOUT_S}", f"--junitxml={junit}", str(ROOT / "tests" / "integration")]
    code = subprocess.run([*fixed_addresses(phase), *command], env=env).returncode
    total = Count()
    for count in cases(junit).values() if junit.exists() else ():
        total.add(count)
    if code != 0 and total.failed == 0:
        print(f"pytest ended with code {code}")
        total.failed = 1
    return total


def run_phase(phase):
    print(f"\n== {phase.name}: {'tests' if phase.integration else 'build and unit tests'} in {phase.folder}/", flush=True)
    begin = time.monotonic()
    env = environment(phase)
    total = Count()
    if not build(phase, env):
        total.failed = 1
    else:
        print(f"built in {time.monotonic() - begin:.0f} s", flush=True)
        total.add(run_meson_tests(phase, env))
        if phase.integration:
            total.add(run_pytest(phase, env))
        if total.passed == 0 and total.failed == 0:
            print("no test ran")
            total.failed = 1
    print(f"== {phase.name}: {total} ({time.monotonic() - begin:.0f} s)", flush=True)
    return total


def parse():
    parser = argparse.ArgumentParser(prog="./check", description=(
        "Prepares the machine as ./demo does, builds weir with gcc and -Werror and runs all tests, then builds it with "
        "clang, AddressSanitizer and UndefinedBehaviorSanitizer, and ThreadSanitizer, and runs them again."),
        epilog="Example: ./check --sanitize address,undefined")
    parser.add_argument("--quick", action="store_true", help="only the build with gcc and its tests")
    parser.add_argument("--sanitize", metavar="WHICH", choices=["address,undefined", "thread"],
                        help="only that build: address,undefined or thread")
    parser.add_argument("--compiler", metavar="CC", default="", help="only the build with this compiler: clang, gcc-13, ...")
    return parser.parse_args()


def main():
    arguments = parse()
    for tool in ("meson", "ninja", arguments.compiler or "cc"):
        if shutil.which(tool) is None:
            sys.exit(f"check: {tool} was not found")
    LOGS.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    total, rows = Count(), []
    for phase in choose_phases(arguments):
        count = run_phase(phase)
        rows.append(f"{phase.name:20} {count}")
        total.add(count)
    print("\n" + "\n".join(rows))
    print(total)
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
