#include "core/data/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstring>
#include <memory>
#include <system_error>
#include <vector>

#include "core/data/download.h"

namespace ropelab {

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

}  // namespace ropelab
