"""make_wheels.py FOLDER ARCH: creates fake wheels with the layout of the real ones and empty files, and the files
libtorch-ARCH.txt and libtorch-cuda-ARCH.txt with their hashes."""

import hashlib
import pathlib
import sys
import zipfile

folder, arch = pathlib.Path(sys.argv[1]), sys.argv[2]
folder.mkdir(parents=True, exist_ok=True)

TORCH = [
    "torch/__init__.py",
    "torch/include/torch/csrc/api/include/torch/version.h",
    "torch/lib/libc10.so",
    "torch/lib/libtorch_cpu.so",
    "torch/lib/libtorch.so",
    "torch/lib/libtorch_python.so",
    "torch/lib/libtorch_global_deps.so",
    "torch/lib/libshm.so",
    "torch/lib/libc10_cuda.so",
    "torch/lib/libtorch_cuda.so",
    "torch/lib/libtorch_cuda_linalg.so",
    "torch/lib/libtorch_nvshmem.so",
    "torch/lib/libcaffe2_nvrtc.so",
]


def make(name, version, tags, files):
    """Creates one wheel and returns its line for a file of pinned wheels."""
    stem = name.replace("-", "_")
    info = f"{stem}-{version}.dist-info"
    wheel = folder / f"{stem}-{version}-{tags}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file)
            entry.external_attr = (0o755 if "/bin/" in file else 0o644) << 16
            archive.writestr(entry, "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tags}\n")
        archive.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"# {name}\n{name}=={version} --hash=sha256:{digest}\n"


pins = make("torch", "2.11.0", f"cp311-cp311-manylinux_2_28_{arch}", TORCH)
pins += make(
    "nvidia-cuda-cupti", "13.0.85", f"py3-none-manylinux_2_25_{arch}",
    ["nvidia/cu13/lib/libcupti.so.13", "nvidia/cu13/lib/libcupti_static.a"],
)
(folder / f"libtorch-{arch}.txt").write_text(pins)
pins = make("nvidia-cudnn-cu13", "9.19.0.56", f"py3-none-manylinux_2_27_{arch}", ["nvidia/cudnn/lib/libcudnn.so.9"])
(folder / f"libtorch-cuda-{arch}.txt").write_text(pins)
