#include "core/data/download.h"

#include <archive.h>
#include <archive_entry.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace ropelab {

PartFile::PartFile(std::filesystem::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail("written");
    // Some network file systems have no locks. Two downloads then damage the file, which the checksum detects.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor_);
        throw FetchFailed("Another program is downloading '" + path_.string() +
                          "' at the moment; wait until it has finished.");
    }
    size_ = ::lseek(descriptor_, 0, SEEK_END);
}

PartFile::~PartFile() {
    ::close(descriptor_);
}

void PartFile::append(const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(descriptor_, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("written");
        bytes += written;
        count -= static_cast<std::size_t>(written);
        size_ += written;
    }
}

void PartFile::clear() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail("emptied");
    size_ = 0;
}

void PartFile::sync() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("written to the disk");
}

void PartFile::fail(const char* what) const {
    throw FetchFailed("'" + path_.string() + "' cannot be " + what + " (" + std::strerror(errno) + ").");
}

namespace {

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

struct Transfer {
    CURL* curl;
    PartFile& part;
    const DownloadOptions& options;
    std::int64_t offset = 0;        // byte offset that this connection requested
    std::int64_t range_start = -1;  // byte offset in the server's Content-Range header; -1 without one
    bool started = false;
    std::exception_ptr failure{};

    std::int64_t total() const {
        curl_off_t length = -1;
        curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        return length < 0 ? options.expected_bytes : start() + length;
    }
    std::int64_t start() const { return status() == 206 ? offset : 0; }
    long status() const {
        long code = 0;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
        return code;
    }
    bool cancelled() const { return options.cancelled && options.cancelled(); }

    void begin() {
        started = true;
        if (status() == 206 && range_start >= 0 && range_start != offset) {
            throw FetchFailed("The server sends a different part of the file than requested; delete '" +
                              part.path().string() + "' and try again.");
        }
        if (status() != 206) part.clear();
        if (options.expected_bytes > 0 && total() != options.expected_bytes) refuse_size(total());
    }

    void take(const char* bytes, std::size_t count) {
        if (!started) begin();
        part.append(bytes, count);
        if (options.expected_bytes > 0 && part.size() > options.expected_bytes) refuse_size(part.size());
        if (options.progress) options.progress(part.size(), total());
    }

    [[noreturn]] void refuse_size(std::int64_t bytes) const {
        part.clear();
        throw FetchFailed("The server's file has " + std::to_string(bytes) + " bytes or more instead of " +
                          std::to_string(options.expected_bytes) + "; it is a different file.");
    }
};

// Exceptions must not pass through libcurl's C code: callbacks store them, and connect_once rethrows.
std::size_t on_data(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    try {
        transfer.take(bytes, size * count);
        return size * count;
    } catch (...) {
        transfer.failure = std::current_exception();
        return CURL_WRITEFUNC_ERROR;
    }
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    constexpr std::string_view wanted = "content-range: bytes ";
    const std::string_view line(bytes, size * count);
    if (line.starts_with("HTTP/")) transfer.range_start = -1;  // a new response, after a redirect
    if (line.size() > wanted.size() && curl_strnequal(line.data(), wanted.data(), wanted.size())) {
        std::from_chars(line.data() + wanted.size(), line.data() + line.size(), transfer.range_start);
    }
    return size * count;
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(user);
    try {
        return transfer.cancelled() ? 1 : 0;
    } catch (...) {
        transfer.failure = std::current_exception();
        return 1;
    }
}

Curl new_handle() {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    Curl curl(ready == CURLE_OK ? curl_easy_init() : nullptr, &curl_easy_cleanup);
    if (curl == nullptr) throw FetchFailed("libcurl cannot be started on this machine.");
    return curl;
}

bool worth_another_try(CURLcode code, long status) {
    switch (code) {
        case CURLE_PARTIAL_FILE:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_ERROR:
        case CURLE_GOT_NOTHING:
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_COULDNT_CONNECT:
        case CURLE_HTTP2_STREAM:
            return true;
        case CURLE_HTTP_RETURNED_ERROR:
            return status >= 500 || status == 429;
        default:
            return false;
    }
}

enum class Outcome { complete, cancelled, broken };

/// Downloads until the connection ends; `reason` says why a `broken` one broke.
Outcome connect_once(const std::string& url, PartFile& part, const DownloadOptions& options, std::string& reason) {
    const Curl curl = new_handle();
    Transfer transfer{curl.get(), part, options};
    transfer.offset = part.size();
    std::array<char, CURL_ERROR_SIZE> message{};
    const std::string range = std::to_string(part.size()) + "-";
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "ropelab");
    set(CURLOPT_CONNECTTIMEOUT, 30L);
    // A connection that transfers nothing for one minute counts as broken.
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, 60L);
    if (part.size() > 0) set(CURLOPT_RANGE, range.c_str());
    set(CURLOPT_ERRORBUFFER, message.data());
    set(CURLOPT_WRITEFUNCTION, &on_data);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, &transfer);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(CURLOPT_XFERINFODATA, &transfer);

    const CURLcode code = curl_easy_perform(curl.get());
    const long status = transfer.status();
    if (transfer.failure) std::rethrow_exception(transfer.failure);
    if (code == CURLE_ABORTED_BY_CALLBACK) return Outcome::cancelled;
    if (code == CURLE_OK) {
        if (!transfer.started) transfer.begin();  // the file is empty
        return Outcome::complete;
    }
    // 416 (Range Not Satisfiable) means that the file was already complete. The caller checks its checksum.
    if (status == 416 && part.size() > 0) return Outcome::complete;

    reason = status >= 400        ? "the server answers " + std::to_string(status)
             : message[0] != '\0' ? std::string(message.data())
                                  : std::string(curl_easy_strerror(code));
    if (worth_another_try(code, status)) return Outcome::broken;
    throw FetchFailed("'" + url + "' cannot be downloaded: " + reason + ".");
}

