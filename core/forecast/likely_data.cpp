#include "core/forecast/likely_data.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

#include "core/data/corpus.h"
#include "core/data/known_sets.h"
#include "core/data/text_source.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

// As measured on Tiny Shakespeare with 1,024 tokens.
constexpr std::int64_t likely_bytes_per_subword = 2;

// Read once; that of many published models if it cannot be read, which training will report.
std::int64_t vocabulary_of_file(const std::string& file) {
    constexpr std::int64_t common = 32000;
    static std::mutex mutex;
    static std::map<std::string, std::int64_t> sizes;
    const std::lock_guard lock(mutex);
    const auto [known, is_new] = sizes.try_emplace(file, common);
    if (!is_new) return known->second;
    try {
        known->second = std::ssize(subwords_of_file(file)->tokens());
    } catch (const BadInput&) {
        sizes.erase(known);
        return common;
    }
    return known->second;
}

}  // namespace

std::int64_t likely_vocabulary(const RunSpec& spec) {
    if (find_language(spec.data)) return 29;
    if (spec.tokenizer == Tokenizer::file) return vocabulary_of_file(spec.tokenizer_file);
    if (spec.has_subwords()) return spec.largest_vocabulary();
    if (spec.data == "text8") return 27;
    std::error_code error;
    if (std::filesystem::is_directory(spec.data, error)) return 256;
    if (spec.data == "enwik8" || spec.tokenizer == Tokenizer::bytes) return 205;
    return 65;
}

std::int64_t likely_tokens(const RunSpec& spec) {
    if (find_language(spec.data)) return spec.data_length;
    const std::int64_t bytes = spec.has_subwords() ? likely_bytes_per_subword : 1;
    if (spec.data == "text8" || spec.data == "enwik8") return 100'000'000 / bytes;
    std::error_code error;
    if (std::filesystem::is_directory(spec.data, error))
        return largest_held_out;  // its training text stays in its files
    const auto size = std::filesystem::file_size(spec.data, error);
    return (error ? 1'115'394 : static_cast<std::int64_t>(size)) / bytes;
}

std::int64_t likely_validation_tokens(const RunSpec& spec, const std::filesystem::path& data_dir) {
    if (find_language(spec.data)) return split_sizes(spec.data_length, spec.split).validation;
    try {
        const TextSource source = locate(spec.data, data_dir);
        if (source.is_folder) {
            const std::int64_t bytes = bytes_of(files_of_folder(source.file));
            return std::min(split_sizes(bytes, spec.split).validation, largest_held_out);
        }
        std::error_code error;
        const auto bytes = std::filesystem::file_size(source.file, error);
        const std::int64_t per_token = spec.has_subwords() ? likely_bytes_per_subword : 1;
        if (!error) return split_sizes(static_cast<std::int64_t>(bytes) / per_token, spec.split).validation;
    } catch (const BadInput&) {
        // The data set is missing; training will report that.
    }
    const KnownSet* set = find_known_set(spec.data);
    return set != nullptr ? split_sizes(set->bytes, spec.split).validation : unknown_validation_tokens;
}

}  // namespace ropelab
