#include "core/store/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "core/base/error.h"
#include "core/store/process_mark.h"

namespace ropelab {

namespace {
namespace fs = std::filesystem;
}

void throw_file_error(const std::string& name, const char* what, int error) {
    static const std::set<int> wrong_path = {EACCES, EBUSY,  EEXIST,  EINVAL,    EISDIR, ELOOP, ENAMETOOLONG,
                                             ENODEV, ENOENT, ENOTDIR, ENOTEMPTY, ENXIO,  EPERM, EROFS};
    const std::string sentence = name + " cannot be " + what + ": " + std::strerror(error) + ".";
    if (wrong_path.contains(error)) throw BadInput(sentence);
    throw WriteError(sentence);
}

namespace {

constexpr std::string_view temporary_start = ".ropelab-";
constexpr std::string_view temporary_end = ".part";

// Once per folder: what programs left there that were killed. Programs of other machines may be alive.
void remove_abandoned(const fs::path& folder) {
    static std::mutex mutex;
    static std::set<fs::path> done;
    std::error_code error;
    if (const std::lock_guard lock(mutex); !done.insert(fs::absolute(folder, error)).second) return;
    const std::string own = std::string(temporary_start) + host_name() + "-";
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(own) || name.find(temporary_end) == std::string::npos) continue;
        pid_t process = 0;
        std::from_chars(name.data() + own.size(), name.data() + name.size(), process);
        std::error_code ignored;
        if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(entry->path(), ignored);
    }
}

}  // namespace

fs::path temporary_beside(const fs::path& target) {
    static std::atomic<unsigned> count{0};
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    remove_abandoned(folder);
    // Without the name of the target, which may be as long as a name can be.
    return folder / (std::string(temporary_start) + host_name() + "-" + std::to_string(::getpid()) + "-" +
                     std::to_string(count.fetch_add(1)) + std::string(temporary_end));
}

void sync(const fs::path& file_or_folder) {
    const int descriptor = ::open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw_file_error(file_or_folder.string(), "opened", errno);
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    // Some file systems cannot sync a folder and return EINVAL. That is ignored, because there is no alternative.
    if (error != 0 && error != EINVAL) throw_file_error(file_or_folder.string(), "written", error);
}

void copy_file_synced(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy_file(from, to, error);
    std::error_code unknown;
    if (error == std::errc::io_error && fs::space(fs::absolute(to).parent_path(), unknown).available == 0) {
        error = std::make_error_code(std::errc::no_space_on_device);  // the library does not say so
    }
    if (error) throw_file_error(from.string(), ("copied to " + to.string()).c_str(), error.value());
    sync(to);
}

namespace {

// Opening it again would lose a redirected file's offset; replacing the file would lose what is printed later.
std::optional<int> descriptor_named(const fs::path& path) {
    const std::string text = path.string();
    if (text == "-" || text == "/dev/stdout") return STDOUT_FILENO;
    if (text == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!text.starts_with(folder)) continue;
        int number = 0;
        const char* end = text.data() + text.size();
        const auto [read, error] = std::from_chars(text.data() + folder.size(), end, number);
        if (error == std::errc() && read == end && number > 0) return number;
    }
    return std::nullopt;
}

}  // namespace

fs::path without_links(fs::path path) {
    // The result is no longer a link, or it is a name of an open descriptor.
    constexpr int most_links = 40;  // as in Linux
    std::error_code error;
    for (int i = 0; i < most_links && !descriptor_named(path) && fs::is_symlink(path, error); ++i) {
        const fs::path link = fs::read_symlink(path, error);
        if (error) throw_file_error(path.string(), "written", error.value());
        path = path.parent_path() / link;  // an absolute link replaces the folder
    }
    if (!descriptor_named(path) && fs::is_symlink(path, error)) throw_file_error(path.string(), "written", ELOOP);
    return path;
}

OutputFile::OutputFile(const fs::path& path) : name_(path.string()), target_(without_links(path)) {
    if (const auto open = descriptor_named(target_)) {
        if (*open == STDOUT_FILENO) name_ = "Standard output";
        descriptor_ = *open;
        owned_ = false;
        return;
    }
    struct stat status {};
    if (::stat(target_.c_str(), &status) != 0) {
        if (errno != ENOENT) fail(errno);
        open_temporary();
        return;
    }
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    if (!S_ISREG(status.st_mode)) {
        descriptor_ = ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (descriptor_ < 0) fail(errno);
        return;
    }
    // Renaming would replace a file that must not be written.
    if (::access(target_.c_str(), W_OK) != 0) fail(errno);
    open_temporary();
    // Only root may give a file away, so a failure is no error.
    if (::fchown(descriptor_, status.st_uid, status.st_gid) != 0) errno = 0;
    if (::fchmod(descriptor_, status.st_mode & 07777U) != 0) fail(errno);
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() {
    if (owned_ && descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
}

void OutputFile::open_temporary() {
    const fs::path temporary = temporary_beside(target_);
    descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
    temporary_ = temporary;
}

void OutputFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {  // another program made the pipe non-blocking
            pollfd ready{descriptor_, POLLOUT, 0};
            ::poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            fail(errno);
        }
    }
}

void OutputFile::commit() {
    if (temporary_.empty()) return close_checked();
    if (::fsync(descriptor_) != 0) fail(errno);
    close_checked();
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    sync(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
}

// Closing reports errors of file systems that write late.
void OutputFile::close_checked() {
    if (!owned_) return;
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    if (result != 0 && errno != EINTR) fail(errno);
}

void OutputFile::fail(int error) {
    discard();  // here, because a constructor that throws runs no destructor
    throw_file_error(name_, "written", error);
}

void reserve_standard_descriptors() {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
        // The lowest free number is this one. Opened only for reading, it cannot be written.
        if (::fcntl(descriptor, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) < 0) return;
    }
}

bool is_standard_output(const fs::path& path) {
    return descriptor_named(without_links(path)) == STDOUT_FILENO;
}

bool would_replace(const fs::path& path) {
    const fs::path target = without_links(path);
    std::error_code error;
    return !descriptor_named(target) && fs::is_regular_file(target, error);
}

void write_output(const fs::path& path, const std::vector<std::span<const std::byte>>& parts) {
    OutputFile output(path);
    for (const auto& part : parts) output.write(part);
    output.commit();
}

void write_output(const fs::path& path, std::string_view text) {
    write_output(path, {std::as_bytes(std::span(text))});
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ropelab-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("The temporary folder " + pattern + " cannot be created.");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

}  // namespace ropelab
