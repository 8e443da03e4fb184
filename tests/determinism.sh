#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Same seed, same bytes: with 1, 2 and 4 threads, from shards merged, after an interruption resumed,
# from every instruction set twice.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
cd "$JOBS" || exit 70
for name in $(jobs); do
    has_threads "$name" || continue
    job "$name" one.h5 --no-provenance --threads 1 >/dev/null || fail "$name failed with 1 thread"
    for threads in 2 4; do
        job "$name" more.h5 --no-provenance --threads $threads --force >/dev/null || fail "$name failed with $threads threads"
        check "$name: 1 and $threads threads differ" cmp one.h5 more.h5
        [ ! -d one-heads ] || check "$name: heads of 1 and $threads threads differ" diff -rq one-heads more-heads
    done
    rm -rf one.h5 more.h5 one-heads more-heads
done

# Stopped by SIGTERM, then resumed, again and again until done; killed without warning, when the last periodic
# checkpoint is enough: the bytes of an uninterrupted run.
for name in $(trainings); do
    job $name whole.h5 --no-provenance
    stops=0
    for i in $(seq 100); do
        rm -f resumed.h5
        under="timeout -s TERM 0.$((RANDOM % 30 + 10))" job $name resumed.h5 --no-provenance --resume 2>/dev/null && break
        stops=$((stops + 1))
    done
    [ -e resumed.h5 ] || job $name resumed.h5 --no-provenance --resume
    check "$name: resumed after $stops stops differs from uninterrupted" cmp whole.h5 resumed.h5
    job $name killed.h5 --no-provenance --checkpoint-every 1 &
    pid=$!
    for i in $(seq 200); do [ -e .killed.h5.checkpoint ] && break; sleep 0.005; done
    kill -KILL $(cat /proc/$pid/task/$pid/children) $pid 2>/dev/null
    wait $pid 2>/dev/null
    job $name killed.h5 --no-provenance --resume
    check "$name: resumed after SIGKILL differs from uninterrupted" cmp whole.h5 killed.h5
    rm -f whole.h5 resumed.h5 killed.h5
done

# The same of generators, of which those that are trained are kept. They are quick: the time that a run has is halved until
# one is stopped with a checkpoint.
for name in $(jobs | grep ^qgan); do
    job $name whole.h5 --no-provenance
    stops=0
    for ((most = 256; stops == 0 && most >= 4; most /= 2)); do
        for i in $(seq 30); do
            rm -f resumed.h5
            under="timeout -s TERM $(printf 0.%03d $((RANDOM % most + most / 2)))" job $name resumed.h5 --no-provenance --resume 2>/dev/null && break
            [ ! -e .resumed.h5.checkpoint ] || stops=$((stops + 1))
        done
        [ -e resumed.h5 ] || job $name resumed.h5 --no-provenance --resume
        check "$name: resumed after $stops stops differs from uninterrupted" cmp whole.h5 resumed.h5
    done
    check "$name: was never stopped" [ "$stops" -gt 0 ]
    rm -f whole.h5 resumed.h5
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
