#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each writing tool is killed (SIGKILL) at random moments while it runs, KILLS times (default 4). After each
# kill the target is the old file or the new one; a rerun gives the bytes of an undisturbed run, and the last
# one leaves nothing else in the folder.
#   KILLS=500 KILLED="qtrain qeval" bash tests/kill.sh
. "$(dirname "$0")/jobs.inc"
. "$ROOT/tests/kill.inc"
export few=1 # all the more of the time is that in which they write
prepare || { echo "the inputs could not be made"; exit 1; }
alone() { # nothing but the target: neither temporary files nor checkpoints
    [ -e "$1/out.h5" ] && [ -z "$(beside "$1")" ] || { find "$1" -type f; return 1; }
}
# Of a sweep: every head that is there is the one of the undisturbed run.
each_is_the_same() {
    local file
    for file in "$1"/*; do [ ! -e "$file" ] || same "$file" "$2/${file##*/}" || return 1; done
}
# What was there before in round $i, nothing or the older file, or the new one.
old_or_new() { same "$1" "$2" || if [ $((i % 2)) = 1 ]; then [ ! -e "$1" ]; else same "$1" "$3"; fi; }
kill_job() {
    local name=$1 folder=$JOBS/$1.dir want=$JOBS/$1.want.h5 old=$JOBS/$1.old.h5 struck=0 i=1 extra t
    local heads=$JOBS/$1.dir/out-heads want_heads=$JOBS/$1.want-heads # of sweeps
    local start=$(now_ms)
    job "$name" "$want" --no-provenance >/dev/null ||
        { fail "$name: the undisturbed run failed"; return; }
    local ms=$(($(now_ms) - start + 1))
    local span=$ms
    mkdir "$folder"
    cp "$(older "$name")" "$old" # of another key: stands there in every second round
    for (( ; ; i++)); do
        more || break
        rm -f "$folder/out.h5"
        [ $((i % 2)) = 1 ] || cp "$old" "$folder/out.h5"
        [ $((i % 4)) -ge 2 ] || rm -f "$heads"/*
        extra=
        [ "${name%%-*}" = qtrain ] && [ $((i % 4)) -ge 2 ] && extra="--checkpoint-every 1" # killed at those, too
        strike job "$name" "$folder/out.h5" --no-provenance --force $extra
        check "$name: kill $i after $t ms left a third thing in place of old or new" \
            old_or_new "$folder/out.h5" "$want" "$old"
        check "$name: kill $i after $t ms left a third thing in place of a head" \
            each_is_the_same "$heads" "$want_heads"
        [ $((i % 3)) = 0 ] && continue # this one is killed again before it is repaired
        job "$name" "$folder/out.h5" --no-provenance >/dev/null 2>"$JOBS/err" ||
            fail "$name: the rerun failed: $(cat "$JOBS/err")"
        check "$name: kill $i after $t ms: the rerun's bytes differ" same "$folder/out.h5" "$want"
        [ ! -d "$want_heads" ] || check "$name: kill $i after $t ms: the rerun's heads differ" \
            diff -rq --exclude='.*' "$heads" "$want_heads"
    done
    rm -f "$folder/out.h5" "$heads"/* # so that it computes, and looks around
    job "$name" "$folder/out.h5" --no-provenance >/dev/null || fail "$name: the last run failed"
    check "$name: files left behind after the last run" alone "$folder"
    told "$name"
}

for name in $(jobs); do ! wanted $name || kill_job "$name"; done
conclude
