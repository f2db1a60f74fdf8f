#include "core/settings/run_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "core/base/numbers.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

std::string position_label(const RunSpec& spec) {
    const PositionEncoding& encoding = spec.encoding();
    std::string label(encoding.label);
    for (const PositionEncoding::Own& own : encoding.settings) {
        const Value value = key(own.key).get(spec);
        const bool is_shown = own.is_always_shown || value != key(own.key).get(RunSpec{});
        if (!own.is_in_labels() || !is_shown) continue;
        const auto* real = std::get_if<double>(&value);
        label +=
            ", " + std::string(own.before) + (real ? number_in_names(*real) : to_text(value)) + std::string(own.after);
    }
    if (!spec.rotates()) return label;
    // RoPE beside another encoding, or the RoPE of an encoding that changes it.
    if (!label.empty()) label += encoding.rotation == PositionEncoding::Rotation::rope ? " + " : ", ";
    if (spec.fraction == 0) return label + "RoPE 0 %";
    const int rotated = rotary_dim(spec.rotary_head_dim(), spec.fraction);
    std::string fraction = fraction_text(spec.fraction, spec.rotary_head_dim());
    if (spec.partial == Partial::truncate && rotated < spec.rotary_head_dim()) fraction += " truncated";
    if (spec.pairs != "all") fraction += ", pairs " + spec.pairs;
    if (spec.rotated_layers != "all") fraction += ", layers " + spec.rotated_layers;
    if (spec.rope_precision == RopePrecision::bfloat16_tables) fraction += ", bfloat16 tables";
    if (spec.rope_precision == RopePrecision::bfloat16_positions) fraction += ", bfloat16 positions";
    if (spec.frequencies != "auto") return label + "frequencies " + spec.frequencies + ", " + fraction;
    std::string theta = number_in_names(spec.theta);
    if (spec.theta_schedule == ThetaSchedule::drop) {
        theta += " dropped at step " + std::to_string(spec.drop_step());
    } else if (spec.theta_schedule != ThetaSchedule::constant) {
        theta += " → " + number_in_names(spec.theta_end) + " (" + to_text(key("theta_schedule").get(spec)) + ")";
    }
    if (spec.theta_training != ThetaTraining::fixed) {
        theta += " trained (" + to_text(key("theta_training").get(spec)) + ")";
    }
    return label + "θ " + theta + ", " + fraction;
}

bool label_shows(std::string_view name) {
    static const std::set<std::string_view> shown = [] {
        std::set<std::string_view> names = {
            "theta",          "fraction",       "partial",          "position",         "pairs",
            "rotated_layers", "frequencies",    "theta_training",   "theta_schedule",   "theta_end",
            "attention",      "rope_precision", "attention_window", "attention_layers", "attention_sinks",
            "key_offset",     "token_smear",    "recalibration"};
        for (const PositionEncoding& encoding : position_encodings()) {
            for (const PositionEncoding::Own& own : encoding.settings) {
                if (own.is_in_labels()) names.insert(own.key);
            }
        }
        return names;
    }();
    return shown.contains(name);
}

// `shown_by_label` selects the settings that label_of can show, or all others.
void add_differences(std::vector<std::string>& names, const std::vector<RunSpec>& runs,
                     const std::vector<std::size_t>& members, bool shown_by_label) {
    for (const Key& key : keys()) {
        if (label_shows(key.name) != shown_by_label) continue;
        const Value first = key.get(runs[members.front()]);
        if (std::ranges::all_of(members, [&](std::size_t member) { return key.get(runs[member]) == first; })) continue;
        std::set<std::string> values;
        for (const std::size_t member : members) values.insert(to_text(key.get(runs[member])));
        if (values.size() < 2) continue;
        std::string word(key.name);
        std::replace(word.begin(), word.end(), '_', ' ');
        for (const std::size_t member : members) names[member] += ", " + word + " " + to_text(key.get(runs[member]));
    }
}

}  // namespace

std::string label_of(const RunSpec& spec) {
    std::string label = position_label(spec);
    const bool has_window = spec.attention_window > 0 && spec.attention_window < spec.context;
    if (has_window) label += ", attention window " + std::to_string(spec.attention_window);
    if (spec.attention_layers != "auto") {
        std::string layers = spec.attention_layers;
        std::erase_if(layers, [](unsigned char c) { return std::isspace(c) != 0; });
        label += ", layers " + layers;
    }
    if (spec.attention == AttentionKind::mla) label += ", MLA";
    if (spec.attention == AttentionKind::gated) label += ", gated attention";
    if (spec.attention_sinks) label += ", attention sinks";
    if (spec.key_offset != "none") label += ", key offset " + spec.key_offset;
    if (spec.token_smear) label += ", token smear";
    return label;
}

std::vector<std::string> run_names(const std::vector<RunSpec>& runs) {
    std::vector<std::string> names;
    if (runs.empty()) return names;
    names.reserve(runs.size());
    for (const RunSpec& run : runs) names.push_back(label_of(run));
    std::vector<std::size_t> all(runs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    add_differences(names, runs, all, false);

    std::map<std::string, std::vector<std::size_t>> runs_by_name;
    for (const std::size_t run : all) runs_by_name[names[run]].push_back(run);
    for (const auto& [name, members] : runs_by_name) {
        if (members.size() > 1) add_differences(names, runs, members, true);
    }
    return names;
}

std::string number_in_names(double number) {
    constexpr std::ptrdiff_t most_digits = 3;
    std::string text = short_number(number);
    if (!text.ends_with('k') && !text.ends_with('M')) return text;
    std::string all = number_text(number);
    all = grouped(static_cast<std::int64_t>(number)) + all.substr(std::min(all.find('.'), all.size()));
    const auto digits = std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return digits <= most_digits && text.size() < all.size() ? text : all;
}

}  // namespace ropelab
