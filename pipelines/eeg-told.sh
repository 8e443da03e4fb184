#!/bin/sh
# SPDX-License-Identifier: MIT
# What eeg.mk found, in words: eeg-told.sh OUT PEOPLE
set -eu
out=$1
shown=$(cache show "$out/leak.report.h5")
printf '\nWhat was found: each model on the person that it never saw, %s in turn\n' "$2"
sed 's/^/  /' "$out/compared.txt"
printf '\n  hydra and hydra-hybrid are the quantum models; twin: hydra with a classical map as large in place of its circuit; frozen: its circuit untrained\n'
printf '  Had windows been drawn at random, people on both sides of the split (a leak), tangent-lr would have shown an accuracy of %s\n' \
    "$(printf '%s\n' "$shown" | sed -n 's/^accuracy  *//p')"
printf '  Everything with figures: %s/run.html\n' "$out"
