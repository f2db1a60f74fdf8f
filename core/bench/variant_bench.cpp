#include "core/bench/variant_bench.h"

#include <utility>

#include "core/bench/benchmark_cohorts.h"
#include "core/spec/keys.h"

namespace ropelab::bench {

namespace {

using Assignments = std::vector<std::pair<const char*, const char*>>;

std::vector<Assignments> all_variants() {
    std::vector<Assignments> variants;
    for (const char* position :
         {"none", "learned", "sinusoidal", "alibi", "shaw", "t5", "transformer-xl", "xpos", "cope", "rope+bias"}) {
        variants.push_back({{"position", position}});
    }
    variants.push_back({{"attention_window", "32"}});
    variants.push_back({{"attention_layers", "1 window + 1 full"}, {"attention_window", "32"}});
    variants.push_back({{"attention_layers", "1 deltanet + 1 full"}});
    variants.push_back({{"attention", "mla"}});
    variants.push_back({{"attention", "gated"}});
    variants.push_back({{"attention_sinks", "true"}});
    for (const char* kind : {"relu", "swish", "relu2", "glu", "bilinear", "reglu", "geglu", "swiglu"}) {
        variants.push_back({{"feed_forward", kind}});
    }
    variants.push_back({{"experts", "4"}});
    for (const char* norm : {"rmsnorm", "zero-centered-rmsnorm", "dyt"}) variants.push_back({{"norm", norm}});
    for (const char* place : {"post", "sandwich"}) variants.push_back({{"norm_position", place}});
    for (const char* optimizer : {"sgd", "muon"}) variants.push_back({{"optimizer", optimizer}});
    variants.push_back({{"weight_decay_kind", "l2"}});
    return variants;
}

}  // namespace

std::vector<Variant> variants_of(const RunSpec& shape) {
    std::vector<Variant> variants;
    for (const Assignments& assignments : all_variants()) {
        Variant variant{"", shape};
        for (const auto& [name, value] : assignments) {
            const Key& setting = key(name);
            setting.set(variant.spec, parse_value(setting, value, variant.spec));
            variant.settings += (variant.settings.empty() ? "" : ", ") + std::string(name) + "=" + value;
        }
        check(variant.spec);
        variants.push_back(std::move(variant));
    }
    return variants;
}

VariantsSpeed measure_variants(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled) {
    VariantsSpeed result;
    for (Variant& variant : variants_of(shape)) {
        BenchmarkCohorts cohorts(engine, shape);
        Cohort& default_cohort = cohorts.cohort({shape});
        Cohort& cohort = cohorts.cohort({variant.spec});
        const int default_steps = steps_per_round(default_cohort, patience);
        const int steps = steps_per_round(cohort, patience);
        auto seconds = measure_alternately({steps_of(default_cohort, default_steps), steps_of(cohort, steps)}, patience,
                                           cancelled);
        for (double& value : seconds[0]) value /= default_steps;
        for (double& value : seconds[1]) value /= steps;
        result.conditions = default_cohort.conditions();
        result.variants.push_back({std::move(variant), speed_of(seconds[1], 1), ratio_of(seconds[0], seconds[1])});
    }
    return result;
}

}  // namespace ropelab::bench
