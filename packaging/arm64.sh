#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packaging/arm64.sh FOLDER PACKAGE...: Debian's arm64 packages, and what they need, unpacked into FOLDER/sys as a system to compile
# and link against; nothing of this machine's own packages changes. Those that are there are not fetched again.
set -euo pipefail
folder=$(realpath -m "$1") && shift
lib=$folder/sys/usr/lib/aarch64-linux-gnu
[ -e "$lib/pkgconfig/hdf5.pc" ] && [ "$*" = "$(cat "$folder/packages" 2>/dev/null)" ] && exit 0
rm -rf "$folder/sys"
mkdir -p "$folder"/apt/{lists/partial,archives/partial} "$folder/sys"
: >"$folder/apt/status"
. /etc/os-release
# The mirror is the machine's own.
mirror=$(apt-cache policy | sed -n 's/.* \(https\?:[^ ]*\) [^ ]*\/main amd64 .*/\1/p' | grep -v security | head -n 1 || true)
[ -n "$mirror" ] || { echo "packaging/arm64.sh: no archive of Debian for amd64 among this machine's sources (apt-cache policy)"; exit 1; }
echo "deb [arch=arm64] $mirror $VERSION_CODENAME main" >"$folder/apt/sources.list"
cat >"$folder/apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
Dir::State "$folder/apt";
Dir::State::lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "";
CONF
export APT_CONFIG=$folder/apt/apt.conf
apt-get update -qq
apt-get install -qq -y --download-only "$@" >/dev/null
for deb in "$folder"/apt/archives/*.deb; do
    case ${deb##*/} in lib* | zlib* | linux-libc-dev* | x11proto* | xorg* | uuid-dev*) dpkg -x "$deb" "$folder/sys" ;; esac
done
# Links from the root are of this system, and so are those that Debian's alternatives would have made.
find "$folder/sys" -lname '/*' -printf '%p %l\n' | while read -r link to; do
    if [ -e "$folder/sys$to" ]; then ln -sfr "$folder/sys$to" "$link"; fi
done
ln -sf hdf5-serial.pc "$lib/pkgconfig/hdf5.pc"
for name in libopenblas.so.0 libblas.so.3 liblapack.so.3; do
    found=$(find "$lib" -mindepth 2 -name "$name" | head -n 1)
    [ -z "$found" ] || ln -sfr "$found" "$lib/$name"
done
rm -rf "$folder/apt"
echo "$*" >"$folder/packages"
