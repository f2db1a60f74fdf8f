#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/contract/event.h"
#include "core/contract/probe.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/interop/external_model.h"
#include "core/interop/model_steps.h"
#include "core/machine/engine_loader.h"
#include "core/results/results_cells.h"
#include "core/rope/frequencies.h"
#include "core/rope/scaling.h"
#include "core/run/probing.h"
#include "core/store/lab_file.h"
#include "core/study/ablation.h"
#include "core/study/expert_load.h"
#include "core/study/extrapolation.h"
#include "core/sweep/stored_run.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

/// --ablation-curve and --extrapolate evaluate its checkpoint.
struct ProbedRun {
    RunRecord run;
    Checkpoint checkpoint;
    std::filesystem::path data_dir;
    bool json = false;

    /// "checkpoint of step 100", or the name of a model that others trained.
    std::string origin() const {
        return checkpoint.external ? run.name : "checkpoint of step " + std::to_string(checkpoint.iteration);
    }
    /// The members of the JSON that name it.
    nlohmann::json names() const {
        if (checkpoint.external) return {{"model", run.name}, {"text", checkpoint.external->corpus->name}};
        return {{"run", run.id}, {"iteration", checkpoint.iteration}};
    }
};

std::string whole_text(std::int64_t number) {
    return std::to_string(number);
}

const char* words_of(Ablation::Kind kind) {
    switch (kind) {
        case Ablation::Kind::stop:
            return "frozen (frequency 0)";
        case Ablation::Kind::remove:
            return "ablated (term removed from the attention logit)";
        case Ablation::Kind::mean:
            break;
    }
    return "mean-ablated (query and key replaced by their means)";
}

/// NaN if there are none.
double mean_loss(const AblationControls& controls) {
    std::vector<double> losses;
    for (const AblationControl& draw : controls.draws) losses.push_back(draw.result->loss);
    return describe(losses).mean;
}

std::string range_text(const Interval& interval, double factor, int decimals) {
    if (!std::isfinite(interval.low)) return "no interval";
    return fixed_text(factor * interval.low, decimals) + " to " + fixed_text(factor * interval.high, decimals);
}

std::string table_of(const AblationCurve& curve) {
    Table table{{{"pairs", 'r', 5}}, {}};
    for (int half = 0; half < 2; ++half) {
        table.columns.insert(
            table.columns.end(),
            {{"loss", 'r', 9}, {"rise, 95 % interval", 'r', 21}, {"control", 'r', 10}, {"accuracy [%]", 'r', 14}});
    }
    for (std::size_t i = 0; i < curve.count(); ++i) {
        auto& row = table.rows.emplace_back(std::vector{std::to_string(i)});
        const auto half = [&](double loss, const Description& rise, const AblationControls& controls, double accuracy) {
            row.insert(row.end(), {fixed_text(loss, 4), range_text({rise.confidence_low, rise.confidence_high}, 1, 4),
                                   fixed_text(mean_loss(controls), 4), fixed_text(100 * accuracy, 1)});
        };
        half(curve.fast_loss[i], curve.fast_rise[i], curve.fast_controls[i], curve.fast_accuracy[i]);
        half(curve.slow_loss[i], curve.slow_rise[i], curve.slow_controls[i], curve.slow_accuracy[i]);
    }
    return "        fastest pairs first                              slowest pairs first\n" + table.text();
}

/// std::runtime_error if a signal has interrupted the evaluation.
void end_if_interrupted() {
    if (interrupted()) throw std::runtime_error("Interrupted before the evaluation was complete.");
}

/// {"low": …, "high": …}, or null if there is no interval.
nlohmann::json json_of(const Interval& interval) {
    if (!std::isfinite(interval.low)) return nullptr;
    return {{"low", interval.low}, {"high", interval.high}};
}

/// {"contribution": …, "draws": [{"pairs", "contribution", "loss", "accuracy"}, …]}.
nlohmann::json json_of(const AblationControls& controls) {
    return {{"contribution", controls.contribution},
            {"draws", json_list(controls.draws, [](const AblationControl& draw) {
                 return nlohmann::json{{"pairs", draw.pairs},
                                       {"contribution", draw.contribution},
                                       {"loss", draw.result->loss},
                                       {"accuracy", retrieval_accuracy(*draw.result)}};
             })}};
}

/// `whole`: the loss without ablation; `done`: "frozen" or "ablated".
std::string text_of(const AblationControls& controls, double whole, const std::string& done) {
    if (controls.draws.empty()) {
        return "There are no controls: no set of other pairs has nearly the same logit contribution as the " + done +
               " pairs.\n";
    }
    Table table{{{"contribution [%]", 'r', 16}, {"loss rise [nats]", 'r', 18}, {"pairs", 'l'}}, {}};
    for (const AblationControl& draw : controls.draws) {
        table.rows.push_back({fixed_text(100 * draw.contribution, 1), fixed_text(draw.result->loss - whole, 4),
                              joined(draw.pairs, "+", whole_text)});
    }
    return "Controls: random other pairs with nearly the same logit contribution as the " + done + " pairs (" +
           decimals_text(100 * controls.contribution, 1) + " %), " + done + " in the same way.\n" + table.text();
}

std::string counts_of(const ProbeResult& result) {
    const std::int64_t retrieval = retrieval_sequences(result);
    return "The losses are means over " + std::to_string(result.sequences) + " sequences of " +
           std::to_string(result.length) + " tokens, the accuracies over " + std::to_string(retrieval) +
           " sequences.\n\n";
}

