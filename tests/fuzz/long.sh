#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzing for hours (make fuzz-long): MINUTES for all TARGETs together (default: all), JOBS at once (default 1), in turns of TURN
# seconds (default 120), so that all get the same share whenever it ends. Each turn goes on from the corpus of the one before.
#   tests/fuzz/long.sh MINUTES [TARGET...]
# Environment: CORPUS (default build/corpus); FUZZ, the folder of the programs (default build/fuzz); FOUND, the folder for what is found (default $FUZZ):
# corpus/TARGET, artifacts TARGET-crash-..., logs, and turns: a line for each turn, "TARGET executions CPU-seconds status".
# The last lines sum up turns, of earlier calls as well.
set -u
cd "$(dirname "$0")/../.." || exit 70
minutes=${1:?minutes}
shift
corpus=${CORPUS:-build/corpus} fuzz=${FUZZ:-build/fuzz} found=${FOUND:-${FUZZ:-build/fuzz}} turn=${TURN:-120}
mkdir -p "$found"
[ $# -gt 0 ] || set -- $(printf '%s\n' tests/fuzz/*.c | sed 's,.*/,,; s,\.c$,,')
end=$((SECONDS + 60 * minutes))

# turn TARGET NUMBER: every second one is also led by the operands of comparisons
turn() {
    local target=$1 log=$found/$1.log status cpu TIMEFORMAT='%U %S'
    mkdir -p "$found/corpus/$target" || return
    # The frame of the targets allows two seconds of processor time; -timeout counts those of a clock, which a busy machine makes long.
    { time LLVM_PROFILE_FILE=/dev/null nice -n 19 "$fuzz/$target" -max_total_time="$turn" -timeout=600 -rss_limit_mb=1024 \
        -malloc_limit_mb=256 -max_len=4096 -use_value_profile=$(($2 % 2)) -print_final_stats=1 -artifact_prefix="$found/$target-" \
        $(ls "tests/fuzz/$target.dict" 2>/dev/null | sed 's/^/-dict=/') "$found/corpus/$target" "$corpus/$target" \
        >"$log" 2>&1; } 2>"$log.time"
    status=$?
    cpu=$(awk '{ printf "%.0f", $1 + $2 }' "$log.time")
    echo "$target $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1) $cpu $status" >>"$found/turns"
    [ "$status" = 0 ] || { cp "$log" "$log.failed.$2"; echo "$target: status $status, see $log.failed.$2"; }
}
export -f turn
export corpus fuzz found turn
number=0
while [ $SECONDS -lt $end ]; do
    number=$((number + 1))
    printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I{} bash -c "[ \$(date +%s) -ge $(($(date +%s) + end - SECONDS)) ] || turn {} $number"
done
awk '{ n[$1] += $2; s[$1] += $3 } END { for (t in n) printf "%s: %d executions in %d s of processor time\n", t, n[t], s[t] }' "$found/turns" | sort
awk '$4 != 0 { bad++ } END { printf "%d of %d turns failed\n", bad, NR; exit bad > 0 }' "$found/turns"
