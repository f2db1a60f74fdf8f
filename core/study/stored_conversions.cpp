#include "core/study/stored_conversions.h"

#include "core/data/json_text.h"
#include "core/data/known_sets.h"
#include "core/results/results_cells.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr const char* conversion_kind = "head-conversion";

nlohmann::json rise_json(const Description& rise) {
    return {{"mean", rise.mean}, {"low", rise.confidence_low}, {"high", rise.confidence_high}, {"sequences", rise.n}};
}

// JSON has null in place of numbers that are not finite.
double number_or_nan(const nlohmann::json& value) {
    return value.is_null() ? Description::unknown : value.get<double>();
}

Description rise_of(const nlohmann::json& json) {
    Description rise;
    rise.n = json.at("sequences").get<std::int64_t>();
    rise.mean = number_or_nan(json.at("mean"));
    rise.confidence_low = number_or_nan(json.at("low"));
    rise.confidence_high = number_or_nan(json.at("high"));
    return rise;
}

HeadConversionResult conversion_of(const nlohmann::json& json) {
    HeadConversionResult result;
    result.conversion.key_value_heads = json.at("key_value_heads").get<std::int64_t>();
    result.conversion.fraction = json.at("fraction").get<double>();
    result.conversion.learning_rate = json.at("learning_rate").get<double>();
    result.heads_before = json.at("key_value_heads_before").get<std::int64_t>();
    result.iteration = json.at("iteration").get<std::int64_t>();
    result.steps = json.at("steps").get<std::int64_t>();
    result.sequences = json.at("sequences").get<std::int64_t>();
    result.loss_before = number_or_nan(json.at("loss_before"));
    result.loss_pooled = number_or_nan(json.at("loss_pooled"));
    result.loss_trained = number_or_nan(json.at("loss_trained"));
    if (json.contains("loss_continued")) {
        result.loss_continued = number_or_nan(json.at("loss_continued"));
        result.continued_rise = rise_of(json.at("continued_rise"));
    }
    result.pooled_rise = rise_of(json.at("pooled_rise"));
    result.trained_rise = rise_of(json.at("trained_rise"));
    result.cache_before = json.at("kv_cache_bytes_before").get<std::int64_t>();
    result.cache_after = json.at("kv_cache_bytes").get<std::int64_t>();
    return result;
}

}  // namespace

nlohmann::json head_conversion_json(const HeadConversionResult& result) {
    return {{"iteration", result.iteration},
            {"key_value_heads_before", result.heads_before},
            {"key_value_heads", result.conversion.key_value_heads},
            {"fraction", result.conversion.fraction},
            {"learning_rate", result.conversion.learning_rate},
            {"steps", result.steps},
            {"sequences", result.sequences},
            {"loss_before", result.loss_before},
            {"loss_pooled", result.loss_pooled},
            {"loss_trained", result.loss_trained},
            {"loss_continued", result.loss_continued},
            {"continued_rise", rise_json(result.continued_rise)},
            {"pooled_rise", rise_json(result.pooled_rise)},
            {"trained_rise", rise_json(result.trained_rise)},
            {"kv_cache_bytes_before", result.cache_before},
            {"kv_cache_bytes", result.cache_after}};
}

void store_head_conversion(LabFile& lab, RunId run, const HeadConversionResult& result) {
    lab.add_later_result(run, conversion_kind, head_conversion_json(result).dump());
}

std::vector<StoredHeadConversion> stored_head_conversions(const LabFile& lab) {
    std::vector<StoredHeadConversion> conversions;
    for (const LaterResult& stored : lab.later_results(conversion_kind)) {
        try {
            conversions.push_back({stored.run, stored.created, conversion_of(parse_bounded(stored.text))});
        } catch (const nlohmann::json::exception&) {
            throw BadInput("The conversion of heads that the lab " + lab.path().string() + " stores for run " +
                           std::to_string(stored.run) + " is damaged.");
        }
    }
    return conversions;
}

namespace {

// Compares the converted run with the unconverted one after the same further steps.
std::string continued_words(const HeadConversionResult& result) {
    if (result.continued_rise.n == 0) return "";
    const Description& rise = result.continued_rise;
    return "; the unconverted run reached " + fixed_text(result.loss_continued, 4) +
           " with the same further steps (the conversion is " + fixed_text(rise.mean, 4) + " above it, " +
           fixed_text(rise.confidence_low, 4) + " to " + fixed_text(rise.confidence_high, 4) + ")";
}

}  // namespace

std::string head_conversion_words(const HeadConversionResult& result) {
    const bool is_trained = result.steps > 0;
    const Description& rise = is_trained ? result.trained_rise : result.pooled_rise;
    const std::string further = is_trained ? " and " + fixed_text(result.loss_trained, 4) + " after " +
                                                 std::to_string(result.steps) +
                                                 (result.steps == 1 ? " further step" : " further steps")
                                           : "";
    return "At step " + std::to_string(result.iteration) + ", " + std::to_string(result.heads_before) +
           " key and value heads were replaced by " + std::to_string(result.conversion.key_value_heads) +
           ": the validation loss of " + fixed_text(result.loss_before, 4) + " nats per token on " +
           grouped(result.sequences) + (result.sequences == 1 ? " sequence became " : " sequences became ") +
           fixed_text(result.loss_pooled, 4) + further + " (rise " + fixed_text(rise.mean, 4) + ", 95 % interval " +
           fixed_text(rise.confidence_low, 4) + " to " + fixed_text(rise.confidence_high, 4) + ")" +
           continued_words(result) + ", and the KV cache shrank from " + grouped(result.cache_before) + " to " +
           grouped(result.cache_after) + " bytes.";
}

}  // namespace ropelab
