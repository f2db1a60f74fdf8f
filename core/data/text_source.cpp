#include "core/data/text_source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/data/known_sets.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

std::string quoted(const fs::path& path) {
    return "'" + path.string() + "'";
}

void require_regular_file(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) {
        const std::string known = nearest(file.string(), known_data_names());
        throw BadInput("There is no file " + quoted(file) +
                       " and no known data set of this name; the most similar known name is '" + known + "'.");
    }
    if (status.type() == fs::file_type::none) {
        throw BadInput(quoted(file) + " cannot be accessed (" + error.message() + "); name a file that you may read.");
    }
    if (status.type() != fs::file_type::regular) {
        throw BadInput(quoted(file) + " is neither a regular file nor a folder; copy its text into a regular file.");
    }
}

}  // namespace

TextSource locate(std::string_view data, const fs::path& data_dir) {
    if (data.empty()) throw BadInput("The setting data is empty; name a text file, a known data set or 'synthetic'.");
    if (const auto language = find_language(data)) {
        const char* name = *language == Language::positional ? "synthetic language" : "synthetic local language";
        return {name, language, {}, false, false};
    }
    if (const KnownSet* set = find_known_set(data)) {
        const auto found = find_on_disk(*set, data_dir);
        if (!found) {
            throw BadInput(set->title + " is not on this machine yet; get it with 'ropelab-cli data fetch " +
                           set->name + "', or name the folder that has it with --data-dir or ROPELAB_DATA.");
        }
        return {found->description, std::nullopt, found->file, set->as_bytes, false};
    }
    const fs::path file{std::string(data)};
    std::error_code error;
    if (fs::is_directory(file, error)) {
        const fs::path whole = file.lexically_normal();  // "folder/" has no file name
        const fs::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
        return {name.string(), std::nullopt, file, true, true};
    }
    require_regular_file(file);
    return {file.filename().string(), std::nullopt, file, false, false};
}

std::string read_text(const TextSource& source, std::int64_t data_seed, std::int64_t data_length) {
    if (source.language) return generate_text(*source.language, data_seed, static_cast<std::size_t>(data_length));
    errno = 0;
    std::ifstream in(source.file, std::ios::binary | std::ios::ate);
    if (!in) {
        throw BadInput(quoted(source.file) + " cannot be read (" + std::strerror(errno) +
                       "); name a file that you may read.");
    }
    const std::int64_t bytes = in.tellg();
    if (bytes == 0) throw BadInput(quoted(source.file) + " is empty; name a file that contains text.");
    if (bytes > largest_file) {
        throw BadInput(quoted(source.file) + " has " + grouped(bytes) + " bytes; a file may have at most " +
                       grouped(largest_file) + ", but a folder of files may have any size.");
    }
    std::string text(static_cast<std::size_t>(bytes), '\0');
    in.seekg(0);
    if (!in.read(text.data(), bytes)) throw BadInput(quoted(source.file) + " could be read only in part.");
    return text;
}

}  // namespace ropelab
