#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Same seed, same bytes: with 1, 2 and 4 threads, from shards merged, after an interruption resumed,
# from every instruction set twice.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
cd "$JOBS" || exit 70
for name in $(jobs); do
    has_threads "$name" || continue
    export few=1 # a bit that differs stays so
    job "$name" one.h5 --no-provenance --threads 1 >/dev/null || fail "$name failed with 1 thread"
    for threads in 2 4; do
        job "$name" more.h5 --no-provenance --threads $threads --force >/dev/null || fail "$name failed with $threads threads"
        check "$name: 1 and $threads threads differ" cmp one.h5 more.h5
        [ ! -d one-heads ] || check "$name: heads of 1 and $threads threads differ" diff -rq one-heads more-heads
    done
    rm -rf one.h5 more.h5 one-heads more-heads
done
unset few

# Stopped by SIGTERM, then resumed, again and again until done: the bytes of an uninterrupted run. One that finishes before it
# was ever stopped begins anew.
stopped() { # NAME: makes resumed.h5; stops counts
    stops=0
    for i in $(seq 100); do
        stop resumed.h5 job "$1" resumed.h5 --no-provenance
        case $? in
            0) stops=$((stops + 1)) ;;
            1) [ $stops = 0 ] || return 0 ;;
            2) stops=0 ;; # the next run begins anew
        esac
    done
    job "$1" resumed.h5 --no-provenance
}
# Killed without warning, when a periodic checkpoint is there and the output is not; what finished meanwhile begins anew. On one
# processor, for chains look up every quarter of a second, before which a fast machine's two have ended.
killed() { # NAME
    local under='taskset -c 0'
    for i in $(seq 10); do
        rm -f killed.h5
        job "$1" killed.h5 --no-provenance --checkpoint-every 1 2>/dev/null &
        pid=$!
        until [ -e .killed.h5.checkpoint ] || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
        kill -KILL $(cat /proc/$pid/task/$pid/children) 2>/dev/null # the tool: its shell, $pid, ends after it
        wait $pid 2>/dev/null
        [ -e .killed.h5.checkpoint ] && [ ! -e killed.h5 ] && return
    done
    return 1
}
for name in $(trainings) $(jobs | grep -E '^(qgan|policy|chains)'); do
    from=$(now_ms)
    job $name whole.h5 --no-provenance
    span=$(($(now_ms) - from + 1))
    stopped $name
    check "$name: was never stopped with a checkpoint" [ $stops -gt 0 ]
    check "$name: resumed after $stops stops differs from uninterrupted" cmp whole.h5 resumed.h5
    case $name in
        qtrain* | policy | chains) # qgan has no --checkpoint-every
            check "$name: was never killed with a checkpoint" killed $name
            job $name killed.h5 --no-provenance
            check "$name: resumed after SIGKILL differs from uninterrupted" cmp whole.h5 killed.h5 ;;
    esac
    rm -f whole.h5 resumed.h5 killed.h5
done

# Another seed gives another head: the comparisons above compare something.
if [ -x "$BUILD/bin/qtrain" ]; then
    job qtrain seed0.h5 --no-provenance && job qtrain seed1.h5 --no-provenance --seed 1
    check "qtrain: seeds 0 and 1 give the same bytes" eval '! cmp -s seed0.h5 seed1.h5'
    # Heads side by side are the heads alone.
    qtrain -q features.h5 --epochs 3 --replica 1 --no-provenance -o alone.h5
    qtrain -q features.h5 --epochs 3 --replicas 2 --no-provenance -o pair.h5
    if python3=${KETLINE_PYTHON:-python3} && $python3 -c 'import h5py' 2>/dev/null; then
        check "qtrain: replica 1 alone differs from replica 1 of two" $python3 - <<'PY'
import h5py
a, b = h5py.File("alone.h5"), h5py.File("pair.h5")
names = list(a["params"])
assert names and all((a["params"][k][0] == b["params"][k][1]).all() for k in names)
PY
    fi
fi

# Shards merged are the unsharded file, for any number of shards, extracted in any order.
if [ -x "$BUILD/bin/cache" ]; then
    for n in 1 2 3 5; do
        parts=()
        for i in $(seq $((n - 1)) -1 0); do
            extract-features -q "$digits_train" --resize 28 --limit 320 --shard "$i/$n" --no-provenance -o "part$i.h5" || fail "shard $i/$n"
            parts+=("part$i.h5")
        done
        rm -f merged.h5
        cache merge "${parts[@]}" --no-provenance -o merged.h5 >/dev/null || fail "merge of $n"
        check "$n shards merged differ from the whole" cmp merged.h5 features.h5
        rm -f part*.h5
    done
fi
conclude