/// Against the number of ablated pairs, from the fastest and from the slowest, with `controls` controls per ablation.
void show_ablations(const ProbedRun& run, Ablation::Kind kind, std::int64_t controls) {
    watch_interrupts();
    const AblationCurve curve =
        measure_ablation_curve(open_engine(), run.checkpoint, kind, run.data_dir, interrupted, controls);
    end_if_interrupted();
    if (run.json) {
        std::vector<std::size_t> counts(curve.count());
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i;
        const auto intervals = [](const std::vector<Interval>& list) {
            return json_list(list, [](const Interval& each) { return json_of(each); });
        };
        const auto of_controls = [](const std::vector<AblationControls>& list) {
            return json_list(list, [](const AblationControls& each) { return json_of(each); });
        };
        nlohmann::json json = run.names();
        json.update({{"context", run.checkpoint.spec.context},
                     {"ablation", word_of(kind)},
                     {"sequences", curve.sequences},
                     {"length", curve.length},
                     {"retrieval_sequences", curve.retrieval_sequences},
                     {"pairs", counts},
                     {"fast_loss", curve.fast_loss},
                     {"slow_loss", curve.slow_loss},
                     {"fast_loss_rise", json_list(curve.fast_rise, rise_json)},
                     {"slow_loss_rise", json_list(curve.slow_rise, rise_json)},
                     {"fast_accuracy", curve.fast_accuracy},
                     {"slow_accuracy", curve.slow_accuracy},
                     {"fast_accuracy_interval", intervals(curve.fast_accuracy_interval)},
                     {"slow_accuracy_interval", intervals(curve.slow_accuracy_interval)},
                     {"fast_controls", of_controls(curve.fast_controls)},
                     {"slow_controls", of_controls(curve.slow_controls)}});
        return print_json(json);
    }
    std::ostringstream text;
    text << "Pairs " << words_of(kind) << " in all layers and heads, " << run.origin()
         << ".\nThe losses, in nats per token, are means over " << curve.sequences << " sequences of " << curve.length
         << " tokens. The rise is the difference from 0 pairs, paired by sequence.\nThe accuracy is the percentage of "
            "copied tokens recalled in "
         << curve.retrieval_sequences
         << " sequences.\nThe control is the mean loss with random other pairs of nearly the same logit contribution "
            "ablated; a dash means that there are none.\n\n"
         << table_of(curve);
    print_text(text.str());
}

/// --extrapolate.
struct ExtrapolationFlags {
    std::int64_t factor = 4;                // evaluated length divided by the run's context
    std::optional<ScalingMethod> method;    // nullopt: every scaling method
    std::optional<std::int64_t> sequences;  // number of sequences; see evaluate_extrapolation
    std::optional<std::int64_t> steps;      // fine-tuning steps; nullopt: no fine-tuning
    double learning_rate = 0;               // learning rate of fine-tuning; 0: a tenth of the run's
    std::vector<double> long_factors;       // divisors of longrope; empty: a search finds them
};

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

std::string text_of(const ExtrapolationResult& result, const ProbedRun& run) {
    const RunSpec& spec = run.checkpoint.spec;
    Table table{{{"scaling", 'l', 14},
                 {"steps", 'r', 5},
                 {"loss inside", 'r', 13},
                 {"loss beyond", 'r', 13},
                 {"accuracy [%]", 'r', 14}},
                {}};
    for (const ExtrapolationEvaluation& evaluation : result.evaluations) {
        const SplitLoss split = split_loss(*evaluation.result, spec.context);
        table.rows.push_back({std::string(word_of(evaluation.method)),
                              std::to_string(evaluation.fine_tuning ? evaluation.fine_tuning->steps : 0),
                              fixed_text(split.inside, 4), fixed_text(split.beyond, 4),
                              fixed_text(100 * retrieval_accuracy(*evaluation.result), 1)});
    }
    std::ostringstream text;
    text << "Evaluated at " << result.factor << " times the training context of " << spec.context << " tokens, "
         << run.origin()
         << ".\nLosses are in nats per token, inside and beyond the training context. The accuracy is the percentage "
            "of copied\ntokens recalled; the steps are fine-tuning steps.\n"
         << (result.evaluations.empty() ? "" : counts_of(*result.evaluations.front().result)) << table.text();
    for (const ExtrapolationEvaluation& evaluation : result.evaluations) {
        if (evaluation.long_factors.empty() || evaluation.fine_tuning) continue;
        text << "Divisors of the frequencies with longrope:";
        for (const double factor : evaluation.long_factors) text << ' ' << fixed_text(factor, 3);
        text << '\n';
    }
    return text.str();
}

constexpr const char* evaluation_keys =
    "The JSON of --ablation-curve has run, iteration, context, ablation (freeze or ablate), and lists with one value "
    "per\n"
    "number of ablated pairs. The list pairs has these numbers. The names that begin with fast_ are of ablations that "
    "start\n"
    "with the fastest pair, those with slow_ of ablations that start with the slowest one:\n"
    "- fast_loss, slow_loss: loss in nats per token\n"
    "- fast_accuracy, slow_accuracy: fraction of copied tokens recalled\n"
    "- fast_loss_rise, slow_loss_rise: rise over 0 pairs, paired by sequence (mean, low and high of the 95 % interval, "
    "sequences)\n"
    "- fast_accuracy_interval, slow_accuracy_interval: 95 % interval of the accuracy (low and high)\n"
    "- fast_controls, slow_controls: contribution (total logit contribution of the ablated pairs) and draws (random "
    "other\n"
    "  pairs of nearly the same contribution, each with pairs, contribution, loss and accuracy; empty if there are "
    "none)\n"
    "The fields sequences, length and retrieval_sequences are the numbers of sequences, of tokens per sequence, and "
    "of\n"
    "sequences with copied tokens.\n"
    "The JSON of --extrapolate has run, iteration, context, factor, length, and evaluations. Each evaluation has:\n"
    "- scaling, steps (of fine-tuning; 0 before it), learning_rate (null before fine-tuning), sequences (their "
    "number)\n"
    "- loss (nats per token), loss_inside and loss_beyond (means over positions inside and beyond the training "
    "context)\n"
    "- accuracy (fraction of copied tokens recalled), accuracy_interval (low and high), loss_by_position\n"
    "- loss_error and loss_by_position_error (standard errors over the sequences)\n"
    "- long_factors (divisors of the frequencies; only with longrope)\n"
    "A run without RoPE, or with a theta that changed in training, is evaluated with scaling none only. A run with "
    "learned\n"
    "positions has no evaluations beyond its context.";

