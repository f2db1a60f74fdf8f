#include "ui/rooms/inspect/attention_difference.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <span>

#include "ui/common/format.h"
#include "ui/rooms/inspect/attention_seen.h"
#include "ui/rooms/inspect/fixed_scale.h"

namespace ropelab::ui {

QString whyNoAttentionDifference(const InspectData& data) {
    if (!data.ghost) return QObject::tr("Choose a second run to see the difference.");
    if (data.text) {
        return QObject::tr(
            "Only the first run processes the typed text; clear the text to compare the attention in both runs’ "
            "snapshots.");
    }
    const Snapshot* own = data.snapshot();
    const Snapshot* other = data.ghostSnapshot();
    if (!own) return whyNoSnapshots(data);
    if (own->result->attention.empty()) {
        return QObject::tr(
            "The snapshots of this run contain no attention weights, so there is no difference to show.");
    }
    if (!other) return QObject::tr("The second run has no snapshots to compare with.");
    if (other->result->attention.empty()) {
        return QObject::tr("The snapshots of the second run contain no attention weights to compare with.");
    }
    if (own->result->attention.shape != other->result->attention.shape) {
        return QObject::tr(
            "The two runs differ in their number of layers or heads or in the length of their text, so there is no "
            "difference to show; compare them side by side.");
    }
    // Token ids are comparable only with the same vocabulary.
    if (own->result->map_tokens != other->result->map_tokens || data.run->vocabulary != data.ghost->vocabulary) {
        return QObject::tr(
            "The snapshots of the two runs contain different texts, so there is no difference to show; compare them "
            "side by side.");
    }
    return {};
}

ProbeArray attentionDifference(const InspectData& data) {
    ProbeArray result = data.snapshot()->result->attention;
    const std::vector<float>& other = data.ghostSnapshot()->result->attention.values;
    for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] -= other[i];
    return result;
}

namespace {

template <typename NumbersOf>
double largestDifference(const InspectData& data, const NumbersOf& numbersOf) {
    double most = 0;
    for (const Snapshot& snapshot : data.run->snapshots) {
        const auto own = numbersOf(snapshot.result->attention);
        const auto other = numbersOf(data.ghost->snapshotAt(snapshot.iteration)->result->attention);
        if (own.size() != other.size()) continue;
        for (std::size_t i = 0; i < own.size(); ++i) {
            most = std::max(most, std::abs(static_cast<double>(own[i]) - static_cast<double>(other[i])));
        }
    }
    return most;
}

}  // namespace

double largestAttentionDifference(const InspectData& data) {
    thread_local ScaleCache cache;
    return cache.get(data, {}, [&data] {
        return largestDifference(data, [](const ProbeArray& attention) { return std::span(attention.values); });
    });
}

double largestChosenDifference(const InspectData& data) {
    thread_local ScaleCache cache;
    return cache.get(data, {layerOf(data), headOf(data)}, [&data] {
        return largestDifference(data, [&data](const ProbeArray& attention) { return mapOf(attention, data); });
    });
}

QString attentionDifferenceNote(const InspectData& data) {
    const std::int64_t own = data.snapshot()->iteration;
    const std::int64_t other = data.ghostSnapshot()->iteration;
    if (own != other) {
        return QObject::tr("step %2 of %1 − step %4 of %3")
            .arg(data.run->name, groupedText(own), data.ghost->name, groupedText(other));
    }
    return QObject::tr("step %3: %1 − %2").arg(data.run->name, data.ghost->name, groupedText(own));
}

}  // namespace ropelab::ui
