#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Damaged inputs through the tools: one clear line, exit 65, within seconds; the old output stays.
# SAMPLES places a file (default 60).
. "$(dirname "$0")/jobs.inc"
samples=${SAMPLES:-60}
prepare || { echo "the inputs could not be made"; exit 1; }
cd "$JOBS" || exit 70
RANDOM=${SEED:-1}
old=test.h5 # what stands where the output goes
# refused WHAT COMMAND...: must exit 65 with one line; "or-fine" before WHAT: may also succeed,
# where the format cannot tell, or where the damaged part is not read; then the output must be the
# file $right, if that is set.
refused() {
    local fine= what
    [ "$1" = or-fine ] && { fine=1; shift; }
    what=$1
    shift
    cp "$old" out.h5
    timeout 20 "$@" >/dev/null 2>err
    local status=$?
    checks=$((checks + 1))
    if [ $status = 0 ] && [ -n "$fine" ]; then
        [ -z "${right:-}" ] || cmp -s out.h5 "$right" || fail "$what: taken for sound, and the result is wrong"
        return
    fi
    [ $status = 65 ] || fail "$what: status $status, expected 65: $(head -2 err)"
    [ "$(wc -l <err)" = 1 ] || fail "$what: not one line: $(cat err)"
    cmp -s "$old" out.h5 || fail "$what: the old output changed"
}
size() { stat -c %s "$1"; }
flip() { # FILE BYTE BIT: into bad
    cp "$1" "bad${1##*/}"
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "$(printf '\\x%02x' $((byte ^ (1 << $3))))" | dd of="bad${1##*/}" bs=1 seek="$2" conv=notrunc status=none
}
truncated() { head -c "$2" "$1" >"bad${1##*/}"; }
place() { echo $(((RANDOM * 32768 + RANDOM) % $1)); }

# Our own files: damage must be seen in every byte that is read (of a head: not those of its
# optimiser), and do no harm elsewhere.
for file in features.h5 head.h5; do
    n=$(size $file)
    case $file in
        features.h5) old=head.h5 fine= run="qtrain -q bad$file --epochs 1 -o out.h5" ;;
        head.h5) old=older-report.h5 fine=or-fine run="qeval -q bad$file test.h5 --no-provenance -o out.h5" right=report.h5 ;;
    esac
    for i in $(seq "$samples"); do
        at=$(place "$n")
        truncated $file "$at"
        refused "$file cut at $at of $n" $run
        flip $file "$at" $((RANDOM % 8))
        refused $fine "$file: one bit of byte $at flipped" $run
    done
    truncated $file 0
    refused "$file empty" $run
    (cat $file; echo more) >bad$file
    refused "$file with bytes after its end" $run
done
right=

# A sweep: of damaged features no head is made. Drawn, it is not taken for another one.
sweep="qsweep -q --grid lr=1e-3,1e-2 --reduction 8 --epochs 1 --no-provenance"
old=older-sweep.h5 n=$(size features.h5)
for i in $(seq $((samples / 4))); do
    flip features.h5 "$(place "$n")" $((RANDOM % 8))
    refused "features.h5 of a sweep: one bit flipped" $sweep badfeatures.h5 -o out.h5
    check "features.h5 of a sweep, flipped: heads were made: $(ls -A out-heads 2>/dev/null)" [ -z "$(ls -A out-heads 2>/dev/null)" ]
done
figures -q older-sweep.h5 -o drawn >/dev/null || fail "figures: the undamaged sweep was refused"
n=$(size older-sweep.h5)
for i in $(seq $((samples / 4))); do
    at=$(place "$n")
    for how in truncated flip; do
        $how older-sweep.h5 "$at" $((RANDOM % 8))
        rm -rf redrawn
        refused or-fine "older-sweep.h5: $how at $at" figures -q badolder-sweep.h5 -o redrawn
        [ -z "$(ls redrawn 2>/dev/null)" ] || check "older-sweep.h5: $how at $at: another figure" diff -rq drawn redrawn
    done
done
# Damaged heads are trained anew, and the sweep is the same.
$sweep features.h5 -o whole.h5 || fail "the undisturbed sweep failed"
for i in $(seq $((samples / 4))); do
    n=$(size whole-heads/lr=1e-3.h5)
    rm -rf again.h5 again-heads
    cp -r whole-heads again-heads
    if [ $((i % 2)) = 0 ]; then flip whole-heads/lr=1e-3.h5 "$(place "$n")" 0; else truncated whole-heads/lr=1e-3.h5 "$(place "$n")"; fi
    mv badlr=1e-3.h5 again-heads/lr=1e-3.h5
    $sweep features.h5 -o again.h5 2>err
    status=$?
    check "a head of the sweep is damaged: status $status: $(tr '\n' ' ' <err)" [ $status = 0 ]
    check "a head of the sweep was damaged: the heads are others" diff -rq whole-heads again-heads
    check "a head of the sweep was damaged: the sweep is another" cmp whole.h5 again.h5
done
old=test.h5