/// False if cancelled while waiting.
bool wait(std::chrono::milliseconds time, const DownloadOptions& options) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        if (options.cancelled && options.cancelled()) return false;
        std::this_thread::sleep_for(std::min(time, std::chrono::milliseconds(50)));
    }
    return true;
}

}  // namespace

bool download(const std::string& url, PartFile& part, const DownloadOptions& options) {
    std::string reason;
    for (int attempt = 1;; ++attempt) {
        switch (connect_once(url, part, options, reason)) {
            case Outcome::complete:
                part.sync();
                return true;
            case Outcome::cancelled:
                return false;
            case Outcome::broken:
                break;
        }
        if (attempt >= options.attempts) {
            const std::string resumable = part.size() > 0 ? "; the next attempt resumes after the " +
                                                                std::to_string(part.size()) + " bytes received so far"
                                                          : "";
            throw FetchFailed("'" + url + "' cannot be downloaded: " + reason + resumable + ".");
        }
        if (!wait(options.pause * attempt, options)) return false;
    }
}

namespace fs = std::filesystem;

namespace {

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
    throw FetchFailed("'" + file.string() + "' cannot be unpacked: " + why + ".");
}

std::string reason_of(archive* reader) {
    const char* text = archive_error_string(reader);
    return text == nullptr ? "it is damaged" : text;
}

Archive open_archive(const fs::path& file) {
    Archive reader(archive_read_new(), &archive_read_free);
    if (reader == nullptr) throw std::bad_alloc();
    archive_read_support_format_zip(reader.get());
    constexpr std::size_t block = 1 << 16;
    if (archive_read_open_filename(reader.get(), file.c_str(), block) != ARCHIVE_OK) {
        refuse(file, reason_of(reader.get()));
    }
    return reader;
}

void go_to_entry(archive* reader, const fs::path& file, const std::string& entry) {
    for (;;) {
        archive_entry* header = nullptr;
        const int result = archive_read_next_header(reader, &header);
        if (result == ARCHIVE_EOF) refuse(file, "it contains no '" + entry + "'");
        if (result < ARCHIVE_WARN) refuse(file, reason_of(reader));
        const char* name = archive_entry_pathname(header);
        if (name != nullptr && fs::path(name).filename() == entry) return;
    }
}

