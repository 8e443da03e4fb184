#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An old store stays valid: the jobs have the keys and the contents that they had (tests/written/digests), old files open, are
# whole and up to date for today's tools, and a training that was stopped then goes on to the bytes it would have had.
. "$(dirname "$0")/jobs.inc"
prepare || { echo "the inputs could not be made"; exit 1; }
cd "$JOBS" || exit 70
command -v jq >/dev/null || { echo "skipped: jq is absent"; exit 77; }
old=$ROOT/tests/written
# Numbers are those of one maker's AVX-512 and one C library (docs/numerics.md: others round otherwise, and so does an instrumented
# build, where the compiler joins a product and a sum); elsewhere old files are opened, up to date and gone on from, not computed again.
exact=
grep -qw avx512f /proc/cpuinfo && grep -q AuthenticAMD /proc/cpuinfo && [ "${KETLINE_ISA:-avx512}" = avx512 ] &&
    [ "$(getconf GNU_LIBC_VERSION)" = "glibc 2.36" ] && exact=yes
case $BUILD in */sanitize | */coverage | */branches) exact= ;; esac
[ -n "$exact" ] || echo "left out: contents, which are those of AMD's AVX-512 and glibc 2.36"
while [ -n "$exact" ] && read -r name key content; do
    job "$name" out.h5 --no-provenance >/dev/null 2>err || fail "$name: $(cat err)"
    check "$name has another key than before" test "$(cache show --json out.h5 | jq -r .key)" = "$key"
    check "$name has another content than before" test "$(cache show --json out.h5 | jq -r .content)" = "$content"
    rm -rf out.h5 out-heads
done <"$old/digests"

mkdir old
cd old || exit 70
cp "$old"/*.h5 .
awk 'BEGIN { x = 1; for (d = 1; d <= 2; d++) for (r = 0; r < 60; r++) { s = ""
    for (j = 0; j < 40; j++) { x = x * 16807 % 2147483647; s = s (x * (d + 4) < 3 * 2147483647) } print s " " d } }' >bits.txt
for f in *.h5; do
    check "$f is not whole" cache verify -q "$f"
    check "$f is not shown" eval 'cache show "$f" >/dev/null'
done
was='net [0.583333,12,12,1]
fit [0.666667,12,12,1]'
head="qtrain features.h5 --reduction 4 --classifier none --replicas 2 --epochs 60 --batch-size 1 --no-controls"
while read -r out command; do
    check "$out is not up to date: $command" grep -q "^$out: up to date" <($command -o "$out" 2>&1)
    [ -n "$exact" ] || continue
    $command --no-provenance -o "new-$out" >/dev/null 2>err || fail "$command: $(cat err)"
    check "$out has another content than before" test \
        "$(cache show --json "new-$out" | jq -r .content)" = "$(cache show --json "$out" | jq -r .content)"
done <<COMMANDS
features.h5 extract-features $digits_train --resize 28 --limit 60
head.h5 $head
report.h5 qeval head.h5 features.h5
sweep.h5 qsweep features.h5 --grid lr=1e-3,1e-2 --reduction 4 --classifier none --epochs 2
bits.h5 extract-features --qrng bits.txt
devices.h5 qtrain --qrng bits.txt --epochs 3
judged.h5 qeval --qrng devices.h5 bits.txt
gan.h5 qgan bits.txt -m 2 --epochs 3
patient-devices.h5 qtrain --qrng bits.txt --epochs 80 --patience 9 --rate-patience 2 --lr 0.02
patient-gan.h5 qgan bits.txt -m 4 --loss kl --epochs 400 --patience 3
tournament.h5 tournament bits.txt --null 10
plateau.h5 circuit plateau --qubits 2 --layers 1
COMMANDS
# Models on windows from before their files had digests and alignments are judged as they were; that copies are not seen is said.
judge() { qseq eval "$@" --json --no-provenance 2>/dev/null; }
for model in net fit; do
    check "sequence-$model.h5 is not judged as it was" test "$(judge sequence-$model.h5 sequence-windows.h5 -o judged-$model.h5 |
        jq -c '[(.accuracy * 1e6 | round / 1e6), .windows, .own_windows_least, (.cautions | length)]')" = "$(sed -n "s/^$model //p" <<<"$was")"
    check "sequence-$model.h5: windows that it does not know pass without a word" eval "judge sequence-$model.h5 sequence-new.h5 \
        -o new-$model.h5 | jq -e '.windows == 12 and (.cautions[1] | contains(\"no digests\"))' >/dev/null"
done
cp "$old/head.checkpoint" .resumed.h5.checkpoint
$head --no-provenance --progress none -o resumed.h5 >said 2>&1
check "a training that was stopped before does not resume: $(cat said)" grep -q "found .*checkpoint: [1-9]" said
[ -z "$exact" ] || check "a training that was stopped before ends elsewhere" test \
    "$(cache show --json resumed.h5 | jq -r .content)" = "$(cache show --json head.h5 | jq -r .content)"
conclude
