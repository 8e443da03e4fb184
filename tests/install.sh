#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make install into a folder, and from there: the pages of docs and what they link to; a pipeline, from a folder of the user's; every tool with its manual page, completions and schema; pages that
# mandoc has nothing to say about; the example of examples/ against the installed library, with the numbers that PennyLane 0.45.1 gives; the
# tools find their backbone; start-up within 10 ms; make uninstall leaves nothing.
set -u
cd "$(dirname "$0")/.." || exit 70
: "${BUILD:=build}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0
fail() { echo "$*"; failed=1; }
root=$folder/root usr=$folder/root/usr
make -s install BUILD="$BUILD" DESTDIR="$root" prefix=/usr >"$folder/log" 2>&1 || { tail "$folder/log"; exit 1; }

# A plain `make install` puts completion where zsh looks of itself.
if command -v zsh >/dev/null; then
    place=$(make -n install BUILD="$BUILD" | grep '^install -d' | grep -oE '/usr/local/share/zsh/[a-z_.-]*')
    zsh -fc 'print -l $fpath' | grep -qxF "$place" || fail "zsh does not look where its completion goes: $place"
else echo "left out: zsh is absent"; fi

instrumented=$(nm "$usr/lib/libketline.a" 2>/dev/null | grep -m 1 -oE '__(asan|gcov)_init')

for c in tools/*.c; do
    tool=$(basename "$c" .c)
    for file in bin/$tool share/man/man1/$tool.1 share/bash-completion/completions/$tool share/zsh/site-functions/_$tool \
        share/fish/vendor_completions.d/$tool.fish share/ketline/schema/$tool.json; do
        [ -s "$usr/$file" ] || fail "$file is not there, or is empty"
    done
done
doc=$usr/share/doc/ketline
for page in README.md $(find docs pipelines examples -type f); do
    [ -s "$doc/$page" ] || fail "$page is not installed"
    [ -x "$page" ] && [ ! -x "$doc/$page" ] && fail "$page does not run where it is installed"
    for link in $(grep -ohE '\]\([^)#: ]+[)#]' "$page" | sed 's/..//; s/.$//'); do
        [ -e "$doc/$(dirname "$page")/$link" ] || fail "$page: $link is not installed"
    done
done
find "$doc" | sort >"$folder/before"
mkdir "$folder/user"
(cd "$folder/user" && unset BUILD && PATH=$usr/bin:$PATH make -s -f "$doc/pipelines/demo.mk" EPOCHS=1 REPLICAS=1 EXTRACT="--resize 28 --limit 60") >"$folder/log" 2>&1 ||
    fail "an installed pipeline: $(cat "$folder/log")"
[ -s "$folder/user/out/demo/run.html" ] || fail "an installed pipeline made no page where it was called"
find "$doc" | sort | diff "$folder/before" - || fail "an installed pipeline writes where it is installed"
for page in "$usr"/share/man/man1/*.1; do
    schema=share/ketline/schema/$(basename "$page" .1).json
    [ -s "$usr/$schema" ] || fail "$schema is not there, or is empty"
    command -v mandoc >/dev/null || { echo "left out: mandoc is absent"; break; }
    # What a page refers to is looked for where manual pages of this machine are.
    said=$(mandoc -T lint "$page" | grep -vE 'referenced manual not found|operating system explicitly specified')
    [ -z "$said" ] || fail "$said"
    grep -A 1 '^\.Sh SYNOPSIS' "$page" | grep -q '^\.Nm' || fail "$page: its synopsis is empty"
    wide=$(sed -n '/^\.Sh EXAMPLES/,/^\.Ed/s/\\-/-/gp' "$page" | awk 'length > 75')
    [ -z "$wide" ] || fail "$page: an example is wider than a terminal: $wide"
    for other in $(sed -n 's/^\.Xr \(.*\) \([0-9]\)$/\1.\2/p' "$page"); do
        [ -e "$usr/share/man/man1/$other" ] || fail "$page refers to $other, which is not there"
    done
done
for tool in "$usr"/bin/*; do
    page=$("$tool" --version) || fail "$tool --version: status $?"
    [ "$page" = "$(basename "$tool") (ketline) $(sed -n 's/^Version: //p' "$usr/lib/pkgconfig/ketline.pc")" ] ||
        fail "$tool --version: $page; not what ketline.pc says"
done
"$usr/bin/extract-features" -q data/digits/test-images-idx3-ubyte --resize 28 --limit 4 -o "$folder/f.h5" ||
    fail "an installed extract-features does not work"

# The library, without the tree it came from. Instrumented builds need their own flags to be linked.
if [ -n "$instrumented" ]; then echo "left out: the library is instrumented"; else
    make -s install BUILD="$BUILD" prefix="$folder/local" >"$folder/log" 2>&1 || fail "$(tail "$folder/log")"
    export PKG_CONFIG_PATH=$folder/local/lib/pkgconfig
    cp examples/use-the-library.c "$folder/" && (
        cd "$folder" || exit
        # shellcheck disable=SC2046
        ${CC:-cc} -std=c17 -Wall -Wextra -Werror use-the-library.c $(pkg-config --cflags --libs ketline) -o example
    ) || fail "the example does not compile against the installed library"
    for threads in 1 2; do
        taskset -c "$(taskset -cp $$ | sed 's/.*: //' | sed "$([ $threads = 1 ] && echo 's/[-,].*//')")" "$folder/example" >"$folder/out" ||
            fail "the example: status $?"
        diff "$folder/out" - <<'EXPECTED' || fail "the example's numbers (<) differ from PennyLane's (>)"
