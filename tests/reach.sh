#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples of pipelines/ for other systems, each really run: a shell pipe, MPI's ranks, arrays of Slurm's on a cluster of one
# node, Snakemake. Whatever cuts the work into parts, the result has the bytes of one run.
. "$(dirname "$0")/jobs.inc"
cd "$JOBS" || exit 70
for tool in munged slurmctld slurmd sbatch mpirun snakemake; do
    [ -x /usr/sbin/$tool ] || command -v $tool >/dev/null || echo "skipped in part: no $tool"
done
extract-features -q "$digits_train" --resize 28 --limit 300 -o whole.h5 || fail "extract-features failed"

# equal WHAT FILE: the same datasets as the unsharded run's
equal() {
    check "$1: there is no result: $(cat ./*.log ./*.parts/*/*.log 2>/dev/null | tail -5)" [ -e "$2" ]
    check "$1: differs from one run" [ "$(content "$2")" = "$(content whole.h5)" ]
}

# A pipe: no file between the stages.
extract-features -q "$digits_train" --resize 28 --limit 300 -o - | qtrain -q - --epochs 2 -o - | qeval -q - whole.h5 -o piped.h5 2>pipe.log
qtrain -q whole.h5 --epochs 2 -o head.h5 && qeval -q head.h5 whole.h5 -o report.h5
check "pipe: another report than through files" [ "$(content piped.h5)" = "$(content report.h5)" ]

# Parts that are killed and run again, in any order.
for i in 3 0 4 1 2; do
    extract-features -q "$digits_train" --resize 28 --limit 300 --shard $i/5 -o part$i.h5 &
    sleep 0.0$((RANDOM % 9 + 1))
    { kill -KILL $! && wait $!; } 2>/dev/null
    extract-features -q "$digits_train" --resize 28 --limit 300 --shard $i/5 -o part$i.h5
done
cache merge -q part?.h5 -o parts.h5
equal "killed parts" parts.h5

# Two clones of a project with one store, on what behaves like a network file system: what one has computed the other fetches.
${CC:-gcc} -D_GNU_SOURCE -O1 -fPIC -shared -o shim.so "$ROOT/tests/network/shim.c" || fail "shim.c does not compile"
for clone in a b; do
    ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 SHIM_FOLDER=$JOBS/store LD_PRELOAD=$JOBS/shim.so make --no-print-directory -f "$ROOT/pipelines/demo.mk" -C "$ROOT" BUILD="$BUILD" OUT="$JOBS/$clone" EPOCHS=1 REPLICAS=1 \
        EXTRACT="--resize 28 --limit 150 --store $JOBS/store" QTRAIN="--epochs 1 --store $JOBS/store" >$clone.log 2>&1 || fail "clone $clone: $(tail -3 $clone.log)"
done
check "a second clone computed anew: $(cat b.log)" [ "$(grep -c 'fetched from the shared store' b.log)" = 3 ]

if command -v mpirun >/dev/null; then
    for ranks in 4 2; do # the parts of four are in nobody's way
        rm -f mpi.h5
        "$ROOT/pipelines/mpi.sh" "mpirun --allow-run-as-root --oversubscribe -n $ranks" "$digits_train" mpi.h5 --resize 28 --limit 300 >mpi.log 2>&1
        equal "mpi.sh with $ranks ranks" mpi.h5
    done
fi

