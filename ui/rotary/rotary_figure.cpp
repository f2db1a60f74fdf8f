#include "ui/rotary/rotary_figure.h"

#include <algorithm>

#include "ui/rotary/comparison.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kSetup = QLatin1String(option::setup.name);

Figure requestedFigure(const RotaryFigure& figure, const FigureRequest& request) {
    const auto isGiven = [&](const FigureOption* option) { return request.has(*option); };
    const bool isChosen = std::any_of(figure.options.begin(), figure.options.end(), isGiven);
    const auto made = [&] {
        if (figure.chosen && (isChosen || !request.sources().labPath().isEmpty())) return figure.chosen(request);
        const ComparedSetups setups = request.setups();
        if (setups.b) return figure.ofBoth({setups.a, {}}, {*setups.b, {}});
        return figure.make(setups.a, {});
    };
    Figure result = made();
    // The setup is named even if it is that of the command line by default.
    result.origin.flags[kSetup] = result.settings[kSetup];
    return result;
}

}  // namespace

Figure RotaryFigure::ofBoth(const ShapedSetup& a, const ShapedSetup& b) const {
    return compare ? compare(a, b) : comparedFigure(make(a.setup, a.shape), make(b.setup, b.shape), a, b);
}

FigureEntries rotaryEntries(const char* room, std::span<const RotaryFigure> figures) {
    FigureEntries entries;
    for (const RotaryFigure& figure : figures) {
        FigureEntry entry{.name = QLatin1String(figure.name),
                          .room = QLatin1String(room),
                          .part = QLatin1String(figure.part),
                          .options = {&option::setup},
                          .lab = figure.lab,
                          .make = [figure](const FigureRequest& request) { return requestedFigure(figure, request); },
                          .check = figure.check};
        entry.options.insert(entry.options.end(), figure.options.begin(), figure.options.end());
        entries.push_back(std::move(entry));
    }
    return entries;
}

Figure ofSetups(const FigureRequest& request, const std::function<Figure(const RotarySetup&)>& make) {
    const ComparedSetups setups = request.setups();
    if (!setups.b) return make(setups.a);
    return comparedFigure(make(setups.a), make(*setups.b), {setups.a, {}}, {*setups.b, {}});
}

QJsonObject rotaryFlags(std::span<const RotaryFigure> figures, const Figure& figure) {
    const QJsonValue setup = figure.settings[kSetup];
    if (setup.toString().isEmpty()) return {};
    // Two compared setups share the other choices.
    const bool isCompared = figure.settings.contains(u"compared"_s);
    const QJsonObject settings = isCompared ? figure.settings[u"A"_s].toObject() : figure.settings;
    const auto known = std::find_if(figures.begin(), figures.end(),
                                    [&](const RotaryFigure& each) { return figure.name == QLatin1String(each.name); });
    QJsonObject flags = known == figures.end() ? QJsonObject() : flagsOfSettings(settings, known->options);
    flags = withFlags(flags, figure.origin.flags);
    flags[u"figure"_s] = figure.name;
    flags[kSetup] = setup;
    return flags;
}

}  // namespace ropelab::ui
