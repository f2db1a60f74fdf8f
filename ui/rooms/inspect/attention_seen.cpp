#include "ui/rooms/inspect/attention_seen.h"

#include <QObject>
#include <numeric>

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

InspectData withOneHead(InspectData data) {
    if (data.choices.head != kAutomaticHead || !data.run || data.run->snapshots.empty()) return data;
    const ProbeArray& contributions = data.run->snapshots.back().result->logit_contribution;
    if (contributions.empty()) return data;
    const std::int64_t chosen = layerOf(data);
    double largest = 0;
    for (std::int64_t layer = 0; layer < contributions.shape[0]; ++layer) {
        if (chosen >= 0 && layer != chosen) continue;
        for (std::int64_t head = 0; head < contributions.shape[1]; ++head) {
            const auto row = contributions.row(layer, head);
            const double sum = std::accumulate(row.begin(), row.end() - 1, 0.0);  // the last element is the rest
            if (!(sum > largest)) continue;
            largest = sum;
            data.choices.layer = layer;
            data.choices.head = head;
        }
    }
    if (largest > 0) {
        data.choices.headReason = chosen < 0 ? QObject::tr("the largest rotary logit contribution")
                                             : QObject::tr("the largest rotary logit contribution in this layer");
    }
    return data;
}

std::vector<double> mapOf(const ProbeArray& array, const InspectData& data) {
    return meanRow(array, layerOf(data), headOf(data), data.run->spec.heads);
}

int sideOf(const ProbeArray& array) {
    return array.shape.size() == 4 ? static_cast<int>(array.shape[2]) : 0;
}

}  // namespace ropelab::ui
