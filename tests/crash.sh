#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A machine that stops at any moment: what each writing tool does to its folder is traced, and states are drawn that the disk may then
# hold (tests/crash/replay.py); about STATES a job (default 300). The target holds the old file or the new one; a later run gives the new one.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
states=${STATES:-300}
shim=$JOBS/trace.so
${CC:-gcc} -D_GNU_SOURCE -O1 -fPIC -shared -o "$shim" "$ROOT/tests/crash/trace.c" || { echo "trace.c does not compile"; exit 1; }
total=0
for name in $(jobs); do
    case $name in qsweep | halving | qtrain-* | pairs) continue ;; esac # published as qtrain's, windows'
    dir=$JOBS/$name.dir
    mkdir "$dir" "$dir.states"
    cp "$(older "$name")" "$dir/out.h5"
    cp -r "$dir" "$dir.before"
    more=(--no-provenance --force)
    ! has_threads "$name" || more+=(--threads 1)
    [ "$name" != qtrain ] || more+=(--checkpoint-every 4)
    (cd "$dir" && TRACE_FOLDER=$dir TRACE_LOG=$JOBS/$name.log LD_PRELOAD=$shim job "$name" "$dir/out.h5" "${more[@]}" >/dev/null) ||
        { fail "$name: failed while it was traced"; continue; }
    check "$name: nothing was traced" [ -s "$JOBS/$name.log" ]
    said=$(python3 "$ROOT/tests/crash/replay.py" "$JOBS/$name.log" "$dir" "$dir.before" "$states" "${SEED:-1}" "$dir.states" 2>&1) ||
        fail "$name: $said"
    grep -v '"act":"sync"' "$JOBS/$name.log" >"$JOBS/careless.log" && ln -sf "$JOBS/$name.log.data" "$JOBS/careless.log.data"
    check "$name: the same acts without their synchronisation would pass as well" eval \
        '! python3 "$ROOT/tests/crash/replay.py" "$JOBS/careless.log" "$dir" "$dir.before" "$states" 1 "$dir.careless" >/dev/null 2>&1'
    [ -z "${VERBOSE-}" ] || echo "$name: $said"
    total=$((total + $(echo "$said" | sed -n 's/.*acts, \([0-9]*\) states.*/\1/p;$a0' | head -1)))
    for state in $(ls "$dir.states" | sort -R --random-source=<(yes) | head -"${AGAIN:-3}"); do
        job "$name" "$dir.states/$state/out.h5" "${more[@]}" >/dev/null 2>"$JOBS/err" || fail "$name: state $state: $(cat "$JOBS/err")"
        check "$name: after state $state a run gave another file" cmp -s "$dir.states/$state/out.h5" "$dir/out.h5"
    done
    rm -rf "$dir.states" "$dir.careless"
done
echo "$total states of a stopped machine"
conclude
