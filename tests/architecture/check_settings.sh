#!/usr/bin/env bash
# check_settings.sh CHECKOUT: fails if a source of the window reads or writes a setting that the table in
# ui/session/settings.cpp lacks (a release build would crash), if the table has a setting twice, or if no source uses a
# setting of the table. A setting is a text "group/name" whose group occurs in the table, or an argument of value() or
# setValue() of the settings.
set -euo pipefail
cd "$1"
table=ui/session/settings.cpp
[[ -f $table && -d app ]] || { echo "'$1' is not a checkout: it lacks $table or app/." && exit 2; }

known=$(grep -oE '^ *\{"[a-z]+/\w+",' "$table" | grep -oE '[a-z]+/\w+' || true)
[[ -n $known ]] || { echo "$table has no settings such as {\"group/name\", …}." && exit 2; }
groups=$(cut -d / -f 1 <<<"$known" | sort -u | paste -sd '|')
faults=0

# fault SENTENCE: prints and counts a fault.
fault() {
    echo "$1"
    faults=$((faults + 1))
}

for key in $(sort <<<"$known" | uniq -d); do
    fault "$table has the setting $key more than once."
done

# FILE:LINE:KEY of every use, without the lines of the table itself.
key_text="\"($groups)/\w+\""
access='[sS]ettings(\(\))?(\.|->)(value|setValue)\("[^"]+"'
used=$(grep -rnE --include='*.h' --include='*.cpp' "$key_text|$access" ui app | grep -vE "^$table:[0-9]+: *\{\"" |
    while IFS=: read -r file line code; do
        grep -oE "$key_text|$access" <<<"$code" | grep -oE '"[^"]+"' | tr -d '"' | sed "s|^|$file:$line:|"
    done || true)

while IFS=: read -r file line key; do
    [[ -z $file ]] || grep -qx "$key" <<<"$known" || fault "$file:$line uses the setting $key, which $table lacks."
done <<<"$used"
for key in $known; do
    grep -q ":$key\$" <<<"$used" || fault "$table has the setting $key, which no source uses."
done

((faults == 0)) || exit 1
echo "$table has every setting that the window uses, and no other."
