#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# emulated.sh PROGRAM: a test of tests/gpu/ on the CPU in a GPU's place (tests/cuda/emulated); then twice in the sizes for
# checkers, of every kernel: the order of threads must change no bit of its results. (cuda-races.sh has the sizes for racecheck.)
set -u
BUILD=${BUILD:-build}
export KETLINE_DATA=${KETLINE_DATA:-${DATA:-$PWD/data}} KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn
whole=$("$1") || { echo "$whole"; exit 1; }
export KETLINE_SMALL=1
forward=$("$1") || { echo "$forward"; exit 1; }
reverse=$(KETLINE_EMULATED_ORDER=reverse "$1") || { echo "$reverse"; exit 1; }
[ "$forward" = "$reverse" ] || { echo "threads in another order gave other results: $forward and $reverse"; exit 1; }
