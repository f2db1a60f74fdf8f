# shellcheck shell=bash
# For the tests of the checks, which source this file: $tree is a temporary folder for a synthetic source tree. A test
# defines make_good_tree, which fills the folder, and run_check, which runs its check on it.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
missed=0

# expect_accepted: asserts that a tree without faults passes the check.
expect_accepted() {
    make_good_tree
    run_check >/dev/null || { echo "a tree without faults was rejected:" && run_check; exit 1; }
}

# expect_rejected FILE LINES WORDS: appends the lines to the file, and asserts that the check fails and prints the words.
expect_rejected() {
    make_good_tree
    printf '%s\n' "$2" >>"$tree/$1"
    local said
    if said=$(run_check); then
        echo "the check did not reject: $2 in $1"
        missed=$((missed + 1))
    elif ! grep -qF "$3" <<<"$said"; then
        echo "the output does not contain \"$3\": $said"
        missed=$((missed + 1))
    fi
}

# finish SENTENCE: ends the test, with the sentence if nothing was missed.
finish() {
    ((missed == 0)) || exit 1
    echo "$1"
}
