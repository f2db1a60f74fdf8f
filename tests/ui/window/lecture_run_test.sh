#!/usr/bin/env bash
# Runs the tests of a program in a real window under Xvfb. Usage: lecture_run_test.sh PROGRAM [ARGUMENT…]. Ends with 77
# if Xvfb is not installed.
set -euo pipefail

program=$1
command -v Xvfb >/dev/null || { echo "skipped: Xvfb is not installed"; exit 77; }
scratch=$(mktemp -d)
server=
cleanup() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$scratch"
}
trap cleanup EXIT
# The server chooses a free display and writes its number.
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp 3>"$scratch/display" 2>/dev/null &
server=$!
for _ in {1..200}; do
    [[ ! -s $scratch/display ]] || break
    sleep 0.1
done
unset WAYLAND_DISPLAY
DISPLAY=:$(<"$scratch/display") QT_QPA_PLATFORM=xcb "$program" "${@:2}"
