#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The kernels of a GPU on the CPU (tests/cuda/emulated) under ThreadSanitizer: every pair of accesses, of threads, warps and blocks,
# to a block's memory or the GPU's, that no barrier orders is an error, whatever came of it. First, whether it finds
# those of tests/cuda/races.cu, and nothing in the same kernels without them.
set -u
cd "$(dirname "$0")/.." || exit 70
BUILD=$(realpath --relative-to=. "${BUILD:-build}")
tsan=$(g++ -print-file-name=libtsan.so)
[ -e "$tsan" ] || { echo "skipped: no ThreadSanitizer"; exit 77; }
nm "$BUILD/bin/qtrain" | grep -qE '__(asan|gcov)_init' && { echo "skipped: the build has another checker"; exit 77; }
own=$BUILD/cuda-races/tests/cuda
make -s --no-print-directory "$own/libketline-cuda.so" "$own/races" BUILD="$BUILD/cuda-races" CXX=g++ \
    EMULATED_SAN=-DEMULATED_RACES SAN="-fsanitize=thread --param tsan-distinguish-volatile=1 -fno-omit-frame-pointer -w" || exit 1
export TSAN_OPTIONS=history_size=1 # a thread's last 64 Ki accesses can be told
failed=0
for c in $("$own/races"); do
    "$own/races" "$c" >"$own/log" 2>&1
    [ $? = 66 ] && grep -q 'ThreadSanitizer: data race' "$own/log" || { echo "$c: its race was not found"; failed=1; }
    "$own/races" "$c" mended >"$own/log" 2>&1 || { echo "$c, mended:"; head -30 "$own/log"; failed=1; }
done
export KETLINE_DATA=${KETLINE_DATA:-$PWD/data}
export KETLINE_SMALL=1 KETLINE_CUDA=$own/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn
for f in ${PROGRAMS:-circuit head memory mlp gan features}; do
    LD_PRELOAD=$tsan "$BUILD/tests/gpu/$f" >"$own/log" 2>&1 && continue
    echo "$f:"; head -30 "$own/log"; failed=1
done
exit $failed
