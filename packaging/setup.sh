#!/usr/bin/env bash
# Installs what is missing to build and run RoPE Lab: Debian packages and LibTorch. See --help.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=packaging/libtorch.sh
source "$packaging/libtorch.sh"
# shellcheck source=packaging/cuda-wheels.sh
source "$packaging/cuda-wheels.sh"

usage() {
    cat <<'END'
Usage: packaging/setup.sh [OPTIONS]
Installs what is missing: Debian packages (as root, or through sudo) and LibTorch. Asks for nothing when all is there.

  --print         only list the Debian packages, one a line
  --all-tests     also what some tests ask and skip without: Slurm, LaTeX, TensorBoard
  --no-packages   leave the system's packages alone
  --cuda          LibTorch with CUDA's libraries, and CUDA's compiler where no nvcc 12 or newer is installed (without
                  this option: where an NVIDIA driver is present)
  --no-cuda       LibTorch for the CPU, even where an NVIDIA driver is present
  --help          this text

ROPELAB_TORCH or CMAKE_PREFIX_PATH may name a LibTorch of your own, 2.8 or newer: a folder that holds include/ and
lib/, or one with such a torch/ below it. Then nothing is fetched. Otherwise LibTorch and the compiler are unpacked
into ${XDG_CACHE_HOME:-~/.cache}/ropelab.
END
}

package_lists=("$packaging/debian-packages.txt")
package_names() { cat "${package_lists[@]}" | sed 's/#.*//' | awk 'NF { print $1 }'; }

# The packages of the list that dpkg does not know as installed.
missing_packages() {
    local installed
    # shellcheck disable=SC2016 # dpkg-query's own variables
    installed=$(package_names | xargs dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
        awk '$1 == "installed" { print $2 }' || true)
    package_names | grep -vxF -f <(printf '%s\n' "$installed") || true
}

install_packages() {
    command -v apt-get >/dev/null ||
        fail 1 "this system has no apt-get: install what packaging/debian-packages.txt lists by this system's own\
 means, then run again with --no-packages."
    local missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0

    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            fail 1 "not root and no sudo here: as root, run 'apt-get install ${missing[*]}', then run this again."
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    "${as_root[@]}" apt-get update ||
        say "The package lists could not be renewed; going on with the ones that are here."
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" ||
        fail 1 "apt-get could not install every package; its own words are above."
}

has_nvidia_driver() {
    command -v nvidia-smi >/dev/null || [[ -e /proc/driver/nvidia/version ]] ||
        grep -q 'libcuda\.so\.1' <<<"$(/sbin/ldconfig -p 2>/dev/null)"
}

# TensorBoard of PyPI in a folder of its own, where tests find it (packaging/test.sh).
provide_tensorboard() {
    local folder
    folder=$(tensorboard_folder)
    ! "$folder/bin/python" -c 'import tensorboard' 2>/dev/null || return 0
    say "Fetching TensorBoard into $folder…"
    { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet tensorboard==2.20.0 'setuptools<81'; } ||
        fail 1 "TensorBoard could not be installed; pip's own words are above."
}

packages=yes
print=no
all_tests=no
cuda=auto
for argument in "$@"; do
    case $argument in
        --print) print=yes ;;
        --all-tests) all_tests=yes && package_lists+=("$packaging/debian-packages-tests.txt") ;;
        --no-packages) packages=no ;;
        --cuda) cuda=yes ;;
        --no-cuda) cuda=no ;;
        --help | -h) usage && exit ;;
        *) fail 2 "unknown option '$argument'; --help lists the options." ;;
    esac
done

[[ $print == no ]] || { package_names && exit; }
# A wrong prefix is said before anything is installed.
own_libtorch=$(find_own_libtorch)
[[ $packages == no ]] || install_packages
if [[ $cuda == auto ]]; then
    cuda=no
    [[ -n $own_libtorch ]] || ! has_nvidia_driver || cuda=yes
fi
if [[ -n $own_libtorch ]]; then
    use_own_libtorch "$own_libtorch" "$cuda"
else
    provide_libtorch "$cuda"
    [[ $cuda == no ]] || provide_nvcc
fi
[[ $all_tests == no ]] || provide_tensorboard
