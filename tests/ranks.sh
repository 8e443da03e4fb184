#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ranks of one training (qseq train --ranks): 1, 2 and 4 processes give the bytes of one; a signal to one stops all, and any number
# of them goes on from there; a killed one ends the others; ranks that do not agree, or are too many, are refused.
set -u
. "$(dirname "$0")/jobs.inc"
[ -x "$BUILD/bin/qseq" ] || { echo "skipped: qseq is not built"; exit 77; }
cd "$JOBS" || exit 70
qseq generate people -q -n 3 --trials 15 -o people || exit 70
for s in 1 2 3; do qseq windows -q people/S00$s*.edf --rate 40 --no-provenance -o S00$s.h5 || exit 70; done
rm -r people
EPOCHS=12
# line OUT ...: a training of 8 parts a step, in a folder of its own, which is where ranks meet
line() {
    local out=$1
    shift
    timeout -k 1 ${WITHIN:-60} qseq train -q S001.h5 S002.h5 S003.h5 --split within -m hydra --qubits 3 --patience 0 --replicas 2 \
        --epochs "$EPOCHS" --threads ${THREADS:-1} --no-provenance -o "$out" "$@"
}
# ranks N OUT ...: N of them; 0 if all ended well
ranks() {
    local n=$1 out=$2 i all=() ok=0
    shift 2
    for ((i = 0; i < n; i++)); do line "$out" --ranks $i/$n "$@" 2>>said & all+=($!); done
    for i in "${all[@]}"; do wait "$i" || ok=1; done
    return $ok
}
left() { ls -A "$1" | grep -v '^out.h5$'; }
mkdir one two four mpi threads whole stopped killed
: >said
line one/out.h5 || exit 70
check "one rank of one: other bytes" line two/out.h5 --ranks 0/1
check "one rank of one: other bytes" cmp one/out.h5 two/out.h5
rm two/out.h5
for n in 2 4; do
    name=$([ $n = 2 ] && echo two || echo four)
    check "$n ranks do not end: $(cat said)" ranks $n $name/out.h5
    check "$n ranks: other bytes" cmp one/out.h5 $name/out.h5
    check "$n ranks leave $(left $name)" [ -z "$(left $name)" ]
done
check "threads and ranks do not end: $(cat said)" eval THREADS=2 ranks 2 threads/out.h5
check "threads and ranks: other bytes" cmp one/out.h5 threads/out.h5
check "--json does not say what ranks cost" test true = \
    "$(line json.h5 --ranks 1/2 & line json.h5 --json --ranks 0/2 | jq '.ranks == 2 and .bytes_sent > 100000 and .seconds_waited >= 0')"

if command -v mpirun >/dev/null; then
    check "mpirun" timeout 60 mpirun --allow-run-as-root --oversubscribe -n 2 qseq train -q S001.h5 S002.h5 S003.h5 --split within -m hydra \
        --qubits 3 --patience 0 --replicas 2 --epochs "$EPOCHS" --threads 1 --no-provenance -o mpi/out.h5 --ranks auto
    check "mpirun: other bytes" cmp one/out.h5 mpi/out.h5
else echo "skipped: there is no mpirun"
fi

# Refused, by all: within a second, where waiting for the others would take two minutes.
refused() { # STATUS TEXT COMMAND...
    local status=$1 text=$2 got
    shift 2
    "$@" 2>refusal
    got=$?
    check "$*: status $got, expected $status" [ $got = "$status" ]
    check "$*: $(cat refusal)" grep -q -- "$text" refusal
}
export WITHIN=10
refused 2 'expected 1, 2, 4, .*' line bad.h5 --ranks 0/3
refused 2 'up to the 8 parts' line bad.h5 --ranks 0/16
refused 2 'expected auto or I/N' line bad.h5 --ranks 2/2
refused 2 "of MPI's ranks or of srun's tasks" env -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE -u SLURM_PROCID -u SLURM_NTASKS \
    qseq train S001.h5 --split within -o bad.h5 --ranks auto
