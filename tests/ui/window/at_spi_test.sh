#!/usr/bin/env bash
# Starts the window under Xvfb with the accessibility bus and checks that a screen reader receives the names and
# summaries of the figures. Usage: at_spi_test.sh ROPELAB. Ends with 77 if a program that it needs is missing.
set -euo pipefail

program=$1
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
bridge=
for each in /usr/libexec/at-spi-bus-launcher /usr/lib/at-spi2-core/at-spi-bus-launcher; do
    [[ ! -x $each ]] || bridge=$each
done
for each in Xvfb dbus-run-session "$python"; do
    command -v "$each" >/dev/null || { echo "skipped: $each is not installed"; exit 77; }
done
[[ -n $bridge ]] || { echo "skipped: at-spi2-core is not installed"; exit 77; }
"$python" -c 'import pyatspi' 2>/dev/null || { echo "skipped: python3-pyatspi is not installed"; exit 77; }

scratch=$(mktemp -d)
started=()
# The window stores its settings when it ends, so it has ended before its display and its folder are removed.
cleanup() {
    local i
    for ((i = ${#started[@]} - 1; i >= 0; --i)); do
        kill "${started[i]}" 2>/dev/null || true
        wait "${started[i]}" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap cleanup EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config XDG_RUNTIME_DIR=$scratch/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset WAYLAND_DISPLAY AT_SPI_BUS_ADDRESS

if [[ -z ${ROPELAB_IN_SESSION:-} ]]; then
    ROPELAB_IN_SESSION=1 dbus-run-session -- bash "$0" "$@"
    exit
fi
# The server chooses a free display and writes its number.
Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp 3>"$scratch/display" 2>/dev/null &
started+=($!)
for _ in {1..100}; do
    [[ ! -s $scratch/display ]] || break
    sleep 0.1
done
DISPLAY=:$(<"$scratch/display")
export DISPLAY QT_QPA_PLATFORM=xcb QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 QT_ACCESSIBILITY=1
"$bridge" --launch-immediately &
started+=($!)
"$program" --room rotation --size 1280x800 >"$scratch/said" 2>&1 &
started+=($!)
"$python" "$here/at_spi_tree.py" 60 || { cat "$scratch/said"; exit 1; }
