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
    if (interrupted()) throw std::runtime_error("Interrupted before it was done.");
}

const char* word_of(KnockOut::Kind kind) {
    return kind == KnockOut::Kind::stop ? "stop" : "remove";
}

// A number at the right of a column; a dash where there is none.
std::string cell(double value, int decimals, std::size_t width) {
    const std::string text = fixed_text(value, decimals);
    const std::size_t shown = std::isfinite(value) ? text.size() : 1;  // the dash has more bytes than that
    return std::string(width - std::min(width, shown), ' ') + text;
}

nlohmann::json json_of(const BeyondReading& reading, const RunSpec& spec) {
    const SplitLoss split = split_loss(*reading.result, spec.context);
    nlohmann::json json = {{"scaling", word_of(reading.method)},
                           {"steps", reading.fine_tuning ? reading.fine_tuning->steps : 0},
                           {"learning_rate", nullptr},
                           {"windows", reading.result->windows},
                           {"loss", reading.result->loss},
                           {"loss_inside", split.inside},
                           {"loss_beyond", split.beyond},
                           {"accuracy", retrieval_accuracy(*reading.result)},
                           {"loss_by_position", reading.result->loss_by_position}};
    if (reading.fine_tuning) json["learning_rate"] = learning_rate_of(*reading.fine_tuning, spec);
    return json;
}

std::string text_of(const BeyondResult& result, const RunSpec& spec) {
    std::ostringstream text;
    text << "At " << result.factor << " times the context of " << spec.context << " symbols, checkpoint of step "
         << result.iteration << "; losses in nats, copies told in %\n\n"
         << "scaling       steps  loss inside  loss beyond  copies told\n";
    for (const BeyondReading& reading : result.readings) {
        const SplitLoss split = split_loss(*reading.result, spec.context);
        text << std::left << std::setw(14) << word_of(reading.method) << std::right << std::setw(5)
             << (reading.fine_tuning ? reading.fine_tuning->steps : 0) << cell(split.inside, 4, 13)
             << cell(split.beyond, 4, 13) << cell(100 * retrieval_accuracy(*reading.result), 1, 13) << '\n';
    }
    return text.str();
}

}  // namespace

const char* const reading_keys =
    "JSON of --knock-outs: run, iteration, context, knock_out (stop, remove), pairs (how many), and by them "
    "fast_loss,\n"
    "slow_loss (nats), fast_accuracy, slow_accuracy (the share of copies told), with so many knocked out from that "
    "end.\n"
    "JSON of --beyond: run, iteration, context, factor, length, and readings: each scaling, steps (of fine-tuning, 0\n"
    "before it), learning_rate (null before it), windows, loss (nats), loss_inside and loss_beyond (means over the\n"
    "positions inside the context and beyond it), accuracy (the share of copies told), loss_by_position.";

void show_knock_outs(const AskedRun& asked, KnockOut::Kind kind) {
    watch_interrupts();
    const KnockOutCurve curve = judge_knock_outs(open_engine(), asked.checkpoint, kind, asked.data_dir, interrupted);
    end_if_interrupted();
    std::vector<std::size_t> counts(curve.count());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i;
    if (asked.json) {
        return print_json({{"run", asked.run},
                           {"iteration", curve.iteration},
                           {"context", asked.checkpoint.spec.context},
                           {"knock_out", word_of(kind)},
                           {"pairs", counts},
                           {"fast_loss", curve.fast_loss},
                           {"slow_loss", curve.slow_loss},
                           {"fast_accuracy", curve.fast_accuracy},
                           {"slow_accuracy", curve.slow_accuracy}});
    }
    std::ostringstream text;
    text << "Pairs " << (kind == KnockOut::Kind::stop ? "stopped" : "removed")
         << " in all layers and heads, checkpoint "
         << "of step " << curve.iteration << "; losses in nats, copies told in %\n\n"
         << "       from the fast end       from the slow end\n"
         << "pairs     loss  copies told     loss  copies told\n";
    for (const std::size_t i : counts) {
        text << std::setw(5) << i << cell(curve.fast_loss[i], 4, 9) << cell(100 * curve.fast_accuracy[i], 1, 13)
             << cell(curve.slow_loss[i], 4, 9) << cell(100 * curve.slow_accuracy[i], 1, 13) << '\n';
    }
    print_text(text.str());
}

void show_beyond(const AskedRun& asked, const AskedBeyond& how) {
    watch_interrupts();
    Engine& engine = open_engine();
    const RunSpec& spec = asked.checkpoint.spec;
    std::vector<ScalingMethod> methods(beyond_methods().begin(), beyond_methods().end());
    if (how.method) methods = {*how.method};
    BeyondResult result;
    if (!how.steps) {
        result = read_beyond(engine, asked.checkpoint, how.factor, methods, asked.data_dir, interrupted, how.windows);
    } else {
        ProgressLine progress;
        for (const ScalingMethod method : methods) {
            const FineTuning tuning{method, how.factor, *how.steps, how.learning_rate};
            const auto goes_on = [&](std::int64_t done) {
                progress.show("fine-tuning with " + std::string(word_of(method)) + ": step " + std::to_string(done) +
                              " of " + std::to_string(*how.steps));
                return !interrupted();
            };
            BeyondResult more =
                fine_tune_beyond(engine, asked.checkpoint, tuning, asked.data_dir, goes_on, how.windows);
            end_if_interrupted();
            more.readings.insert(more.readings.begin(), result.readings.begin(), result.readings.end());
            result = std::move(more);
        }
    }
    end_if_interrupted();
    if (!asked.json) return print_text(text_of(result, spec));
    nlohmann::json readings = nlohmann::json::array();
    for (const BeyondReading& reading : result.readings) readings.push_back(json_of(reading, spec));
    print_json({{"run", asked.run},
                {"iteration", result.iteration},
                {"context", spec.context},
                {"factor", result.factor},
                {"length", spec.context * result.factor},
                {"readings", readings}});
}

}  // namespace ropelab::terminal
