#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_table.sh FILE.json...: what bench-gpu has measured, in one run or in parts of it, as the tables "On a GPU" of
# docs/benchmarks.md (DOC), beside what was asked. Of a number in several files the last one counts. Every file names its GPU, and
# all the same one: numbers of different GPUs say nothing of each other.
set -u
cd "$(dirname "$0")/../.." || exit 70
doc=${DOC:-docs/benchmarks.md}
[ $# -gt 0 ] || { echo "gpu_table.sh: no file; expected what bench-gpu writes" >&2; exit 2; }
gpu=
for file; do
    each=$(jq -r '.card // ""' "$file") || exit 65
    case $each in
        '') echo "gpu_table.sh: $file: no card; expected one, as bench-gpu writes it in each of its parts but files" >&2; exit 65 ;;
        "${gpu:=$each}") ;;
        *) echo "gpu_table.sh: $file: card '$each', where $1 has '$gpu'; expected one card in all files" >&2; exit 65 ;;
    esac
done
case $gpu in *' and '*) echo "gpu_table.sh: results of two cards, $gpu; expected one" >&2; exit 65 ;; esac
work=$(mktemp -d) || exit 73
trap 'rm -rf "$work"' EXIT
{
    jq -rs 'map(select(.driver)) | "Card: '"$gpu"'" + (first | if . then "; driver \(.driver), \(.date)" else "" end) + "."' "$@"
    echo
    jq -rs '(map(.scaled // []) | add) as $scaled | add | del(.card, .scaled, .driver, .date) | to_entries[] |
        "\(.key | sub("/gpu$"; "/ketline")) \(.value) s\(if .key | IN($scaled[]) then " scaled" else "" end)"' "$@" |
        awk -f tests/bench/rows.awk -f tests/bench/gpu_table.awk
} >"$work/table"
awk -v from="$work/table" '/<!-- gpu -->/ { print; while ((getline line < from) > 0) print line; skip = 1 }
    /<!-- gpu end -->/ { skip = 0 } !skip && !/<!-- gpu -->/' "$doc" >"$work/new" && cp "$work/new" "$doc" &&
    echo "written to $doc" >&2
