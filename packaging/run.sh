#!/usr/bin/env bash
# Installs what is missing, builds, and starts RoPE Lab's window with the arguments of this script. Without a display, it
# trains the default sweep instead and saves its plots in build/output, or in FOLDER with --output FOLDER.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

here=$PWD
"$packaging/setup.sh"
build release "ropelab ropelab-cli ropelab_engine"
cd "$here"

if [[ -z ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
    export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
    case " $* " in
        # These options end the program without a window.
        *' --screenshot'* | *' --figure'* | *' --exit-after-startup '*) ;;
        *' --help '* | *' -h '* | *' --version '* | *' -v '*) ;;
        *' --output'*) set -- --headless "$@" ;;
        *) set -- --headless --output "$root/build/output" "$@" ;;
    esac
fi
exec "$root/build/release/bin/ropelab" "$@"
