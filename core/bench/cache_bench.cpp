#include "core/bench/cache_bench.h"

#include <algorithm>
#include <vector>

#include "core/forecast/likely_vocabulary.h"
#include "core/plan/step_cost.h"

namespace ropelab::bench {

std::optional<MeasuredCache> measure_cache(Model& model, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled) {
    Generation generation;
    generation.length = std::clamp<std::int64_t>(tokens, 1, spec.context);
    bool is_cancelled = false;
    generation.on_token = [&](std::int32_t) {
        is_cancelled = is_cancelled || (cancelled && cancelled());
        return !is_cancelled;
    };
    const std::vector<std::int32_t> prompt = {0};
    const std::vector<std::int32_t> generated = model.generate(prompt, generation);
    if (is_cancelled) return std::nullopt;
    return MeasuredCache{static_cast<std::int64_t>(generated.size()), model.cache_bytes(), cache_bytes(spec)};
}

std::optional<MeasuredCache> measure_cache(Engine& engine, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled) {
    check(spec);
    const std::int64_t vocabulary = likely_vocabulary(spec);
    refuse_large_model(spec, vocabulary);
    return measure_cache(*engine.create_untrained_model(spec, static_cast<int>(vocabulary)), spec, tokens, cancelled);
}

}  // namespace ropelab::bench
