#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each writing tool is killed (SIGKILL) at random moments while it runs, KILLS times (default 20). After each
# kill the target is the old file or the new one; a rerun gives the bytes of an undisturbed run, and the last
# one leaves nothing else in the folder.
# KILLS=200 bash tests/kill.sh
. "$(dirname "$0")/jobs.inc"
kills=${KILLS:-20}
prepare || { echo "the inputs could not be made"; exit 1; }
RANDOM=${SEED:-1}
same() { cmp -s "$1" "$2"; }
alone() { # nothing but the target: neither temporary files nor checkpoints
    [ -e "$1/out.h5" ] && [ -z "$(beside "$1")" ] || { find "$1" -type f; return 1; }
}
# Of a sweep: every head that is there is the one of the undisturbed run.
each_is_the_same() {
    local file
    for file in "$1"/*; do [ ! -e "$file" ] || same "$file" "$2/${file##*/}" || return 1; done
}
now_ms() { echo $(($(date +%s%N) / 1000000)); }
# strike FUNCTION...: runs it, kills it after $t ms, at random within $span ms. That is at first what an
# undisturbed run took, and follows what is met: the machine may have other work now than it had then.
strike() {
    local pid child
    "$@" >/dev/null 2>&1 &
    pid=$!
    t=$((RANDOM * (span + span / 4 + 2) / 32768)) # some beyond the end: the last moments matter most
    sleep "$(printf '%d.%03d' $((t / 1000)) $((t % 1000)))"
    # The function runs in a subshell: its child is the tool.
    child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
    if kill -KILL $child $pid 2>/dev/null; then
        struck=$((struck + 1))
        span=$((span + span / 16 + 1))
    elif [ "$t" -lt "$span" ]; then
        span=$(((3 * span + t) / 4))
    fi
    wait $pid 2>/dev/null
}
# Kills that come after the end do not count; but there is an end to it.
more() { [ "$struck" -lt "$kills" ] && [ "$i" -le $((10 * kills)) ]; }
told() {
    echo "$1: $struck kills met it running, of $((i - 1)) tries (an undisturbed run takes $ms ms)"
    check "$1: fewer than $kills kills met it running" [ "$struck" = "$kills" ]
}

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
        [ "${name%%-*}" = qtrain ] && [ $((i % 4)) -ge 2 ] && extra="--checkpoint-every 5" # killed at those, too
        strike job "$name" "$folder/out.h5" --no-provenance --force $extra
        [ ! -e "$folder/out.h5" ] || same "$folder/out.h5" "$want" ||
            { [ $((i % 2)) = 0 ] && same "$folder/out.h5" "$old"; }
        check "$name: kill $i after $t ms left a third thing in place of old or new" [ $? = 0 ]
        check "$name: kill $i after $t ms left a third thing in place of a head" \
            each_is_the_same "$heads" "$want_heads"
        [ $((i % 3)) = 0 ] && continue # this one is killed again before it is repaired
        extra=
        [ "${name%%-*}" = qtrain ] && [ $((i % 3)) = 1 ] && extra=--resume
        job "$name" "$folder/out.h5" --no-provenance $extra >/dev/null 2>"$JOBS/err" ||
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

# figures: a folder of files, each of which is old or new; a rerun leaves what an undisturbed run leaves.
draw() {
    figures -q "$JOBS/head.h5" "$JOBS/report.h5" "$JOBS/test.h5" --images "$digits_test" --format svg \
        -o "$1"
}
each_is_old_or_new() {
    local file
    for file in "$1"/*; do
        [ ! -e "$file" ] || same "$file" "$JOBS/figures.want/${file##*/}" ||
            [ "$(cat "$file")" = '<svg>old' ] || return 1
    done
}
kill_figures() {
    local folder=$JOBS/figures.dir struck=0 i=1 t
    local start=$(now_ms)
    draw "$JOBS/figures.want" || { fail "figures: the undisturbed run failed"; return; }
    local ms=$(($(now_ms) - start + 1))
    local span=$ms
    mkdir "$folder"
    for (( ; ; i++)); do
        more || break
        rm -f "$folder"/*
        [ $((i % 2)) = 1 ] || echo '<svg>old' | tee "$folder/pca.svg" >"$folder/curves.svg"
        strike draw "$folder"
        check "figures: kill $i after $t ms left a third thing in place of old or new" \
            each_is_old_or_new "$folder"
        [ $((i % 3)) = 0 ] && continue
        draw "$folder" >/dev/null 2>"$JOBS/err" || fail "figures: the rerun failed: $(cat "$JOBS/err")"
        check "figures: kill $i after $t ms: the rerun left something else" \
            diff -rq "$folder" "$JOBS/figures.want"
    done
    told figures
}

# cache gc: an old file is there whole or gone; those in use, and those of others, stay.
gc_folder=$JOBS/gc.dir
aged=$JOBS/aged.h5
fill() { # 60 links to one file
    local k
    rm -rf "$gc_folder"
    mkdir -p "$gc_folder/keep" "$gc_folder/old"
    cp "$JOBS/report.h5" "$gc_folder/keep/new.h5"
    echo "not ours" >"$gc_folder/old/notes.h5"
    for k in $(seq 60); do ln "$aged" "$gc_folder/old/$k.h5"; done
    touch -d '9 days ago' "$gc_folder/old/notes.h5" "$aged"
}
tidy() { cache gc "$gc_folder" --older-than 7 --apply -q; }
gc_is_sound() {
    same "$aged" "$JOBS/report.h5" && same "$gc_folder/keep/new.h5" "$JOBS/report.h5" &&
        [ "$(cat "$gc_folder/old/notes.h5")" = "not ours" ]
    local status=$?
    touch -d '9 days ago' "$gc_folder/old/notes.h5" "$aged" # comparing them was using them
    return $status
}
kill_gc() {
    local struck=0 i=1 t
    cp "$JOBS/report.h5" "$aged"
    fill
    local start=$(now_ms)
    tidy >/dev/null || { fail "gc: the undisturbed run failed"; return; }
    local ms=$(($(now_ms) - start + 1))
    local span=$ms
    for (( ; ; i++)); do
        more || break
        [ $((i % 3)) = 1 ] && [ -e "$gc_folder/old/60.h5" ] || fill # else what the last kill left
        strike tidy
        check "gc: kill $i after $t ms: a file that must stay is gone or damaged" gc_is_sound
        [ $((i % 3)) = 0 ] && continue
        tidy >/dev/null 2>"$JOBS/err" || fail "gc: the rerun failed: $(cat "$JOBS/err")"
        check "gc: kill $i after $t ms: the rerun left old files" \
            [ "$(ls -A "$gc_folder/old")" = notes.h5 ]
    done
    told gc
}

for name in $(jobs); do kill_job "$name"; done
[ ! -x "$BUILD/bin/figures" ] || kill_figures
[ ! -x "$BUILD/bin/cache" ] || kill_gc
conclude
