# shellcheck shell=bash
# Provides LibTorch: the user's own, or the pinned wheel, which is unpacked without installing it. setup.sh sources this
# file after common.sh.
# shellcheck source=packaging/common.sh
: "${packaging:?}"

oldest_libtorch=2.8

# libtorch_version FOLDER: prints the version of the LibTorch whose include/ is in FOLDER, such as "2.11". Newer versions
# define it in a second header.
libtorch_version() {
    local headers=("$1/include/torch/csrc/api/include/torch/version.h" "$1/include/torch/headeronly/version.h")
    cat "${headers[@]}" 2>/dev/null | awk '
        $1 == "#define" && $2 == "TORCH_VERSION_MAJOR" { major = $3 }
        $1 == "#define" && $2 == "TORCH_VERSION_MINOR" { minor = $3 }
        END { if (major != "" && minor != "") print major "." minor }'
}

# libtorch_in FOLDER: prints FOLDER or FOLDER/torch, whichever contains LibTorch's headers, or nothing if neither does.
libtorch_in() {
    local folder
    for folder in "$1" "$1/torch"; do
        if [[ -f $folder/include/torch/csrc/api/include/torch/version.h ]]; then
            echo "$folder"
            return
        fi
    done
}

# Checks the LibTorch that ROPELAB_TORCH or CMAKE_PREFIX_PATH names and prints its folder, or nothing if neither does.
find_own_libtorch() {
    local prefixes prefix found=
    if [[ -n ${ROPELAB_TORCH:-} ]]; then
        found=$(libtorch_in "$ROPELAB_TORCH")
        [[ -n $found ]] || fail 2 "ROPELAB_TORCH is '$ROPELAB_TORCH', which contains no LibTorch; it must be a\
 folder with include/torch and lib/libtorch_cpu.so, or a folder with a subfolder torch that has them."
    else
        IFS=':;' read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}"
        for prefix in "${prefixes[@]}"; do
            [[ -n $prefix && -z $found ]] && found=$(libtorch_in "$prefix")
        done
    fi
    [[ -n $found ]] || return 0

    local version
    version=$(libtorch_version "$found")
    [[ -n $version ]] ||
        fail 2 "the version of the LibTorch in '$found' is unknown; $oldest_libtorch or newer is required."
    [[ $(printf '%s\n' "$oldest_libtorch" "$version" | sort -V | head -n 1) == "$oldest_libtorch" ]] ||
        fail 2 "the LibTorch in '$found' has version $version; $oldest_libtorch or newer is required."
    [[ -f $found/lib/libtorch_cpu.so ]] || fail 2 "the LibTorch in '$found' has no lib/libtorch_cpu.so."
    echo "$found"
}

# use_own_libtorch FOLDER CUDA: reports the user's LibTorch; fails if CUDA is "yes" but its CUDA library is missing.
use_own_libtorch() {
    [[ $2 == no || -f $1/lib/libtorch_cuda.so ]] ||
        fail 2 "--cuda was given, but the LibTorch in '$1' has no lib/libtorch_cuda.so."
    say "LibTorch $(libtorch_version "$1"): $1"
}

# is_complete FOLDER CUDA: tests whether the folder holds an unpacked LibTorch (with CUDA if CUDA is "yes"). A folder is
# renamed to FOLDER only when it is complete, so one file per part is tested.
is_complete() {
    [[ -f $1/torch/lib/libtorch_cpu.so && -f $1/torch/include/torch/csrc/api/include/torch/version.h ]] &&
        compgen -G "$1/nvidia/*/lib/libcupti.so*" >/dev/null &&
        [[ $2 == no || -f $1/torch/lib/libtorch_cuda.so ]] &&
        { [[ $2 == no ]] || compgen -G "$1/nvidia/*/lib/libcudnn.so*" >/dev/null; }
}

# provide_libtorch CUDA: downloads the pinned wheel into the cache folder if it is not there yet.
provide_libtorch() {
    local cuda=$1 arch pins version cache folder
    arch=$(uname -m)
    pins=$packaging/libtorch-$arch.txt
    [[ -f $pins ]] || fail 1 "there is no LibTorch wheel for '$arch', only for x86_64 and aarch64; set ROPELAB_TORCH\
 to the folder of your own LibTorch $oldest_libtorch or newer."
    version=$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' "$pins")
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/ropelab
    folder=$cache/libtorch-$version-$arch
    if ! is_complete "$folder" "$cuda"; then
        mkdir -p "$cache"
        # pip inherits the lock, so a second run also waits for the download of a setup.sh that was killed.
        exec 9>"$cache/setup.lock"
        flock -n 9 || { say "Waiting for another setup.sh that uses $cache…" && flock 9; }
        is_complete "$folder" "$cuda" || fetch_libtorch "$cuda" "$arch" "$folder"
        exec 9>&-
    fi
    say "LibTorch $version ($(is_complete "$folder" yes && echo 'CPU and CUDA' || echo CPU)): $folder"
}

