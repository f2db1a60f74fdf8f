#!/usr/bin/env bash
# check_json.sh TREE: lists the places that parse JSON without a limit of its depth. Only parse_bounded may call
# nlohmann::json::parse, because a stranger's text that nests deeply overflows the stack.
set -euo pipefail
cd "$1"
if grep -rnE --include='*.h' --include='*.cpp' '[jJ]son::(parse|accept) ?\(' app core ui | grep -v '^core/data/json_text.cpp:'; then
    echo "Use parse_bounded (core/data/json_text.h) instead."
    exit 1
fi
echo "All JSON is parsed by parse_bounded."
