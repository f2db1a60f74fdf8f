#!/usr/bin/env bash
# Checks the sources: runs clang-format on every tracked or new *.h and *.cpp, then clang-tidy.
#   packaging/lint.sh [--all] [--format-only] [BUILD FOLDER]
# clang-tidy checks the sources of core, ui and app that differ from the last commit, or all of them with --all. It creates
# its own compile database (build/lint) unless a build folder is given.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

all=no
tidy=yes
database=$root/build/lint
for argument in "$@"; do
    case $argument in
        --all) all=yes ;;
        --format-only) tidy=no ;;
        -*) fail 2 "unknown option '$argument'; the options are --all and --format-only." ;;
        *) database=$(realpath -- "$argument") ;;
    esac
done
for tool in git clang-format clang-tidy; do
    command -v $tool >/dev/null || fail 1 "$tool is missing; install the Debian package of that name."
done

cd "$root"
mapfile -d '' sources < <(git ls-files -z --cached --others --exclude-standard --deduplicate -- '*.h' '*.cpp')
((${#sources[@]})) || fail 1 "git lists no *.h or *.cpp files in '$root'."
clang-format --dry-run --Werror "${sources[@]}"
say "clang-format: ${#sources[@]} files have the layout of .clang-format."
[[ $tidy == yes ]] || exit 0

# clang-tidy reads neither the precompiled headers of g++ nor files in groups, so it has its own build folder, which is
# configured but not built.
if [[ $database == "$root/build/lint" ]]; then
    cmake --preset release -B "$database" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DROPELAB_UNITY=OFF >/dev/null
fi
[[ -f $database/compile_commands.json ]] ||
    fail 1 "'$database' has no compile_commands.json; configure first (cmake --preset release)."
if [[ $all == yes ]]; then
    mapfile -d '' sources < <(git ls-files -z --cached --others --exclude-standard --deduplicate -- \
        'core/*.cpp' 'ui/*.cpp' 'app/*.cpp')
else
    mapfile -d '' sources < <(
        git diff -z --name-only --diff-filter=d HEAD -- 'core/*.cpp' 'ui/*.cpp' 'app/*.cpp'
        git ls-files -z --others --exclude-standard -- 'core/*.cpp' 'ui/*.cpp' 'app/*.cpp'
    )
fi
# Sources that the CMake options exclude have no compile command and are not checked.
known=()
for source in "${sources[@]}"; do
    ! grep -qF "\"$root/$source\"" "$database/compile_commands.json" || known+=("$source")
done
((${#known[@]})) || { say "clang-tidy: there is nothing to check." && exit 0; }
printf '%s\0' "${known[@]}" |
    xargs -0 -n 1 -P "$(build_jobs)" clang-tidy -p "$database" --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option
say "clang-tidy: ${#known[@]} files have no warnings."
