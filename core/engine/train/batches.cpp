#include "core/engine/train/batches.h"

#include <algorithm>
#include <string>

#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

std::vector<std::int64_t> random_starts(const RandomStream& stream, std::int64_t count, std::size_t tokens,
                                        std::int64_t context, std::int64_t step) {
    const auto places = static_cast<std::uint64_t>(static_cast<std::int64_t>(tokens) - context);
    std::vector<std::int64_t> starts(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < starts.size(); ++i) {
        starts[i] = static_cast<std::int64_t>(stream.below(places, static_cast<std::uint64_t>(step), i));
    }
    return starts;
}

}  // namespace

std::vector<std::int64_t> batch_starts(const RunSpec& spec, std::size_t tokens, std::int64_t step) {
    if (spec.batches == BatchOrder::random) {
        return random_starts(RandomStream(spec.seed, "batches"), spec.batch, tokens, spec.context, step);
    }
    const std::int64_t sequences = (static_cast<std::int64_t>(tokens) - 1) / spec.context;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(spec.batch));
    for (std::int64_t i = 0; i < spec.batch; ++i) starts[i] = ((step * spec.batch + i) % sequences) * spec.context;
    return starts;
}

std::vector<std::int64_t> sampled_starts(const RunSpec& spec, std::size_t tokens, std::int64_t iteration,
                                         const char* split) {
    return random_starts(RandomStream(spec.seed, std::string("evaluation:") + split),
                         spec.evaluation_batches * spec.batch, tokens, spec.context, iteration);
}

std::vector<std::int64_t> spaced_starts(const RunSpec& spec, std::size_t tokens) {
    const std::int64_t sequences = (static_cast<std::int64_t>(tokens) - 1) / spec.context;
    const std::int64_t count = std::min(sequences, spec.evaluation_batches * spec.batch);
    std::vector<std::int64_t> starts(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) starts[i] = (i * sequences / count) * spec.context;
    return starts;
}

}  // namespace ropelab
