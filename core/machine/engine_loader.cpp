#include "core/machine/engine_loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "core/machine/libtorch.h"
#include "core/machine/openmp.h"
#include "core/machine/process_memory.h"

namespace ropelab {

namespace {

std::atomic<std::int64_t> before_engine{0};

void* open_library(const std::filesystem::path& file, std::string& problem) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) problem = dlerror();
    return library;
}

/// An engine in a build folder knows the path of its LibTorch. An installed one does not: the dynamic linker then takes
/// the library of this name that is already loaded. Null, with `problem` set, if none fits.
void* open_engine_library(const std::filesystem::path& file, std::string& problem) {
    const FoundLibTorch found = find_libtorch();
    if (!found.is_chosen) {
        if (void* library = open_library(file, problem)) return library;
        if (problem.find("libtorch") == std::string::npos && problem.find("libc10") == std::string::npos)
            return nullptr;
    }
    if (found.fitting.empty()) throw std::runtime_error(missing_libtorch());
    for (const LibTorch& libtorch : found.fitting) {
        if (!open_library(libtorch.folder / "lib" / "libtorch_cpu.so", problem)) continue;
        if (void* library = open_library(file, problem)) return library;
    }
    return nullptr;
}

}  // namespace

std::int64_t memory_before_engine() {
    return before_engine;
}

Engine& open_engine() {
    static std::mutex mutex;
    static Engine* engine = nullptr;
    const std::lock_guard lock(mutex);
    if (engine) return *engine;

    configure_openmp();  // in time, because libgomp is loaded with the engine unless Qt has loaded it before

    before_engine = process_memory().now;
    std::string problem;
    for (const auto& path : engine_paths()) {
        std::error_code error;
        if (!std::filesystem::exists(path, error)) continue;
        void* library = open_engine_library(path, problem);
        if (!library) continue;
        using Opener = Engine* (*)();
        if (const auto opener = reinterpret_cast<Opener>(dlsym(library, "ropelab_engine"))) {
            engine = opener();
            return *engine;
        }
        problem = path.string() + " is not RoPE Lab's engine";
    }
    if (problem.empty()) {
        problem =
            "libropelab_engine.so was not found in the program's ../lib folder; build it with packaging/setup.sh and "
            "cmake, or set ROPELAB_ENGINE to its path";
    }
    throw std::runtime_error("The training engine cannot be loaded: " + problem + ".");
}

}  // namespace ropelab
