#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tests/run.sh [--accept] [--quick] [-j N] [PATTERN...]: run all tests, or those with a PATTERN in their names.
#   --accept  rewrite the expectations of the command-line tests (tests/cli/README.md)
#   --quick   but those of tests/slow, which take two seconds of processor time and more
# Environment: BUILD (default build), KETLINE_SHARED, KETLINE_PYTHON, KILLS, TEST_TIMEOUT (seconds
# each, default 900). One line for each failure, with the end of its log, and for each skipped test;
# the last line counts. Logs: $BUILD/test-logs.
set -u
cd "$(dirname "$0")/.." || exit 70
export BUILD=${BUILD:-build} KETLINE_SHARED=${KETLINE_SHARED:-../shared} KETLINE_PYTHON=${KETLINE_PYTHON:-python3}
export TEST_TIMEOUT=${TEST_TIMEOUT:-900} LC_ALL=C TZ=UTC NO_COLOR=1
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
# verify_asan_link_order: crash.sh and network.sh preload a library of their own.
export ROOT=$PWD ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1:verify_asan_link_order=0}
BUILD=$(realpath -m "$BUILD") KETLINE_SHARED=$(realpath -m "$KETLINE_SHARED")
export CORPUS=${CORPUS:-$BUILD/corpus} DATA=$ROOT/data SHARED=$KETLINE_SHARED PATH=$BUILD/bin:$PATH
unset KETLINE_STORE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
jobs=$(($(nproc) + 1)) accept= quick= # one more, because those that kill and stop others wait most of the time
patterns=()
while [ $# -gt 0 ]; do
    case $1 in
        --accept) accept=--accept ;;
        --quick) quick=1 ;;
        -j) jobs=$2; shift ;;
        -*) sed -n '3,8s/^# //p' "$0"; exit 2 ;;
        *) patterns+=("$1") ;;
    esac
    shift
done
logs=$BUILD/test-logs
rm -rf "$logs"
mkdir -p "$logs"
# One test: NAME COMMAND...; its own home, cache and temporary folder; the log and the status are kept.
one() {
    local name=$1 log status start=$SECONDS
    shift
    log=$logs/${name//\//_}.log
    export TMPDIR HOME XDG_CACHE_HOME
    TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/ketline-test.XXXXXX")
    HOME=$TMPDIR XDG_CACHE_HOME=$TMPDIR/.cache
    timeout --kill-after=10 "$TEST_TIMEOUT" "$@" >"$log" 2>&1 </dev/null
    status=$?
    times >"$log.times" # of the test: its processes' user and system time, in the second line
    chmod -R u+w "$TMPDIR" 2>/dev/null
    rm -rf "$TMPDIR"
    case $status in
        0) echo "passed $name $((SECONDS - start))s, processor time $(tail -n 1 "$log.times" | tr ' ' +)" ;;
        77) echo "skipped $name: $(tail -n 1 "$log" | sed "s/^skipped: //")" ;;
        124 | 137)
            echo "FAILED $name: stopped after $TEST_TIMEOUT s; end of $log:"
            tail -n 15 "$log" | sed 's/^/    /' ;;
        *) echo "FAILED $name: status $status; end of $log:"; tail -n 15 "$log" | sed 's/^/    /' ;;
    esac >"$log.status"
    grep -v '^passed' "$log.status"
    [ -t 2 ] && printf '\r%s \033[K' "$(cat "$logs"/*.status | grep -c '^passed') passed" >&2
    return 0
}
export -f one
export logs

# Long ones first, so that the last minute is not one test alone.
list() {
    local f
    local first="threads cuda-sanitized pipelines cuda-races accuracy cuda clang determinism kill kill-more"
    for f in $first; do echo "tests/$f.sh bash tests/$f.sh"; done
    for f in tests/*.sh; do
        case " $first run " in *" $(basename "$f" .sh) "*) ;; *) echo "$f bash $f" ;; esac
    done
    for f in tests/unit/*/*.c tests/golden/*.c tests/faults/*.c tests/fuzz/*.c tests/kernels/*.c; do
        [ -e "$f" ] && [ "$f" != tests/faults/faults.c ] && echo "${f%.c} $BUILD/${f%.c}"
    done
    for f in tests/gpu/*.c; do echo "${f%.c}-emulated bash tests/cuda/emulated.sh $BUILD/${f%.c}"; done
    for f in tests/python/*.py; do [ -e "$f" ] && echo "$f $KETLINE_PYTHON $f"; done
    for f in tests/cli/*/*.t; do [ -e "$f" ] && echo "$f bash tests/cli/case $accept $f"; done
}
chosen() {
    if [ ${#patterns[@]} = 0 ]; then cat; else
        local name rest p
        while read -r name rest; do
            for p in "${patterns[@]}"; do case $name in *"$p"*) echo "$name $rest"; break ;; esac; done
        done
    fi
}
quick() { if [ -z "$quick" ]; then cat; else grep -vE "^($(paste -sd'|' tests/slow)) "; fi; }
list | chosen | quick >"$logs/list"
[ -s "$logs/list" ] || { echo "run.sh: no test has ${patterns[*]} in its name" >&2; exit 2; }
xargs -P "$jobs" -L 1 bash -c 'one "$@"' one <"$logs/list"
passed=$(cat "$logs"/*.status 2>/dev/null | grep -c '^passed ')
failed=$(cat "$logs"/*.status 2>/dev/null | grep -c '^FAILED ')
skipped=$(cat "$logs"/*.status 2>/dev/null | grep -c '^skipped ')
lost=$(($(wc -l <"$logs/list") - passed - failed - skipped)) # a driver that died must not look like success
failed=$((failed + lost))
[ -t 2 ] && printf '\r\033[K' >&2
echo "$passed passed, $failed failed$([ "$skipped" -gt 0 ] && echo ", $skipped skipped")"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