sample 0: <Z0> = +0.803410 <Z1> = +0.970299 <Z2> = +0.908484 <Z3> = +0.799396
sample 1: <Z0> = +0.477739 <Z1> = +0.788237 <Z2> = +0.621504 <Z3> = +0.437829
sample 2: <Z0> = +0.131379 <Z1> = +0.422327 <Z2> = +0.217993 <Z3> = +0.091075
d(sum)/dw0 = -0.527474
d(sum)/dw1 = -1.352009
d(sum)/dw2 = -1.388551
d(sum)/dw3 = -1.158803
EXPECTED
    done
fi

# What a start costs the processor: below 10 ms, and where a program that does nothing takes more than 8 with the same libraries, on a
# machine that is slow or has other work, at most 2 more than that. The best of 20, and of more while that is too much.
best() { # ROUNDS COMMAND...: ms
    local rounds=$1 TIMEFORMAT='%3U %3S'
    shift
    for ((i = 0; i < 20 * rounds; i++)); do { time "$@" >/dev/null; } 2>&1; done |
        awk '{ t = 1000 * ($1 + $2) } NR == 1 || t < best { best = t } END { print best }'
}
for tool in "$usr"/bin/*; do
    libraries=$(readelf -d "$tool" | sed -n 's/.*NEEDED.*\[\(.*\)\]/-l:\1/p')
    # shellcheck disable=SC2086
    echo 'int main(void) { return 0; }' | ${CC:-cc} -x c - -o "$folder/nothing" -Wl,--no-as-needed $libraries || fail "$tool: $libraries"
    for rounds in 1 2 4; do
        ms=$(best $rounds "$tool" --version) alone=$(best $rounds "$folder/nothing")
        limit=$((alone > 8 ? alone + 2 : 10))
        [ -z "$instrumented" ] && [ "$ms" -ge "$limit" ] || break
    done
    echo "$(basename "$tool"): starts in $ms ms, its libraries in $alone"
    [ -n "$instrumented" ] || [ "$ms" -lt "$limit" ] || fail "$tool --version takes the processor $ms ms, expected less than $limit"
done

make -s uninstall BUILD="$BUILD" DESTDIR="$root" prefix=/usr >"$folder/log" 2>&1 || fail "$(tail "$folder/log")"
left=$(find "$root" -mindepth 1)
[ -z "$left" ] || fail "make uninstall leaves $left"
exit $failed
