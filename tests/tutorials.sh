#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The first example of each page of a stage runs, in an empty folder (of heads: one with the digits' features), and says what the
# page quotes, numbers aside.
set -u
cd "$(dirname "$0")/.." || exit 70
docs=$PWD/docs
work=$(mktemp -d "${TMPDIR:-/tmp}/tutorials.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
block() { awk '/^    [^ ]/ { print substr($0, 5); f = 1; next } f { exit }' "$docs/$1.md"; }
# Numbers, what a page leaves out and the width of columns.
shape() { sed -E 's/<?=?-?[0-9][0-9.]*(e[-+]?[0-9]+)?/#/g; s/ +/ /g'; }

for part in test train; do
    extract-features -q "$DATA/digits/$part-images-idx3-ubyte" --resize 28 -o "$work/$part.h5" || exit 1
done
export KETLINE_STORE=
for page in head sweeps noise circuits weights qrng control sampling sequence; do
    mkdir "$work/$page"
    cd "$work/$page" || exit 1
    ln ../train.h5 ../test.h5 .
    [ $page != weights ] || ln ../head/head.h5 .
    if block $page | grep -q '^\$ '; then block $page | sed -n 's/^\$ //p'; else block $page; fi | sed 's/^python /: /' >commands
    bash -eu commands >said 2>&1 </dev/null || { echo "docs/$page.md: its first example ends with status $?:"; tail -5 said; failed=1; }
    block $page | grep -v -e '^\$ ' -e '\.\.\.' | grep -q . && block $page | grep -q '^\$ ' || continue
    while read -r line; do
        shape <said | grep -qxF -- "$line" || { echo "docs/$page.md: not said: $line"; failed=1; }
    done < <(block $page | grep -v -e '^\$ ' -e '\.\.\.' | shape)
done
exit $failed
