#!/usr/bin/env bash
# Tests check_settings.sh with a synthetic source tree: first without faults, then with each fault alone.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/architecture/synthetic_tree.sh
source "$here/synthetic_tree.sh"

run_check() {
    bash "$here/check_settings.sh" "$tree"
}

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{app,ui/session,ui/rooms}
    printf '        {"window/scale", 100, "Scale."},\n        {"train/second", QString(),\n         "Picture."},\n' \
        >"$tree/ui/session/settings.cpp"
    printf '        {"lab/recent", 1, "Labs."},\n    setValue("lab/recent", labs);\n' >>"$tree/ui/session/settings.cpp"
    printf 'constexpr auto kKey = "train/second";\nauto type = "text/plain";\n' >"$tree/ui/rooms/room.cpp"
    printf 'settings.value("window/scale").toInt();\nobject.value("x").toInt();\n' >"$tree/app/main.cpp"
}

expect_accepted

expect_rejected ui/rooms/room.cpp 'm_settings.setValue("window/missing", 1);' 'ui/rooms/room.cpp:3 uses the setting window/missing'
expect_rejected ui/rooms/new.cpp 'choose(main ? "window/scale" : "train/third");' 'ui/rooms/new.cpp:1 uses the setting train/third'
expect_rejected app/new.cpp 'workspace->settings().value("room/part").toInt();' 'app/new.cpp:1 uses the setting room/part'
expect_rejected ui/session/settings.cpp '    value("lab/none");' 'ui/session/settings.cpp:6 uses the setting lab/none'
expect_rejected ui/session/settings.cpp '        {"lab/unused", 1, "Unused."},' 'the setting lab/unused, which no source uses'
expect_rejected ui/session/settings.cpp '        {"lab/recent", 1, "Again."},' 'the setting lab/recent more than once'

finish 'The check found every wrong setting.'
