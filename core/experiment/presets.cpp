#include <algorithm>

#include "core/experiment/experiment.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using Runs = std::vector<std::map<std::string, std::string>>;

Preset make(std::string name, std::string summary,
            const std::vector<std::pair<std::string, std::vector<std::string>>>& settings, Runs runs = {}) {
    Experiment experiment(name);
    for (const auto& [key, values] : settings) experiment.set(key, values);
    experiment.set_explicit_runs(std::move(runs));
    return {std::move(name), std::move(summary), std::move(experiment)};
}

std::vector<Preset> make_presets() {
    const std::vector<std::pair<std::string, std::vector<std::string>>> minute = {
        {"data", {"generated"}},
        {"layers", {"2"}},
        {"heads", {"2"}},
        {"width", {"64"}},
        {"context", {"128"}},
        {"batch", {"8"}},
        {"iterations", {"600"}},
        {"warmup", {"30"}},
        {"learning_rate", {"3e-3"}},
        {"final_learning_rate", {"3e-4"}},
        {"evaluate_every", {"50"}},
        {"evaluation_batches", {"8"}},
    };
    auto theta_minute = minute;
    theta_minute.push_back({"theta", {"500", "1000", "5000", "10000", "20000", "50000"}});

    return {
        make("lecture-minute",
             "Six small models learn a made-up language in about a minute: no rotation, 2 channels, 25 % and 100 % at "
             "θ = 10k, "
             "and 100 % at θ = 100 and 1M.",
             minute,
             {{{"fraction", "0"}},
              {{"fraction", "2 ch"}},
              {{"fraction", "0.25"}},
              {{"fraction", "1"}},
              {{"theta", "100"}},
              {{"theta", "1000000"}}}),
        make("theta-minute", "The theta paper's six bases on small models, in about a minute.", theta_minute),
        make("nanogpt-cpu", "nanoGPT's documented CPU setting: 4 layers, width 128, context 64, on Tiny Shakespeare.",
             {{"data", {"tinyshakespeare"}},
              {"layers", {"4"}},
              {"heads", {"4"}},
              {"width", {"128"}},
              {"context", {"64"}},
              {"batch", {"12"}},
              {"iterations", {"2000"}},
              {"decay_iterations", {"2000"}},
              {"learning_rate", {"1e-3"}},
              {"final_learning_rate", {"1e-4"}},
              {"warmup", {"100"}},
              {"dropout", {"0"}},
              {"evaluate_every", {"250"}},
              {"evaluation", {"sampled"}},
              {"evaluation_batches", {"20"}}}),
        make("theta-paper",
             "The theta paper's setting (Huang, Chen, Zheng 2025): learned positions and rotation, six bases, three "
             "seeds.",
             {{"data", {"tinyshakespeare"}},
              {"position", {"learned+rope"}},
              {"theta", {"500", "1000", "5000", "10000", "20000", "50000"}},
              {"layers", {"6"}},
              {"heads", {"6"}},
              {"width", {"384"}},
              {"context", {"256"}},
              {"batch", {"64"}},
              {"dropout", {"0.2"}},
              {"iterations", {"5000"}},
              {"learning_rate", {"1e-3"}},
              {"final_learning_rate", {"1e-4"}},
              {"warmup", {"100"}},
              {"evaluate_every", {"250"}},
              {"evaluation", {"sampled"}},
              {"evaluation_batches", {"200"}},
              {"seed", {"1337", "1338", "1339"}}}),
    };
}

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> list = make_presets();
    return list;
}

const Preset& preset(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Preset& candidate : presets()) {
        if (candidate.name == name) return candidate;
        names.push_back(candidate.name);
    }
    throw BadInput("There is no preset \"" + std::string(name) + "\"; did you mean " + nearest(name, names) + "?");
}

}  // namespace ropelab