/// Loss inside and beyond the context, and retrieval accuracy, per scaling method.
void show_extrapolation(const ProbedRun& run, const ExtrapolationFlags& flags) {
    watch_interrupts();
    Engine& engine = open_engine();
    const RunSpec& spec = run.checkpoint.spec;
    std::vector<ScalingMethod> methods = extrapolation_methods_of(plan_of(run.checkpoint));
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
    if (!run.json) return print_text(text_of(result, run));
    const auto evaluation_json = [&](const ExtrapolationEvaluation& each) { return json_of_evaluation(each, spec); };
    nlohmann::json json = run.names();
    json.update({{"context", spec.context},
                 {"factor", result.factor},
                 {"length", spec.context * result.factor},
                 {"evaluations", json_list(result.evaluations, evaluation_json)}});
    print_json(json);
}

/// Printed measurements, with their run, step and request.
struct Probed {
    RunRecord record;
    ModelPlan plan;
    std::int64_t iteration = 0;
    std::string source;  // where the measurements come from: "snapshot" or "checkpoint"
    ProbeRequest request;
    ProbeResult result;
    std::optional<ProbeResult> whole;  // measurements of the unmodified model, if the request ablates pairs
    /// nullopt unless the request has exactly one kind of ablation.
    std::optional<AblationControls> controls;
};

/// Null if the array was not measured.
nlohmann::json nested(const ProbeArray& array) {
    if (array.empty()) return nullptr;
    std::size_t next = 0;
    const auto level = [&](const auto& self, std::size_t axis) -> nlohmann::json {
        nlohmann::json list = nlohmann::json::array();
        for (std::int64_t i = 0; i < array.shape[axis]; ++i) {
            if (axis + 1 == array.shape.size()) {
                list.push_back(array.values[next++]);
            } else {
                list.push_back(self(self, axis + 1));
            }
        }
        return list;
    };
    return level(level, 0);
}

/// By layer and head; null if attention was not measured.
nlohmann::json spectra(const ProbeResult& result) {
    if (attention_spectrum(result, 0, 0).empty()) return nullptr;
    nlohmann::json layers = nlohmann::json::array();
    for (std::int64_t layer = 0; layer < result.attention_by_distance.shape[0]; ++layer) {
        nlohmann::json heads = nlohmann::json::array();
        for (std::int64_t head = 0; head < result.attention_by_distance.shape[1]; ++head)
            heads.push_back(attention_spectrum(result, layer, head));
        layers.push_back(std::move(heads));
    }
    return layers;
}

/// Null if it is unknown.
nlohmann::json error_of(const RetrievalPoint& point, double error) {
    return point.sequences > 1 ? nlohmann::json(error) : nlohmann::json();
}

/// 95 % interval; NaN if it is unknown.
Interval accuracy_interval(const RetrievalPoint& point) {
    return share_interval(point.accuracy, point.accuracy_error, point.sequences - 1);
}

/// Load by layer; null for a model without experts.
nlohmann::json json_of_experts(const ProbeResult& result) {
    if (result.expert_shares.empty()) return nullptr;
    nlohmann::json load = nlohmann::json::array();
    for (std::int64_t layer = 0; layer < result.expert_shares.shape[0]; ++layer) {
        load.push_back(expert_load(result, layer));
    }
    return {{"load", load},
            {"tokens", result.expert_tokens},
            {"token_shares", nested(result.expert_shares)},
            {"balance_loss", nested(result.expert_balance)},
            {"dropped", nested(result.expert_dropped)}};
}

