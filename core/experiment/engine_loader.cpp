#include "core/experiment/engine_loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "core/experiment/openmp.h"
#include "core/experiment/process_memory.h"

namespace ropelab {

namespace {
std::atomic<std::int64_t> before_engine{0};
}

std::vector<std::filesystem::path> engine_paths() {
    std::vector<std::filesystem::path> paths;
    if (const char* named = std::getenv("ROPELAB_ENGINE"); named && *named) paths.emplace_back(named);
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        // A build folder keeps tests elsewhere than programs, so the folders above are asked too.
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

    settle_openmp();  // libgomp comes with the engine, so this is in time where Qt has not brought it before

    before_engine = process_memory().now;
    std::string trouble;
    for (const auto& path : engine_paths()) {
        std::error_code error;
        if (!std::filesystem::exists(path, error)) continue;
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            trouble = dlerror();
            continue;
        }
        using Opener = Engine* (*)();
        if (const auto opener = reinterpret_cast<Opener>(dlsym(library, "ropelab_engine"))) {
            engine = opener();
            return *engine;
        }
        trouble = path.string() + " is not RoPE Lab's engine";
    }
    if (trouble.empty()) trouble = "libropelab_engine.so was not found beside the program";
    throw std::runtime_error("The training engine does not open: " + trouble +
                             ". Build it with packaging/setup.sh and cmake, or name it in ROPELAB_ENGINE.");
}

}  // namespace ropelab
