#include "app/terminal/runs/ablation_output.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "core/machine/engine_loader.h"
#include "core/stats/results_cells.h"

namespace ropelab::terminal {

namespace {

/// Returns one JSON value per element.
template <typename List, typename Make>
nlohmann::json list_of(const List& list, const Make& make) {
    nlohmann::json result = nlohmann::json::array();
    for (const auto& each : list) result.push_back(make(each));
    return result;
}

const char* words_of(Ablation::Kind kind) {
    switch (kind) {
        case Ablation::Kind::stop:
            return "frozen (frequency 0)";
        case Ablation::Kind::remove:
            return "ablated (term removed from the logit)";
        case Ablation::Kind::mean:
            break;
    }
    return "mean-ablated (query and key replaced by their means)";
}

/// Returns the mean loss of the controls; NaN if there are none.
double mean_loss(const AblationControls& controls) {
    std::vector<double> losses;
    for (const AblationControl& draw : controls.draws) losses.push_back(draw.result->loss);
    return describe(losses).mean;
}

std::string range_text(const Interval95& interval, double factor, int decimals) {
    if (!std::isfinite(interval.low)) return "no interval";
    return fixed_text(factor * interval.low, decimals) + " to " + fixed_text(factor * interval.high, decimals);
}

std::string table_of(const AblationCurve& curve) {
    std::ostringstream text;
    text << "        fastest pairs first                              slowest pairs first\n"
         << "pairs     loss  rise, 95 % interval   control  accuracy [%]     loss  rise, 95 % interval   control  "
            "accuracy [%]\n";
    for (std::size_t i = 0; i < curve.count(); ++i) {
        const auto half = [&](double loss, const Description& rise, const AblationControls& controls, double accuracy) {
            text << cell(loss, 4, 9) << std::setw(21) << range_text({rise.confidence_low, rise.confidence_high}, 1, 4)
                 << cell(mean_loss(controls), 4, 10) << cell(100 * accuracy, 1, 14);
        };
        text << std::setw(5) << i;
        half(curve.fast_loss[i], curve.fast_rise[i], curve.fast_controls[i], curve.fast_accuracy[i]);
        half(curve.slow_loss[i], curve.slow_rise[i], curve.slow_controls[i], curve.slow_accuracy[i]);
        text << '\n';
    }
    return text.str();
}

}  // namespace

void end_if_interrupted() {
    if (interrupted()) throw std::runtime_error("Interrupted before the evaluation was complete.");
}

std::string cell(double value, int decimals, std::size_t width) {
    const std::string text = fixed_text(value, decimals);
    const std::size_t shown = std::isfinite(value) ? text.size() : 1;  // the dash is one character of several bytes
    return std::string(width - std::min(width, shown), ' ') + text;
}

nlohmann::json json_of(const Interval95& interval) {
    if (!std::isfinite(interval.low)) return nullptr;
    return {{"low", interval.low}, {"high", interval.high}};
}

nlohmann::json json_of(const AblationControls& controls) {
    return {{"contribution", controls.contribution}, {"draws", list_of(controls.draws, [](const AblationControl& draw) {
                                                          return nlohmann::json{
                                                              {"pairs", draw.pairs},
                                                              {"contribution", draw.contribution},
                                                              {"loss", draw.result->loss},
                                                              {"accuracy", retrieval_accuracy(*draw.result)}};
                                                      })}};
}

std::string text_of(const AblationControls& controls, double whole) {
    std::ostringstream text;
    text << std::fixed;
    if (controls.draws.empty()) {
        return "Controls: no set of other pairs has nearly the same logit contribution as the ablated pairs.\n";
    }
    text << "Controls: random other pairs with nearly the logit contribution of the ablated pairs ("
         << std::setprecision(1) << 100 * controls.contribution << " %), ablated in the same way.\n"
         << "contribution [%]  loss rise [nats]  pairs\n";
    for (const AblationControl& draw : controls.draws) {
        text << cell(100 * draw.contribution, 1, 16) << cell(draw.result->loss - whole, 4, 18) << "  ";
        for (std::size_t i = 0; i < draw.pairs.size(); ++i) text << (i > 0 ? "+" : "") << draw.pairs[i];
        text << '\n';
    }
    return text.str();
}

std::string counts_of(const ProbeResult& result) {
    const std::int64_t retrieval = retrieval_sequences(result);
    return "The losses are means over " + std::to_string(result.sequences) + " sequences of " +
           std::to_string(result.length) + " tokens, the accuracies over " + std::to_string(retrieval) +
           " sequences.\n\n";
}

void show_ablations(const ProbedRun& run, Ablation::Kind kind, std::int64_t controls) {
    watch_interrupts();
    const AblationCurve curve =
        measure_ablation_curve(open_engine(), run.checkpoint, kind, run.data_dir, interrupted, controls);
    end_if_interrupted();
    if (run.json) {
        std::vector<std::size_t> counts(curve.count());
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i;
        const auto intervals = [](const std::vector<Interval95>& list) {
            return list_of(list, [](const Interval95& each) { return json_of(each); });
        };
        const auto of_controls = [](const std::vector<AblationControls>& list) {
            return list_of(list, [](const AblationControls& each) { return json_of(each); });
        };
        return print_json({{"run", run.run},
                           {"iteration", curve.iteration},
                           {"context", run.checkpoint.spec.context},
                           {"ablation", word_of(kind)},
                           {"sequences", curve.sequences},
                           {"length", curve.length},
                           {"retrieval_sequences", curve.retrieval_sequences},
                           {"pairs", counts},
                           {"fast_loss", curve.fast_loss},
                           {"slow_loss", curve.slow_loss},
                           {"fast_loss_rise", list_of(curve.fast_rise, rise_json)},
                           {"slow_loss_rise", list_of(curve.slow_rise, rise_json)},
                           {"fast_accuracy", curve.fast_accuracy},
                           {"slow_accuracy", curve.slow_accuracy},
                           {"fast_accuracy_interval", intervals(curve.fast_accuracy_interval)},
                           {"slow_accuracy_interval", intervals(curve.slow_accuracy_interval)},
                           {"fast_controls", of_controls(curve.fast_controls)},
                           {"slow_controls", of_controls(curve.slow_controls)}});
    }
    std::ostringstream text;
    text << "Pairs " << words_of(kind) << " in all layers and heads, checkpoint of step " << curve.iteration
         << ".\nThe losses, in nats per token, are means over " << curve.sequences << " sequences of " << curve.length
         << " tokens. The rise is the difference from 0 pairs, paired by sequence.\nThe accuracy is the percentage of "
            "copied tokens recalled in "
         << curve.retrieval_sequences
         << " sequences.\nThe control is the mean loss with random other pairs of nearly the same logit contribution "
            "ablated; a dash means that there are none.\n\n"
         << table_of(curve);
    print_text(text.str());
}

}  // namespace ropelab::terminal
