#!/usr/bin/env bash
# Shows check_includes.sh made-up trees: a good one, then each wrong include alone.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

lay_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/core/{rope,spec,data,store,experiment,stats,model,train,cuda} "$tree"/{ui/plot,app}
    printf '#include <vector>\n#include "core/spec/error.h"\n' >"$tree/core/rope/rotation.cpp"
    printf '#include <nlohmann/json.hpp>\n#include "core/rope/rotation.h"\n' >"$tree/core/data/corpus.cpp"
    printf '#include <sqlite3.h>\n#include "core/data/corpus.h"\n' >"$tree/core/store/lab_file.cpp"
    printf '#include <torch/torch.h>\n#include "core/spec/engine.h"\n' >"$tree/core/model/decoder.cpp"
    printf '#include <ATen/ATen.h>\n#include "core/model/decoder.h"\n' >"$tree/core/train/cohort.cpp"
    printf '#include "core/cuda/cuda_kernels.h"\n' >"$tree/core/model/fused.cpp"
    printf '#include <QWidget>\n#include <qcustomplot.h>\n#include "core/experiment/runner.h"\n' >"$tree/ui/plot/plot.h"
    printf '#include "ui/plot/plot.h"\n// not torch/torch.h\n' >"$tree/app/main.cpp"
}

lay_good_tree
bash "$check" "$tree" >/dev/null || { echo "a tree without fault was refused:" && bash "$check" "$tree"; exit 1; }

missed=0
# expect_refused FILE INCLUDE
expect_refused() {
    lay_good_tree
    echo "$2" >"$tree/$1"
    local said
    if said=$(bash "$check" "$tree"); then
        echo "not noticed: $2 in $1"
        missed=$((missed + 1))
    elif ! grep -qF "$1:1:" <<<"$said"; then
        echo "refused without naming the place: $2 in $1"
        missed=$((missed + 1))
    fi
}

expect_refused core/data/bad.h '#include <QString>'
expect_refused core/rope/bad.cpp '#include <QtCore/QString>'
expect_refused core/stats/bad.h '#include <qcustomplot.h>'
expect_refused core/train/bad.cpp '  #  include "qcustomplot.h"'
expect_refused core/experiment/bad.cpp '#include "ui/plot/plot.h"'
expect_refused ui/plot/bad.cpp '#include <torch/torch.h>'
expect_refused app/bad.cpp '#include <ATen/ATen.h>'
expect_refused ui/bad.h '#include "c10/util/Exception.h"'
expect_refused ui/plot/bad.h '#include "core/model/decoder.h"'
expect_refused app/bad.h '#include "core/train/cohort.h"'
expect_refused ui/plot/bad.hpp '#include "app/main.h"'
for folder in data store experiment stats model train; do
    expect_refused core/spec/bad.h "#include \"core/$folder/thing.h\""
done
expect_refused core/rope/bad.h '#include <nlohmann/json.hpp>'
expect_refused core/rope/bad.h '#include <boost/math/constants/constants.hpp>'
expect_refused core/spec/bad.h '#include <sqlite3.h>'
expect_refused core/spec/bad.h '#include <Eigen/Dense>'
expect_refused core/spec/bad.h '#include <torch/torch.h>'
for folder in data store experiment stats; do
    expect_refused core/$folder/bad.cpp '#include "core/model/decoder.h"'
    expect_refused core/$folder/bad.cpp '#include "core/train/cohort.h"'
    expect_refused core/$folder/bad.cpp '#include <torch/torch.h>'
    expect_refused core/model/bad.cpp "#include \"core/$folder/thing.h\""
    expect_refused core/train/bad.cpp "#include \"core/$folder/thing.h\""
done
expect_refused core/model/bad.h '#include <nlohmann/json.hpp>'
expect_refused core/train/bad.h '#include <sqlite3.h>'
expect_refused core/model/bad.cpp '#include "core/cuda/arithmetic.h"'
expect_refused core/train/bad.cpp '#include "core/cuda/device.cuh"'
expect_refused core/cuda/bad.cu '#include <ATen/ATen.h>'
expect_refused core/cuda/bad.cu '#include "core/model/decoder.h"'
expect_refused core/store/bad.h '#include "../model/decoder.h"'

((missed == 0)) || exit 1
echo 'Every made-up wrong include was refused, with its place.'
