#include "app/terminal/runs/probe_evaluations.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/runs/ablation_output.h"
#include "core/machine/engine_loader.h"
#include "core/results/results_cells.h"

namespace ropelab::terminal {

namespace {

nlohmann::json json_of_evaluation(const ExtrapolationEvaluation& evaluation, const RunSpec& spec) {
    const SplitLoss split = split_loss(*evaluation.result, spec.context);
    nlohmann::json json = {
        {"scaling", word_of(evaluation.method)},
        {"steps", evaluation.fine_tuning ? evaluation.fine_tuning->steps : 0},
        {"learning_rate", nullptr},
        {"sequences", evaluation.result->sequences},
        {"loss", evaluation.result->loss},
        {"loss_inside", split.inside},
        {"loss_beyond", split.beyond},
        {"accuracy", retrieval_accuracy(*evaluation.result)},
        {"accuracy_interval", json_of(retrieval_interval(*evaluation.result))},
        {"retrieval_sequences", retrieval_sequences(*evaluation.result)},
        {"loss_error",
         evaluation.result->sequences > 1 ? nlohmann::json(evaluation.result->loss_error) : nlohmann::json()},
        {"loss_by_position", evaluation.result->loss_by_position},
        {"loss_by_position_error", evaluation.result->loss_by_position_error}};
    if (!evaluation.long_factors.empty()) json["long_factors"] = evaluation.long_factors;
    if (evaluation.fine_tuning) json["learning_rate"] = learning_rate_of(*evaluation.fine_tuning, spec);
    return json;
}

std::string text_of(const ExtrapolationResult& result, const RunSpec& spec) {
    std::ostringstream text;
    text << "Evaluated at " << result.factor << " times the training context of " << spec.context
         << " tokens, checkpoint of step " << result.iteration
         << ".\nLosses are in nats per token, inside and beyond the training context. The accuracy is the percentage "
            "of copied\ntokens recalled; the steps are fine-tuning steps.\n"
         << (result.evaluations.empty() ? "" : counts_of(*result.evaluations.front().result))
         << "scaling       steps  loss inside  loss beyond  accuracy [%]\n";
    for (const ExtrapolationEvaluation& evaluation : result.evaluations) {
        const SplitLoss split = split_loss(*evaluation.result, spec.context);
        text << std::left << std::setw(14) << word_of(evaluation.method) << std::right << std::setw(5)
             << (evaluation.fine_tuning ? evaluation.fine_tuning->steps : 0) << cell(split.inside, 4, 13)
             << cell(split.beyond, 4, 13) << cell(100 * retrieval_accuracy(*evaluation.result), 1, 14) << '\n';
    }
    for (const ExtrapolationEvaluation& evaluation : result.evaluations) {
        if (evaluation.long_factors.empty() || evaluation.fine_tuning) continue;
        text << "Divisors of longrope:";
        for (const double factor : evaluation.long_factors) text << ' ' << cell(factor, 3, 0);
        text << '\n';
    }
    return text.str();
}

}  // namespace

const char* const evaluation_keys =
    "JSON of --ablation-curve: run, iteration, context, ablation (freeze or ablate), pairs (numbers of ablated pairs) "
    "and,\n"
    "per number, fast_loss and slow_loss (nats per token), fast_accuracy and slow_accuracy (fraction of copied tokens\n"
    "recalled), with that many of the fastest (fast_…) or slowest (slow_…) pairs ablated; fast_loss_rise and\n"
    "slow_loss_rise (rise over 0 pairs, paired by sequence: mean, low and high of the 95 % interval, sequences);\n"
    "fast_accuracy_interval and slow_accuracy_interval (low and high); fast_controls and slow_controls (contribution:\n"
    "total logit contribution of the ablated pairs; draws: random other pairs of nearly the same contribution, each "
    "with\n"
    "pairs, contribution, loss and accuracy; empty where there are none). sequences, length and retrieval_sequences "
    "are\n"
    "the numbers of sequences and of tokens per sequence.\n"
    "JSON of --extrapolate: run, iteration, context, factor, length, and evaluations, each with scaling, steps (of "
    "fine-tuning;\n"
    "0 before it), learning_rate (null before fine-tuning), sequences (their number), loss (nats per token),\n"
    "loss_inside and loss_beyond (means over positions inside and beyond the training context), accuracy (fraction of\n"
    "copied tokens recalled), accuracy_interval (low and high), loss_by_position, loss_error and\n"
    "loss_by_position_error (standard errors over the sequences), and, with longrope, long_factors (divisors of the\n"
    "frequencies). A run without RoPE or with a theta that changed in training is evaluated with scaling none only; a "
    "run\n"
    "with learned positions has none beyond its context.";

void show_extrapolation(const ProbedRun& run, const ExtrapolationFlags& flags) {
    watch_interrupts();
    Engine& engine = open_engine();
    const RunSpec& spec = run.checkpoint.spec;
    std::vector<ScalingMethod> methods = extrapolation_methods_of(spec);
    if (flags.method) methods = {*flags.method};
    ExtrapolationResult result;
    if (!flags.steps) {
        result = evaluate_extrapolation(engine, run.checkpoint, flags.factor, methods, run.data_dir, interrupted,
                                        flags.sequences, flags.long_factors);
    } else {
        ProgressLine progress;
        for (const ScalingMethod method : methods) {
            const FineTuning tuning{method, flags.factor, *flags.steps, flags.learning_rate, flags.long_factors};
            const auto resume = [&](std::int64_t done) {
                progress.show("fine-tuning with " + std::string(word_of(method)) + ": step " + std::to_string(done) +
                              " of " + std::to_string(*flags.steps));
                return !interrupted();
            };
            ExtrapolationResult more =
                fine_tune_extrapolation(engine, run.checkpoint, tuning, run.data_dir, resume, flags.sequences);
            end_if_interrupted();
            more.evaluations.insert(more.evaluations.begin(), result.evaluations.begin(), result.evaluations.end());
            result = std::move(more);
        }
    }
    end_if_interrupted();
    if (!run.json) return print_text(text_of(result, spec));
    nlohmann::json evaluations = nlohmann::json::array();
    for (const ExtrapolationEvaluation& evaluation : result.evaluations)
        evaluations.push_back(json_of_evaluation(evaluation, spec));
    print_json({{"run", run.run},
                {"iteration", result.iteration},
                {"context", spec.context},
                {"factor", result.factor},
                {"length", spec.context * result.factor},
                {"evaluations", evaluations}});
}

}  // namespace ropelab::terminal
