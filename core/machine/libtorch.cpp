#include "core/machine/libtorch.h"

#include <elf.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/base/error.h"
#include "core/data/known_sets.h"
#include "core/machine/pinned_wheels.h"
#include "core/store/output_file.h"

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

/// "2.11" of "2.11.0".
std::string wanted_version() {
    return std::string(libtorch_version().substr(0, libtorch_version().rfind('.')));
}

/// The folder that has lib/libtorch_cpu.so: `folder` or its subfolder torch. Empty if neither has it.
fs::path inner_folder(const fs::path& folder) {
    std::error_code error;
    for (const fs::path& inner : {folder, folder / "torch"}) {
        if (fs::exists(inner / "lib" / "libtorch_cpu.so", error)) return inner;
    }
    return {};
}

bool fits(const std::string& version) {
    return version.empty() || version == wanted_version();
}

void add_python_packages(std::vector<fs::path>& folders, const fs::path& prefix) {
    std::error_code error;
    for (fs::directory_iterator entry(prefix / "lib", error), end; !error && entry != end; entry.increment(error)) {
        if (!entry->path().filename().string().starts_with("python3")) continue;
        for (const char* packages : {"site-packages", "dist-packages"}) folders.push_back(entry->path() / packages);
    }
}

std::vector<fs::path> python_packages() {
    std::vector<fs::path> prefixes = {folder_of("VIRTUAL_ENV"), folder_of("CONDA_PREFIX")};
    if (const fs::path home = folder_of("HOME"); !home.empty()) {
        for (const char* folder : {".local", "miniconda3", "anaconda3"}) prefixes.push_back(home / folder);
        std::error_code error;
        for (fs::directory_iterator entry(home / ".pyenv/versions", error), end; !error && entry != end;
             entry.increment(error)) {
            prefixes.push_back(entry->path());
        }
    }
    for (const char* folder : {"/opt/conda", "/usr/local", "/usr"}) prefixes.emplace_back(folder);
    std::vector<fs::path> folders;
    for (const fs::path& prefix : prefixes) {
        if (prefix.is_absolute()) add_python_packages(folders, prefix);
    }
    return folders;
}

/// $XDG_CONFIG_HOME/ropelab/libtorch or ~/.config/ropelab/libtorch; empty without both variables.
fs::path used_folder_file() {
    const fs::path configuration = folder_of("XDG_CONFIG_HOME");
    const fs::path home = folder_of("HOME");
    if (configuration.is_absolute()) return configuration / "ropelab/libtorch";
    return home.empty() ? home : home / ".config/ropelab/libtorch";
}

/// That of use_libtorch(); empty if there is none.
fs::path used_folder() {
    const fs::path file = used_folder_file();
    std::string folder = file.empty() ? "" : text_of(file);
    while (folder.ends_with('\n')) folder.pop_back();
    return folder;
}

/// Whether the file has all bytes that its ELF headers name. Without them, the dynamic loader ends the program.
bool is_whole_library(const fs::path& file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    std::ifstream stream(file, std::ios::binary);
    Elf64_Ehdr header{};
    stream.read(reinterpret_cast<char*>(&header), sizeof(header));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return true;  // no library, which the loader reports
    if (!stream) return false;
    const auto fits = [size](std::uintmax_t begin, std::uintmax_t bytes) {
        return begin <= size && bytes <= size - begin;
    };
    if (!fits(header.e_shoff, std::uintmax_t{header.e_shnum} * header.e_shentsize)) return false;
    for (int i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part{};
        stream.seekg(static_cast<std::streamoff>(header.e_phoff) + std::streamoff{i} * header.e_phentsize);
        if (!stream.read(reinterpret_cast<char*>(&part), sizeof(part)) || !fits(part.p_offset, part.p_filesz))
            return false;
    }
    return true;
}

/// Its name; "" if all are whole.
std::string incomplete_library(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(folder / "lib", error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.find(".so") != std::string::npos && entry->is_regular_file(error) && !is_whole_library(entry->path()))
            return name;
    }
    return "";
}

