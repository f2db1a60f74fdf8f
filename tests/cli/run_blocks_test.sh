#!/usr/bin/env bash
# run_blocks_test.sh CHECKOUT PROGRAM: tests/support/run_blocks accepts a page whose commands print what it says, and rejects
# other output, a failing command, a command outside a block and a broken link.
set -euo pipefail
checkout=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/resources"

# page TEXT: runs the commands of a page with this text.
page() { printf '%s\n' "$1" >"$work/page.md" && "$checkout/tests/support/run_blocks" "$program" "$work" "$work/page.md" >"$work/said"; }
wrong() { echo "$1" && cat "$work/said" && exit 1; }
rejects() { ! page "$1" || wrong "accepted: $1"; }

three=$'```bash\nprintf "a 1.5\\nb\\nc\\n"\n```\n\n'
page "$three"$'```text\na 1…\n…\nc\n```' || wrong 'rejected output with …'
page "$three"$'<!-- numbers vary: a reason -->\n```text\na   2.7\nb\nc\n```' || wrong 'rejected other numbers'
page $'<!-- not run: a reason -->\n```bash\nexit 1\n```' || wrong 'ran a block that is marked'
page $'# A b, c\n[there](#a-b-c)' || wrong 'rejected a link'
rejects "$three"$'```text\na 1.5\nb\n```'
rejects "$three"$'```text\na 2.7\nb\nc\n```'
rejects $'```bash\nfalse\n```'
rejects $'    ropelab-cli doctor'
rejects $'[nowhere](other.md)'
echo 'run_blocks compares what it should.'
