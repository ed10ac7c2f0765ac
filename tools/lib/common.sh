# SPDX-License-Identifier: Apache-2.0
# What the scripts share: where things are, and how they talk. Sourced, not run.
# shellcheck shell=bash disable=SC2034

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
STATE=$ROOT/.weir
VENV=$STATE/venv
LOGS=$STATE/log
MODEL=$STATE/models/ssd_mobilenetv2_oidv4_fp16.tflite
LABELS=$STATE/models/ssd_mobilenetv2_oidv4.txt
CLIP=$STATE/media/vtest.avi
OTHER_CLIP=$STATE/media/bikes.mp4 # where a release's opencv-doc lacks vtest.avi

say() {
    printf '%s\n' "$*"
}

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# logged NAME SENTENCE COMMAND...: quiet unless it fails, then the last lines and the sentence.
logged() {
    local log=$LOGS/$1.log sentence=$2
    shift 2
    mkdir -p "$LOGS"
    if ! "$@" >"$log" 2>&1; then
        tail -n 15 "$log" | sed 's/^/    /' >&2
        die "$sentence (all of it is in ${log#"$ROOT"/})"
    fi
}

# The clip that was fetched: vtest.avi where there is one.
clip_file() {
    if [ -f "$CLIP" ]; then
        printf '%s\n' "$CLIP"
    else
        printf '%s\n' "$OTHER_CLIP"
    fi
}
