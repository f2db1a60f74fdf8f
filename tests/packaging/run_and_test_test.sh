#!/usr/bin/env bash
# Tests run.sh, test.sh and .ci/run in a fake checkout, in which cmake, ctest and ropelab only print their arguments.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM CI

fake=$scratch/checkout
mkdir -p "$fake/packaging" "$fake/.ci" "$fake/build/release/bin" "$scratch/tools"
cp "$checkout"/packaging/*.sh "$fake/packaging"
cp "$checkout/.ci/run" "$fake/.ci"
printf '#!/bin/sh\n' >"$fake/packaging/setup.sh"
for tool in tools/cmake tools/ctest checkout/build/release/bin/ropelab; do
    # shellcheck disable=SC2016 # the fake tool expands it
    printf '#!/bin/sh\necho "%s [${QT_QPA_PLATFORM-}] $*"\n' "${tool##*/}" >"$scratch/$tool"
    chmod +x "$scratch/$tool"
done
export PATH=$scratch/tools:$PATH
run=$fake/packaging/run.sh
test=$fake/packaging/test.sh

# With a display, the window opens with the arguments of the script.
DISPLAY=:7 expect 0 'ropelab [] a.ropelab --room Train' "$run" a.ropelab --room Train
WAYLAND_DISPLAY=wayland-0 expect 0 'ropelab [] ' "$run"
expect 0 'The window opens.' env DISPLAY=:7 "$run"
grep -q -- 'cmake \[\] --preset release' "$fake/build/release.log" || wrong 'the log has no output of CMake'

# Without a display, the sweep runs on Qt's offscreen platform.
expect 0 "ropelab [offscreen] --headless --output $fake/build/output --preset theta-minute" "$run" --preset theta-minute
expect 0 'ropelab [offscreen] --headless --output /elsewhere' "$run" --output /elsewhere
expect 0 'ropelab [offscreen] --headless --output=/elsewhere' "$run" --output=/elsewhere
expect 0 'ropelab [offscreen] --screenshot a.png' "$run" --screenshot a.png
expect 0 'ropelab [offscreen] --figure validation-loss --output a.pdf' "$run" --figure validation-loss --output a.pdf
expect 0 'ropelab [offscreen] --exit-after-startup' "$run" --exit-after-startup

expect 0 'ctest [] --preset release --output-on-failure --no-tests=error -L unit' "$test" -L unit
werror() { grep -o 'ROPELAB_WERROR=[A-Z]*' "$fake/build/release.log"; }
expect 0 ctest "$test"
[[ $(werror) == *OFF ]] || wrong 'warnings are errors'
expect 0 ctest "$test" --werror
[[ $(werror) == *ON ]] || wrong 'warnings are no errors with --werror'
CI=true expect 0 ctest "$test"
[[ $(werror) == *ON ]] || wrong 'warnings are no errors in CI'

# .ci/run builds the programs with sanitizers while the tests run, and runs their tests last.
expect 0 '' "$fake/.ci/run"
options='--output-on-failure --no-tests=error'
[[ $(werror) == *ON && $(grep '^ctest' "$scratch/said") == "ctest [] --preset release $options -N
ctest [] --preset release $options
ctest [] --preset sanitized $options -N
ctest [] --preset sanitized $options" ]] || wrong 'the steps of .ci/run are others'
printf '#!/bin/sh\ncase "$*" in *-N) ;; *) exit 8 ;; esac\n' >"$scratch/tools/ctest"
expect 8 '' "$fake/.ci/run"

# If the build fails, nothing is run.
printf '#!/bin/sh\necho broken\nexit 3\n' >"$scratch/tools/cmake"
expect 3 broken "$run"
expect 3 broken "$test"
[[ $(tail -n 1 "$scratch/said") == *'could not configure the build; all of its output is in '*/build/release.log. ]] ||
    wrong 'the last line does not name the log'

# Progress is Ninja's, with an estimate; what the compiler says is printed if it fails.
cat >"$scratch/tools/cmake" <<'END'
#!/bin/sh
[ "$1" = --build ] || exit 0
echo '[50/200 60.5] Building CXX object a.o'
echo 'FAILED: a.o'
echo 'a.cpp:1: error: broken'
exit 4
END
expect 4 '[50/200] compiling, about 3 min left' "$run"
expect 4 'a.cpp:1: error: broken' "$run"
[[ $(tail -n 1 "$scratch/said") == *'the build failed; all of its output is in '*/build/release.log. ]] ||
    wrong 'the last line does not name the log'
