#include "ui/rooms/inspect/attention_seen.h"

#include <QObject>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ui/common/format.h"

namespace ropelab::ui {

AttentionSource attentionSource(const InspectData& data) {
    if (data.run && data.text) return {data.text.get(), data.textIteration};
    if (const Snapshot* now = data.snapshot()) return {now->result.get(), now->iteration};
    return {};
}

QString stepNote(const InspectData& data, const AttentionSource& source) {
    const QString note = !data.text               ? QObject::tr("step %2: %1")
                         : data.textWhileTraining ? QObject::tr("after step %2: %1 in training, typed text")
                                                  : QObject::tr("step %2: %1, typed text");
    return note.arg(data.run->name, groupedText(source.iteration));
}

namespace {

struct ChosenHead {
    std::int64_t layer;
    std::int64_t head;
    QString reason;
};

/// Searches an array of layers × heads × …, in one layer or, for −1, in all. Returns nullopt unless a value exceeds
/// `floor`.
std::optional<ChosenHead> highestHead(const ProbeArray& array, std::int64_t onlyLayer, double floor,
                                      const std::function<double(std::span<const float>)>& value) {
    std::optional<ChosenHead> best;
    if (array.empty()) return best;
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        if (onlyLayer >= 0 && layer != onlyLayer) continue;
        for (std::int64_t head = 0; head < array.shape[1]; ++head) {
            const double here = value(array.row(layer, head));
            if (!(here > floor)) continue;
            floor = here;
            best = ChosenHead{layer, head, {}};
        }
    }
    return best;
}

}  // namespace

InspectData withOneHead(InspectData data) {
    if (data.choices.head != kAutomaticHead || !data.run) return data;
    const ProbeResult* result = data.run->snapshots.empty() ? data.text.get() : data.run->snapshots.back().result.get();
    if (!result) return data;
    const std::int64_t layer = layerOf(data);
    // The last element of a contribution is that of the unrotated channels.
    std::optional<ChosenHead> chosen = highestHead(result->logit_contribution, layer, 0, [](auto row) {
        return std::accumulate(row.begin(), row.end() - 1, 0.0);
    });
    QString reason = QObject::tr("the largest rotary logit contribution");
    if (!chosen) {
        chosen = highestHead(result->entropy, layer, -std::numeric_limits<double>::infinity(),
                             [](auto row) { return -static_cast<double>(row.front()); });
        reason = QObject::tr("the lowest attention entropy");
    }
    if (!chosen) return data;
    data.choices.layer = chosen->layer;
    data.choices.head = chosen->head;
    data.choices.headReason = layer < 0 ? reason : QObject::tr("%1 in this layer").arg(reason);
    return data;
}

std::vector<double> mapOf(const ProbeArray& array, const InspectData& data) {
    // A lab stores 0 for the attention weights of gated DeltaNet layers, which have none.
    const RunSpec& spec = data.run->spec;
    const std::vector<LayerAttention> kinds = attention_of_layers(spec);
    const std::int64_t chosen = layerOf(data);
    if (!spec.has_delta_net()) return meanRow(array, chosen, headOf(data), spec.heads);
    std::vector<double> sum;
    double layers = 0;
    for (std::size_t layer = 0; layer < kinds.size(); ++layer) {
        if (kinds[layer] == LayerAttention::delta_net || (chosen >= 0 && std::cmp_not_equal(layer, chosen))) continue;
        const std::vector<double> map = meanRow(array, static_cast<std::int64_t>(layer), headOf(data), spec.heads);
        sum.resize(map.size(), 0.0);
        for (std::size_t i = 0; i < map.size(); ++i) sum[i] += map[i];
        ++layers;
    }
    for (double& value : sum) value /= layers;
    return sum;
}

int sideOf(const ProbeArray& array) {
    return array.shape.size() == 4 ? static_cast<int>(array.shape[2]) : 0;
}

}  // namespace ropelab::ui
