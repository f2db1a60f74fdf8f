#include "ui/inspect/attention_difference.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <span>

#include "ui/inspect/attention_seen.h"
#include "ui/inspect/kept_scale.h"
#include "ui/window/format.h"

namespace ropelab::ui {

QString whyNoAttentionDifference(const InspectData& data) {
    if (!data.ghost) return QObject::tr("Choose a second run to see the difference.");
    if (data.text) {
        return QObject::tr(
            "The typed text is read by the first run only; clear it to see the difference of what both "
            "runs’ snapshots read.");
    }
    const Snapshot* own = data.snapshot();
    const Snapshot* other = data.ghostSnapshot();
    if (!own) return whyNoSnapshots(data);
    if (own->result->attention.empty()) {
        return QObject::tr("The snapshots of this run hold no attention, so there is no difference to draw.");
    }
    if (!other) return QObject::tr("The second run has no snapshots to take away.");
    if (other->result->attention.empty()) {
        return QObject::tr("The snapshots of the second run hold no attention to take away.");
    }
    if (own->result->attention.shape != other->result->attention.shape) {
        return QObject::tr(
            "The two runs have other layers, heads or lengths of text, so there is no difference to "
            "draw; see them side by side.");
    }
    // Numbers of symbols mean the same only in the same vocabulary.
    if (own->result->map_tokens != other->result->map_tokens || data.run->vocabulary != data.ghost->vocabulary) {
        return QObject::tr("The two runs read other texts, so there is no difference to draw; see them side by side.");
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

/// `numbersOf` gives what of a snapshot's attention counts.
template <typename NumbersOf>
double largestDifference(const InspectData& data, const NumbersOf& numbersOf) {
    double most = 0;
    for (const Snapshot& snapshot : data.run->snapshots) {
        const auto own = numbersOf(snapshot.result->attention);
        const auto other = numbersOf(data.ghost->at(snapshot.iteration)->result->attention);
        if (own.size() != other.size()) continue;
        for (std::size_t i = 0; i < own.size(); ++i) {
            most = std::max(most, std::abs(static_cast<double>(own[i]) - static_cast<double>(other[i])));
        }
    }
    return most;
}

}  // namespace

double largestAttentionDifference(const InspectData& data) {
    thread_local KeptScale kept;
    return kept.of(data, {}, [&data] {
        return largestDifference(data, [](const ProbeArray& all) { return std::span(all.values); });
    });
}

double largestChosenDifference(const InspectData& data) {
    thread_local KeptScale kept;
    return kept.of(data, {layerOf(data), headOf(data)}, [&data] {
        return largestDifference(data, [&data](const ProbeArray& all) { return mapOf(all, data); });
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
