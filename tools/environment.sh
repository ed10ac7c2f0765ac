#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the project's own Python environment in .weir/venv: environment.sh run | check
. "$(dirname "$0")/lib/common.sh"

# The distribution's python3 is the one whose venv module was just installed;
# another one first in PATH may lack it.
system_python() {
    local python=${WEIR_PYTHON:-/usr/bin/python3}
    [ -x "$python" ] || python=$(command -v python3) || die "no python3 was found; name one with WEIR_PYTHON=FILE"
    printf '%s\n' "$python"
}

make_venv() {
    local python
    # A half-made environment, or one whose Python was upgraded away, is made anew.
    "$VENV/bin/python" -m pip --version >/dev/null 2>&1 && return
    python=$(system_python)
    say "python: making an environment in .weir/venv"
    rm -rf "$VENV"
    logged venv "$python could not make a virtual environment" "$python" -m venv "$VENV"
}

# fill NAME OPTION...: installs requirements-NAME.txt, unless just that was installed before.
fill() {
    local name=$1 stamp=$VENV/.requirements-$1 wanted
    shift
    wanted=$(cat "$ROOT/tools/requirements-run.txt" "$ROOT/tools/requirements-$name.txt" | sha256sum)
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
    say "python: installing $(grep -v -E '^(#|-r)' "$ROOT/tools/requirements-$name.txt" | tr '\n' ' ')"
    logged "pip-$name" "pip could not install tools/requirements-$name.txt" \
        "$VENV/bin/python" -m pip install --disable-pip-version-check "$@" -r "$ROOT/tools/requirements-$name.txt"
    printf '%s\n' "$wanted" >"$stamp"
}

make_venv
case ${1:-} in
run) fill run --no-deps ;;
check) fill check ;;
*) die "expected run or check, found \"${1:-}\"" ;;
esac
say "python: all there"