nlohmann::json json_of(const Probed& probed) {
    const ProbeResult& result = probed.result;
    nlohmann::json retrieval = nlohmann::json::array();
    const std::vector<double> bound = bound_by_distance(probed.plan, probed.request, result.length);
    for (const RetrievalPoint& point : result.retrieval) {
        const auto attended = static_cast<std::size_t>(point.distance());
        retrieval.push_back(
            {{"distance", point.lag},
             {"attended_distance", point.distance()},
             {"tokens", point.tokens},
             {"sequences", point.sequences > 0 ? nlohmann::json(point.sequences) : nlohmann::json()},
             {"gain", point.gain()},
             {"gain_standard_error", point.gain_standard_error()},
             {"context_bound", attended < bound.size() ? nlohmann::json(bound[attended]) : nlohmann::json()},
             {"accuracy", point.accuracy},
             {"accuracy_interval", json_of(accuracy_interval(point))},
             {"accuracy_error", error_of(point, point.accuracy_error)},
             {"loss", point.loss},
             {"loss_error", error_of(point, point.loss_error)},
             {"first_occurrence_accuracy", point.first_accuracy},
             {"first_occurrence_accuracy_error", error_of(point, point.first_accuracy_error)},
             {"first_occurrence_loss", point.first_loss},
             {"first_occurrence_loss_error", error_of(point, point.first_loss_error)}});
    }
    std::string map_text;
    if (!probed.record.vocabulary.empty())
        map_text = Vocabulary::from_text(probed.record.vocabulary).decode(result.map_tokens);
    nlohmann::json json = {
        {"run", probed.record.id != 0 ? nlohmann::json(probed.record.id) : nlohmann::json()},
        {"model", probed.record.id != 0 ? nlohmann::json() : nlohmann::json(probed.record.name)},
        {"iteration", probed.iteration},
        {"source", probed.source},
        {"context", result.length},
        {"sequences", result.sequences},
        {"inverse_frequencies", probed_frequencies(probed.plan, probed.request)},
        {"frequencies", nested(result.frequencies)},  // null unless theta is trained or scheduled
        {"norm",
         {{"query", nested(result.query_usage)},
          {"key", nested(result.key_usage)},
          {"value", nested(result.value_usage)}}},
        {"massive", {{"query", nested(result.query_massive)}, {"key", nested(result.key_massive)}}},
        {"residual_stream",
         {{"root_mean_square", nested(result.stream_rms)}, {"largest", nested(result.stream_largest)}}},
        // of the training step before a stored snapshot, else null: attention and MLP of each layer
        {"gradient_norm", nested(result.gradient_norm)},
        {"update_ratio", nested(result.update_ratio)},
        {"accumulated_update", nested(result.accumulated_update)},
        {"logit_contribution", nested(result.logit_contribution)},
        {"logit_contribution_error", nested(result.logit_contribution_error)},
        {"weighted_logit_contribution", nested(result.weighted_logit_contribution)},
        {"distances", result.distances},
        {"logit_by_distance", nested(result.logit_by_distance)},
        {"logit_by_distance_error", nested(result.logit_by_distance_error)},
        {"attention", nested(result.attention)},
        {"attention_text", map_text},
        {"attention_by_distance", nested(result.attention_by_distance)},
        {"attention_by_distance_error", nested(result.attention_by_distance_error)},
        {"attention_spectrum", spectra(result)},
        {"entropy", nested(result.entropy)},
        {"entropy_error", nested(result.entropy_error)},
        {"sink", nested(result.sink)},
        {"sink_error", nested(result.sink_error)},
        {"loss_by_position", result.loss_by_position},
        {"loss_by_position_error", result.loss_by_position_error},
        {"sequence_losses", nested(result.sequence_losses)},
        {"loss", result.loss},
        {"loss_error", result.loss_by_position_error.empty() ? nlohmann::json() : nlohmann::json(result.loss_error)},
        {"retrieval", retrieval},
        {"experts", json_of_experts(result)},
        {"context_bound", bound.empty() ? nlohmann::json() : nlohmann::json(bound)},
        {"accuracy", retrieval_accuracy(result)},
        {"accuracy_interval", json_of(retrieval_interval(result))},
        {"frozen_pairs", probed.request.frozen_pairs},
        {"ablated_pairs", probed.request.ablated_pairs},
        {"mean_ablated_pairs", probed.request.mean_ablated_pairs},
        {"loss_rise", nullptr},
        {"controls", nullptr},
        {"loss_without_ablation", nullptr},
        {"accuracy_without_ablation", nullptr},
        {"loss_by_position_without_ablation", nullptr},
    };
    if (probed.whole) {
        json["loss_without_ablation"] = probed.whole->loss;
        json["accuracy_without_ablation"] = retrieval_accuracy(*probed.whole);
        json["loss_by_position_without_ablation"] = probed.whole->loss_by_position;
        json["loss_rise"] = rise_json(loss_rise(*probed.whole, result));
    }
    if (probed.controls) json["controls"] = json_of(*probed.controls);
    return json;
}

/// Entropy, attention sink and the largest logit contributions of each head.
std::string heads_table(const Probed& probed) {
    const ProbeResult& result = probed.result;
    Table table{{{"layer", 'r', 5},
                 {"head", 'r', 6},
                 {"entropy", 'r', 9},
                 {"sink", 'r', 8},
                 {"largest logit contributions (pair: share of variance)", 'l'}},
                {}};
    const auto& shape = result.logit_contribution.shape;
    for (std::int64_t layer = 0; !shape.empty() && layer < shape[0]; ++layer) {
        if (!probed.plan.layers.at(static_cast<std::size_t>(layer)).scores()) {
            table.rows.push_back({std::to_string(layer), "  gated DeltaNet, which has no attention weights"});
            continue;
        }
        for (std::int64_t head = 0; head < shape[1]; ++head) {
            const auto contributions = result.logit_contribution.row(layer, head);
            std::vector<std::size_t> order(contributions.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](auto a, auto b) { return contributions[a] > contributions[b]; });
            order.resize(std::min<std::size_t>(order.size(), 4));
            const std::string largest = joined(order, " ", [&](std::size_t i) {
                const bool unrotated = i + 1 == contributions.size();
                return (unrotated ? "unrotated" : std::to_string(i)) + ": " +
                       decimals_text(100.0 * static_cast<double>(contributions[i]), 1) + " %";
            });
            table.rows.push_back({std::to_string(layer), std::to_string(head),
                                  decimals_text(result.entropy.row(layer, head)[0], 3),
                                  decimals_text(result.sink.row(layer, head)[0], 3), largest});
        }
    }
    return table.text();
}

