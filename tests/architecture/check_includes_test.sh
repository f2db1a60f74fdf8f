#!/usr/bin/env bash
# Tests check_includes.sh with a synthetic source tree: first without faults, then with wrong includes.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/architecture/synthetic_tree.sh
source "$here/synthetic_tree.sh"

run_check() {
    bash "$here/check_includes.sh" "$tree"
}

make_good_tree() {
    rm -rf "${tree:?}"/*
    local folder
    mkdir -p "$tree"/core/{base,rope,settings,contract,data,store,weights,table,machine,plan,experiment,forecast,run,sweep,study,reproduce,interop,bench,report,lecture,results,stats,engine/{device,model,train}} "$tree"/app \
        "$tree"/ui/{plot,animation,common,session,rotary,models,lecture,rooms/train,rooms/results,window/frame}
    printf '#include <vector>\n#include "core/base/error.h"\n' >"$tree/core/rope/rotation.cpp"
    printf '#include <nlohmann/json.hpp>\n#include "core/rope/rotation.h"\n' >"$tree/core/data/corpus.cpp"
    printf '#include <sqlite3.h>\n#include "core/data/corpus.h"\n' >"$tree/core/store/lab_file.cpp"
    printf '#include "core/store/run_settings.h"\n' >"$tree/core/results/decision_aid.cpp"
    printf '#include "core/stats/t_test.h"\n#include "core/data/corpus.h"\n' >"$tree/core/run/runner.cpp"
    for folder in reproduce interop bench; do
        printf '#include "core/run/runner.h"\n#include "core/stats/t_test.h"\n' >"$tree/core/$folder/above.cpp"
    done
    printf '#include "core/reproduce/sheet.h"\n#include "core/bench/machine.h"\n' >"$tree/core/report/report.cpp"
    printf '#include <torch/torch.h>\n#include "core/contract/engine.h"\n' >"$tree/core/engine/model/decoder.cpp"
    printf '#include <ATen/ATen.h>\n#include "core/engine/model/decoder.h"\n' >"$tree/core/engine/train/cohort.cpp"
    printf '#include <QWidget>\n#include <qcustomplot.h>\n#include "core/run/runner.h"\n' >"$tree/ui/plot/plot.h"
    printf '#include "ui/common/format.h"\n#include "core/reproduce/sheet.h"\n' >"$tree/ui/session/runs.h"
    printf '#include "ui/session/runs.h"\n#include "ui/plot/plot.h"\n' >"$tree/ui/rooms/train/room.cpp"
    printf '#include "ui/rooms/train/room.h"\n#include "ui/models/map.h"\n' >"$tree/ui/window/frame/rooms.cpp"
    printf '#include "ui/plot/plot.h"\n// not torch/torch.h\n' >"$tree/app/main.cpp"
}

expect_accepted

# expect_include_rejected FILE INCLUDE: adds a file of this name and a number with the include to the tree. The end of the
# test asserts that one check of all these files prints the place of each.
places=()
expect_include_rejected() {
    local file=${1%.*}${#places[@]}.${1##*.}
    printf '%s\n' "$2" >"$tree/$file"
    places+=("$file:1:")
}

expect_include_rejected core/data/bad.h '#include <QString>'
expect_include_rejected core/rope/bad.cpp '#include <QtCore/QString>'
expect_include_rejected core/stats/bad.h '#include <qcustomplot.h>'
expect_include_rejected core/engine/train/bad.cpp '  #  include "qcustomplot.h"'
expect_include_rejected core/experiment/bad.cpp '#include "ui/plot/plot.h"'
expect_include_rejected ui/plot/bad.cpp '#include <torch/torch.h>'
expect_include_rejected app/bad.cpp '#include <ATen/ATen.h>'
expect_include_rejected ui/bad.h '#include "c10/util/Exception.h"'
expect_include_rejected ui/plot/bad.h '#include "core/engine/model/decoder.h"'
expect_include_rejected app/bad.h '#include "core/engine/train/cohort.h"'
expect_include_rejected ui/plot/bad.hpp '#include "app/main.h"'
for folder in data store experiment stats engine; do
    expect_include_rejected core/base/bad.h "#include \"core/$folder/thing.h\""
done
expect_include_rejected core/rope/bad.h '#include <nlohmann/json.hpp>'
expect_include_rejected core/rope/bad.h '#include <boost/math/constants/constants.hpp>'
expect_include_rejected core/base/bad.h '#include <sqlite3.h>'
expect_include_rejected core/base/bad.h '#include <Eigen/Dense>'
expect_include_rejected core/base/bad.h '#include <torch/torch.h>'
for folder in data store experiment stats; do
    expect_include_rejected core/$folder/bad.cpp '#include "core/engine/model/decoder.h"'
    expect_include_rejected core/$folder/bad.cpp '#include "core/engine/train/cohort.h"'
    expect_include_rejected core/$folder/bad.cpp '#include <torch/torch.h>'
    expect_include_rejected core/engine/model/bad.cpp "#include \"core/$folder/thing.h\""
    expect_include_rejected core/engine/train/bad.cpp "#include \"core/$folder/thing.h\""
done
expect_include_rejected core/base/bad.h '#include "core/rope/rotation.h"'
expect_include_rejected core/settings/bad.h '#include "core/contract/engine.h"'
expect_include_rejected core/plan/bad.h '#include "core/contract/engine.h"'
expect_include_rejected core/plan/bad.h '#include "core/data/corpus.h"'
expect_include_rejected core/engine/model/bad.h '#include <nlohmann/json.hpp>'
expect_include_rejected core/engine/train/bad.h '#include <sqlite3.h>'
expect_include_rejected core/engine/model/bad.h '#include "core/engine/train/cohort.h"'
expect_include_rejected core/engine/device/bad.cpp '#include "core/engine/model/decoder.h"'
expect_include_rejected core/store/bad.h '#include "../model/decoder.h"'
lower=()
for line in table data store weights stats results machine experiment forecast run sweep study 'reproduce interop bench' 'report lecture'; do
    for folder in $line; do
        for other in "${lower[@]}"; do
            expect_include_rejected "core/$other/bad.cpp" "#include \"core/$folder/thing.h\""
        done
    done
    for folder in $line; do lower+=("$folder"); done
done
expect_include_rejected core/reproduce/bad.cpp '#include "core/interop/thing.h"'
expect_include_rejected core/interop/bad.h '#include "core/bench/thing.h"'
expect_include_rejected core/bench/bad.h '#include "core/reproduce/thing.h"'
expect_include_rejected ui/rooms/train/bad.cpp '#include "ui/rooms/results/room.h"'
expect_include_rejected ui/rooms/train/bad.h '#include "ui/window/main_window.h"'
expect_include_rejected ui/rooms/train/bad.h '#include "ui/models/map.h"'
expect_include_rejected ui/rooms/train/bad.h '#include "ui/lecture/stage.h"'
expect_include_rejected ui/lecture/bad.h '#include "ui/rooms/train/room.h"'
expect_include_rejected ui/lecture/bad.h '#include "ui/window/main_window.h"'
expect_include_rejected ui/session/bad.h '#include "ui/lecture/stage.h"'
expect_include_rejected ui/models/bad.h '#include "ui/rooms/train/room.h"'
expect_include_rejected ui/rotary/bad.h '#include "ui/rooms/train/room.h"'
expect_include_rejected ui/session/bad.h '#include "ui/rotary/panel.h"'
expect_include_rejected ui/common/bad.h '#include "ui/session/runs.h"'
expect_include_rejected ui/common/bad.cpp '#include "ui/window/main_window.h"'
expect_include_rejected ui/plot/bad.cpp '#include "ui/common/format.h"'
expect_include_rejected ui/plot/bad.cpp '#include "ui/animation/gif.h"'

if said=$(run_check); then
    echo 'the check did not fail'
    exit 1
fi
for place in "${places[@]}"; do
    grep -qF "$place" <<<"$said" || { echo "the check did not reject $place $(cat "$tree/${place%%:*}")" && missed=$((missed + 1)); }
done
finish 'The check rejected every wrong include with its file and line.'