# fetch_libtorch CUDA ARCH FOLDER: downloads and unpacks LibTorch. The caller holds the lock. All work is done in
# FOLDER.partial, which is finally renamed to FOLDER.
fetch_libtorch() {
    local cuda=$1 arch=$2 folder=$3 partial=$3.partial replaced=$3.replaced wheels=$3.wheels
    rm -rf "$partial" "$replaced"
    mkdir -p "$partial/tmp" "$wheels"
    # shellcheck disable=SC2064 # the current value is intended
    trap "rm -rf '$partial'" EXIT

    local pins=("$packaging/libtorch-$arch.txt")
    [[ $cuda == no ]] || pins+=("$packaging/libtorch-cuda-$arch.txt")
    say "Downloading LibTorch for $arch$([[ $cuda == no ]] || echo ' with CUDA') from the Python package index (about\
 $([[ $cuda == no ]] && echo '0.55 GB' || echo '2.5 GB'), only once)."
    fetch_wheels "$arch" "$wheels" "$partial/tmp" "${pins[@]}"

    say "Unpacking…"
    unpack_wheels "$cuda" "$wheels" "$partial" "${pins[@]}" || fail 1 "the wheels could not be unpacked into '$partial'."
    rm -rf "$partial/tmp"
    is_complete "$partial" "$cuda" || fail 1 "the wheels lack expected files; packaging/libtorch-$arch.txt\
 and packaging/libtorch.sh do not match."
    # The old folder is renamed before its removal, because an interrupted removal would leave a folder that looks complete.
    [[ ! -e $folder ]] || mv -T "$folder" "$replaced"
    mv -T "$partial" "$folder"
    trap - EXIT
    rm -rf "$replaced" "$wheels"
}

# Prints the Python that runs pip: python3 on the path if it has pip, else the system's.
python_with_pip() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then
            echo "$python"
            return
        fi
    done
    fail 1 "neither python3 nor /usr/bin/python3 has pip; install the Debian package python3-pip."
}

# fetch_wheels ARCH FOLDER TEMPORARY PINS…: downloads the pinned wheels for CPython 3.11, whatever Python runs pip. It
# downloads one wheel at a time, because pip keeps no wheel of an interrupted set. Existing wheels are only checked.
fetch_wheels() {
    local arch=$1 wheels=$2 temporary=$3 python minor pin
    shift 3
    local platforms=(--platform "manylinux2014_$arch")
    for minor in {17..28}; do
        platforms+=(--platform "manylinux_2_${minor}_$arch")
    done
    python=$(python_with_pip)
    grep -hv '^#' "$@" | while read -r pin; do
        echo "$pin" >"$temporary/pin.txt"
        say "  ${pin%% *}"
        TMPDIR=$temporary PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 "$python" -m pip download --quiet \
            --no-cache-dir --no-deps --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 \
            "${platforms[@]}" --require-hashes --requirement "$temporary/pin.txt" --dest "$wheels" </dev/null ||
            fail 1 "pip could not download ${pin%% *} with the pinned hash; its output is above. Nothing was changed."
    done
}

# unpack_wheels CUDA WHEELS FOLDER PINS…: unpacks the wheels with their layout (torch/include, torch/lib, nvidia/…), but
# without files that only Python needs, static libraries and, for the CPU, libraries that need CUDA.
unpack_wheels() {
    local cuda=$1 wheels=$2 folder=$3 name version
    shift 3
    local unwanted=('torch/lib/libtorch_python*' 'torch/lib/libshm*' 'torch/lib/libtorch_global_deps*'
        'torch/lib/libtorch.so')
    [[ $cuda == yes ]] ||
        unwanted+=('torch/lib/lib*_cuda*' 'torch/lib/libtorch_nvshmem*' 'torch/lib/libcaffe2_nvrtc*')
    while read -r name version; do
        local wheel=("$wheels/${name//-/_}-$version-"*.whl)
        if [[ $name == torch ]]; then
            unzip -qo "${wheel[0]}" 'torch/include/*' 'torch/lib/*' '*.dist-info/*' -x "${unwanted[@]}" -d "$folder"
        else
            unzip -qo "${wheel[0]}" -d "$folder"
        fi || return
    done < <(grep -hv '^#' "$@" | sed 's/==\([^ ]*\).*/ \1/')
    find "$folder/nvidia" -name '*.a' -delete
}
