# shellcheck shell=bash
# The CUDA compiler: one that is installed, or the pinned wheels, unpacked into one folder; sourced by setup.sh after
# libtorch.sh.
# shellcheck source=packaging/libtorch.sh
: "${packaging:?}"

oldest_nvcc=12

# nvcc_version NVCC: "13.0" of that compiler; nothing where it does not run.
nvcc_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# The nvcc that is installed here, new enough; nothing where there is none.
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

# has_nvcc FOLDER: a folder gets its name only when all of it is there; a look at one file a wheel is enough.
has_nvcc() {
    local cuda=$1/nvidia/cu13
    [[ -x $cuda/bin/nvcc && -x $cuda/nvvm/bin/cicc && -f $cuda/include/crt/host_config.h &&
        -d $cuda/include/cccl && -f $cuda/include/cuda_runtime.h ]]
}

# Where cmake/RopelabCuda.cmake looks for it too.
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
        flock -n 9 || { say "Waiting for another setup that uses $cache…" && flock 9; }
        has_nvcc "$folder" || fetch_nvcc "$arch" "$pins" "$folder"
        exec 9>&-
    fi
    say "CUDA compiler $version: $folder"
}

# fetch_nvcc ARCH PINS FOLDER: under the lock, as fetch_libtorch does.
fetch_nvcc() {
    local arch=$1 pins=$2 folder=$3 partial=$3.partial wheels=$3.wheels wheel
    rm -rf "$partial" "$folder"
    mkdir -p "$partial/tmp" "$wheels"
    # shellcheck disable=SC2064 # the value of now
    trap "rm -rf '$partial'" EXIT
    say "Fetching CUDA's compiler for $arch from the Python package index, about 0.1 GB, once."
    fetch_wheels "$arch" "$wheels" "$partial/tmp" "$pins"
    rm -rf "$partial/tmp"
    for wheel in "$wheels"/*.whl; do
        unzip -qo "$wheel" -d "$partial" || fail 1 "'$wheel' could not be unpacked into '$partial'."
    done
    has_nvcc "$partial" ||
        fail 1 "the wheels lack files that were expected; $pins and packaging/cuda-wheels.sh do not fit each other."
    mv -T "$partial" "$folder"
    trap - EXIT
    rm -rf "$wheels"
}
