#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/token_statistics.h"
#include "core/study/compression.h"

namespace ropelab::ui {

/// From the first tokens of the training split.
struct TextStatistics {
    QString name;                            // of the data set
    std::string vocabulary;                  // as Vocabulary::to_text() returns it
    std::int64_t tokens = 0;                 // number of tokens that were counted
    bool isWhole = true;                     // false if the training split has more tokens
    std::vector<std::int64_t> counts;        // per token
    std::vector<std::int64_t> rankedTokens;  // counts in descending order
    std::vector<std::int64_t> rankedWords;   // counts of words in descending order; empty if tokens are words
    std::optional<ZipfFit> tokenFit;
    std::optional<ZipfFit> wordFit;
    MutualInformation information;
    std::optional<ShuffledInformation> shuffled;  // the same estimate for the shuffled text
    std::vector<std::int32_t> excerpt;            // the first tokens of the validation split
};

/// Bits of each token under a run's model.
struct PaintedText {
    std::int64_t iteration = 0;  // of the checkpoint
    QString source;              // "first 600 tokens of the validation split" or "typed text"
    std::string vocabulary;
    std::vector<std::int32_t> tokens;
    TextBits bits;
    Description perByte;
    Description perCharacter;  // NaN if the text has no whole characters
    double totalBits = 0;
    std::int64_t bytes = 0;  // of the text
};

}  // namespace ropelab::ui
