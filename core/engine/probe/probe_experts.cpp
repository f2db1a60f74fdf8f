#include "core/engine/probe/probe_experts.h"

#include <algorithm>

namespace ropelab {

ExpertSums::ExpertSums(const RunSpec& spec, const ProbeSequences& sequences) : spec_(spec), sequences_(sequences) {
    for (const std::int32_t token : sequences.tokens) column_of_.emplace(token, 0);
    std::int64_t column = 0;
    for (auto& [token, place] : column_of_) place = column++;
    const auto layers = static_cast<std::size_t>(spec.layers);
    counts_.resize(layers * static_cast<std::size_t>(spec.experts) * column_of_.size());
    balance_.resize(layers);
    dropped_.resize(layers);
    choices_.resize(layers);
}

void ExpertSums::add(const ExpertRecord& record, std::int64_t first) {
    const auto first_token = static_cast<std::size_t>(first * sequences_.length);
    const auto columns = static_cast<std::int64_t>(column_of_.size());
    for (const ExpertLayer& entry : record.layers) {
        const auto layer = static_cast<std::size_t>(entry.layer);
        const Routing& routing = entry.routing.front();
        const auto choices = static_cast<double>(routing.choices());
        balance_[layer] += choices * entry.balance.item<double>();
        choices_[layer] += choices;
        for (std::size_t choice = 0; choice < routing.expert.size(); ++choice) {
            const std::size_t token = first_token + choice / static_cast<std::size_t>(routing.per_token);
            const std::int64_t column = column_of_.at(sequences_.tokens[token]);
            const std::int64_t row = entry.layer * routing.experts + routing.expert[choice];
            counts_[static_cast<std::size_t>(row * columns + column)] += 1;
        }
        const auto tokens = static_cast<std::int64_t>(routing.expert.size()) / routing.per_token;
        const std::int64_t capacity =
            expert_capacity_of(spec_.expert_capacity, tokens, routing.experts, routing.per_token);
        if (capacity == 0) continue;
        for (const std::int64_t count : routing.counts) {
            dropped_[layer] += static_cast<double>(std::max<std::int64_t>(0, count - capacity));
        }
    }
}

void ExpertSums::write(ProbeResult& result) const {
    for (const auto& [token, column] : column_of_) result.expert_tokens.push_back(token);
    const auto columns = static_cast<std::int64_t>(column_of_.size());
    result.expert_shares.shape = {spec_.layers, spec_.experts, columns};
    result.expert_balance.shape = {spec_.layers, 1};
    result.expert_dropped.shape = {spec_.layers, 1};
    const auto per_layer = static_cast<std::size_t>(spec_.experts * columns);
    for (std::size_t layer = 0; layer < choices_.size(); ++layer) {
        const auto share = [&](double sum) {
            return static_cast<float>(choices_[layer] > 0 ? sum / choices_[layer] : 0.0);
        };
        for (std::size_t i = 0; i < per_layer; ++i) {
            result.expert_shares.values.push_back(share(counts_[layer * per_layer + i]));
        }
        result.expert_balance.values.push_back(share(balance_[layer]));
        result.expert_dropped.values.push_back(share(dropped_[layer]));
    }
}

}  // namespace ropelab
