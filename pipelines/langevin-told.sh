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
        -v calibrated="$(fact "$set-bounds.h5" calibrated)" 'BEGIN {
        printf "  %s, true labels, lowest temperature: test error %.1f %%, proven to be at most %.1f %%", set, 100 * test, 100 * bound
        printf calibrated == "" ? "; no factor calibrates the bound\n" : ", calibrated on random labels %.1f %% (no guarantee)\n", 100 * calibrated
    }'
done
for chains in "$out"/*-true.txt "$out"/*-random.txt; do
    name=${chains##*/}
    printf '  %s: %s\n' "${name%.txt}" "$(tail -1 "$chains")"
done
printf '  Everything with figures: %s/run.html\n' "$out"
