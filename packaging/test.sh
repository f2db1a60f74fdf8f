#!/usr/bin/env bash
# Sets up what is missing, builds, and runs every test; CTest's summary comes last. Arguments go to ctest (-L unit,
# -R NAME). --werror, or CI=true in the environment: warnings are errors. Tests that ask Slurm, LaTeX or TensorBoard run
# after `setup.sh --all-tests`.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

werror=OFF
[[ ${CI:-} != true ]] || werror=ON
if [[ ${1:-} == --werror ]]; then
    werror=ON
    shift
fi

"$packaging/setup.sh"
build release all -DROPELAB_TESTS=ON "-DROPELAB_WERROR=$werror"
tensorboard=$(tensorboard_folder)/bin/python
if [[ -z ${ROPELAB_TENSORBOARD_PYTHON:-} && -x $tensorboard ]]; then export ROPELAB_TENSORBOARD_PYTHON=$tensorboard; fi
exec ctest --preset release --output-on-failure --no-tests=error "$@"
