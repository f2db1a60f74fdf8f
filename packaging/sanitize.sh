#!/usr/bin/env bash
# Installs what is missing, builds the tests of what parses, stores, computes and paints with AddressSanitizer and
# UndefinedBehaviorSanitizer, and runs them. Arguments are passed to ctest.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$packaging/setup.sh"
build sanitized sanitized_tests
exec ctest --preset sanitized --output-on-failure --no-tests=error "$@"
