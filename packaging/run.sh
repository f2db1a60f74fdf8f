#!/usr/bin/env bash
# Sets up what is missing, builds, and opens RoPE Lab's window; arguments go to it. Where there is no display, the
# window's default sweep runs without one, and its plots are written to build/output (--output FOLDER: elsewhere).
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
        # These end by themselves.
        *' --screenshot'* | *' --figure'* | *' --exit-after-startup '*) ;;
        *' --help '* | *' -h '* | *' --version '* | *' -v '*) ;;
        *' --output'*) set -- --headless "$@" ;;
        *) set -- --headless --output "$root/build/output" "$@" ;;
    esac
fi
exec "$root/build/release/bin/ropelab" "$@"
