#!/usr/bin/env bash
# Tests check_includes.sh with a synthetic source tree: first without faults, then with each wrong include alone.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/core/{rope,spec,data,store,experiment,reproduce,stats,model,train,cuda} "$tree"/app \
        "$tree"/ui/{plot,animation,common,session,rotary,models,lecture,rooms/train,rooms/results,window}
    printf '#include <vector>\n#include "core/spec/error.h"\n' >"$tree/core/rope/rotation.cpp"
    printf '#include <nlohmann/json.hpp>\n#include "core/rope/rotation.h"\n' >"$tree/core/data/corpus.cpp"
    printf '#include <sqlite3.h>\n#include "core/data/corpus.h"\n' >"$tree/core/store/lab_file.cpp"
    printf '#include <torch/torch.h>\n#include "core/spec/engine.h"\n' >"$tree/core/model/decoder.cpp"
    printf '#include <ATen/ATen.h>\n#include "core/model/decoder.h"\n' >"$tree/core/train/cohort.cpp"
    printf '#include "core/cuda/cuda_kernels.h"\n' >"$tree/core/model/fused.cpp"
    printf '#include <QWidget>\n#include <qcustomplot.h>\n#include "core/experiment/runner.h"\n' >"$tree/ui/plot/plot.h"
    printf '#include "ui/common/format.h"\n#include "core/reproduce/sheet.h"\n' >"$tree/ui/session/runs.h"
    printf '#include "ui/session/runs.h"\n#include "ui/plot/plot.h"\n' >"$tree/ui/rooms/train/room.cpp"
    printf '#include "ui/rooms/train/room.h"\n#include "ui/models/map.h"\n' >"$tree/ui/window/rooms.cpp"
    printf '#include "ui/plot/plot.h"\n// not torch/torch.h\n' >"$tree/app/main.cpp"
}

make_good_tree
bash "$check" "$tree" >/dev/null || { echo "a tree without faults was rejected:" && bash "$check" "$tree"; exit 1; }

missed=0
# expect_rejected FILE INCLUDE: writes the include to the file, and asserts that the check fails and prints the place.
expect_rejected() {
    make_good_tree
    echo "$2" >"$tree/$1"
    local said
    if said=$(bash "$check" "$tree"); then
        echo "the check did not reject: $2 in $1"
        missed=$((missed + 1))
    elif ! grep -qF "$1:1:" <<<"$said"; then
        echo "the output does not contain file and line: $2 in $1"
        missed=$((missed + 1))
    fi
}

expect_rejected core/data/bad.h '#include <QString>'
expect_rejected core/rope/bad.cpp '#include <QtCore/QString>'
expect_rejected core/stats/bad.h '#include <qcustomplot.h>'
expect_rejected core/train/bad.cpp '  #  include "qcustomplot.h"'
expect_rejected core/experiment/bad.cpp '#include "ui/plot/plot.h"'
expect_rejected ui/plot/bad.cpp '#include <torch/torch.h>'
expect_rejected app/bad.cpp '#include <ATen/ATen.h>'
expect_rejected ui/bad.h '#include "c10/util/Exception.h"'
expect_rejected ui/plot/bad.h '#include "core/model/decoder.h"'
expect_rejected app/bad.h '#include "core/train/cohort.h"'
expect_rejected ui/plot/bad.hpp '#include "app/main.h"'
for folder in data store experiment stats model train; do
    expect_rejected core/spec/bad.h "#include \"core/$folder/thing.h\""
done
expect_rejected core/rope/bad.h '#include <nlohmann/json.hpp>'
expect_rejected core/rope/bad.h '#include <boost/math/constants/constants.hpp>'
expect_rejected core/spec/bad.h '#include <sqlite3.h>'
expect_rejected core/spec/bad.h '#include <Eigen/Dense>'
expect_rejected core/spec/bad.h '#include <torch/torch.h>'
for folder in data store experiment stats; do
    expect_rejected core/$folder/bad.cpp '#include "core/model/decoder.h"'
    expect_rejected core/$folder/bad.cpp '#include "core/train/cohort.h"'
    expect_rejected core/$folder/bad.cpp '#include <torch/torch.h>'
    expect_rejected core/model/bad.cpp "#include \"core/$folder/thing.h\""
    expect_rejected core/train/bad.cpp "#include \"core/$folder/thing.h\""
done
expect_rejected core/model/bad.h '#include <nlohmann/json.hpp>'
expect_rejected core/train/bad.h '#include <sqlite3.h>'
expect_rejected core/model/bad.cpp '#include "core/cuda/arithmetic.h"'
expect_rejected core/train/bad.cpp '#include "core/cuda/device.cuh"'
expect_rejected core/cuda/bad.cu '#include <ATen/ATen.h>'
expect_rejected core/cuda/bad.cu '#include "core/model/decoder.h"'
expect_rejected core/store/bad.h '#include "../model/decoder.h"'
expect_rejected core/experiment/bad.h '#include "core/reproduce/sheet.h"'
expect_rejected ui/rooms/train/bad.cpp '#include "ui/rooms/results/room.h"'
expect_rejected ui/rooms/train/bad.h '#include "ui/window/main_window.h"'
expect_rejected ui/rooms/train/bad.h '#include "ui/models/map.h"'
expect_rejected ui/models/bad.h '#include "ui/rooms/train/room.h"'
expect_rejected ui/rooms/train/bad.h '#include "ui/lecture/stage.h"'
expect_rejected ui/lecture/bad.h '#include "ui/rooms/train/room.h"'
expect_rejected ui/lecture/bad.h '#include "ui/window/main_window.h"'
expect_rejected ui/session/bad.h '#include "ui/lecture/stage.h"'
expect_rejected ui/rotary/bad.h '#include "ui/rooms/train/room.h"'
expect_rejected ui/session/bad.h '#include "ui/rotary/panel.h"'
expect_rejected ui/common/bad.h '#include "ui/session/runs.h"'
expect_rejected ui/common/bad.cpp '#include "ui/window/main_window.h"'
expect_rejected ui/plot/bad.cpp '#include "ui/common/format.h"'
expect_rejected ui/plot/bad.cpp '#include "ui/animation/gif.h"'

((missed == 0)) || exit 1
echo 'The check rejected every wrong include with its file and line.'
