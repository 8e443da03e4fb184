#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No room: /dev/full, RLIMIT_FSIZE, a small tmpfs, a folder that may not be written, one that does
# not exist. Each gives status 74 and one line; an old target stays as it was and nothing else is
# left in the folder. And inputs that may only be read are read.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
expect_74() { # WHAT: uses $status and $JOBS/err
    check "$1: status $status, expected 74: $(head -3 "$JOBS/err")" [ "$status" = 74 ]
    check "$1: not one line: $(cat "$JOBS/err")" [ "$(wc -l <"$JOBS/err")" = 1 ]
}
# What is left but for finished work that the next run of this key goes on from.
left_in() { beside "$1" | grep -v '^\./filler$' | grep -v '\.free\.[0-9a-f]*\.ketline-partial$'; }
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
    check "$name: RLIMIT_FSIZE: files left behind: $(left_in "$JOBS/limit")" [ -z "$(left_in "$JOBS/limit")" ]
    check "$name: RLIMIT_FSIZE: a head is not whole" heads_are_whole "$JOBS/limit"
    rm -r "$JOBS/limit"

    job "$name" "$JOBS/absent/out.h5" >/dev/null 2>"$JOBS/err"
    status=$?
    expect_74 "$name: a folder that does not exist"
done

# What is no HDF5: drawings, pages, bits, weights, histories, MLflow's folders, files of a store. plain NAME OUT
plain() {
    case $1 in
        draw) circuit draw --qubits 8 --layers 10 -o "$2" ;;
        figures) figures -q "$JOBS/head.h5" --format svg -o "${2%/*}" ;;
        page) figures -q "$JOBS/head.h5" "$JOBS/report.h5" --report "$2" ;;
        extract) tournament -q --extract toeplitz "$JOBS/bits.txt" --min-entropy 0.5 -o "$2" ;;
        export) qconvert -q "$JOBS/head.h5" -o "$2" ;;
        people) qseq generate people -q --people 1 -o "${2%/*}" ;;
        history) train --epochs 400 --reduction 8 --no-controls --history "$2" -f -o "$JOBS/beside.h5" ;;
        mlflow) train --epochs 2 --no-controls --mlflow "${2%/*}" -f -o "$JOBS/beside.h5" ;;
        push) cache push "${2%/*}" --store "$JOBS/store" -q ;;
        pull) cache pull "$JOBS/store" --store "${2%/*}" -q ;;
    esac
}
plain_jobs='draw:svg figures:svg page:html extract:bin export:npz people:edf history:csv mlflow:x push:h5 pull:h5'
extract-features -q "$digits_test" --resize 28 --limit 40 --store "$JOBS/store" -o "$JOBS/any.h5" || exit 1
files_in() { find "$1" ! -type d ! -name filler; }
for name in $plain_jobs; do
    case $name in history* | mlflow*) continue ;; esac # of them the head is what does not fit
    mkdir "$JOBS/limit"
    (ulimit -f 4; plain "${name%:*}" "$JOBS/limit/out.${name#*:}") >/dev/null 2>"$JOBS/err"
    status=$?
    expect_74 "${name%:*}: RLIMIT_FSIZE"
    check "${name%:*}: RLIMIT_FSIZE: the error names another place: $(cat "$JOBS/err")" grep -q "$JOBS/limit/" "$JOBS/err"
    check "${name%:*}: RLIMIT_FSIZE: files left behind: $(files_in "$JOBS/limit")" [ -z "$(files_in "$JOBS/limit")" ]
    rm -r "$JOBS/limit"
done

# Who cannot add to a store goes without, and says so.
extract-features -q "$digits_test" --resize 28 --limit 40 --store /proc/store --no-provenance -o "$JOBS/without.h5" 2>"$JOBS/err"
check "a store that cannot be written: status $?: $(cat "$JOBS/err")" [ $? = 0 ]
check "a store that cannot be written: the file is not whole" cache verify -q "$JOBS/without.h5"

