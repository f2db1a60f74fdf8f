#!/usr/bin/env bash
# install_test.sh CHECKOUT BUILD: installs the build into a staged folder, moves it, and tests that the programs find there
# what they need, and what they are without LibTorch. The desktop file and the metainfo are checked by their own tools,
# without which the test is skipped (status 77) after its other parts.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
build=$2
id=org.ropelab.RopeLab

DESTDIR=$scratch/stage expect 0 '' cmake --install "$build" --prefix /usr
[[ $(ls "$scratch/stage") == usr ]] || wrong 'a staged installation wrote beside its prefix'
prefix=$scratch/moved
mv "$scratch/stage/usr" "$prefix"

for file in bin/ropelab bin/ropelab-cli share/applications/$id.desktop share/metainfo/$id.metainfo.xml \
    share/mime/packages/$id.xml share/icons/hicolor/scalable/apps/$id.svg share/doc/ropelab/docs/install.md \
    share/doc/ropelab/copyright share/ropelab/lectures/labs/three-thetas.ropelab; do
    [[ -s $prefix/$file ]] || wrong "$file is not installed"
done
[[ -z $(find "$prefix" -name '*-shm' -o -name '*-wal' -o -name '*.py' -o -name '*.sh') ]] ||
    wrong 'files are installed that nobody needs'
for library in "$prefix"/lib/ropelab/*.so "$prefix"/bin/*; do
    [[ $(readelf -d "$library" 2>/dev/null) != *"PATH"*"/"* ]] || wrong "$library searches libraries on the build machine"
done

# As another user has it: no HOME, and no way to see the build folder's engine.
as_installed=(env -i "PATH=/usr/bin:/bin" "OMP_NUM_THREADS=1")
program=$prefix/bin/ropelab-cli
expect 0 'Clocks' "${as_installed[@]}" "$program" lecture list
expect 0 'baseline' "${as_installed[@]}" "$program" results --lab "$prefix/share/ropelab/lectures/labs/three-thetas.ropelab"
(cd "$scratch" && expect 0 '' "${as_installed[@]}" "$program" figure spectrum --output spectrum.png)
[[ -s $scratch/spectrum.png ]] || wrong 'the installed program drew no figure'
expect 0 '' "${as_installed[@]}" "$prefix/bin/ropelab" --room results --screenshot "$scratch/results.png"
if [[ -f $prefix/lib/ropelab/libropelab_engine.so ]]; then
    expect 0 'is not in the folder that ROPELAB_TORCH names' "${as_installed[@]}" "ROPELAB_TORCH=$scratch" "$program" doctor
    libtorch=$(sed -n 's/^LibTorch_PREFIX:PATH=//p' "$build/CMakeCache.txt")
    expect 0 'engine     LibTorch' "${as_installed[@]}" "ROPELAB_TORCH=$libtorch" "$program" doctor
fi

version=$(sed -n 's/^project(ropelab VERSION \([0-9.]*\).*/\1/p' "$checkout/CMakeLists.txt")
for file in "$checkout/CHANGELOG.md" "$prefix/share/metainfo/$id.metainfo.xml"; do
    grep -qF "$version" "$file" || wrong "$file has no notes of version $version"
done
for file in "$prefix"/share/applications/*.desktop "$prefix"/share/metainfo/*.xml; do
    grep -q "$id" "$file" || wrong "$file has another id"
done

missing=()
for tool in desktop-file-validate appstreamcli; do command -v $tool >/dev/null || missing+=("$tool"); done
if ((${#missing[@]})); then
    echo "skipped in part: ${missing[*]} missing; install desktop-file-utils and appstream for this test."
    exit 77
fi
# Later versions of AppStream miss a web address, which only a distributor can name; earlier ones do not know this remark.
validate() {
    appstreamcli validate --no-net "$1" || appstreamcli validate --no-net --override url-homepage-missing=info "$1"
}
expect 0 '' desktop-file-validate "$prefix/share/applications/$id.desktop"
[[ ! -s $scratch/said ]] || wrong 'desktop-file-validate has remarks'
expect 0 'Validation was successful' validate "$prefix/share/metainfo/$id.metainfo.xml"
# With the web address that a distributor names, the metainfo has pictures.
sed 's,@ROPELAB_URL@,https://example.org/ropelab,' "$checkout/resources/desktop/$id.metainfo.xml.in" \
    >"$scratch/$id.metainfo.xml"
expect 0 'Validation was successful' validate "$scratch/$id.metainfo.xml"
