#include "ui/rooms/inspect/inspect_figures.h"

#include <algorithm>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// The figures of all topics, topic by topic; the build writes this function (CMakeLists.txt).
InspectFigures figuresOfTopics();

QString titleOf(InspectGroup group) {
    switch (group) {
        case InspectGroup::spectra:
            return u"Spectra"_s;
        case InspectGroup::training:
            return u"Over training"_s;
        case InspectGroup::moment:
            return u"At the selected step"_s;
        case InspectGroup::experts:
            return u"Experts"_s;
        case InspectGroup::attention:
            return u"Attention"_s;
        case InspectGroup::ablation:
            return u"Ablation"_s;
        case InspectGroup::extrapolation:
            return u"Length extrapolation"_s;
        case InspectGroup::data:
            return u"Data"_s;
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
