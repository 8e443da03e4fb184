#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each writing tool is killed (SIGKILL) at random moments, KILLS times (default 20). After each kill the target is the old file or
# the new one; a rerun gives the bytes of an undisturbed run, and the last one leaves nothing else in the folder.
# KILLS=200 bash tests/kill.sh
. "$(dirname "$0")/jobs.inc"
kills=${KILLS:-20}
prepare || { echo "the inputs could not be made"; exit 1; }
same() { cmp -s "$1" "$2"; }
alone() { # nothing but the target: neither temporary files nor checkpoints
    [ "$(ls -A "$1")" = out.h5 ] || { ls -A "$1"; return 1; }
}
RANDOM=${SEED:-1}
for name in $(jobs); do
    start=$(date +%s%N)
    job "$name" "$JOBS/$name.want.h5" --no-provenance >/dev/null || { fail "$name: the undisturbed run failed"; continue; }
    ms=$((($(date +%s%N) - start) / 1000000 + 1)) struck=0
    folder=$JOBS/$name.dir
    mkdir "$folder"
    for i in $(seq "$kills"); do
        old=$JOBS/report.h5 # an older file of another key stands there in every second round
        rm -f "$folder/out.h5"
        [ $((i % 2)) = 0 ] && [ -e "$old" ] && cp "$old" "$folder/out.h5"
        job "$name" "$folder/out.h5" --no-provenance --force >/dev/null 2>&1 &
        pid=$!
        t=$((RANDOM * (ms + ms / 4 + 2) / 32768))
        sleep "$(printf '%d.%03d' $((t / 1000)) $((t % 1000)))"
        # The job runs in a subshell: its child is the tool.
        child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
        kill -KILL $child $pid 2>/dev/null && struck=$((struck + 1))
        wait $pid 2>/dev/null
        if [ -e "$folder/out.h5" ]; then
            check "$name: kill $i after $t ms left a third thing in place of old or new" eval \
                'same "$folder/out.h5" "$JOBS/$name.want.h5" || { [ $((i % 2)) = 0 ] && same "$folder/out.h5" "$old"; }'
        fi
        [ $((i % 3)) = 0 ] && continue # this one is killed again before it is repaired
        extra=
        [ "$name" = qtrain ] && [ $((i % 3)) = 1 ] && extra=--resume
        job "$name" "$folder/out.h5" --no-provenance $extra >/dev/null 2>"$JOBS/err" || { fail "$name: the rerun failed: $(cat "$JOBS/err")"; }
        check "$name: kill $i after $t ms: the rerun's bytes differ" same "$folder/out.h5" "$JOBS/$name.want.h5"
    done
    rm -f "$folder/out.h5" # so that it computes, and looks around
    job "$name" "$folder/out.h5" --no-provenance >/dev/null || fail "$name: the last run failed"
    check "$name: files left behind after the last run" alone "$folder"
    echo "$name: $struck of $kills kills met it running (an undisturbed run takes $ms ms)"
    check "$name: no kill met it running" [ "$struck" -gt 0 ]
done
conclude
