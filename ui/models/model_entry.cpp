#include "ui/models/model_entry.h"

#include <QFileInfo>
#include <QStringList>
#include <cmath>
#include <limits>

#include "core/interop/hf_anatomy.h"
#include "core/interop/model_table.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/spec/run_spec.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {
namespace {

/// A config.json is named after its folder, except in the Hugging Face cache, where the folder's name is a checksum:
/// …/models--EleutherAI--pythia-1b/snapshots/f73d…/config.json.
QString nameOf(const QFileInfo& file) {
    if (file.fileName() != QLatin1String("config.json")) {
        return file.completeBaseName().isEmpty() ? file.fileName() : file.completeBaseName();
    }
    const QStringList folders = file.absolutePath().split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (const QString& folder : folders) {
        if (folder.startsWith(QLatin1String("models--"))) {
            return folder.section(QStringLiteral("--"), -1);
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

}  // namespace

QString ModelEntry::parametersText() const {
    if (!totals.parameters) {
        return QStringLiteral("–");
    }
    const QString all = shortCount(*totals.parameters);
    return totals.active_parameters == totals.parameters
               ? all
               : QObject::tr("%1 (%2 active)").arg(all, shortCount(totals.active_parameters.value_or(0)));
}

const HfRotary& ModelEntry::rotary(int layerType) const {
    const auto at = static_cast<std::size_t>(layerType);
    return at < model.rotary.size() ? model.rotary[at] : model.rotary.front();
}

QString ModelEntry::nameWithLayerType(int layerType) const {
    return model.rotary.size() < 2 ? name : QStringLiteral("%1, %2").arg(name, layerTypeText(rotary(layerType)));
}

const std::vector<ModelEntry>& knownModels() {
    static const std::vector<ModelEntry> entries = [] {
        std::vector<ModelEntry> result;
        for (const KnownModel& known : model_table()) {
            result.push_back(
                {text(known.name), text(known.source), false, read_hf_config(known.config), totalsOf(known.config)});
            if (!known.shape_source.empty()) {
                result.back().source += QObject::tr("; parameters: %1").arg(text(known.shape_source));
            }
        }
        return result;
    }();
    return entries;
}

ModelEntry importedModel(const QString& path) {
    ModelEntry entry;
    const nlohmann::json config = load_model_config(path.toStdString());
    entry.model = read_hf_config(config);
    entry.model.of("");  // throws for a model without rotary embeddings, which has no setup to load
    entry.totals = totalsOf(config);
    entry.name = nameOf(QFileInfo(path));
    entry.source = QFileInfo(path).absoluteFilePath();
    entry.isImported = true;
    return entry;
}

RotarySetup setupOf(const ModelEntry& entry, int layerType, const RotarySetup& current) {
    RotarySetup setup = entry.rotary(layerType).setup;
    setup.precision = current.precision;
    setup.heads = current.heads;
    setup.attention_window = current.attention_window;
    if (entry.model.cache) {
        const CacheShape& cache = *entry.model.cache;
        const bool isLocal = entry.rotary(layerType).layer_type == "sliding_attention" || cache.global_layers == 0;
        setup.heads = cache.heads;
        setup.attention_window = entry.model.kind == KvCache::sliding && isLocal ? cache.window : 0;
    }
    return setup;
}

ModelShape shapeOf(const ModelEntry& entry, int layerType, const ModelShape& current) {
    ModelShape shape = current;
    shape.name = entry.nameWithLayerType(layerType);
    if (entry.model.cache) {
        shape.cache = *entry.model.cache;
        shape.kind = entry.model.kind;
    } else {
        shape.name += QObject::tr(" (unknown KV cache)");
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
    return rotary.layer_type.empty() ? QObject::tr("same in all layers")
                                     : text(rotary.layer_type).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString layerTypesText(const HfModel& model) {
    QStringList types;
    for (const HfRotary& rotary : model.rotary) {
        types << layerTypeText(rotary).remove(QStringLiteral(" attention"));
    }
    return types.join(QStringLiteral(", "));
}

QString scalingText(const RotarySetup& setup) {
    const Scaling& scaling = setup.scaling;
    if (scaling.method == ScalingMethod::none) {
        return QStringLiteral("–");
    }
    const ScalingName& name = scaling_names().at(static_cast<std::size_t>(scaling.method));
    return QStringLiteral("%1 ×%2").arg(text(name.title), text(number_text(std::round(scaling.factor * 100) / 100)));
}

QString fractionText(const RotarySetup& setup) {
    const QString exact = text(fraction_text(setup.fraction, setup.head_dim));
    if (!exact.endsWith(QLatin1Char('%'))) return exact;  // the only rotated pair, as "2 ch"
    const double percent = std::round(1000 * setup.fraction) / 10;
    return QStringLiteral("%1 %").arg(text(number_text(percent)));
}

QString baseText(double base) {
    if (!std::isfinite(base)) {
        return std::isnan(base) ? QStringLiteral("–") : QStringLiteral("∞");
    }
    if (base < 1e9) {
        return text(short_number(std::round(base)));
    }
    const QString power = readableNumber(base);
    const QString one = QStringLiteral("1.00×");
    return power.startsWith(one) ? power.mid(one.size()) : power;
}

}  // namespace ropelab::ui
