#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing: packages.sh run | check
. "$(dirname "$0")/lib/common.sh"

# Names that Debian 12, Debian 13 and Ubuntu 24.04 share.
RUN=(
    build-essential
    ca-certificates
    libavcodec-dev
    libavdevice-dev
    libavformat-dev
    libavutil-dev
    libcurl4-openssl-dev
    libjansson-dev
    libjpeg-dev
    libmicrohttpd-dev
    libswscale-dev
    libuv1-dev
    libyaml-dev
    meson
    ninja-build
    pkg-config
    python3
    python3-venv
)
# libc6-dbg: the sanitizers' suppressions know its functions by name.
CHECK=(
    clang
    curl
    fonts-dejavu-core
    libc6-dbg
    libcmocka-dev
)
# Taken where the release has them; the tests that need one are skipped elsewhere.
# Ubuntu's chromium is a wrapper around a snap and libonnxruntime-dev begins with Debian 13.
CHECK_OPTIONAL=(
    chromium
    libonnxruntime-dev
    libyuv-dev
)

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

offered() {
    [ -n "$(apt-cache show "$1" 2>/dev/null)" ]
}

missing() {
    local package
    for package in "$@"; do
        installed "$package" || printf '%s\n' "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

require_root() {
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        die "these packages are missing: $*. Install them as root (apt-get install $*) or install sudo, then repeat."
}

# A list that could not be refreshed is no reason to stop: what is needed may be in the one at hand.
refresh() {
    as_root apt-get update -q || true
}

install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

install_optional() {
    local package wanted=()
    grep -qs '^ID=ubuntu' /etc/os-release && return
    for package in "$@"; do
        if ! installed "$package" && offered "$package"; then
            wanted+=("$package")
        fi
    done
    [ ${#wanted[@]} = 0 ] && return
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        say "packages: going on without ${wanted[*]} (needs root): the tests for it will be skipped"
        return
    fi
    say "packages: installing ${wanted[*]}"
    logged apt-optional "apt-get could not install ${wanted[*]}" install "${wanted[@]}"
}

main() {
    local packages=("${RUN[@]}") absent
    case ${1:-} in
    run) ;;
    check) packages+=("${CHECK[@]}") ;;
    *) die "expected run or check, found \"${1:-}\"" ;;
    esac
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
        die "this is not Debian or Ubuntu. Install what these packages hold, then give WEIR_NO_APT=1: ${packages[*]}"
    mapfile -t absent < <(missing "${packages[@]}")
    if [ ${#absent[@]} != 0 ]; then
        require_root "${absent[@]}"
        say "packages: installing ${#absent[@]} that are missing: ${absent[*]}"
        logged apt-update "apt-get update failed" refresh
        logged apt-install "apt-get could not install the packages" install "${absent[@]}"
    fi
    if [ "$1" = check ]; then
        install_optional "${CHECK_OPTIONAL[@]}"
    fi
    say "packages: all there"
}

if [ -n "${WEIR_NO_APT:-}" ]; then
    say "packages: not looked at (WEIR_NO_APT)"
else
    main "$@"
fi
