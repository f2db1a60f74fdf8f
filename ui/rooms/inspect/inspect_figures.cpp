#include "ui/rooms/inspect/inspect_figures.h"

#include <QObject>
#include <algorithm>

namespace ropelab::ui {

/// The figures of all topics, topic by topic; the build writes this function (CMakeLists.txt).
InspectFigures figuresOfTopics();

QString titleOf(InspectGroup group) {
    switch (group) {
        case InspectGroup::spectra:
            return QObject::tr("Spectra");
        case InspectGroup::training:
            return QObject::tr("Over training");
        case InspectGroup::moment:
            return QObject::tr("At the selected step");
        case InspectGroup::experts:
            return QObject::tr("Experts");
        case InspectGroup::attention:
            return QObject::tr("Attention");
        case InspectGroup::ablation:
            return QObject::tr("Ablation");
        case InspectGroup::extrapolation:
            return QObject::tr("Length extrapolation");
        case InspectGroup::data:
            return QObject::tr("Data");
    }
    return {};
}

std::span<const InspectFigure> inspectFigures() {
    static const InspectFigures figures = [] {
        InspectFigures all = figuresOfTopics();
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.group < b.group; });
        return all;
    }();
    return figures;
}

QStringList inspectFigureNames() {
    QStringList names;
    for (const InspectFigure& figure : inspectFigures()) names << QLatin1String(figure.name);
    return names;
}

const InspectFigure* findInspectFigure(const QString& name) {
    for (const InspectFigure& figure : inspectFigures()) {
        if (name == QLatin1String(figure.name)) return &figure;
    }
    return nullptr;
}

}  // namespace ropelab::ui
