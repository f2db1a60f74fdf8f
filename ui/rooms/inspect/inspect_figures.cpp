#include "ui/rooms/inspect/inspect_figures.h"

#include <algorithm>

#include "ui/figure/paint/printed_figure.h"

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

InspectPicture inspectPicture(const InspectFigure& figure, const InspectData& data) {
    InspectPicture picture = figure.make(data);
    const Figure& made = picture.figure;
    const bool isCourse =
        std::ranges::any_of(made.verticalLines, [](const FigureLine& line) { return line.handle == kTimeHandle; });
    const bool hasCourse =
        (made.map && made.map->columns > 1) ||
        std::ranges::any_of(made.curves, [](const FigureCurve& curve) { return curve.x.size() > 1; });
    if (!isCourse || hasCourse || isEmpty(made)) return picture;
    if (data.run->training && data.problem.isEmpty())
        return withoutNumbers(data, figure.name, u"Measuring the checkpoints on a text …"_s);
    if (!data.run->hasSteps()) {
        return withoutNumbers(
            data, figure.name,
            u"The model %1 is known at one step of its training only. Open a folder of its "
            "checkpoints (File > Open checkpoints …), or choose another figure."_s.arg(data.run->name));
    }
    return withoutNumbers(
        data, figure.name,
        u"The run %1 has one snapshot with these values, but a course over training needs at least two. Choose "
        "another run, or train one with a smaller probe_every."_s.arg(data.run->name));
}

const InspectFigure* findInspectFigure(const QString& name) {
    for (const InspectFigure& figure : inspectFigures()) {
        if (name == QLatin1String(figure.name)) return &figure;
    }
    return nullptr;
}

}  // namespace ropelab::ui
