#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every job of jobs.inc, with few steps, by tools under ThreadSanitizer, with 4 threads: two threads at one place of memory, one of them writing,
# with nothing that orders them, is an error, whatever came of it. Then small jobs with the kernels of a GPU on the CPU, for what
# the tools' threads do beside it.
. "$(dirname "$0")/tsan.inc"
ROOT=$PWD
own=$BUILD/tsan
# Hardly optimised, what is around the kernels compiles in two thirds of the time.
tools="circuit extract-features qcontrol qconvert qeval qgan qseq qsweep qtrain sgld tournament"
# shellcheck disable=SC2046,SC2086 # words
make -s --no-print-directory -j"$(nproc)" $(printf "$own/bin/%s " $tools) BUILD="$own" CC=gcc SAN="$flags" OPT=-O0 OPT_KERNELS=-O1 ISAS=base || exit 1
build_emulated
. tests/jobs.inc
prepare || { echo "the inputs could not be made"; exit 1; }
export PATH=$ROOT/$own/bin:$PATH TSAN_OPTIONS=exitcode=66 few=1
for name in $(jobs); do
    has_threads "$name" || continue
    check "$name" job "$name" "$JOBS/out.h5" --threads 4
    rm -rf "$JOBS"/out*
done
# More rows than a block of them has: threads share them.
check "qeval of blocks" qeval -q "$JOBS/head.h5" "$JOBS/features.h5" --threads 4 -o "$JOBS/blocks.h5"

export KETLINE_CUDA=$emulated/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn
options="--epochs 1 --batch-size 32 --reduction 8 --qubits 2 --layers 1 --classifier 4"
on_gpu() { check "$1 on a GPU" "$@" --device cuda --threads 4; }
on_gpu extract-features -q "$digits_test" --resize 28 --limit 20 --tap layer1 -o "$JOBS/gpu.h5"
on_gpu qtrain -q "$JOBS/features.h5" $options -o "$JOBS/gpu-head.h5"
on_gpu qeval -q "$JOBS/gpu-head.h5" "$JOBS/test.h5" -o "$JOBS/gpu-report.h5"
on_gpu qsweep -q "$JOBS/features.h5" $options --grid "lr=1e-2,3e-2 init=normal,uniform" --replicas 2 -o "$JOBS/gpu-sweep.h5"
on_gpu qgan -q "$JOBS/devices.txt" --pairs 1v2 --reference --epochs 1 -o "$JOBS/gpu-gan.h5"
conclude
