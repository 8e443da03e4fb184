#!/bin/sh
# SPDX-License-Identifier: MIT
# What langevin.mk found, in words: langevin-told.sh OUT SET...
set -eu
out=$1
shift
fact() { # FILE NAME: of cache show
    cache show "$out/$1" | sed -n "s/^$2  *//p"
}
for set in "$@"; do
    awk -v set="$set" -v bound="$(fact "$set-bounds.h5" 'last bound')" -v test="$(fact "$set-bounds.h5" test)" \
        -v delta="$(fact "$set-bounds.h5" delta)" -v calibrated="$(fact "$set-bounds.h5" calibrated)" \
        -v by="$(fact "$set-bounds.h5" calibration)" 'BEGIN {
        printf "%s, true labels, lowest temperature: test error %.1f %%", set, 100 * test
        if (bound == "") printf "; no bound follows"
        else printf "; bound %.1f %%, which holds with %g %% if the chains are at equilibrium", 100 * bound, 100 * (1 - delta)
        if (calibrated != "") printf ", calibrated on random labels %.1f %% (no guarantee)\n", 100 * calibrated
        else { sub(/^nothing: /, "", by); printf "; no calibrated one: %s\n", by }
    }'
done
for chains in "$out"/*-true.txt "$out"/*-random.txt; do
    name=${chains##*/}
    tail -1 "$chains" | awk -v name="${name%.txt}" '{ printf "%s, beta %s: R-hat %s, %s effective draws, acceptance %s, virial ratio %s\n", name, $1, $5, $6, $9, $10 }'
done
