#!/bin/sh
# SPDX-License-Identifier: MIT
# What langevin.mk found, in words: langevin-told.sh OUT SET...
set -eu
out=$1
shift
for set in "$@"; do
    # Of the table: beta, +-, ..., test in the fifth column, bound in the ninth; of beta 0 it is what guessing has.
    awk -v set="$set" '$1 ~ /^[0-9.e+]+$/ && NF == 11 { test[$1] = $5; bound = $9; last = $1; if (!n++) guess = $9 }
        /^the best of / { best = $0; sub(/.*: /, "", best); split(best, b, /[, ]+/); at = $0; sub(/.* at beta /, "", at); sub(/ .*/, "", at) }
        END {
            if (!n || best == "") { print set ": no bound in the table of sgld bounds" >"/dev/stderr"; exit 1 }
            printf "%s: the test error at beta %s is %.1f %%; the best bound, at beta %s, whose test error is %.1f %%, is %.1f %%%s, and holds with 99 %% if the chains are at equilibrium.\n", \
                set, last, 100 * test[last], at, 100 * test[at], 100 * b[1], b[1] < guess ? "" : sprintf(" (guessing: %.0f %%)", 100 * guess)
        }' "$out/$set-bounds.txt"
done
for chains in "$out"/*-true.txt "$out"/*-random.txt; do
    name=${chains##*/}
    tail -1 "$chains" | awk -v name="${name%.txt}" '{ printf "%s, beta %s: R-hat %s, %s effective draws, acceptance %s, virial ratio %s\n", name, $1, $5, $6, $9, $10 }'
done
