#include "ui/models/model_details.h"

#include <QStringList>

#include "core/report/anatomy_report.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr qsizetype kMaxLength = 120;

/// For HTML, and shortened.
QString escaped(const std::string& text) {
    QString whole = QString::fromStdString(text);
    if (whole.size() > kMaxLength) {
        whole = whole.left(kMaxLength) + QStringLiteral(" …");
    }
    return whole.toHtmlEscaped();
}

QString originText(const HfValue& value) {
    switch (value.origin) {
        case HfOrigin::file:
            return value.key.empty() || value.key == value.name
                       ? QObject::tr("from the file")
                       : QObject::tr("from the file (key %1)").arg(escaped(value.key));
        case HfOrigin::library_default:
            return QObject::tr("library default");
        case HfOrigin::derived:
            return QObject::tr("derived from other values");
        case HfOrigin::assumed:
            return QObject::tr("assumed, because the file does not specify it");
    }
    return {};
}

QString rowText(const QString& name, const QString& value, const QString& origin, const QString& quiet) {
    return QStringLiteral(
               "<tr><td style='padding-right:16px'>%1</td><td style='padding-right:16px'>%2</td>"
               "<td style='color:%4'>%3</td></tr>")
        .arg(name, value, origin, quiet);
}

QString valuesTable(const ModelEntry& entry, const HfRotary& rotary, const QString& quiet) {
    QString table = QStringLiteral("<table cellspacing='0' cellpadding='2'>");
    for (const HfValue& value : entry.model.values) {
        if (value.layer_type.empty() || value.layer_type == rotary.layer_type) {
            table += rowText(escaped(value.name), escaped(value.text), originText(value), quiet);
        }
    }
    return table + QStringLiteral("</table>");
}

/// Values that the file does not specify and keys that the program does not know.
QStringList unknownValues(const HfModel& model) {
    QStringList sentences;
    if (!model.unknown_keys.empty()) {
        QStringList keys;
        for (const std::string& key : model.unknown_keys) {
            keys << escaped(key);
        }
        sentences << QObject::tr("The program does not know these keys and ignores them: %1.")
                         .arg(keys.join(QStringLiteral(", ")));
    }
    if (!model.cache) {
        sentences << QObject::tr(
            "The KV cache is unknown, because the file does not specify layers and heads. The Memory room keeps its "
            "current shape.");
    }
    return sentences;
}

}  // namespace

QString modelDetails(const ModelEntry& entry, int layerType) {
    const HfRotary& rotary = entry.rotary(layerType);
    const Theme& theme = ThemeManager::instance().theme();
    const QString quiet = theme.quietText.name();
    QString html =
        QStringLiteral("<p style='margin:0'><b>%1</b></p>")
            .arg(entry.nameWithLayerType(static_cast<int>(&rotary - entry.model.rotary.data())).toHtmlEscaped());
    html += QStringLiteral("<p style='margin:0 0 6px 0; color:%1'>%2</p>")
                .arg(quiet, QObject::tr("Source: %1").arg(entry.source.toHtmlEscaped()));
    for (const QString& sentence : unknownValues(entry.model)) {
        html += QStringLiteral("<p style='margin:0 0 4px 0; color:%1'>%2</p>").arg(theme.warning.name(), sentence);
    }
    for (const std::string& remark : entry.model.remarks) {
        html +=
            QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>").arg(QString::fromStdString(remark).toHtmlEscaped());
    }
    if (rotary.layers > 0) {
        const QString kind =
            rotary.layer_type.empty() ? QObject::tr("RoPE is the same in all layers") : layerTypeText(rotary);
        html += QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>")
                    .arg(QObject::tr("Layers: %1, %2.").arg(rotary.layers).arg(kind.toHtmlEscaped()));
    }
    if (entry.totals.parameters) {
        const std::string count = known_parameters(entry.totals.parameters, entry.totals.active_parameters);
        html += QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>")
                    .arg(QObject::tr("Parameters: %1.").arg(QString::fromStdString(count)));
    }
    return html + valuesTable(entry, rotary, quiet);
}

}  // namespace ropelab::ui
