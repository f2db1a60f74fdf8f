#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ropelab {

/// Writes a zip archive of files with their names and contents.
inline void write_zip(const std::filesystem::path& target,
                      const std::vector<std::pair<std::string, std::string>>& files) {
    archive* writer = archive_write_new();
    bool written = archive_write_set_format_zip(writer) == ARCHIVE_OK &&
                   archive_write_open_filename(writer, target.c_str()) == ARCHIVE_OK;
    for (const auto& [name, text] : files) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        written = written && archive_write_header(writer, entry) == ARCHIVE_OK &&
                  archive_write_data(writer, text.data(), text.size()) == static_cast<la_ssize_t>(text.size());
        archive_entry_free(entry);
    }
    written = written && archive_write_close(writer) == ARCHIVE_OK;
    archive_write_free(writer);
    if (!written) throw std::runtime_error("no zip written");
}

/// Writes a zip archive that holds one file.
inline void write_zip(const std::filesystem::path& target, const std::string& name, const std::string& text) {
    write_zip(target, {{name, text}});
}

}  // namespace ropelab
