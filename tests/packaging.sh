#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The lists of packages agree: `make deps`, debian/control, the container's recipes, and what the built tools are really
# linked with; versions agree too. PACKAGE=build: the Debian package is built as well, and lintian finds no error.
# PACKAGE=image: docker or podman, and apptainer, those that are here, build the last commit and run it (needs a network).
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
        path=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk -v l="$library" '$1 == l { print $NF; exit }')
        [ -n "$path" ] && { dpkg -S "$path" || dpkg -S "$(realpath "$path")" || dpkg -S "${path#/usr}" || dpkg -S "/usr$path"; } 2>/dev/null | head -1 | cut -d: -f 1
    done | cat - <(grep -rqs '"libopenblas.so.0"' lib && echo libopenblas0) | # which is loaded when asked for
        sort -u | grep -vE '^(libc6|libasan.*|libubsan.*|libgcc-s1)$' >"$work/linked"
    same "Dockerfile (<) and the packages that the tools are linked with (>)" "$work/docker" "$work/linked"
fi

version=$(sed -n 's/^#define KL_VERSION "\(.*\)"/\1/p' lib/base/base.h)
released=$(sed -n 's/^#define KL_RELEASED "\([^"]*\)".*/\1/p' lib/base/base.h)
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog is not of version $version"
grep -q "set version = \"$version\"" packaging/conda/meta.yaml || fail "packaging/conda/meta.yaml is not of version $version"
grep -q "^$version (" CHANGES || fail "CHANGES does not have $version"
[ "$(date -u -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -1)" '+%B %-d, %Y')" = "$released" ] ||
    fail "debian/changelog is not of $released"
for c in tools/*.c; do
    grep -qwe "$(basename "$c" .c)" debian/control || fail "debian/control does not name $(basename "$c" .c)"
done

if [ "${PACKAGE:-}" = build ]; then
    command -v lintian >/dev/null || { echo "PACKAGE=build: lintian is absent"; exit 1; }
    make -s dist BUILD="$work" && tar -xf "$work/ketline-$version.tar.gz" -C "$work" || exit 1
    (cd "$work/ketline-$version" && dpkg-buildpackage -us -uc -b) >"$work/log" 2>&1 || fail "dpkg-buildpackage: $(tail -20 "$work/log")"
    lintian --fail-on error "$work"/*.changes >"$work/lintian" 2>&1 || fail "lintian has errors"
    cat "$work/lintian"
    ls -l "$work"/*.deb
    mkdir "$work/root"
    for deb in "$work"/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
    "$work/root/usr/bin/qtrain" --version || fail "the package's qtrain does not start"
fi

# With what a user gives: somebody without a name, a root that cannot be written, no network; figures, for they need fonts. No
# word on either stream.
job='extract-features -q digits/test-images-idx3-ubyte --resize 28 -o f.h5 && qtrain -q f.h5 --epochs 2 -o h.h5 && figures -q h.h5 -o figures'
if [ "${PACKAGE:-}" = image ]; then
    git clone -q . "$work/clone" && mkdir -m 777 "$work/docker-data" "$work/apptainer-data" || exit 1
    for data in "$work"/*-data; do cp -r data/digits "$data/"; done
    engine=$(command -v docker podman | head -1) box=ketline-test-$$
    if [ -z "$engine" ]; then echo "left out: neither docker nor podman is here"
    elif ! (cd "$work/clone" && "$engine" build -t $box -f packaging/Dockerfile .) >"$work/log" 2>&1; then fail "$engine build: $(tail -20 "$work/log")"
    else
        "$engine" images $box
        run() { "$engine" run -v "$work/docker-data:/work" --network none --user 1234:1234 --read-only "$@"; }
        said=$(run --rm $box sh -c "$job && stat -c %u *.h5 && ls -A && rm -r figures" 2>&1)
        [ "$said" = $'1234\n1234\ndigits\nf.h5\nfigures\nh.h5' ] || fail "$engine run: $said"
        # Process 1 has no default for a signal.
        run -d --name $box $box sh -c 'exec qtrain -q f.h5 --epochs 1000000 -o long.h5' >/dev/null && sleep 3
        "$engine" stop -t 20 $box >/dev/null && status=$("$engine" inspect -f '{{.State.ExitCode}}' $box)
        [ "$status" = 143 ] || fail "$engine stop: status $status"
        "$engine" rm -f $box >/dev/null && "$engine" rmi $box >/dev/null
    fi
    if ! command -v apptainer >/dev/null; then echo "left out: apptainer is absent"
    elif ! (cd "$work/clone" && apptainer build "$work/ketline.sif" packaging/ketline.def) >"$work/log" 2>&1; then
        fail "apptainer build: $(tail -20 "$work/log")"
    else
        ls -l "$work/ketline.sif"
        said=$(apptainer -q exec --containall --no-home -B "$work/apptainer-data:/work" --pwd /work "$work/ketline.sif" sh -c "$job && ls -A" 2>&1)
        [ "$said" = $'digits\nf.h5\nfigures\nh.h5' ] || fail "apptainer exec: $said"
    fi
fi
exit $failed
