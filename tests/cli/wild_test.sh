#!/usr/bin/env bash
# wild_test.sh FOLDER PROGRAM: compares the program with the cases of a folder, whose script check_cases.py knows the
# right values. Skipped (77) without the folder.
set -euo pipefail
folder=$1
program=$2
[[ -d $folder ]] || { echo "The folder $folder is not there, so its cases are not tried." && exit 77; }
results=$(python3 "$folder/check_cases.py" "$folder" "$program")
passed=$(grep -c '^pass' <<<"$results" || true)
! grep '^FAIL' <<<"$results" || exit 1
((passed > 0)) || { echo "check_cases.py tried no case: $results" && exit 1; }
echo "$passed cases pass."
