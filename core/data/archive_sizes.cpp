#include "core/data/archive_sizes.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <new>
#include <optional>

namespace ropelab {

namespace {

la_ssize_t count_bytes(archive*, void* count, const void*, std::size_t length) {
    *static_cast<std::int64_t*>(count) += static_cast<std::int64_t>(length);
    return static_cast<la_ssize_t>(length);
}

std::optional<std::int64_t> size_with(int (*add_filter)(archive*), std::string_view text) {
    std::int64_t count = 0;
    const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(), &archive_write_free);
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), &archive_entry_free);
    if (writer == nullptr || entry == nullptr) throw std::bad_alloc();
    archive_entry_set_pathname(entry.get(), "text");
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    const bool written =
        add_filter(writer.get()) == ARCHIVE_OK && archive_write_set_format_raw(writer.get()) == ARCHIVE_OK &&
        archive_write_set_filter_option(writer.get(), nullptr, "compression-level", "9") == ARCHIVE_OK &&
        archive_write_set_bytes_per_block(writer.get(), 0) == ARCHIVE_OK &&
        archive_write_open(writer.get(), &count, nullptr, count_bytes, nullptr) == ARCHIVE_OK &&
        archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK &&
        archive_write_data(writer.get(), text.data(), text.size()) == static_cast<la_ssize_t>(text.size()) &&
        archive_write_close(writer.get()) == ARCHIVE_OK;
    return written ? std::optional(count) : std::nullopt;
}

}  // namespace

std::vector<ArchiveSize> archive_sizes(std::string_view text) {
    std::vector<ArchiveSize> result;
    if (const auto bytes = size_with(archive_write_add_filter_gzip, text)) result.push_back({"gzip", *bytes});
    if (const auto bytes = size_with(archive_write_add_filter_xz, text)) result.push_back({"xz", *bytes});
    return result;
}

}  // namespace ropelab
