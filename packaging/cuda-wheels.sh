# shellcheck shell=bash
# Provides the CUDA compiler: an installed one, or pinned wheels that are unpacked into one folder. setup.sh sources this
# file after libtorch.sh.
# shellcheck source=packaging/libtorch.sh
: "${packaging:?}"

oldest_nvcc=12

# nvcc_version NVCC: prints the version of a compiler, such as "13.0", or nothing if it does not run.
nvcc_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# Prints the path of an installed nvcc that is new enough, or nothing if there is none.
find_own_nvcc() {
    local nvcc version
    for nvcc in "$(command -v nvcc || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
        [[ -n $nvcc && -x $nvcc ]] || continue
        version=$(nvcc_version "$nvcc")
        if [[ -n $version && ${version%%.*} -ge $oldest_nvcc ]]; then
            echo "$nvcc"
            return
        fi
    done
}

# has_nvcc FOLDER: tests whether the folder holds the unpacked compiler. A folder is renamed to FOLDER only when it is
# complete, so one file per wheel is tested.
has_nvcc() {
    local cuda=$1/nvidia/cu13
    [[ -x $cuda/bin/nvcc && -x $cuda/nvvm/bin/cicc && -f $cuda/include/crt/host_config.h &&
        -d $cuda/include/cccl && -f $cuda/include/cuda_runtime.h ]]
}

# Finds or downloads a compiler, into a folder in which cmake/RopelabCuda.cmake searches.
provide_nvcc() {
    local own arch pins version cache folder
    own=$(find_own_nvcc)
    if [[ -n $own ]]; then
        say "CUDA compiler $(nvcc_version "$own"): $own"
        return
    fi
    arch=$(uname -m)
    pins=$packaging/cuda-wheels-$arch.txt
    version=$(sed -n 's/^nvidia-cuda-nvcc==\([0-9.]*\).*/\1/p' "$pins")
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/ropelab
    folder=$cache/nvcc-$version-$arch
    if ! has_nvcc "$folder"; then
        mkdir -p "$cache"
        exec 9>"$cache/setup.lock"
        flock -n 9 || { say "Waiting for another setup.sh that uses $cache…" && flock 9; }
        has_nvcc "$folder" || fetch_nvcc "$arch" "$pins" "$folder"
        exec 9>&-
    fi
    say "CUDA compiler $version: $folder"
}

# fetch_nvcc ARCH PINS FOLDER: downloads and unpacks the compiler. The caller holds the lock, as for fetch_libtorch.
fetch_nvcc() {
    local arch=$1 pins=$2 folder=$3 partial=$3.partial wheels=$3.wheels wheel
    rm -rf "$partial" "$folder"
    mkdir -p "$partial/tmp" "$wheels"
    # shellcheck disable=SC2064 # the current value is intended
    trap "rm -rf '$partial'" EXIT
    say "Downloading the CUDA compiler for $arch from the Python package index (about 0.1 GB, only once)."
    fetch_wheels "$arch" "$wheels" "$partial/tmp" "$pins"
    rm -rf "$partial/tmp"
    for wheel in "$wheels"/*.whl; do
        unzip -qo "$wheel" -d "$partial" || fail 1 "the wheel '$wheel' could not be unpacked into '$partial'."
    done
    has_nvcc "$partial" ||
        fail 1 "the wheels lack expected files; $pins and packaging/cuda-wheels.sh do not match."
    mv -T "$partial" "$folder"
    trap - EXIT
    rm -rf "$wheels"
}