bool copy_entry(archive* reader, const fs::path& file, const fs::path& target, std::int64_t expected_bytes,
                const std::function<bool(std::int64_t)>& step) {
    PartFile out(target);
    out.clear();
    std::vector<char> piece(1 << 20);
    for (;;) {
        const la_ssize_t count = archive_read_data(reader, piece.data(), piece.size());
        if (count < 0) refuse(file, reason_of(reader));
        if (count == 0) break;
        out.append(piece.data(), static_cast<std::size_t>(count));
        if (out.size() > expected_bytes) {
            refuse(file, "it contains more than the expected " + std::to_string(expected_bytes) + " bytes");
        }
        if (step && !step(out.size())) return false;
    }
    out.sync();
    return true;
}

}  // namespace

bool unpack(const fs::path& archive, const std::string& entry, const fs::path& target, std::int64_t expected_bytes,
            const std::function<bool(std::int64_t)>& step) {
    const Archive reader = open_archive(archive);
    go_to_entry(reader.get(), archive, entry);
    std::error_code ignored;
    try {
        if (copy_entry(reader.get(), archive, target, expected_bytes, step)) return true;
    } catch (...) {
        fs::remove(target, ignored);
        throw;
    }
    fs::remove(target, ignored);
    return false;
}

bool unpack_files(const fs::path& archive, const fs::path& folder,
                  const std::function<bool(const std::string&)>& is_wanted,
                  const std::function<bool(std::int64_t)>& step) {
    const Archive reader = open_archive(archive);
    const std::unique_ptr<::archive, decltype(&archive_write_free)> disk(archive_write_disk_new(), &archive_write_free);
    archive_write_disk_set_options(disk.get(), ARCHIVE_EXTRACT_SECURE_NODOTDOT);
    const auto require = [&archive](int result, ::archive* where) {
        if (result < ARCHIVE_WARN) refuse(archive, reason_of(where));
    };
    for (;;) {
        archive_entry* entry = nullptr;
        const int next = archive_read_next_header(reader.get(), &entry);
        if (next == ARCHIVE_EOF) return true;
        require(next, reader.get());
        const char* name = archive_entry_pathname(entry);
        if (name == nullptr || !is_wanted(name)) continue;
        const fs::path inside = fs::path(name).lexically_normal();
        if (inside.is_absolute() || *inside.begin() == "..")
            refuse(archive, "one of its files would lie outside of the target folder");
        archive_entry_set_pathname(entry, (folder / inside).c_str());
        require(archive_write_header(disk.get(), entry), disk.get());
        for (;;) {
            const void* bytes = nullptr;
            std::size_t count = 0;
            la_int64_t offset = 0;
            const int block = archive_read_data_block(reader.get(), &bytes, &count, &offset);
            if (block == ARCHIVE_EOF) break;
            require(block, reader.get());
            require(static_cast<int>(archive_write_data_block(disk.get(), bytes, count, offset)), disk.get());
            if (!step(archive_filter_bytes(reader.get(), -1))) return false;
        }
        require(archive_write_finish_entry(disk.get()), disk.get());
    }
}

std::string resolved_url(const std::string& base, const std::string& link) {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
    char* whole = nullptr;
    if (curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK ||
        curl_url_set(url.get(), CURLUPART_URL, link.c_str(), 0) != CURLUE_OK ||
        curl_url_get(url.get(), CURLUPART_URL, &whole, 0) != CURLUE_OK) {
        throw FetchFailed("'" + link + "' on the page '" + base + "' is not a link to a file.");
    }
    const std::string result = whole;
    curl_free(whole);
    return result;
}

namespace {

enum class CheckResult { right, wrong, cancelled };

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
        if (mirror == nullptr || *mirror == '\0' || !options_.mirrored) return set_.url;
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

    /// Also verifies the checksum. Returns false if cancelled.
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

    /// Also verifies the checksum. Returns false if cancelled.
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
                          "; the file was deleted, so try again" +
                          (options_.mirrored ? " or use another mirror (ROPELAB_DATA_URL)." : "."));
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

std::string_view word_of(FetchStep step) {
    constexpr std::string_view words[] = {"downloading", "checking", "unpacking"};
    return words[static_cast<int>(step)];
}

std::optional<Fetched> fetch(const KnownSet& set, const FetchOptions& options) {
    return Fetch(set, options).run();
}

}  // namespace ropelab
