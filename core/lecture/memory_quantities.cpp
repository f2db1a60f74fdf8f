#include <optional>

#include "core/experiment/experiment.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/interop/hf_config.h"
#include "core/interop/model_table.h"
#include "core/lecture/quantity_table.h"
#include "core/plan/step_cost.h"
#include "core/rope/memory.h"
#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr int kv_number_bytes = 2;  // bfloat16, in which models are published

/// Sizes of the caches of a model at a context, in bytes.
struct CacheSizes {
    std::int64_t table = 0;
    std::int64_t kv = 0;
};

std::int64_t table_size(int rotary_dim, std::int64_t context, const RotarySetup& setup) {
    return rope_cache_bytes(rotary_dim, context, bytes_of(setup.precision), TableLayout::duplicated);
}

CacheSizes sizes_of_model(const QuantityInput& input) {
    const KnownModel& known = known_model(input.arguments.text("model"));
    const HfModel model = read_hf_config(known.config);
    if (!model.cache) throw BadInput("The model " + known.name + " has no KV cache.");
    const std::int64_t context = input.arguments.whole_or("L", model.context);
    CacheSizes sizes;
    for (const HfRotary& rotary : model.rotary) sizes.table += table_size(rotary.rotary_dim, context, input.setup);
    sizes.kv = kv_cache_bytes(*model.cache, model.kind, context, kv_number_bytes);
    return sizes;
}

CacheSizes sizes_of_shape(const QuantityInput& input) {
    const QuantityArguments& arguments = input.arguments;
    constexpr std::int64_t most = 1 << 24;
    for (const char* name : {"layers", "kv_heads", "head_dim", "bytes"}) {
        if (arguments.whole(name) > most) throw BadInput(std::string("The argument ") + name + " is too large.");
    }
    CacheShape shape;
    shape.layers = arguments.whole("layers");
    shape.kv_heads = arguments.whole("kv_heads");
    shape.heads = shape.kv_heads;
    shape.head_dim = arguments.whole("head_dim");
    const std::int64_t context = arguments.whole("L");
    const int rotated = rotary_dim(static_cast<int>(shape.head_dim), input.setup.fraction);
    return {table_size(rotated, context, input.setup),
            kv_cache_bytes(shape, KvCache::grouped, context, static_cast<int>(arguments.whole("bytes")))};
}

CacheSizes sizes_of(const QuantityInput& input) {
    return input.arguments.has("model") ? sizes_of_model(input) : sizes_of_shape(input);
}

nlohmann::json parameters(const QuantityInput& input) {
    RunFilter settings = input.arguments.filter();
    std::optional<std::int64_t> vocabulary;
    if (const auto found = settings.find("vocabulary"); found != settings.end()) {
        vocabulary = static_cast<std::int64_t>(parse_number(found->second));
        settings.erase(found);
    }
    RunSpec spec;
    if (const auto found = settings.find("preset"); found != settings.end()) {
        spec = preset(found->second).experiment.expand().front();
        settings.erase(found);
    }
    for (const auto& [name, text] : settings) {
        const Key& setting = key(current_name(Alias::Kind::key, name));
        setting.set(spec, parse_value(setting, text, spec));
    }
    check(spec);
    return parameter_count(spec, vocabulary ? *vocabulary : likely_vocabulary(spec));
}

constexpr const char* cache_arguments = "(model[, L]) or (layers, kv_heads, head_dim, L, bytes)";

}  // namespace

std::vector<Quantity> memory_quantities() {
    return {
        {{"table_bytes", "", "bytes",
          "Size of the setup's cos/sin table for its context and precision; each number is stored for both channels of "
          "a pair."},
         [](const QuantityInput& input) -> nlohmann::json {
             return table_size(rotary_dim(input.setup), input.setup.context, input.setup);
         }},
        {{"kv_cache_bytes", cache_arguments, "bytes",
          "Size of the KV cache of one sequence of L tokens (default: the model's context). A published model stores "
          "2 bytes per number."},
         [](const QuantityInput& input) -> nlohmann::json { return sizes_of(input).kv; },
         true},
        {{"cache_share", cache_arguments, "",
          "Size of the cos/sin table, in the setup's precision, divided by that of the KV cache. Without a published "
          "model, the setup's fraction of head_dim is rotated."},
         [](const QuantityInput& input) -> nlohmann::json {
             const CacheSizes sizes = sizes_of(input);
             return static_cast<double>(sizes.table) / static_cast<double>(sizes.kv);
         }},
        {{"parameters", "(setting=value, …)", "parameters",
          "Number of trainable parameters of a run with these settings; preset=NAME is the start, vocabulary=65 the "
          "number of tokens."},
         parameters,
         true},
    };
}

}  // namespace ropelab
