#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include "core/data/synthetic/language.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/plan/step_cost.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

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

}  // namespace ropelab
