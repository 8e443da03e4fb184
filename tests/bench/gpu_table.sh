#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_table.sh FILE.json...: what bench-gpu has measured, in one run or in parts of it, as the tables "On a GPU" of
# docs/benchmarks.md (DOC), beside what was asked. Of a number in several files the last one counts.
set -u
cd "$(dirname "$0")/../.." || exit 70
doc=${DOC:-docs/benchmarks.md}
[ $# -gt 0 ] || { echo "gpu_table.sh: no file; expected what bench-gpu writes" >&2; exit 2; }
card=$(jq -rs 'map(.card // "") | map(select(. != "")) | unique | join(" and ")' "$@") || exit 65
case $card in
    '') echo "gpu_table.sh: no card in $*; at least one must be of bench-gpu's part gpu" >&2; exit 65 ;;
    *' and '*) echo "gpu_table.sh: results of two cards, $card; expected one" >&2; exit 65 ;;
esac
work=$(mktemp -d) || exit 73
trap 'rm -rf "$work"' EXIT
{
    echo "Card: $card."
    echo
    jq -rs 'add | del(.card) | to_entries[] | "\(.key | sub("/gpu$"; "/ketline")) \(.value) s"' "$@" |
        awk -f tests/bench/rows.awk -f tests/bench/gpu_table.awk
} >"$work/table"
awk -v from="$work/table" '/<!-- gpu -->/ { print; while ((getline line < from) > 0) print line; skip = 1 }
    /<!-- gpu end -->/ { skip = 0 } !skip && !/<!-- gpu -->/' "$doc" >"$work/new" && cp "$work/new" "$doc" &&
    echo "written to $doc" >&2
