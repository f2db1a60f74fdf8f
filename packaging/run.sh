#!/usr/bin/env bash
# Installs what is missing, builds, and starts RoPE Lab's window with the arguments of this script. The window opens before
# the training engine is built. Without a display, this script trains the default sweep instead and saves its plots in
# build/output, or in FOLDER with --output FOLDER.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

here=$PWD
opens_window=yes
case " $* " in
    # These options end the program without a window.
    *' --screenshot'* | *' --figure'* | *' --exit-after-startup '*) opens_window=no ;;
    *' --help '* | *' -h '* | *' --version '* | *' -v '*) opens_window=no ;;
    *' --headless'*) opens_window=no ;;
esac
if [[ -z ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
    export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
    case $opens_window" $* " in
        no*) ;;
        *' --output'*) set -- --headless "$@" ;;
        *) set -- --headless --output "$root/build/output" "$@" ;;
    esac
    opens_window=no
fi
window=$root/build/release/bin/ropelab

"$packaging/setup.sh"
say "Building the window…"
build release ropelab
if [[ $opens_window == no ]] || is_built release ropelab-cli ropelab_engine; then
    build release "ropelab-cli ropelab_engine"
    cd "$here"
    exec "$window" "$@"
fi
(cd "$here" && exec "$window" "$@") &
say "The window opens. Training works when the engine is built, which goes on here…"
build release "ropelab-cli ropelab_engine"
say "The engine and ropelab-cli are built."
wait $!
