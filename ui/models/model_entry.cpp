#include "ui/models/model_entry.h"

#include <QFileInfo>
#include <QStringList>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/model_steps.h"
#include "core/interop/model_table.h"
#include "core/report/anatomy_report.h"
#include "core/settings/run_spec.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// A config.json is named after its folder, except in the Hugging Face cache, where the folder's name is a checksum:
/// …/models--EleutherAI--pythia-1b/snapshots/f73d…/config.json.
QString nameOf(const QFileInfo& file) {
    if (file.fileName() != "config.json"_L1) {
        return file.completeBaseName().isEmpty() ? file.fileName() : file.completeBaseName();
    }
    const QStringList folders = file.absolutePath().split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (const QString& folder : folders) {
        if (folder.startsWith("models--"_L1)) {
            return folder.section(u"--"_s, -1);
        }
    }
    return folders.isEmpty() ? file.fileName() : folders.last();
}

/// Unknown if a size is out of range, which does not prevent that the model's rotary embeddings are used.
AnatomyTotals totalsOf(const nlohmann::json& config) {
    try {
        return hf_anatomy(config).totals();
    } catch (const BadInput&) {
        return {};
    }
}

ModelEntry entryOf(const KnownModel& known) {
    ModelEntry entry{text(known.name), text(known.source), false, read_hf_config(known.config), totalsOf(known.config)};
    if (!known.shape_source.empty()) entry.source += u"; parameters: %1"_s.arg(text(known.shape_source));
    return entry;
}

/// "149M", "8.03B", "1.03T".
QString shortCount(std::int64_t count) {
    struct Unit {
        double size;
        QLatin1Char letter;
    };
    constexpr Unit units[] = {
        {1e12, QLatin1Char('T')}, {1e9, QLatin1Char('B')}, {1e6, QLatin1Char('M')}, {1e3, QLatin1Char('k')}};
    const auto value = static_cast<double>(count);
    for (const Unit& unit : units) {
        if (value < unit.size) continue;
        const double scaled = value / unit.size;
        const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
        return QString::number(scaled, 'f', decimals) + unit.letter;
    }
    return QString::number(count);
}

constexpr qsizetype kMaxLength = 120;

/// For HTML, and shortened.
QString escaped(const std::string& text) {
    QString whole = QString::fromStdString(text);
    if (whole.size() > kMaxLength) {
        whole = whole.left(kMaxLength) + u" …"_s;
    }
    return whole.toHtmlEscaped();
}

QString originText(const HfValue& value) {
    switch (value.origin) {
        case HfOrigin::file:
            return value.key.empty() || value.key == value.name ? u"from the file"_s
                                                                : u"from the file (key %1)"_s.arg(escaped(value.key));
        case HfOrigin::library_default:
            return u"library default"_s;
        case HfOrigin::derived:
            return u"derived from other values"_s;
        case HfOrigin::assumed:
            return u"assumed, because the file does not specify the value"_s;
    }
    return {};
}

QString rowText(const QString& name, const QString& value, const QString& origin, const QString& quiet) {
    return u"<tr><td style='padding-right:16px'>%1</td><td style='padding-right:16px'>%2</td>"
           "<td style='color:%4'>%3</td></tr>"_s.arg(name, value, origin, quiet);
}

QString valuesTable(const ModelEntry& entry, const HfRotary& rotary, const QString& quiet) {
    QString table = u"<table cellspacing='0' cellpadding='2'>"_s;
    for (const HfValue& value : entry.model.values) {
        if (value.layer_type.empty() || value.layer_type == rotary.layer_type) {
            table += rowText(escaped(value.name), escaped(value.text), originText(value), quiet);
        }
    }
    return table + u"</table>"_s;
}

/// Values that the file does not specify and keys that the program does not know.
QStringList unknownValues(const HfModel& model) {
    QStringList sentences;
    if (!model.unknown_keys.empty()) {
        QStringList keys;
        for (const std::string& key : model.unknown_keys) {
            keys << escaped(key);
        }
        sentences << u"RoPE Lab ignores these keys of the file, because it does not know them: %1."_s.arg(
            keys.join(u", "_s));
    }
    if (!model.sizes) {
        sentences
            << u"The size of the KV cache is unknown, because the file does not specify layers and heads. The page "
               "Memory keeps the current shape of the KV cache."_s;
    }
    return sentences;
}

}  // namespace

QString ModelEntry::parametersText() const {
    if (!totals.parameters) {
        return u"–"_s;
    }
    const QString all = shortCount(*totals.parameters);
    return totals.active_parameters == totals.parameters
               ? all
               : u"%1 (%2 active)"_s.arg(all, shortCount(totals.active_parameters.value_or(0)));
}

const HfRotary& ModelEntry::rotary(int layerType) const {
    const auto at = static_cast<std::size_t>(layerType);
    return at < model.rotary.size() ? model.rotary[at] : model.rotary.front();
}

QString ModelEntry::nameWithLayerType(int layerType) const {
    return model.rotary.size() < 2 ? name : u"%1, %2"_s.arg(name, layerTypeText(rotary(layerType)));
}

const std::vector<ModelEntry>& knownModels() {
    static const std::vector<ModelEntry> entries = [] {
        std::vector<ModelEntry> result;
        for (const KnownModel& known : model_table()) result.push_back(entryOf(known));
        return result;
    }();
    return entries;
}

