#!/usr/bin/env bash
# Tests check_settings.sh with a synthetic source tree: first without faults, then with each fault alone.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_settings.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{app,ui/session,ui/rooms}
    printf '        {"window/scale", 100, "Scale."},\n        {"train/second", QString(),\n         "Picture."},\n' \
        >"$tree/ui/session/settings.cpp"
    printf '        {"lab/recent", 1, "Labs."},\n    setValue("lab/recent", labs);\n' >>"$tree/ui/session/settings.cpp"
    printf 'constexpr auto kKey = "train/second";\nauto type = "text/plain";\n' >"$tree/ui/rooms/room.cpp"
    printf 'settings.value("window/scale").toInt();\nobject.value("x").toInt();\n' >"$tree/app/main.cpp"
}

make_good_tree
bash "$check" "$tree" >/dev/null || { echo "a tree without faults was rejected:" && bash "$check" "$tree"; exit 1; }

missed=0
# expect_rejected FILE LINE WORDS: appends the line to the file, and asserts that the check fails and prints the words.
expect_rejected() {
    make_good_tree
    printf '%s\n' "$2" >>"$tree/$1"
    local said
    if said=$(bash "$check" "$tree"); then
        echo "the check did not reject: $2 in $1"
        missed=$((missed + 1))
    elif ! grep -qF "$3" <<<"$said"; then
        echo "the output does not contain \"$3\": $said"
        missed=$((missed + 1))
    fi
}

expect_rejected ui/rooms/room.cpp 'm_settings.setValue("window/missing", 1);' 'ui/rooms/room.cpp:3 uses the setting window/missing'
expect_rejected ui/rooms/new.cpp 'choose(main ? "window/scale" : "train/third");' 'ui/rooms/new.cpp:1 uses the setting train/third'
expect_rejected app/new.cpp 'workspace->settings().value("room/part").toInt();' 'app/new.cpp:1 uses the setting room/part'
expect_rejected ui/session/settings.cpp '    value("lab/none");' 'ui/session/settings.cpp:6 uses the setting lab/none'
expect_rejected ui/session/settings.cpp '        {"lab/unused", 1, "Unused."},' 'the setting lab/unused, which no source uses'
expect_rejected ui/session/settings.cpp '        {"lab/recent", 1, "Again."},' 'the setting lab/recent more than once'

((missed == 0)) || exit 1
echo 'The check found every wrong setting.'
