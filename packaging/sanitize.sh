#!/usr/bin/env bash
# Installs what is missing, builds the tests of what parses, stores and computes with AddressSanitizer and
# UndefinedBehaviorSanitizer, and runs them; with --window as the first argument also those of what paints. Further
# arguments are passed to ctest.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tests=sanitized_tests
if [[ ${1:-} == --window ]]; then
    tests+=" sanitized_window_tests"
    shift
fi
"$packaging/setup.sh"
build sanitized "$tests"
exec ctest --preset sanitized --output-on-failure --no-tests=error "$@"
