#!/usr/bin/env bash
# Tests check_types with a synthetic source tree: first without faults, then with each fault alone.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_types
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{core/train,ui,app}
    cat >"$tree/core/train/cohort.h" <<'END'
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

make_good_tree
perl "$check" "$tree" >/dev/null || { echo "a tree without faults was rejected:" && perl "$check" "$tree"; exit 1; }

missed=0
# expect_rejected FILE CODE NAME PLACE: writes the code to the file, and asserts that the check fails and prints the type's
# name and its place in the file.
expect_rejected() {
    make_good_tree
    printf '%b\n' "$2" >"$tree/$1"
    local said
    if said=$(perl "$check" "$tree"); then
        echo "the check did not reject: $2 in $1"
        missed=$((missed + 1))
    elif [[ $said != "$3 is defined more than once: "*"$1:$4"* ]]; then
        echo "the output does not contain \"$3\" and $1:$4: $said"
        missed=$((missed + 1))
    fi
}

expect_rejected core/other.h 'namespace ropelab {\nstruct TrainedRun { int b; };\n}' ropelab::TrainedRun 2
expect_rejected core/other.cpp 'namespace ropelab {\nstruct TrainedRun { int b; };\n}' ropelab::TrainedRun 2
expect_rejected core/other.cu 'namespace ropelab {\nunion TrainedRun { int b; };\n}' ropelab::TrainedRun 2
expect_rejected app/other.h 'namespace ropelab::ui {\nint x = {3};\n\nclass Panel final : public QDialog {\n};\n}' \
    ropelab::ui::Panel 4
expect_rejected ui/other.h 'namespace ropelab {\nnamespace ui {\nenum class TrainedRun\n{ one };\n}\n}' \
    ropelab::ui::TrainedRun 4
expect_rejected ui/other.h 'namespace ropelab {\nstruct TrainedRun::Part { int b; };\n}' ropelab::TrainedRun::Part 2
expect_rejected ui/other.h 'namespace ropelab {\ntemplate <typename T, typename U = Map<T>>\nstruct Table { int b; };\n}' \
    ropelab::Table 3

((missed == 0)) || exit 1
echo 'The check found every type with two definitions.'