std::string retrieval_table(const Probed& probed) {
    Table table{{{"distance", 'r', 8},
                 {"sequences", 'r', 11},
                 {"tokens", 'r', 8},
                 {"accuracy", 'r', 10},
                 {"", 'r', 10},
                 {"interval", 'l', 1},
                 {"gain", 'r', 8},
                 {"±", 'r', 8},
                 {"B", 'r', 8},
                 {"loss", 'r', 8},
                 {"loss at the first occurrence", 'r', 30}},
                {}};
    const std::vector<double> bound = bound_by_distance(probed.plan, probed.request, probed.result.length);
    for (const RetrievalPoint& point : probed.result.retrieval) {
        const auto attended = static_cast<std::size_t>(point.distance());
        const Interval interval = accuracy_interval(point);
        table.rows.push_back({std::to_string(point.lag),
                              point.sequences > 0 ? std::to_string(point.sequences) : "unknown",
                              std::to_string(point.tokens), decimals_text(point.accuracy, 3),
                              fixed_text(interval.low, 3), " to " + fixed_text(interval.high, 3),
                              decimals_text(point.gain(), 3), decimals_text(point.gain_standard_error(), 3),
                              attended < bound.size() ? fixed_text(bound[attended], 2) : "-",
                              decimals_text(point.loss, 3), decimals_text(point.first_loss, 3)});
    }
    return table.text();
}

std::string text_of(const Probed& probed) {
    const ProbeResult& result = probed.result;
    std::ostringstream text;
    text << std::fixed << std::setprecision(4) << probed.record.name;
    if (probed.record.id != 0) {
        text << ", step " << probed.iteration << ", from the run's " << probed.source << ": ";
    } else {
        text << ", on " << probed.source << ": ";
    }
    text << counted(result.sequences, "sequence") << " of " << result.length << " tokens, loss [nats per token] ";
    const bool freezes = !probed.request.frozen_pairs.empty();
    const bool ablates = !probed.request.ablated_pairs.empty() || !probed.request.mean_ablated_pairs.empty();
    if (std::isfinite(result.loss)) {
        text << result.loss;
        if (!result.loss_by_position_error.empty())
            text << " (standard error over the sequences " << result.loss_error << ")";
        if (probed.whole)
            text << " (" << probed.whole->loss << " without "
                 << (!freezes  ? "ablation)"
                     : ablates ? "freezing and ablation)"
                               : "freezing)");
        text << "\n\n";
        if (probed.controls)
            text << text_of(*probed.controls, probed.whole->loss, freezes ? "frozen" : "ablated") << '\n';
    } else {
        text << "unknown\n\n";
    }
    text
        << "Attention entropy in nats; sink: mean attention weight of the first token. Logit contributions weight all\n"
           "keys equally, also keys with an attention weight near 0.\n"
        << heads_table(probed);
    if (!result.retrieval.empty())
        text << "\n"
                "Retrieval of copied tokens, by the distance in tokens to the original; loss in nats per token. The "
                "gain is the\n"
                "accuracy minus the accuracy at the first occurrence; ± is its standard error over the sequences. The "
                "intervals\n"
                "are 95 % intervals over the sequences. B is the context bound (Men et al.), the sum of cos(Δω) over "
                "all pairs,\n"
                "at the attended distance Δ = distance − 1.\n"
             << retrieval_table(probed);
    return text.str();
}

struct Flags {
    std::string lab;
    std::string model;
    std::string text_file;
    RunId run = 0;
    std::optional<std::int64_t> step;
    std::string text;
    std::string frozen;
    std::string ablated;
    std::string mean_ablated;
    std::string ablations;
    std::optional<std::string> scaling;
    std::optional<double> factor;
    std::string short_factors;
    std::string long_factors;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> sequences;
    std::optional<std::int64_t> map;
    std::optional<std::int64_t> beyond;
    std::optional<std::int64_t> fine_tune;
    std::optional<double> learning_rate;
    std::optional<std::int64_t> controls;
    std::string data_dir;
    std::string theta;
    std::string store;
    bool json = false;

    bool needs_model() const {
        return !text.empty() || ablates() || scaling || context || sequences || map || !short_factors.empty() ||
               !long_factors.empty();
    }
    bool ablates() const { return !frozen.empty() || !ablated.empty() || !mean_ablated.empty(); }
    /// nullopt if the request contains several kinds of ablation, or none.
    std::optional<Ablation> ablation(const ProbeRequest& request) const {
        if (!mean_ablated.empty() && frozen.empty() && ablated.empty())
            return Ablation{Ablation::Kind::mean, request.mean_ablated_pairs};
        if (frozen.empty() == ablated.empty() || !mean_ablated.empty()) return std::nullopt;
        return frozen.empty() ? Ablation{Ablation::Kind::remove, request.ablated_pairs}
                              : Ablation{Ablation::Kind::stop, request.frozen_pairs};
    }
};

/// For sequences of `length` tokens. Throws BadInput if the flags do not fit together.
Scaling scaling_of(const Flags& flags, const Checkpoint& checkpoint, std::int64_t length) {
    Scaling scaling;
    scaling.method = parse_scaling(flags.scaling.value_or("none"));
    scaling.factor = flags.factor.value_or(
        std::max(1.0, static_cast<double>(length) / static_cast<double>(checkpoint.spec.context)));
    const bool has_factors = !flags.short_factors.empty() || !flags.long_factors.empty();
    if (scaling.method != ScalingMethod::longrope) {
        if (has_factors) throw BadInput("--short-factors and --long-factors need --scaling longrope.");
        return scaling;
    }
    if (flags.short_factors.empty() || flags.long_factors.empty()) {
        const std::vector<double> frequencies = probed_frequencies(plan_of(checkpoint), {});
        const auto pairs = std::ranges::count_if(frequencies, [](double frequency) { return frequency > 0; });
        throw BadInput(
            "--scaling longrope needs --short-factors and --long-factors, each with one divisor per rotated "
            "pair, which is " +
            std::to_string(pairs) + " numbers for this run, such as 1,1.5,2.");
    }
    scaling.short_factors = parse_list(flags.short_factors);
    scaling.long_factors = parse_list(flags.long_factors);
    return scaling;
}

