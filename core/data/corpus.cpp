#include "core/data/corpus.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

/// The runs of a sweep share one. Small corpora stay in memory; large ones only while a run uses them.
class RecentCorpora {
 public:
    std::shared_ptr<const Corpus> find(const std::string& key) {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find(entries_, key, &Entry::key);
        if (found == entries_.end()) return nullptr;
        std::rotate(entries_.begin(), found, found + 1);
        return entries_.front().corpus.lock();
    }

    void add(const std::string& key, const std::shared_ptr<const Corpus>& corpus) {
        const std::lock_guard lock(mutex_);
        std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
        const std::size_t tokens = corpus->training.size() + corpus->validation.size() + corpus->test.size();
        entries_.push_front({key, corpus, tokens <= max_cached_tokens ? corpus : nullptr});
        if (entries_.size() > max_entries) entries_.pop_back();
    }

 private:
    struct Entry {
        std::string key;
        std::weak_ptr<const Corpus> corpus;
        std::shared_ptr<const Corpus> owner;  // keeps a small corpus alive; null for a large one
    };
    static constexpr std::size_t max_entries = 4;
    static constexpr std::size_t max_cached_tokens = 16'000'000;

    std::mutex mutex_;
    std::deque<Entry> entries_;
};

RecentCorpora& recent_corpora() {
    static RecentCorpora recent;
    return recent;
}

/// Name, size and modification time.
std::string state_of_file(const fs::path& file) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error).time_since_epoch().count();
    const auto bytes = fs::file_size(file, error);
    return fs::absolute(file, error).string() + '|' + std::to_string(written) + '|' + std::to_string(bytes);
}

/// Contains size and modification time, so that a changed file is read again.
std::string cache_key(const TextSource& source, const RunSpec& spec) {
    std::string key = std::to_string(static_cast<int>(spec.tokenizer)) + '|' +
                      std::to_string(static_cast<int>(spec.split)) + '|' + source.name + '|';
    if (spec.has_subwords()) {
        key += std::to_string(spec.largest_vocabulary()) + '|';
        if (spec.tokenizer == Tokenizer::file) key += state_of_file(spec.tokenizer_file) + '|';
    }
    if (source.language) return key + std::to_string(spec.data_seed) + ':' + std::to_string(spec.data_length);
    if (source.is_folder) {
        key += fs::absolute(source.file).string();
        for (const FolderFile& file : files_of_folder(source.file)) {
            key += '|' + file.name + '|' + std::to_string(file.written) + '|' + std::to_string(file.bytes);
        }
        return key;
    }
    return key + state_of_file(source.file);
}

Vocabulary vocabulary_of(const TextSource& source, const std::string& text, Tokenizer tokenizer) {
    if (tokenizer == Tokenizer::bytes) return Vocabulary::of_bytes(text);
    const std::optional<std::size_t> invalid = first_invalid_utf8(text);
    if (tokenizer == Tokenizer::automatic && (source.as_bytes || invalid)) return Vocabulary::of_bytes(text);
    if (invalid) {
        throw BadInput("'" + source.file.string() + "' is not UTF-8 at byte offset " + std::to_string(*invalid) +
                       "; set tokenizer = bytes, or convert the file to UTF-8.");
    }
    return Vocabulary::of_characters(text);
}

std::shared_ptr<const Corpus> build_from_folder(const TextSource& source, const RunSpec& spec) {
    if (spec.tokenizer == Tokenizer::characters || spec.has_subwords()) refuse_characters_of_folder(source.file);
    auto corpus = std::make_shared<Corpus>();
    corpus->name = source.name;
    corpus->folder = std::make_shared<TextFolder>(source.file);
    if (spec.tokenizer != Tokenizer::bytes) corpus->folder->require_texts();
    const std::int64_t bytes = corpus->folder->bytes();
    corpus->text = {text_name(spec), bytes, corpus->folder->checksum()};
    corpus->vocabulary = Vocabulary::of_all_bytes();
    const SplitSizes sizes = split_sizes(bytes, spec.split);
    corpus->folder_training = sizes.training;
    const TokenText text(corpus->folder->pieces(), bytes);
    const auto held_out = [&](std::int64_t first, std::int64_t size) {
        std::vector<std::int32_t> tokens(static_cast<std::size_t>(std::min(size, largest_held_out)));
        text.copy(first, std::ssize(tokens), tokens.data());
        return tokens;
    };
    corpus->validation = held_out(sizes.training, sizes.validation);
    corpus->test = held_out(sizes.training + sizes.validation, sizes.test);
    corpus->validation_bytes = std::ssize(corpus->validation);
    return corpus;
}

// Moves the part of a line with which `later` begins to the end of `earlier`, which ends there.
void join_line(std::string_view& earlier, std::string_view& later) {
    const std::size_t end = later.find('\n');
    if (earlier.ends_with('\n') || end == std::string_view::npos) return;
    earlier = {earlier.data(), earlier.size() + end + 1};
    later.remove_prefix(end + 1);
}

