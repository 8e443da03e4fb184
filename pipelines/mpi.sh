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
# shellcheck disable=SC2016,SC2086  # the ranks expand the first, this shell splits the second
$run sh -c 'parts=$1 && shift && exec extract-features --shard auto "$@" -o "$parts/${OMPI_COMM_WORLD_RANK-$PMI_RANK}.h5"' \
    sh "$parts" "$images" "$@"
cache merge "$parts"/*.h5 -o "$output"