std::optional<ModelEntry> knownModel(const QString& name) {
    for (const KnownModel& known : model_table()) {
        if (!text(known.name).compare(name, Qt::CaseInsensitive)) return entryOf(known);
    }
    return std::nullopt;
}

ModelEntry importedModel(const QString& path) {
    ModelEntry entry;
    const bool isConfig = path.endsWith(u".json"_s);
    const nlohmann::json config =
        isConfig ? load_model_config(path.toStdString()) : OpenedModel(last_model(path.toStdString())).config();
    entry.model = read_hf_config(config);
    entry.model.of("");  // throws for a model without rotary embeddings, which has no setup to load
    entry.totals = totalsOf(config);
    entry.name = QFileInfo(path).isDir() ? QFileInfo(path).fileName() : nameOf(QFileInfo(path));
    entry.source = QFileInfo(path).absoluteFilePath();
    entry.isImported = true;
    return entry;
}

RotarySetup setupOf(const ModelEntry& entry, int layerType, const RotarySetup& current) {
    RotarySetup setup = entry.rotary(layerType).setup;
    setup.precision = current.precision;
    setup.heads = current.heads;
    setup.attention_window = current.attention_window;
    if (entry.model.sizes) {
        const AttentionSizes& sizes = *entry.model.sizes;
        const bool isLocal = entry.rotary(layerType).layer_type == "sliding_attention" || sizes.global_layers == 0;
        setup.heads = sizes.heads;
        setup.attention_window = sizes.kind == KvCache::sliding && isLocal ? sizes.window : 0;
    }
    return setup;
}

ModelShape shapeOf(const ModelEntry& entry, int layerType, const ModelShape& current) {
    ModelShape shape = current;
    shape.name = entry.nameWithLayerType(layerType);
    if (entry.model.sizes) {
        shape.sizes = *entry.model.sizes;
        shape.caches = entry.model.caches();
    } else {
        shape.name += u" (unknown KV cache)"_s;
    }
    return shape;
}

double effectiveBase(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    if (rotated == 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return setup.partial == Partial::truncate ? setup.theta
                                              : std::pow(setup.theta, static_cast<double>(setup.head_dim) / rotated);
}

QString layerTypeText(const HfRotary& rotary) {
    return rotary.layer_type.empty() ? u"same in all layers"_s
                                     : text(rotary.layer_type).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString layerTypesText(const HfModel& model) {
    QStringList types;
    for (const HfRotary& rotary : model.rotary) {
        types << layerTypeText(rotary).remove(u" attention"_s);
    }
    return types.join(u", "_s);
}

QString scalingText(const RotarySetup& setup) {
    const Scaling& scaling = setup.scaling;
    if (scaling.method == ScalingMethod::none) {
        return u"–"_s;
    }
    const ScalingName& name = scaling_names().at(static_cast<std::size_t>(scaling.method));
    return u"%1 ×%2"_s.arg(text(name.title), text(number_text(std::round(scaling.factor * 100) / 100)));
}

QString fractionText(const RotarySetup& setup) {
    const QString exact = text(fraction_text(setup.fraction, setup.head_dim));
    if (!exact.endsWith(QLatin1Char('%'))) return exact;  // the only rotated pair, as "2 ch"
    const double percent = std::round(1000 * setup.fraction) / 10;
    return u"%1 %"_s.arg(text(number_text(percent)));
}

QString baseText(double base) {
    if (!std::isfinite(base)) {
        return std::isnan(base) ? u"–"_s : u"∞"_s;
    }
    if (base < 1e9) {
        return text(short_number(std::round(base)));
    }
    const QString power = readableNumber(base);
    const QString one = u"1.00×"_s;
    return power.startsWith(one) ? power.mid(one.size()) : power;
}

QString modelDetails(const ModelEntry& entry, int layerType) {
    const HfRotary& rotary = entry.rotary(layerType);
    const Theme& theme = ThemeManager::instance().theme();
    const QString quiet = theme.quietText.name();
    QString html = u"<p style='margin:0'><b>%1</b></p>"_s.arg(
        entry.nameWithLayerType(static_cast<int>(&rotary - entry.model.rotary.data())).toHtmlEscaped());
    html +=
        u"<p style='margin:0 0 6px 0; color:%1'>%2</p>"_s.arg(quiet, u"Source: %1"_s.arg(entry.source.toHtmlEscaped()));
    for (const QString& sentence : unknownValues(entry.model)) {
        html += u"<p style='margin:0 0 4px 0; color:%1'>%2</p>"_s.arg(theme.warning.name(), sentence);
    }
    for (const std::string& remark : entry.model.remarks) {
        html += u"<p style='margin:0 0 4px 0'>%1</p>"_s.arg(QString::fromStdString(remark).toHtmlEscaped());
    }
    if (rotary.layers > 0) {
        const QString kind = rotary.layer_type.empty() ? u"RoPE is the same in all layers"_s : layerTypeText(rotary);
        html += u"<p style='margin:0 0 4px 0'>%1</p>"_s.arg(
            u"Layers: %1, %2."_s.arg(rotary.layers).arg(kind.toHtmlEscaped()));
    }
    if (entry.totals.parameters) {
        const std::string count = known_parameters(entry.totals.parameters, entry.totals.active_parameters);
        html += u"<p style='margin:0 0 4px 0'>%1</p>"_s.arg(u"Parameters: %1."_s.arg(QString::fromStdString(count)));
    }
    return html + valuesTable(entry, rotary, quiet);
}

}  // namespace ropelab::ui
