#!/usr/bin/env bash
# Tests check_types with a synthetic source tree: first without faults, then with each fault alone.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/architecture/synthetic_tree.sh
source "$here/synthetic_tree.sh"

run_check() {
    perl "$here/check_types" "$tree"
}

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{core/engine/train,ui,app}
    cat >"$tree/core/engine/train/cohort.h" <<'END'
#pragma once
#define BRACE {
// struct Commented {
namespace ropelab {
/* struct Commented { */
class Later;
struct TrainedRun {
    std::vector<int> losses = {1, 2};
    const char* text = "struct Quoted {";
    char brace = '{';
    enum class Kind { first, second } kind = Kind::first;
    struct Part { int a; };
};
template <typename T>
struct Table final : std::vector<T> {
    enum class Kind { first };
};
inline void sort() { struct Local { int a; }; }
}  // namespace ropelab
END
    cat >"$tree/ui/panel.h" <<'END'
namespace ropelab::ui {
class Panel : public QWidget {
    Q_OBJECT

 public:
    enum class Kind { one };
    void show() const override { return; }
    struct TrainedRun { int a; };
};
struct TrainedRun { int a; };
}  // namespace ropelab::ui
END
    for name in one two; do
        printf 'namespace ropelab {\nnamespace {\nstruct Own { int a; };\n}\nstruct TrainedRun::%s { int a; };\n}\n' $name \
            >"$tree/app/$name.cpp"
    done
}

expect_accepted

twice='is defined more than once:'
expect_rejected core/other.h $'namespace ropelab {\nstruct TrainedRun { int b; };\n}' \
    "ropelab::TrainedRun $twice core/engine/train/cohort.h:7 core/other.h:2"
expect_rejected core/other.cpp $'namespace ropelab {\nstruct TrainedRun { int b; };\n}' \
    "ropelab::TrainedRun $twice core/engine/train/cohort.h:7 core/other.cpp:2"
expect_rejected core/other.cu $'namespace ropelab {\nunion TrainedRun { int b; };\n}' \
    "ropelab::TrainedRun $twice core/engine/train/cohort.h:7 core/other.cu:2"
expect_rejected app/other.h $'namespace ropelab::ui {\nint x = {3};\n\nclass Panel final : public QDialog {\n};\n}' \
    "ropelab::ui::Panel $twice app/other.h:4 ui/panel.h:2"
expect_rejected ui/other.h $'namespace ropelab {\nnamespace ui {\nenum class TrainedRun\n{ one };\n}\n}' \
    "ropelab::ui::TrainedRun $twice ui/other.h:4 ui/panel.h:10"
expect_rejected ui/other.h $'namespace ropelab {\nstruct TrainedRun::Part { int b; };\n}' \
    "ropelab::TrainedRun::Part $twice core/engine/train/cohort.h:12 ui/other.h:2"
expect_rejected ui/other.h $'namespace ropelab {\ntemplate <typename T, typename U = Map<T>>\nstruct Table { int b; };\n}' \
    "ropelab::Table $twice core/engine/train/cohort.h:15 ui/other.h:3"
expect_rejected core/other.cpp $'namespace ropelab {\nnamespace {\nstruct Table { int b; };\n}\n}' \
    'ropelab::Table at core/other.cpp:3 has the name of another type: core/engine/train/cohort.h:15'
# A brace in a character is no brace of the code.
expect_rejected ui/other.h $'namespace ropelab {\nconst char16_t brace = u\'{\';\nstruct TrainedRun::Part { int b; };\n}' \
    "ropelab::TrainedRun::Part $twice core/engine/train/cohort.h:12 ui/other.h:3"

finish 'The check found every type with two definitions.'