ProbeRequest request_of(const Flags& flags, const Checkpoint& checkpoint) {
    const RunSpec& spec = checkpoint.spec;
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    ProbeRequest request;
    const std::int64_t length = flags.context.value_or(evaluated_length(checkpoint));
    if (length < 2) throw BadInput("--context is " + std::to_string(length) + ", but it must be 2 or more.");
    if (!flags.text.empty()) {
        request.sequences = sequence_of(vocabulary.encode(flags.text));
        if (request.sequences.length < 2) throw BadInput("--text has one token, but attention requires at least two.");
        request.map_size = request.sequences.length;
    } else {
        const auto corpus = corpus_of(checkpoint, flags.data_dir);
        constexpr std::int64_t default_windows = 32;
        request.sequences = spaced_sequences(corpus->validation, length, flags.sequences.value_or(default_windows));
        if (checkpoint.external) {  // whose retrieval test at each distance would take many times as long as the rest
            ProbeRequest usual = external_snapshot_request(checkpoint);
            request.map_size = usual.map_size;
            request.retrieval = std::move(usual.retrieval);
        } else {
            request.map_size = snapshot_request(spec, corpus->validation).map_size;
            request.retrieval = retrieval_test(corpus->validation, length, 4, retrieval_grid(length));
        }
    }
    if (flags.map) request.map_size = *flags.map;
    const ModelPlan plan = plan_of(checkpoint);
    const std::int64_t pairs = pairs_of(plan);
    if (!flags.frozen.empty()) request.frozen_pairs = parse_frozen_pairs(flags.frozen, plan);
    if (!flags.ablated.empty()) request.ablated_pairs = parse_pairs(flags.ablated, pairs, "ablate-pairs");
    if (!flags.mean_ablated.empty())
        request.mean_ablated_pairs = parse_pairs(flags.mean_ablated, pairs, "mean-ablate-pairs");
    request.sequence_losses = flags.ablates() || checkpoint.external;
    request.scaling = scaling_of(flags, checkpoint, request.sequences.length);
    request.cancelled = interrupted;
    return request;
}

/// nullopt if the lab has no snapshot of the requested step.
std::optional<Probed> from_snapshot(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const auto iterations = lab.snapshots(record.id);
    if (iterations.empty()) return std::nullopt;
    const std::int64_t iteration = flags.step.value_or(iterations.back());
    auto result = lab.snapshot(record.id, iteration);
    if (!result) return std::nullopt;
    Probed probed{record, plan_of(stored_spec(record), 1), iteration, "snapshot", {}, {}, {}, {}};
    probed.request.sequences.length = result->length;
    probed.result = std::move(*result);
    return probed;
}

Checkpoint checkpoint_of(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const RunCheckpoint known_run = run_checkpoint(lab, record);
    if (const auto mark = mark_of_run(lab, record)) {
        require_same_model(*mark);
        throw BadInput("The lab has only what was measured of the model " + mark->name +
                       "; evaluate the model itself with --model " + mark->path + ".");
    }
    if (known_run.path.empty()) throw BadInput(no_model_words(record.name));
    auto checkpoint = read_checkpoint(known_run);
    const auto iterations = lab.snapshots(record.id);
    const std::string known = iterations.empty() ? ""
                                                 : " The lab file stores measurements (snapshots) of the following "
                                                   "steps; --step without other flags prints one: " +
                                                       joined(iterations, ", ", whole_text) + ".";
    if (!checkpoint) throw BadInput("There is no checkpoint file " + known_run.path.string() + " to evaluate." + known);
    if (flags.step && *flags.step != checkpoint->iteration) {
        throw BadInput("Run " + std::to_string(record.id) + " has a checkpoint of step " +
                       std::to_string(checkpoint->iteration) + ", not of step " + std::to_string(*flags.step) + "." +
                       known);
    }
    return std::move(*checkpoint);
}

// With --model: the model, or that of --step in a folder of checkpoints.
std::filesystem::path model_of_step(const Flags& flags) {
    if (!flags.step) return flags.model;
    const std::vector<ModelStep> steps = model_steps(flags.model);
    const auto found = std::ranges::find(steps, *flags.step, &ModelStep::step);
    if (found != steps.end()) return found->path;
    const std::string known = joined(steps, ", ", [](const ModelStep& each) { return std::to_string(each.step); });
    throw BadInput(
        flags.model + " has no checkpoint of step " + std::to_string(*flags.step) +
        (steps.empty() ? "; it is one model, so leave out --step." : "; it has those of the steps " + known + "."));
}

