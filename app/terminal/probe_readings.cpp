#include "app/terminal/probe_readings.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "core/experiment/engine_loader.h"
#include "core/stats/results_cells.h"

namespace ropelab::terminal {

namespace {

void end_if_interrupted() {
    if (interrupted()) throw std::runtime_error("Interrupted before the evaluation was complete.");
}

const char* word_of(Ablation::Kind kind) {
    return kind == Ablation::Kind::stop ? "freeze" : "ablate";
}

// Returns the number right-aligned in a column of `width` characters, or a dash if it is not finite.
std::string cell(double value, int decimals, std::size_t width) {
    const std::string text = fixed_text(value, decimals);
    const std::size_t shown = std::isfinite(value) ? text.size() : 1;  // the dash is one character of several bytes
    return std::string(width - std::min(width, shown), ' ') + text;
}

nlohmann::json json_of(const ExtrapolationEvaluation& reading, const RunSpec& spec) {
    const SplitLoss split = split_loss(*reading.result, spec.context);
    nlohmann::json json = {{"scaling", word_of(reading.method)},
                           {"steps", reading.fine_tuning ? reading.fine_tuning->steps : 0},
                           {"learning_rate", nullptr},
                           {"sequences", reading.result->sequences},
                           {"loss", reading.result->loss},
                           {"loss_inside", split.inside},
                           {"loss_beyond", split.beyond},
                           {"accuracy", retrieval_accuracy(*reading.result)},
                           {"loss_by_position", reading.result->loss_by_position}};
    if (reading.fine_tuning) json["learning_rate"] = learning_rate_of(*reading.fine_tuning, spec);
    return json;
}

std::string text_of(const ExtrapolationResult& result, const RunSpec& spec) {
    std::ostringstream text;
    text << "Evaluated at " << result.factor << " times the training context of " << spec.context
         << " tokens, checkpoint of step " << result.iteration
         << ".\nLosses in nats per token, inside and beyond the training context; accuracy: copied tokens recalled; "
            "steps: fine-tuning steps.\n\n"
         << "scaling       steps  loss inside  loss beyond  accuracy [%]\n";
    for (const ExtrapolationEvaluation& reading : result.readings) {
        const SplitLoss split = split_loss(*reading.result, spec.context);
        text << std::left << std::setw(14) << word_of(reading.method) << std::right << std::setw(5)
             << (reading.fine_tuning ? reading.fine_tuning->steps : 0) << cell(split.inside, 4, 13)
             << cell(split.beyond, 4, 13) << cell(100 * retrieval_accuracy(*reading.result), 1, 14) << '\n';
    }
    return text.str();
}

}  // namespace

const char* const evaluation_keys =
    "JSON of --ablation-curve: run, iteration, context, ablation (freeze or ablate), pairs (numbers of ablated pairs) "
    "and,\n"
    "per number, fast_loss and slow_loss (nats per token), fast_accuracy and slow_accuracy (fraction of copied tokens\n"
    "recalled), with that many of the fastest (fast_…) or slowest (slow_…) pairs ablated.\n"
    "JSON of --extrapolate: run, iteration, context, factor, length, and readings, each with scaling, steps (of "
    "fine-tuning;\n"
    "0 before it), learning_rate (null before fine-tuning), sequences (their number), loss (nats per token),\n"
    "loss_inside and loss_beyond (means over positions inside and beyond the training context), accuracy (fraction of\n"
    "copied tokens recalled) and loss_by_position.";

void show_ablations(const ProbedRun& run, Ablation::Kind kind) {
    watch_interrupts();
    const AblationCurve curve = measure_ablation_curve(open_engine(), run.checkpoint, kind, run.data_dir, interrupted);
    end_if_interrupted();
    std::vector<std::size_t> counts(curve.count());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i;
    if (run.json) {
        return print_json({{"run", run.run},
                           {"iteration", curve.iteration},
                           {"context", run.checkpoint.spec.context},
                           {"ablation", word_of(kind)},
                           {"pairs", counts},
                           {"fast_loss", curve.fast_loss},
                           {"slow_loss", curve.slow_loss},
                           {"fast_accuracy", curve.fast_accuracy},
                           {"slow_accuracy", curve.slow_accuracy}});
    }
    std::ostringstream text;
    text << "Pairs "
         << (kind == Ablation::Kind::stop ? "frozen (frequency 0)" : "ablated (term removed from the logit)")
         << " in all layers and heads, checkpoint of step " << curve.iteration
         << ".\nLosses in nats per token; accuracy: copied tokens recalled.\n\n"
         << "        fastest pairs first     slowest pairs first\n"
         << "pairs     loss  accuracy [%]     loss  accuracy [%]\n";
    for (const std::size_t i : counts) {
        text << std::setw(5) << i << cell(curve.fast_loss[i], 4, 9) << cell(100 * curve.fast_accuracy[i], 1, 14)
             << cell(curve.slow_loss[i], 4, 9) << cell(100 * curve.slow_accuracy[i], 1, 14) << '\n';
    }
    print_text(text.str());
}

void show_extrapolation(const ProbedRun& run, const ExtrapolationFlags& flags) {
    watch_interrupts();
    Engine& engine = open_engine();
    const RunSpec& spec = run.checkpoint.spec;
    std::vector<ScalingMethod> methods(extrapolation_methods().begin(), extrapolation_methods().end());
    if (flags.method) methods = {*flags.method};
    ExtrapolationResult result;
    if (!flags.steps) {
        result = evaluate_extrapolation(engine, run.checkpoint, flags.factor, methods, run.data_dir, interrupted,
                                        flags.sequences);
    } else {
        ProgressLine progress;
        for (const ScalingMethod method : methods) {
            const FineTuning tuning{method, flags.factor, *flags.steps, flags.learning_rate};
            const auto resume = [&](std::int64_t done) {
                progress.show("fine-tuning with " + std::string(word_of(method)) + ": step " + std::to_string(done) +
                              " of " + std::to_string(*flags.steps));
                return !interrupted();
            };
            ExtrapolationResult more =
                fine_tune_extrapolation(engine, run.checkpoint, tuning, run.data_dir, resume, flags.sequences);
            end_if_interrupted();
            more.readings.insert(more.readings.begin(), result.readings.begin(), result.readings.end());
            result = std::move(more);
        }
    }
    end_if_interrupted();
    if (!run.json) return print_text(text_of(result, spec));
    nlohmann::json readings = nlohmann::json::array();
    for (const ExtrapolationEvaluation& reading : result.readings) readings.push_back(json_of(reading, spec));
    print_json({{"run", run.run},
                {"iteration", result.iteration},
                {"context", spec.context},
                {"factor", result.factor},
                {"length", spec.context * result.factor},
                {"readings", readings}});
}

}  // namespace ropelab::terminal
