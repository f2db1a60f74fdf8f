#include "core/data/text_folder.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "core/data/checksum.h"
#include "core/spec/error.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 50'000;

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& problem) {
    throw BadInput("The folder '" + folder.string() + "' " + problem);
}

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

}  // namespace

std::vector<FolderFile> files_of_folder(const fs::path& folder) {
    std::vector<FolderFile> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
            continue;
        }
        std::error_code file_error;
        if (!entry->is_regular_file(file_error)) continue;
        const auto bytes = static_cast<std::int64_t>(entry->file_size(file_error));
        const auto written = entry->last_write_time(file_error).time_since_epoch().count();
        if (file_error) refuse_folder(folder, "has a file that cannot be read: '" + entry->path().string() + "'.");
        if (bytes > 0) files.push_back({entry->path().lexically_relative(folder).generic_string(), bytes, written});
    }
    if (error) refuse_folder(folder, "cannot be read (" + error.message() + "); name a folder that you may read.");
    if (files.empty()) refuse_folder(folder, "contains no text; put the files to train on into it.");
    if (files.size() > most_files) {
        refuse_folder(folder, "has " + std::to_string(files.size()) + " files, but at most " +
                                  std::to_string(most_files) + " are supported; join them into larger files.");
    }
    std::ranges::sort(files, {}, &FolderFile::name);
    return files;
}

std::int64_t bytes_of(std::span<const FolderFile> files) {
    std::int64_t bytes = 0;
    for (const FolderFile& file : files) bytes += file.bytes;
    return bytes;
}

void refuse_characters_of_folder(const fs::path& folder) {
    refuse_folder(folder, "can be read as bytes only; set tokenizer = bytes, or join its files into one text file.");
}

TextFolder::TextFolder(const fs::path& folder) : files_(files_of_folder(folder)) {
    std::int64_t first = 0;
    for (const FolderFile& file : files_) {
        pieces_.push_back({first, file.bytes, folder / file.name});
        first += file.bytes;
    }
}

std::string TextFolder::checksum() const {
    constexpr std::size_t end_bytes = 4096;
    std::string all;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const FolderFile& file = files_[i];
        std::array<unsigned char, end_bytes> buffer;
        const auto ends_of_file = std::span(buffer).first(std::min(end_bytes, static_cast<std::size_t>(file.bytes)));
        std::string ends;
        for (const std::int64_t from : {std::int64_t{0}, file.bytes - std::ssize(ends_of_file)}) {
            TokenText::read_piece(pieces_[i], from, ends_of_file);
            ends.append(ends_of_file.begin(), ends_of_file.end());
        }
        all += file.name + '\n' + std::to_string(file.bytes) + '\n' +
               checksum_of(ends, Checksum::Algorithm::sha256).hex + '\n';
    }
    return checksum_of(all, Checksum::Algorithm::sha256).hex;
}

}  // namespace ropelab