void split_into_subwords(Corpus& corpus, TextParts parts, const RunSpec& spec) {
    corpus.vocabulary = subword_vocabulary(spec, parts);
    if (corpus.vocabulary.by_line()) {
        join_line(parts.training, parts.validation);
        join_line(parts.validation, parts.test);
    }
    corpus.training = corpus.vocabulary.encode(parts.training);
    corpus.validation = corpus.vocabulary.encode(parts.validation);
    corpus.test = corpus.vocabulary.encode(parts.test);
    corpus.validation_bytes = corpus.vocabulary.by_line()
                                  ? std::ssize(corpus.vocabulary.decode(corpus.validation))
                                  : std::ssize(parts.validation) -
                                        bytes_without_token(corpus.vocabulary, parts.validation, corpus.validation);
}

std::shared_ptr<const Corpus> build(const TextSource& source, const RunSpec& spec) {
    if (source.is_folder) return build_from_folder(source, spec);
    const std::string text = read_text(source, spec.data_seed, spec.data_length);
    if (spec.tokenizer != Tokenizer::bytes && !source.language) require_text(source.file, text);
    auto corpus = std::make_shared<Corpus>();
    corpus->name = source.name;
    corpus->generated = source.language.has_value();
    corpus->text = mark_of(spec, text);
    if (spec.has_subwords()) {
        split_into_subwords(*corpus, parts_of_text(text, spec.split, source.as_bytes), spec);
        return corpus;
    }
    corpus->vocabulary = vocabulary_of(source, text, spec.tokenizer);
    std::vector<std::int32_t> tokens = corpus->vocabulary.encode(text);
    const SplitSizes sizes = split_sizes(static_cast<std::int64_t>(tokens.size()), spec.split);
    const auto validation = tokens.begin() + sizes.training;
    corpus->validation.assign(validation, validation + sizes.validation);
    corpus->test.assign(validation + sizes.validation, tokens.end());
    tokens.resize(static_cast<std::size_t>(sizes.training));
    corpus->training = std::move(tokens);
    corpus->validation_bytes = std::ssize(corpus->vocabulary.decode(corpus->validation));
    return corpus;
}

/// A sequence is spec.context tokens and the token that follows.
void require_sequences(const Corpus& corpus, const RunSpec& spec) {
    std::pair<std::string, std::int64_t> shortest = {"training", std::ssize(corpus.training_text())};
    const auto compare = [&](const char* part, std::int64_t tokens) {
        if (tokens < shortest.second) shortest = {part, tokens};
    };
    compare("validation", std::ssize(corpus.validation));
    if (spec.split == Split::ninety_five_five) compare("test", std::ssize(corpus.test));

    const auto& [part, tokens] = shortest;
    if (tokens > spec.context) return;
    const std::string unit = std::string(" ") + corpus.vocabulary.unit() + "s";
    const std::string shorter = tokens > 2 ? " or a context of at most " + std::to_string(tokens - 1) : "";
    throw BadInput("The " + part + " part of '" + corpus.name + "' has " + std::to_string(tokens) + unit +
                   ", but context = " + std::to_string(spec.context) + " needs at least " +
                   std::to_string(spec.context + 1) + "; use a longer text" + shorter + ".");
}

}  // namespace

TokenText Corpus::training_text() const {
    return folder ? TokenText(folder->pieces(), folder_training) : TokenText(training);
}

std::shared_ptr<const Corpus> open_corpus(const RunSpec& spec, const fs::path& data_dir) {
    const TextSource source = locate(spec.data, data_dir);
    const std::string key = cache_key(source, spec);
    std::shared_ptr<const Corpus> corpus = recent_corpora().find(key);
    if (corpus == nullptr) {
        corpus = build(source, spec);
        recent_corpora().add(key, corpus);
    }
    require_sequences(*corpus, spec);
    return corpus;
}

Vocabulary subword_vocabulary(const RunSpec& spec, const TextParts& parts) {
    return Vocabulary::of_subwords(spec.tokenizer == Tokenizer::file
                                       ? subwords_of_file(spec.tokenizer_file, Normalization::left_out)
                                       : trained_subwords(spec.tokenizer, spec.largest_vocabulary(), parts.training));
}

std::optional<EntropyFloor> entropy_floor_of(const RunSpec& spec, const std::function<bool()>& cancelled) {
    const std::optional<Language> language = find_language(spec.data);
    if (!language) return std::nullopt;
    const std::shared_ptr<const Corpus> corpus = open_corpus(spec);
    const std::string validation = corpus->vocabulary.decode(corpus->validation);
    EntropyFloor floor = language_floor(*language, validation, static_cast<int>(spec.context), cancelled);
    if (floor.loss_by_position.empty()) return std::nullopt;  // it was cancelled
    return floor;
}

}  // namespace ropelab
