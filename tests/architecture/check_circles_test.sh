#!/usr/bin/env bash
# Tests check_circles with a synthetic source tree: first without faults, then with each fault alone.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/architecture/synthetic_tree.sh
source "$here/synthetic_tree.sh"

run_check() {
    perl "$here/check_circles" "$tree"
}

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/core/{base,run/parts,store} "$tree"/ui/{window,shell} "$tree"/app
    printf '#pragma once\nint one();\n' >"$tree/core/base/one.h"
    printf '#include "core/base/one.h"\nint one() {\n    return 1;\n}\n' >"$tree/core/base/one.cpp"
    printf '#pragma once\n#include "core/base/one.h"\nint two();\n' >"$tree/core/run/two.h"
    printf '#include "core/run/two.h"\n#include "core/run/parts/part.h"\nint two() {\n    return part();\n}\n' \
        >"$tree/core/run/two.cpp"
    # A folder and a folder inside it may include each other.
    printf '#pragma once\nint part();\n' >"$tree/core/run/parts/part.h"
    printf '#include "core/run/parts/part.h"\n#include "core/run/limit.h"\nint part() {\n    return limit;\n}\n' \
        >"$tree/core/run/parts/part.cpp"
    printf '#pragma once\ninline constexpr int limit = 2;\n' >"$tree/core/run/limit.h"
    printf '#pragma once\n// #include "ui/window/window.h"\nstruct Shell {};\n' >"$tree/ui/shell/shell.h"
    printf '#pragma once\n#include "ui/shell/shell.h"\nstruct Window {};\n' >"$tree/ui/window/window.h"
    printf '#include "ui/window/window.h"\nconst char* text = "// words";\n' >"$tree/ui/window/window.cpp"
    for i in {1..24}; do echo 'int more;' >"$tree/app/$i.cpp"; done
}

expect_accepted

# Two headers, and a header with its neighbour's .cpp file.
expect_rejected core/base/one.h '#include "core/run/two.h"' 'core/run/two.h:2: core/run/two includes core/base/one'
expect_rejected core/base/one.cpp '#include "core/run/two.h"' 'core/base/one.cpp:5: core/base/one includes core/run/two'
# Through a third unit.
expect_rejected core/run/parts/part.cpp '  #  include "core/run/two.h"' 'These 2 source units include each other:'
expect_rejected core/run/limit.h '#include "core/run/two.h"' 'These 3 source units include each other:'
# Folders, whose units are in no circle.
expect_rejected ui/shell/other.cpp '#include "ui/window/window.h"
int other;' 'These 2 folders include each other:'
expect_rejected core/store/empty.h '#pragma once' 'core/store/empty.h contains nothing but comments and includes'
expect_rejected core/store/empty.cpp '#include "core/base/one.h"

namespace ropelab {

namespace {}  // the functions have moved

/* nothing */
}  // namespace ropelab' 'core/store/empty.cpp contains nothing but comments and includes'

expect_rejected app/25.cpp 'int more;' 'app contains 25 sources; at most 24 are allowed'

finish 'The check rejected every circle, every empty file and a large folder with its place.'