Probed from_checkpoint(const Checkpoint& checkpoint, const RunRecord& record, const Flags& flags) {
    const std::string source = !checkpoint.external  ? "checkpoint"
                               : !flags.text.empty() ? "the text of --text"
                                                     : checkpoint.external->corpus->name;
    Probed probed{record, plan_of(checkpoint), checkpoint.iteration, source, request_of(flags, checkpoint), {}, {}, {}};
    const auto model = model_for(open_engine(), checkpoint, probed.request.sequences.length);
    watch_interrupts();
    probed.result = model->probe(probed.request);
    if (flags.ablates()) {
        ProbeRequest whole = probed.request;
        apply_ablation(whole, {});
        // `vectors` stays true, so that attention runs the same code as above and the results have equal bits.
        whole.attention = false;
        whole.map_size = 0;
        probed.whole = model->probe(whole);
        constexpr std::int64_t default_controls = 5;
        const auto ablation = flags.ablation(probed.request);
        const std::int64_t controls = flags.controls.value_or(default_controls);
        if (ablation && controls > 0)
            probed.controls = measure_controls(*model, probed.plan, whole, *ablation, controls);
    }
    end_if_interrupted();
    return probed;
}

/// --ablation-curve and --extrapolate. Throws BadInput for flags that cannot be combined with them.
void show_evaluations(Checkpoint checkpoint, const RunRecord& record, const Flags& flags) {
    const bool curve = !flags.ablations.empty();
    const std::string flag = curve ? "--ablation-curve" : "--extrapolate";
    if (!flags.text.empty() || flags.ablates() || flags.factor || flags.context || flags.map ||
        !flags.short_factors.empty() ||
        (curve && (flags.beyond || flags.scaling || flags.sequences || !flags.long_factors.empty())) ||
        (!curve && flags.controls)) {
        throw BadInput(
            flag + " can only be combined with " +
            (curve ? "--controls, " : "--scaling, --long-factors, --sequences, --fine-tune, --learning-rate, ") +
            "--run, --step, --data-dir and --json; leave the others out.");
    }
    const ProbedRun probed_run{record, std::move(checkpoint), flags.data_dir, flags.json};
    if (curve) {
        constexpr std::int64_t default_controls = 3;
        return show_ablations(probed_run, parse_ablation_kind(flags.ablations, "--ablation-curve"),
                              flags.controls.value_or(default_controls));
    }
    ExtrapolationFlags beyond{*flags.beyond, {}, flags.sequences, flags.fine_tune, flags.learning_rate.value_or(0), {}};
    if (flags.scaling) beyond.method = parse_scaling(*flags.scaling);
    if (!flags.long_factors.empty()) {
        if (beyond.method != ScalingMethod::longrope) throw BadInput("--long-factors needs --scaling longrope.");
        beyond.long_factors = parse_list(flags.long_factors);
    }
    show_extrapolation(probed_run, beyond);
}

void run(const Flags& flags) {
    if (flags.factor && !flags.scaling) throw BadInput("--factor requires --scaling, the method that uses the factor.");
    if (!flags.text.empty() && (flags.context || flags.sequences))
        throw BadInput("--text is evaluated as the only sequence; leave out --context and --sequences.");
    if (flags.sequences && *flags.sequences < 0)
        throw BadInput("--sequences is " + std::to_string(*flags.sequences) + ", but it must be 0 (all) or more.");
    if (flags.fine_tune && !flags.beyond)
        throw BadInput(
            "--fine-tune needs --extrapolate, which sets the context of fine-tuning as a multiple of the run's "
            "context.");
    if (flags.learning_rate && !flags.fine_tune)
        throw BadInput("--learning-rate needs --fine-tune, the number of fine-tuning steps.");
    if (flags.learning_rate && !(*flags.learning_rate > 0)) {
        throw BadInput("--learning-rate is " + number_text(*flags.learning_rate) + ", but it must be above 0.");
    }
    if (flags.controls && *flags.controls < 0)
        throw BadInput("--controls is " + std::to_string(*flags.controls) + ", but it must be 0 (none) or more.");
    if (flags.controls && !flags.ablates() && flags.ablations.empty())
        throw BadInput(
            "--controls needs an ablation: --freeze-pairs, --ablate-pairs, --mean-ablate-pairs or "
            "--ablation-curve.");
    if (flags.model.empty() == flags.lab.empty())
        throw BadInput("Give either a lab file or, with --model, a model that others trained.");
    if (!flags.model.empty() && (flags.run != 0 || flags.fine_tune))
        throw BadInput("--run and --fine-tune need a run of a lab; leave them out with --model.");
    if (flags.model.empty() && !flags.text_file.empty())
        throw BadInput("--text-file needs --model; a run is evaluated on its own validation split.");
    if (flags.model.empty() && !flags.theta.empty())
        throw BadInput("--theta needs --model; a run is evaluated with the frequencies with which it was trained.");
    const bool is_of_model_itself = !flags.model.empty() && flags.text.empty() && !flags.ablates() && !flags.scaling &&
                                    !flags.beyond && flags.ablations.empty();
    if (!flags.store.empty() && !is_of_model_itself)
        throw BadInput(
            "--store keeps the measurement of a model as it is, on a file or data set: it needs --model, and no "
            "--text, --scaling, --extrapolate or ablation.");
    RunRecord record;
    RunCheckpoint external;
    std::unique_ptr<LabFile> lab;
    const auto checkpoint = [&] {
        if (lab) return checkpoint_of(*lab, record, flags);
        external = external_run(model_of_step(flags), flags.text_file, flags.data_dir, parse_theta(flags.theta));
        record.name = external.name;
        record.vocabulary = external.vocabulary;
        return std::move(*read_checkpoint(external));
    };
    if (flags.model.empty()) {
        lab = LabFile::open(flags.lab, LabFile::Mode::read);
        record = run_of(*lab, flags.lab, flags.run);
    }
    if (flags.beyond || !flags.ablations.empty()) return show_evaluations(checkpoint(), record, flags);
    std::optional<Probed> probed;
    if (lab && !flags.needs_model()) probed = from_snapshot(*lab, record, flags);
    if (!probed) {
        const Checkpoint evaluated = checkpoint();
        probed = from_checkpoint(evaluated, record, flags);
    }
    nlohmann::json json = flags.json ? json_of(*probed) : nlohmann::json();
    std::string text = flags.json ? "" : text_of(*probed);
    if (!flags.store.empty()) {
        const bool exists = std::filesystem::exists(flags.store);
        const auto stored = exists ? LabFile::open(flags.store) : LabFile::create(flags.store);
        const RunId id = store_measurement(*stored, external, probed->result, flags.step.value_or(0));
        json["stored_run"] = id;
        text += "\nStored as run " + std::to_string(id) + " of " + flags.store + ".\n";
    }
    flags.json ? print_json(json) : print_text(text);
}

}  // namespace

