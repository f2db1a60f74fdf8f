#!/usr/bin/env bash
# Checks the layout and the habits of the sources: clang-format on every tracked *.h and *.cpp, then clang-tidy.
#   packaging/lint.sh [--all] [--format-only] [BUILD FOLDER]
# clang-tidy looks at the sources of core, ui and app that differ from the last commit, or with --all at every one; it
# makes a compile database of its own (build/lint), unless another build folder is named.
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
        -*) fail 2 "unknown option '$argument'; --all and --format-only are the options." ;;
        *) database=$(realpath -- "$argument") ;;
    esac
done
for tool in git clang-format clang-tidy; do
    command -v $tool >/dev/null || fail 1 "$tool is missing; Debian's package of that name has it."
done

cd "$root"
mapfile -d '' sources < <(git ls-files -z --cached --others --exclude-standard --deduplicate -- '*.h' '*.cpp')
((${#sources[@]})) || fail 1 "git knows no *.h or *.cpp here."
clang-format --dry-run --Werror "${sources[@]}"
say "clang-format: ${#sources[@]} files are laid out as .clang-format says."
[[ $tidy == yes ]] || exit 0

# clang-tidy reads neither g++'s precompiled headers nor all of its warnings: a configuration of its own, built never.
if [[ $database == "$root/build/lint" ]]; then
    cmake --preset release -B "$database" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
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
# Sources that this build leaves out (another option) have no command to check them with.
known=()
for source in "${sources[@]}"; do
    ! grep -qF "\"$root/$source\"" "$database/compile_commands.json" || known+=("$source")
done
((${#known[@]})) || { say "clang-tidy: nothing to check." && exit 0; }
printf '%s\0' "${known[@]}" |
    xargs -0 -n 1 -P "$(build_jobs)" clang-tidy -p "$database" --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option
say "clang-tidy: ${#known[@]} files pass."
