#!/bin/sh
# SPDX-License-Identifier: MIT
# What eeg.mk found, in words: eeg-told.sh OUT PEOPLE
set -eu
out=$1
shown=$(cache show "$out/leak.report.h5")
printf '\nWhat was found: each model on the person that it never saw, %s in turn\n' "$2"
sed 's/^/  /' "$out/compared.txt"
printf '\n  Random windows in place of people kept apart (tangent-lr): accuracy %s claimed\n' \
    "$(printf '%s\n' "$shown" | sed -n 's/^accuracy  *//p')"
printf '  Everything with figures: %s/run.html\n' "$out"
