#include "app/terminal/runs/probe_output.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "app/terminal/runs/ablation_output.h"
#include "app/terminal/output.h"
#include "core/study/ablation.h"
#include "core/study/expert_load.h"
#include "core/run/probing.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

/// Returns the array as nested JSON lists, or null if it was not measured.
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

/// Returns the attention spectrum per layer and head, or null if attention was not measured.
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

/// Returns a standard error of a lag; null if it is unknown.
nlohmann::json error_of(const RetrievalPoint& point, double error) {
    return point.sequences > 1 ? nlohmann::json(error) : nlohmann::json();
}

/// Returns the 95 % interval of the accuracy at a lag; NaN if it is unknown.
Interval95 accuracy_interval(const RetrievalPoint& point) {
    return share_interval(point.accuracy, point.accuracy_error, point.sequences - 1);
}

/// Returns the load of the experts, layer by layer; null for a model without experts.
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

}  // namespace

nlohmann::json json_of(const Probed& probed) {
    const ProbeResult& result = probed.result;
    nlohmann::json retrieval = nlohmann::json::array();
    const std::vector<double> bound = bound_by_distance(probed.spec, probed.request, result.length);
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
        {"run", probed.record.id},
        {"iteration", probed.iteration},
        {"source", probed.source},
        {"context", result.length},
        {"sequences", result.sequences},
        {"inverse_frequencies", probed_frequencies(probed.spec, probed.request)},
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

std::string text_of(const Probed& probed) {
    const ProbeResult& result = probed.result;
    std::ostringstream text;
    text << std::fixed << std::setprecision(4) << probed.record.name << ", step " << probed.iteration
         << ", from the run's " << probed.source << ": " << counted(result.sequences, "sequence") << " of "
         << result.length << " tokens, loss [nats per token] ";
    if (std::isfinite(result.loss)) {
        text << result.loss;
        if (!result.loss_by_position_error.empty())
            text << " (standard error over the sequences " << result.loss_error << ")";
        if (probed.whole) text << " (" << probed.whole->loss << " without ablation)";
        text << "\n\n";
        if (probed.controls) text << text_of(*probed.controls, probed.whole->loss) << '\n';
    } else {
        text << "unknown\n\n";
    }
    text << "Attention entropy in nats; sink: mean attention weight of the first token. Logit contributions weigh all\n"
            "keys equally, also keys with an attention weight near 0.\n"
            "layer  head  entropy    sink  largest logit contributions (pair: share of variance)\n";
    const auto& shape = result.logit_contribution.shape;
    for (std::int64_t layer = 0; !shape.empty() && layer < shape[0]; ++layer) {
        if (probed.spec.layer_attention(layer) == LayerAttention::delta_net) {
            text << std::setw(5) << layer << "  gated DeltaNet, which has no attention weights\n";
            continue;
        }
        for (std::int64_t head = 0; head < shape[1]; ++head) {
            const auto contributions = result.logit_contribution.row(layer, head);
            std::vector<std::size_t> order(contributions.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::stable_sort(order.begin(), order.end(),
                             [&](auto a, auto b) { return contributions[a] > contributions[b]; });
            order.resize(std::min<std::size_t>(order.size(), 4));
            text << std::setw(5) << layer << std::setw(6) << head << std::setprecision(3) << std::setw(9)
                 << result.entropy.row(layer, head)[0] << std::setw(8) << result.sink.row(layer, head)[0] << ' ';
            for (const std::size_t i : order) {
                const bool unrotated = i + 1 == contributions.size();
                text << ' ' << (unrotated ? std::string("unrotated") : std::to_string(i)) << ": "
                     << std::setprecision(1) << 100.0 * static_cast<double>(contributions[i]) << " %";
            }
            text << '\n';
        }
    }
    if (!result.retrieval.empty())
        text << "\nRetrieval of copied tokens, by the distance in tokens to the original; loss in nats per token. The "
                "gain is the\naccuracy minus the accuracy at the first occurrence; ± is its standard error over the "
                "sequences. The intervals\nare 95 % intervals over the sequences. B is the context bound (Men et al.) "
                "at the attended distance, distance − 1.\n"
                "distance  sequences  tokens  accuracy          interval    gain       ±       B    loss  loss at the "
                "first occurrence\n";
    const std::vector<double> bound = bound_by_distance(probed.spec, probed.request, result.length);
    for (const RetrievalPoint& point : result.retrieval) {
        const auto attended = static_cast<std::size_t>(point.distance());
        const Interval95 interval = accuracy_interval(point);
        text << std::setw(8) << point.lag << std::setw(11)
             << (point.sequences > 0 ? std::to_string(point.sequences) : "unknown") << std::setw(8) << point.tokens
             << std::setprecision(3) << std::setw(10) << point.accuracy << cell(interval.low, 3, 10) << " to "
             << cell(interval.high, 3, 0) << std::setw(8) << point.gain() << std::setw(8) << point.gain_standard_error()
             << (attended < bound.size() ? cell(bound[attended], 2, 8) : "       -") << std::setw(8) << point.loss
             << std::setw(30) << point.first_loss << '\n';
    }
    return text.str();
}

}  // namespace ropelab::terminal
