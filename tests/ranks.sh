#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ranks (qseq train --ranks; chains, points and tasks of sgld, qsweep, qcontrol regret) by Open MPI and MPICH: 2, 3, 4 and 8 processes
# give the bytes of one; a signal to one stops all, and any number of them goes on from there; a killed one ends the others; ranks that
# do not agree, or are too many, are refused.
set -u
. "$(dirname "$0")/jobs.inc"
[ -x "$BUILD/bin/qseq" ] || { echo "skipped: qseq is not built"; exit 77; }
cd "$JOBS" || exit 70
qseq generate people -q --people 3 --trials 15 -o people || exit 70
for s in 1 2 3; do qseq windows -q people/S00$s*.edf --rate 40 --no-provenance -o S00$s.h5 || exit 70; done
qseq generate people -q --people 2 --channels 8 --trials 10 -o few && qseq windows -q few/*.edf --rate 10 --no-provenance -o few.h5 || exit 70
rm -r people few
# line OUT ...: a training of 8 parts a step
cat >line <<'END'
#!/bin/sh
out=$1
shift
echo $$ >>pids
exec qseq train -q S001.h5 S002.h5 S003.h5 --split within -m hydra --qubits 3 --patience 0 --replicas 2 --epochs "$EPOCHS" \
    --threads "${THREADS:-1}" --no-provenance -o "$out" "$@"
END
chmod +x line
nets=("hydra --qubits 2 --epochs 2" "mamba-lite --qubits 2 --epochs 1" "mamba-hybrid --qubits 2 --epochs 2" "classical-hydra --width 8 --state 3 --epochs 2")
export EPOCHS=12 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
./line one.h5 || exit 70
EPOCHS=200 ./line whole.h5 || exit 70
# What shares whole chains, points and tasks: OUT ... each.
extract-features -q "$digits_train" --resize 28 --limit 200 -o f.h5 || exit 70
qtrain -q f.h5 --epochs 2 --qubits 2 --reduction 4 --no-controls -o h.h5 || exit 70
qcontrol train -q --detuning-range=-0.5,0.5 --iterations 200 -o policy.h5 && qcontrol train -q --detuning-range=-0.5,0.5 --iterations 20 --segments 4 -o short.h5 || exit 70
chains() { echo sgld sample --data synth --train-size 40 --epochs "$1" --warmup 100 --exchange --keep 40 -j 1 --no-provenance -q -o "${@:2}"; }
posterior() { echo sgld head f.h5 --head h.h5 --parameters tail --compare --rungs 3 --chains 3 --draws 8 --warmup 8 --keep 2 -j 1 --no-provenance -q -o "$@"; }
sweep() { echo qsweep f.h5 -g lr=1e-3,1e-2,30 -g layers=1,2 --qubits 2 --reduction 4 --epochs 3 --no-provenance -q -j 1 --heads "${1%.h5}-heads" -o "$@"; }
regret() { echo qcontrol regret policy.h5 --tasks 3 --starts 1 --steps 1 --scales 0 -j 1 --no-provenance -q -o "$@"; }
$(chains 2000 chains.h5) 2>/dev/null && $(chains 15000 long.h5) 2>/dev/null && $(posterior posterior.h5) 2>/dev/null || exit 70
$(sweep sweep.h5) 2>/dev/null && $(regret regret.h5) 2>/dev/null || exit 70
# Of cards, emulated: OUT MODEL... each; steps of 17 windows in 4 parts, and of one, of which one rank has all.
emulated="env KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so"
cards() { echo $emulated qseq train few.h5 --split within -m "${@:2}" -b 17 --dropout 0.2 --patience 0 --replicas 2 --device cuda -j 1 --no-provenance -q -o "$1"; }
long() { cards "$1" mamba-hybrid --qubits 2 --epochs 40 --checkpoint-every 1; }
for net in "${nets[@]}"; do $(cards ${net%% *}.h5 $net) || exit 70; done
$(long cards.h5) || exit 70
# Chains of heads of a card each: OUT ...
heads() { echo $emulated sgld head few-images.h5 --head h.h5 --parameters tail --rungs 2 --chains 3 --leapfrogs 1 --draws 4 --warmup 0 --keep 2 --device cuda -j 1 --no-provenance -q -o "$@"; }
extract-features -q "$digits_train" --resize 28 --limit 30 -o few-images.h5 && $(heads heads.h5) || exit 70
check "ranks by number" [ 2 = "$(./line bad.h5 --ranks 0/2 2>said; echo $?)" ]
check "ranks by number: $(cat said)" grep -q "expected auto; their number is mpirun's" said
check "no mpirun" [ 2 = "$(./line bad.h5 --ranks auto 2>said; echo $?)" ]
check "no mpirun: $(cat said)" grep -q "none of MPI's ranks or of srun's tasks" said

ranks() { # N COMMAND...: by the MPI at hand, within a minute
    local n=$1
    shift
    timeout -k 1 60 $mpirun -n "$n" "$@" 2>said
}
refused() { # STATUS TEXT N COMMAND...
    local status=$1 text=$2 got
    shift 2
    ranks "$@"
    got=$?
    [ $got != 141 ] || { ranks "$@"; got=$?; } # MPICH's mpirun, not a rank, died of a pipe that a quick end had closed
    check "$mpi: $*: status $got, expected $status" [ $got = "$status" ]
    check "$mpi: $*: $(cat said)" grep -q -- "$text" said
    check "$mpi: $*: leaves $(ls -A | grep bad)" [ -z "$(ls -A | grep bad)" ]
}
until_there() { # FILE: or half a minute
    local i
    for ((i = 0; i < 3000; i++)); do [ ! -e "$1" ] || return 0; sleep 0.01; done
    return 1
}
gone_within() { # SECONDS: all of pids
    local i
    for ((i = 0; i < 10 * $1; i++)); do [ -d /proc/$(head -n 1 pids) -o -d /proc/$(tail -n 1 pids) ] || return 0; sleep 0.1; done
    return 1
}
try() {
    local n name gone code each
    for n in 1 2 3 4 $([ $mpi = mpich ] || echo 8); do # MPICH's ranks do not yield to more of them than cores
        check "$mpi: $n ranks: $(cat said)" ranks $n ./line $mpi$n.h5 --ranks auto
        check "$mpi: $n ranks: other bytes" cmp one.h5 $mpi$n.h5
    done
    THREADS=2 check "$mpi: threads and ranks: $(cat said)" ranks 2 ./line $mpi-threads.h5 --ranks auto
    check "$mpi: threads and ranks: other bytes" cmp one.h5 $mpi-threads.h5
    check "$mpi: --json does not say what ranks cost" test true = \
        "$(ranks 2 ./line $mpi-json.h5 --json --ranks auto | jq '.ranks == 2 and .bytes_sent > 100000 and .seconds_waited >= 0')"
    check "$mpi: what is there: $(cat said)" ranks 2 ./line $mpi-json.h5 --ranks auto
    # One table of 1, 2 and all ranks, by the threads of the first; what they send is counted.
    ranks 3 qseq bench S001.h5 -m means -g batch-size=4,16 --seconds 0.01 -j 1 --ranks auto --json >table.json
    check "$mpi: qseq bench: $(cat said table.json)" [ "$(jq -c '[.rows[] | [.batch, .ranks, .threads, .bytes_sent > 0, .seconds_waited >= 0]]' table.json)" = \
        '[[4,1,1,false,true],[16,1,1,false,true],[16,2,1,true,true],[16,3,1,true,true]]' ]
    check "$mpi: qseq bench: $(cat said)" grep -q 'left out: 2 rows of more ranks' said
    refused 2 "at most the 8 parts of a step's gradient" 16 ./line bad.h5 --ranks auto
    refused 2 "of parts of a step's gradient there is one" 2 qseq train S001.h5 --split within -m eegnet -o bad.h5 --ranks auto
    refused 2 'rank 1 does something else' 1 ./line bad.h5 --ranks auto : -n 1 ./line bad.h5 --ranks auto --lr 1e-2
    ranks 2 $(regret alone.h5) --key >/dev/null
    check "$mpi: without --ranks: $(cat said)" [ "$(grep -c 'started 2 times by mpirun, each does the whole; --ranks auto shares it' said)" = 0 ]
    ranks 2 qcontrol regret policy.h5 --tasks 3 --key >/dev/null
    check "$mpi: without --ranks: $(cat said)" [ "$(grep -c 'started 2 times by mpirun, each does the whole; --ranks auto shares it' said)" = 1 ]
    n=$([ $mpi = mpich ] && echo 2 || echo 3)
    for each in "chains 2000 " posterior sweep regret; do
        name=${each%% *}
        check "$mpi: $name, $n ranks: $(cat said)" ranks $n $($each $mpi-$name.h5) --ranks auto
        check "$mpi: $name, $n ranks: other bytes" cmp $name.h5 $mpi-$name.h5
        [ $name != sweep ] || check "$mpi: points, $n ranks" diff -rq sweep-heads $mpi-sweep-heads
        rm -rf $mpi-$name*
    done
    refused 2 'at most the 4 chains of a temperature' 5 $(chains 2000 bad.h5) --ranks auto
    refused 2 'at most the 3 tasks' 4 $(regret bad.h5) --ranks auto
    refused 2 'cannot be given with --halving' 2 $(sweep bad.h5) --halving --ranks auto
    # A card each.
    for n in 2 3 4; do
        for net in "${nets[@]}"; do
            [ $mpi = openmpi -o $n = 3 ] || continue
            KETLINE_EMULATED_DEVICES=2 check "$mpi: $n cards: $(cat said)" ranks $n $(cards cards$n.h5 $net) --ranks auto
            check "$mpi: $n cards, $net: other bytes" cmp ${net%% *}.h5 cards$n.h5
            rm -f cards$n.h5
        done
    done
    check "$mpi: a card with less memory: $(cat said)" ranks 1 env KETLINE_EMULATED_MEMORY=60000 $(cards less.h5 ${nets[0]}) --ranks auto : \
        -n 1 $(cards less.h5 ${nets[0]}) --ranks auto
    check "$mpi: a card with less memory: other bytes" cmp hydra.h5 less.h5
    rm -f less.h5 lost.h5
    check "$mpi: a lost card of 2: status" [ 75 = "$(ranks 1 $(cards lost.h5 ${nets[0]}) --ranks auto : -n 1 env KETLINE_EMULATED_FAIL=60 $(cards lost.h5 ${nets[0]}) --ranks auto; echo $?)" ]
    check "$mpi: a lost card of 2: $(cat said)" grep -q 'CUDA says: emulated failure' said
    check "$mpi: a lost card of 2: ranks do not begin again: $(cat said)" ranks 2 $(cards lost.h5 ${nets[0]}) --ranks auto
    check "$mpi: a lost card of 2: other bytes" cmp hydra.h5 lost.h5
    refused 2 "at most the 4 parts of a step's gradient" 5 $(cards bad.h5 ${nets[0]}) --ranks auto
    ranks 2 $emulated qseq bench few.h5 --qubits 2 -b 8 --seconds 0.01 -j 1 --device cuda --ranks auto --forecast 2,8 --json >table.json
    check "$mpi: qseq bench of cards: $(cat said table.json)" [ "$(jq -c '[(.rows[] | [.ranks, .device, .bytes_sent > 0, .seconds_computed > 0, .seconds_exchanged <= .seconds_waited]), (.forecast | length), .cautions]' table.json)" = \
        '[[1,"cuda: emulated",false,true,true],[2,"cuda: emulated",true,true,true],1,["the GPU is emulated by this CPU: its times say nothing of a card"]]' ]
    for signal in TERM KILL; do
        printf '#!/bin/sh\necho $$ >>pids\nexec %s --ranks auto\n' "$(long $mpi-$signal.h5)" >share
        chmod +x share
        rm -f pids
        ranks 2 ./share &
        check "$mpi: cards: no checkpoint comes" until_there .$mpi-$signal.h5.checkpoint
        kill -$signal "$(tail -n 1 pids)"
        wait $!
        check "$mpi: cards, SIG$signal to a rank: mpirun ends with 0" [ $? != 0 ]
        check "$mpi: cards, SIG$signal to a rank: left $(ls -A)" [ -e .$mpi-$signal.h5.checkpoint -a ! -e $mpi-$signal.h5 ]
        check "$mpi: cards do not go on: $(cat said)" ranks $([ $mpi = mpich ] && echo 2 || echo 3) ./share
        check "$mpi: cards, stopped and resumed: other bytes" cmp cards.h5 $mpi-$signal.h5
    done
    KETLINE_EMULATED_DEVICES=2 ranks 2 $emulated qsweep f.h5 -g lr=1e-3,1e-2,1e-1,3e-3 --qubits 2 \
        --reduction 4 --epochs 1 -q -j 1 --device cuda --heads points -o points.h5 --ranks auto
    check "$mpi: points on a card each: $(cat said)" [ "$(for h in points/*; do cache log --json $h | grep -o "emulated[ 1]*" | head -n 1; done | sort | uniq -c | tr -s ' \n' ' ')" = " 2 emulated 2 emulated 1 " ]
    rm -rf points*
    for n in 1 2; do
        KETLINE_EMULATED_DEVICES=$n ranks $n $emulated sgld sample --data synth --train-size 30 \
            --epochs 40 --warmup 20 -q --no-provenance --device cuda -o cards$n.h5 --ranks auto -j 1
        KETLINE_EMULATED_DEVICES=$n ranks $n $emulated qcontrol regret short.h5 --tasks 2 --starts 1 --steps 1 --scales 0 --gradients 20 \
            -q --no-provenance --device cuda -o optima$n.h5 --ranks auto -j 1
    done
    check "$mpi: chains on a card each: $(cat said)" cmp cards1.h5 cards2.h5
    check "$mpi: optima on a card each: $(cat said)" cmp optima1.h5 optima2.h5
    for n in 2 3; do
        KETLINE_EMULATED_DEVICES=2 check "$mpi: heads on $n cards: $(cat said)" ranks $n $(heads heads$n.h5) --ranks auto
        check "$mpi: heads on $n cards: other bytes" cmp heads.h5 heads$n.h5
    done
    check "$mpi: heads, a lost card of 2: status" [ 75 = "$(ranks 1 $(heads lost-heads.h5) --ranks auto : -n 1 env KETLINE_EMULATED_FAIL=60 $(heads lost-heads.h5) --ranks auto; echo $?)" ]
    check "$mpi: heads, a lost card of 2: $(cat said)" grep -q 'heads: CUDA says: emulated failure' said
    check "$mpi: heads, a lost card of 2: left $(ls -A)" [ ! -e lost-heads.h5 ]
    rm -rf cards?.h5 optima?.h5 heads?.h5
    # Stopped at a checkpoint of half their epochs by a signal to one; on by another number of ranks.
    cat >share <<END
#!/bin/sh
echo \$\$ >>pids
exec $(chains 15000 $mpi-long.h5 --ranks auto --checkpoint-every 60000) "\$@"
END
    chmod +x share
    rm -f pids
    ranks 2 ./share &
    check "$mpi: chains: no checkpoint comes" until_there .$mpi-long.h5.checkpoint
    kill -TERM "$(tail -n 1 pids)"
    wait $!
    code=$?
    check "$mpi: chains, SIGTERM to a rank: status $code: $(cat said)" [ $code = 143 -o $code = 15 ]
    check "$mpi: chains, SIGTERM to a rank: left $(ls -A)" [ -e .$mpi-long.h5.checkpoint -a ! -e $mpi-long.h5 ]
    check "$mpi: chains do not go on: $(cat said)" ranks $([ $mpi = mpich ] && echo 2 || echo 4) ./share
    check "$mpi: chains, stopped and resumed: other bytes" cmp long.h5 $mpi-long.h5

    # A training that takes long enough to be met. $! is mpirun; the file pids names the ranks.
    local EPOCHS=200
    export EPOCHS
    rm -f pids
    ranks 2 ./line $mpi-stopped.h5 --ranks auto --checkpoint-every 1 &
    check "$mpi: no checkpoint comes" until_there .$mpi-stopped.h5.checkpoint
    kill -TERM "$(tail -n 1 pids)"
    wait $!
    code=$? # MPICH's mpirun gives the signal's number
    check "$mpi: SIGTERM to a rank: status $code, expected 143 or 15: $(cat said)" [ $code = 143 -o $code = 15 ]
    check "$mpi: SIGTERM to a rank: left $(ls -A)" [ -e .$mpi-stopped.h5.checkpoint -a ! -e $mpi-stopped.h5 ]
    check "$mpi: ranks do not go on from where 2 stopped: $(cat said)" ranks $([ $mpi = mpich ] && echo 2 || echo 4) ./line $mpi-stopped.h5 --ranks auto
    check "$mpi: stopped and resumed by ranks: other bytes" cmp whole.h5 $mpi-stopped.h5
    for gone in head tail; do
        name=$mpi-killed-$gone
        rm -f pids
        ranks 2 ./line $name.h5 --ranks auto --checkpoint-every 1 &
        check "$mpi: no checkpoint comes" until_there .$name.h5.checkpoint
        before=$(now_ms)
        kill -KILL "$($gone -n 1 pids)"
        wait $!
        code=$?
        check "$mpi: SIGKILL of a rank: mpirun ends with 0" [ $code != 0 ]
        check "$mpi: SIGKILL of a rank: it takes $(($(now_ms) - before)) ms" [ $(($(now_ms) - before)) -lt 10000 ]
        check "$mpi: SIGKILL of a rank: the others live" gone_within 5
        check "$mpi: SIGKILL of a rank: ranks do not go on: $(cat said)" ranks 2 ./line $name.h5 --ranks auto
        check "$mpi: SIGKILL of a rank: other bytes" cmp whole.h5 $name.h5
    done
    check "$mpi: left $(ls -A | grep ^[.])" [ -z "$(ls -A | grep '^[.].')" ]
}
tried=
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || { echo "skipped in part: no mpicc.$mpi or mpirun.$mpi"; continue; }
    export KETLINE_MPI=$JOBS/$mpi/libketline-mpi.so
    make --no-print-directory -s -C "$ROOT" STRICT=1 mpi MPICC=mpicc.$mpi MPI="$KETLINE_MPI" BUILD="$BUILD" || fail "make mpi MPICC=mpicc.$mpi"
    mpirun=mpirun.$mpi
    [ $mpi = mpich ] || mpirun="mpirun.openmpi --oversubscribe"
    : >said
    try
    [ -z "$tried" ] || refused 75 "of which MPI (.*) knows 1; start them by its own mpirun" 2 env KETLINE_MPI="$tried" ./line bad.h5 --ranks auto
    tried=$KETLINE_MPI
done
[ -z "$tried" ] || refused 75 "'make mpi' builds libketline-mpi.so beside the tools" 2 env KETLINE_MPI=/absent.so ./line bad.h5 --ranks auto
conclude
