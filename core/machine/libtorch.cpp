#include "core/machine/libtorch.h"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "core/data/known_sets.h"
#include "core/spec/error.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value ? value : "";
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string first_match(const std::string& text, const char* pattern) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(pattern)) ? found.str(1) : "";
}

/// "2.11" for each patch release of 2.11; empty if it is unknown, as without headers and without torch's Python files.
std::string minor_version(const fs::path& folder) {
    // Since 2.10, a separate header defines the version.
    for (const char* header :
         {"include/torch/headeronly/version.h", "include/torch/csrc/api/include/torch/version.h"}) {
        const std::string text = text_of(folder / header);
        const std::string major = first_match(text, R"(VERSION_MAJOR\s+(\d+))");
        if (!major.empty()) return major + "." + first_match(text, R"(VERSION_MINOR\s+(\d+))");
    }
    return first_match(text_of(folder / "version.py"), R"(__version__ = ['"](\d+\.\d+))");
}

void add_python_packages(std::vector<fs::path>& folders, const fs::path& library) {
    std::error_code error;
    for (fs::directory_iterator entry(library, error), end; !error && entry != end; entry.increment(error)) {
        if (!entry->path().filename().string().starts_with("python3")) continue;
        for (const char* packages : {"site-packages", "dist-packages"}) folders.push_back(entry->path() / packages);
    }
}

std::vector<fs::path> places() {
    if (const fs::path named = folder_of("ROPELAB_TORCH"); !named.empty()) return {named};
    std::vector<fs::path> folders;
    if (const fs::path downloaded = downloaded_libtorch(); !downloaded.empty()) folders.push_back(downloaded);
    for (const fs::path& prefix : {folder_of("VIRTUAL_ENV"), folder_of("CONDA_PREFIX"), folder_of("HOME") / ".local",
                                   fs::path("/usr/local"), fs::path("/usr")}) {
        if (prefix.is_absolute()) add_python_packages(folders, prefix / "lib");
    }
    return folders;
}

}  // namespace

std::string_view libtorch_version() {
    return ROPELAB_LIBTORCH_VERSION;
}

fs::path downloaded_libtorch() {
    utsname system{};
    uname(&system);
    try {
        return cache_folder().parent_path() /
               ("libtorch-" + std::string(libtorch_version()) + "-" + std::string(system.machine));
    } catch (const BadInput&) {
        return {};
    }
}

FoundLibTorch find_libtorch() {
    const std::string wanted(libtorch_version().substr(0, libtorch_version().rfind('.')));
    FoundLibTorch found;
    for (const fs::path& place : places()) {
        for (const fs::path& folder : {place, place / "torch"}) {
            const fs::path library = folder / "lib" / "libtorch_cpu.so";
            std::error_code error;
            if (!fs::exists(library, error)) continue;
            const std::string version = minor_version(folder);
            if (version.empty() || version == wanted) {
                found.libraries.push_back(library);
            } else {
                found.others += "; the one in " + folder.string() + " has version " + version;
            }
        }
    }
    return found;
}

}  // namespace ropelab
