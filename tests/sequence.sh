#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From recordings to a verdict, with nets: the effect that synthetic people have is found in people whom the net has not seen, and
# none in people who have none. Seeds are fixed; bounds are those of chance on so many windows.
set -u
. "$(dirname "$0")/jobs.inc"
[ -x "$BUILD/bin/qseq" ] || { echo "skipped: qseq is not built"; exit 77; }
cd "$JOBS" || exit 70
# verdict NAME EFFECT: 12 people, 8 channels; 7 of them are tested, with each person's own deviations and with his own alignment
verdict() {
    local name=$1 own s
    qseq generate people -q --people 12 --channels 8 --effect "$2" -o "$name" || return
    for s in 01 02 03 04 05 06 07 08 09 10 11 12; do
        qseq windows -q "$name"/S0$s*.edf --rate 64 --band 7:14 --from 0.5 --to 3.5 --no-provenance -o "$name/S0$s.h5" || return
    done
    for own in standardise align; do
        qseq train -q "$name"/S*.h5 -m hydra --qubits 3 --$own subject --test-fraction 0.5 --epochs 30 --replicas 3 --no-provenance \
            -o "$name/$own.h5" && qseq eval --json -q "$name/$own.h5" "$name"/S*.h5 --no-provenance -o "$name/report.h5" >"$name-$own.json" || return
    done
}
# is NAME CONDITION: of its report
is() { check "$1: expected $2: $(cat "$1.json")" jq -e "$2" "$1.json" >/dev/null; }
for name in strong:1 none:0; do
    check "$name: the way to a verdict breaks off" verdict ${name%:*} ${name#*:}
done
# 7 people's 315 windows: of a coin 0.5 +- 0.0282; 0.59 is 3.2 of these away.
for own in standardise align; do
    for name in strong none; do is $name-$own '.windows == 315 and .people == 7 and .leak == false and .own_windows_least == 45'; done
    is strong-$own '.accuracy > 0.8 and .balanced_accuracy > 0.8 and .auc > 0.8'
    is none-$own '.accuracy < 0.59 and .balanced_accuracy < 0.59 and .balanced_accuracy > 0.41'
done
conclude
