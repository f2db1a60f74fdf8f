#include "core/data/text_folder.h"

#include <algorithm>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <system_error>

#include "core/data/checksum.h"
#include "core/spec/error.h"

namespace ropelab {

namespace fs = std::filesystem;
namespace ipc = boost::interprocess;

namespace {

constexpr std::size_t most_files = 50'000;  // Linux allows 65,530 mappings per process by default

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

struct TextFolder::Mapping {
    std::vector<FolderFile> files;
    std::vector<ipc::mapped_region> regions;  // one per file
    std::vector<TokenText::Piece> pieces;     // one per file
};

TextFolder::TextFolder(const fs::path& folder) : mapping_(std::make_unique<Mapping>()) {
    mapping_->files = files_of_folder(folder);
    std::int64_t first = 0;
    for (const FolderFile& file : mapping_->files) {
        try {
            const ipc::file_mapping source((folder / file.name).c_str(), ipc::read_only);
            mapping_->regions.emplace_back(source, ipc::read_only, 0, static_cast<std::size_t>(file.bytes));
        } catch (const ipc::interprocess_exception& error) {
            refuse_folder(folder, "has a file that cannot be read: '" + file.name + "' (" + error.what() + ").");
        }
        const auto* bytes = static_cast<const unsigned char*>(mapping_->regions.back().get_address());
        mapping_->pieces.push_back({first, {bytes, static_cast<std::size_t>(file.bytes)}});
        first += file.bytes;
    }
}

TextFolder::~TextFolder() = default;

std::int64_t TextFolder::bytes() const {
    return bytes_of(mapping_->files);
}

std::span<const TokenText::Piece> TextFolder::pieces() const {
    return mapping_->pieces;
}

std::string TextFolder::checksum() const {
    constexpr std::size_t end_bytes = 4096;
    std::string all;
    for (std::size_t i = 0; i < mapping_->files.size(); ++i) {
        const FolderFile& file = mapping_->files[i];
        const auto bytes = mapping_->pieces[i].bytes;
        const std::size_t count = std::min(end_bytes, bytes.size());
        std::string ends(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
        ends.append(bytes.end() - static_cast<std::ptrdiff_t>(count), bytes.end());
        all += file.name + '\n' + std::to_string(file.bytes) + '\n' +
               checksum_of(ends, Checksum::Algorithm::sha256).hex + '\n';
    }
    return checksum_of(all, Checksum::Algorithm::sha256).hex;
}

}  // namespace ropelab