refused 2 'has one part' qseq train S001.h5 --split within -m eegnet -o bad.h5 --ranks 0/2
line bad.h5 --ranks 0/2 2>first &
refused 2 'trains something else' line bad.h5 --lr 1e-2 --ranks 1/2
wait $!
check "the other one of different options: status $?, expected 2" [ $? = 2 ]
check "the other one of different options: $(cat first)" grep -q 'trains something else' first
check "refusals leave $(ls -A | grep bad)" [ -z "$(ls -A | grep bad)" ]

# From here on a training that takes long enough to be met.
EPOCHS=200 WITHIN=60
# start N OUT ...: N ranks whose processes' ids are in pids
start() {
    local n=$1 out=$2 i
    shift 2
    pids=()
    for ((i = 0; i < n; i++)); do
        qseq train -q S001.h5 S002.h5 S003.h5 --split within -m hydra --qubits 3 --patience 0 --replicas 2 --epochs "$EPOCHS" --threads 1 \
            --no-provenance -o "$out" --ranks $i/$n "$@" 2>rank$i &
        pids+=($!)
    done
}
until_there() { # FILE: or half a minute
    local i
    for ((i = 0; i < 3000; i++)); do [ ! -e "$1" ] || return 0; sleep 0.01; done
    return 1
}
line whole/out.h5 || exit 70

start 2 stopped/out.h5 --checkpoint-every 1
check "no checkpoint comes" until_there stopped/.out.h5.checkpoint
kill -TERM "${pids[1]}"
for i in 0 1; do
    wait "${pids[i]}"
    code=$?
    check "SIGTERM to rank 1: rank $i ends with $code, expected 143: $(cat rank$i)" [ $code = 143 ]
done
check "SIGTERM to a rank leaves $(ls -A stopped)" [ "$(ls -A stopped)" = .out.h5.checkpoint ]
check "4 ranks do not go on from where 2 stopped: $(cat said)" ranks 4 stopped/out.h5 --resume
check "stopped and resumed by ranks: other bytes" cmp whole/out.h5 stopped/out.h5
check "stopped and resumed by ranks: left $(left stopped)" [ -z "$(left stopped)" ]

for gone in 0 1; do
    rm -f killed/out.h5 killed/.out*
    start 2 killed/out.h5 --checkpoint-every 1
    check "no checkpoint comes" until_there killed/.out.h5.checkpoint
    before=$(now_ms)
    kill -KILL "${pids[gone]}"
    { wait "${pids[gone]}"; } 2>/dev/null
    wait "${pids[1 - gone]}"
    code=$?
    check "SIGKILL of rank $gone: the other ends with $code, expected 74: $(cat rank$((1 - gone)))" [ $code = 74 ]
    check "SIGKILL of rank $gone: the other needs $(($(now_ms) - before)) ms" [ $(($(now_ms) - before)) -lt 5000 ]
    check "SIGKILL of rank $gone: the other says $(cat rank$((1 - gone)))" grep -q "rank $gone is gone" rank$((1 - gone))
    # What the killed one itself was writing is cleared away by the next run.
    check "SIGKILL of rank $gone leaves $(ls -A killed)" [ "$(ls -A killed | grep -v 'ketline-tmp$')" = .out.h5.checkpoint ]
    [ $gone = 0 ] || check "SIGKILL of rank $gone leaves $(ls -A killed)" [ "$(ls -A killed)" = .out.h5.checkpoint ]
    check "SIGKILL of rank $gone: ranks do not go on: $(cat said)" ranks 2 killed/out.h5 --resume
    check "SIGKILL of rank $gone: other bytes" cmp whole/out.h5 killed/out.h5
    check "SIGKILL of rank $gone: left $(left killed)" [ -z "$(left killed)" ]
done
conclude
