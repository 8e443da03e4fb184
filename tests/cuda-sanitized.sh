#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The kernels of a GPU on the CPU (tests/cuda/emulated) with AddressSanitizer and UBSan: every index of every kernel against the
# memory that was taken for it, in the programs of tests/gpu. The programs themselves are the plain ones, and so is the stand-in
# for cuDNN.
set -u
cd "$(dirname "$0")/.." || exit 70
BUILD=$(realpath --relative-to=. "${BUILD:-build}")
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -w"
asan=$(g++ -print-file-name=libasan.so)
[ -e "$asan" ] || { echo "skipped: no AddressSanitizer"; exit 77; }
library=$BUILD/cuda-sanitized/tests/cuda/libketline-cuda.so
make --no-print-directory "$library" BUILD="$BUILD/cuda-sanitized" SAN="$flags" EMULATED_OPT=-O1 || exit 1
export KETLINE_DATA=${KETLINE_DATA:-$PWD/data}
export KETLINE_SMALL=1 KETLINE_CUDA=$library CUDNN_HOME=$BUILD/tests/cuda/cudnn LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0
failed=0
for f in ${PROGRAMS:-circuit head memory mlp gan windows chains pulse features}; do
    "$BUILD/tests/gpu/$f" >"$BUILD/cuda-sanitized/log" 2>&1 && continue
    echo "$f:"; head -30 "$BUILD/cuda-sanitized/log"; failed=1
done
exit $failed
