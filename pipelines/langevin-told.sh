#!/bin/sh
# SPDX-License-Identifier: MIT
# What langevin.mk found, in words: langevin-told.sh OUT SET...
set -eu
out=$1
shift
fact() { # FILE NAME: of cache show
    cache show "$out/$1" | sed -n "s/^$2  *//p"
}
printf '\nWhat was found\n'
for set in "$@"; do
    awk -v set="$set" -v bound="$(fact "$set-bounds.h5" 'last bound')" -v test="$(fact "$set-bounds.h5" test)" \
        -v calibrated="$(fact "$set-bounds.h5" calibrated)" -v factor="$(fact "$set-bounds.h5" factor)" 'BEGIN {
        printf "  %s, true labels, lowest temperature: test error %.1f %%, proven to be at most %.1f %%", set, 100 * test, 100 * bound
        if (calibrated == "") printf "; no factor calibrates the bound\n"
        else if (factor + 0 == 0) printf "; too few records to calibrate\n"
        else printf ", calibrated on random labels %.1f %% (no guarantee)\n", 100 * calibrated
    }'
done
for chains in "$out"/*-true.txt "$out"/*-random.txt; do
    name=${chains##*/}
    tail -1 "$chains" | awk -v name="${name%.txt}" '{ printf "  %s, beta %s: R-hat %s, %s effective draws, virial ratio %s\n", name, $1, $5, $6, $10 }'
done
printf '  Everything with figures: %s/run.html\n' "$out"
