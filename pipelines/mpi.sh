#!/bin/sh
# SPDX-License-Identifier: MIT
# Features by MPI's ranks, each of which takes its part; nothing is linked against MPI:
#   pipelines/mpi.sh "mpirun -n 4" IMAGES OUTPUT.h5 [option of extract-features...]
set -eu
[ $# -ge 3 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 2; }
run=$1 images=$2 output=$3
shift 3
parts=$output.parts
mkdir -p "$parts"
# Parts of another number of ranks stay apart, in a folder of their own; rank 0 says how many they are now.
# shellcheck disable=SC2016,SC2086  # the ranks expand the first, this shell splits the second
$run sh -c 'rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK} n=${OMPI_COMM_WORLD_SIZE-$PMI_SIZE} parts=$1
    shift && mkdir -p "$parts/$n" && { [ "$rank" != 0 ] || echo "$n" >"$parts/ranks"; } &&
    exec extract-features --shard auto "$@" -o "$parts/$n/$rank.h5"' sh "$parts" "$images" "$@"
cache merge "$parts/$(cat "$parts/ranks")"/*.h5 -o "$output"