void add_fitting(FoundLibTorch& found, const fs::path& place) {
    const fs::path folder = inner_folder(place);
    if (folder.empty()) return;
    const std::string version = minor_version(folder);
    if (const std::string name = incomplete_library(folder); !name.empty()) {
        found.others += "; in the LibTorch in " + folder.string() + ", the end of the library " + name + " is missing";
    } else if (fits(version)) {
        found.fitting.push_back({folder, version});
    } else {
        found.others += "; the LibTorch in " + folder.string() + " has version " + version;
    }
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

LibTorch libtorch_in(const fs::path& folder) {
    const fs::path inner = inner_folder(folder);
    if (inner.empty()) {
        throw BadInput("The folder '" + folder.string() +
                       "' contains no LibTorch; name a folder that has lib/libtorch_cpu.so, or a subfolder torch with "
                       "it.");
    }
    const std::string version = minor_version(inner);
    if (!fits(version)) {
        throw BadInput("The LibTorch in '" + folder.string() + "' has version " + version +
                       ", but the training engine was built with " + std::string(libtorch_version()) +
                       "; only a version " + wanted_version() + " fits.");
    }
    if (const std::string name = incomplete_library(inner); !name.empty()) {
        throw BadInput("In the LibTorch in '" + folder.string() + "', the end of the library " + name +
                       " is missing; install or download this LibTorch again.");
    }
    return {inner, version};
}

LibTorch use_libtorch(const fs::path& folder) {
    const LibTorch found = libtorch_in(fs::absolute(folder));
    const fs::path file = used_folder_file();
    if (file.empty()) {
        throw BadInput(
            "The folder of LibTorch cannot be stored because neither XDG_CONFIG_HOME nor HOME is set; set one of "
            "them.");
    }
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) throw_file_error(file.parent_path().string(), "created", error.value());
    write_output(file, found.folder.string() + "\n");
    return found;
}

void forget_used_libtorch() {
    std::error_code ignored;
    if (const fs::path file = used_folder_file(); !file.empty()) fs::remove(file, ignored);
}

FoundLibTorch find_libtorch() {
    FoundLibTorch found;
    if (const fs::path named = folder_of("ROPELAB_TORCH"); !named.empty()) {
        found.is_chosen = true;
        add_fitting(found, named);
        return found;
    }
    if (const fs::path used = used_folder(); !used.empty()) {
        add_fitting(found, used);
        found.is_chosen = !found.fitting.empty();
        if (inner_folder(used).empty())
            found.others += "; the chosen folder " + used.string() + " contains no LibTorch";
    }
    if (const fs::path downloaded = downloaded_libtorch(); !downloaded.empty()) add_fitting(found, downloaded);
    for (const fs::path& folder : python_packages()) add_fitting(found, folder);
    return found;
}

std::vector<PinnedWheel> parse_pins(std::string_view text) {
    static const std::regex pin("([a-z0-9-]+)==([0-9.]+) --hash=sha256:([0-9a-f]{64}) # ([0-9]+) bytes");
    std::vector<PinnedWheel> wheels;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::smatch part;
        if (std::regex_match(line, part, pin)) wheels.push_back({part[1], part[2], part[3], std::stoll(part[4])});
    }
    return wheels;
}

const std::vector<PinnedWheel>& pinned_wheels() {
    static const std::vector<PinnedWheel> wheels = [] {
        auto pins = parse_pins(embedded::libtorch_pins);
        if (!pins.empty() && pins.front().version != libtorch_version()) pins.clear();
        return pins;
    }();
    return wheels;
}

std::string libtorch_size() {
    std::int64_t bytes = 0;
    for (const PinnedWheel& wheel : pinned_wheels()) bytes += wheel.bytes;
    return std::to_string(bytes / 1000000) + " MB";
}

std::vector<fs::path> engine_paths() {
    std::vector<fs::path> paths;
    if (const char* named = std::getenv("ROPELAB_ENGINE"); named && *named) paths.emplace_back(named);
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error);
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

bool lacks_libtorch() {
    std::error_code error;
    for (const fs::path& engine : engine_paths()) {
        if (!fs::exists(engine, error)) continue;
        return engine.parent_path().filename() == "ropelab" && find_libtorch().fitting.empty();
    }
    return false;
}

std::string missing_libtorch(bool with_ways) {
    const std::string others = find_libtorch().others;
    const std::string start = "Training needs LibTorch " + wanted_version() + ", which is not ";
    if (const fs::path named = folder_of("ROPELAB_TORCH"); !named.empty())
        return start + "in the folder that ROPELAB_TORCH names (" + named.string() + ")" + others + ".";
    return start + "on this computer" + others +
           (!with_ways ? "."
            : pinned_wheels().empty()
                ? "; name its folder on the page Train or with \"ropelab-cli engine use\"."
                : "; the page Train or \"ropelab-cli engine fetch\" downloads it (" + libtorch_size() + ").");
}

}  // namespace ropelab
