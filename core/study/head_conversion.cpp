#include "core/study/head_conversion.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/cache_bytes.h"
#include "core/run/probing.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/study/ablation.h"
#include "core/study/extrapolation.h"

namespace ropelab {

namespace {

constexpr std::int64_t compared_tokens = 65536;

// Replaces the key and value heads of a tensor by the sums of their groups, times `factor`. The rows of the tensor are
// `first` rows that stay, then `parts` lists of `heads` heads of equal size.
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
        throw BadInput("The number of key and value heads is " + std::to_string(key_value_heads) +
                       ", but it must divide the run's number, which is " + std::to_string(heads) +
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
                       ", but it must be 0 (a tenth of the run's) or more, and finite.");
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

}  // namespace ropelab
