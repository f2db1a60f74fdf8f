#pragma once

#include <string>
#include <vector>

#include "core/bench/engine_bench.h"

namespace ropelab::bench {

/// A variant of a model or its training: settings that replace those of the default.
struct Variant {
    std::string settings;  // "key=value", several joined by ", "
    RunSpec spec;
};
/// Returns the variants of `shape` that can train: position encodings, kinds of attention, feed-forward networks, norms
/// and optimizers. They differ from it only in the settings that they name. Requires two layers or more.
std::vector<Variant> variants_of(const RunSpec& shape);

/// Training speed of one variant, relative to that of the default.
struct VariantSpeed {
    Variant variant;
    Spread steps_per_second;
    Spread ratio;  // steps per second of the variant / steps per second of the default
};
/// Training speeds of variants.
struct VariantsSpeed {
    RunConditions conditions;
    std::vector<VariantSpeed> variants;
};
/// Measures each variant of `shape` in alternation with `shape` itself. The limits apply to each variant.
VariantsSpeed measure_variants(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled = {});

}  // namespace ropelab::bench
