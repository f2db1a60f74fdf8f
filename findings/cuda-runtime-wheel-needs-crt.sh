#!/usr/bin/env bash
# The wheels that torch 2.11.0 requires hold the headers of CUDA's runtime, which a C++ compiler cannot read.
#
# cuda_runtime.h of nvidia-cuda-runtime 13.0.96 includes headers of the folder crt, which is in another wheel,
# nvidia-cuda-crt. Neither torch 2.11.0 nor the wheels that it requires ask for that wheel, so a C++ program that includes
# c10/cuda/CUDAStream.h builds against an installed torch only beside a CUDA toolkit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
pip=("$folder/venv/bin/pip" --disable-pip-version-check --quiet)
for wheel in nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88; do
    "${pip[@]}" install --no-deps --target "$folder/${wheel%%=*}" "$wheel"
done
"${pip[@]}" install --upgrade pip
"$folder/venv/bin/pip" --disable-pip-version-check --quiet install --dry-run --ignore-installed --report "$folder/report.json" \
    torch==2.11.0
"$folder/venv/bin/python" - "$folder/report.json" <<'END2'
import json
import sys

wheels = {entry["metadata"]["name"]: entry["metadata"]["version"] for entry in json.load(open(sys.argv[1]))["install"]}
cuda = {name: version for name, version in wheels.items() if name.startswith("nvidia")}
print(f"torch {wheels['torch']} requires {len(cuda)} wheels of NVIDIA, nvidia-cuda-runtime {cuda['nvidia-cuda-runtime']}")
assert cuda["nvidia-cuda-runtime"] == "13.0.96" and "nvidia-cuda-crt" not in cuda, cuda
END2
echo '#include <cuda_runtime.h>' >"$folder/program.cpp"
# compiles INCLUDE…: whether the program compiles with these folders, and without those of a toolkit.
compiles() {
    g++ -nostdinc $(g++ -E -Wp,-v -x c++ /dev/null 2>&1 | awk '/^ \// && !/\/usr\/local\/include/ { print "-isystem", $1 }') \
        "${@/#/-isystem}" -fsyntax-only "$folder/program.cpp" 2>"$folder/errors"
}
runtime=$folder/nvidia-cuda-runtime/nvidia/cu13/include
if compiles "$runtime"; then echo "compiles without nvidia-cuda-crt" && exit 1; fi
grep -o 'crt/[a-z_]*.h: No such file or directory' "$folder/errors"
compiles "$runtime" "$folder/nvidia-cuda-crt/nvidia/cu13/include" && echo "compiles with nvidia-cuda-crt"
