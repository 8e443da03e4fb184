#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each person left out in turn: an array of Slurm jobs, one a fold, and a job that judges all folds as one report:
#   pipelines/slurm-loso.sh REPORT.h5 WINDOWS.h5... [-- option of qseq train...]
# The folds lie in REPORT.h5.folds, each beside its log. One that is up to date is left as it is, one that was stopped goes on. If one
# fails for good, nothing is judged, and its log says why. The same command again trains what is missing; a fold alone, say 2:
# sbatch --array=2 pipelines/slurm-loso.sh REPORT.h5 WINDOWS.h5... [-- option of qseq train...]. With --no-provenance the report has
# the bytes of the same commands one after another. CPUs, partition, time of a job: SBATCH="sbatch -c 4 -p long -t 60" before the command.
set -eu
[ "${1-}" != eval ] || exec qseq "$@" # the job that judges
[ $# -ge 2 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 2; }
report=$1 folds=$1.folds windows=()
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    windows+=("$1")
    shift
done
[ $# = 0 ] || shift
train() { # FOLD OPTION...
    local fold=$1
    shift
    exec qseq train "${windows[@]}" --split loso --fold "$fold" -o "$folds/$fold.h5" "$@"
}
mkdir -p "$folds"
[ -z "${SLURM_ARRAY_TASK_ID-}" ] || train "$SLURM_ARRAY_TASK_ID" "$@" # one of the array
# How many people there are says the refusal of a fold that cannot be; any other refusal is one that each job would meet.
status=0
said=$(train 1000000 "$@" 2>&1 >/dev/null) || status=$?
last=$(sed -n 's/^qseq: --fold: found 1000000, expected 0 to //p' <<<"$said")
if [ -z "$last" ]; then
    echo "${said:-slurm-loso.sh: the options behind -- train nothing}" >&2
    rmdir "$folds" 2>/dev/null || :
    exit "$((status ? status : 2))"
fi
judge=(eval)
for ((i = 0; i <= last; i++)); do judge+=("$folds/$i.h5"); done
judge+=("${windows[@]}" -o "$report")
for option; do [ "$option" != --no-provenance ] || judge+=("$option"); done
# shellcheck disable=SC2086  # a command and its options
submit() { ${SBATCH-sbatch} --parsable "$@"; }
array=$(submit --array="0-$last" --requeue --output="$folds/%a.log" "$0" "$report" "${windows[@]}" -- "$@")
array=${array%%;*} # behind it stands the cluster, where there are several
judging=$(submit --dependency="afterok:$array" --kill-on-invalid-dep=yes --output="$folds/report.log" "$0" "${judge[@]}")
echo "$report: jobs ${array}_0 to ${array}_$last, then $judging"