# Windows, classifiers fitted on them, reports: all that is read tells its damage; what is not read does none.
qseq compare -q --json older-judgement.h5 fit-judgement.h5 >whole-words || fail "the undamaged reports were refused"
qseq fit -q S001.h5 --split within --method mdm --no-provenance -o mdm.h5 || fail "the undamaged windows were refused"
for file in S001.h5 older-fit.h5 fit-judgement.h5; do
    n=$(size $file)
    case $file in
        S001.h5) old=older-fit.h5 right=mdm.h5 run="qseq fit -q badS001.h5 --split within --method mdm --no-provenance -o out.h5" ;;
        older-fit.h5) old=older-judgement.h5 right=fit-judgement.h5 run="qseq eval -q badolder-fit.h5 S001.h5 --no-provenance -o out.h5" ;;
        fit-judgement.h5) right= run="qseq compare -q --json older-judgement.h5 badfit-judgement.h5" ;;
    esac
    for i in $(seq $((samples / 3))); do
        at=$(place "$n")
        truncated $file "$at"
        refused "$file cut at $at of $n" $run
        flip $file "$at" $((RANDOM % 8))
        refused or-fine "$file: one bit of byte $at flipped" $run
        [ $file != fit-judgement.h5 ] || ! $run >words 2>/dev/null || # names of files are their own
            check "$file: byte $at flipped: another verdict" cmp -s <(sed s/bad//g words) whole-words
    done
done
old=test.h5 right=

# IDX: two images of 28x28 and their labels; cut at every byte of the head and some of the rest,
# sizes that overflow, wrong magic.
{ printf '\0\0\10\3\0\0\0\2\0\0\0\34\0\0\0\34'; head -c 1568 "$digits_train" | tr '\0' '\1'; } >t-images-idx3-ubyte
printf '\0\0\10\1\0\0\0\2\3\4' >t-labels-idx1-ubyte
x="extract-features -q badt-images-idx3-ubyte -o out.h5 --labels"
extract-features -q t-images-idx3-ubyte -o fine.h5 || fail "the undamaged IDX file was refused"
for at in $(seq 0 16) 17 700 1583; do
    truncated t-images-idx3-ubyte "$at"
    refused "IDX images cut at $at" $x t-labels-idx1-ubyte
done
cp t-images-idx3-ubyte badt-images-idx3-ubyte
for at in $(seq 0 9); do
    truncated t-labels-idx1-ubyte "$at"
    refused "IDX labels cut at $at" $x badt-labels-idx1-ubyte
done
for at in $(seq 0 15); do
    for bit in 0 7; do
        flip t-images-idx3-ubyte "$at" $bit
        refused or-fine "IDX head, byte $at bit $bit" $x none
    done
done
{ printf '\0\0\10\3\377\377\377\377\377\377\377\377\377\377\377\377'; head -c 1568 t-images-idx3-ubyte; } >badt-images-idx3-ubyte
refused "IDX sizes that overflow" $x none
gzip -nc t-images-idx3-ubyte >t.gz
n=$(size t.gz)
for i in $(seq "$samples"); do
    truncated t.gz "$(place "$n")"
    mv badt.gz badt-images-idx3-ubyte
    refused "gzip cut" $x none
    flip t.gz "$(place "$n")" $((RANDOM % 8))
    mv badt.gz badt-images-idx3-ubyte
    refused or-fine "gzip flipped" $x none
done

# Weights: heads of safetensors that lie, files cut. The right file stands in data/backbone.
w=$DATA/backbone/resnet18-gray28-f16.safetensors
x="extract-features -q t-images-idx3-ubyte -o out.h5 --weights"
for at in 0 1 7 8 9 1000 20000000; do
    head -c $at "$w" >bad.safetensors
    refused "safetensors cut at $at" $x bad.safetensors
done
{ printf '\377\377\377\377\377\377\377\177'; tail -c +9 "$w" | head -c 100000; } >bad.safetensors
refused "safetensors with a head of 2^63 bytes" $x bad.safetensors
{ printf '\2\0\0\0\0\0\0\0{}'; } >bad.safetensors
refused "safetensors without tensors" $x bad.safetensors
cp "$w" bad-00000000.safetensors
refused "a digest in the name that is not the file's" $x bad-00000000.safetensors

# A .pth whose pickle would run a command.
if python3 -c 'pass' 2>/dev/null; then
    python3 - <<'PY'
import os, pickle, zipfile
class Bad:
    def __reduce__(self):
        return os.system, ("touch executed",)
for name, data in (("bad1.pth", pickle.dumps({"conv1.weight": Bad()}, protocol=2)), ("bad2.pth", b"\x80\x02" + b"(" * 100000 + b"."),
                   ("bad3.pth", b"\x80\x02cbuiltins\neval\n(X\x04\x00\x00\x001+1.tR.")):
    with zipfile.ZipFile(name, "w") as z:
        z.writestr("archive/data.pkl", data)
        z.writestr("archive/version", "3\n")
PY
    for i in 1 2 3; do refused "bad$i.pth" $x bad$i.pth; done
    check "a pickle was executed" [ ! -e executed ]
fi
# Weights for a head: an archive tells every damage to what is read of it, safetensors that to its head
# and its length alone; what is taken makes a head that is whole.
old=$(older qconvert)
qconvert -q head.h5 -o head.npz && qconvert -q head.h5 -o head.safetensors || fail "qconvert failed"
qconvert -q head.npz --features features.h5 --no-provenance -o fine-head.h5 || fail "the undamaged .npz was refused"
for file in head.npz head.safetensors; do
    n=$(size $file)
    c="qconvert -q bad$file --features features.h5 --no-provenance -o out.h5"
    for i in $(seq "$samples"); do
        at=$(place "$n")
        truncated $file "$at"
        refused "$file cut at $at of $n" $c
        [ $((i % 2)) = 0 ] && [ $file = head.safetensors ] && at=$(place 2000)
        flip $file "$at" $((RANDOM % 8))
        refused or-fine "$file: one bit of byte $at flipped" $c
        cmp -s "$old" out.h5 || check "$file: byte $at flipped gives a file that is not whole" cache verify -q out.h5
    done
    (cat $file; echo more) >bad$file
    refused "$file with bytes after its end" $c
done

conclude
