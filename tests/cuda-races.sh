#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The kernels of a GPU on the CPU (tests/cuda/emulated) under ThreadSanitizer: every pair of accesses, of threads, warps and blocks,
# to a block's memory or the GPU's, that no barrier orders is an error, whatever came of it. First, whether it finds
# those of tests/cuda/races.cu, and nothing in the same kernels without them.
. "$(dirname "$0")/tsan.inc"
build_emulated
log=$emulated/races.log races=$emulated/races
export TSAN_OPTIONS=history_size=1 # a thread's last 64 Ki accesses can be told
failed=0
for c in $("$races"); do
    "$races" "$c" >"$log" 2>&1
    [ $? = 66 ] && grep -q 'ThreadSanitizer: data race' "$log" || { echo "$c: its race was not found"; failed=1; }
    "$races" "$c" mended >"$log" 2>&1 || { echo "$c, mended:"; head -30 "$log"; failed=1; }
done
export KETLINE_DATA=${KETLINE_DATA:-$PWD/data}
export KETLINE_SMALL=2 KETLINE_CUDA=$emulated/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn
# The programs are the plain ones, whose own calls of memcpy and the like are not watched.
TSAN_OPTIONS+=:ignore_noninstrumented_modules=1
for f in ${PROGRAMS:-circuit head memory mlp gan windows chains pulse features}; do
    LD_PRELOAD=$tsan "$BUILD/tests/gpu/$f" >"$log" 2>&1 && continue
    echo "$f:"; head -30 "$log"; failed=1
done
exit $failed
