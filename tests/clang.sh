#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang, with warnings as errors, has nothing to say of any file that gcc compiles here, nor of the bench programs: kernels in both
# precisions, one for each end of the instruction sets. To start it is a third of the time: a process reads many files of the same
# options, by the command that clang itself would run for the first of them (-cc1).
set -u
cd "$(dirname "$0")/.." || exit 70
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
# OPTIONS, a tab, FILES: one line for each process.
batches=$(make -n -B V=1 CC='clang -fsyntax-only' STRICT=1 BUILD="${TMPDIR:-/tmp}/none" all test-programs bench-programs |
    grep '^clang .* -c ' | grep -vE ' [^ ]*/kernels/cpu/[^ ]*\.(f32\.(base|avx2)|f64\.avx(2|512))\.o ' |
    sed -E 's/ -MMD -MP//; s/^clang (.*) -c -o [^ ]+ ([^ ]+)$/\1\t\2/' | sort |
    awk -F '\t' '$1 == last && n < 40 { printf " %s", $2; n++; next } { printf "%s%s", end, $0; last = $1; n = 1; end = "\n" } END { print "" }')
count=$(cut -f 2- <<<"$batches" | wc -w)
[ "$count" -gt 500 ] || { echo "only $count files to compile"; exit 1; }
tr '\n' '\0' <<<"$batches" | xargs -0 -P "$(nproc)" -n 1 bash -c '
    files=${1#*$'"'\t'"'}
    eval "command=($(clang -### ${1%%$'"'\t'"'*} ${files%% *} 2>&1 | grep -- "\"-cc1\""))"
    [ ${#command[@]} -gt 10 ] && "${command[@]:0:${#command[@]}-1}" $files' _ || exit 1
echo "$count compilations"
