#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# emulated.sh PROGRAM: a test of tests/gpu/ on the CPU in a GPU's place (tests/cuda/emulated), twice: the order of threads must
# change no bit of its results. Then in the sizes for racecheck, where they still come out right.
set -u
BUILD=${BUILD:-build}
export KETLINE_DATA=${KETLINE_DATA:-${DATA:-$PWD/data}} KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn
forward=$("$1") || { echo "$forward"; exit 1; }
reverse=$(KETLINE_EMULATED_ORDER=reverse "$1") || { echo "$reverse"; exit 1; }
[ "$forward" = "$reverse" ] || { echo "threads in another order gave other results: $forward and $reverse"; exit 1; }
few=$(KETLINE_SMALL=2 "$1") || { echo "for racecheck: $few"; exit 1; }
