#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a build folder once and builds it: build.sh [FOLDER [MESON-OPTION...]]
. "$(dirname "$0")/lib/common.sh"

folder=$ROOT/${1:-build}
shift || true
log=build-$(basename "$folder")
if [ ! -f "$folder/build.ninja" ]; then
    say "build: configuring ${folder#"$ROOT"/}"
    logged "$log-setup" "meson could not configure the build" meson setup "$folder" "$ROOT" "$@"
elif [ $# != 0 ]; then
    logged "$log-setup" "meson could not configure the build" meson configure "$folder" "$@"
fi
say "build: ${folder#"$ROOT"/}"
logged "$log" "the build failed" ninja -C "$folder"