# A tmpfs of 32 kB and a read-only one, in a mount namespace of our own.
if unshare -rm true 2>/dev/null; then
    export -f job steps train plain beside left_in heads_are_whole files_in
    export JOBS digits_train PATH
    small() { # NAME HOW SCRIPT
        mkdir -p "$JOBS/small"
        unshare -rm bash -c '
            mount -t tmpfs -o "$2" none "$JOBS/small" || exit 99
            [ "$2" = ro ] || head -c 30000 /dev/zero >"$JOBS/small/filler"
            '"$3" - "$1" "$2" 2>"$JOBS/err"
        status=$?
        [ $status != 99 ] || { echo "no tmpfs can be mounted here: that part is left out"; return 1; }
        expect_74 "$1: tmpfs $2"
    }
    for how in size=32k ro; do
        for name in $(jobs); do
            small "$name" $how 'job "$1" "$JOBS/small/out.h5" >/dev/null; s=$?
                [ -e "$JOBS/small/out.h5" ] && echo "half a file was published" >&2
                left_in "$JOBS/small" >&2
                heads_are_whole "$JOBS/small" >&2
                exit $s' || break 2
        done
        for name in $plain_jobs; do
            small "$name" $how 'plain "${1%:*}" "$JOBS/small/out.${1#*:}" >/dev/null; s=$?
                files_in "$JOBS/small" >&2
                exit $s'
        done
        small doctor $how 'doctor --no-bench --store "$JOBS/small" -q
            [ $? = 1 ] || echo "doctor did not find out" >&2
            files_in "$JOBS/small" >&2
            exit 74'
    done
    # What cannot be removed is named, each of it, with the reason; and what cannot be put aside.
    mkdir "$JOBS/locked"
    cp "$JOBS/any.h5" "$JOBS/locked/bad.h5"
    printf damaged! | dd of="$JOBS/locked/bad.h5" bs=1 seek=70000 conv=notrunc status=none
    touch -d '3 days ago' "$JOBS/locked"/.{a,b}.h5.ffffffff-1-1.00000000.ketline-tmp
    unshare -rm bash -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
        cache fsck "$1" --repair -q 2>&1 | grep -c ": cannot be renamed: Read-only file system$"
        cache gc "$1" --apply' - "$JOBS/locked" >"$JOBS/out" 2>"$JOBS/err"
    status=$?
    if [ $status = 99 ]; then
        echo "no folder can be bound here: gc of a read-only one is left out"
    else
        expect_74 "gc of a read-only folder"
        check "gc of a read-only folder: $(cat "$JOBS/out")" \
            [ "$(grep -c '^cannot remove .*/\.[ab]\.h5\..*: Read-only file system$' "$JOBS/out")" = 2 ]
        check "fsck --repair of a read-only folder: $(cat "$JOBS/out")" [ "$(head -1 "$JOBS/out")" = 1 ]
        check "gc of a read-only folder: the summary" grep -q ': 0 files, 0 bytes removed; 2 could not be removed$' "$JOBS/out"
    fi
    # All that a job reads, and what tools remember of it, lies on a read-only mount.
    for name in $(jobs); do
        unshare -rm bash -c 'mount --bind "$JOBS" "$JOBS" && mount -o remount,ro,bind "$JOBS" && mount -t tmpfs none "$JOBS/small" && [ ! -w "$JOBS" ] || exit 99
            job "$1" "$JOBS/small/out.h5" >/dev/null && cache verify -q "$JOBS/small/out.h5"' - "$name" 2>"$JOBS/err"
        status=$?
        [ $status != 99 ] || { echo "no folder can be bound here: inputs on a read-only mount are left out"; break; }
        check "$name: inputs on a read-only mount: status $status: $(cat "$JOBS/err")" [ $status = 0 ]
        check "$name: inputs on a read-only mount: $(cat "$JOBS/err")" [ ! -s "$JOBS/err" ]
    done
else
    echo "no mount namespaces here: full tmpfs and read-only folder are left out"
fi

# A tool's words must reach someone: a full standard output is an error. What it wrote before may lie there.
mkdir "$JOBS/there" # or its making is said
echo '{"schema": 1, "claims": [{"claim": "a", "file": "report.h5", "attribute": "accuracy", "low": 0, "high": 1}]}' >"$JOBS/claims.json"
cd "$JOBS" || exit 70
while read -r words; do
    eval "$words" >/dev/full 2>err
    status=$?
    expect_74 "$words to /dev/full"
done <<'EOF'
qeval --verify claims.json
qeval --verify claims.json --json
circuit show
circuit qasm
circuit stats --samples 100
circuit stats --samples 100 --json
circuit show head.h5
circuit plateau --qubits 2 --layers 2 --draws 3
circuit plateau --qubits 2 --layers 2 --draws 3 --json -f -o words.h5
tournament bits.txt --null 3
tournament --nist few.txt --permutations 0
tournament --nist few.txt --permutations 0 --json
tournament --synthetic 3 --rows 9 --trials 0
tournament --extract von-neumann few.txt -q -o -
tournament --extract von-neumann few.txt -q --json -f -o words.bin
qtrain --qrng bits.txt --model ones -f -o words.h5
qtrain --qrng bits.txt --model ones --key
qeval --qrng devices.h5 bits.txt -f -o words.h5
qgan devices.txt -m 2 --epochs 2 -f -o words.h5
qgan devices.txt -m 2 --epochs 2 -n -f -o words.h5
extract-features --qrng bits.txt --json -f -o words.h5
extract-features --qrng bits.txt --print-config
qconvert head.h5 --json -f -o words.npz
figures head.h5 --json -o words
qseq fit S001.h5 --split within --method mdm -f -o words.h5
qseq eval older-fit.h5 S001.h5 -f -o words.h5
qseq eval older-fit.h5 S001.h5 --json -f -o words.h5
qseq compare -q older-judgement.h5 fit-judgement.h5
qseq compare -q older-judgement.h5 fit-judgement.h5 --json
qseq compare -q older-judgement.h5 fit-judgement.h5 --csv -
doctor --no-bench
doctor --no-bench --json
doctor --no-bench --bug-report
cache list store
cache show head.h5
cache show head.h5 --json
cache log any.h5
cache verify head.h5
cache diff head.h5 report.h5
cache gc store
cache fsck store
cache push there --store store --json
cache merge shard0.h5 shard1.h5 shard2.h5 -f -o words.h5
EOF
for tool in "$ROOT"/tools/*.c; do
    tool=$(basename "$tool" .c)
    "$tool" --help >/dev/full 2>"$JOBS/err"
    status=$?
    expect_74 "$tool --help to /dev/full"
done
conclude
