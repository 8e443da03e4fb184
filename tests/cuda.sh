#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What runs on a GPU compiles with nvcc, warnings as errors, for one kind of GPU (make cuda compiles for six), without cudnn.h
# as well; loaded on a machine without a driver it says so, with status 75.
set -u
cd "$(dirname "$0")/.." || exit 70
BUILD=$(realpath --relative-to=. "${BUILD:-build}")
nvcc=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
[ -n "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
# With little optimisation, in a folder of its own: warnings are the same ones.
own=$BUILD/cuda-test
compile() { make --no-print-directory CUDA_ARCHS=90 NVCC="$nvcc" BUILD="$own" CUDA_OPT="-O3 -Xcicc -O1 -Xptxas -O1" STRICT=1 "$@" || exit 1; }
library=$own/cuda/90/libketline-cuda.so
compile "$library"
# Without cudnn.h: the other objects are the same ones.
without=$own/cuda/90/without-cudnn.so
object=$own/cuda/90/kernels/cuda/convs_no_cudnn.o
compile "$object" CUDNN_H=
objects=()
for source in kernels/cuda/*.cu; do
    case $source in */cudnn.cu | */cudnn_conv.cu | */convs_cudnn.cu | */convs_no_cudnn.cu) ;; *) objects+=("$own/cuda/90/${source%.cu}.o") ;; esac
done
"$nvcc" -shared -Xlinker --no-undefined -o "$without" "$object" "${objects[@]}" || exit 1
ls /dev/nvidia[0-9]* >/dev/null 2>&1 && { echo "here is a GPU: make test-gpu"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$BUILD/bin/extract-features" -q data/digits/train-images-idx3-ubyte --resize 28 --limit 60 -o "$work/f.h5" >"$work/log" || exit 1
for each in "$library" "$without"; do
    said=$(KETLINE_CUDA=$each "$BUILD/bin/qtrain" "$work/f.h5" --device cuda -o "$work/head.h5" 2>&1)
    [ $? = 75 ] && [ ! -e "$work/head.h5" ] && [[ $said == "qtrain: --device cuda: "*driver* || $said == *"no GPU"* ]] && continue
    echo "without a driver, $each: $said"
    exit 1
done
