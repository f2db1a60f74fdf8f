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

/// The engine is linked to these libraries by name. Loaded before, they are found in every folder.
void load_libtorch(const LibTorch& torch) {
    for (const char* file : {"libc10.so", "libtorch_cpu.so"}) {
        const auto path = torch.folder / "lib" / file;
        if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            throw std::runtime_error("LibTorch cannot be loaded: " + std::string(dlerror()) + ".");
        }
    }
}
}  // namespace

std::vector<std::filesystem::path> engine_paths() {
    std::vector<std::filesystem::path> paths;
    if (const char* named = std::getenv("ROPELAB_ENGINE"); named && *named) paths.emplace_back(named);
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        // In a build folder, tests are in other folders than programs, so the parent folders are searched too.
        for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
            paths.push_back(folder / "lib" / "libropelab_engine.so");
            paths.push_back(folder / "lib" / "ropelab" / "libropelab_engine.so");
            if (folder.filename() == "build") break;
        }
    }
    return paths;
}

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
    const std::optional<LibTorch> torch = find_libtorch();
    if (torch) load_libtorch(*torch);
    std::string problem;
    for (const auto& path : engine_paths()) {
        std::error_code error;
        if (!std::filesystem::exists(path, error)) continue;
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            problem = dlerror();
            // The system may have a LibTorch of its own; only after this try it is known to be missing.
            const bool names_libtorch =
                problem.find("libtorch") != problem.npos || problem.find("libc10") != problem.npos;
            if (!torch && names_libtorch) throw std::runtime_error(missing_libtorch());
            if (torch) problem += " (with LibTorch " + torch->version + " in " + torch->folder.string() + ")";
            continue;
        }
        using Opener = Engine* (*)();
        if (const auto opener = reinterpret_cast<Opener>(dlsym(library, "ropelab_engine"))) {
            engine = opener();
            return *engine;
        }
        problem = path.string() + " is not RoPE Lab's engine";
    }
    if (problem.empty()) problem = "libropelab_engine.so was not found in the program's ../lib folder";
    throw std::runtime_error("The training engine cannot be loaded: " + problem +
                             ". Build it with packaging/setup.sh and cmake, or set ROPELAB_ENGINE to its path.");
}

}  // namespace ropelab
