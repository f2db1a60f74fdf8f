#include "core/study/expert_load.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace ropelab {

std::string_view token_class_word(TokenClass token_class) {
    static constexpr std::array<std::string_view, token_class_count> words = {"letters", "digits", "white space",
                                                                              "punctuation", "other"};
    return words[static_cast<std::size_t>(token_class)];
}

TokenClass token_class(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\n\v\f\r");
    if (first == std::string_view::npos) return text.empty() ? TokenClass::other : TokenClass::whitespace;
    const char c = text[first];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return TokenClass::letters;
    if (c >= '0' && c <= '9') return TokenClass::digits;
    return c > ' ' && c <= '~' ? TokenClass::punctuation : TokenClass::other;
}

std::vector<double> expert_load(const ProbeResult& result, std::int64_t layer) {
    std::vector<double> load;
    if (result.expert_shares.empty()) return load;
    for (std::int64_t expert = 0; expert < result.expert_shares.shape[1]; ++expert) {
        const auto row = result.expert_shares.row(layer, expert);
        load.push_back(std::accumulate(row.begin(), row.end(), 0.0));
    }
    return load;
}

std::vector<std::vector<double>> expert_load_by_class(const ProbeResult& result, std::int64_t layer,
                                                      const Vocabulary& vocabulary) {
    std::vector<std::vector<double>> load;
    if (result.expert_shares.empty()) return load;
    std::vector<std::size_t> classes;
    for (const std::int32_t token : result.expert_tokens) {
        const bool is_known = token >= 0 && token < vocabulary.size();
        classes.push_back(
            static_cast<std::size_t>(is_known ? token_class(vocabulary.bytes_of(token)) : TokenClass::other));
    }
    std::array<double, token_class_count> totals{};
    for (std::int64_t expert = 0; expert < result.expert_shares.shape[1]; ++expert) {
        const auto row = result.expert_shares.row(layer, expert);
        std::vector<double>& sums = load.emplace_back(token_class_count);
        for (std::size_t i = 0; i < row.size(); ++i) sums[classes[i]] += static_cast<double>(row[i]);
        for (std::size_t i = 0; i < token_class_count; ++i) totals[i] += sums[i];
    }
    for (auto& sums : load) {
        for (std::size_t i = 0; i < token_class_count; ++i) {
            sums[i] = totals[i] > 0 ? sums[i] / totals[i] : std::numeric_limits<double>::quiet_NaN();
        }
    }
    return load;
}

std::vector<ExpertToken> top_tokens_of_expert(const ProbeResult& result, std::int64_t layer, std::int64_t expert,
                                              std::size_t most) {
    std::vector<ExpertToken> tokens;
    if (result.expert_shares.empty()) return tokens;
    const auto row = result.expert_shares.row(layer, expert);
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] > 0) tokens.push_back({result.expert_tokens[i], static_cast<double>(row[i]) / total});
    }
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const ExpertToken& a, const ExpertToken& b) { return a.share > b.share; });
    tokens.resize(std::min(tokens.size(), most));
    return tokens;
}

}  // namespace ropelab
