#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# WRITERS (default 6) runs of one job at once, on one target and one store: each succeeds, the file is that
# of one run alone, and nothing else is left in the folder.
. "$(dirname "$0")/jobs.inc"
writers=${WRITERS:-6}
export few=1 # all the more of the time is that in which they meet
prepare || { echo "the inputs could not be made"; exit 1; }
for name in $(jobs); do
    want=$JOBS/$name.want.h5 folder=$JOBS/$name.dir shared=() pids=()
    [ "$name" = merge ] || shared=(--store "$JOBS/store")
    ! has_threads "$name" || shared+=(--threads 1)
    job "$name" "$want" --no-provenance >/dev/null || { fail "$name: the run alone failed"; continue; }
    mkdir "$folder"
    cp "$(older "$name")" "$folder/out.h5" # an older file of another key
    for i in $(seq "$writers"); do
        job "$name" "$folder/out.h5" --no-provenance "${shared[@]}" >/dev/null 2>"$JOBS/err.$i" &
        pids+=($!)
    done
    for i in $(seq "$writers"); do
        wait "${pids[$((i - 1))]}"
        status=$?
        check "$name: writer $i of $writers: status $status: $(cat "$JOBS/err.$i")" [ "$status" = 0 ]
    done
    check "$name: $writers writers left another file than one alone" cmp "$folder/out.h5" "$want"
    [ ! -d "${want%.h5}-heads" ] || check "$name: $writers writers left other heads than one alone" \
        diff -rq "$folder/out-heads" "${want%.h5}-heads"
    check "$name: left behind: $(beside "$folder")" [ -z "$(beside "$folder")" ]
done
check "the store: $(cache fsck "$JOBS/store" 2>&1)" cache fsck "$JOBS/store" -q
conclude
