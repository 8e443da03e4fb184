#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang, with warnings as errors, has nothing to say of any file that gcc compiles here: kernels in both precisions, one for
# each end of the instruction sets.
set -u
cd "$(dirname "$0")/.." || exit 70
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
commands=$(make -n -B V=1 CC='clang -fsyntax-only' BUILD="${TMPDIR:-/tmp}/none" all test-programs bench-programs |
    grep '^clang .* -c ' | grep -vE ' [^ ]*/kernels/cpu/[^ ]*\.(f32\.(base|avx2)|f64\.avx(2|512))\.o ' | sed 's/ -MMD -MP//')
count=$(grep -c . <<<"$commands")
[ "$count" -gt 500 ] || { echo "only $count files to compile"; exit 1; }
tr '\n' '\0' <<<"$commands" | xargs -0 -P "$(nproc)" -n 20 bash -c '
    for command; do $command || bad=1; done
    [ -z "${bad-}" ]' _ || exit 1
echo "$count compilations"
