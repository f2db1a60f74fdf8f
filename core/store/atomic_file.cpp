#include "core/store/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/spec/error.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
    throw BadInput(path.string() + " cannot be " + what + ": " + std::strerror(error) + ".");
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Owns an open file descriptor.
class Descriptor {
 public:
    Descriptor(const fs::path& path, int flags, const char* what)
        : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
        if (value_ < 0) fail(path, what, errno);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(value_); }
    int value() const { return value_; }

 private:
    int value_;
};

}  // namespace

fs::path temporary_beside(const fs::path& target) {
    static std::atomic<unsigned> count{0};
    return folder_of(target) / ("." + target.filename().string() + "." + std::to_string(::getpid()) + "-" +
                                std::to_string(count.fetch_add(1)) + ".part");
}

void sync(const fs::path& file_or_folder) {
    const Descriptor descriptor(file_or_folder, O_RDONLY, "opened");
    // Some file systems cannot sync a folder and return EINVAL. That is ignored, because there is no alternative.
    if (::fsync(descriptor.value()) != 0 && errno != EINVAL) fail(file_or_folder, "written", errno);
}

void write_file_atomically(const fs::path& target, const std::vector<std::span<const std::byte>>& parts) {
    const fs::path temporary = temporary_beside(target);
    try {
        {
            const Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL, "written");
            for (const auto& part : parts) {
                const std::byte* next = part.data();
                std::size_t left = part.size();
                while (left > 0) {
                    const ssize_t written = ::write(file.value(), next, left);
                    if (written < 0 && errno == EINTR) continue;
                    if (written < 0) fail(target, "written", errno);
                    next += written;
                    left -= static_cast<std::size_t>(written);
                }
            }
            if (::fsync(file.value()) != 0) fail(target, "written", errno);
        }
        if (::rename(temporary.c_str(), target.c_str()) != 0) fail(target, "written", errno);
        sync(folder_of(target));
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
}

void copy_file_synced(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy_file(from, to, error);
    if (error) throw BadInput(from.string() + " cannot be copied to " + to.string() + ": " + error.message() + ".");
    sync(to);
}

}  // namespace ropelab
