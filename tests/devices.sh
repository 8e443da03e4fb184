#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Classifiers of the study's three devices: the accuracies that independent implementations found
# (users: SEEDS=20 bash tests/devices.sh), and labels that say nothing.
. "$(dirname "$0")/jobs.inc"
data=${KETLINE_SHARED:-$ROOT/../shared}/data/qrng/AI_2qubits_training_data.txt
[ -r "$data" ] || { echo "skipped: $data is absent"; exit 77; }
[ -x "$BUILD/bin/qeval" ] || { echo "skipped: no qeval"; exit 77; }
cd "$JOBS" || exit 70
seeds=${SEEDS:-6}
report() { # OPTION...: of one study as JSON
    qtrain -q --qrng "$data" --symbol-bits 2 --seeds "$seeds" --force -o c.h5 "$@" && qeval --qrng c.h5 "$data" --symbol-bits 2 --force --json -o r.h5
}
says() { # JSON CONDITION
    echo "$1" | jq -e "$2" >/dev/null || { echo "$1"; return 1; }
}

# specs: 56.8 +- 1.1 % with the epoch chosen on the test rows; 55.2 % at the last epoch; pair counts 56.8 +- 1.2 %.
found=$(report --reference)
check "the reference: 0.555 to 0.580, sd < 0.02" says "$found" '.network >= 0.555 and .network <= 0.580 and .accuracy_sd < 0.02'
check "the reference: worse at the last epoch" says "$found" '.last_epoch >= 0.540 and .last_epoch < .network - 0.005'
check "the reference: pair counts" says "$found" '(.pairs - 0.568 | fabs) < 0.008'
check "the limit of the symbols' model" says "$found" '(.limit - 0.579678 | fabs) < 1e-6'

found=$(report)
check "the sound protocol: 0.535 to 0.560" says "$found" '.network >= 0.535 and .network <= 0.560'
check "the sound protocol: below the limit, beyond chance" says "$found" '.accuracy_high < .limit + 0.02 and .log10_p < -30'
found=$(report --features pairs)
check "the network on pairs: 0.560 to 0.575" says "$found" '.network >= 0.560 and .network <= 0.575'

# The first 500 rows of each device, labels shuffled again for each of 12 files: all p are equally likely.
files=12 null=39
for i in $(seq $files); do
    awk -v x="$i" -v n=0 'function rnd(n) { x = x * 16807 % 2147483647; return x % n }
        NR % 2000 >= 1 && NR % 2000 <= 500 { row[n] = $1; label[n++] = $2 }
        END { for (i = 0; i < 9; i++) rnd(2)
            for (i = n - 1; i > 0; i--) { j = rnd(i + 1); t = label[i]; label[i] = label[j]; label[j] = t }
            for (i = 0; i < n; i++) print row[i], label[i] }' "$data" >shuffled.txt
    qtrain -q --qrng shuffled.txt --model pairs --seeds 1 --null $null --force -o c.h5 &&
        qeval --qrng c.h5 shuffled.txt --force --json -o r.h5
done >null.json
check "labels that say nothing: accuracy 1/3" says "$(jq -s 'map(.pairs) | add / length' null.json)" '(. - 1/3 | fabs) < 0.03'
# Kolmogorov and Smirnov's distance, at 1 % for 12 values 0.449.
distance=$(jq -r .null_p null.json | sort -g | awk '{ p[NR] = $1 } END { for (i = 1; i <= NR; i++) {
    a = i / NR - p[i]; b = p[i] - (i - 1) / NR; if (a > d) d = a; if (b > d) d = b } print d }')
check "labels that say nothing: p is uniform, found a distance of $distance" awk -v d="$distance" -v n="$(wc -l <null.json)" \
    -v files=$files 'BEGIN { exit !(n == files && d > 0 && d < 0.449) }'
found=$(qtrain -q --qrng shuffled.txt --seeds 1 --epochs 20 --force -o c.h5 && qeval --qrng c.h5 shuffled.txt --force --json -o r.h5)
check "a network on labels that say nothing" says "$found" '(.network - 1/3 | fabs) < 0.09 and .log10_p > -3'
conclude
