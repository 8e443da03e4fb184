#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGTERM in the midst of what takes minutes: every tool ends within STOP_SECONDS (5; on a busy machine more, see limit_ms), by
# that signal, in at most one line that says what is kept; nothing half-written stands at the output, and nothing of those that
# keep nothing lies beside it.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
dir=$JOBS/dir
cd "$JOBS" || exit 70
extract-features -q "$digits_train" --resize 28 -o all.h5
qtrain -q features.h5 --qubits 12 --layers 10 --epochs 1 --no-controls -o wide.h5
awk 'BEGIN { srand(1); for (d = 1; d <= 4; d++) for (r = 0; r < 4000; r++) { s = "";
    for (j = 0; j < 250; j++) s = s (rand() < 0.5); print s " " d } }' >many.txt

# STOP_SECONDS, as many times as the load of the last minute is of the processors, from one to four: the tools alone, which have
# no more threads than there are processors, make it no longer.
limit_ms() {
    local load idle=$(($(nproc) * 100))
    read -r load _ </proc/loadavg
    load=$((10#${load/./})) # in hundredths
    [ $load -le $((4 * idle)) ] || load=$((4 * idle))
    echo $((${STOP_SECONDS:-5} * 1000 * (load > idle ? load : idle) / idle))
}
# stopped KEEPS COMMAND...: KEEPS, a pattern of what may lie beside the output, or none
stopped() {
    local keeps=$1 start ms limit pid status
    shift
    rm -rf "$dir" && mkdir "$dir"
    "$@" -o "$dir/out.h5" >out 2>err &
    pid=$!
    sleep 2
    check "$*: ended before it was stopped: $(cat err)" kill -TERM $pid
    start=$(date +%s%N)
    wait $pid
    status=$?
    ms=$((($(date +%s%N) - start) / 1000000))
    echo "$ms ms: $*"
    limit=$(limit_ms)
    check "$*: $ms ms until it ended, at most $limit expected" [ $ms -lt $limit ]
    check "$*: status $status" [ $status = 143 ]
    check "$*: lines: $(cat err)" [ "$(grep -c stopped err)" -le 1 ]
    check "$*: an output" [ ! -e "$dir/out.h5" ]
    check "$*: left $(ls -A "$dir")" [ -z "$(ls -A "$dir" | grep -vE -- "$keeps")" ]
}
# what is said to be kept lies there, and nothing else
told() { check "$1, $(cat err): left $(ls -A "$dir")" [ "$(grep -c 'nothing is kept' err)" != "$(ls -A "$dir" | wc -l)" ]; }
checkpoint='\.checkpoint$' none='^$'
stopped "$checkpoint" qtrain all.h5 --qubits 18 --layers 30 --batch-size 1000
stopped "$checkpoint" qtrain all.h5 --qubits 10 --layers 10 --shots 1000000
stopped "$checkpoint" qtrain all.h5 --qubits 10 --layers 10 --optimizer qng --batch-size 1000 --epochs 1000
stopped "$checkpoint" qtrain all.h5 --qubits 8 --noise depolarizing=0.01 --trajectories 2000 --batch-size 1000
stopped "$none" qtrain all.h5 --qubits 12 --layers 20 --check-gradients
stopped 'checkpoint$|^out-heads$' qsweep all.h5 --grid 'lr=1e-3,1e-2' --qubits 18 --layers 20 --batch-size 1000
stopped "$none" qeval wide.h5 all.h5 --shots 1000000
stopped '-partial$' extract-features "$digits_train" --resize 224
told extract-features
stopped "$checkpoint" qgan many.txt --generator quantum --word-bits 12 --repetitions 12 --shots 10000000
stopped "$checkpoint" qgan many.txt --word-bits 12 --hidden 512
# a checkpoint holds whole generators: before the first one there is none, and no word of it
check "qgan says: $(cat err)" grep -qE 'with (0 of [0-9]+ generators trained; nothing is kept|[1-9].*; the same command)' err
told qgan
stopped '-partial$|checkpoint$' qtrain --qrng many.txt --epochs 3000 --null 5
told "qtrain --qrng"
stopped "$none" tournament --nist many.txt --permutations 10000
stopped "$none" tournament --synthetic 4096
stopped "$none" circuit plateau --qubits 2-18 --layers 40
conclude
