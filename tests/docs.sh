#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What README.md, docs/ and the tools' own examples say is there: every command line is parsed by its tool (--print-config is added,
# so that nothing runs), every path is in the tree, every target of make is known, corpora are as large as told, nothing is longer
# than it may be. That the words are true, no test can tell.
set -u
cd "$(dirname "$0")/.." || exit 70
BUILD=$(realpath "${BUILD:-build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/docs.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "$*"; failed=1; }
pages=(README.md docs/*.md tests/cli/README.md)
tools=$(basename -s .c tools/*.c | paste -sd '|')

# Commands, one a line: PAGE:LINE, a tab, the command. Those of blocks, with what a backslash continues; of `code` in the text
# those whose last option has its value, with no NAME for something else.
commands() {
    awk -v tools="$tools" '
    function say(text) { sub(/^[$] /, "", text); gsub(/\\[|]/, "|", text); printf "%s:%d\t%s\n", FILENAME, FNR, text }
    FNR == 1 { fenced = 0; open = "" }
    /^```/ { fenced = !fenced; next }
    open == "" && !fenced && !/^    / {
        n = split($0, code, "`")
        for (i = 2; i <= n; i += 2) if (code[i] ~ "^(" tools ") .*-" && code[i] !~ / (-[^ ]*|[A-Z]+)$/) say(code[i])
        next
    }
    {
        line = open $0
        sub(/^ */, "", line)
        open = sub(/\\$/, "", line) ? line : ""
        if (open == "" && line ~ "^([$] )?((" tools ") [^: ]*[^: -]|(for|cat|head|[A-Z_]+=[^ ]+) .*(" tools ") )") say(line)
    }' "${pages[@]}"
    local tool mode
    for tool in ${tools//|/ }; do
        for mode in '' $("$BUILD/bin/$tool" --help | sed -n 's/^Modes, .*: //p' | tr -d ,); do
            "$BUILD/bin/$tool" $mode --help | sed -n '/^Example/,$p' | sed -n ":a; /\\\\\$/{N; s/\\\\\n//; ta}; s/^  /$tool $mode --help\t/p"
        done
    done
}

# In place of a tool: itself, told to print its options.
mkdir "$work/bin" "$work/here"
touch "$work/here/run.yaml"
ln -s "$PWD/examples" "$work/here/examples"
for tool in ${tools//|/ }; do
    cat >"$work/bin/$tool" <<EOF2
#!/bin/sh
echo "$tool" >>"$work/parsed"
"$BUILD/bin/$tool" "\$@" --print-config 2>&1 >/dev/null | cat >>"$work/said"
EOF2
    chmod +x "$work/bin/$tool"
done
while IFS=$'\t' read -r place line; do
    : >"$work/said"
    (cd "$work/here" && PATH=$work/bin:/usr/bin:/bin timeout 10 bash -c "$line" >/dev/null 2>&1 </dev/null)
    [ ! -s "$work/said" ] || fail "$place: $line: $(cat "$work/said")"
done < <(commands)
parsed=$(wc -l <"$work/parsed")
echo "$parsed commands parsed"
[ "$parsed" -ge 100 ] || fail "only $parsed commands were found: are they written in another way now?"

# Every corpus is named, and its files are as many, all together.
all=0
for target in tests/fuzz/*.c; do
    name=$(basename "$target" .c)
    all=$((all + $(find "$CORPUS/$name" -type f | wc -l)))
    grep -q "\`$name\`" docs/reliability.md || fail "docs/reliability.md does not name the target $name"
done
grep -q "^The corpora, $all files " docs/reliability.md || fail "docs/reliability.md: the corpora have $all files"

for path in $(grep -ohE '(^|[ `(])(docs|tests|pipelines|tools|lib|kernels|data|examples|packaging)/[A-Za-z0-9_./-]*[A-Za-z0-9_/]' "${pages[@]}" | tr -d ' `(' | sort -u); do
    case $path in *NAME*) continue ;; esac
    compgen -G "$path*" >"$work/found" || fail "$path is named in $(grep -lF "$path" "${pages[@]}" | xargs), and is not there"
done
targets=$(sed -n 's/^\.PHONY://p; s/^## make \([a-z-]*\).*/\1/p' Makefile tests/tests.mk packaging/*.mk kernels/cuda/cuda.mk)
for target in $(grep -ohE '(`|^    ([$] )?)make [a-z][a-z-]*' "${pages[@]}" | sed 's/.*make //' | sort -u); do
    case $target in fuzz-*) target=fuzz ;; esac
    grep -qe "\(^\| \)$target\( \|$\)" <<<"$targets" || fail "make $target is named in $(grep -lE "make $target\b" "${pages[@]}" | xargs), and is no target"
done
# What two pages say stands in one, which the other links.
words=$(cat README.md docs/*.md | wc -w)
[ "$words" -le 40000 ] || fail "README.md and docs/ have $words words, expected at most 40000"
[ "$(wc -l <README.md)" -le 110 ] || fail "README.md has $(wc -l <README.md) lines, expected at most 110"
exit $failed
