#include "ui/inspect/attention_difference.h"

#include <QObject>

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
    if (!own || own->result->attention.empty()) return whyNoSnapshots(data);
    if (!other || other->result->attention.empty()) return QObject::tr("The second run has no snapshots to take away.");
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

QString attentionDifferenceNote(const InspectData& data) {
    return QObject::tr("%1 − %2, step %3")
        .arg(data.run->name, data.ghost->name, groupedText(data.snapshot()->iteration));
}

}  // namespace ropelab::ui
