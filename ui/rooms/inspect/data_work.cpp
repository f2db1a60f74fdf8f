#include "ui/rooms/inspect/data_work.h"

#include <QObject>
#include <algorithm>
#include <numeric>

#include "core/data/utf8.h"
#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/rooms/inspect/probe_work.h"

namespace ropelab::ui {
namespace {

constexpr std::int64_t kLeastBlock = 16;  // tokens per block of the interval, if the context is shorter

std::vector<std::int32_t> firstTokens(const TokenText& text, std::int64_t most) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(std::min<std::int64_t>(most, std::ssize(text))));
    text.copy(0, std::ssize(tokens), tokens.data());
    return tokens;
}

}  // namespace

TextStatistics textStatistics(const InsideRun& run, const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const auto corpus = open_corpus(run.spec, dataDir);
    const TokenText training = corpus->training_text();
    const std::vector<std::int32_t> tokens = firstTokens(training, kMaxCountedTokens);
    const int vocabulary = corpus->vocabulary.size();
    TextStatistics result;
    result.name = QString::fromStdString(corpus->name);
    result.vocabulary = corpus->vocabulary.to_text();
    result.tokens = std::ssize(tokens);
    result.isWhole = tokens.size() == training.size();
    result.counts = token_counts(tokens, vocabulary);
    result.rankedTokens = ranked_counts(result.counts);
    result.rankedWords = word_counts(corpus->vocabulary.decode(tokens));
    result.tokenFit = fit_zipf(result.rankedTokens);
    result.wordFit = fit_zipf(result.rankedWords);
    // At a tenth of the length, the longest distance still has most of its token pairs.
    const auto distances = spaced_distances(std::min(kMaxInformationDistance, result.tokens / 10));
    result.information = mutual_information(tokens, vocabulary, distances, cancelled);
    result.shuffled = shuffled_information(tokens, vocabulary, distances, 1, cancelled);
    result.excerpt = firstTokens(corpus->validation, kExcerptTokens);
    return result;
}

PaintedText paintedText(Engine& engine, const InsideRun& run, const QString& text, const std::filesystem::path& dataDir,
                        const Cancelled& cancelled) {
    const Checkpoint checkpoint = checkpointOf(run);
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    PaintedText result;
    result.iteration = checkpoint.iteration;
    result.vocabulary = checkpoint.vocabulary;
    if (text.isEmpty()) {
        result.tokens = firstTokens(corpus_of(checkpoint, dataDir)->validation, kExcerptTokens);
        result.source = QObject::tr("first %1 of the validation split")
                            .arg(countText(std::ssize(result.tokens), QObject::tr("token")));
    } else {
        result.tokens = vocabulary.encode(text.toStdString());
        if (std::ssize(result.tokens) > kExcerptTokens) result.tokens.resize(kExcerptTokens);
        result.source = QObject::tr("typed text");
    }
    const auto model = model_of(engine, checkpoint);
    result.bits = text_bits(*model, checkpoint.spec.context, vocabulary.size(), result.tokens,
                            [&cancelled](std::int64_t) { return !cancelled(); });
    if (result.bits.bits.size() < result.tokens.size()) return result;  // cancelled
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> characters;
    for (const std::int32_t token : result.tokens) {
        const std::string own = vocabulary.bytes_of(token);
        bytes.push_back(std::ssize(own));
        // The first byte of each character in UTF-8.
        characters.push_back(std::count_if(own.begin(), own.end(),
                                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }
    const std::int64_t block = std::max(checkpoint.spec.context, kLeastBlock);
    result.perByte = bits_per_unit(result.bits.bits, bytes, block);
    if (!first_invalid_utf8(vocabulary.decode(result.tokens))) {
        result.perCharacter = bits_per_unit(result.bits.bits, characters, block);
    }
    result.totalBits = std::accumulate(result.bits.bits.begin(), result.bits.bits.end(), 0.0);
    result.bytes = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
    return result;
}

}  // namespace ropelab::ui
