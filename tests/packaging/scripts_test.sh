#!/usr/bin/env bash
# Tests that every script parses, setup.sh lists the packages, and unknown options are rejected with one sentence.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"

for script in "$checkout"/packaging/*.sh "$checkout"/tests/packaging/*.sh "$checkout"/tests/architecture/*.sh \
    "$checkout/.ci/run"; do
    bash -n "$script" || wrong "$script does not parse"
done
for script in "$checkout"/packaging/{setup,run,test,package,lint,sanitize}.sh "$checkout/.ci/run"; do
    [[ -x $script ]] || wrong "$script is not executable"
done
if command -v shellcheck >/dev/null; then
    (cd "$checkout" && shellcheck -x packaging/*.sh tests/packaging/*.sh tests/architecture/*.sh .ci/run) ||
        wrong 'shellcheck reports problems'
fi

for package in g++ cmake ninja-build qt6-base-dev libqcustomplot-dev libsqlite3-dev libgtest-dev python3-pip; do
    expect 0 "$package" "$setup" --print
done
! grep -vxE '[a-z0-9][a-z0-9.+-]+' "$scratch/said" || wrong '--print lists a line that is not the name of a package'
[[ -z $(sort "$scratch/said" | uniq -d) ]] || wrong 'a package is listed twice'
for list in "$checkout"/packaging/debian-packages*.txt; do
    ! grep -vE '^(#.*|\S+( since-[0-9]+)? +# \S.*)?$' "$list" || wrong "a package in $list has no purpose"
done
expect 0 slurm-wlm "$setup" --print --all-tests

expect 0 'Usage: packaging/setup.sh' "$setup" --help
expect_sentence 2 "unknown option '--colour'" "$setup" --colour
expect_sentence 2 "unknown option 'cuda'" "$setup" --no-packages cuda
expect_sentence 2 "unknown option '--rpm'" "$checkout/packaging/package.sh" --rpm
expect_sentence 2 "unknown option '--fix'" "$checkout/packaging/lint.sh" --fix

# On a system without apt-get, setup.sh fails with one sentence. The path contains only the tools that it needs.
bare=$scratch/bare
mkdir -p "$bare"
for tool in bash dirname env sed awk grep xargs cat; do
    ln -s "$(command -v $tool)" "$bare/$tool"
done
expect_sentence 1 'this system has no apt-get' env PATH="$bare" "$setup"

[[ ! -e $XDG_CACHE_HOME ]] || wrong 'something was written to the cache folder'
