#include "core/data/fetch.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "core/data/unpack.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

enum class CheckResult { right, wrong, cancelled };

/// Fetches one known data set.
class Fetch {
 public:
    Fetch(const KnownSet& set, const FetchOptions& options)
        : set_(set), options_(options), folder_(options.folder.empty() ? cache_folder() : options.folder) {}

    std::optional<Fetched> run() {
        make_folder();
        const fs::path target = folder_ / set_.file;
        std::error_code error;
        if (fs::is_regular_file(target, error)) {
            const CheckResult verdict = check(target, set_.bytes, set_.checksum);
            if (verdict == CheckResult::cancelled) return std::nullopt;
            if (verdict == CheckResult::right) return Fetched{target, true};
        }

        PartFile part(folder_ / (set_.download_name + ".part"));
        if (!download_checked(part)) return std::nullopt;
        if (!set_.zipped) {
            move_into_place(part.path(), target);
        } else {
            if (!unpack_checked(part.path(), target)) return std::nullopt;
            fs::remove(part.path(), error);
        }
        return Fetched{target, false};
    }

 private:
    void make_folder() const {
        std::error_code error;
        fs::create_directories(folder_, error);
        if (error) {
            throw FetchFailed("The folder '" + folder_.string() + "' cannot be created (" + error.message() + ").");
        }
    }

    std::string url() const {
        const char* mirror = std::getenv("ROPELAB_DATA_URL");
        if (mirror == nullptr || *mirror == '\0') return set_.url;
        std::string base = mirror;
        while (base.ends_with('/')) base.pop_back();
        return base + "/" + set_.download_name;
    }

    void report(FetchStep step, std::int64_t done, std::int64_t total) const {
        if (options_.progress) options_.progress({step, done, total});
    }

    bool cancelled() const { return options_.cancelled && options_.cancelled(); }

    CheckResult check(const fs::path& file, std::int64_t bytes, const Checksum& expected) const {
        std::error_code error;
        if (static_cast<std::int64_t>(fs::file_size(file, error)) != bytes) return CheckResult::wrong;
        const auto found = checksum_of_file(file, expected.algorithm, [&](std::int64_t done) {
            report(FetchStep::checking, done, bytes);
            return !cancelled();
        });
        if (!found) return CheckResult::cancelled;
        return *found == expected ? CheckResult::right : CheckResult::wrong;
    }

    /// Downloads the set into `part` and verifies its checksum. Returns false if cancelled.
    bool download_checked(PartFile& part) const {
        DownloadOptions download_options;
        download_options.expected_bytes = set_.download_bytes;
        download_options.attempts = options_.attempts;
        download_options.pause = options_.pause;
        download_options.cancelled = options_.cancelled;
        download_options.progress = [&](std::int64_t done, std::int64_t total) {
            report(FetchStep::downloading, done, total);
        };
        for (;;) {
            const bool resumed = part.size() > 0;
            const bool complete = part.size() == set_.download_bytes;
            if (!complete && !download(url(), part, download_options)) return false;
            switch (check(part.path(), set_.download_bytes, set_.download_checksum)) {
                case CheckResult::right:
                    return true;
                case CheckResult::cancelled:
                    return false;
                case CheckResult::wrong:
                    break;
            }
            part.clear();
            // The resumed part may belong to a different version of the file, so download everything once more.
            if (resumed) continue;
            std::error_code error;
            fs::remove(part.path(), error);
            refuse_checksum(url(), set_.download_checksum);
        }
    }

    /// Unpacks the set from `archive` to `target` and verifies its checksum. Returns false if cancelled.
    bool unpack_checked(const fs::path& archive, const fs::path& target) const {
        const fs::path unpacked = target.string() + ".unpacking";
        const bool done = unpack(archive, set_.file, unpacked, set_.bytes, [&](std::int64_t bytes) {
            report(FetchStep::unpacking, bytes, set_.bytes);
            return !cancelled();
        });
        if (!done) return false;
        const CheckResult verdict = check(unpacked, set_.bytes, set_.checksum);
        if (verdict == CheckResult::right) {
            move_into_place(unpacked, target);
            return true;
        }
        std::error_code error;
        fs::remove(unpacked, error);
        if (verdict == CheckResult::wrong) refuse_checksum(archive.string(), set_.checksum);
        return false;
    }

    [[noreturn]] void refuse_checksum(const std::string& where, const Checksum& expected) const {
        throw FetchFailed("The file from '" + where + "' is not " + set_.title + ": its " +
                          std::string(name_of(expected.algorithm)) + " checksum is not " + expected.hex +
                          "; the file was deleted, so try again or use another mirror (ROPELAB_DATA_URL).");
    }

    void move_into_place(const fs::path& from, const fs::path& to) const {
        std::error_code error;
        fs::rename(from, to, error);
        if (error) throw FetchFailed("'" + to.string() + "' cannot be written (" + error.message() + ").");
    }

    const KnownSet& set_;
    const FetchOptions& options_;
    fs::path folder_;
};

}  // namespace

std::optional<Fetched> fetch(const KnownSet& set, const FetchOptions& options) {
    return Fetch(set, options).run();
}

}  // namespace ropelab
