#include "core/contract/token_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace ropelab {

// The file is read and not mapped into memory, because a mapped file that becomes shorter ends the program.
void TokenText::read_piece(const Piece& piece, std::int64_t from, std::span<unsigned char> bytes) {
    const auto name = [&] { return "The text file '" + piece.file.string() + "'"; };
    const int file = ::open(piece.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw BadInput(name() + " cannot be read any more: " + std::strerror(errno) + ".");
    ssize_t count = 0;
    while (!bytes.empty()) {
        count = ::pread(file, bytes.data(), bytes.size(), from);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        from += count;
    }
    const int error = errno;
    ::close(file);
    if (bytes.empty()) return;
    if (count < 0) throw BadInput(name() + " cannot be read any more: " + std::strerror(error) + ".");
    throw BadInput(name() + " has become shorter while it was in use; restore the file, and resume the run.");
}

}  // namespace ropelab
