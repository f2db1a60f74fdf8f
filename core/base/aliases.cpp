#include "core/base/aliases.h"

#include <algorithm>
#include <array>

namespace ropelab {

std::span<const Alias> aliases() {
    using Kind = Alias::Kind;
    static constexpr auto table = std::to_array<Alias>({
        {Kind::key, "symbols", "tokenizer"},
        {Kind::key, "cuda_kernels", "cuda_graphs"},
        {Kind::data, "generated", "synthetic"},
        {Kind::data, "generated-local", "synthetic-local"},
        {Kind::graphs, "no-graphs", "off"},
        {Kind::graphs, "all", "on"},
        {Kind::measurement, "written_symbols_per_second", "generated_tokens_per_second"},
        {Kind::measurement, "operations_of_a_written_symbol", "operations_per_generated_token"},
        {Kind::measurement, "operations_of_a_training_step", "operations_per_training_step"},
        {Kind::snapshot, "windows", "sequences"},
        {Kind::snapshot, "usage.query", "norm.query"},
        {Kind::snapshot, "usage.key", "norm.key"},
        {Kind::snapshot, "usage.value", "norm.value"},
        {Kind::snapshot, "logit_share", "logit_contribution"},
        {Kind::room, "cache", "table"},
        {Kind::figure, "cache-table", "cosine-table"},
        {Kind::figure, "cache-table-sine", "sine-table"},
        {Kind::figure, "cache-error", "table-error"},
        {Kind::figure, "logit-share", "logit-contribution"},
        {Kind::figure, "share-course", "logit-contribution-over-training"},
        {Kind::figure, "retrieval-course", "retrieval-over-training"},
        {Kind::figure, "theta-course", "theta-over-training"},
        {Kind::figure, "knock-out-loss", "ablation-loss"},
        {Kind::figure, "knock-out-retrieval", "ablation-retrieval"},
        {Kind::figure, "knock-out-curve", "ablation-curve"},
        {Kind::figure, "knock-out-retrieval-curve", "ablation-retrieval-curve"},
        {Kind::figure, "beyond-loss", "extrapolation-loss"},
        {Kind::figure, "beyond-retrieval", "extrapolation-retrieval"},
        {Kind::quantity, "characters_per_second", "tokens_per_second"},
        {Kind::column, "n", "seeds"},
        {Kind::column, "detectable", "detectable difference"},
        {Kind::column, "speed", "training speed"},
        {Kind::ablation, "stop", "freeze"},
        {Kind::ablation, "remove", "ablate"},
        {Kind::replay, "symbol", "query"},
        {Kind::replay, "knock_out", "ablation"},
        {Kind::flag, "--stop-pairs", "--freeze-pairs"},
        {Kind::flag, "--remove-pairs", "--ablate-pairs"},
        {Kind::flag, "--knock-outs", "--ablation-curve"},
        {Kind::flag, "--windows", "--sequences"},
        {Kind::flag, "--beyond", "--extrapolate"},
        {Kind::flag, "--symbols", "--tokenizer"},
        {Kind::flag, "--window", "--sliding-window"},
        {Kind::flag, "--at-once", "--max-parallel-tasks"},
        {Kind::flag, "--lag", "--distance"},
        {Kind::flag, "--accuracy", "--error"},
        {Kind::replay, "accuracy", "error"},
        {Kind::control, "accuracy", "error"},
    });
    return table;
}

std::string_view current_name(Alias::Kind kind, std::string_view name) {
    const auto all = aliases();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Alias& alias) { return alias.kind == kind && alias.earlier == name; });
    return found == all.end() ? name : found->current;
}

std::string_view earlier_name(Alias::Kind kind, std::string_view name) {
    const auto all = aliases();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Alias& alias) { return alias.kind == kind && alias.current == name; });
    return found == all.end() ? name : found->earlier;
}

std::vector<std::string> current_arguments(std::vector<std::string> arguments) {
    for (std::string& argument : arguments) {
        const std::string flag = argument.substr(0, argument.find('='));
        argument.replace(0, flag.size(), current_name(Alias::Kind::flag, flag));
    }
    return arguments;
}

std::string current_value(std::string_view key, std::string value) {
    if (key == "qk_norm") return value == "head" ? "true" : value == "none" ? "false" : value;
    if (key == "data") return std::string(current_name(Alias::Kind::data, value));
    if (key == "cuda_graphs") return std::string(current_name(Alias::Kind::graphs, value));
    return value;
}

std::map<std::string, std::string> current_settings(const std::map<std::string, std::string>& settings) {
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : settings) {
        const std::string_view current = current_name(Alias::Kind::key, key);
        result.emplace(current, current_value(current, value));
    }
    return result;
}

}  // namespace ropelab
