#include "core/study/head_conversion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/plan/step_cost.h"
#include "core/results/results_cells.h"
#include "core/run/probing.h"
#include "core/study/ablation.h"
#include "core/study/extrapolation.h"

namespace ropelab {

namespace {

constexpr std::int64_t compared_tokens = 65536;

// Sums of groups, times `factor`. After `first` rows that stay come `parts` lists of `heads` equal heads.
void pool_rows(NamedTensor& tensor, std::int64_t first, std::int64_t parts, std::int64_t heads, std::int64_t groups,
               double factor) {
    const std::int64_t row_size = std::ssize(tensor.values) / tensor.shape.front();
    const std::int64_t head_size = (tensor.shape.front() - first) / (parts * heads) * row_size;
    const std::int64_t members = heads / groups;
    std::vector<float> values(tensor.values.begin(), tensor.values.begin() + first * row_size);
    for (std::int64_t group = 0; group < parts * groups; ++group) {
        for (std::int64_t i = 0; i < head_size; ++i) {
            double sum = 0;
            for (std::int64_t member = 0; member < members; ++member) {
                const std::int64_t place = first * row_size + (group * members + member) * head_size + i;
                sum += static_cast<double>(tensor.values[static_cast<std::size_t>(place)]);
            }
            values.push_back(static_cast<float>(factor * sum));
        }
    }
    tensor.values = std::move(values);
    tensor.shape.front() = std::ssize(tensor.values) / row_size;
}

constexpr const char* conversion_kind = "head-conversion";

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

std::string continued_words(const HeadConversionResult& result) {
    if (result.continued_rise.n == 0) return "";
    const Description& rise = result.continued_rise;
    return "; after the same number of further steps, the unconverted run reached " +
           fixed_text(result.loss_continued, 4) + " (the converted model is " + fixed_text(rise.mean, 4) +
           " nats above it, 95 % interval " + fixed_text(rise.confidence_low, 4) + " to " +
           fixed_text(rise.confidence_high, 4) + ")";
}

}  // namespace

std::int64_t steps_of(const HeadConversion& conversion, const RunSpec& spec) {
    if (conversion.fraction == 0) return 0;
    return std::max<std::int64_t>(1, std::llround(conversion.fraction * static_cast<double>(spec.iterations)));
}

Checkpoint with_pooled_heads(const Checkpoint& checkpoint, std::int64_t key_value_heads) {
    const RunSpec& spec = checkpoint.spec;
    const std::int64_t heads = spec.kv_heads();
    if (spec.attention == AttentionKind::mla) {
        throw BadInput(
            "This run has multi-head latent attention, which has no key and value heads; choose a run with attention = "
            "mha or gated.");
    }
    if (!spec.has_softmax_attention()) {
        throw BadInput(
            "All layers of this run are gated DeltaNet layers, which have no key and value heads to share; choose a "
            "run with "
            "attention.");
    }
    if (key_value_heads < 1 || key_value_heads >= heads || heads % key_value_heads != 0) {
        throw BadInput("The number of key and value heads after the conversion is " + std::to_string(key_value_heads) +
                       ", but it must divide the number of heads of the run, which is " + std::to_string(heads) +
                       ", and be smaller.");
    }
    Checkpoint result = checkpoint;
    result.spec.key_value_heads = key_value_heads;
    check(result.spec);
    const auto members = static_cast<double>(heads / key_value_heads);
    for (NamedTensor& tensor : result.state) {
        const double factor = tensor.name.starts_with("model.")              ? 1.0 / members
                              : tensor.name.starts_with("optimizer.second.") ? members
                                                                             : 1.0;
        const bool is_qkv = tensor.name.find(".attention.qkv.") != std::string::npos;
        const bool is_norm = tensor.name.ends_with(".attention.key_norm.weight");
        if (is_norm && spec.qk_norm == QkNorm::projection) pool_rows(tensor, 0, 1, heads, key_value_heads, factor);
        if (tensor.name.ends_with(".attention.relative.weight")) {  // keys of distances (Transformer-XL)
            pool_rows(tensor, 0, 1, heads, key_value_heads, factor);
        }
        if (!is_qkv) continue;
        const auto number = tensor.name.find("layers.") + std::string("layers.").size();
        if (spec.layer_attention(std::stoll(tensor.name.substr(number))) == LayerAttention::delta_net) continue;
        pool_rows(tensor, spec.heads * spec.head_dim(), 2, heads, key_value_heads, factor);
    }
    return result;
}

std::optional<HeadConversionResult> convert_heads(Engine& engine, const Checkpoint& checkpoint,
                                                  const HeadConversion& conversion,
                                                  const std::filesystem::path& data_dir,
                                                  const std::function<bool(std::int64_t done)>& should_continue,
                                                  Checkpoint* converted) {
    if (!(conversion.fraction >= 0 && conversion.fraction <= 1)) {
        throw BadInput("The fraction of further training is " + number_text(conversion.fraction) +
                       ", but it must be between 0 and 1.");
    }
    if (!(conversion.learning_rate >= 0) || !std::isfinite(conversion.learning_rate)) {
        throw BadInput("The learning rate of further training is " + number_text(conversion.learning_rate) +
                       ", but it must be finite and 0 or more; 0 means a tenth of the run's learning rate.");
    }
    const Checkpoint pooled = with_pooled_heads(checkpoint, conversion.key_value_heads);
    HeadConversionResult result;
    result.conversion = conversion;
    result.heads_before = checkpoint.spec.kv_heads();
    result.iteration = checkpoint.iteration;
    result.steps = steps_of(conversion, checkpoint.spec);
    result.cache_before = cache_bytes(checkpoint.spec).kv;
    result.cache_after = cache_bytes(pooled.spec).kv;

    std::int64_t done = 0;
    ProbeRequest request =
        loss_request(corpus_of(checkpoint, data_dir)->validation, checkpoint.spec.context, compared_tokens);
    request.retrieval = {};
    request.cancelled = [&] { return !should_continue(done); };
    const auto evaluate = [&](const Checkpoint& evaluated) { return model_of(engine, evaluated)->probe(request); };
    const ProbeResult before = evaluate(checkpoint);
    if (!should_continue(done)) return std::nullopt;
    const ProbeResult after = evaluate(pooled);
    if (!should_continue(done)) return std::nullopt;
    result.sequences = before.sequences;
    result.loss_before = before.loss;
    result.loss_pooled = result.loss_trained = after.loss;
    result.pooled_rise = result.trained_rise = loss_rise(before, after);
    if (result.steps == 0) {
        if (converted) *converted = pooled;
        return result;
    }
    const auto further = [&](const Checkpoint& from) {
        RunSpec spec = from.spec;
        spec.learning_rate = spec.final_learning_rate =
            conversion.learning_rate == 0 ? checkpoint.spec.learning_rate / 10 : conversion.learning_rate;
        const std::int64_t before_this = done;
        return trained_further(engine, from, spec, result.steps, {}, data_dir, [&](std::int64_t steps) {
            done = before_this + steps;
            return should_continue(done);
        });
    };
    auto trained = further(pooled);
    if (!trained) return std::nullopt;
    const ProbeResult last = evaluate(*trained);
    if (!should_continue(done)) return std::nullopt;
    const auto continued = further(checkpoint);
    if (!continued) return std::nullopt;
    const ProbeResult unconverted = evaluate(*continued);
    if (!should_continue(done)) return std::nullopt;
    result.loss_trained = last.loss;
    result.trained_rise = loss_rise(before, last);
    result.loss_continued = unconverted.loss;
    result.continued_rise = loss_rise(unconverted, last);
    if (converted) *converted = std::move(*trained);
    return result;
}

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
            throw BadInput("The conversion of key and value heads that the lab file " + lab.path().string() +
                           " stores for run " + std::to_string(stored.run) + " is damaged.");
        }
    }
    return conversions;
}

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
