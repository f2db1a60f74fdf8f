#include "core/data/subwords.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/data/checksum.h"
#include "core/data/known_sets.h"
#include "core/data/subword_kinds.h"
#include "core/spec/error.h"
#include "core/data/read_file.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t most_bytes = std::int64_t{256} << 20;  // tokenizers of 256,000 tokens have 40 MB

std::optional<std::string> content_of(const fs::path& file) {
    try {
        return read_regular_file(file, most_bytes);
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

// Returns the folder of trained SentencePiece models, or an empty path if the user has no cache.
fs::path tokenizer_folder() {
    try {
        return cache_folder().parent_path() / "tokenizers";
    } catch (const BadInput&) {
        return {};
    }
}

// Stores a file in the cache under a temporary name first, so that another program never reads a part of it. A cache
// that cannot be written is not an error.
void store_in_cache(const fs::path& file, const std::string& content) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const fs::path temporary = file.string() + ".part-" + checksum_of(content, Checksum::Algorithm::sha256).hex;
    {
        std::ofstream out(temporary, std::ios::binary);
        if (!out.write(content.data(), std::ssize(content)).flush()) {
            out.close();
            fs::remove(temporary, error);
            return;
        }
    }
    fs::rename(temporary, file, error);
    if (error) fs::remove(temporary, error);
}

// Returns the trained SentencePiece model, from the cache if it is there.
std::string cached_model(Tokenizer kind, std::int64_t size, std::string_view training) {
    // The number changes whenever the options of training change.
    const std::string key = std::string("1|") + (kind == Tokenizer::bpe ? "bpe|" : "unigram|") + std::to_string(size) +
                            '|' + checksum_of(training, Checksum::Algorithm::sha256).hex;
    const fs::path folder = tokenizer_folder();
    const fs::path file = folder / (checksum_of(key, Checksum::Algorithm::sha256).hex + ".model");
    if (!folder.empty()) {
        if (auto model = content_of(file); model && !model->empty()) return std::move(*model);
    }
    std::string model = train_sentencepiece(kind, size, training);
    if (!folder.empty()) store_in_cache(file, model);
    return model;
}

// Returns the beginning of a text with at most `largest_tokenizer_text` bytes, without a part of a character.
std::string_view beginning_of(std::string_view text) {
    if (text.size() <= largest_tokenizer_text) return text;
    std::size_t end = largest_tokenizer_text;
    while (end > largest_tokenizer_text - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end);
}

// The tokenizers that were read last from their stored form, so that a window that shows one token reads it once.
class RecentSubwords {
 public:
    std::shared_ptr<const Subwords> find(std::string_view text) {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find(entries_, text, &Entry::text);
        return found == entries_.end() ? nullptr : found->subwords;
    }

    void add(std::string text, std::shared_ptr<const Subwords> subwords) {
        const std::lock_guard lock(mutex_);
        entries_.push_front({std::move(text), std::move(subwords)});
        if (entries_.size() > max_entries) entries_.pop_back();
    }

 private:
    struct Entry {
        std::string text;
        std::shared_ptr<const Subwords> subwords;
    };
    static constexpr std::size_t max_entries = 4;

    std::mutex mutex_;
    std::deque<Entry> entries_;
};

}  // namespace

std::shared_ptr<const Subwords> trained_subwords(Tokenizer kind, std::int64_t size, std::string_view training) {
    const std::string_view text = beginning_of(training);
    if (kind == Tokenizer::words) return train_words(size, text);
    return sentencepiece_of_model(cached_model(kind, size, text), "The trained tokenizer");
}

std::shared_ptr<const Subwords> subwords_of_file(const fs::path& file) {
    std::error_code error;
    const std::string name = "'" + file.string() + "'";
    if (const auto bytes = fs::file_size(file, error); !error && std::cmp_greater(bytes, most_bytes)) {
        throw BadInput("The tokenizer " + name + " has " + std::to_string(bytes >> 20) +
                       " MiB, but a tokenizer has at most " + std::to_string(most_bytes >> 20) + " MiB.");
    }
    auto content = content_of(file);
    if (!content) {
        throw BadInput("The tokenizer " + name + " cannot be read; name a tokenizer.json or a SentencePiece .model.");
    }
    if (file.extension() == ".json") return byte_pairs_of_json(*content, name);
    return sentencepiece_of_model(std::move(*content), name);
}

bool is_subwords_text(std::string_view text) {
    return text.starts_with(sentencepiece_prefix) || text.starts_with(byte_pairs_prefix) ||
           text.starts_with(words_prefix);
}

std::shared_ptr<const Subwords> subwords_from_text(std::string_view text) {
    static RecentSubwords recent;
    std::shared_ptr<const Subwords> subwords = recent.find(text);
    if (subwords != nullptr) return subwords;
    if (text.starts_with(sentencepiece_prefix)) {
        subwords = sentencepiece_from_text(text);
    } else if (text.starts_with(byte_pairs_prefix)) {
        subwords = byte_pairs_from_text(text);
    } else if (text.starts_with(words_prefix)) {
        subwords = words_from_text(text);
    } else {
        throw BadInput("A stored tokenizer of subwords begins with its kind, but this one begins with '" +
                       std::string(text.substr(0, 20)) + "'.");
    }
    recent.add(std::string(text), subwords);
    return subwords;
}

}  // namespace ropelab
