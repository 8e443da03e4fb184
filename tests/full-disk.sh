#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No room: /dev/full, RLIMIT_FSIZE, a small tmpfs, a folder that may not be written, one that does
# not exist. Each gives status 74 and one line; an old target stays as it was and nothing else is
# left in the folder.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
expect_74() { # WHAT: uses $status and $JOBS/err
    check "$1: status $status, expected 74: $(head -3 "$JOBS/err")" [ "$status" = 74 ]
    check "$1: not one line: $(cat "$JOBS/err")" [ "$(wc -l <"$JOBS/err")" = 1 ]
}
# What a sweep has finished stays: heads, each of them whole.
heads_are_whole() { [ -z "$(ls "$1/out-heads" 2>/dev/null)" ] || cache verify -q "$1"/out-heads/*.h5; }
for name in $(jobs); do
    if [ "$name" != merge ] && [ "$name" != qsweep ] && [ "$name" != halving ]; then # which refuse "-"
        job "$name" - >/dev/full 2>"$JOBS/err"
        status=$?
        expect_74 "$name: output to /dev/full"
    fi

    mkdir "$JOBS/limit"
    cp "$(older "$name")" "$JOBS/limit/out.h5"
    # Not below 4 kB: the tools' own small notes (the memo of digests) must not be what fails.
    (ulimit -f 4; job "$name" "$JOBS/limit/out.h5" --force) >/dev/null 2>"$JOBS/err"
    status=$?
    expect_74 "$name: RLIMIT_FSIZE"
    check "$name: RLIMIT_FSIZE: the old file changed" cmp -s "$(older "$name")" "$JOBS/limit/out.h5"
    check "$name: RLIMIT_FSIZE: files left behind: $(beside "$JOBS/limit")" [ -z "$(beside "$JOBS/limit")" ]
    check "$name: RLIMIT_FSIZE: a head is not whole" heads_are_whole "$JOBS/limit"
    rm -r "$JOBS/limit"

    job "$name" "$JOBS/absent/out.h5" >/dev/null 2>"$JOBS/err"
    status=$?
    expect_74 "$name: a folder that does not exist"
done

# A tmpfs of 32 kB and a read-only one, in a mount namespace of our own.
if unshare -rm true 2>/dev/null; then
    export -f job train beside heads_are_whole
    export JOBS digits_train PATH
    for name in $(jobs); do
        mkdir -p "$JOBS/small"
        for how in size=32k ro; do
            unshare -rm bash -c '
                mount -t tmpfs -o "$2" none "$JOBS/small" || exit 99
                [ "$2" = ro ] || head -c 30000 /dev/zero > "$JOBS/small/filler"
                job "$1" "$JOBS/small/out.h5" >/dev/null; s=$?
                [ -e "$JOBS/small/out.h5" ] && echo "half a file was published" >&2
                beside "$JOBS/small" | grep -vx ./filler >&2
                heads_are_whole "$JOBS/small" >&2
                exit $s' - "$name" "$how" 2>"$JOBS/err"
            status=$?
            [ $status = 99 ] && { echo "no tmpfs can be mounted here: that part is left out"; break 2; }
            expect_74 "$name: tmpfs $how"
        done
    done
else
    echo "no mount namespaces here: full tmpfs and read-only folder are left out"
fi

# A tool's words must reach someone: a full standard output is an error.
for tool in "$ROOT"/tools/*.c; do
    tool=$(basename "$tool" .c)
    "$tool" --help >/dev/full 2>"$JOBS/err"
    status=$?
    expect_74 "$tool --help to /dev/full"
done
conclude
