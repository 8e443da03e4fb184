#!/bin/sh
# SPDX-License-Identifier: MIT
# Features by an array of N Slurm jobs, and a job that merges them when all are done:
#   pipelines/slurm.sh N IMAGES OUTPUT.h5 [option of extract-features...]
# A part that is requeued goes on where it stopped; if one fails for good, nothing is merged, and its log says why. The same
# command again computes and merges what is missing; a task alone, say 2 of 8:
# sbatch --array=2 pipelines/slurm.sh OUTPUT.h5.parts/8 IMAGES [option of extract-features...]. The result is, byte for byte but for its provenance, that of one job.
set -eu
if [ -n "${SLURM_ARRAY_TASK_ID-}" ]; then # one of the array
    parts=$1
    shift
    exec extract-features --shard "auto/${parts##*/}" "$@" -o "$parts/$SLURM_ARRAY_TASK_ID.h5"
fi
[ $# -ge 3 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 2; }
n=$1 images=$2 output=$3
shift 3
parts=$output.parts/$n # those of another N stay apart
mkdir -p "$parts"
array=$(sbatch --parsable --array="0-$((n - 1))" --requeue --output="$parts/%a.log" "$0" "$parts" "$images" "$@")
array=${array%%;*} # behind it stands the cluster, where there are several
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --output="$parts/merge.log" \
    --wrap "cache merge '$parts'/*.h5 -o '$output'")
echo "$output: jobs ${array}_0 to ${array}_$((n - 1)), then $merge"
