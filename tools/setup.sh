#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything before the build, each step only where something is missing:
# setup.sh run | check
. "$(dirname "$0")/lib/common.sh"

mkdir -p "$STATE"
# Two at once would write the same files.
exec 9>"$STATE/lock"
flock -n 9 || { say "setup: waiting for another one to finish" && flock 9; }

"$ROOT/tools/packages.sh" "${1:-run}"
"$ROOT/tools/environment.sh" "${1:-run}"
"$ROOT/tools/fetch.sh"
