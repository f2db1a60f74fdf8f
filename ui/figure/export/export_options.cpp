#include "ui/figure/export/export_options.h"

#include <QFileInfo>
#include <QStringList>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::pair<FigureFormat, const char*> kSuffixes[] = {{FigureFormat::pdf, "pdf"},
                                                              {FigureFormat::svg, "svg"},
                                                              {FigureFormat::png, "png"},
                                                              {FigureFormat::csv, "csv"},
                                                              {FigureFormat::pgfplots, "tex"}};

std::optional<FigureFormat> formatWith(const QString& suffix) {
    for (const auto& [format, known] : kSuffixes) {
        if (suffix == QLatin1String(known)) return format;
    }
    return std::nullopt;
}

}  // namespace

QString suffixOf(FigureFormat format) {
    for (const auto& [known, suffix] : kSuffixes) {
        if (known == format) return QLatin1String(suffix);
    }
    return {};
}

FigureFormat formatOf(const QString& path) {
    if (const auto format = formatWith(QFileInfo(path).suffix().toLower())) return *format;
    throw BadInput("The figure's file name \"" + path.toStdString() +
                   "\" must end with .pdf, .svg, .png, .csv or .tex (PGFPlots).");
}

std::optional<FigureFormat> formatNamed(const QString& name) {
    return name == "pgfplots"_L1 ? FigureFormat::pgfplots : formatWith(name);
}

std::span<const FigurePreset> figurePresets() {
    static const std::vector<FigurePreset> presets = {
        {"ieee-column", u"IEEE, one column (88.9 mm)"_s, 88.9, 60, 8},
        {"ieee-page", u"IEEE, two columns (181 mm)"_s, 181, 80, 8},
        {"nature-column", u"Nature, one column (89 mm)"_s, 89, 60, 7},
        {"nature-page", u"Nature, two columns (183 mm)"_s, 183, 80, 7},
        {"icml-column", u"ICML, one column (82.5 mm)"_s, 82.5, 56, 8},
        {"neurips", u"NeurIPS, text width (139.7 mm)"_s, 139.7, 75, 9},
        {"slide", u"Slide, 16:9 (169.3 × 95.3 mm)"_s, 169.3, 95.3, 12, true},
    };
    return presets;
}

const FigurePreset& figurePreset(const QString& name) {
    QStringList names;
    for (const FigurePreset& preset : figurePresets()) {
        if (name == QLatin1String(preset.name)) return preset;
        names << QLatin1String(preset.name);
    }
    throw BadInput("There is no figure size named \"" + name.toStdString() +
                   "\"; the sizes are: " + names.join(u", "_s).toStdString() + ".");
}

}  // namespace ropelab::ui
