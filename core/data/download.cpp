#include "core/data/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>

namespace ropelab {

PartFile::PartFile(std::filesystem::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) {
        throw FetchFailed("'" + path_.string() + "' cannot be written (" + std::strerror(errno) + ").");
    }
    // Some network file systems do not support locks. There, two simultaneous downloads would damage the file, which
    // the checksum then detects.
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
        if (written <= 0) {
            throw FetchFailed("'" + path_.string() + "' cannot be written (" + std::strerror(errno) + ").");
        }
        bytes += written;
        count -= static_cast<std::size_t>(written);
        size_ += written;
    }
}

void PartFile::clear() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
        throw FetchFailed("'" + path_.string() + "' cannot be emptied (" + std::strerror(errno) + ").");
    }
    size_ = 0;
}

void PartFile::sync() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) {
        throw FetchFailed("'" + path_.string() + "' cannot be written to the disk (" + std::strerror(errno) + ").");
    }
}

namespace {

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

/// The state that the libcurl callbacks of one connection share.
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

// Exceptions must not pass through libcurl's C code. Each callback stores its exception in Transfer::failure;
// connect_once rethrows it.
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

/// Opens one connection and downloads until it ends. If the result is `broken`, `reason` says why the connection broke.
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

/// Waits for `time`. Returns false if cancelled while waiting.
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

}  // namespace ropelab
