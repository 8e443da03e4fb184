#!/bin/sh
# SPDX-License-Identifier: MIT
# What control.mk found, in words: control-told.sh OUT FAMILY
set -eu
out=$1
json() { # FILE MEMBER: its number
    sed -n "s/.*\"$2\": *\([-+0-9.e]*\).*/\1/p" "$out/$1"
}
fact() { # FILE NAME: of cache show
    shown=$(cache show "$out/$1")
    printf '%s\n' "$shown" | sed -n "s/^$2  *//p"
}
cz=$(fact cz.h5 'nominal F_avg')
verdict=$(fact regret.h5 verdict)
worst=$(fact robust.h5 worst)
awk -v plain="$(json lookup-nominal.json loss)" -v made="$(json lookup-nominal.json stored_loss)" -v robust="$(json lookup-robust.json loss)" \
    -v floor="$(json lookup-robust.json proven_floor)" -v after="$(json score.json all)" \
    -v worst="$worst" -v cz="$cz" -v verdict="$verdict" -v family="$2" -v out="$out" 'BEGIN {
    printf "A pulse that flips a qubit loses %.3g %% if qubit and amplifier are exactly as assumed.\n", 100 * made
    printf "Over a family of them (standard deviations: %s) it loses %.3g %% in the mean; the robust pulse %.3g %%, %.0f times less, and %.3g %% at its worst member.\n", \
        family, 100 * plain, 100 * robust, plain / robust, 100 * worst
    printf "Certificate: no pulse of this length loses less than %.3g %% in the mean, so that at most %.2g %% could still be gained.\n", \
        100 * floor, 100 * (robust - floor)
    printf "As the hardware plays it (%s/robust.csv, read again): %.3g %%.\n", out, 100 * after
    printf "CZ of two qubits: average gate fidelity %s.\n", cz
    printf "Does it pay to adapt a network to a qubit whose detuning it is not told? %s.\n", verdict
}'