if command -v snakemake >/dev/null; then
    flow() {
        snakemake -q -s "$ROOT/pipelines/Snakefile" --cores 2 --config train="$digits_train" test="$digits_test" out="$JOBS/snake" \
            extract="--resize 28 --limit 300" qtrain="--epochs 1" >snakemake.log 2>&1 || fail "Snakefile: $(tail -5 snakemake.log)"
    }
    flow
    equal Snakefile snake/train.h5
    check "Snakefile made no page" [ -s snake/run.html ]
    rm snake/*.h5 snake/run.html # Snakemake makes them again: from the store
    flow
    check "Snakefile: a head was trained twice" grep -q 'heads.h5: fetched from the shared store' snakemake.log
fi

# A cluster of one node, by an own key, on ports of its own; for root, whose daemons need it.
cluster() {
    local host port=$((20000 + $$ % 20000))
    host=$(hostname -s)
    mkdir -p munge state spool && chmod 700 munge
    head -c 128 /dev/urandom >munge/key && chmod 600 munge/key
    export SLURM_CONF=$JOBS/slurm.conf
    cat >"$SLURM_CONF" <<EOF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthInfo=socket=$JOBS/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$JOBS/state
SlurmdSpoolDir=$JOBS/spool
SlurmctldPidFile=$JOBS/slurmctld.pid
SlurmdPidFile=$JOBS/slurmd.pid
SlurmctldLogFile=$JOBS/slurmctld.log
SlurmdLogFile=$JOBS/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=$host Default=YES State=UP
EOF
    munged --force --key-file=munge/key --socket="$JOBS/munge/socket" --pid-file="$JOBS/munged.pid" --log-file="$JOBS/munged.log" \
        --seed-file="$JOBS/munge/seed" && slurmctld && slurmd
}
stop_cluster() {
    local name
    for name in slurmd slurmctld munged; do [ ! -s "$JOBS/$name.pid" ] || kill "$(cat "$JOBS/$name.pid")" 2>/dev/null; done
    sleep 0.5
}
queue_ends() { for _ in $(seq 120); do [ -z "$(squeue -h 2>/dev/null)" ] && return; sleep 0.5; done; squeue; return 1; }
# Each person left out in turn, by tasks of an array, and a fold by two ranks: the bytes of the same commands one after another.
leave_one_out() {
    local i folds=loso.h5.folds options=(-m hydra --qubits 3 --epochs 4 --no-provenance)
    qseq generate people -q --people 3 --channels 8 -o people || { fail "qseq generate failed"; return; }
    for i in 1 2 3; do qseq windows -q people/S00$i*.edf --rate 40 -o S00$i.h5 || fail "qseq windows failed"; done
    mkdir alone ranks
    for i in 0 1 2; do qseq train -q S00?.h5 "${options[@]}" --split loso --fold $i -o alone/$i.h5 || fail "qseq train failed"; done
    qseq eval -q alone/?.h5 S00?.h5 --no-provenance -o alone.h5 || fail "qseq eval failed"
    loso() {
        "$ROOT/pipelines/slurm-loso.sh" loso.h5 S00?.h5 -- "${options[@]}" >submit.log 2>&1 || fail "slurm-loso.sh: $(cat submit.log)"
        check "slurm-loso.sh: its jobs did not end" queue_ends
    }
    check "slurm-loso.sh: took an option that no job would take" [ 2 = "$(
        "$ROOT/pipelines/slurm-loso.sh" none.h5 S00?.h5 -- --lr x >submit.log 2>&1
        echo $?
    )" ]
    check "slurm-loso.sh: says of it $(cat submit.log)" grep -q "^qseq: --lr: found 'x'" submit.log
    check "slurm-loso.sh: leaves none.h5.folds of it" [ ! -e none.h5.folds ]
    # A fold that cannot be written: no report, and no job that waits for ever. The others are there.
    mkdir -p $folds/1.h5
    SBATCH="sbatch --job-name=loso -c 1" loso
    check "slurm-loso.sh: judged folds of which one failed" [ ! -e loso.h5 ]
    check "slurm-loso.sh: a failed fold says $(cat $folds/1.log)" grep -q '1.h5: is a folder' $folds/1.log
    rmdir $folds/1.h5
    loso
    check "slurm-loso.sh: another report than one after another: $(tail -n 3 $folds/*.log)" cmp loso.h5 alone.h5
    check "slurm-loso.sh: trained again what was there" [ "$(grep -lw 'up to date' $folds/?.log)" = "$(printf '%s\n' $folds/0.log $folds/2.log)" ]
    # Fold 1 again, alone; then nothing is left to train.
    rm loso.h5 $folds/1.h5
    sbatch --wait --array=1 --output=again.log "$ROOT/pipelines/slurm-loso.sh" loso.h5 S00?.h5 -- "${options[@]}" >submit.log 2>&1 ||
        fail "sbatch --array=1 slurm-loso.sh: $(cat submit.log again.log)"
    check "a fold of slurm-loso.sh again: other bytes" cmp $folds/1.h5 alone/1.h5
    loso
    check "slurm-loso.sh: trained again what was there" [ "$(grep -lw 'up to date' $folds/?.log | wc -l)" = 3 ]
    check "slurm-loso.sh: another report the second time" cmp loso.h5 alone.h5

    # Debian's Open MPI starts its ranks within what Slurm allots; its srun knows no PMIx.
    command -v mpicc.openmpi mpirun.openmpi >/dev/null || { echo "skipped in part: no mpicc.openmpi"; return; }
    export KETLINE_MPI=$JOBS/mpi/libketline-mpi.so OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    make --no-print-directory -s -C "$ROOT" mpi MPICC=mpicc.openmpi MPI="$KETLINE_MPI" BUILD="$BUILD" || fail "make mpi"
    timeout 150 salloc -n 2 mpirun.openmpi qseq train S00?.h5 "${options[@]}" --split loso --fold 1 -j 1 --ranks auto --json -o ranks/1.h5 >salloc.log 2>&1 ||
        fail "salloc -n 2 mpirun qseq train: $(cat salloc.log)"
    check "salloc -n 2: not two ranks: $(cat salloc.log)" grep -q '"ranks": *2' salloc.log
    check "salloc -n 2: other bytes than one rank" cmp ranks/1.h5 alone/1.h5
    sbatch --wait --array=2 --ntasks=2 --output=ranks.log --wrap "mpirun.openmpi qseq train $(echo S00?.h5) ${options[*]} --split loso \
        --fold \$SLURM_ARRAY_TASK_ID -j 1 --ranks auto -o ranks/2.h5" >submit.log 2>&1 || fail "ranks of an array's task: $(cat submit.log ranks.log)"
    check "ranks of an array's task: other bytes than one rank: $(cat ranks.log)" cmp ranks/2.h5 alone/2.h5
}
PATH=$PATH:/usr/sbin
if [ "$(id -u)" = 0 ] && command -v munged slurmctld slurmd sbatch >/dev/null; then
    trap 'stop_cluster; chmod -R u+w "$JOBS"; rm -rf "$JOBS"' EXIT
    if cluster >cluster.log 2>&1; then
        "$ROOT/pipelines/slurm.sh" 3 "$digits_train" slurm.h5 --resize 28 --limit 300 >submit.log 2>&1 || fail "slurm.sh: $(cat submit.log)"
        check "slurm.sh: its jobs did not end" queue_ends
        equal "slurm.sh" slurm.h5
        # Task 1 again, alone: it is part 1 of 3, whatever its own array is.
        rm slurm.h5 slurm.h5.parts/3/1.h5
        sbatch --wait --array=1 --output=again.log "$ROOT/pipelines/slurm.sh" slurm.h5.parts/3 "$digits_train" --resize 28 --limit 300 >submit.log 2>&1 ||
            fail "sbatch --array=1: $(cat submit.log again.log)"
        check "sbatch --array=1: $(cat again.log)" grep -q 'part 1 of 3, by SLURM_ARRAY_TASK_ID' again.log
        cache merge -q slurm.h5.parts/3/*.h5 -o slurm.h5
        equal "a task of slurm.sh again" slurm.h5
        # Without /N its extent is refused; a script without srun is none of its tasks, under srun each is.
        for options in "--array=1" "--array=0-4:2" "--ntasks=2"; do
            sbatch --wait $options --output=refused%a.log --wrap "extract-features $digits_train --resize 28 --limit 300 --shard auto -o refused.h5" >submit.log 2>&1 &&
                fail "sbatch $options --wrap '... --shard auto': was taken"
        done
        check "--shard auto: wrote a file: $(cat refused*.log)" [ ! -e refused.h5 ]
        sbatch --wait --ntasks=2 --output=tasks.log \
            --wrap "srun sh -c 'extract-features $digits_train --resize 28 --limit 300 --shard auto -o task\$SLURM_PROCID.h5'" >submit.log 2>&1 ||
            fail "srun: $(cat submit.log tasks.log)"
        cache merge -q task0.h5 task1.h5 -o tasks.h5
        equal "srun's tasks" tasks.h5
        "$ROOT/pipelines/slurm.sh" 2 absent none.h5 >submit.log 2>&1 || fail "slurm.sh: $(cat submit.log)"
        check "slurm.sh: a job waits for parts that failed" queue_ends
        check "slurm.sh: made something of parts that failed" [ ! -e none.h5 ]
        [ ! -x "$BUILD/bin/qseq" ] || leave_one_out
    else
        echo "skipped in part: a cluster of one node does not start here: $(tail -2 cluster.log)"
    fi
else
    echo "skipped in part: Slurm's daemons need root"
fi
conclude
