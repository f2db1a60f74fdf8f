#include "app/terminal/probe_output.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "core/experiment/knock_out.h"
#include "core/experiment/probing.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

/// Nested arrays; null where nothing was measured.
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

}  // namespace

nlohmann::json json_of(const Seen& seen) {
    const ProbeResult& result = seen.result;
    nlohmann::json retrieval = nlohmann::json::array();
    for (const RetrievalPoint& point : result.retrieval) {
        retrieval.push_back({{"lag", point.lag},
                             {"symbols", point.symbols},
                             {"accuracy", point.accuracy},
                             {"loss", point.loss},
                             {"first_accuracy", point.first_accuracy},
                             {"first_loss", point.first_loss}});
    }
    std::string map_text;
    if (!seen.record.vocabulary.empty())
        map_text = Vocabulary::from_text(seen.record.vocabulary).decode(result.map_tokens);
    nlohmann::json json = {
        {"run", seen.record.id},
        {"iteration", seen.iteration},
        {"source", seen.source},
        {"context", result.length},
        {"windows", result.windows},
        {"inverse_frequencies", probed_frequencies(seen.spec, seen.request)},
        {"frequencies", nested(result.frequencies)},  // where theta moves
        {"usage",
         {{"query", nested(result.query_usage)},
          {"key", nested(result.key_usage)},
          {"value", nested(result.value_usage)}}},
        {"massive", {{"query", nested(result.query_massive)}, {"key", nested(result.key_massive)}}},
        {"logit_share", nested(result.logit_share)},
        {"distances", result.distances},
        {"logit_by_distance", nested(result.logit_by_distance)},
        {"attention", nested(result.attention)},
        {"attention_text", map_text},
        {"attention_by_distance", nested(result.attention_by_distance)},
        {"attention_spectrum", spectra(result)},
        {"entropy", nested(result.entropy)},
        {"sink", nested(result.sink)},
        {"loss_by_position", result.loss_by_position},
        {"loss", result.loss},
        {"retrieval", retrieval},
        {"accuracy", retrieval_accuracy(result)},
        {"stopped_pairs", seen.request.stopped_pairs},
        {"removed_pairs", seen.request.removed_pairs},
        {"whole_loss", nullptr},
        {"whole_accuracy", nullptr},
        {"whole_loss_by_position", nullptr},
    };
    if (seen.whole) {
        json["whole_loss"] = seen.whole->loss;
        json["whole_accuracy"] = retrieval_accuracy(*seen.whole);
        json["whole_loss_by_position"] = seen.whole->loss_by_position;
    }
    return json;
}

std::string text_of(const Seen& seen) {
    const ProbeResult& result = seen.result;
    std::ostringstream text;
    text << std::fixed << std::setprecision(4) << seen.record.name << ", step " << seen.iteration << ", from the run's "
         << seen.source << ": " << result.windows << (result.windows == 1 ? " window" : " windows") << " of "
         << result.length << " symbols, loss ";
    if (std::isfinite(result.loss)) {
        text << result.loss;
        if (seen.whole) text << " (" << seen.whole->loss << " without the knock-out)";
        text << "\n\n";
    } else {
        text << "unknown\n\n";
    }
    text << "layer  head  entropy    sink  largest logit shares (pair: share)\n";
    const auto& shape = result.logit_share.shape;
    for (std::int64_t layer = 0; !shape.empty() && layer < shape[0]; ++layer) {
        for (std::int64_t head = 0; head < shape[1]; ++head) {
            const auto shares = result.logit_share.row(layer, head);
            std::vector<std::size_t> order(shares.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shares[a] > shares[b]; });
            order.resize(std::min<std::size_t>(order.size(), 4));
            text << std::setw(5) << layer << std::setw(6) << head << std::setprecision(3) << std::setw(9)
                 << result.entropy.row(layer, head)[0] << std::setw(8) << result.sink.row(layer, head)[0] << ' ';
            for (const std::size_t i : order) {
                const bool unrotated = i + 1 == shares.size();
                text << ' ' << (unrotated ? std::string("unrotated") : std::to_string(i)) << ": "
                     << std::setprecision(1) << 100.0 * static_cast<double>(shares[i]) << " %";
            }
            text << '\n';
        }
    }
    if (!result.retrieval.empty()) text << "\n  lag  accuracy    loss  loss at the first stand\n";
    for (const RetrievalPoint& point : result.retrieval) {
        text << std::setw(5) << point.lag << std::setprecision(3) << std::setw(10) << point.accuracy << std::setw(8)
             << point.loss << std::setw(25) << point.first_loss << '\n';
    }
    return text.str();
}

}  // namespace ropelab::terminal
