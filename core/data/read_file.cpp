#include "core/data/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr std::size_t piece = 1 << 16;

struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

std::string read_regular_file(const std::filesystem::path& file, std::int64_t largest) {
    const auto refuse = [&](const std::string& why) { throw BadInput(file.string() + " " + why); };
    const auto refuse_with_error = [&] { refuse("cannot be read: " + std::string(std::strerror(errno)) + "."); };
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    struct stat facts {};
    if (descriptor.number < 0 || ::fstat(descriptor.number, &facts) != 0) refuse_with_error();
    if (!S_ISREG(facts.st_mode)) refuse("cannot be read, because it is not a file but a folder, device or pipe.");
    const auto check_size = [&](std::int64_t bytes) {
        if (bytes <= largest) return;
        refuse("has " + number_text(static_cast<double>(bytes / 100'000) / 10) + " MB, but at most " +
               number_text(std::round(static_cast<double>(largest) / 1e5) / 10) + " MB are read here.");
    };
    check_size(facts.st_size);
    std::string text;
    for (;;) {
        const std::size_t known = text.size();
        text.resize(std::max(known + piece, static_cast<std::size_t>(facts.st_size) + 1));
        const ssize_t count = ::read(descriptor.number, text.data() + known, text.size() - known);
        if (count < 0 && errno != EINTR) refuse_with_error();
        text.resize(known + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        check_size(std::ssize(text));
        if (count == 0) return text;
    }
}

}  // namespace ropelab
