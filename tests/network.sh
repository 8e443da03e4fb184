#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One store for PROCESSES (default 16) writers, readers and collectors, each ROUNDS times (default 6), on a folder that behaves like a
# network file system on a bad day (tests/network/shim.c). A run may be refused in one line with a documented status; what it leaves
# is whole, and what it says is true. After that the store is whole, and reads from a folder that must not be written.
#   SHIM=no ROUNDS=1000 bash tests/network.sh    # without the shim, on the folder as it is: no run is refused then
. "$(dirname "$0")/jobs.inc"
processes=${PROCESSES:-16} rounds=${ROUNDS:-6}
shim=$JOBS/shim.so store=$JOBS/net/store
refused='1 65 66 74 75'
if [ "${SHIM-}" = no ]; then refused='' shim=
else ${CC:-gcc} -D_GNU_SOURCE -O1 -fPIC -shared -o "$shim" "$ROOT/tests/network/shim.c" || { echo "shim.c does not compile"; exit 1; }; fi
mkdir -p "$store" "$JOBS/said"
cd "$JOBS/net" || exit 70
for limit in 10 11 12 13; do
    extract-features -q "$digits_test" --resize 28 --limit $limit --no-provenance -o "$JOBS/want$limit.h5" || fail "the inputs could not be made"
done
for i in 0 1 2 3; do cp "$JOBS/want10.h5" "out$i.h5"; done
export SHIM_FOLDER=$JOBS/net

# one NUMBER: what a process does, round by round; what is wrong goes to its file
one() {
    local round limit status out=$JOBS/net/out$(($1 % 4)).h5 err=$JOBS/said/$1.err
    for round in $(seq "$rounds"); do
        limit=$((10 + (round + $1) % 4))
        case $(($1 % 8)) in
            6) sleep 0.3; LD_PRELOAD=$shim cache gc "$store" --older-than 0.00001 --apply -q ;; # a second: also what others are reading
            7) LD_PRELOAD=$shim cache verify -q "$out" ;;
            *) LD_PRELOAD=$shim extract-features -q "$digits_test" --resize 28 --limit $limit --no-provenance --store "$store" --threads 1 -o "$out" ;;
        esac >/dev/null 2>"$err"
        status=$?
        [ "$status" = 0 ] || case " $refused " in
            *" $status "*) [ "$(wc -l <"$err")" -ge 1 ] && ! grep -qi 'damaged' "$err" || echo "process $1: status $status: $(head -2 "$err")" ;;
            *) echo "process $1: status $status: $(head -2 "$err")" ;;
        esac
        [ "$status" = 0 ] && echo "ok $(($1 % 8))" >>"$JOBS/said/ok"
    done
}
for i in $(seq "$processes"); do one "$i" >"$JOBS/said/$i" & done
wait
for i in $(seq "$processes"); do check "$(head -3 "$JOBS/said/$i")" [ ! -s "$JOBS/said/$i" ]; done
check "hardly a run came through: $(sort "$JOBS/said/ok" | uniq -c)" [ "$(wc -l <"$JOBS/said/ok")" -gt $((processes * rounds / 2)) ]
check "the store is not whole: $(cache fsck "$store" 2>&1 | tail -2)" cache fsck "$store" -q
for out in "$JOBS"/net/out?.h5; do
    same=no
    for limit in 10 11 12 13; do cmp -s "$out" "$JOBS/want$limit.h5" && same=yes; done
    check "$out is none of the results" [ $same = yes ]
done
check "doctor finds the folder unfit: $(LD_PRELOAD=$shim doctor --no-bench --store "$JOBS/net" 2>&1 | tail -1)" \
    env LD_PRELOAD="$shim" doctor -q --no-bench --store "$JOBS/net"

# A folder that must not be written: everything can be read from it, and a store there is only looked at.
chmod -R a-w "$JOBS/net"
reader() { # root may write anywhere, unless that right is taken away
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then setpriv --bounding-set=-dac_override --inh-caps=-dac_override "$@"; else "$@"; fi
}
check "a folder that must not be written can be" eval "! reader touch '$JOBS/net/new' 2>/dev/null"
for command in "cache verify $JOBS/net/out0.h5" "cache show $JOBS/net/out0.h5" "cache fsck $store"; do
    check "read-only: $command" eval "XDG_CACHE_HOME=/nonexistent reader $command >/dev/null 2>'$JOBS/err'"
done
conclude
