#!/usr/bin/env bash
# Builds RoPE Lab and makes its packages, without LibTorch. --help describes the options.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    cat <<'END'
Usage: packaging/package.sh [OPTIONS]
Builds RoPE Lab and makes, in build/release/packages:

  ropelab_VERSION_ARCHITECTURE.deb         for this version of Debian
  ropelab-VERSION-linux-MACHINE.tar.xz     a folder with Qt and the other libraries, which runs from any place
  SHA256SUMS                               their checksums

Neither contains LibTorch, which the programs search when they train.

  --no-setup     do not install what is missing to build
  --no-build     package what is in build/release
  --sign[=KEY]   sign SHA256SUMS with gpg, with your default key or KEY
  --help         print this text
END
}

setup=yes
compile=yes
sign=()
for argument in "$@"; do
    case $argument in
        --no-setup) setup=no ;;
        --no-build) setup=no && compile=no ;;
        --sign) sign=(gpg) ;;
        --sign=?*) sign=(gpg --local-user "${argument#--sign=}") ;;
        --help | -h) usage && exit ;;
        *) fail 2 "unknown option '$argument'; --help lists the options." ;;
    esac
done
((${#sign[@]} == 0)) || command -v gpg >/dev/null || fail 2 "gpg, which signs, is missing; install the package gnupg."
[[ $setup == no ]] || "$packaging/setup.sh"
[[ $compile == no ]] || build release "ropelab ropelab-cli ropelab_engine"

built=$root/build/release
packages=$built/packages
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$built/CMakeCache.txt")
[[ -n $version ]] || fail 2 "'$built' is not a configured build folder; run this script without --no-build."
# Archives of the same build are equal byte by byte.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
rm -rf "$packages"
mkdir -p "$packages"

(cd "$built" && cpack -G DEB --config CPackConfig.cmake)
rm -rf "$packages/_CPack_Packages"

# closure FILE…: prints the libraries that the files need and that are not part of every system: all but glibc's and GCC's,
# which must not be older than the system's, and LibTorch's.
closure() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|ropelab_[^/]*|torch[^/]*|c10|cudart|cupti))\.so[^/]*$'
}

name=ropelab-$version-linux-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
prefix=$stage/$name
cmake --install "$built" --prefix "$prefix" --strip >/dev/null
libraries=$prefix/lib/ropelab/bundled
plugins=$prefix/lib/ropelab/plugins
mkdir -p "$libraries" "$plugins"

# Plugins that Qt opens by name. Those of OpenGL and of GTK are left out, because RoPE Lab does not use them; of Wayland,
# because XWayland serves X11's; of sound, because they need FFmpeg or GStreamer.
qt_plugins=$(qmake6 -query QT_INSTALL_PLUGINS)
for plugin in platforms/libq{xcb,offscreen} platforminputcontexts/lib{compose,ibus}platforminputcontextplugin \
    iconengines/libqsvgicon imageformats/libq{svg,jpeg,gif} printsupport/libcupsprintersupport; do
    plugin+=.so
    install -D -m 644 "$qt_plugins/$plugin" "$plugins/$plugin"
done
printf '[Paths]\nPrefix = ..\nPlugins = lib/ropelab/plugins\n' >"$prefix/bin/qt.conf"

mapfile -t needed < <(closure "$prefix"/bin/ropelab{,-cli} "$plugins"/*/*.so)
cp --dereference "${needed[@]}" "$libraries"
chmod 644 "$libraries"/*
patchelf --set-rpath "\$ORIGIN/../lib/ropelab/bundled" "$prefix"/bin/ropelab{,-cli}
patchelf --set-rpath "\$ORIGIN" "$libraries"/*
patchelf --set-rpath "\$ORIGIN/../../bundled" "$plugins"/*/*.so

# The licenses of the bundled libraries.
mkdir -p "$prefix/share/doc/ropelab/licenses"
for library in "${needed[@]}" "$qt_plugins/platforms/libqxcb.so"; do
    { dpkg -S "$library" || dpkg -S "$(realpath "$library")"; } 2>/dev/null | sed 's/[:,].*//'
done | sort -u | while read -r package; do
    cp --dereference "/usr/share/doc/$package/copyright" "$prefix/share/doc/ropelab/licenses/$package"
done

tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$stage" -c "$name" |
    xz -T0 -9 >"$packages/$name.tar.xz"
cd "$packages"
sha256sum -- *.deb *.tar.xz >SHA256SUMS
((${#sign[@]} == 0)) || "${sign[@]}" --yes --armor --detach-sign SHA256SUMS
say "Made in $packages:"
du -h -- * >&2
