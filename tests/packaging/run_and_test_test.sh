#!/usr/bin/env bash
# run.sh and test.sh, in a made-up checkout whose cmake, ctest and ropelab only say what they were called with.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM CI

made_up=$scratch/checkout
mkdir -p "$made_up/packaging" "$made_up/build/release/bin" "$scratch/tools"
cp "$checkout"/packaging/*.sh "$made_up/packaging"
printf '#!/bin/sh\n' >"$made_up/packaging/setup.sh"
for tool in tools/cmake tools/ctest checkout/build/release/bin/ropelab; do
    # shellcheck disable=SC2016 # for the made-up tool to expand
    printf '#!/bin/sh\necho "%s [${QT_QPA_PLATFORM-}] $*"\n' "${tool##*/}" >"$scratch/$tool"
    chmod +x "$scratch/$tool"
done
export PATH=$scratch/tools:$PATH
run=$made_up/packaging/run.sh
test=$made_up/packaging/test.sh

# Where there is a display, the window opens with the arguments that were given.
DISPLAY=:7 expect 0 'ropelab [] a.ropelab --room Train' "$run" a.ropelab --room Train
WAYLAND_DISPLAY=wayland-0 expect 0 'ropelab [] ' "$run"
expect 0 'cmake [] --preset release' "$run"

# Where there is none, the sweep runs on the offscreen platform.
expect 0 "ropelab [offscreen] --headless --output $made_up/build/output --preset theta-minute" "$run" --preset theta-minute
expect 0 'ropelab [offscreen] --headless --output /elsewhere' "$run" --output /elsewhere
expect 0 'ropelab [offscreen] --headless --output=/elsewhere' "$run" --output=/elsewhere
expect 0 'ropelab [offscreen] --screenshot a.png' "$run" --screenshot a.png
expect 0 'ropelab [offscreen] --figure validation-loss --output a.pdf' "$run" --figure validation-loss --output a.pdf
expect 0 'ropelab [offscreen] --exit-after-startup' "$run" --exit-after-startup

expect 0 'ctest [] --preset release --output-on-failure --no-tests=error -L unit' "$test" -L unit
expect 0 '-DROPELAB_WERROR=OFF' "$test"
expect 0 '-DROPELAB_WERROR=ON' "$test" --werror
CI=true expect 0 '-DROPELAB_WERROR=ON' "$test"

# What does not build is not run.
printf '#!/bin/sh\necho broken\nexit 3\n' >"$scratch/tools/cmake"
expect 3 broken "$run"
expect 3 broken "$test"
