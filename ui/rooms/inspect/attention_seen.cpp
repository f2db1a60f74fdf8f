#include "ui/rooms/inspect/attention_seen.h"

#include <QObject>

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

std::vector<double> mapOf(const ProbeArray& array, const InspectData& data) {
    return meanRow(array, layerOf(data), headOf(data), data.run->spec.heads);
}

int sideOf(const ProbeArray& array) {
    return array.shape.size() == 4 ? static_cast<int>(array.shape[2]) : 0;
}

}  // namespace ropelab::ui
