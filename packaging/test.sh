#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test; CTest prints its summary last. Arguments are passed to ctest (-L
# unit, -R NAME). With --werror as the first argument, or CI=true in the environment, warnings are errors. Tests that need
# Slurm, LaTeX, TensorBoard or SmolLM2-135M run after `setup.sh --all-tests`; otherwise they are skipped.
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
if [[ -z ${ROPELAB_SMOLLM2:-} && -e $(smollm2_file) ]]; then
    ROPELAB_SMOLLM2=$(smollm2_file)
    export ROPELAB_SMOLLM2
fi
if [[ -z ${ROPELAB_TENSORBOARD_PYTHON:-} && -x $tensorboard ]]; then export ROPELAB_TENSORBOARD_PYTHON=$tensorboard; fi
exec ctest --preset release --output-on-failure --no-tests=error "$@"
