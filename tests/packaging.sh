#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The lists of packages agree: `make deps`, debian/control, the container's recipes, and what the built tools are really
# linked with; versions agree too. PACKAGE=build: the Debian package is built as well, and lintian finds no error.
set -u
cd "$(dirname "$0")/.." || exit 70
: "${BUILD:=build}"
failed=0
fail() { echo "$*"; failed=1; }
words() { tr -s ' ,\\\n\t' '\n' | grep . | sort -u; }
same() { # WHAT A B
    local difference
    difference=$(diff "$2" "$3") || fail "$1: $difference"
}
work=$(mktemp -d "${TMPDIR:-/tmp}/packaging.XXXXXX")
trap 'rm -rf "$work"' EXIT

sed -n '/^DEPS :=/,/[^\\]$/p' Makefile | sed 's/^DEPS :=//' | words | grep -vx build-essential >"$work/deps"
sed -n '/^Build-Depends:/,/^Standards/p' debian/control | grep -v '^Standards' | sed 's/^Build-Depends://; s/([^)]*)//' | words |
    grep -vx debhelper-compat >"$work/control"
same "make deps (<) and Build-Depends (>)" "$work/deps" "$work/control"
sed -n '/^Package: libketline-dev/,/^Description/p' debian/control | sed -n '/^Depends/,/misc/p' | grep -v misc | sed 's/^Depends://' | words |
    cat - <(echo pkg-config) | sort >"$work/dev"
same "make deps (<) and what libketline-dev needs, with pkg-config (>)" "$work/deps" "$work/dev"

runtime() { grep -A 1 'install-recommends \\$' "$1" | tail -1 | words; }
runtime packaging/Dockerfile >"$work/docker"
runtime packaging/ketline.def >"$work/apptainer"
same "Dockerfile (<) and ketline.def (>)" "$work/docker" "$work/apptainer"
for recipe in packaging/Dockerfile packaging/ketline.def; do
    grep -q 'make -C /src deps' $recipe || fail "$recipe does not use make deps"
done
if command -v dpkg >/dev/null && command -v objdump >/dev/null; then
    for library in $(for c in tools/*.c; do objdump -p "$BUILD/bin/$(basename "$c" .c)"; done | awk '$1 == "NEEDED" { print $2 }' | sort -u); do
        path=$(ldconfig -p | awk -v l="$library" '$1 == l { print $NF; exit }')
        [ -n "$path" ] && { dpkg -S "$path" || dpkg -S "$(realpath "$path")" || dpkg -S "${path#/usr}" || dpkg -S "/usr$path"; } 2>/dev/null | head -1 | cut -d: -f 1
    done | sort -u | grep -vE '^(libc6|libasan.*|libubsan.*|libgcc-s1)$' >"$work/linked"
    same "Dockerfile (<) and the packages that the tools are linked with (>)" "$work/docker" "$work/linked"
fi

version=$(sed -n 's/^#define KL_VERSION "\(.*\)"/\1/p' lib/base/base.h)
released=$(sed -n 's/^#define KL_RELEASED "\([^"]*\)".*/\1/p' lib/base/base.h)
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog is not of version $version"
[ "$(date -u -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -1)" '+%B %-d, %Y')" = "$released" ] ||
    fail "debian/changelog is not of $released"
for c in tools/*.c; do
    grep -qwe "$(basename "$c" .c)" debian/control || fail "debian/control does not name $(basename "$c" .c)"
done

if [ "${PACKAGE:-}" = build ]; then
    command -v lintian >/dev/null || { echo "PACKAGE=build: lintian is absent"; exit 1; }
    mkdir "$work/source" && git ls-files -z | xargs -0 cp -a --parents -t "$work/source" || exit 1
    (cd "$work/source" && dpkg-buildpackage -us -uc -b) >"$work/log" 2>&1 || fail "dpkg-buildpackage: $(tail -20 "$work/log")"
    lintian --fail-on error "$work"/*.changes >"$work/lintian" 2>&1 || fail "lintian has errors"
    cat "$work/lintian"
    ls -l "$work"/*.deb
    mkdir "$work/root"
    for deb in "$work"/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
    "$work/root/usr/bin/qtrain" --version || fail "the package's qtrain does not start"
fi
exit $failed