void add_probe(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "probe",
        "Analyse a run, or a model that others trained: query and key norms, logit contributions, attention weights, "
        "retrieval accuracy");
    auto& flags = with_flags<Flags>(*verb, run);
    add_lab(*verb, flags.lab, false);
    verb->add_option("--model", flags.model,
                     "Instead of a lab file: folder with config.json and weights (safetensors), a file of weights "
                     "(safetensors, GGUF), or a folder with such folders of several steps of a training");
    verb->add_option("--text-file", flags.text_file,
                     "With --model: file or data set on which it is evaluated (default: the program's guide)");
    verb->add_option("--theta", flags.theta, "With --model: evaluate it with this θ instead of its own")
        ->type_name(number_type);
    verb->add_option("--store", flags.store,
                     "With --model: lab file that keeps the measurement, as an imported run without its weights; it is "
                     "created if it does not exist");
    add_run(*verb, flags.run);
    verb->add_option("--step", flags.step,
                     "Training step of the stored measurement (snapshot) or checkpoint (default: the newest)");
    verb->add_option("--text", flags.text, "Evaluate the model on this text instead of the validation split");
    verb->add_option(
        "--freeze-pairs", flags.frozen,
        "Freeze pairs (set their frequencies to 0): all, a list such as 0-3+7, or fast4 or slow4 for the four fastest "
        "or slowest pairs");
    verb->add_option("--ablate-pairs", flags.ablated,
                     "Ablate pairs (remove their terms from the attention logit); the same values as for "
                     "--freeze-pairs are accepted");
    verb->add_option("--mean-ablate-pairs", flags.mean_ablated,
                     "Replace the queries and keys of pairs by their means over the evaluated sequences, per layer and "
                     "head; the same values as for --freeze-pairs are accepted");
    verb->add_option("--ablation-curve", flags.ablations,
                     "Print loss and retrieval accuracy against the number of pairs that are frozen (freeze), ablated "
                     "(ablate) or mean-ablated (mean), starting with the fastest and with the slowest pair");
    verb->add_option("--controls", flags.controls,
                     "Number of controls per ablation: random other pairs with nearly the same logit contribution, "
                     "ablated in the same way; 0: none (default: 5, with --ablation-curve 3)");
    verb->add_option(
        "--scaling", flags.scaling,
        "Scaling method for context extension (default: none); \"ropelab-cli frequencies --help\" lists the methods");
    verb->add_option("--factor", flags.factor, "Factor of --scaling (default: --context divided by the run's context)");
    verb->add_option(
        "--short-factors", flags.short_factors,
        "With --scaling longrope: divisors of the frequencies up to the run's context, one per rotated pair: a,b,…");
    verb->add_option("--long-factors", flags.long_factors,
                     "With --scaling longrope: divisors of the frequencies beyond the run's context, one per rotated "
                     "pair: a,b,… (default with --extrapolate: searched for on the training split)");
    verb->add_option("--context", flags.context, "Length of each sequence in tokens (default: the run's context)");
    verb->add_option(
        "--sequences", flags.sequences,
        "Number of evenly spaced sequences of the validation split; 0: all (default: 32; with --extrapolate as many as "
        "hold 16384 tokens, but 4 to 32)");
    verb->add_option(
        "--map", flags.map,
        "Size of the attention maps in tokens; they show the first tokens of the first sequence; 0: no maps");
    verb->add_option(
        "--extrapolate", flags.beyond,
        "Evaluate at this multiple of the run's context, with plain RoPE and every scaling method, or only with the "
        "method of --scaling; a run without RoPE is evaluated with its own position encoding");
    verb->add_option("--fine-tune", flags.fine_tune,
                     "With --extrapolate: also fine-tune a copy of the run at that length for this number of steps, "
                     "and evaluate before and after");
    verb->add_option("--learning-rate", flags.learning_rate,
                     "Learning rate of --fine-tune (default: a tenth of the run's learning rate)");
    add_data_dir(*verb, flags.data_dir);
    add_json(*verb, flags.json);
    verb->footer(
        std::string(
            "Without further flags, probe prints a snapshot: the measurements that training stored in the lab file. "
            "The other flags evaluate the run's\n"
            "checkpoint. Neither the snapshot nor the checkpoint is modified.\n"
            "Names that end in _error are standard errors over the sequences; they are empty or null with fewer than 2 "
            "sequences\n"
            "and for snapshots of earlier versions.\n"
            "With --freeze-pairs, --ablate-pairs or --mean-ablate-pairs, the JSON also has loss_without_ablation,\n"
            "accuracy_without_ablation, loss_by_position_without_ablation, loss_rise (mean, low and high of the 95 % "
            "interval,\n"
            "sequences) and, for one kind of ablation, controls.\n") +
        evaluation_keys);
}

}  // namespace ropelab::terminal
