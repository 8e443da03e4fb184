#!/bin/sh
# SPDX-License-Identifier: MIT
# Are recordings what PhysioNet has? eeg-checked.sh SHA256SUMS RECORDING...
set -eu
sums=$1
shift
for file in "$@"; do
    grep " ${file##*/}\$" "$sums" | sed "s| [^ ]*\$| $file|" | sha256sum --quiet -c - || {
        echo "$file is not that of eegmmidb 1.0.0; fetch it again, or leave the person out: EXCLUDE=..." >&2
        exit 1
    }
done
