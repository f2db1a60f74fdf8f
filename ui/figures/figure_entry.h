#pragma once

#include <QString>
#include <functional>
#include <span>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figures/figure_request.h"

namespace ropelab::ui {

/// All that the program knows of a figure outside its room. Flags of the command line, their help and refusals, what
/// `verify` accepts, and where the window shows an exported figure follow from it.
struct FigureEntry {
    enum class Lab { none, optional, required };

    QString name;  // "logit-contribution": on the command line and as Figure::name
    QString room;  // id of the room that shows it; "" for the window of known models
    QString part;  // id of the part of the room; "" if the room shows the figure without a choice
    QString title = {};
    QString why = {};
    std::vector<const FigureOption*> options = {};
    Lab lab = Lab::required;
    /// FigureOrigin::flags of the result name what the request does not; a null there removes a flag. Throws BadInput.
    std::function<Figure(const FigureRequest&)> make = {};
    /// Throws BadInput, before anything is opened, if options contradict each other or one is missing; may be empty.
    std::function<void(const FigureRequest&)> check = {};

    bool has(const FigureOption& option) const;
};

using FigureEntries = std::vector<FigureEntry>;

/// Null if the name, which may be that of an earlier version (core/base/aliases.h), is unknown.
const FigureEntry* findFigure(std::span<const FigureEntry> all, const QString& name);
/// `name` may be that of an earlier version.
QString currentFigureName(const QString& name);

/// Every option of these figures once, in the order of the figures.
std::vector<const FigureOption*> optionsOf(std::span<const FigureEntry> all);
/// "the figures encodings and random-logits", "figures of the Results room, such as group-means".
QString figuresWith(std::span<const FigureEntry> all, const FigureOption& option);

/// Throws BadInput, with one sentence, unless all named figures exist, can be made from what is given, and every flag
/// is an option of one of them with a value that it may have. `hasLab`: a lab is given.
void checkFigures(std::span<const FigureEntry> all, const QStringList& names, const QJsonObject& flags, bool hasLab);

/// Each figure gets the flags that it has; its origin computes it again. The names and flags were checked.
std::vector<Figure> makeFigures(std::span<const FigureEntry> all, const QStringList& names, const QJsonObject& flags,
                                FigureSources& sources, const QJsonObject& view = {}, bool isRecorded = false);

/// `flags` with what a figure says; a null removes a flag.
QJsonObject withFlags(QJsonObject flags, const QJsonObject& said);
/// The settings of a figure that are choices of `options`, as flags.
QJsonObject flagsOfSettings(const QJsonObject& settings, std::span<const FigureOption* const> options);

}  // namespace ropelab::ui
